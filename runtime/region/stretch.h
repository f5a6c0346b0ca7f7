/*
 * Which parts of managed memory are to be fetched, where ops say which bytes they use: no more than that, for
 * what comes over in vain has to go back, too, where the host uses it. Nothing here asks CUDA.
 *
 * A stretch is memory of one allocation that ops of a region use between two times that the host waits, and
 * whose parts are near each other. A pass, here, is from one such time to the next.
 *
 * 1. An op whose bytes have come, or do by themselves, needs nothing.
 * 2. One that begins a stretch fetches what it uses, and what was used in both of the last two passes whose
 *    stretch began the same way: one call in place of several.
 * 3. One near a stretch extends it, from the second time on by more than it uses, as the driver does that
 *    serves faults (test/vgpu/hardware.c has the sources): a loop that goes through memory row by row
 *    makes few calls, and has little in vain.
 * 4. Of an allocation with too many stretches nothing more is fetched, until so many parts of it are known to
 *    be used that it is better to have all of it.
 *
 * What is taken along is paid for by what is saved. On an H100, a call takes 15 microseconds where something
 * has to come (doc/results.md), a page fault 33 with 64 KiB, 300 with the 2 MiB around it, and that on the
 * way to the host as well: 64 KiB in vain, 10 in sum, are less than a call.
 */
#ifndef KESCO_RUNTIME_REGION_STRETCH_H
#define KESCO_RUNTIME_REGION_STRETCH_H

#include "runtime/region/allocation.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    KESCO_STRETCHES_MOST = 64,   /* remembered; of more, the oldest is forgotten */
    KESCO_STRETCHES_APART = 8,   /* of one allocation, in a pass */
    KESCO_STRETCHES_WORDS = 128, /* of bits for what has begun one in a pass */
};

/* What an op uses of some memory. */
struct kesco_use {
    const void *region;           /* the op's; no other is asked of it */
    const void *pointer;          /* as the op has it */
    struct kesco_allocation part; /* the bytes that it may use, be they beyond the allocation; none: any */
    bool is_overwritten;          /* it writes there, and reads nothing */
};

/* Its bytes are within `whole`, all but those of `first`. */
struct kesco_stretch {
    const void *region;
    const void *pointer;            /* of the op that began it, */
    struct kesco_allocation first;  /* and the bytes that it may use; a byte where they may be any */
    struct kesco_allocation whole;  /* the allocation; as `first` as long as that is not known */
    struct kesco_allocation there;  /* in this pass: has been fetched, or need not be */
    struct kesco_allocation used;   /* in this pass, without what is further away */
    struct kesco_allocation before; /* in the last pass before that had it */
    uint64_t slices;                /* of the allocation, a bit each: what else is used of it */
    uint32_t extended;              /* so often in this pass */
    bool rests;                     /* nothing is fetched of it in this pass */
    bool is_overwritten;            /* by the op that began it */
    bool is_scattered;              /* the allocation has too many: it stands for all of them */
};

struct kesco_stretches {
    uint32_t count;                                   /* of this pass; the latest of them are in `now` */
    uint8_t now[KESCO_STRETCHES_MOST];                /* which they are, round and round */
    uint32_t made;                                    /* so far */
    struct kesco_stretch items[KESCO_STRETCHES_MOST]; /* round and round */
    uint64_t begun[KESCO_STRETCHES_WORDS];            /* in this pass, two bits for some bytes (Bloom, 1970):
                                                         what is forgotten in it is not fetched again */
};

/* A new pass: nothing is there for sure. What was used is not forgotten. */
void kesco_stretches_clear(struct kesco_stretches *stretches);

/* True if what is used needs no fetch in this pass. To be asked for each use. */
bool kesco_stretches_have(struct kesco_stretches *stretches, const struct kesco_use *use);

/* What is used is not to be fetched in this pass, nor what was used with it before. Where its allocation is
 * not known yet, it is to be stored in what this returns; else that is NULL. */
struct kesco_allocation *kesco_stretches_rest(struct kesco_stretches *stretches, const struct kesco_use *use);

/* What is to be fetched for the use, which then is there: bytes of `whole`, its allocation; none: nothing. */
struct kesco_allocation kesco_stretches_take_in(struct kesco_stretches *stretches,
                                                const struct kesco_use *use, struct kesco_allocation whole);

/* All of `whole` is there, and is used. Returns it. */
struct kesco_allocation kesco_stretches_take_in_all(struct kesco_stretches *stretches,
                                                    const struct kesco_use *use,
                                                    struct kesco_allocation whole);

#endif
