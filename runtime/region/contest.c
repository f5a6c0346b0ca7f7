#include "runtime/region/contest.h"

#include "runtime/region/attention.h"

#include <stddef.h>
#include <stdlib.h>

/* Estimates are taken for more than that many times less or more than they are never. */
enum { LEAST_SCALE = KESCO_SCALE / 64, MOST_SCALE = KESCO_SCALE * 1 };

/* The part of the program's time that may be lost by measuring, in so many openings. */
enum { MODESTY = 40, OPENINGS = 20 };

/* What lanes once saved is forgotten by this part at a time. */
enum { FORGETTING = 16 };

/* Rows that say how long openings take; and what is slower by less than this part is not. */
enum { ENOUGH = 2, MARGIN = 64 };

/* What is slower, as measured, is tried again when the program has run so many times as long. */
enum { REST = 4 };

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
    return contest;
}

static void set_scale(struct kesco_contest *contest, double scale) {
    contest->scale = scale < LEAST_SCALE  ? (uint32_t)LEAST_SCALE
                     : scale > MOST_SCALE ? (uint32_t)MOST_SCALE
                                          : (uint32_t)scale;
}

uint32_t kesco_contest_scale(const struct kesco_contest *contest) {
    return contest == NULL || contest->scale == 0 ? (uint32_t)KESCO_SCALE : contest->scale;
}

bool kesco_contest_limit(struct kesco_contest *contest, uint64_t estimated, uint64_t took) {
    const uint32_t before = kesco_contest_scale(contest);

    if (contest == NULL || took >= estimated)
        return false;
    set_scale(contest, before * ((double)took / (double)estimated));
    return contest->scale < before - before / 4;
}

static void rescale(struct kesco_contest *contest) {
    const double time = kesco_trial_time_of_each(&contest->trial);

    if (time > 0 && contest->estimated > 0)
        set_scale(contest, KESCO_SCALE * time * (double)contest->ops / (double)contest->estimated);
}

static double rate_of(const struct kesco_rows *rows) {
    return (double)rows->time / (double)rows->ops;
}

int64_t kesco_contest_price(const struct kesco_contest *contest) {
    return contest != NULL ? (int64_t)(contest->saving * OPENINGS) : 0;
}

bool kesco_contest_wants_serial(const struct kesco_contest *contest) {
    return contest != NULL && contest->trial.graph.count >= ENOUGH && contest->trial.each.count < ENOUGH &&
           kesco_attention_time() >= (uint64_t)kesco_contest_price(contest) * MODESTY;
}

void kesco_contest_note_saving(struct kesco_contest *contest, int64_t saving) {
    if (contest == NULL)
        return;
    contest->saving -= contest->saving / FORGETTING;
    if (saving > 0 && (uint64_t)saving > contest->saving)
        contest->saving = (uint64_t)saving;
}

static bool are_lanes_slower(const struct kesco_trial *trial) {
    return trial->each.count >= ENOUGH && trial->graph.count >= ENOUGH &&
           rate_of(&trial->each) * (1 + 1.0 / MARGIN) < rate_of(&trial->graph);
}

static void end_trial(struct kesco_contest *contest) {
    if (!are_lanes_slower(&contest->trial))
        return;
    kesco_trial_begin_anew(&contest->trial);
    contest->trial.rests_until = REST * kesco_attention_time();
}

void kesco_contest_close(struct kesco_contest *contest, uint32_t ops, uint64_t estimated, bool has_lanes) {
    if (contest == NULL)
        return;
    if (ops > 0)
        contest->usual = ops;
    if (contest->usual > 0)
        kesco_trial_end(&contest->trial, contest->usual, has_lanes ? contest->usual : 0);
    if (!has_lanes && ops > 0) {
        contest->estimated += estimated;
        contest->ops += ops;
        rescale(contest);
    }
    end_trial(contest);
    atomic_flag_clear_explicit(&contest->taken, memory_order_release);
}

bool kesco_contest_forbids(const struct kesco_contest *contest) {
    return contest != NULL && contest->trial.rests_until != 0 &&
           kesco_attention_time() < contest->trial.rests_until;
}
