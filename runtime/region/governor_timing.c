/* What the governor lets the device time (governor.h). */
#include "runtime/region/attention.h"
#include "runtime/region/contest.h"
#include "runtime/region/governor.h"

/* So many ops say what ops of a region that is open for long take. */
enum { WORD_OPS = 32 };

uint32_t kesco_governor_count_ops(const struct kesco_governor *governor) {
    return governor->counts && !governor->fenced.is_uncounted
               ? governor->fenced.ops + governor->part.placed.ops
               : 0;
}

uint64_t kesco_governor_find_raw(const struct kesco_governor *governor) {
    return governor->fenced.raw + governor->part.placed.raw;
}

void kesco_governor_begin_timing(struct kesco_governor *governor, void *origin, bool has_lanes) {
    kesco_contest_begin_timing(governor->contest, origin, has_lanes);
    governor->timing = (struct kesco_governor_timing){.began = governor->part.opened};
}

void kesco_governor_drop_timing(struct kesco_governor *governor) {
    kesco_contest_drop_timing(governor->contest);
}

/* Lanes after a fence begin on a device that may have work: when they are done cannot be told from
 * estimates. */
void kesco_governor_end_timing(struct kesco_governor *governor, void *origin) {
    struct kesco_contest *contest = governor->contest;
    const struct kesco_governor_timing *timing = &governor->timing;
    const uint32_t ops = kesco_governor_count_ops(governor);
    const bool knows_end =
        governor->counts && !governor->part.is_unknown && governor->part.opened == timing->began;
    struct kesco_opening opening;

    if (!kesco_contest_is_being_timed(contest))
        return;
    opening = (struct kesco_opening){.ops = ops > 0 ? ops - timing->ops : contest->openings.usual,
                                     .raw = ops > 0 ? kesco_governor_find_raw(governor) - timing->raw : 0,
                                     .end = knows_end ? governor->part.lines.lanes_all : 0,
                                     .host = kesco_attention_now() - timing->began};
    kesco_contest_end_timing(contest, origin, &opening);
}

bool kesco_governor_asks_for_idle(const struct kesco_region *region) {
    return region->history != NULL && kesco_governor_mode(region) == KESCO_MODE_AUTO &&
           __atomic_load_n(&region->history->has_lanes, __ATOMIC_RELAXED) == 0 &&
           kesco_governor_may_pay(region) && kesco_contest_asks_for_idle(kesco_governor_contest_of(region));
}

/* What lanes would have saved, they would not have. */
void kesco_governor_note_idle(const struct kesco_region *region) {
    kesco_contest_note_idle(kesco_governor_contest_of(region));
    __atomic_store_n(&region->history->credit, 0, __ATOMIC_RELAXED);
}

bool kesco_governor_affords_word(const struct kesco_governor *governor, int64_t saving) {
    return saving < 0 || kesco_contest_affords_word((uint64_t)saving * WORD_OPS / governor->part.placed.ops);
}

/* The op placed last is not issued yet. */
static void begin_word(struct kesco_governor *governor, void *origin) {
    kesco_contest_begin_word(governor->contest, origin);
    governor->timing = (struct kesco_governor_timing){.began = kesco_attention_now(),
                                                      .ops = kesco_governor_count_ops(governor) - 1,
                                                      .raw = kesco_governor_find_raw(governor)};
}

static void end_word(struct kesco_governor *governor, void *origin) {
    struct kesco_governor_timing *timing = &governor->timing;

    if (kesco_governor_count_ops(governor) < timing->ops + WORD_OPS)
        return;
    kesco_governor_end_timing(governor, origin);
    timing->due = governor->part.opened + governor->part.lines.device;
}

/* True if there is nothing to wait for any more. */
static bool read_word(struct kesco_governor *governor) {
    const uint64_t due = governor->timing.due;

    kesco_contest_read_word(governor->contest);
    return kesco_contest_needs_word(governor->contest) && due != 0 && kesco_attention_now() >= due;
}

bool kesco_governor_awaits_word(struct kesco_governor *governor, void *origin) {
    if (!kesco_contest_needs_word(governor->contest))
        return false;
    switch (governor->contest->timed.span.state) {
    case KESCO_SPAN_NONE:
        begin_word(governor, origin);
        return true;
    case KESCO_SPAN_BEGUN:
        end_word(governor, origin);
        return true;
    case KESCO_SPAN_ENDED:
        return !read_word(governor);
    }
    return false;
}
