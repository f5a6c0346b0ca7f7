#include "runtime/region/contest.h"

#include "runtime/region/attention.h"
#include "runtime/region/purse.h"

#include <stddef.h>
#include <stdlib.h>

/*
 * Estimates are taken for more than that many times less or more than they are never; for more, only by the
 * device's word: the host's clock has the program's own work in it.
 */
enum { LEAST_SCALE = KESCO_SCALE / 64, MOST_SCALE = KESCO_SCALE, MOST_TIMED_SCALE = KESCO_SCALE * 1024 };

/* The part of the program's time that may be lost by measuring, in so many openings. */
enum { MODESTY = 40, OPENINGS = 20 };

/* What lanes once saved is forgotten by this part at a time. */
enum { FORGETTING = 16 };

/* Rows that say how long openings take; and what is slower by less than this part is not. */
enum { ENOUGH = 2, MARGIN = 64, CLEARLY = 3 };

/* Of the device's timing: what it costs, an estimate, and what is to be in the purse where it is likely to be
 * of no use, and where it may be; a kind's openings that are timed first, so many, then fewer and fewer; how
 * many of lanes say that they are slower, by more than this part; and the part of the program's time that may
 * be lost by an opening that is serial to be timed. */
enum {
    TIMING = 10000,
    IN_VAIN = 2 * TIMING,
    IN_PURSE = 40000,
    FIRST_TIMED = 4,
    ENOUGH_TIMED = 2,
    TIMED_MARGIN = 16,
    TIMED_MODESTY = 32,
};

/* The host is taken to go on waiting for a region's ops once it has so often. */
enum { OFTEN = 4 };

/* Where ops have taken less than estimated, so many intervals pass before one may say that they take more. */
enum { PATIENCE = 8 };

/* An interval says what kernels take at most if it was expected to be theirs, by more than this part. */
enum { PART = 3 };

/* Where the device had work for so many halves of the time that the region was open, it was never idle. */
enum { BUSY_HALVES = 3 };

/* What is slower, as measured, is tried again when the program has run so many times as long. */
enum { REST = 4 };

/* The serial openings of all regions of the thread. */
static _Thread_local struct {
    uint64_t since;     /* when the first began; */
    uint64_t estimated; /* as estimates were taken then, */
    uint64_t count;     /* of so many */
} all;

static struct kesco_contest *find(struct kesco_contest **place) {
    struct kesco_contest *found = __atomic_load_n(place, __ATOMIC_ACQUIRE), *made;

