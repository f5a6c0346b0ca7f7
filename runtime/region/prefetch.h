/*
 * Moves managed memory ahead of its use (CUDA Runtime API, cudaMemPrefetchAsync), so that it does not come
 * over page by page as ops fault on it. These are hints: what cannot be done is left, CUDA's last error stays
 * as it is, and where an error is pending nothing is tried. Memory is moved by whole allocations, or the
 * parts of one that alone are used (stretch.h), on devices that have concurrent managed access: others move
 * it before each launch by themselves.
 */
#ifndef KESCO_RUNTIME_REGION_PREFETCH_H
#define KESCO_RUNTIME_REGION_PREFETCH_H

#include "runtime/region/fetched.h"
#include "runtime/region/stretch.h"

#include <cuda_runtime_api.h>

/*
 * Smaller allocations are left to page faults. The driver serves faults in blocks that grow up to 2 MiB
 * (Ganguly et al., "Interplay between Hardware Prefetcher and Page Eviction Policy in CPU-GPU Unified Virtual
 * Memory", ISCA 2019), so below this size a few faults fetch all, in about the time that the call takes.
 */
#define KESCO_PREFETCH_LEAST ((uintptr_t)1 << 20)

/*
 * What a region has asked for already, or is none to ask for: until the host waits, it stays where it is.
 * What is freed and given out anew meanwhile misses a hint, nothing else.
 */
struct kesco_prefetch {
    struct kesco_stretches stretches;
    struct kesco_fetched fetched; /* not forgotten */
};

/* For an op. */
struct kesco_to_fetch {
    struct kesco_use use;
    bool op_is_next; /* on the stream, right after the fetch */
    int device;      /* the current one */
};

/* Forgets what is there, but not what fetches have moved, nor what ops have used. */
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
