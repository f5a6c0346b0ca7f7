/*
 * Lanes for ops whose order only the run can tell: each op says which bytes it accesses right before it is
 * issued. It comes after the ops that it has bytes in common with, one of the two writing them, and after
 * nothing else, as far as the table below still tells them apart.
 *
 * The table has the byte ranges of ops in flight. What an op writes takes the place of all that it covers:
 * whatever meets that meets the op. Where the table is full, what no lane has to wait for any more is
 * forgotten, and of the older half, the ranges of each lane become one that covers them, with the latest op:
 * what meets more than it had to is only ordered more. Time on a lane is how many ops it has had; by lane,
 * vector clocks have what its next op comes after (vector_clock.h), and what its latest record does.
 *
 * An op goes to the lane whose last op it has to come after, else to the next lane in turn: of a few, until
 * all of these have had an op, since making streams takes time; and of fewer where that will do (width.h). A
 * lane is recorded when another has to wait for it, and then its record stands for all that the lane has;
 * where that once was more than had to be waited for, lanes are recorded from then on before something else
 * is put after an op that others may have to wait for, too; and from the start where that accesses a part
 * alone of what the op writes, as what fills an array that others divide.
 */
#ifndef KESCO_RUNTIME_REGION_PLACING_H
#define KESCO_RUNTIME_REGION_PLACING_H

#include "runtime/kesco_abi.h"
#include "runtime/pieces.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    KESCO_PLACED_ACCESSES = 32, /* of one op; one with more accesses all memory */
    KESCO_PLACED_RANGES = 256,  /* in flight, of all ops */
    KESCO_PLACED_SLOTS = 512,   /* for them and for some that are forgotten */
    KESCO_PLACED_FIRST = 8,     /* lanes that are taken before others */
};

/* Those of a box of a volume, where its rows are pieces. */
struct kesco_access_planes {
    uint32_t distance; /* 0: there are none; else from one that is accessed to the next, */
    uint32_t length;   /* and of one, less than that */
    uint32_t past;     /* how far past the beginning of one, or of the gap behind it, the first byte is */
};

/* Those that the bytes are in, which may begin before one; none where their numbers are too large. */
static inline struct kesco_access_planes kesco_access_planes_of(const struct kesco_pieces *bytes) {
    const struct kesco_places *planes = &bytes->planes;
    struct kesco_access_planes result = {0};

    if (planes->distance == 0 || planes->distance > UINT32_MAX)
        return result;
    result.distance = (uint32_t)planes->distance;
    result.length = (uint32_t)planes->length;
    result.past = (uint32_t)kesco_pieces_place(bytes->begin - planes->first, planes->distance);
    return result;
}

/* Bytes from `begin` up to, not including, `end`. */
struct kesco_access {
    uintptr_t begin, end;
    uint32_t distance; /* 0: all between; else from one piece that is accessed to the next, */
    uint32_t length;   /* and of one, less than that; the first begins at `begin` */
    struct kesco_access_planes planes;
    bool writes;
};

struct kesco_placed_range {
    struct kesco_access access;
    uint32_t lane;
    uint32_t op; /* which of the lane's ops it is of, counted from 1; 0: the range is forgotten, and empty */
};

/* Whether lanes are recorded before something else is put after an op that others may have to wait for. */
struct kesco_early_records {
    bool are_made;        /* records came too late, or the first ones are to tell whether they would, */
    bool are_tried;       /* those that were made first are over */
    bool parts_are_whole; /* or not: those of ops of which the next accesses a part alone serve nobody */
    uint32_t late;        /* so often since they were made last, */
    uint32_t patience;    /* which has to be more often than that */
    uint32_t made;        /* since it begins, */
    uint32_t served;      /* and those that something waited for in place of a later one */
};

/* Lanes that an op may have. */
struct kesco_placing_lanes {
    uint32_t lanes; /* that ops may have had so far, */
    uint32_t width; /* of which the next goes to the first few, */
    uint32_t most;  /* and may: 1 to KESCO_PLACED_LANES */
    uint32_t next;  /* lane whose turn it is */
};

/* Chains of ops of which each comes after the one before: how many ops the longest one has; of all that
 * lanes' next ops come after; and at their latest records. */
struct kesco_placing_chains {
    uint32_t depth;
    uint32_t deep[KESCO_PLACED_LANES];
    uint32_t recorded_deep[KESCO_PLACED_LANES];
};

/* By lane. */
struct kesco_placing_had {
    uint32_t ops[KESCO_PLACED_LANES];     /* how many it has had, */
    uint32_t joined[KESCO_PLACED_LANES];  /* the last whose ranges became one, */
    uint32_t dropped[KESCO_PLACED_LANES]; /* and the last that only lanes in use are after */
};

/* By lane: its clock, and that at its latest record. */
struct kesco_placing_clocks {
    uint32_t after[KESCO_PLACED_LANES][KESCO_PLACED_LANES];
    uint32_t recorded[KESCO_PLACED_LANES][KESCO_PLACED_LANES];
};

/* Of the slots of ranges in flight. */
struct kesco_placing_flight {
    uint32_t first;       /* that is in use, */
    uint32_t range_count; /* so many, one after the other; */
    uint32_t forgotten;   /* of these */
};

struct kesco_placing {
    struct kesco_placing_lanes among;
    struct kesco_early_records early;
    uint32_t placed;  /* ops, */
    uint32_t ordered; /* and those that come after some op in flight */
    struct kesco_placing_chains chains;
    struct kesco_placing_had had;
    struct kesco_placing_clocks clocks;
    struct kesco_placing_flight flight;
    uint32_t access_count; /* of the op that is being placed */
    struct kesco_access accesses[KESCO_PLACED_ACCESSES];
    struct kesco_placed_range ranges[KESCO_PLACED_SLOTS]; /* by the time of their ops */
};

/* Where an op goes. Lanes as bits. */
struct kesco_placement {
    uint32_t lane;
    uint32_t records; /* lanes to be recorded now, then */
    uint32_t waits;   /* those whose latest record the op's lane waits for, */
    bool gathers;     /* after which it is recorded itself */
};

/* Nothing is in flight. `lanes`: 1 to KESCO_PLACED_LANES. */
void kesco_placing_clear(struct kesco_placing *placing, uint32_t lanes);

/* From here on ops go to the first `width` lanes, 1 to placing->among.most. */
void kesco_placing_set_width(struct kesco_placing *placing, uint32_t width);

/* The next op begins, with no access. */
static inline void kesco_placing_begin(struct kesco_placing *placing) {
    placing->access_count = 0;
}

/* It accesses that; none if it ends where it begins, or before. */
static inline void kesco_placing_add(struct kesco_placing *placing, struct kesco_access access) {
    if (access.begin >= access.end)
        return;
    if (placing->access_count == KESCO_PLACED_ACCESSES) {
        placing->accesses[0] = (struct kesco_access){.begin = 0, .end = UINTPTR_MAX, .writes = true};
        placing->access_count = 1;
        return;
    }
    placing->accesses[placing->access_count++] = access;
}

/* Places the op. */
struct kesco_placement kesco_placing_end(struct kesco_placing *placing);

#endif
