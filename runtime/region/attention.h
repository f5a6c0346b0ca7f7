/*
 * Which passes of a region that may be replayed are looked at, and how long the host works between its ops.
 * Estimates and the clock take time themselves, so where graphs have long paid, or long not, it is few. Times
 * are nanoseconds of the host's monotonic clock.
 */
#ifndef KESCO_RUNTIME_REGION_ATTENTION_H
#define KESCO_RUNTIME_REGION_ATTENTION_H

#include "runtime/kesco_abi.h"

#include <stdbool.h>
#include <stdint.h>

struct kesco_attention {
    bool is_on;
    bool is_watched;                /* the pass is looked at */
    bool rested;                    /* it has been asleep since graphs paid, if they ever did */
    uint32_t weight;                /* passes that the pass stands for */
    uint32_t patience;              /* passes that it may still take to show that graphs pay */
    uint32_t asleep;                /* ops to be let pass, */
    uint32_t missed;                /* and those beyond */
    const struct kesco_site *start; /* of the pass after which it fell asleep; NULL: it is awake */
    uint64_t left;                  /* when the host went on with its own work; 0: not known */
    uint64_t closed;                /* when the region was; 0: not known */
    uint64_t opened;                /* when it was, last */
    uint64_t later;                 /* so long after it was closed */
};

/* What the clock shows. */
uint64_t kesco_attention_now(void);

/* The first region is opened; how long ago that was. */
void kesco_attention_start(void);
uint64_t kesco_attention_time(void);

/* `is_on`: else no pass is ever looked at. */
void kesco_attention_init(struct kesco_attention *attention, bool is_on);

/* The region is opened. True: so soon after it was closed that the device may still have work from before. */
bool kesco_attention_open(struct kesco_attention *attention);
void kesco_attention_close(struct kesco_attention *attention);

/* What comes next is looked at: a pass begins. */
void kesco_attention_wake(struct kesco_attention *attention);

/* True if the op of `site` is let pass: it belongs to no pass. */
bool kesco_attention_lets_pass(struct kesco_attention *attention, const struct kesco_site *site);

/* A pass begins, the `number`th, which is put off or not, and `must` be looked at or not. How long the host
 * has worked before, if that counts.
 */
uint64_t kesco_attention_begin(struct kesco_attention *attention, bool is_put_off, bool must,
                               uint64_t number);

/* An op of the pass comes: how long the host has worked since the one before, if that is known. */
uint64_t kesco_attention_arrive(struct kesco_attention *attention);

/* An op was launched, and the host goes on; or nobody knows what it does. */
void kesco_attention_leave(struct kesco_attention *attention);
void kesco_attention_forget(struct kesco_attention *attention);

/* A pass that was not put off ends, which began at `start` and has so many ops; `pays`: graphs of one do, or
 * would. */
void kesco_attention_end(struct kesco_attention *attention, bool pays, const struct kesco_site *start,
                         uint32_t ops);

#endif
