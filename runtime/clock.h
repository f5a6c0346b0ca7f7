/*
 * Vector clocks over the lanes of a region (Mattern, "Virtual Time and Global States of Distributed Systems",
 * 1989): what comes behind what. Time on a lane is how many of its records there are. Only the first lanes
 * have one; of the others it is not known what they are ordered behind.
 */
#ifndef KESCO_RUNTIME_CLOCK_H
#define KESCO_RUNTIME_CLOCK_H

#include <stdint.h>

enum {
    KESCO_LANES_CLOCKED = 32,
    KESCO_CLOCK_STEP = 4 /* lanes that are gone through at once */
};

/* By lane: how many of its records something comes behind. */
struct kesco_clock {
    uint32_t records[KESCO_LANES_CLOCKED];
};

/* Copies the first `count` lanes; those up to the next step may be copied too. */
static inline void kesco_clock_copy(struct kesco_clock *to, const struct kesco_clock *from, uint32_t count) {
    uint32_t i, j;

    for (i = 0; i < count; i += KESCO_CLOCK_STEP)
        for (j = i; j < i + KESCO_CLOCK_STEP; j++)
            to->records[j] = from->records[j];
}

/* What comes behind `clock` comes behind `other`, too: of the first `count` lanes, and as above. */
static inline void kesco_clock_join(struct kesco_clock *clock, const struct kesco_clock *other,
                                    uint32_t count) {
    uint32_t i, j;

    for (i = 0; i < count; i += KESCO_CLOCK_STEP)
        for (j = i; j < i + KESCO_CLOCK_STEP; j++)
            clock->records[j] = clock->records[j] > other->records[j] ? clock->records[j] : other->records[j];
}

#endif
