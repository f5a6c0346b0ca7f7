/*
 * A pass: the launches that a region has issued since its last pass ended, with all that it takes to launch
 * them, and what each comes after. That is what the plan's lanes, records and waits say; an op that goes to
 * the origin itself comes after all, and all after it.
 */
#ifndef KESCO_RUNTIME_REGION_PASS_H
#define KESCO_RUNTIME_REGION_PASS_H

#include "runtime/kesco_abi.h"

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    KESCO_PASS_OPS = 64,        /* a set of them is the bits of one word */
    KESCO_PASS_BYTES = 1 << 14, /* of their arguments */
};

/* What it costs to make a graph and to launch it depends on: a launch goes on with one that it comes after
 * and that no other goes on with, or begins a branch. */
struct kesco_shape {
    uint32_t launches, branches;
};

/* What the launches of a graph come after. */
enum kesco_form {
    KESCO_FORM_BRANCHES, /* those that they have to come after */
    KESCO_FORM_CHAIN,    /* the one before */
    KESCO_FORMS,
};

struct kesco_launch {
    const struct kesco_site *site;
    uint64_t before;      /* the ops of the pass that it comes right after */
    const void *function; /* NULL: it is a struct kesco_transfer, its one argument */
    dim3 grid, block;
    size_t shared; /* bytes of dynamic shared memory */
    uint32_t
        begin; /* of its arguments, in the bytes of the pass; each begins at a multiple of its alignment */
    uint16_t size;  /* of all of them */
    uint16_t level; /* of its lane, as in struct kesco_region */
};

/* What is small is together, since each page that is used for the first time costs the host up to some
 * microseconds. */
struct kesco_pass {
    uint32_t count;
    uint32_t bytes;        /* in use */
    const uint8_t *levels; /* of the region's lanes; NULL: all are 0 */
    uint64_t aligned;      /* what comes before all that follows */
    uint64_t last;         /* ops that nothing comes after yet */
    uint64_t continued;    /* ops that one goes on with (kesco_shape) */
    uint32_t branches;
    uint64_t lanes[KESCO_LANES_MOST];                       /* by lane, what its next op comes after */
    struct kesco_launch ops[KESCO_PASS_OPS];                /* as they were issued */
    uint64_t past[KESCO_PASS_OPS];                          /* by op, all that it comes after */
    uint64_t events[KESCO_REPLAYED_EVENTS];                 /* by event, what its record comes after */
    _Alignas(16) unsigned char arguments[KESCO_PASS_BYTES]; /* copies */
};

/* A copy of the launches of a pass that has ended, with their arguments. */
struct kesco_snapshot {
    uint32_t count, branches;
    uint32_t bytes;
    struct kesco_launch *ops; /* owned */
    unsigned char *arguments; /* behind them */
};

/* Of a graph of so many launches, which has so many branches as KESCO_FORM_BRANCHES. */
struct kesco_shape kesco_shape_of(uint32_t launches, uint32_t branches, enum kesco_form form);

/* Begins a pass of `region`, with no op. */
void kesco_pass_begin(struct kesco_pass *pass, const struct kesco_region *region);

/* True if the op of `site` still fits. */
bool kesco_pass_has_room(const struct kesco_pass *pass, const struct kesco_site *site);

/* The plan's record of `event` after what `lane` has, and the wait of `lane` for it. */
void kesco_pass_record(struct kesco_pass *pass, uint32_t event, uint32_t lane);
void kesco_pass_wait(struct kesco_pass *pass, uint32_t event, uint32_t lane);

/* All that follows comes after all that there is. */
void kesco_pass_align(struct kesco_pass *pass);

/*
 * Adds an op on `lane`, KESCO_LANE_ORIGIN included; there is room. What it launches is still to be said:
 * everything but `site` and `before`.
 */
struct kesco_launch *kesco_pass_add(struct kesco_pass *pass, uint32_t lane, const struct kesco_site *site);

/* Copies the arguments of the op added last, as cudaLaunchKernel has them. */
void kesco_pass_copy_arguments(struct kesco_pass *pass, void *const *arguments);

/* Where the op's arguments are, as cudaLaunchKernel wants them: as many as its site has, in `result`. */
void kesco_pass_find_arguments(const unsigned char *arguments, const struct kesco_launch *op, void **result);

/* Issues the op to `stream`, as the program would have. CUDA's last error is what that leaves. */
void kesco_pass_launch_op(const struct kesco_pass *pass, uint32_t op, cudaStream_t stream);

/*
 * Makes `snapshot`, which is all zero or one of a pass with the same sites, one of `pass`. False: there is no
 * memory, and it is as it was.
 */
bool kesco_snapshot_take(struct kesco_snapshot *snapshot, const struct kesco_pass *pass);

/* True if the launch of the same number differs in something; both have the same sites. */
bool kesco_snapshot_differs(const struct kesco_snapshot *snapshot, const struct kesco_pass *pass,
                            uint32_t op);

/* How many do. */
uint32_t kesco_snapshot_compare(const struct kesco_snapshot *snapshot, const struct kesco_pass *pass);

/* Gives its memory back; it is all zero then. */
void kesco_snapshot_clear(struct kesco_snapshot *snapshot);

/* A number that is the same for passes that differ in nothing, and hardly ever for others. */
uint64_t kesco_pass_hash(const struct kesco_pass *pass);

/* Parameters that a kernel may have, if each takes at least a byte (CUDA Programming Guide, "Parameter
 * Limits").
 */
enum { KESCO_ARGUMENTS_MOST = 256 };

#endif
