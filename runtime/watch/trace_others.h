/*
 * What else ran than ops, in a trace: a row for each stream of each device that had any of it, as far as
 * CUPTI tells (activity.h). Without CUPTI nobody knows of it.
 */
#ifndef KESCO_RUNTIME_WATCH_TRACE_OTHERS_H
#define KESCO_RUNTIME_WATCH_TRACE_OTHERS_H

#include "runtime/watch/trace.h"

/* Adds that to `trace`, which has nothing yet, after all times of ops have been found. Rows and slices get
 * the ids from these on. What there is no memory for is left out, and counted as refused. */
void kesco_trace_add_others(struct kesco_trace *trace, uint64_t row_id, uint64_t slice_id);

#endif
