/*
 * A region as it is found in a program: its ops in program order, the objects that they touch, the ways of
 * control between them, what the host may see, and what the run has to check. It is filled in by what reads
 * IR (regions.h, which has beside it what leads back there), and read by what plans, reports and writes code.
 *
 * Lists grow by kesco_region_append; their memory, and all texts, are the region's own and go with it.
 * Records may be copied: what they point at is shared. A text that is not there is NULL.
 */
#ifndef KESCO_REGION_REGION_H
#define KESCO_REGION_REGION_H

#include "plugin/schedule/arena.h"
#include "plugin/schedule/graph.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A list of `type`: `count` entries, and room for more. */
#define KESCO_LIST(name, type)                                                                               \
    struct name {                                                                                            \
        type *items;                                                                                         \
        uint32_t count, room;                                                                                \
    }

KESCO_LIST(kesco_numbers, uint32_t);
KESCO_LIST(kesco_texts, const char *);
KESCO_LIST(kesco_accesses, struct kesco_op_access);

/* Where a call that issues an op has a pointer. */
struct kesco_held {
    unsigned argument; /* operand of the call: the pointer, */
    bool is_address;   /* or the address of what has the pointer ... */
    unsigned offset;   /* ... that far past */
};

/* How much an op touches through a pointer. */
struct kesco_reach {
    /* Of a copy or memset, the operands of the call that say so; -1 for none. */
    int size, pitch, height;
    /* Of a launch: ranges (plugin/summary/range.h) in which all of it lies; none: it may be anywhere. */
    struct kesco_texts within;
    uint32_t range; /* of objects of which the guard has to know each range by itself: its number, from 1 on;
                       else 0 */
};

/* That a pointer comes from one of the two of a claim. */
struct kesco_claimed {
    uint32_t claim; /* index into the region's claims */
    bool is_second;
};
KESCO_LIST(kesco_claimed_list, struct kesco_claimed);

/* A pointer that an op is given, for the alias guard. */
struct kesco_pointer {
    struct kesco_held held;
    struct kesco_reach reach;
    uint32_t object;     /* index into the region's objects */
    bool must_be_locked; /* the plan holds only if it does not lead to pageable memory */
    bool is_inside;      /* it leads, perhaps, to another place than where the object begins */
    bool varies;         /* it stands in a loop, and may lead to another object in each pass */
    bool moves;          /* it stands in loops, and in passes of one may lead to other memory each */
    bool is_beside;      /* its kernel's last launch touches as much at another place, by its arguments, */
                         /* or what another kernel writes seems to be beside it */
    bool writes;         /* what it leads to is written, perhaps */
    bool reads;          /* what it leads to is known to be read */
    struct kesco_claimed_list claimed;
    uint32_t source; /* index into what IR has of it (regions.h) */
};
KESCO_LIST(kesco_pointers, struct kesco_pointer);

/* Lines count from 1, 0 where unknown; files are as the compiler was given them, NULL where unknown. */
struct kesco_op_source {
    unsigned line;     /* in the function, of the call or of the helper that has it */
    const char *file;  /* of the function */
    unsigned own_line; /* of the call itself, be it in a helper */
    const char *own_file;
    const char *own_path; /* the same as it is found from the folder that the compiler runs in */
};

/* What an op touches. */
struct kesco_op_memory {
    struct kesco_accesses accesses; /* of parts of objects: the graph's objects */
    struct kesco_pointers pointers; /* those whose object is known or guarded */
    struct kesco_pointers ends;     /* of a copy that may go from device to device */
    const char *aliases_all;        /* why it may touch every object; NULL if it does not */
    bool is_told;                   /* its pointers lead to all that it touches and some op writes */
    bool is_wholly_told;            /* they lead to all that it touches */
};

/* What the host knows when the call that issues an op returns. */
enum kesco_host_wait {
    KESCO_HOST_WAIT_NONE,   /* nothing */
    KESCO_HOST_WAIT_UNSURE, /* perhaps that the op is done: a copy to what may be pageable memory */
    KESCO_HOST_WAIT_DONE,   /* that the op is done */
};

/* What an op has to do with the host. */
struct kesco_op_host {
    enum kesco_host_wait wait; /* what the program relies on when the call returns */
    bool may_copy;             /* it may itself make the copy that the op is, or read for it, at the call */
    bool waits_elsewhere;      /* but for plain device memory, the host would wait until it is done */
    const char *seen;          /* why the host may see what it does; NULL if it cannot */
    struct kesco_numbers may_be_seen; /* objects that the host may touch, or not */
    struct kesco_numbers visible;     /* objects that the host may touch */
};

