/* Sets and relations of ops. */
#ifndef KESCO_TEST_SCHEDULE_RELATION_H
#define KESCO_TEST_SCHEDULE_RELATION_H

#include "test/schedule/check.h"

static inline uint64_t bit(unsigned index) {
    return UINT64_C(1) << index;
}

static inline unsigned size(uint64_t set) {
    unsigned count = 0;
    for (; set; set &= set - 1)
        count++;
    return count;
}

static inline bool related(const struct relation *relation, unsigned from, unsigned to) {
    return relation->rows[from] & bit(to);
}

/* Whether some op strictly between two ops reads the object, or writes it. */
static inline bool between(const struct model *model, unsigned from, unsigned to, uint64_t object,
                           bool reading) {
    for (unsigned op = from + 1; op < to; op++)
        if (object & (model->ops[op].writes | (reading ? model->ops[op].reads : 0)))
            return true;
    return false;
}

#endif
