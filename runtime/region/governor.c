#include "runtime/region/governor.h"

#include "runtime/environment.h"
#include "runtime/region/attention.h"
#include "runtime/region/contest.h"
#include "runtime/region/lanes.h"
#include "runtime/region/outlook.h"
#include "runtime/region/price.h"
#include "runtime/region/purse.h"

#include <stddef.h>

/* Saving less than this is not worth a change of mode. */
enum { HYSTERESIS = 10000 };

/* Nor is what saves less than this part of the time: estimates are not that good. */
enum { WORTH = 32 };

/* What is saved beyond this, and what streams cost, does not count: the program may change. */
enum { MOST_CREDIT = 200000 };

enum {
    FIRST_PASSES = 8,     /* of a region with lanes that are all placed, */
    REPLAYED_PASSES = 96, /* and of one that may get graphs, which are looked for then */
    LATER_PASSES = 16,    /* of which one is */
    ENOUGH_OPS = 256,     /* of a region that is not closed for long, */
    MANY_OPS = 64,        /* and of one in which lanes do not seem to pay */
};

/*
 * Where an op and those beside it take long, they are likely to overlap: this part counts as saved before, if
 * it is many times the price. Nobody has measured the op, and a loop that nobody can count may be short.
 */
enum { HOPE = 4, MANY = 4 };

/* Records and waits that are this part of the ops may take longer than lanes save. */
enum { DEAR = 8 };

/* Of lanes that have not earned what they cost after a fence, so many double it. */
enum { MOST_LOSSES = 6 };

/* Lanes after a guard have to save their price so often; from once on it is asked. */
enum { DOUBT = 2 };

/*
 * Streams and events that would have saved what they cost so often are made, whatever the purse has, as
 * estimates are off by up to ten times; and where they have guesses in them, and no clock has ever been held
 * against them, so often: most threads of its kernels may have nothing to do, and their loops may be short.
 * What would have been saved is this part of the program's time at least, which may end right behind that; a
 * larger one where the host waits now and then, so that what lanes save is the smaller part for long.
 */
enum { SURE = 3, SURE_BLINDLY = 14, SHARE = 16, SHARE_AWAITED = 3 };

/*
 * What the program captures into a graph of its own is run often, most likely, and lanes cost nothing then,
 * but for what each branch adds to a launch, about a microsecond, and what it takes to make them. That is
 * worth it from ops on that take so many nanoseconds, by estimates: of four branches of two each, it is
 * earned by some tens of launches of the graph; of empty kernels, never.
 */
enum { LONG_CAPTURED = 5000 };

/* Where estimates see nothing to gain, lanes are tried once the purse has their price so often: with four
 * times, ten lanes that take 0.9 of the serial time were not within 200 passes of 0.2 ms, on an H200. */
enum { DARING = 2 };

uint32_t kesco_governor_mode(const struct kesco_region *region) {
    const int asked = kesco_environment()->mode;

    return asked != KESCO_MODE_UNSET ? (uint32_t)asked : region->mode;
}

struct kesco_contest *kesco_governor_contest_of(const struct kesco_region *region) {
    return __atomic_load_n(&region->history->contest, __ATOMIC_ACQUIRE);
}

/* What it would cost to give the region lanes; more where that was often in vain, as its guard fails. */
static int64_t price(const struct kesco_region *region) {
    const struct kesco_contest *contest = kesco_governor_contest_of(region);
    const uint32_t losses = contest != NULL ? __atomic_load_n(&contest->losses, __ATOMIC_RELAXED) : 0;

    return (HYSTERESIS + kesco_price_of_streams(region))
           << (losses < MOST_LOSSES ? losses : (uint32_t)MOST_LOSSES);
}

static int64_t credit_of(const struct kesco_region *region) {
    return __atomic_load_n(&region->history->credit, __ATOMIC_RELAXED);
}

/* How much comes of what lanes would have saved by now, which is `saved`. `since`: as kesco_outlook_of has
 * it; where no pass has been since then, that is since the loops began. */
