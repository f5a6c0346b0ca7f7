/*
 * What tools such as Nsight Systems are told through NVTX: ranges around regions, and within them around the
 * issue of ops, in the domain "KeSCo"; and the names of lanes' streams. NVTX is a header and asks once, at
 * the first call, whether a tool is there (NVTX_INJECTION64_PATH, or injected otherwise).
 */
#ifndef KESCO_RUNTIME_WATCH_NVTX_H
#define KESCO_RUNTIME_WATCH_NVTX_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

/* True if a tool listens; without one, nothing else here is to be called. */
bool kesco_nvtx_is_attached(void);

/* Opens a range within those that the calling thread has open; closes the innermost. */
void kesco_nvtx_push(const char *name);
void kesco_nvtx_pop(void);

/* Names the stream `kesco lane N`. */
void kesco_nvtx_name_stream(cudaStream_t stream, uint32_t lane);

#endif
