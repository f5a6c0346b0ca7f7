/* What the governor learns from a wait of the host right behind a region (governor.h). */
#include "runtime/region/attention.h"
#include "runtime/region/contest.h"
#include "runtime/region/cost.h"
#include "runtime/region/governor.h"

#include <stddef.h>

/* A call that takes so many times what a record does has waited; else it may be a record itself. */
enum { WAITED = 4 };

/* When all is done, by estimates. */
static uint64_t find_end(const struct kesco_governor *governor) {
    return governor->on_lanes ? kesco_later(governor->lanes_host, governor->lanes_all)
                              : kesco_later(governor->host, governor->device);
}

void kesco_governor_expect_wait(const struct kesco_governor *governor, struct kesco_expected_wait *expected) {
    struct kesco_history *history = governor->region != NULL ? governor->region->history : NULL;

    expected->history = NULL;
    if (governor->contest == NULL || !governor->counts || governor->is_unknown || governor->opened == 0 ||
        governor->ops == 0)
        return;
    *expected = (struct kesco_expected_wait){.history = history,
                                             .credit = __atomic_load_n(&history->credit, __ATOMIC_RELAXED),
                                             .opened = governor->opened,
                                             .called = kesco_attention_now(),
                                             .estimated = find_end(governor)};
}

/* What lanes were estimated to save meanwhile, they would not have. */
static void take_back(const struct kesco_expected_wait *expected) {
    struct kesco_history *history = expected->history;

    if (__atomic_load_n(&history->credit, __ATOMIC_RELAXED) > expected->credit)
        __atomic_store_n(&history->credit, expected->credit, __ATOMIC_RELAXED);
}

void kesco_governor_end_wait(struct kesco_expected_wait *expected) {
    const uint64_t now = expected->history != NULL ? kesco_attention_now() : 0;

    if (expected->history != NULL && now - expected->called >= WAITED * kesco_cost(KESCO_COST_MARK) &&
        kesco_contest_limit_closed(expected->history->contest, expected->estimated, now - expected->opened))
        take_back(expected);
    expected->history = NULL;
}
