#include "runtime/region/attention.h"

#include "runtime/region/cost.h"

#include <stddef.h>
#include <time.h>

/*
 * Passes are looked at in rows, since what a pass saves depends on those before it: whether the device still
 * has work when it begins. For that, one more comes first, and does not count.
 */
enum {
    ROW = 8,       /* passes that count in a row */
    PATIENCE = 64, /* passes at first that did not show that graphs pay; then, */
    NAP = 119,     /* so many are not looked at between two rows, */
    FIND = 2048,   /* and the next one has to begin as the last did, within so many ops */
    PERIOD = 72,   /* of so many passes that are put off, a row is looked at */
};

/* Work of the host between two ops that is too short to tell it from what launching itself takes. */
enum { HARDLY_ANY = 2000 };

/* A region that is opened sooner after it was closed is likely to have had no wait of the host between. */
enum { SOON = 5000 };

static uint64_t begin; /* when the first region was opened */

uint64_t kesco_attention_now(void) {
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

void kesco_attention_start(void) {
    begin = kesco_attention_now();
}

uint64_t kesco_attention_time(void) {
    return kesco_attention_now() - begin;
}

void kesco_attention_init(struct kesco_attention *attention, bool is_on) {
    *attention = (struct kesco_attention){.is_on = is_on, .patience = PATIENCE};
}

bool kesco_attention_open(struct kesco_attention *attention) {
    attention->left = 0;
    attention->opened = attention->is_on && attention->start == NULL ? kesco_attention_now() : 0;
    attention->later = attention->closed != 0 ? attention->opened - attention->closed : SOON;
    return attention->later < SOON;
}

void kesco_attention_close(struct kesco_attention *attention) {
    attention->closed = attention->is_on && attention->start == NULL ? kesco_attention_now() : 0;
}

void kesco_attention_wake(struct kesco_attention *attention) {
    if (attention->start == NULL)
        return;
    attention->start = NULL;
    attention->left = 0;
    attention->rested = true;
    attention->patience = ROW;
}

bool kesco_attention_lets_pass(struct kesco_attention *attention, const struct kesco_site *site) {
    if (attention->start == NULL)
        return false;
    if (attention->asleep > 0) {
        attention->asleep--;
        return true;
    }
    if (site != attention->start && attention->missed++ < FIND)
        return true;
    kesco_attention_wake(attention);
    return false;
}

static uint32_t weigh(const struct kesco_attention *attention, bool is_put_off, bool must, uint64_t number) {
    if (is_put_off && must)
        return 1;
    if (is_put_off)
        return number % PERIOD == 0 ? 0 : PERIOD / ROW;
    if (!attention->rested)
        return 1;
    return attention->patience == ROW ? 0 : (NAP + 1 + ROW) / ROW;
}

uint64_t kesco_attention_begin(struct kesco_attention *attention, bool is_put_off, bool must,
                               uint64_t number) {
    const uint64_t later = attention->later;

    if (!attention->is_watched)
        attention->left = 0;
    attention->is_watched = attention->is_on && (!is_put_off || must || number % PERIOD <= ROW);
    attention->weight = weigh(attention, is_put_off, must, number);
    attention->later = 0;
    return attention->is_watched && later < SOON ? later : 0;
}

uint64_t kesco_attention_arrive(struct kesco_attention *attention) {
    const uint64_t arrived = kesco_attention_now(),
                   worked = attention->left != 0 ? arrived - attention->left : 0;

    attention->left = arrived;
    return worked >= HARDLY_ANY ? worked : 0;
}

void kesco_attention_leave(struct kesco_attention *attention) {
    const uint64_t began = attention->left;

    if (!attention->is_watched || attention->start != NULL)
        return;
    attention->left = kesco_attention_now();
    if (began != 0)
        kesco_cost_note(KESCO_COST_LAUNCH, attention->left - began);
}

void kesco_attention_forget(struct kesco_attention *attention) {
    attention->left = 0;
}

void kesco_attention_end(struct kesco_attention *attention, bool pays, const struct kesco_site *start,
                         uint32_t ops) {
    if (!attention->is_on)
        return;
    if (pays) {
        attention->patience = PATIENCE;
        attention->rested = false;
    }
    if (attention->patience > 0) {
        attention->patience--;
        return;
    }
    attention->start = start;
    attention->asleep = NAP * ops;
    attention->missed = 0;
}
