/*
 * The results of the benchmarks for people (tables, and the numbers of a bar chart) and for programs (JSON).
 * A speedup above 1 means faster.
 */
#ifndef KESCO_SAMPLES_BENCH_REPORT_H
#define KESCO_SAMPLES_BENCH_REPORT_H

#include "samples/bench_results.h"

#include <jansson.h>

/* What is not known is "-". The second one is for managed memory: the paper's two tables, with its means. */
void bench_print_times(const struct bench_results *results, FILE *out);
void bench_print_managed(const struct bench_results *results, FILE *out);
void bench_print_modes(const struct bench_results *results, FILE *out);  /* nothing if none is known */
void bench_print_rivals(const struct bench_results *results, FILE *out); /* the same */
void bench_print_code(const struct bench_results *results, FILE *out);

/*
 * What samples/bench_chart.gp draws: a line of column names, one line a workload with its name and the
 * speedups over serial of by_hand, graph and kesco, and one with their means. What is not known is "-". For
 * managed memory, those of by_hand and kesco where it is fetched follow.
 */
void bench_print_chart_data(const struct bench_results *results, FILE *out);

/*
 * {"version": 1, "device": "...", "memory": "device", "scale": 1, "workloads": [
 *   {"name": "vec", "bound_ms": 1.5, "modes_ms": {"auto": 2.0, ...}, "taken": "lanes", "variants": {
 *     "kesco": {"median_ms": 2.0, "min_ms": 1.9, "max_ms": 2.2, "repetitions": 5,
 *               "speedup_over_serial": 1.5, "speedup_over_by_hand": 0.99,
 *               "records": 1, "waits": 1, "lines": 88, "tokens": 401,
 *               "fetched_ms": 0.4, "fetched_speedup_over_serial": 5.0}, ...}}],
 *  "mean_speedups": {"kesco": {"over_serial": 1.5, "over_by_hand": 0.99}, ...}}
 *
 * Times in milliseconds; means are geometric; what is not known is left out. NULL without memory.
 */
json_t *bench_to_json(const struct bench_results *results);

#endif
