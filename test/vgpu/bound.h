/*
 * What no schedule of the same ops takes less than in virtual time: the work that the busiest part of a
 * device has, and the longest path of ops that come one after another, each alone on the device. What the
 * host takes, and what it takes to reach the device and from one stream another, is not in it.
 */
#ifndef KESCO_TEST_VGPU_BOUND_H
#define KESCO_TEST_VGPU_BOUND_H

#include "test/vgpu/clock.h"

enum {
    BOUND_PARTS = CLOCK_RESOURCES + CLOCK_GRIDS
}; /* the resources, and the engines that take one job at a time */

/* At an op, in microseconds. */
struct tally {
    double path_us;              /* the longest path of ops that ends with it */
    double busy_us[BOUND_PARTS]; /* work of each part of its device, of the ops issued up to it */
};

/* Takes in a job, in the order in which jobs are added to the clock. */
void bound_add(const struct clock_job *job);

/* Where things stand at the job that was added last. */
struct tally bound_tally(const struct clock_job *job);

/* The bound of what is issued after one op and comes before another. */
double bound_between(const struct tally *from, const struct tally *to);

#endif
