/*
 * VGPU_CHECK=races also holds what kernels do against what the access summaries in their image say that they
 * may do (plugin/summary/summary_text.h). Each access of a kernel to an allocation must be allowed by one of
 *   - a pointer among its parameters that leads into the allocation, or just behind its end, where the
 * summary has no range for it, or one that holds the byte (plugin/summary/range.h),
 *   - the name of the allocation, where that is a variable,
 *   - what the summary has for memory anywhere, or for code that nobody sees,
 * and only a kernel whose summary says so may print, or hit a trap or a failing assert. What is found counts,
 * is printed, and gives the process the status of a race.
 *
 * Images without summaries are not checked, nor is memory that is no allocation: shared and local memory, and
 * variables that the host does not know.
 */
#ifndef KESCO_TEST_VGPU_SUMMARY_CHECK_H
#define KESCO_TEST_VGPU_SUMMARY_CHECK_H

#include "plugin/summary/summary.h"
#include "test/vgpu/race.h"

/*
 * Fills the set, which is empty, from the `size` bytes of an image, whose table is `content`. Counts as
 * found: a text that cannot be read, which leaves the set empty; and, where there is a text, a kernel that it
 * lacks, or that lacks a parameter of its summary.
 */
void summary_check_load(struct kesco_summaries *summaries, const void *image, size_t size,
                        const struct vgpu_module *content);

/* An op, whatever kind, has run; `did` is what of KESCO_PRINTS and KESCO_MAY_TRAP device code did. */
void summary_check_op(const struct op *op, unsigned did);

/* What the op of `record` did to an allocation, before its arguments are gone. */
void summary_check_record(const struct allocation *allocation, const struct race_record *record);

/* What the op did to an allocation; NULL: nothing. */
typedef const struct race_record *summary_check_find(const struct allocation *allocation);

/*
 * Counts, once all that the op did is known, how tight the ranges of its summary are, for each of its
 * pointers and for reads and writes apart: exact, where both ends of the range were accessed, or nothing was
 * and that is what it says; wider; or none, so that it is all of the allocation. Where pointers lead into one
 * allocation, what was accessed through which is not told apart.
 */
void summary_check_tightness(const struct op *op, summary_check_find *find);

/* How many findings are printed; more are only counted. */
enum { SUMMARY_REPORT_LIMIT = 100 };

#endif
