/*
 * Vector clocks over the lanes of a region (Mattern, "Virtual Time and Global States of Distributed Systems",
 * 1989): what comes after what. Time on a lane is how many of its records there are. Only the first lanes
 * have one; of the others it is not known what they are ordered after.
 */
#ifndef KESCO_RUNTIME_REGION_VECTOR_CLOCK_H
#define KESCO_RUNTIME_REGION_VECTOR_CLOCK_H

#include <stdint.h>
#include <string.h>

enum {
    KESCO_LANES_CLOCKED = 32,
    KESCO_VECTOR_CLOCK_STEP = 4 /* lanes that are gone through at once */
};

/* By lane: how many of its records something comes after. */
struct kesco_vector_clock {
    uint32_t records[KESCO_LANES_CLOCKED];
};

/*
 * Clocks are read soon after they are written, and always in whole steps, as they are written: a read of more
 * than the last write would have to wait for that.
 */
typedef uint32_t kesco_vector_clock_step
    __attribute__((vector_size(KESCO_VECTOR_CLOCK_STEP * sizeof(uint32_t))));

/*
 * Adds a record of `lane` to its clock, and copies that. Of the first `count` lanes; those up to the next
 * step may be copied too.
 */
static inline void kesco_vector_clock_tick(struct kesco_vector_clock *clock, uint32_t lane,
                                           struct kesco_vector_clock *copy, uint32_t count) {
    uint32_t i;

    for (i = 0; i < count; i += KESCO_VECTOR_CLOCK_STEP) {
        const kesco_vector_clock_step lanes = {i, i + 1, i + 2, i + 3};
        kesco_vector_clock_step step;
        memcpy(&step, clock->records + i, sizeof step);
        step -= (kesco_vector_clock_step)(lanes == lane);
        memcpy(clock->records + i, &step, sizeof step);
        memcpy(copy->records + i, &step, sizeof step);
    }
}

/* What comes after `clock` comes after `other`, too: of the first `count` lanes, and as above. */
static inline void kesco_vector_clock_join(struct kesco_vector_clock *clock,
                                           const struct kesco_vector_clock *other, uint32_t count) {
    uint32_t i;

    for (i = 0; i < count; i += KESCO_VECTOR_CLOCK_STEP) {
        kesco_vector_clock_step step, others, is_more;
        memcpy(&step, clock->records + i, sizeof step);
        memcpy(&others, other->records + i, sizeof others);
        is_more = (kesco_vector_clock_step)(step > others);
        step = (step & is_more) | (others & ~is_more);
        memcpy(clock->records + i, &step, sizeof step);
    }
}

#endif
