/* Regions that are only told of, a clock and a device that show what tests say. */
#ifndef KESCO_TEST_RUNTIME_GOVERNED_H
#define KESCO_TEST_RUNTIME_GOVERNED_H

#include "runtime/region/contest.h"
#include "runtime/region/governor.h"
#include "runtime/region/lanes.h"
#include "test/cmocka.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SMALL = 100, FULL = 1 << 20 }; /* threads of a launch */

static const struct kesco_site short_kernel = {.kind = "kernel", .work = 60};

/* A millisecond, beside as much else. */
static const struct kesco_site long_kernel = {.kind = "kernel", .work = 300000, .beside = 300000};

static struct kesco_history history;
static const struct kesco_region two_lanes = {.lanes = 2, .events = 1, .history = &history};
static struct kesco_governor governor;
static double rate;    /* how long ops take, of what is estimated */
static uint64_t shown; /* by the clock, in nanoseconds */

int clock_gettime(clockid_t clock, struct timespec *time) {
    (void)clock;
    time->tv_sec = (time_t)(shown / 1000000000u);
    time->tv_nsec = (long)(shown % 1000000000u);
    return 0;
}

static float serial_says,
    lanes_say; /* milliseconds that the device had work for an opening; 0: it does not say */

static bool is_late; /* it is never done */
static int asked;

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t begin, cudaEvent_t end) {
    (void)begin, (void)end;
    asked++;
    if (is_late)
        return cudaErrorNotReady;
    *milliseconds = history.contest->timed.has_lanes ? lanes_say : serial_says;
    return *milliseconds > 0 ? cudaSuccess : cudaErrorNotSupported;
}

static bool refuses; /* to time anything */

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    (void)event, (void)stream;
    return refuses ? cudaErrorNotSupported : cudaSuccess;
}

static bool times; /* it is asked */
static int fences; /* of a pass with lanes */

static inline void forget(void) {
    kesco_contest_forget_openings();
    free(history.contest);
    shown = 1600000; /* long enough for a try, by what it may cost (purse.h) */
    memset(&history, 0, sizeof history);
}

static inline int set_up(void **state) {
    (void)state;
    forget();
    rate = 1;
    serial_says = lanes_say = 0;
    times = is_late = refuses = false;
    fences = 0;
    asked = 0;
    return 0;
}

/* True if the region has lanes from its opening on. */
static inline bool opens(void) {
    return kesco_governor_open(&governor, &two_lanes) == NULL;
}

/* True if it gets them before this op, or has them. */
static inline bool place(uint32_t lane, const struct kesco_site *site, uint64_t amount) {
    uint64_t share;

    kesco_governor_place(&governor, lane, site, amount);
    if (site != NULL && amount != KESCO_AMOUNT_UNKNOWN)
        shown += (uint64_t)(rate * (double)(2000 + kesco_governor_estimate(site, amount, &share)));
    return governor.on_lanes || (governor.counts && kesco_governor_pays(&governor, NULL));
}

/* The guard fails for the last op; two more follow, with lanes where they may. */
static inline void fence(void) {
    kesco_governor_note_fence(&governor);
    if (kesco_governor_begin_anew(&governor))
        kesco_governor_note_lanes(&governor);
    place(0, &long_kernel, SMALL);
    place(1, &long_kernel, SMALL);
}

/* A pass with two ops side by side, in which lanes are made when they pay. True: there are lanes. */
static inline bool pass(const struct kesco_site *site, uint64_t amount) {
    bool has = opens();

    if (times)
        kesco_governor_begin_timing(&governor, NULL, has);
    for (uint32_t lane = 0; lane < 2; lane++)
        if (place(lane, site, amount) && !has) {
            kesco_governor_note_lanes(&governor);
            has = true;
        }
    for (int i = 0; has && i < fences; i++)
        fence();
    kesco_governor_close(&governor, NULL);
    return has;
}

#endif
