/* What the tests of summaries share: comparison, and allocations that fail on demand. */
#ifndef KESCO_TEST_SUMMARY_SAME_H
#define KESCO_TEST_SUMMARY_SAME_H

#include "plugin/summary/summary.h"

/* True if both say the same of the same kernels, places and reasons included. */
bool same_summaries(const struct kesco_summaries *a, const struct kesco_summaries *b);

/* How many allocations succeed before all others fail; negative: all succeed. */
extern int allocations_left;

#endif
