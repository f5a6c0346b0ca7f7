#include "runtime/region/fetch_calls.h"

#include "runtime/call.h"
#include "runtime/region/attention.h"

#include <stddef.h>

void kesco_fetch_calls_clear(struct kesco_fetch_calls *calls) {
    calls->was_busy = false;
}

static double *nothing_of(struct kesco_fetch_calls *calls) {
    return calls->of_large != NULL ? calls->of_large : &calls->nothing;
}

bool kesco_fetch_calls_begin(struct kesco_fetch_calls *calls, double *of_large, cudaStream_t stream,
                             bool asks) {
    calls->of_large = of_large;
    calls->asked = calls->made = 0;
    calls->is_busy = calls->was_busy || (asks && kesco_call_is_busy(stream));
    calls->was_busy = calls->is_busy;
    return !calls->is_busy || calls->tells_busily;
}

bool kesco_fetch_calls_know(const struct kesco_fetch_calls *calls) {
    return (calls->of_large != NULL ? *calls->of_large : calls->nothing) > 0;
}

bool kesco_fetch_calls_are_sure(const struct kesco_fetch_calls *calls) {
    enum { SECONDS = 4 };

    return calls->of_large == NULL && calls->seconds >= SECONDS;
}

void kesco_fetch_calls_start(struct kesco_fetch_calls *calls, uint32_t count) {
    calls->asked = count;
    calls->made = 0;
    calls->begin = kesco_attention_now();
}

/* A call that moved something takes as long again as one for small memory that does not, and as clocks
 * differ. */
static enum kesco_fetch_verdict judge(struct kesco_fetch_calls *calls, double last) {
    double *nothing = nothing_of(calls);

    calls->seconds += calls->asked > 1 && calls->of_large == NULL;
    if ((calls->asked > 1 || *nothing > 0) && (*nothing <= 0 || last < *nothing))
        *nothing = last;
    if (*nothing <= 0)
        return KESCO_FETCH_UNKNOWN;
    if (calls->first > *nothing * 9 / 8 + (calls->nothing > 0 ? calls->nothing : *nothing)) {
        calls->tells_busily |= calls->is_busy;
        return KESCO_FETCH_MOVED;
    }
    return calls->is_busy && !calls->tells_busily ? KESCO_FETCH_UNKNOWN : KESCO_FETCH_NOTHING;
}

enum kesco_fetch_verdict kesco_fetch_calls_mark(struct kesco_fetch_calls *calls) {
    const uint64_t end = kesco_attention_now();
    const double took = (double)(end - calls->begin);

    if (calls->made == calls->asked)
        return KESCO_FETCH_UNKNOWN;
    calls->begin = end;
    if (calls->made++ == 0)
        calls->first = took;
    return calls->made == calls->asked ? judge(calls, took) : KESCO_FETCH_UNKNOWN;
}

void kesco_fetch_calls_restart(struct kesco_fetch_calls *calls) {
    calls->begin = kesco_attention_now();
}
