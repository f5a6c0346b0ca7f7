/*
 * Which bytes the ops of an object touch, taken together as one of two things: all from the first to the
 * last, or pieces at equal distances, as a loop touches that goes through memory with others beside it; of
 * these, at a second distance, too, as boxes of a volume are. It may have more than was touched, never less.
 */
#ifndef KESCO_RUNTIME_REGION_TOUCHED_H
#define KESCO_RUNTIME_REGION_TOUCHED_H

#include "runtime/pieces.h"

#include <stdbool.h>
#include <stdint.h>

struct kesco_touched {
    uintptr_t begin;            /* first byte */
    uintptr_t end;              /* past the last byte */
    uintptr_t distance;         /* from a piece to the next; 0: all between is touched */
    uintptr_t length;           /* of a piece, up to `distance`; the first begins at `begin` */
    struct kesco_places planes; /* that pieces are in, too; of 0 where there are none */
};

/* All the bytes from `begin` up to, not including, `end`. */
struct kesco_touched kesco_touched_bytes(uintptr_t begin, uintptr_t end);

/* True if all of `bytes` are seen to be in `touched`. */
bool kesco_touched_holds(const struct kesco_touched *touched, const struct kesco_touched *bytes);

/* Adds `bytes`. */
void kesco_touched_add(struct kesco_touched *touched, const struct kesco_touched *bytes);

/* True if the two may have a byte in common. */
bool kesco_touched_meets(const struct kesco_touched *a, const struct kesco_touched *b);

#endif
