/*
 * Bytes that lie in a few parts, far from each other, as the first and the last row of a matrix do
 * (range.h): what is added is taken together with what lies near it.
 *
 * What is near is a guess, by samples of numbers in place of what only a launch knows: it says how much the
 * parts tell, and not what they hold. With more parts than may be, those become one of which that is the
 * least loss.
 */
#ifndef KESCO_SUMMARY_INTERVAL_PARTS_H
#define KESCO_SUMMARY_INTERVAL_PARTS_H

#include "plugin/summary/interval.h"
#include "plugin/summary/range.h"

enum { KESCO_PART_SAMPLES = 3 };

struct kesco_interval_part {
    struct kesco_interval bytes;                     /* from the first up to, not including, the last */
    struct kesco_pieces samples[KESCO_PART_SAMPLES]; /* of it, where `has_samples` */
    bool has_samples;
    bool ascends; /* they are of numbers that are larger for later parameters */
};

/* Zeroed: there is nothing yet. */
struct kesco_interval_parts {
    struct kesco_interval_part items[KESCO_RANGE_PARTS];
    uint32_t count;
};

void kesco_interval_parts_add(struct kesco_algebra *algebra, struct kesco_interval_parts *parts,
                              const struct kesco_interval *bytes);

/* The text of range.h of all of them, to be freed; NULL where that of one would be too long or says nothing,
 * and without memory. */
char *kesco_interval_parts_text(struct kesco_algebra *algebra, const struct kesco_interval_parts *parts);

#endif
