/*
 * Guard sets: the guards of a function, told in few words. A set of pointers that are all compared with each
 * other stands for as many guards as it has pairs.
 */
#ifndef KESCO_REPORT_GUARD_SETS_H
#define KESCO_REPORT_GUARD_SETS_H

#include "plugin/report/report.h"

#include <stddef.h>

struct kesco_guard_sets {
    const char **names; /* pointers, set after set; borrowed from the function */
    size_t *start;      /* the names of set i are [start[i], start[i + 1]) */
    size_t count;       /* sets; each has two pointers at least */
};

/*
 * Stores sets that have a pair for each guard of `function` and no other pair; the caller frees them, and
 * `function` outlives them. Returns 0 or -ENOMEM.
 */
int kesco_guard_sets_create(const struct kesco_report_function *function, struct kesco_guard_sets *sets);

/* Frees the sets. Accepts zeroed ones. */
void kesco_guard_sets_free(struct kesco_guard_sets *sets);

#endif