/* How control comes to an op, and goes on. */
struct kesco_op_way {
    bool first;       /* control may come here with no op of the region in flight */
    bool called_back; /* the program may have closed the region right before, called back */
    bool is_awaited;  /* a call that lets the host wait, which the run may put off, comes right after */
    struct kesco_numbers next; /* ops that may come next, in program order, before any is moved */
};

/* How a call issues an op, as far as the runtime could do that in its place. */
struct kesco_op_call {
    uint32_t site;      /* index into the function's sites */
    bool is_launch;     /* else it is one call of CUDA's API */
    bool can_be_node;   /* the runtime can make it, and it may be a node of a graph */
    bool takes_stream;  /* it is issued to a stream that it names */
    bool is_plain_copy; /* it is cudaMemcpy between host and device */
};

struct kesco_region_op {
    struct kesco_op op; /* as the scheduler has it; blocks and cost are filled in for that */
    struct kesco_op_source source;
    struct kesco_op_memory memory;
    struct kesco_op_host host;
    struct kesco_op_way way;
    struct kesco_op_call call;
    unsigned work;          /* of a kernel: instructions that a thread runs, about; 0 where unknown */
    const char *work_range; /* where the launch says more: from 0 to that (plugin/summary/range.h); or NULL */
    bool may_trap;          /* it is a kernel that has a trap or an assert */
};
KESCO_LIST(kesco_region_ops, struct kesco_region_op);

/* What an object is while the region is built. */
struct kesco_object_kind {
    bool is_unknown;   /* told apart from others at run time */
    bool is_variable;  /* a device variable */
    bool is_constant;  /* one that only the host can write */
    bool is_unguarded; /* guards have nothing to do with it */
    bool is_forgotten; /* it may be anything */
    bool is_printed;   /* the buffer that kernels print to */
    bool is_composed;  /* it was several */
    uint32_t group;    /* of parts by the ranges that launches touch: a number, from 1 on; else 0 */
    uint32_t whole;    /* of parts that the run tells apart, and of what they are parts of: that object; else
                          KESCO_OBJECT_ANY */
};

struct kesco_object {
    const char *name;   /* for people */
    unsigned where;     /* what memory it may be: KESCO_MEMORY_ (plugin/cuda/cuda_calls.h) */
    bool written;       /* by some op */
    bool must_be_plain; /* the plan holds only if the host cannot touch it */
    bool is_noted;      /* waits may be put off only if the host cannot touch it */
    bool may_meet;      /* some op writes it, or what may be the same memory */
    struct kesco_object_kind known;
};
KESCO_LIST(kesco_objects, struct kesco_object);

/* Two objects. */
struct kesco_pair {
    uint32_t a, b;
};
KESCO_LIST(kesco_pairs, struct kesco_pair);

/* A claim of the program's that two pointers are distinct (KESCO_DISTINCT in kesco.h). */
struct kesco_distinct {
    const char *first, *second; /* the pointers, as the source has them */
    const char *file;           /* as the compiler was given it; NULL where unknown */
    unsigned line;
};
KESCO_LIST(kesco_distincts, struct kesco_distinct);

/* An op before which memory is fetched to the device, and the pointer to it. */
struct kesco_fetch {
    uint32_t op;
    struct kesco_pointer pointer;
    bool is_overwritten; /* by the op, which reads nothing of it */
    bool is_part;        /* what else is used of the object is fetched for that */
};
KESCO_LIST(kesco_fetches, struct kesco_fetch);

/* Which stream ops are issued to. */
enum kesco_origin {
    KESCO_ORIGIN_LEGACY,     /* the legacy default stream */
    KESCO_ORIGIN_PER_THREAD, /* the per-thread default stream */
    KESCO_ORIGIN_GIVEN,      /* a stream of the program's */
};

struct kesco_region_claims {
    struct kesco_distincts relied; /* those that the plan relies on */
    struct kesco_distincts idle;   /* hold in one pass of a loop alone, where ops of several are in flight */
};

/* Pairs of objects that may be the same memory. */
struct kesco_region_guards {
    /* They conflict if they share an allocation, which only the run will tell: the first is unknown to the
     * compiler, one of them is written. */
    struct kesco_pairs checked;
    /* The guard must not compare them: the program claims that they are distinct, or one is all of what the
     * other is a part of by claims, and the plan has that. */
    struct kesco_pairs not_compared;
};

