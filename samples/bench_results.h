/*
 * What the benchmarks measured, as samples/bench_run.sh writes it: text, one value a line, in any order,
 * empty lines and lines from '#' on left out.
 *
 *   device TEXT                      what ran it, to the end of the line
 *   scale S                          sizes are S times the paper's
 *   memory WORD                      where the data lives, device or managed (samples/memory.h)
 *   time WORKLOAD VARIANT MS         one repetition, milliseconds; as many lines as there were
 *   fetched WORKLOAD VARIANT MS      the same where managed memory is fetched to the device
 *   records WORKLOAD VARIANT N       event records of one repetition
 *   waits WORKLOAD VARIANT N         waits for events of one repetition
 *   lines WORKLOAD VARIANT N         lines of code of the variant's source
 *   tokens WORKLOAD VARIANT N        its tokens
 *   bound WORKLOAD MS                no schedule takes less, milliseconds
 *   mode WORKLOAD MODE MS            one settled repetition of KeSCo's variant with that KESCO_MODE
 *   taken WORKLOAD WORD              what KESCO_MODE=auto took: serial, lanes, graphs or lanes+graphs
 *
 * VARIANT is serial, by_hand, graph, kesco, taskflow, cudastf or processes; MODE is serial, lanes, graph or
 * auto. Of a value that must stand once, the last one counts.
 */
#ifndef KESCO_SAMPLES_BENCH_RESULTS_H
#define KESCO_SAMPLES_BENCH_RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define BENCH_ERROR_SIZE 256

/* Behind the own ones come rivals: those that the user has headers of, and tasks that are processes of their
 * own. */
enum bench_variant {
    BENCH_SERIAL,
    BENCH_BY_HAND,
    BENCH_GRAPH,
    BENCH_KESCO,
    BENCH_OWN,
    BENCH_TASKFLOW = BENCH_OWN,
    BENCH_CUDASTF,
    BENCH_PROCESSES,
    BENCH_VARIANTS
};

enum bench_mode { BENCH_MODE_SERIAL, BENCH_MODE_LANES, BENCH_MODE_GRAPH, BENCH_MODE_AUTO, BENCH_MODES };

extern const char *const bench_mode_names[BENCH_MODES];       /* as in the file */
extern const char *const bench_variant_names[BENCH_VARIANTS]; /* as in the file */

/* One workload in one variant. NAN stands for what is not known. */
struct bench_measured {
    double *times;     /* milliseconds, ascending; owned */
    size_t time_count; /* repetitions */
    double *fetched;   /* the same, where managed memory is fetched */
    size_t fetched_count;
    double records, waits, lines, tokens;
};

struct bench_workload {
    char *name; /* owned */
    struct bench_measured variants[BENCH_VARIANTS];
    double bound;              /* milliseconds; NAN if not known */
    double modes[BENCH_MODES]; /* the same */
    const char *taken;         /* NULL if not known */
};

struct bench_results {
    char *device;                     /* owned; "" if not told */
    double scale;                     /* 1 if not told */
    bool is_managed;                  /* the data lives in managed memory */
    struct bench_workload *workloads; /* in the order that they first stand in; owned */
    size_t workload_count;
};

/*
 * Reads all of `in`. `results` is to be destroyed whatever this returns: 0; -EINVAL, with `error` naming the
 * line and what is wrong there; -EIO; -ENOMEM.
 */
int bench_results_read(struct bench_results *results, FILE *in, char error[BENCH_ERROR_SIZE]);

void bench_results_destroy(struct bench_results *results);

/* The middle value of `count` ascending ones, or the mean of the middle two; NAN for none. */
double bench_median(const double *ascending, size_t count);

/* The median of a variant's times; NAN if there are none. */
double bench_time(const struct bench_workload *workload, enum bench_variant variant);

/* The same of those where managed memory is fetched. */
double bench_fetched_time(const struct bench_workload *workload, enum bench_variant variant);

/* How many times as fast `variant` is as `other`; NAN if one has no times. */
double bench_speedup(const struct bench_workload *workload, enum bench_variant variant,
                     enum bench_variant other);

/* The geometric mean of bench_speedup over all workloads that have both; NAN if none has. */
double bench_mean_speedup(const struct bench_results *results, enum bench_variant variant,
                          enum bench_variant other);

/* The two where managed memory is fetched for `variant`; and for `other` too, or not. */
double bench_fetched_speedup(const struct bench_workload *workload, enum bench_variant variant,
                             enum bench_variant other, bool is_other_fetched);
double bench_mean_fetched_speedup(const struct bench_results *results, enum bench_variant variant,
                                  enum bench_variant other, bool is_other_fetched);

#endif
