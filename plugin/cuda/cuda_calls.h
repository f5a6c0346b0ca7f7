/*
 * CUDA calls: what each function of CUDA's host API that KeSCo understands means. A row of the table reads as
 * the function's prototype does: its name, what a call does, and the role of each argument, in order. A
 * function that has no row is unknown, and unknown is a barrier.
 */
#ifndef KESCO_CUDA_CUDA_CALLS_H
#define KESCO_CUDA_CUDA_CALLS_H

#include "plugin/schedule/graph.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum kesco_call_effect {
    KESCO_UNKNOWN,   /* a barrier; no more is known than what the call's op touches */
    KESCO_ALLOCATES, /* stores the address of memory that no launch knows through its first argument */
    KESCO_ALLOCATES_IN_STREAM, /* the same, but the memory is there only from a point of a stream on */
    KESCO_HARMLESS,            /* neither touches device memory nor orders device work: checks, queries */
    KESCO_SYNCHRONISES,        /* does nothing but let the host wait for all of the device, or of a stream */
    KESCO_FREES, /* lets the host wait for all of the device, and takes memory back that no op uses from then
                    on */
    KESCO_RECORDS, /* a barrier that marks a point of a stream */
    KESCO_CREATES, /* a barrier that writes through its pointers at once, and keeps none */
    KESCO_BARRIER, /* any other barrier */
};

/* What memory a pointer may lead to, in bits. */
enum kesco_memory {
    KESCO_MEMORY_DEVICE = 1,   /* the device's own: the host cannot touch it */
    KESCO_MEMORY_MANAGED = 2,  /* both sides touch it */
    KESCO_MEMORY_PINNED = 4,   /* the host's, page-locked: both sides touch it */
    KESCO_MEMORY_PAGEABLE = 8, /* the host's own */
    KESCO_MEMORY_ANY = 15,
};

enum kesco_call_role {
    KESCO_NO_ARGUMENT,
    KESCO_OTHER,
    KESCO_TO,          /* pointer to what is written, freed or moved */
    KESCO_FROM,        /* pointer to what is read */
    KESCO_TO_SYMBOL,   /* handle of the device variable that is written */
    KESCO_FROM_SYMBOL, /* handle of the device variable that is read */
    KESCO_OFFSET,      /* bytes from the start of that variable on */
    KESCO_SIZE,        /* bytes; of each row, if there are several */
    KESCO_TO_PITCH,    /* bytes from row to row */
    KESCO_FROM_PITCH,
    KESCO_HEIGHT,    /* rows */
    KESCO_DIRECTION, /* cudaMemcpyKind */
    KESCO_STREAM,
    KESCO_STRUCT,      /* cudaMemcpy3DParms, which has all that counts */
    KESCO_ARRAY,       /* cudaArray_t; null where the copy goes between pointers */
    KESCO_PITCH_OUT,   /* where an allocation stores its pitch, a size_t */
    KESCO_PITCHED_OUT, /* where an allocation stores a cudaPitchedPtr */
};

#define KESCO_CALL_MAX_ARGUMENTS 8

struct kesco_call {
    const char *name;
    enum kesco_call_effect effect;
    unsigned memory;       /* what it allocates: of kesco_memory */
    enum kesco_op_kind op; /* the op that it issues; KESCO_OP_KERNEL: none, since launches have no row */
    /* of what issues an op, acts on a stream or stores a pitch: the role (kesco_call_role) of each */
    uint8_t arguments[KESCO_CALL_MAX_ARGUMENTS];
};

/*
 * Handles and flags of the per-thread default stream rename some functions (cuda_runtime_api.h): the length
 * of `name` without _ptsz or _ptds.
 */
size_t kesco_call_plain_length(const char *name, size_t length);

/* The row of just this name, if the effect is known; else NULL. */
const struct kesco_call *kesco_call_find(const char *name, size_t length);

/* The row of the name, renamed or not, that issues an op and has so many arguments; else NULL. */
const struct kesco_call *kesco_call_find_op(const char *name, size_t length, size_t arguments);

/* Which argument of the call has the role, counted from 0; -1: none. */
int kesco_call_argument(const struct kesco_call *call, enum kesco_call_role role);

/* True if the host waits in it, for the device or a stream, and touches no memory of the program's. */
static inline bool kesco_call_waits(const struct kesco_call *call) {
    return call->effect == KESCO_SYNCHRONISES || call->effect == KESCO_FREES;
}

/* How many arguments the row has. */
size_t kesco_call_argument_count(const struct kesco_call *call);

#ifdef __cplusplus
}
#endif

#endif
