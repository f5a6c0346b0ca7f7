/*
 * Same plans: functions whose pictures would show the same, as a helper and the functions that it is inlined
 * into.
 */
#ifndef KESCO_REPORT_SAME_PLANS_H
#define KESCO_REPORT_SAME_PLANS_H

#include "plugin/report/report.h"

/*
 * Stores for each of `count` functions which of them is to be shown for its plan: itself, or one whose ops
 * are the same ones in the source, on the same lanes, in the same order, with the same edges, waits and
 * regions. That is one which has the ops itself, rather than in a helper, if there is one, else the first.
 * Names of objects may differ. Ops of unknown lines are those of no other function. `source` is the file of
 * functions that name none.
 */
void kesco_same_plans(const struct kesco_report_function *functions, size_t count, const char *source,
                      size_t *shown);

#endif
