/*
 * A plan as text: counts, and one row per lane, from a report (design page, contract 3).
 *
 *   run_pipeline: 11 kernels, 3 lanes, 4 waits, 4 records
 *     lane 0 | 0 blur  | 3 sobel        | 10 combine <9
 *     lane 1 | 1 blur  | 4 sobel  ...
 *
 * Each op stands with its id in its lane, in issue order, in the first column behind its lane's earlier op
 * and the ops that it waits for: what shares a column may run at once. "<9" says that the lane waits for op 9
 * first.
 */
#ifndef KESCO_SAMPLES_CHART_H
#define KESCO_SAMPLES_CHART_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#define CHART_ERROR_SIZE 256

/*
 * Prints every region of `report` that has ops, with its function's guards and barriers. Waits stand out in
 * colour when `colour` is set. Returns 0; -EINVAL when `report` is not of the form above, with `error` saying
 * what is wrong; -ENOMEM; -EIO when `out` refuses the text.
 */
int chart_print(const json_t *report, FILE *out, bool colour, char error[CHART_ERROR_SIZE]);

#endif
