/* The ABI of kesco_abi.def as C has it, and the constants that the calls take. */
#ifndef KESCO_ABI_H
#define KESCO_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { KESCO_LANES_MOST = 256 };      /* of a region */
enum { KESCO_PLACED_LANES = 16 };     /* the most of one whose ops are placed */
enum { KESCO_LANE_PLACED = 1 << 16 }; /* in place of a lane: the one that the last op was placed on */
enum { KESCO_REPLAYED_EVENTS = 256 }; /* the most of a region that is replayed */
enum { KESCO_GUARD_PAIRS = 64 };      /* of object and allocation that the guard of a region tells apart */

/*
 * In the eight bytes before a function's code, what its caller may rely on; random numbers.
 * Clang's -fsanitize=function marks functions in the same way.
 */
#define KESCO_MARK_BORROWS UINT64_C(0x8f1d5ac362e9b407)  /* it begins with __kesco1_borrow */
#define KESCO_MARK_HARMLESS UINT64_C(0xd36e07f4a89b12c5) /* it has nothing to do with the device */
#define KESCO_MARK_REGIONS UINT64_C(0x6ab4e91f07d85c23)  /* it opens regions that no others are part of */

/* When a region has lanes. */
enum {
    KESCO_MODE_AUTO = 0, /* as soon as they would have saved what it costs to make them */
    KESCO_MODE_SERIAL = 1,
    KESCO_MODE_LANES = 2,
    KESCO_MODE_TURNS = 3, /* for tests, in the environment alone: lanes and graphs come and go */
    KESCO_MODE_GRAPH = 4, /* what can be replayed is, from its second time on; the rest is as with AUTO */
};

/* What does the work of an op. */
enum {
    KESCO_UNIT_MULTIPROCESSORS = 0, /* many ops share them */
    KESCO_UNIT_TO_DEVICE = 1,       /* the engine for copies from the host, which run one after another */
    KESCO_UNIT_TO_HOST = 2,         /* the same to the host */
    KESCO_UNIT_NONE = 3,            /* it takes no time */
};

#define KESCO_AMOUNT_UNKNOWN UINT64_MAX

/* Of a launch's amount, from this bit on: instructions that a thread runs, or 0 where the site says so. */
#define KESCO_AMOUNT_WORK 40
#define KESCO_AMOUNT_MOST_THREADS ((UINT64_C(1) << KESCO_AMOUNT_WORK) - 1)
#define KESCO_AMOUNT_MOST_WORK ((UINT64_C(1) << (64 - KESCO_AMOUNT_WORK)) - 2)

/* When __kesco1_finish lets the host wait. */
enum {
    KESCO_FINISH_ALWAYS = 0,
    KESCO_FINISH_SERIAL =
        1, /* where the region runs serially, because a guard failed or for any other reason */
    KESCO_FINISH_DONE = 3, /* never: after __kesco1_serial, the program's own call has done so */
    KESCO_FINISH_CALL = 2, /* never: the call itself may have done so, as copies to pageable memory do */
};

/* How much a wait waits for; each includes the one before. */
enum {
    KESCO_REACH_STREAM = 1, /* the region's origin */
    KESCO_REACH_DEVICE = 2,
    KESCO_REACH_TOLD = 4,   /* beside one of them: what the host touches next was told by __kesco1_touch */
    KESCO_REACH_LATE = 8,   /* the same: __kesco1_tell comes before the function ends */
    KESCO_REACH_KNOWN = 16, /* the same, for __kesco1_cover: nothing is in flight that it could wait for */
    KESCO_REACH_FREES = 32, /* beside KESCO_REACH_DEVICE: it is cudaFree of what is given as the stream */
    KESCO_REACHES = KESCO_REACH_STREAM | KESCO_REACH_DEVICE, /* what is beside none of these */
};

/* How a function that is lent a region ends the program for errors of its waits and questions. */
enum {
    KESCO_ENDS_NOT = 0,     /* it has none */
    KESCO_ENDS_UNSEEN = 1,  /* it does not look at them */
    KESCO_ENDS_SEVERAL = 2, /* in more than one way; above that are numbers of ways */
};

/* What the alias guard is told of an object and a pointer into it. */
enum {
    KESCO_GUARD_CHECKED = 1, /* the compiler could not tell it from the other objects */
    KESCO_GUARD_WRITTEN = 2, /* some op of the region writes it */
    KESCO_GUARD_PLAIN = 4,   /* the plan holds only where the pointer leads to memory that the host cannot
                                touch: cudaMalloc's, cudaMallocAsync's, a device variable's */
    KESCO_GUARD_LOCKED = 16, /* the plan holds only where the memory is not pageable: a copy to that would let
                                the host wait */
    KESCO_GUARD_NOTED = 32,  /* waits may be put off only where the pointer leads to memory as above */
    KESCO_GUARD_APART = 64,  /* the compiler told it from all other objects; the plan holds for any pointer */
    KESCO_GUARD_PLACED = 128,  /* the op is placed by what it accesses through the pointer, which it */
    KESCO_GUARD_WRITES = 256,  /* writes, perhaps; else it reads that */
    KESCO_GUARD_FETCHES = 512, /* it is a prefetch of the program's */
    KESCO_GUARD_HOST = 8, /* the program uses the pointer as one to host memory; __kesco1_guard_range only */
};

/*
 * In the object that the guard is told, from these bits on: a number of a part of it, which the guard
 * compares with other parts, but not with the whole, which has 0; and a number of what is touched of that,
 * which is taken together by it, and not compared with what has others.
 */
#define KESCO_GUARD_GROUP 12
#define KESCO_GUARD_PART 16

/* Which pointer of a claim an op is given, in bits. */
enum {
    KESCO_CLAIM_SECOND = 1, /* else the first */
    KESCO_CLAIM_WRITES = 2, /* it writes, perhaps, what it leads to */
    KESCO_CLAIM_PIECES = 4, /* not all bytes are accessed, but pieces of them */
};

#define KESCO_ABI_FIELD(type, name) type name;
#define KESCO_ABI_STRUCT(name, fields)                                                                       \
    struct name {                                                                                            \
        fields                                                                                               \
    };
#define KESCO_ABI_FUNCTION(result, name, parameters)                                                         \
    __attribute__((visibility("default"))) result __kesco1_##name parameters;
#include "runtime/kesco_abi.def"

#ifdef __cplusplus
}
#endif

#endif
