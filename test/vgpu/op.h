/*
 * Ops: what a program asks a stream to do. An op is made, given its dependencies, issued, and run once all of
 * them are done. It is reference-counted: streams, events and race records look back at ops long done.
 */
#ifndef KESCO_TEST_VGPU_OP_H
#define KESCO_TEST_VGPU_OP_H

#include "test/vgpu/bound.h"
#include "test/vgpu/device.h"
#include "test/vgpu/device_abi.h"
#include "test/vgpu/engine.h"
#include "test/vgpu/residence.h"
#include "test/vgpu/traffic.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum op_kind {
    OP_KERNEL,
    OP_COPY,
    OP_SET,
    OP_RECORD, /* event record */
    OP_WAIT,   /* stream wait event */
    OP_HOST_FUNCTION,
    OP_CALLBACK, /* host function that also runs after a fault */
    OP_ALLOCATE, /* stream-ordered: the memory's contents are lost */
    OP_FREE,
    OP_PREFETCH,
    OP_EMPTY, /* only takes a place in the order */
    OP_HOST   /* what the host itself does; never issued */
};

enum op_state { OP_WAITING, OP_RUNNING, OP_DONE };

struct op;

struct op_list {
    struct op **ops; /* each holds a reference */
    size_t count, capacity;
};

/* Jobs of the timeline (timeline.h). */
struct op_jobs {
    uint64_t *ids;
    size_t count, capacity;
};

/* What an op that has run asks of a machine (counts.h). */
struct op_counts {
    uint64_t blocks;                /* of a kernel */
    uint64_t work[VGPU_WORK_KINDS]; /* instructions that its threads ran (device_abi.h) */
    struct traffic traffic;         /* of a kernel, where virtual time is kept */
    uint64_t bytes;                 /* that are copied or set */
    uint64_t moved, faults;         /* bytes of managed memory that it has brought, and faults on them */
};

struct op_kernel {
    const struct vgpu_kernel *kernel;
    const struct kesco_summary *summary; /* what the kernel may do (summary_check.h); NULL: not checked */
    struct vgpu_dim3 grid, block;
    size_t dynamic_shared; /* bytes */
    void **args;           /* owned, with the values behind it in one piece */
    bool cooperative;
    uint64_t resident; /* blocks that the device has room for at once */
};

/* What CUDA takes a piece of memory for. */
enum copy_place { PLACE_PAGEABLE, PLACE_PINNED, PLACE_MANAGED, PLACE_DEVICE };

/* One side of a copy. */
struct copy_target {
    char *at;
    size_t pitch; /* bytes from row to row */
    size_t slice; /* bytes from slice to slice */
    enum copy_place place;
};

struct copy_source {
    const char *at;
    size_t pitch, slice;
    enum copy_place place;
};

/* `depth` slices of `height` rows of `width` bytes. */
struct op_copy {
    struct copy_target target;
    struct copy_source source;
    size_t width, height, depth;
    char *staging; /* what the source points to if owned: pageable memory, captured at issue */
    enum cudaMemcpyKind kind;
    bool between_devices; /* different ones */
    bool host_stages;     /* the host itself moves what is in pageable memory, at the call */
    bool by_host;         /* it has been made by the host, at the call: it only has a place in its stream */
};

struct op_set {
    char *to;
    size_t pitch, width, height;
    uint32_t value;
    unsigned element;      /* bytes of a value, of which `width` is a multiple: 1, 2 or 4; 0 stands for 1 */
    enum copy_place place; /* that `to` leads to; of a graph's node */
};

struct op_host {
    cudaHostFn_t function;
    cudaStreamCallback_t callback;
    cudaStream_t stream; /* handed to callback */
    void *data;
};

struct op_prefetch {
    const void *address;
    size_t size;
    size_t allocation; /* its number */
    int place;         /* where to (residence.h) */
};

struct op_memory {
    struct allocation *allocation;
};

