/* The time lines on which the governor places what is issued (governor.h). */
#include "runtime/region/attention.h"
#include "runtime/region/contest.h"
#include "runtime/region/cost.h"
#include "runtime/region/governor.h"
#include "runtime/region/lanes.h"

#include <stddef.h>
#include <string.h>

/*
 * What calls cost the host, and what the device takes between and beside ops, in nanoseconds. Estimates, as
 * nobody can be asked at no cost: launches are known for a few microseconds; records took 0.25 to 2.5 on a
 * V100 (NVIDIA/NVTX, issue 3); a queued kernel costs about 3 on a GeForce 3080, and so do two streams that
 * synchronise (facebookincubator/velox, pull request 6096); these took 1.9 and 0.2 on an H100.
 */
enum {
    BEGIN = 5000, /* from the call that issues until an idle device begins */
    SIGNAL = 500, /* from a record until a stream that waits for it goes on */
};

/* What it takes the host to issue an op, and a record or wait. */
static uint64_t queue_time(void) {
    return kesco_cost(KESCO_COST_LAUNCH);
}

static uint64_t mark_time(void) {
    return kesco_cost(KESCO_COST_MARK);
}

void kesco_governor_begin(struct kesco_governor *governor, const struct kesco_region *region) {
    const uint32_t events =
        region->events < KESCO_GOVERNED_EVENTS ? region->events : (uint32_t)KESCO_GOVERNED_EVENTS;
    const bool has_lanes_now = governor->part.waited.has_lanes;

    governor->part = (struct kesco_governor_part){0};
    if (governor->contest != NULL) {
        governor->part.opened = kesco_attention_now();
        governor->part.since =
            kesco_outlook_start(region, __atomic_load_n(&region->history->credit, __ATOMIC_RELAXED));
    }
    memset(governor->events, 0, events * sizeof *governor->events);
    memset(governor->lanes, 0, region->lanes * sizeof *governor->lanes);
    governor->region = region;
    governor->counts = true;
    governor->part.waited =
        (struct kesco_governor_waited){.at = governor->part.opened, .has_lanes = has_lanes_now};
    governor->part.lines.lanes_host = mark_time();
    governor->part.lines.aligned = queue_time() + BEGIN + SIGNAL;
}

static uint64_t *unit_of(struct kesco_governor *governor, const struct kesco_site *site) {
    return site->unit == KESCO_UNIT_TO_DEVICE ? &governor->part.lines.copying[0]
           : site->unit == KESCO_UNIT_TO_HOST ? &governor->part.lines.copying[1]
                                              : NULL;
}

uint64_t kesco_governor_end_of(const struct kesco_governor *governor, uint32_t lane) {
    return lane == KESCO_LANE_ORIGIN ? governor->part.lines.lanes_all
                                     : kesco_later(governor->lanes[lane], governor->part.lines.aligned);
}

static void place_on_lane(struct kesco_governor *governor, uint32_t lane, uint64_t *unit) {
    uint64_t end;

    governor->part.lines.before = governor->part.lines.lanes_all;
    governor->part.lines.lanes_host += queue_time();
    end = kesco_later(kesco_governor_end_of(governor, lane), governor->part.lines.lanes_host + BEGIN);
    if (unit != NULL)
        end = kesco_later(end, *unit);
    end += governor->part.op.takes;
    if (unit != NULL)
        *unit = end;
    if (lane == KESCO_LANE_ORIGIN) {
        governor->part.lines.aligned = end;
    } else {
        governor->lanes[lane] = end;
        governor->part.waited.lanes |= (uint64_t)1 << lane % 64;
    }
    governor->part.lines.lanes_all = kesco_later(governor->part.lines.lanes_all, end);
}

void kesco_governor_follow(uint64_t host, uint64_t *device, uint64_t duration) {
    *device = kesco_later(*device, host + BEGIN) + duration;
}

void kesco_governor_queue(uint64_t *host, uint64_t *device, uint64_t duration) {
    *host += queue_time();
    kesco_governor_follow(*host, device, duration);
}

static bool is_copy(const struct kesco_site *site) {
    return site->unit == KESCO_UNIT_TO_DEVICE || site->unit == KESCO_UNIT_TO_HOST;
}

