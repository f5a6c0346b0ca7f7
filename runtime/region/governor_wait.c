/* What the governor learns from waits of the host, within a region and right after it (governor.h). */
#include "runtime/region/attention.h"
#include "runtime/region/contest.h"
#include "runtime/region/cost.h"
#include "runtime/region/governor.h"
#include "runtime/region/lanes.h"

#include <stddef.h>

/* In nanoseconds: a synchronous call is an asynchronous one and a wait; a wait for a lane that is done. */
enum { APART = 4500, DONE = 1000 };

/* When all is done, by estimates. */
static uint64_t find_end(const struct kesco_governor *governor) {
    return governor->on_lanes ? kesco_later(governor->part.lines.lanes_host, governor->part.lines.lanes_all)
                              : kesco_later(governor->part.lines.host, governor->part.lines.device);
}

/* What has been placed since the host waited last. */
static struct kesco_interval interval_of(const struct kesco_governor *governor) {
    const struct kesco_governor_waited *waited = &governor->part.waited;

    return (struct kesco_interval){
        .raw = governor->part.placed.raw - waited->raw,
        .copied = governor->part.placed.copied - waited->copied,
        .estimated = kesco_later(governor->part.lines.host, governor->part.lines.device) - waited->host,
        .issued = (uint64_t)(governor->part.placed.ops - waited->ops) * kesco_cost(KESCO_COST_LAUNCH),
        .has_lanes = waited->has_lanes,
        .is_mixed = waited->is_mixed,
        .may_fault = waited->may_fault};
}

/* Lanes were made for other ops than there are now: they have to pay anew. */
static void forget_saving(struct kesco_history *history) {
    __atomic_store_n(&history->credit, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&history->has_lanes, 0, __ATOMIC_RELAXED);
}

/* Within the region */

/* A wait that begins now has begun with the call that issued the last op, if that has waited. */
static uint64_t begin_of_wait(const struct kesco_governor *governor) {
    return kesco_attention_now() - governor->part.op.waited;
}

void kesco_governor_expect_host(struct kesco_governor *governor) {
    if (governor->counts && governor->contest != NULL)
        governor->part.op.called = begin_of_wait(governor);
}

/* A call that takes so many times what a record does has waited; else it may be a record itself. */
enum { WAITED = 4 };

static bool has_waited(uint64_t took) {
    return took >= WAITED * kesco_cost(KESCO_COST_MARK);
}

void kesco_governor_note_call(struct kesco_governor *governor) {
    const uint64_t called = governor->part.op.called;
    uint64_t took;

    if (!governor->counts || governor->contest == NULL || called == 0)
        return;
    took = kesco_attention_now() - called;
    governor->part.op.waited = has_waited(took) ? took : 0;
}

void kesco_governor_change(struct kesco_governor *governor, bool has_lanes) {
    governor->part.waited.has_lanes = has_lanes;
    governor->part.waited.is_mixed |= governor->part.placed.raw != governor->part.waited.raw;
}

void kesco_governor_note_host(struct kesco_governor *governor, uint32_t lane) {
    if (!governor->counts)
        return;
    governor->part.lines.host = kesco_later(governor->part.lines.host, governor->part.lines.device);
    if (lane == KESCO_NO_LANE) {
        governor->part.put_off = governor->part.lines.lanes_all;
        return;
    }
    if (lane == KESCO_LANE_ORIGIN)
        governor->part.put_off = 0;
    governor->part.lines.lanes_host =
        kesco_later(governor->part.lines.lanes_host, kesco_governor_end_of(governor, lane));
    if (lane != KESCO_LANE_ORIGIN)
        governor->part.lines.lanes_host += APART;
}

/* So many times faster than the one stream lanes are at most, that the interval's ops are on. */
static uint64_t count_lanes(const struct kesco_governor *governor) {
    const uint32_t used = (uint32_t)__builtin_popcountll(governor->part.waited.lanes);
    const uint32_t count = governor->region->lanes <= 64 ? used : governor->region->lanes;

    return governor->part.waited.has_lanes && count > 1 ? count : 1;
}

