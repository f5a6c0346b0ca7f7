/*
 * The memory traffic of a kernel: bytes of its device's memory that it reads and that it writes, in whole
 * sectors of 32 bytes, each counted once a kernel however often it is touched (32 bytes: the granularity of
 * global memory accesses, CUDA Best Practices Guide, "Coalesced Access to Global Memory").
 *
 * So it is the traffic that cannot be avoided: it takes the caches for large enough to keep what a kernel
 * touches again, and for empty when it begins. Kernels that come back to more than fits (40 to 50 MB) cost
 * more on a device; those that read what the kernel before has just written, and that fits, cost less. Memory
 * of the host does not count.
 *
 * Watched by the kernel's instrumented accesses, where virtual time is kept (timeline.h).
 */
#ifndef KESCO_TEST_VGPU_TRAFFIC_H
#define KESCO_TEST_VGPU_TRAFFIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct traffic {
    uint64_t read, written; /* bytes */
};

/* Begins with a kernel. Returns whether its accesses are to be told. */
bool traffic_begin(void);

/* The kernel touches a range in the way `kind` (VGPU_READ, VGPU_WRITE); ignored if nothing is watched. */
void traffic_touch(const void *address, size_t size, uint32_t kind);

struct traffic traffic_end(void);

#endif
