/*
 * Moves managed memory ahead of its use (CUDA Runtime API, cudaMemPrefetchAsync), so that it does not come
 * over page by page as ops fault on it. These are hints: what cannot be done is left, CUDA's last error stays
 * as it is, and where an error is pending nothing is tried. Memory is moved by whole allocations, or the part
 * of one that alone is used, on devices that have concurrent managed access: others move it before each
 * launch by themselves.
 */
#ifndef KESCO_RUNTIME_REGION_PREFETCH_H
#define KESCO_RUNTIME_REGION_PREFETCH_H

#include "runtime/region/fetched.h"

#include <cuda_runtime_api.h>

/*
 * Smaller allocations are left to page faults. The driver serves faults in blocks that grow up to 2 MiB
 * (Ganguly et al., "Interplay between Hardware Prefetcher and Page Eviction Policy in CPU-GPU Unified Virtual
 * Memory", ISCA 2019), so below this size a few faults fetch all, in about the time that the call takes.
 */
#define KESCO_PREFETCH_LEAST ((uintptr_t)1 << 20)

/* Allocations that one region remembers; with more, it may ask for one again. */
#define KESCO_PREFETCH_SEEN 64

/*
 * The allocations that a region has asked for already, or that are none to ask for: until the host waits,
 * they stay where they are. One that is freed and given out anew meanwhile misses a hint, nothing else.
 */
struct kesco_prefetch {
    uint32_t count;                                    /* taken in so far; the latest of them are in seen */
    struct kesco_allocation seen[KESCO_PREFETCH_SEEN]; /* by number, round and round; of what rests, a byte */
    struct kesco_fetched fetched;                      /* not forgotten */
};

/* What an op uses. */
struct kesco_to_fetch {
    const void *pointer;
    struct kesco_allocation part; /* the bytes that alone are used; none: all of the allocation may be */
    bool is_overwritten;          /* it writes there, and reads nothing */
    bool op_is_next;              /* on the stream, right after the fetch */
    int device;                   /* the current one */
};

/* Forgets everything but what fetches have moved. */
void kesco_prefetch_clear(struct kesco_prefetch *prefetch);

/* The program fetches that allocation itself. */
void kesco_prefetch_note(struct kesco_prefetch *prefetch, const void *pointer);

/* Lets `stream` of `device`, the current one, fetch the managed allocation that `pointer` leads into. */
void kesco_prefetch_to_device(struct kesco_prefetch *prefetch, const void *pointer, int device,
                              cudaStream_t stream);

/* What is known of the memory that an op uses next; NULL: it needs no fetch. To be asked for each use, but
 * for what->device. */
struct kesco_fetched_entry *kesco_prefetch_find(struct kesco_prefetch *prefetch,
                                                const struct kesco_to_fetch *what);

/* Then, it is fetched where that is likely to pay (fetched.h), however small it is. No error is pending. */
void kesco_prefetch_decide(struct kesco_prefetch *prefetch, struct kesco_fetched_entry *entry,
                           const struct kesco_to_fetch *what, cudaStream_t stream);

/* The op is on its stream, where the clock of the fetches runs (fetched.h). */
void kesco_prefetch_end_op(struct kesco_prefetch *prefetch);

#endif