/* True if time lines were too long or too short. */
static bool note_interval(struct kesco_governor *governor) {
    struct kesco_interval interval = interval_of(governor);
    const uint64_t now = kesco_attention_now();
    bool has_changed;

    interval.took = now - governor->part.waited.at;
    interval.waited = governor->part.op.called != 0 ? now - governor->part.op.called : 0;
    interval.expected = interval.estimated / count_lanes(governor);
    governor->contest->known.has_intervals = true;
    has_changed = kesco_contest_note_interval(governor->contest, &interval);
    governor->part.waited = (struct kesco_governor_waited){.at = now,
                                                           .host = governor->part.lines.host,
                                                           .raw = governor->part.placed.raw,
                                                           .copied = governor->part.placed.copied,
                                                           .ops = governor->part.placed.ops,
                                                           .has_lanes = interval.has_lanes};
    governor->part.op.called = 0;
    return has_changed;
}

void kesco_governor_note_settled(struct kesco_governor *governor) {
    if (!governor->counts || governor->part.put_off == 0)
        return;
    governor->part.lines.lanes_host = kesco_later(governor->part.lines.lanes_host, governor->part.put_off) +
                                      (uint64_t)__builtin_popcountll(governor->part.waited.lanes) * DONE;
    governor->part.put_off = 0;
}

void kesco_governor_note_waited(struct kesco_governor *governor) {
    if (!governor->counts || governor->contest == NULL || governor->part.is_unknown ||
        governor->part.placed.ops == 0 || !note_interval(governor))
        return;
    kesco_contest_drop_timing(governor->contest);
    kesco_governor_begin(governor, governor->region);
    if (governor->part.waited.has_lanes)
        forget_saving(governor->region->history);
}

/* Right after it */

void kesco_governor_expect_wait(const struct kesco_governor *governor, struct kesco_expected_wait *expected) {
    struct kesco_history *history = governor->region != NULL ? governor->region->history : NULL;

    expected->history = NULL;
    if (governor->contest == NULL || !governor->counts || governor->part.is_unknown ||
        governor->part.opened == 0 || governor->part.placed.ops == 0)
        return;
    *expected = (struct kesco_expected_wait){.history = history,
                                             .credit = __atomic_load_n(&history->credit, __ATOMIC_RELAXED),
                                             .opened = governor->part.waited.at,
                                             .called = begin_of_wait(governor),
                                             .interval = interval_of(governor)};
    expected->interval.expected = find_end(governor) - governor->part.waited.host;
}

void kesco_governor_note_record(struct kesco_expected_wait *expected, const void *event) {
    expected->event = event;
}

void kesco_governor_expect_event(struct kesco_expected_wait *expected, const void *event) {
    if (expected->history == NULL)
        return;
    if (expected->event != NULL && (event == NULL || event == expected->event))
        expected->called = kesco_attention_now();
    else
        expected->history = NULL;
}

/* What lanes were estimated to save meanwhile, they would not have. */
static void take_back(const struct kesco_expected_wait *expected) {
    struct kesco_history *history = expected->history;

    if (__atomic_load_n(&history->credit, __ATOMIC_RELAXED) > expected->credit)
        __atomic_store_n(&history->credit, expected->credit, __ATOMIC_RELAXED);
}

void kesco_governor_end_wait(struct kesco_expected_wait *expected) {
    uint64_t now;

    if (expected->history == NULL)
        return;
    now = kesco_attention_now();
    expected->interval.took = now - expected->opened;
    expected->interval.waited = now - expected->called;
    if (has_waited(expected->interval.waited) &&
        kesco_contest_note_interval_closed(expected->history->contest, &expected->interval)) {
        if (expected->interval.has_lanes)
            forget_saving(expected->history);
        else
            take_back(expected);
    }
    expected->history = NULL;
}
