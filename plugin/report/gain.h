/*
 * What a function of a report could still gain, counted in steps: each op is one, as reports have no times,
 * and ops of loops count once.
 */
#ifndef KESCO_REPORT_GAIN_H
#define KESCO_REPORT_GAIN_H

#include "plugin/report/report.h"

struct kesco_gain {
    size_t serial;  /* steps of the serial program: its ops */
    size_t planned; /* of the plan: its longest chain of ops by lanes and waits, region after region; of a
                       placed region, by dependences */
    size_t free;    /* of its longest chain of dependences, as if it were one region with no barrier in it;
                       objects of one name count as one; not above `planned`; as
                       that where no barrier, but another reason keeps the function serial */
};

/* Counts the steps of `function`. Returns 0 or -ENOMEM. */
int kesco_gain_of(const struct kesco_report_function *function, struct kesco_gain *gain);

#endif
