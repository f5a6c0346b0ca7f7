/*
 * Allocations: all memory that device code may touch. Device, managed and pinned memory is mapped page-wise
 * with an inaccessible page on either side, and filled with junk: CUDA promises no contents (CUDA Runtime
 * API, cudaMalloc: "The memory is not cleared").
 */
#ifndef KESCO_TEST_VGPU_MEMORY_H
#define KESCO_TEST_VGPU_MEMORY_H

#include "test/vgpu/op.h"

enum memory_kind {
    MEMORY_DEVICE,
    MEMORY_MANAGED,
    MEMORY_PINNED,     /* cudaMallocHost, cudaHostAlloc */
    MEMORY_REGISTERED, /* the program's own, page-locked by cudaHostRegister */
    MEMORY_SYMBOL      /* a variable of an image */
};

#define MEMORY_MOST ((size_t)64 << 30) /* bytes of an allocation */

struct pool;
struct race_record;
struct chain_byte;

/* Who made an allocation. */
struct allocation_maker {
    const char *api;  /* API function; a symbol's name for MEMORY_SYMBOL */
    struct site site; /* where */
    unsigned flags;   /* cudaHostAlloc's or cudaHostRegister's */
    int device;       /* that it was made for */
};

/* The pages with their guards, or NULL where the memory is not the engine's. */
struct allocation_pages {
    void *mapping;
    size_t size;
};

struct allocation_graph {
    bool makes; /* it is made by a graph's node, which gives it a new life at every launch */
    bool frees; /* a graph's node frees it, so nobody else may; of what a graph makes */
};

/* Managed memory. */
struct allocation_managed {
    struct residence *residence; /* where virtual time is kept; else NULL */
    struct op *attachment;       /* the cudaStreamAttachMemAsync issued last; NULL: none */
    unsigned attached;           /* a cudaMemAttach flag, which `attachment` changes */
    uint32_t attached_to;        /* with cudaMemAttachSingle: the stream's component */
};

struct allocation {
    char *base;
    size_t size;   /* bytes */
    size_t number; /* of those made before it */
    enum memory_kind kind;
    struct allocation_maker maker;
    struct allocation_pages pages;
    struct pool *pool; /* of memory made by cudaMallocAsync and its like; else NULL */
    struct allocation_graph graph;
    struct op *freed;            /* the cudaFreeAsync that frees it, from its issue on; else NULL */
    struct race_record *history; /* race.h */
    struct chain_byte *chains;   /* by byte (chain.h); NULL: nobody has touched any */
    struct allocation_managed managed;
};

/* Makes memory of `size` bytes, junk in it. Size 0 gives a null pointer. */
cudaError_t memory_allocate(void **pointer, size_t size, enum memory_kind kind, unsigned flags);

/* The memory of a device's heap (heap.h), or NULL. */
struct allocation *memory_make_heap(size_t size, int device);

/* Whether the allocation is a device's heap. */
bool memory_is_heap(const struct allocation *allocation);

/* Rows of `width` bytes, padded to `pitch`. */
cudaError_t memory_allocate_pitch(void **pointer, size_t *pitch, size_t width, size_t height);

/* cudaMallocAsync: usable by what is ordered after this place in the stream. `pool` NULL: the current one of
 * the stream's device. */
cudaError_t memory_allocate_async(void **pointer, size_t size, struct pool *pool, cudaStream_t stream);

/* The op that allocates memory at every launch of a graph, always the same, and the one that frees it: with
 * one reference, the caller's. What the address leads to stays as long as the device's memory. */
cudaError_t memory_make_graph_allocation(void **pointer, size_t size, int device, struct op **op);
cudaError_t memory_make_graph_free(void *pointer, struct op **op);

/* cudaFree and cudaFreeHost: the device is idle before the memory goes. NULL does nothing. */
cudaError_t memory_free(void *pointer);
cudaError_t memory_free_host(void *pointer);

/* cudaFreeAsync: the memory goes once the stream has come here and the host knows. */
cudaError_t memory_free_async(void *pointer, cudaStream_t stream);

cudaError_t memory_register(void *pointer, size_t size, unsigned flags);
cudaError_t memory_unregister(void *pointer);

/* Makes a variable of an image an allocation, which stays. */
void memory_add_symbol(void *base, size_t size, const char *name, int device);

/* False if no allocation can hold `pointer`; needs no lock. */
bool memory_may_hold(const void *pointer);

/* False if no managed allocation whose pages are followed can hold `pointer`; needs no lock. */
bool memory_may_be_managed(const void *pointer);

/* The allocation that holds `pointer`, or NULL. */
struct allocation *memory_find(const void *pointer);

/* True if kernels of `device` may touch the memory: it is the device's own, the host's, or a peer's. */
bool memory_is_reachable(const struct allocation *allocation, int device);

/* True if the host may touch the memory, and copies take it as host memory. */
bool memory_is_host(const struct allocation *allocation);

/* Bytes of a device, with the pages of managed memory that live there as far as they are followed. Where
 * devices share managed memory with the host, there may be more of that than of theirs. */
size_t memory_used(int device);

/* Runs OP_ALLOCATE and OP_FREE: fills the memory with junk. */
void memory_run(struct op *op);

/* Gives back what cudaFreeAsync freed and the host knows to be idle. */
void memory_sweep(void);

/* Calls `visit` for every allocation. */
void memory_each(void (*visit)(struct allocation *allocation));

/* Gives back all memory of the device but symbols. */
void memory_reset(int device);

#endif