/* Takes in what is known of the op by its kind. Copies may let the host wait. */
static void note_kind(struct kesco_governor *governor, const struct kesco_site *site, uint64_t amount) {
    governor->part.op.called = governor->part.op.waited = 0;
    if (is_copy(site)) {
        governor->part.placed.copied += governor->part.op.takes;
        kesco_governor_expect_host(governor);
    } else if (governor->contest != NULL) {
        governor->contest->known.is_guessed |= kesco_governor_is_guess(site, amount);
    }
}

static uint32_t scale_of(const struct kesco_governor *governor, const struct kesco_site *site) {
    return is_copy(site) ? kesco_contest_copy_scale(governor->contest)
                         : kesco_contest_scale(governor->contest);
}

void kesco_governor_place(struct kesco_governor *governor, uint32_t lane, const struct kesco_site *site,
                          uint64_t amount) {
    uint32_t scale;
    uint64_t share;

    if (site == NULL || amount == KESCO_AMOUNT_UNKNOWN) {
        governor->part.is_unknown = true;
        return;
    }
    governor->part.placed.ops++;
    governor->part.op.takes = kesco_governor_estimate(site, amount, &share);
    governor->part.placed.raw += governor->part.op.takes;
    note_kind(governor, site, amount);
    scale = scale_of(governor, site);
    governor->part.op.takes = governor->part.op.takes * scale / KESCO_SCALE;
    governor->part.op.beside = kesco_governor_estimate_beside(site, amount, governor->part.op.takes, scale);
    kesco_governor_queue(&governor->part.lines.host, &governor->part.lines.device, governor->part.op.takes);
    governor->part.lines.computing += governor->part.op.takes * share / 256;
    place_on_lane(governor, lane, unit_of(governor, site));
}

static void note_mark(struct kesco_governor *governor) {
    governor->part.lines.lanes_host += mark_time();
    governor->part.placed.marks++;
}

void kesco_governor_record(struct kesco_governor *governor, uint32_t event, uint32_t lane) {
    if (!governor->counts)
        return;
    note_mark(governor);
    if (event < KESCO_GOVERNED_EVENTS)
        governor->events[event] = kesco_governor_end_of(governor, lane) + SIGNAL;
}

void kesco_governor_wait(struct kesco_governor *governor, uint32_t event, uint32_t lane) {
    if (!governor->counts || event >= KESCO_GOVERNED_EVENTS || governor->events[event] == 0)
        return;
    note_mark(governor);
    governor->lanes[lane] = kesco_later(governor->lanes[lane], governor->events[event]);
}

void kesco_governor_note_guard(struct kesco_governor *governor) {
    governor->part.guard.is_guarded = true;
}

void kesco_governor_note_fence(struct kesco_governor *governor) {
    const uint64_t end = kesco_later(governor->part.lines.before, governor->part.lines.lanes_host + BEGIN) +
                         governor->part.op.takes;

    governor->part.guard.owes = true;
    if (!governor->counts)
        return;
    governor->part.lines.aligned = kesco_later(governor->part.lines.aligned, end);
    governor->part.lines.lanes_all = kesco_later(governor->part.lines.lanes_all, end);
    governor->part.op.beside = 0;
}

/* What it takes the host to have each lane but the first, which is the origin, wait for that, and it for each
 * lane: a record and two waits for each, and a record that all lanes wait for. To open them takes three calls
 * that are as long, or so: CUDA is asked for the device, the stream, and what it is captured into. */
static uint64_t forking_time(const struct kesco_governor *governor) {
    const uint64_t lanes = (uint64_t)__builtin_popcountll(governor->part.waited.lanes & ~UINT64_C(1));

    return governor->way.forks && lanes > 0 ? (3 * lanes + 4) * mark_time() : 0;
}

int64_t kesco_governor_saving(const struct kesco_governor *governor) {
    const uint64_t computing = governor->part.lines.computing + queue_time() + BEGIN + SIGNAL,
                   end = kesco_later(kesco_later(governor->part.lines.lanes_all, computing),
                                     governor->part.lines.lanes_host + forking_time(governor));

    return (int64_t)kesco_later(governor->part.lines.device, governor->part.lines.host) -
           (int64_t)(end + mark_time() + SIGNAL);
}

uint64_t kesco_governor_estimate_serial(const struct kesco_governor *governor, uint32_t ops) {
    return kesco_later((uint64_t)ops * queue_time(), kesco_governor_find_raw(governor)) + BEGIN;
}
