/*
 * Whether a range is at another place, and as long, for launches that differ in some of their arguments: as
 * that of a kernel which is given the number of the row that it writes.
 *
 * Both ends are evaluated modulo 2^64 at two points that hashes give (Schwartz, "Fast Probabilistic
 * Algorithms for Verification of Polynomial Identities", JACM 27:4, 1980): what depends on the arguments that
 * differ is equal in both ends if the differences are. Where an end is the lesser or the greater of two, as
 * by a guard on the size of all, it is enough that it is so with one of these. It is a guess at what is worth
 * trying, and no proof.
 */
#ifndef KESCO_SUMMARY_RANGE_SHIFT_H
#define KESCO_SUMMARY_RANGE_SHIFT_H

#include "plugin/summary/range.h"

/* `text`: a valid range. `differs`: true for the arguments that differ. */
bool kesco_range_shifts(const char *text,
                        bool (*differs)(const void *context, const struct kesco_range_token *argument),
                        const void *context);

#endif
