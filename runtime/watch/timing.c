#include "runtime/watch/timing.h"

#include "runtime/call.h"
#include "runtime/environment.h"
#include "runtime/watch/profile.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

enum { UNREAD_MOST = 1024 }; /* ops of one region; with more, some are read before its end */

static pthread_mutex_t late_lock = PTHREAD_MUTEX_INITIALIZER;
static struct kesco_timing *late; /* guarded by late_lock */

bool kesco_timings_open(struct kesco_timings *timings, cudaStream_t origin) {
    bool captured;

    *timings = (struct kesco_timings){.origin = origin == NULL ? cudaStreamLegacy : origin};
    if (cudaPeekAtLastError() != cudaSuccess)
        return false;
    captured = kesco_call_is_captured(timings->origin);
    if (captured)
        kesco_log("a captured region is not profiled");
    else
        kesco_witness_choose_current(&timings->witness);
    cudaGetLastError();
    return timings->witness.is_chosen;
}

static void discard(struct kesco_timing *timing) {
    cudaEventDestroy(timing->start);
    cudaEventDestroy(timing->end);
    free(timing);
}

/* NULL: there is no memory, or CUDA refuses. */
static struct kesco_timing *new_timing(const struct kesco_timings *timings, const struct kesco_site *site) {
    struct kesco_timing *timing = malloc(sizeof *timing);

    if (timing == NULL)
        return NULL;
    *timing = (struct kesco_timing){.site = site, .witness = timings->witness};
    if (cudaEventCreate(&timing->start) != cudaSuccess) {
        free(timing);
        return NULL;
    }
    if (cudaEventCreate(&timing->end) != cudaSuccess) {
        cudaEventDestroy(timing->start);
        free(timing);
        return NULL;
    }
    return timing;
}

static struct kesco_timing *start(const struct kesco_timings *timings, const struct kesco_site *site) {
    const enum cudaStreamCaptureMode mode = kesco_call_relax();
    struct kesco_timing *timing = new_timing(timings, site);

    if (timing != NULL && cudaEventRecord(timing->start, timings->origin) != cudaSuccess) {
        discard(timing);
        timing = NULL;
    }
    kesco_call_unrelax(mode);
    return timing;
}

/* The device was reset, which nobody can tell of one that cannot be asked: the events went with that. */
static bool is_lost(const struct kesco_timing *timing) {
    return !kesco_witness_is_there(&timing->witness);
}

/* Takes the first one off. */
static struct kesco_timing *take_first(struct kesco_timings *timings) {
    struct kesco_timing *timing = timings->first;

    timings->first = timing->next;
    timings->count--;
    return timing;
}

static void drop_lost(struct kesco_timings *timings) {
    while (timings->first != NULL && is_lost(timings->first))
        free(take_first(timings));
}

static void add(const struct kesco_timing *timing) {
    float milliseconds;

    if (cudaEventElapsedTime(&milliseconds, timing->start, timing->end) == cudaSuccess)
        kesco_profile_add(timing->site, (double)milliseconds * 1000, timing->exact);
}

/* Reads those that are done, in order, or failed. */
static void read_done(struct kesco_timings *timings) {
    for (drop_lost(timings);
         timings->first != NULL && cudaEventQuery(timings->first->end) != cudaErrorNotReady;
         drop_lost(timings)) {
        add(timings->first);
        discard(take_first(timings));
    }
}

static void read_patiently(struct kesco_timings *timings) {
    for (drop_lost(timings); timings->first != NULL && kesco_call_wait_patiently(timings->first->end);)
        read_done(timings);
}

/* Reads them all, unless an error is pending, which our calls would put others in the place of. */
static void read_all(struct kesco_timings *timings) {
    enum cudaStreamCaptureMode mode;

    if (timings->first == NULL || cudaPeekAtLastError() != cudaSuccess)
        return;
    mode = kesco_call_relax();
    read_patiently(timings);
    kesco_call_unrelax(mode);
    cudaGetLastError();
}

void kesco_timings_begin(struct kesco_timings *timings, const struct kesco_site *site) {
    kesco_timings_end(timings);
    if (site == NULL || cudaPeekAtLastError() != cudaSuccess)
        return;
    if (timings->count >= UNREAD_MOST)
        read_all(timings);
    if (timings->count < UNREAD_MOST)
        timings->open = start(timings, site);
    cudaGetLastError();
}

static void append(struct kesco_timings *timings, struct kesco_timing *timing) {
    if (timings->first == NULL)
        timings->first = timing;
    else
        timings->last->next = timing;
    timings->last = timing;
    timings->count++;
}

/* Where the origin has nothing left to do, how long it has been so cannot be told. */
static bool record_end(cudaStream_t origin, struct kesco_timing *timing) {
    const enum cudaStreamCaptureMode mode = kesco_call_relax();
    bool recorded;

    timing->exact = cudaStreamQuery(origin) == cudaErrorNotReady;
    recorded = cudaEventRecord(timing->end, origin) == cudaSuccess;
    kesco_call_unrelax(mode);
    return recorded;
}

/* An op that failed has left its error, and no time. */
void kesco_timings_end(struct kesco_timings *timings) {
    struct kesco_timing *timing = timings->open;
    cudaError_t before;

    if (timing == NULL)
        return;
    timings->open = NULL;
    before = cudaPeekAtLastError();
    if (before == cudaSuccess && record_end(timings->origin, timing))
        append(timings, timing);
    else
        discard(timing);
    kesco_call_take_back(before);
}

void kesco_timings_close(struct kesco_timings *timings) {
    kesco_timings_end(timings);
    read_all(timings);
    if (timings->first == NULL)
        return;
    pthread_mutex_lock(&late_lock);
    timings->last->next = late;
    late = timings->first;
    pthread_mutex_unlock(&late_lock);
    timings->first = NULL;
    timings->count = 0;
}

void kesco_timings_read_late(void) {
    struct kesco_timings timings = {0};

    pthread_mutex_lock(&late_lock);
    timings.first = late;
    late = NULL;
    pthread_mutex_unlock(&late_lock);
    read_all(&timings);
}
