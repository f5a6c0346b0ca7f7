/*
 * A discrete-event simulation of machines that run jobs: when does each job begin and end? It knows nothing
 * of CUDA. A job becomes ready once its time has come and the jobs that it comes after have ended. Then it
 * passes its engine, first come, first served, if it has one; and then it runs, as fast as the machine's
 * shared resources let it.
 *
 * Resources are a fluid: a job that runs alone at full speed takes `alone_us`, and uses the share `uses[r]`
 * of the resource r all that time. Jobs that want more than there is are slowed down by dominant resource
 * fairness (Ghodsi et al., NSDI 2011): the largest shares that jobs get are equal, except of those that want
 * less. With one resource, that is max-min fairness. So jobs that use a part of the machine overlap, and jobs
 * that fill it gain nothing by running at once. Jobs of a lower priority share what is left by those of
 * higher ones, from the moment that these begin: what a device that stops no running block comes to once
 * blocks end. Engines know no priority.
 *
 * The same calls give the same times, to the bit. Times are microseconds.
 */
#ifndef KESCO_TEST_VGPU_CLOCK_H
#define KESCO_TEST_VGPU_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of each machine. An engine lets so many jobs run at once, in the order in which they became ready, ties by
 * id. */
enum clock_engine {
    CLOCK_TO_DEVICE, /* copies, one at a time */
    CLOCK_TO_HOST,   /* copies, one at a time */
    CLOCK_TO_PEER,   /* copies, one at a time */
    CLOCK_GRIDS,     /* as many as are resident at once */
    CLOCK_ENGINES,
    CLOCK_NO_ENGINE = CLOCK_ENGINES
};

enum clock_resource {
    CLOCK_COMPUTE,
    CLOCK_MEMORY,
    CLOCK_RESIDENCE, /* places on multiprocessors */
    CLOCK_RESOURCES
};

struct clock_job {
    uint64_t id;     /* not 0, and not of another job */
    int machine;     /* where it runs, from 0 */
    double ready_us; /* not ready before; not before clock_now */
    double alone_us; /* how long it takes at full speed */
    enum clock_engine engine;
    double uses[CLOCK_RESOURCES]; /* share of each resource at full speed, 0 to 1 */
    int priority;                 /* lower numbers go first */
    const uint64_t *after;        /* ids of jobs that it comes after; those that are not live have ended */
    size_t after_count;
    void *owner; /* handed to clock_ended */
};

/* Told of the end of every job, in order of time: when it left its engine's queue, and when it ended. */
typedef void clock_ended(void *owner, double began_us, double ended_us);

struct clock;

/* `ended` may be NULL. */
struct clock *clock_new(int machines, const int engine_widths[CLOCK_ENGINES], clock_ended *ended);
void clock_free(struct clock *clock); /* NULL allowed */

void clock_add(struct clock *clock, const struct clock_job *job);

/* True if the job was added and has not ended. */
bool clock_is_live(const struct clock *clock, uint64_t id);

/* How far the simulation is: every begin and end before this time is final. */
double clock_now(const struct clock *clock);

/* Simulates up to a time; the end of a job, if it is live; or the end of all live jobs of a machine. */
void clock_run_until(struct clock *clock, double us);
void clock_run_job(struct clock *clock, uint64_t id);
void clock_run_machine(struct clock *clock, int machine);

#endif