    if (found != NULL)
        return found;
    made = calloc(1, sizeof *made);
    if (made == NULL)
        return NULL;
    atomic_flag_clear(&made->taken);
    if (__atomic_compare_exchange_n(place, &found, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return made;
    free(made);
    return found;
}

struct kesco_contest *kesco_contest_open(struct kesco_contest **place, uint64_t now) {
    struct kesco_contest *contest = find(place);

    if (contest == NULL || atomic_flag_test_and_set_explicit(&contest->taken, memory_order_acquire))
        return NULL;
    kesco_trial_begin(&contest->trial, now);
    if (all.count == 0)
        all.since = now;
    return contest;
}

static void set_scale(struct kesco_contest *contest, double scale) {
    const uint32_t most = contest->known.is_timed ? MOST_TIMED_SCALE : MOST_SCALE;

    contest->known.is_checked = true;
    contest->scale = scale < LEAST_SCALE ? (uint32_t)LEAST_SCALE : scale > most ? most : (uint32_t)scale;
}

uint32_t kesco_contest_scale(const struct kesco_contest *contest) {
    return contest == NULL || contest->scale == 0 ? (uint32_t)KESCO_SCALE : contest->scale;
}

uint32_t kesco_contest_copy_scale(const struct kesco_contest *contest) {
    const uint32_t scale = kesco_contest_scale(contest);

    return scale < KESCO_SCALE ? scale : (uint32_t)KESCO_SCALE;
}

bool kesco_contest_is_blind(const struct kesco_contest *contest) {
    return contest == NULL || (contest->known.is_guessed && !contest->known.is_checked);
}

bool kesco_contest_is_checked(const struct kesco_contest *contest) {
    return contest != NULL && contest->known.is_checked;
}

bool kesco_contest_is_awaited(const struct kesco_contest *contest) {
    return contest != NULL && contest->known.awaited == OFTEN;
}

bool kesco_contest_limit(struct kesco_contest *contest, uint64_t estimated, uint64_t took) {
    const uint32_t before = kesco_contest_scale(contest);

    if (contest == NULL)
        return false;
    contest->known.is_checked = true;
    if (took >= estimated)
        return false;
    set_scale(contest, before * ((double)took / (double)estimated));
    return contest->scale < before - before / 4;
}

/* What the interval was expected to take is that of kernels, for the most part. */
static bool shows_kernels(const struct kesco_contest *contest, const struct kesco_interval *interval) {
    const uint64_t kernels = kesco_interval_kernels(interval) * kesco_contest_scale(contest) / KESCO_SCALE;

    return interval->expected > 0 && PART * kernels >= interval->expected;
}

/* The host waited for kernels that take longer than they were taken for. */
static bool raise(struct kesco_contest *contest, const struct kesco_interval *interval) {
    const uint32_t before = kesco_contest_scale(contest);
    const uint64_t kernels = kesco_interval_kernels(interval);
    const uint64_t least = kesco_interval_least(interval, kernels * before / KESCO_SCALE);
    const double scale = KESCO_SCALE * (double)least / (double)(kernels + 1);

    if (contest->patience > 0 || interval->is_mixed || interval->may_fault || scale <= 1.25 * before)
        return false;
    contest->known.is_timed = true;
    set_scale(contest, scale);
    return true;
}

/* Lanes that turn out to be slower are given up, as after an opening. */
static void rest(struct kesco_contest *contest) {
    kesco_trial_begin_anew(&contest->trial);
    contest->serial = contest->lanes = (struct kesco_spans){0};
    kesco_intervals_forget(&contest->intervals);
    contest->trial.rests_until = REST * kesco_attention_time();
}

bool kesco_contest_note_interval(struct kesco_contest *contest, const struct kesco_interval *interval) {
    bool has_changed;

    if (contest == NULL)
        return false;
    contest->known.awaited += contest->known.awaited < OFTEN;
    contest->known.is_checked |= interval->expected > 0 && kesco_interval_kernels(interval) > 0;
    contest->patience -= contest->patience > 0 && !interval->has_lanes;
    has_changed =
        shows_kernels(contest, interval) && kesco_contest_limit(contest, interval->expected, interval->took);
    if (has_changed)
        contest->patience = PATIENCE;
    else
        has_changed = raise(contest, interval);
    kesco_intervals_add(&contest->intervals, interval);
    if (kesco_intervals_are_lanes_slower(&contest->intervals))
        rest(contest);
    return has_changed;
}

bool kesco_contest_note_interval_closed(struct kesco_contest *contest,
                                        const struct kesco_interval *interval) {
    bool result;

    if (contest == NULL || atomic_flag_test_and_set_explicit(&contest->taken, memory_order_acquire))
        return false;
    result = kesco_contest_note_interval(contest, interval);
    atomic_flag_clear_explicit(&contest->taken, memory_order_release);
    return result;
}

/* The device has not been asked in vain often enough to give it up. */
static bool may_have_word(const struct kesco_spans *spans) {
    return spans->count > 0 || spans->asked < FIRST_TIMED;
}

/* So much more than what has passed, by this part, is not by chance. */
enum { BEYOND = 8 };

bool kesco_contest_is_contradicted(const struct kesco_contest *contest) {
    uint64_t passed;

    if (contest == NULL || contest->openings.ops == 0 || contest->known.is_timed ||
        contest->known.has_intervals || !may_have_word(&contest->serial))
        return false;
    passed = kesco_attention_now() - all.since;
    return all.estimated > passed + passed / BEYOND;
}

/* Where the host waits for the device, though nobody sees it, most likely it does in each opening, which
 * takes a while even for nothing. */
static double find_waits(const struct kesco_contest *contest, uint64_t openings, double took) {
    const double waits = contest->known.is_idle ? (double)(openings * KESCO_INTERVAL_WAITING) : 0;

    return 2 * waits < took ? waits : took / 2;
}

/* What took so long in so many openings was taken for that. */
static double find_ratio(const struct kesco_contest *contest, uint64_t openings, double took,
                         double estimated) {
    const double waits = find_waits(contest, openings, took);

    return estimated > waits ? (took - waits) / (estimated - waits) : 1;
}

bool kesco_contest_asks_for_idle(const struct kesco_contest *contest) {
    return kesco_contest_is_contradicted(contest) &&
           (contest->serial.openings & (contest->serial.openings - 1)) == 0;
}

void kesco_contest_note_idle(struct kesco_contest *contest) {
    double ratio;

    contest->known.is_idle = true;
    ratio =
        find_ratio(contest, all.count, (double)(kesco_attention_now() - all.since), (double)all.estimated);
    if (ratio < 1)
        set_scale(contest, ratio * kesco_contest_scale(contest));
    kesco_contest_forget_openings();
}

void kesco_contest_forget_openings(void) {
    all.since = all.estimated = all.count = 0;
}

static void rescale(struct kesco_contest *contest) {
    const double time = kesco_trial_time_of_each(&contest->trial);

    if (!contest->known.is_timed && !contest->known.has_intervals && time > 0 &&
        contest->openings.estimated > 0)
        set_scale(contest, KESCO_SCALE * find_ratio(contest, contest->openings.ops / contest->openings.usual,
                                                    time * (double)contest->openings.ops,
                                                    (double)contest->openings.estimated));
}

/* Timing */

/* Ops that wait for the host's launches leave the device idle in between: they took no longer than that. */
static void take_word(struct kesco_contest *contest, uint64_t took) {
    const struct kesco_opening *timed = &contest->timed.opening;
    const double scale = KESCO_SCALE * (double)took / (double)timed->raw;

    if (2 * took >= BUSY_HALVES * timed->host)
        contest->known.is_timed = true;
    else if (scale >= kesco_contest_scale(contest))
        return;
    set_scale(contest, scale);
}

static void note_rate(struct kesco_spans *spans, double rate) {
    spans->rate = spans->count == 0 || rate < spans->rate ? rate : (3 * spans->rate + rate) / 4;
    spans->count++;
}

/* Asking takes several calls, and a device that lags may have it done many openings later: so it is asked
 * after the first, second, fourth one, and so on. */
static bool is_time_to_ask(struct kesco_timed *timed) {
    const uint32_t since = ++timed->since;

    return timed->span.state == KESCO_SPAN_ENDED && (since & (since - 1)) == 0;
}

void kesco_contest_read_word(struct kesco_contest *contest) {
    const struct kesco_opening *timed = &contest->timed.opening;
    const bool has_lanes = contest->timed.has_lanes;
    const uint64_t took = is_time_to_ask(&contest->timed) ? kesco_span_read(&contest->timed.span) : 0;

    if (took == 0 || timed->ops == 0)
        return;
    note_rate(has_lanes ? &contest->lanes : &contest->serial, (double)took / timed->ops);
    if (has_lanes)
        kesco_contest_limit(contest, timed->end, took);
    else if (timed->raw > 0)
        take_word(contest, took);
}

/* The opening is one of those of its kind that are timed, which the first one is not. */
static bool takes_turn(struct kesco_spans *spans, uint64_t in_purse) {
    const uint32_t number = spans->openings++;

    if (number == 0 || number < spans->due || !kesco_purse_affords(in_purse))
        return false;
    spans->due = spans->asked++ < FIRST_TIMED ? number + 1 : 2 * number;
    return true;
}

static void begin_span(struct kesco_contest *contest, cudaStream_t origin, bool has_lanes) {
    if (!kesco_span_begin(&contest->timed.span, origin))
        return;
    kesco_purse_spend(TIMING);
    contest->timed.has_lanes = has_lanes;
}

void kesco_contest_begin_timing(struct kesco_contest *contest, cudaStream_t origin, bool has_lanes) {
    if (contest == NULL)
        return;
    kesco_contest_read_word(contest);
    if (contest->timed.span.state == KESCO_SPAN_NONE &&
        takes_turn(has_lanes ? &contest->lanes : &contest->serial,
                   kesco_contest_is_contradicted(contest) ? TIMING : IN_PURSE))
        begin_span(contest, origin, has_lanes);
}

bool kesco_contest_needs_word(const struct kesco_contest *contest) {
    return contest != NULL && contest->serial.count == 0 && may_have_word(&contest->serial);
}

void kesco_contest_begin_word(struct kesco_contest *contest, cudaStream_t origin) {
    if (!kesco_purse_affords(TIMING))
        return;
    contest->serial.asked++;
    begin_span(contest, origin, false);
}

bool kesco_contest_is_being_timed(const struct kesco_contest *contest) {
    return contest != NULL && contest->timed.span.state == KESCO_SPAN_BEGUN;
}

void kesco_contest_end_timing(struct kesco_contest *contest, cudaStream_t origin,
                              const struct kesco_opening *opening) {
    contest->timed.opening = *opening;
    contest->timed.since = 0;
    kesco_span_end(&contest->timed.span, origin);
}

void kesco_contest_drop_timing(struct kesco_contest *contest) {
    if (kesco_contest_is_being_timed(contest))
        contest->timed.span.state = KESCO_SPAN_NONE;
}

/* Rows */

int64_t kesco_contest_price(const struct kesco_contest *contest) {
    return contest != NULL ? (int64_t)(contest->openings.saving * OPENINGS) : 0;
}

static bool wants_row(const struct kesco_contest *contest) {
    return contest->trial.graph.count >= ENOUGH && contest->trial.each.count < ENOUGH &&
           kesco_attention_time() >= (uint64_t)kesco_contest_price(contest) * MODESTY;
}

bool kesco_contest_spares_word(const struct kesco_contest *contest) {
    return contest != NULL && (contest->timed.span.state != KESCO_SPAN_NONE || kesco_purse_affords(IN_VAIN));
}

bool kesco_contest_affords_word(uint64_t loss) {
    return kesco_attention_time() >= loss * TIMED_MODESTY && kesco_purse_affords(IN_PURSE);
}

/* One opening does. */
static bool wants_word(const struct kesco_contest *contest) {
    return contest->lanes.count > 0 && contest->serial.count == 0 && may_have_word(&contest->serial) &&
           contest->timed.span.state == KESCO_SPAN_NONE &&
           kesco_contest_affords_word(contest->openings.saving);
}

bool kesco_contest_wants_serial(const struct kesco_contest *contest) {
    return contest != NULL && (wants_row(contest) || wants_word(contest));
}

void kesco_contest_note_saving(struct kesco_contest *contest, int64_t saving) {
    if (contest == NULL)
        return;
    contest->openings.saving -= contest->openings.saving / FORGETTING;
    if (saving > 0 && (uint64_t)saving > contest->openings.saving)
        contest->openings.saving = (uint64_t)saving;
}

static bool is_slower(double one, double other, int margin) {
    return one > other * (1 + 1.0 / margin);
}

/* The device has not said what it will. */
static bool is_word_awaited(const struct kesco_contest *contest) {
    if (!may_have_word(&contest->serial) || !may_have_word(&contest->lanes))
        return false;
    return contest->timed.span.state == KESCO_SPAN_ENDED || contest->serial.count == 0 ||
           contest->lanes.count < ENOUGH_TIMED;
}

static bool are_rows_slower(const struct kesco_trial *trial, int margin) {
    return trial->each.count >= ENOUGH && trial->graph.count >= ENOUGH &&
           is_slower(kesco_rows_rate(&trial->graph), kesco_rows_rate(&trial->each), margin);
}

/* Rows may fall between two waits of the host, and then show only how fast it launches. They count where the
 * device has nothing clear to say. */
static bool are_lanes_slower(const struct kesco_contest *contest) {
    const double lanes = contest->lanes.rate, serial = contest->serial.rate;

    if (is_word_awaited(contest))
        return !kesco_purse_affords(IN_PURSE) && are_rows_slower(&contest->trial, CLEARLY);
    if (contest->serial.count == 0 || contest->lanes.count == 0)
        return are_rows_slower(&contest->trial, MARGIN);
    return is_slower(lanes, serial, TIMED_MARGIN) ||
           (!is_slower(serial, lanes, TIMED_MARGIN) && are_rows_slower(&contest->trial, MARGIN));
}

bool kesco_contest_may_dare(const struct kesco_contest *contest) {
    return contest != NULL && !contest->known.is_dared && contest->known.is_timed &&
           contest->serial.count > 0;
}

void kesco_contest_dare(struct kesco_contest *contest) {
    contest->known.is_dared = true;
}

bool kesco_contest_trusts_lanes(const struct kesco_contest *contest) {
    if (contest == NULL || !contest->known.is_dared)
        return false;
    if (contest->lanes.count < ENOUGH_TIMED || contest->serial.count == 0)
        return may_have_word(&contest->lanes);
    return is_slower(contest->serial.rate, contest->lanes.rate, TIMED_MARGIN);
}

static void end_trial(struct kesco_contest *contest) {
    if (!contest->known.has_intervals && are_lanes_slower(contest))
        rest(contest);
}

void kesco_contest_close(struct kesco_contest *contest, uint32_t ops, uint64_t estimated, bool has_lanes) {
    if (contest == NULL)
        return;
    if (ops > 0)
        contest->openings.usual = ops;
    if (contest->openings.usual > 0)
        kesco_trial_end(&contest->trial, contest->openings.usual, has_lanes ? contest->openings.usual : 0);
    if (!has_lanes && ops > 0) {
        contest->openings.estimated += estimated;
        contest->openings.ops += ops;
        all.estimated += estimated * kesco_contest_scale(contest) / KESCO_SCALE;
        all.count++;
        rescale(contest);
    }
    end_trial(contest);
    atomic_flag_clear_explicit(&contest->taken, memory_order_release);
}

bool kesco_contest_forbids(const struct kesco_contest *contest) {
    return contest != NULL && contest->trial.rests_until != 0 &&
           kesco_attention_time() < contest->trial.rests_until;
}
