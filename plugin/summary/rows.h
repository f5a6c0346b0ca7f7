/*
 * Rows of intervals (interval.h): what is known of them as more is computed.
 */
#ifndef KESCO_SUMMARY_ROWS_H
#define KESCO_SUMMARY_ROWS_H

#include "plugin/summary/interval.h"

/* The rows of minus what lies in `rows`. */
struct kesco_all_rows kesco_rows_negative(struct kesco_algebra *algebra, const struct kesco_all_rows *rows);

/*
 * The rows of `a` times something that is not less than 0: of what is one number for a launch, another one,
 * and there are no rows.
 */
struct kesco_all_rows kesco_rows_of_product(struct kesco_algebra *algebra, const struct kesco_interval *a,
                                            kesco_polynomial by);

/*
 * What holds all of both, as rows of both, or of one of them. A number lies in any rows, as far past one's
 * beginning as it says.
 */
struct kesco_all_rows kesco_rows_of_both(struct kesco_algebra *algebra, const struct kesco_interval *a,
                                         const struct kesco_interval *b);

#endif
