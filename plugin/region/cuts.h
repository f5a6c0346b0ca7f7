/*
 * Cuts an object where the bytes that ops touch of it begin and end, so that each op touches whole parts:
 * between rows, where some ops touch pieces at one distance (a part of each row of a matrix), and in rows, or
 * rows alone, between bytes.
 */
#ifndef KESCO_REGION_CUTS_H
#define KESCO_REGION_CUTS_H

#include "plugin/schedule/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* More parts of one object than this would cost more than they tell. */
enum { KESCO_MOST_PARTS = 64 };

/* Numbers from `begin` up to, not including, `end`. */
struct kesco_span {
    uint64_t begin, end;
};

/* Which bytes an op touches. */
struct kesco_cut_access {
    bool is_known; /* else it touches all of the object */
    struct kesco_span bytes;
    uint64_t
        distance;    /* 0: it touches all of them; else how far it is from one piece that it touches to the */
    uint64_t length; /* next, and how long each is; the first is at the beginning */
    uint64_t parts;  /* stored: those that it touches, by bit */
};

/*
 * Stores the parts of `count` accesses to one object, called `name`, and in `names` what the parts are
 * called, in `memory`. Returns how many there are, 0 where they tell nothing, or -ENOMEM.
 */
int kesco_cut(struct kesco_cut_access *accesses, size_t count, const char *name, struct kesco_arena *memory,
              const char *names[KESCO_MOST_PARTS]);

#ifdef __cplusplus
}
#endif

#endif
