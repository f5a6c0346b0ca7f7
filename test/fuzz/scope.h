/*
 * What a statement may use where it stands: buffers, pointers into them, numbers.
 *
 * Each buffer of a function is a bit. A pointer has the fixed set of the buffers that it may ever point into,
 * so two pointers with disjoint sets never lead to one piece of memory, whatever the statements between do.
 * That is how the generator knows what its own streams and threads may touch without a race.
 */
#ifndef KESCO_TEST_FUZZ_SCOPE_H
#define KESCO_TEST_FUZZ_SCOPE_H

#include <stdbool.h>
#include <stdint.h>

enum { SCOPE_POINTERS = 32, SCOPE_NUMBERS = 16, SCOPE_BUFFERS = 8 };

enum memory {
    MEMORY_DEVICE,
    MEMORY_POOLED,  /* of cudaMallocAsync */
    MEMORY_SYMBOL,  /* the __device__ array `area` */
    MEMORY_MANAGED, /* from here on: memory that the host may touch, too */
    MEMORY_PINNED,
    MEMORY_REGISTERED
};

struct pointer {
    char name[24];
    uint32_t may;  /* the buffers that it may point into */
    bool variable; /* may be assigned to; else it is a buffer's own name, which points to its start */
};

struct scope_pointers {
    struct pointer items[SCOPE_POINTERS];
    unsigned count;
};

/* Unsigned variables. */
struct scope_numbers {
    char names[SCOPE_NUMBERS][16];
    unsigned count;
    unsigned variables; /* the first of them, which may be assigned to */
};

/* What all goes to. */
struct scope_stream {
    const char *name; /* empty for the default stream and what is ordered with it */
    bool mixed;       /* it is ordered with the default stream, which may be used beside it */
    bool captured;    /* it is being captured: no waits, no allocation; straight, too */
};

/* What holds where the statement stands. */
struct scope_facts {
    bool straight;     /* must run through: no return, throw, goto, and no touching of symbols and globals */
    bool quiet;        /* may run on several threads at once: no output, no shared variables; straight, too */
    bool forked;       /* another stream works beside */
    bool may_throw;    /* somebody catches */
    bool many_streams; /* a launch may name the default stream so that no compiler knows it */
    bool has_own_stream; /* it has streams and events of its own, and is no helper */
    bool in_lambda;      /* return would not leave the function */
    bool has_computed;   /* the function has a computed goto: another could lead into a foreign block */
};

struct scope {
    struct scope_pointers pointers;
    struct scope_numbers numbers;
    char buffers[SCOPE_BUFFERS][16];   /* names, by bit; empty for what a caller passed */
    enum memory memory[SCOPE_BUFFERS]; /* by bit */
    unsigned buffer_count;
    uint32_t allowed; /* the buffers that may be touched here */
    unsigned depth;   /* blocks around the statement */
    unsigned loops;   /* loops around it that break and continue may end */
    unsigned times;   /* how often it may run in one run of the function, at most */
    unsigned work;    /* launches of one run of the function so far, at most */
    struct scope_stream stream;
    struct scope_facts holds;
};

#endif