static enum kesco_outlook outlook_of(const struct kesco_governor *governor,
                                     const struct kesco_outlook_start *since, int64_t saved,
                                     int64_t *to_come) {
    const enum kesco_outlook outlook = kesco_outlook_of(governor->region, since, saved, to_come);

    return outlook == KESCO_OUTLOOK_UNKNOWN && since != NULL
               ? kesco_outlook_of(governor->region, NULL, saved, to_come)
               : outlook;
}

/* True if the loops around say that lanes will not save what they cost to be made. */
static bool comes_too_late(const struct kesco_governor *governor, const struct kesco_outlook_start *since,
                           int64_t saved) {
    const int64_t cost = kesco_price_of_streams(governor->region);
    int64_t to_come;

    return outlook_of(governor, since, saved, &to_come) == KESCO_OUTLOOK_ALL && to_come < cost;
}

/* True if they say that lanes will have saved some times what they cost, and the host's waits show what ops
 * take: where it waits for none, nothing would tell soon that lanes are slower. */
static bool will_pay(const struct kesco_governor *governor, const struct kesco_outlook_start *since,
                     int64_t saved) {
    const int64_t cost = kesco_price_of_streams(governor->region);
    int64_t to_come;

    if (!kesco_contest_is_awaited(governor->contest) || kesco_contest_is_blind(governor->contest))
        return false;
    outlook_of(governor, since, saved, &to_come);
    return kesco_outlook_pays(governor->region, to_come, cost);
}

/* They would have saved so much by now. */
static bool are_affordable(const struct kesco_governor *governor, const struct kesco_outlook_start *since,
                           int64_t saved) {
    const int64_t cost = kesco_price_of_streams(governor->region);
    const int sure = kesco_contest_is_blind(governor->contest) ? SURE_BLINDLY : SURE;
    const int share = kesco_contest_is_awaited(governor->contest) ? SHARE_AWAITED : SHARE;

    if (cost == 0 || kesco_purse_affords((uint64_t)cost) || will_pay(governor, since, saved))
        return true;
    return saved >= sure * cost && share * saved >= (int64_t)kesco_attention_time();
}

static bool has_lanes(const struct kesco_region *region) {
    return __atomic_load_n(&region->history->has_lanes, __ATOMIC_RELAXED) != 0;
}

/* Lanes would have saved enough in the openings before. */
static bool has_paid(const struct kesco_governor *governor) {
    const int64_t credit = credit_of(governor->region);

    return credit >= price(governor->region) && !comes_too_late(governor, NULL, credit) &&
           are_affordable(governor, NULL, credit);
}

/* What has been saved is this part of the price at least. */
enum { ON_THE_WAY = 8 };

static bool is_part_of_price(const struct kesco_region *region, int64_t saved) {
    return ON_THE_WAY * saved >= price(region);
}

bool kesco_governor_may_pay(const struct kesco_region *region) {
    return region->history != NULL && is_part_of_price(region, credit_of(region));
}

/* Of so many ops, lanes are to save this part, or something else may save more. */
enum { FEW_OPS = 32, MUCH = 4 };

bool kesco_governor_is_on_the_way(const struct kesco_governor *governor) {
    const struct kesco_governor_part *part = &governor->part;
    const int64_t saving = kesco_governor_saving(governor),
                  serial = (int64_t)kesco_later(part->lines.device, part->lines.host);

    if (part->waited.is_mixed && part->placed.ops < MANY_OPS)
        return true; /* what it has begun anew for says more than so few */
    if (part->is_unknown || (part->placed.ops >= FEW_OPS && MUCH * saving < serial))
        return false;
    return is_part_of_price(governor->region, credit_of(governor->region) + saving);
}

/*
 * Kernels that fill the device save nothing beside each other, by estimates, but one's last blocks leave room
 * for the next one's first: ten that do took 0.93 of serial on an H200. So it is tried, and the device says
 * what it is.
 */
static bool dares(const struct kesco_governor *governor) {
    const struct kesco_region *region = governor->region;

    if (region->placed || region->lanes < 2 || !kesco_contest_may_dare(governor->contest) ||
        !kesco_purse_affords(DARING * (uint64_t)price(region)))
        return false;
    kesco_contest_dare(governor->contest);
    return true;
}

