#include "runtime/region/outlook.h"

#include "runtime/region/attention.h"

#include <stddef.h>

/* So many passes tell how much comes in each. */
enum { ENOUGH = 3 };

/* What they say is believed once the program has run for so many times the price, and for this part of what
 * they say to be left. */
enum { EARLIEST = 2, BELIEF = 64 };

/* Other loops that begin meanwhile, after which one has ended early. */
enum { ENDED = 8 };

/* The loop around all others of the thread that call what regions are lent to. */
static _Thread_local struct {
    const int64_t *place; /* of such a call there; NULL: there has been none */
    int64_t left, passed; /* how often control comes there again, and has since the first time, */
    uint64_t began;       /* which was then (attention.h); */
    uint64_t last;        /* and the last time, since which nothing is left */
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
        if (left == 0)
            calls.last = kesco_attention_time();
    } else if (is_first && !is_in_other(place)) {
        calls.place = place;
        calls.left = left;
        calls.passed = calls.others = 0;
        calls.began = kesco_attention_time();
        calls.is_again = is_again;
    }
}

/* How many passes are to come, of those that take so long: in the last one, what is left of it. */
static double count_left(uint64_t now, double each) {
    return calls.left > 0 ? (double)calls.left : 1 - (double)(now - calls.last) / each;
}

/* By the time that the loop has taken, and takes. */
static enum kesco_outlook find_outlook_of_calls(const struct kesco_outlook_start *start, int64_t amount,
                                                int64_t *to_come) {
    const uint64_t now = kesco_attention_time();
    double left, in_each;

    if (calls.passed < ENOUGH || (start != NULL && start->time == now))
        return KESCO_OUTLOOK_UNKNOWN;
    left = count_left(now, (double)(calls.last - calls.began) / (double)calls.passed);
    if (left <= 0)
        return KESCO_OUTLOOK_UNKNOWN;
    in_each = (double)amount;
    if (start != NULL)
        in_each =
            (double)(now - calls.began) * (double)(amount - start->amount) / (double)(now - start->time);
    in_each /= (double)calls.passed;
    *to_come = (int64_t)(in_each * left);
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

static int64_t passed_of(const struct kesco_region *region, bool *again) {
    const int64_t passed =
        region->history == NULL ? 0 : __atomic_load_n(&region->history->passed, __ATOMIC_RELAXED);

    *again = passed < 0;
    return *again ? -passed : passed;
}

struct kesco_outlook_start kesco_outlook_start(const struct kesco_region *region, int64_t amount) {
    bool again;

    return (struct kesco_outlook_start){kesco_attention_time(), passed_of(region, &again), amount};
}

enum kesco_outlook kesco_outlook_of(const struct kesco_region *region,
                                    const struct kesco_outlook_start *start, int64_t amount,
                                    int64_t *to_come) {
    static const struct kesco_outlook_start of_loops;
    const struct kesco_outlook_start *from = start == NULL ? &of_loops : start;
    enum kesco_outlook of_calls = KESCO_OUTLOOK_UNKNOWN;
    bool again;
    const int64_t passed = passed_of(region, &again);

    *to_come = 0;
    if (passed < ENOUGH || again)
        of_calls = find_outlook_of_calls(start, amount, to_come);
    if (of_calls != KESCO_OUTLOOK_UNKNOWN || passed < ENOUGH || passed == from->passed)
        return of_calls;
    *to_come = (int64_t)((double)(amount - from->amount) / (double)(passed - from->passed) *
                         (double)__atomic_load_n(&region->history->left, __ATOMIC_RELAXED));
    return again ? KESCO_OUTLOOK_LEAST : KESCO_OUTLOOK_ALL;
}

bool kesco_outlook_pays(const struct kesco_region *region, int64_t to_come, int64_t price) {
    static const struct kesco_outlook_start of_program;
    const int64_t elapsed = (int64_t)kesco_attention_time();
    int64_t left;

    if (to_come < KESCO_OUTLOOK_WELL * price || elapsed < EARLIEST * price)
        return false;
    kesco_outlook_of(region, &of_program, elapsed, &left);
    return elapsed >= left / BELIEF;
}

bool kesco_outlook_is_long(const struct kesco_region *region, int64_t passes) {
    bool again;

    return passed_of(region, &again) > 0 &&
           __atomic_load_n(&region->history->left, __ATOMIC_RELAXED) >= passes;
}
