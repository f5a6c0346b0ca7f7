#include "runtime/region/fetch_clock.h"

#include <stddef.h>
#include <string.h>

enum { MARKS = KESCO_FETCH_SPANS + 1 };

static void forget_events(struct kesco_fetch_clock *clock) {
    memset(clock->marks, 0, sizeof clock->marks);
    clock->spans = 0;
}

static void drop_events(struct kesco_fetch_clock *clock) {
    int i;

    for (i = 0; i < MARKS; i++)
        if (clock->marks[i] != NULL)
            cudaEventDestroy(clock->marks[i]);
    forget_events(clock);
}

/* All or none. */
static bool make_events(struct kesco_fetch_clock *clock) {
    int i;

    for (i = 0; i < MARKS; i++)
        if (clock->marks[i] == NULL && cudaEventCreate(&clock->marks[i]) != cudaSuccess) {
            clock->marks[i] = NULL;
            drop_events(clock);
            return false;
        }
    return true;
}

static bool record(struct kesco_fetch_clock *clock, uint32_t mark) {
    if (cudaEventRecord(clock->marks[mark], clock->stream) == cudaSuccess)
        return true;
    drop_events(clock);
    return false;
}

bool kesco_fetch_clock_begin(struct kesco_fetch_clock *clock, uint32_t spans, cudaStream_t stream) {
    if (!kesco_witness_is_there(&clock->witness)) {
        forget_events(clock);
        if (kesco_witness_choose_current(&clock->witness) != cudaSuccess)
            return false;
    }
    if (!make_events(clock))
        return false;
    clock->stream = stream;
    clock->spans = spans;
    clock->ended = 0;
    return record(clock, 0);
}

bool kesco_fetch_clock_runs(const struct kesco_fetch_clock *clock) {
    return clock->ended < clock->spans;
}

void kesco_fetch_clock_mark(struct kesco_fetch_clock *clock) {
    if (kesco_fetch_clock_runs(clock) && record(clock, clock->ended + 1))
        clock->ended++;
}

void kesco_fetch_clock_stop(struct kesco_fetch_clock *clock) {
    clock->spans = 0;
}

/* In nanoseconds, how long the span took. */
static cudaError_t duration_of(const struct kesco_fetch_clock *clock, uint32_t span, double *duration) {
    float milliseconds = 0;
    const cudaError_t error = cudaEventElapsedTime(&milliseconds, clock->marks[span], clock->marks[span + 1]);

    *duration = (double)milliseconds * 1e6;
    return error;
}

enum kesco_fetch_reading kesco_fetch_clock_read(const struct kesco_fetch_clock *clock, double *durations) {
    cudaError_t error = cudaSuccess;
    uint32_t span;

    if (clock->spans == 0 || !kesco_witness_is_there(&clock->witness))
        return KESCO_FETCH_FAILED;
    if (kesco_fetch_clock_runs(clock))
        return KESCO_FETCH_PENDING;
    for (span = 0; span < clock->spans && error == cudaSuccess; span++)
        error = duration_of(clock, span, &durations[span]);
    return error == cudaSuccess         ? KESCO_FETCH_READ
           : error == cudaErrorNotReady ? KESCO_FETCH_PENDING
                                        : KESCO_FETCH_FAILED;
}
