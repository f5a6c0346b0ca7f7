/* A stream, by which to tell that the device was reset: then its handle has another number, or none. */
#ifndef KESCO_RUNTIME_REGION_WITNESS_H
#define KESCO_RUNTIME_REGION_WITNESS_H

#include <cuda_runtime_api.h>
#include <stdbool.h>

struct kesco_witness {
    cudaStream_t stream;   /* NULL: there is none */
    unsigned long long id; /* that no other stream of the process ever has */
};

/* Makes `stream` the witness; NULL: the legacy default stream. Returns cudaSuccess or CUDA's error, which is
 * then pending; so does the next.
 */
cudaError_t kesco_witness_choose(struct kesco_witness *witness, cudaStream_t stream);

/* Stores in `*is_gone` whether the device was reset since. */
cudaError_t kesco_witness_ask(const struct kesco_witness *witness, bool *is_gone);

#endif