/* With KESCO_MODE_TURNS: true for about one of so many questions, always the same. */
static bool is_turn(const struct kesco_governor *governor, uint32_t of) {
    const uint32_t asked = __atomic_add_fetch(&governor->region->history->passes, 1, __ATOMIC_RELAXED);

    return (asked * UINT32_C(2654435761) >> 16) % of == 0;
}

static void init(struct kesco_governor *governor, const struct kesco_region *region) {
    governor->region = region;
    governor->contest = NULL;
    governor->counts = governor->on_lanes = false;
    governor->way = (struct kesco_governor_way){0};
    governor->part.guard = (struct kesco_governor_guard){0};
    governor->fences = 0;
    governor->fenced = (struct kesco_fenced){0};
    governor->timing = (struct kesco_governor_timing){0};
    governor->part.waited.has_lanes = false;
}

const char *kesco_governor_open_captured(struct kesco_governor *governor, const struct kesco_region *region) {
    init(governor, region);
    kesco_governor_begin(governor, region);
    governor->way.captured = governor->part.guard.asks = true;
    return "it is captured, and no kernel has come that is worth a branch";
}

const char *kesco_governor_open(struct kesco_governor *governor, const struct kesco_region *region) {
    const uint32_t mode = kesco_governor_mode(region);
    uint32_t passes;

    init(governor, region);
    if (mode == KESCO_MODE_SERIAL)
        return "the mode is serial";
    if (mode == KESCO_MODE_LANES || region->history == NULL)
        return NULL;
    if (mode == KESCO_MODE_GRAPH && region->replays)
        return "the mode is graph";
    if (mode == KESCO_MODE_AUTO)
        governor->contest = kesco_contest_open(&region->history->contest, kesco_attention_now());
    kesco_governor_begin(governor, region);
    governor->way.turns = mode == KESCO_MODE_TURNS;
    governor->way.measures = kesco_contest_wants_serial(governor->contest);
    if (governor->way.measures)
        return "what lanes save is measured";
    if (governor->way.turns ? is_turn(governor, 2)
                            : kesco_contest_forbids(governor->contest) ||
                                  (!has_lanes(region) && (kesco_contest_is_contradicted(governor->contest) ||
                                                          (!has_paid(governor) && !dares(governor)))))
        return "lanes would cost more than they have saved so far";
    passes = __atomic_fetch_add(&region->history->passes, 1, __ATOMIC_RELAXED);
    governor->counts = governor->way.turns || passes < (region->replays ? REPLAYED_PASSES : FIRST_PASSES) ||
                       passes % LATER_PASSES == 0;
    kesco_governor_note_lanes(governor);
    return NULL;
}

/* What lanes save, and may save. */
static int64_t find_hoped(const struct kesco_governor *governor, int64_t cost) {
    const int64_t hope = (int64_t)(governor->part.op.beside / HOPE);

    return kesco_governor_saving(governor) + (hope >= MANY * cost ? hope : 0);
}

/* Takes in what has come since the fence before, of which nobody may have counted the ops. */
static void note_fenced(struct kesco_fenced *fenced, const struct kesco_governor *governor) {
    fenced->is_uncounted |= !governor->counts;
    fenced->ops += governor->part.placed.ops;
    fenced->raw += governor->part.placed.raw;
}

/* What is counted from here on is another part of the opening. */
static void begin_again(struct kesco_governor *governor) {
    note_fenced(&governor->fenced, governor);
    kesco_governor_begin(governor, governor->region);
    governor->part.waited.is_mixed = true;
}

/* Should ops take so little that the host is what the program waits for, lanes would cost more than they are
 * hoped to save. */
static bool is_risky(const struct kesco_governor *governor, int64_t hoped) {
    return (int64_t)governor->part.lines.lanes_host - (int64_t)governor->part.lines.host > hoped;
}

/* True if the device is to say first what ops take; the time lines begin anew with what it says. */
static bool asks_device(struct kesco_governor *governor, void *origin) {
    if (!kesco_governor_awaits_word(governor, origin))
        return false;
    if (!kesco_contest_needs_word(governor->contest))
        begin_again(governor);
    return true;
}

/* What is saved is spread over many ops, each of which may be far shorter than it was taken for, and no wait
 * of the host has shown that yet. */
