/*
 * Vector clocks: what happens before what, by CUDA's rules alone, whatever order ops happen to run in. Every
 * stream has a component; the n-th op of a stream is at tick n of its component. An op happens before another
 * when the other's clock has reached its tick.
 */
#ifndef KESCO_TEST_VGPU_VECTOR_CLOCK_H
#define KESCO_TEST_VGPU_VECTOR_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* All zero: nothing has happened. */
struct vector_clock {
    uint32_t count;    /* components stored; those beyond are 0 */
    uint32_t *at;      /* tick by component; owned */
    uint32_t launches; /* the longest chain of launches among what has happened, each before the next */
};

void vector_clock_join(struct vector_clock *clock, const struct vector_clock *other);
void vector_clock_set(struct vector_clock *clock, uint32_t component, uint32_t tick);
uint32_t vector_clock_get(const struct vector_clock *clock, uint32_t component);
void vector_clock_free(struct vector_clock *clock);

#endif
