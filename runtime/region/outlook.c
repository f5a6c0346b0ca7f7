#include "runtime/region/outlook.h"

#include "runtime/region/attention.h"

#include <stddef.h>

/* So many passes tell how much comes in each. */
enum { ENOUGH = 3 };

/* Other loops that begin meanwhile, after which one has ended early. */
enum { ENDED = 8 };

/* The loop around all others of the thread that call what regions are lent to. */
static _Thread_local struct {
    const int64_t *place; /* of such a call there; NULL: there has been none */
    int64_t left, passed; /* how often control comes there again, and has since the first time, */
    uint64_t began;       /* which was then (attention.h) */
    uint32_t others;      /* that have begun since it came there last */
    bool is_again;        /* the loop has begun before */
} calls;

static bool is_in_other(const int64_t *place) {
    return place != calls.place && calls.left > 0 && calls.others++ < ENDED;
}

/* `*place` is one more than what was left there; a loop begins where more is left than before. */
void __kesco1_expect_calls(int64_t *place, int64_t left) {
    const int64_t before = __atomic_exchange_n(place, left + 1, __ATOMIC_RELAXED);
    const bool is_again = before != 0, is_first = !is_again || left >= before;

    if (place == calls.place && !is_first) {
        calls.passed += calls.left - left;
        calls.left = left;
        calls.others = 0;
    } else if (is_first && !is_in_other(place)) {
        calls.place = place;
        calls.left = left;
        calls.passed = calls.others = 0;
        calls.began = kesco_attention_time();
        calls.is_again = is_again;
    }
}

/* By the time that the loop has taken, and takes. */
static enum kesco_outlook find_outlook_of_calls(int64_t so_far, uint64_t duration, int64_t *to_come) {
    const double took = (double)(kesco_attention_time() - calls.began);

    if (calls.left <= 0 || calls.passed < ENOUGH || duration == 0)
        return KESCO_OUTLOOK_UNKNOWN;
    *to_come =
        (int64_t)((double)so_far / (double)duration * took / (double)calls.passed * (double)calls.left);
    return calls.is_again ? KESCO_OUTLOOK_LEAST : KESCO_OUTLOOK_ALL;
}

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

enum kesco_outlook kesco_outlook_of(const struct kesco_region *region, int64_t so_far, uint64_t duration,
                                    int64_t *to_come) {
    const struct kesco_history *history = region->history;
    int64_t passed = history == NULL ? 0 : __atomic_load_n(&history->passed, __ATOMIC_RELAXED);
    const bool again = passed < 0;

    *to_come = 0;
    passed = again ? -passed : passed;
    if (passed < ENOUGH)
        return region->joins ? find_outlook_of_calls(so_far, duration, to_come) : KESCO_OUTLOOK_UNKNOWN;
    *to_come = (int64_t)((double)so_far / (double)passed *
                         (double)__atomic_load_n(&history->left, __ATOMIC_RELAXED));
    return again ? KESCO_OUTLOOK_LEAST : KESCO_OUTLOOK_ALL;
}