static bool is_spread(const struct kesco_governor *governor) {
    return governor->part.placed.ops >= MANY_OPS && kesco_price_of_streams(governor->region) > 0 &&
           !kesco_contest_is_checked(governor->contest);
}

static bool has_to_wait(struct kesco_governor *governor, void *origin, int64_t hoped) {
    return (governor->way.doubts || is_spread(governor) || is_risky(governor, hoped)) &&
           asks_device(governor, origin);
}

/* Many ops of an opening seem too short for lanes: the device is to say so, too, where asking it is a small
 * part of the program's time. */
static void make_sure(struct kesco_governor *governor, void *origin) {
    if (governor->part.placed.ops >= MANY_OPS && kesco_contest_spares_word(governor->contest))
        asks_device(governor, origin);
}

/* Nothing else counts, so that graphs that are captured again are of the same form. */
static bool pays_captured(struct kesco_governor *governor) {
    if (governor->part.op.takes < LONG_CAPTURED)
        return false;
    governor->counts = false;
    return true;
}

bool kesco_governor_pays(struct kesco_governor *governor, void *origin) {
    const int64_t cost = price(governor->region);
    int64_t hoped, all;

    if (governor->way.captured)
        return pays_captured(governor);
    if (governor->way.turns)
        return is_turn(governor, 3);
    if (kesco_contest_forbids(governor->contest))
        return false;
    if (governor->part.is_unknown)
        return credit_of(governor->region) >= 0 && are_affordable(governor, NULL, 0);
    hoped = find_hoped(governor, cost);
    all = credit_of(governor->region) + hoped;
    if (hoped < (int64_t)(governor->part.lines.device / WORTH) || all < cost) {
        make_sure(governor, origin);
        return false;
    }
    if ((governor->way.measures && hoped < MANY * cost + kesco_contest_price(governor->contest)) ||
        kesco_contest_is_contradicted(governor->contest))
        return false;
    if (!are_affordable(governor, &governor->part.since, all) || has_to_wait(governor, origin, hoped) ||
        comes_too_late(governor, &governor->part.since, all))
        return false;
    governor->part.guard.asks = governor->part.guard.is_guarded;
    return !governor->part.guard.is_guarded || all >= DOUBT * cost;
}

void kesco_governor_look_again(struct kesco_governor *governor) {
    if (governor->contest != NULL)
        begin_again(governor);
}

void kesco_governor_note_lanes(struct kesco_governor *governor) {
    const int64_t cost = kesco_price_of_streams(governor->region);

    if (!governor->on_lanes)
        kesco_contest_drop_timing(governor->contest);
    governor->on_lanes = true;
    kesco_governor_change(governor, true);
    governor->part.waited.is_mixed |= cost > 0; /* what streams take to be made is not what ops do */
    governor->part.placed.serial = governor->part.placed.ops;
    governor->fences = 0;
    kesco_purse_spend((uint64_t)cost);
    __atomic_store_n(&governor->region->history->has_lanes, 1, __ATOMIC_RELAXED);
    kesco_price_note_made(governor->region);
}

void kesco_governor_note_refusal(struct kesco_governor *governor) {
    struct kesco_history *history = governor->region->history;

    governor->counts = false;
    if (history == NULL)
        return;
    __atomic_store_n(&history->has_lanes, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&history->credit, -MOST_CREDIT, __ATOMIC_RELAXED);
}

static void give_up(const struct kesco_region *region) {
    if (!has_lanes(region))
        return;
    kesco_log("lanes are slower than one stream (%s, line %u)",
              region->function != NULL ? region->function : "?", region->line);
    __atomic_store_n(&region->history->has_lanes, 0, __ATOMIC_RELAXED);
}

/* Adds what has been placed to what is known of the region. */
static void settle(struct kesco_governor *governor) {
    struct kesco_history *history = governor->region->history;
    const int64_t before = credit_of(governor->region), least = before < 0 ? before : 0;
    const int64_t most = MOST_CREDIT + kesco_price_of_streams(governor->region);
    const int64_t saving = kesco_governor_saving(governor);
    int64_t credit = (saving < 0 && before > 0 ? before / 2 : before) + saving;

    if (credit < least) {
        credit = least;
        if (!kesco_contest_trusts_lanes(governor->contest))
            __atomic_store_n(&history->has_lanes, 0, __ATOMIC_RELAXED);
    }
    if (credit > most)
        credit = most;
    kesco_contest_note_saving(governor->contest, saving);
    __atomic_store_n(&history->credit, credit, __ATOMIC_RELAXED);
}

