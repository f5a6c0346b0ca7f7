#include "runtime/region/outlook.h"

#include <stddef.h>

/* So many passes tell how much comes in each. */
enum { ENOUGH = 3 };

/* Passes without the region count, too: it may come in some alone. */
void __kesco1_expect(const struct kesco_region *region, int64_t left) {
    struct kesco_history *history = region->history;
    int64_t before, passed;
    bool again;

    if (history == NULL)
        return;
    before = __atomic_load_n(&history->left, __ATOMIC_RELAXED);
    passed = __atomic_load_n(&history->passed, __ATOMIC_RELAXED);
    again = passed < 0 || (passed > 0 && left > before);
    passed = passed < 0 ? -passed : passed;
    passed += passed == 0 || left > before ? 1 : before - left;
    __atomic_store_n(&history->left, left, __ATOMIC_RELAXED);
    __atomic_store_n(&history->passed, again ? -passed : passed, __ATOMIC_RELAXED);
}

enum kesco_outlook kesco_outlook_of(const struct kesco_region *region, int64_t so_far, int64_t *to_come) {
    const struct kesco_history *history = region->history;
    int64_t passed = history == NULL ? 0 : __atomic_load_n(&history->passed, __ATOMIC_RELAXED);
    const bool again = passed < 0;

    *to_come = 0;
    passed = again ? -passed : passed;
    if (passed < ENOUGH)
        return KESCO_OUTLOOK_UNKNOWN;
    *to_come = (int64_t)((double)so_far / (double)passed *
                         (double)__atomic_load_n(&history->left, __ATOMIC_RELAXED));
    return again ? KESCO_OUTLOOK_LEAST : KESCO_OUTLOOK_ALL;
}