/* Who asked for an op. */
struct op_asker {
    const char *api;    /* API function */
    struct site site;   /* where */
    struct op *repeats; /* the graph node's op whose arguments it borrows, or NULL */
    bool is_recorded;   /* it is to have a record (cupti.h) */
    uint64_t external;  /* id of the record; 0: none */
};

/* Where an op runs. */
struct op_queue {
    int device;
    int priority;              /* its stream's; in virtual time, lower numbers go first */
    unsigned long long stream; /* its stream's id; 0: it is of a graph */
};

/* What happens before an op. */
struct op_past {
    uint32_t component;        /* its stream's or graph node's, in vector clocks */
    uint32_t tick;             /* its place among the ops of its component, from 1 */
    struct vector_clock clock; /* what happens before it, and itself */
    uint32_t depth;            /* along data, where races are checked (chain.h) */
};

/* What an op waits for, and who waits for it (order.c). */
struct op_order {
    uint64_t number;            /* place in issue order */
    struct op_list earlier;     /* undone ops that it waits for, until it is done */
    struct op_list later;       /* ops that wait for it, until it is done */
    size_t blockers;            /* ops in `earlier` that are not done */
    struct op *previous, *next; /* in the list of ops that are ready */
    struct op *older, *newer;   /* in the list of ops that are not done */
    uint64_t mark;              /* the last search that reached it */
    uint64_t finished;          /* how many ops had ended when it ended, with it */
    bool polled;                /* a query asked whether it is done */
};

/* An op in virtual time (timeline.h). */
struct op_times {
    double staging_us;    /* the host's own part of a copy */
    double ended_us;      /* when it ended; negative: that is not known yet */
    struct tally tally;   /* what had been asked for when it was issued */
    uint64_t job;         /* 0: none */
    struct op_jobs after; /* what it comes after, done or not */
    struct op *awaited;   /* OP_WAIT's record, of another stream; NULL: none */
};

/* The managed memory that an op touches, once it has run. */
struct op_pages {
    struct page_list touched; /* of copies: writes */
    struct page_list read;    /* of copies */
    bool beside_kernel;       /* of the host: it was found to touch some beside a kernel (managed.h) */
};

struct op {
    uint32_t references;
    enum op_kind kind;
    enum op_state state;
    struct op_asker asker;
    struct op_queue queue;
    struct op_past past;
    struct op_order order;
    struct op_counts counts;
    struct op_times times;
    struct op_pages managed;
    union {
        struct op_kernel kernel;
        struct op_copy copy;
        struct op_set set;
        struct op_host host;
        struct op_prefetch prefetch;
        struct op_memory memory;
    };
};

/* An op of the current API call, with one reference, the caller's. */
struct op *op_new(enum op_kind kind);

/* An op that does once more what a graph node's op says; it also names that op's API call. */
struct op *op_repeat(struct op *op);

/* Makes `op`, whose dependencies are set, the next one of a component. */
void op_stamp(struct op *op, uint32_t component);

struct op *op_retain(struct op *op);
void op_release(struct op *op); /* NULL allowed */

void op_jobs_add(struct op_jobs *jobs, uint64_t id);
void op_jobs_free(struct op_jobs *jobs);

/* Forgets what only the timeline needs. */
void op_drop_costs(struct op *op);

void op_list_add(struct op_list *list, struct op *op); /* NULL: adds nothing */
void op_list_free(struct op_list *list);

/* `op`, not yet issued, starts only after `earlier` is done. NULL allowed. */
void op_after(struct op *op, struct op *earlier);

/* True if CUDA's rules order `earlier` before `op`, or they are one. */
bool op_ordered(const struct op *earlier, const struct op *op);

/* True if the host has waited for `op`: whatever is issued from now on comes after it. */
bool op_known(const struct op *op);

/*
 * Runs `op`, whose dependencies are done, and unblocks what waits for it. After a fault, ops end without
 * doing anything, but for callbacks. Gives the lock away while a host function runs.
 */
void op_run(struct op *op);

/* What `op` is, for messages: a kernel's name, or the API function. */
void op_describe(const struct op *op, char text[SITE_TEXT]);

#endif