/* Lanes are made once more, which has to be paid for once more. */
static void pay(const struct kesco_region *region) {
    const int64_t credit = credit_of(region) - price(region);

    __atomic_store_n(&region->history->credit, credit, __ATOMIC_RELAXED);
    if (credit >= 0)
        return;
    if (kesco_governor_contest_of(region) != NULL)
        __atomic_fetch_add(&kesco_governor_contest_of(region)->losses, 1, __ATOMIC_RELAXED);
    give_up(region);
}

/* What follows the fence has lanes too, where what was before had. */
static bool goes_on(const struct kesco_governor *governor) {
    if (governor->way.turns)
        return is_turn(governor, 2);
    return has_lanes(governor->region) && !governor->way.measures &&
           !kesco_contest_forbids(governor->contest);
}

bool kesco_governor_begin_anew(struct kesco_governor *governor) {
    const struct kesco_region *region = governor->region;
    bool has_lanes_again;

    if (region->history == NULL || kesco_governor_mode(region) == KESCO_MODE_LANES)
        return true;
    if (governor->counts && !governor->part.is_unknown)
        settle(governor);
    if (has_lanes(region))
        pay(region);
    governor->fences++;
    begin_again(governor);
    governor->part.guard.asks = true; /* what has met once is likely to meet again */
    has_lanes_again = goes_on(governor);
    if (governor->on_lanes != has_lanes_again)
        kesco_contest_drop_timing(governor->contest);
    return has_lanes_again;
}

/* Lanes take the host so long that they save nothing should ops take less than they are taken for. */
static bool is_doubtful(const struct kesco_governor *governor) {
    return governor->part.placed.marks >= governor->part.placed.ops / DEAR &&
           kesco_contest_needs_word(governor->contest);
}

/* The host waits within the region, by which the rest of the opening is judged too. */
static bool has_intervals(const struct kesco_governor *governor) {
    return governor->contest != NULL && governor->contest->known.has_intervals;
}

bool kesco_governor_gives_up(struct kesco_governor *governor) {
    bool gives_up, is_open;

    if (governor->way.turns)
        return is_turn(governor, 5);
    if (kesco_contest_forbids(governor->contest)) {
        give_up(governor->region);
        begin_again(governor);
    }
    if (!has_lanes(governor->region)) { /* or its ops have turned out to be shorter */
        kesco_governor_change(governor, false);
        return true;
    }
    if (governor->part.placed.ops < governor->part.placed.serial + ENOUGH_OPS || governor->part.is_unknown)
        return false;
    is_open = is_doubtful(governor);
    governor->way.doubts = is_open && kesco_governor_affords_word(governor, kesco_governor_saving(governor));
    settle(governor);
    gives_up = governor->way.doubts || !has_lanes(governor->region);
    if (gives_up || is_open || has_intervals(governor))
        begin_again(governor);
    else
        governor->counts = false;
    if (gives_up)
        kesco_governor_change(governor, false);
    return gives_up;
}

/* The same where nothing came after the fence, so that nobody has. */
static void pay_for_fence(const struct kesco_governor *governor) {
    if (governor->part.guard.owes && governor->region->history != NULL && has_lanes(governor->region))
        pay(governor->region);
}

void kesco_governor_close(struct kesco_governor *governor, void *origin) {
    struct kesco_contest *contest = governor->contest;
    const uint32_t ops = kesco_governor_count_ops(governor);

    kesco_governor_end_timing(governor, origin);
    if (governor->counts && !governor->way.captured && !governor->part.is_unknown &&
        governor->part.placed.ops > 0)
        settle(governor); /* what is captured says nothing of what passes take */
    pay_for_fence(governor);
    kesco_contest_close(contest, ops, kesco_governor_estimate_serial(governor, ops), governor->on_lanes);
    if (kesco_contest_forbids(contest))
        give_up(governor->region);
    governor->counts = governor->part.guard.asks = governor->way.captured = false;
    governor->contest = NULL;
}