struct kesco_op_region {
    struct kesco_region_ops ops; /* in program order */
    struct kesco_objects objects;
    struct kesco_texts parts; /* pieces of objects that no op touches but whole: names for people */
    enum kesco_origin origin; /* of all its ops */
    struct kesco_region_guards guards;
    struct kesco_region_claims claims;
    struct kesco_fetches fetches; /* to the device */
    bool must_fetch;              /* it is rewritten for that alone, if need be */
    uint32_t put_off;             /* calls that let the host wait, and that the run may put off */
    uint32_t left_out;            /* calls that let the host wait, and need not between its ops */
    struct kesco_arena memory;    /* of its lists and texts */
};

/* Frees all that the region has, which is empty then. Accepts a zeroed one. */
void kesco_region_clear(struct kesco_op_region *region);

/*
 * Makes room for one more of `size` bytes in the list `*items`, of `count` entries and room for `*room`.
 * -ENOMEM, and the list stays as it is.
 */
int kesco_region_reserve(struct kesco_op_region *region, void **items, uint32_t count, uint32_t *room,
                         size_t size);

/* Adds a pair to a list of the region's. -ENOMEM. */
int kesco_region_add_pair(struct kesco_op_region *region, struct kesco_pairs *pairs, uint32_t a, uint32_t b);

/* Returns `length` bytes of `text` as a text of the region's, or NULL without memory. */
const char *kesco_region_text(struct kesco_op_region *region, const char *text, size_t length);

/* How many of its ops are kernels. */
uint32_t kesco_region_count_kernels(const struct kesco_op_region *region);

/* No op of the region may change places with another. */
void kesco_region_keep_order(struct kesco_op_region *region);

/* True if the guard has to know ranges of some object one by one. */
bool kesco_region_has_ranges(const struct kesco_op_region *region);

/* True if control comes to the ops one after the other. */
bool kesco_region_is_straight(const struct kesco_op_region *region);

/* True if control may come back to an op, or to one before it, without a barrier between. */
bool kesco_region_has_loop(const struct kesco_op_region *region);

/* True if control may come from an op right to itself. */
bool kesco_region_repeats_op(const struct kesco_op_region *region);

/* For each two ops, whether control may come from one to the other without a barrier between. */
struct kesco_reached {
    uint32_t count; /* ops */
    bool *ops;      /* count for each op: those that control may come to after it */
};

/* Stores what the caller clears. -ENOMEM. */
int kesco_region_reach(const struct kesco_op_region *region, struct kesco_reached *reached);

/* True if control may come from the op `from` to the op `to`. */
bool kesco_reached_has(const struct kesco_reached *reached, uint32_t from, uint32_t to);

void kesco_reached_clear(struct kesco_reached *reached);

/*
 * Notes before which ops memory is fetched to the device, of objects that may be managed memory and that the
 * program does not fetch: before the first ones that use such an object; before all of them, where it is
 * known of each which bytes it uses. With `all`, all of an object is fetched in any case. -ENOMEM.
 */
int kesco_region_add_fetches(struct kesco_op_region *region, bool all);

/*
 * Looks at the ops that let the host see what others do. Notes what must be plain device memory for that, and
 * adds to `seen`, a list of the region's, pairs of an op and another in flight then whose memory the host may
 * touch: of the first such op, or with `all` of each. -ENOMEM.
 */
int kesco_region_find_seen(struct kesco_op_region *region, bool all, struct kesco_pairs *seen);

/* The first pointer of the op into the object; NULL for none. */
const struct kesco_pointer *kesco_op_pointer_into(const struct kesco_region_op *op, uint32_t object);

/* True if pointers of the op lead to all memory of it that the host may see. */
bool kesco_op_tells_visible(const struct kesco_region_op *op);

/* True if the program has the call that issues an op in a helper of the function. */
bool kesco_op_is_elsewhere(const struct kesco_op_source *source);

/* True if the two are one call in several passes of a loop, or of a helper that is called several times. */
bool kesco_ops_are_copies(const struct kesco_region_op *a, const struct kesco_region_op *b);

/* True if both are NULL, or the same text. */
bool kesco_same_text(const char *a, const char *b);

#ifdef __cplusplus
}
#endif

#endif
