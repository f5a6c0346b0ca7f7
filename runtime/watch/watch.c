#include "runtime/watch/watch.h"

#include "runtime/environment.h"
#include "runtime/watch/nvtx.h"
#include "runtime/watch/trace.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>

static bool is_wanted; /* by anybody */
static pthread_once_t is_wanted_once = PTHREAD_ONCE_INIT;

static void find_out(void) {
    is_wanted = kesco_environment()->trace != NULL || kesco_nvtx_is_attached();
}

static void annotate(struct kesco_watch *watch, const struct kesco_region *region) {
    watch->annotated = kesco_nvtx_is_attached();
    if (!watch->annotated)
        return;
    watch->in_op = false;
    memset(watch->named, 0, sizeof watch->named);
    kesco_nvtx_push(region->function != NULL ? region->function : "region");
}

bool kesco_watch_open(struct kesco_watch *watch, cudaStream_t origin, const struct kesco_region *region,
                      const char *serial) {
    pthread_once(&is_wanted_once, find_out);
    if (!is_wanted)
        return false;
    watch->origin = origin;
    watch->traced = kesco_trace_open(origin, region, serial);
    annotate(watch, region);
    return watch->traced || watch->annotated;
}

void kesco_watch_collapse(const struct kesco_watch *watch, const char *why) {
    if (watch->traced)
        kesco_trace_collapse(why);
}

/* The program names its own streams. */
static void name_stream(struct kesco_watch *watch, uint32_t lane, cudaStream_t stream) {
    const uint64_t bit = (uint64_t)1 << lane % 64;

    if (stream == watch->origin || (watch->named[lane / 64] & bit) != 0)
        return;
    watch->named[lane / 64] |= bit;
    kesco_nvtx_name_stream(stream, lane);
}

void kesco_watch_begin(struct kesco_watch *watch, uint32_t lane, cudaStream_t stream,
                       const struct kesco_site *site) {
    if (watch->annotated) {
        name_stream(watch, lane, stream);
        kesco_nvtx_push(site != NULL && site->name != NULL ? site->name : "op");
        watch->in_op = true;
    }
    if (watch->traced)
        kesco_trace_begin(lane, stream, site);
}

void kesco_watch_begin_again(const struct kesco_watch *watch) {
    if (watch->traced)
        kesco_trace_begin_again();
}

void kesco_watch_end(struct kesco_watch *watch) {
    if (watch->traced)
        kesco_trace_end();
    if (watch->annotated && watch->in_op)
        kesco_nvtx_pop();
    watch->in_op = false;
}

void kesco_watch_record(struct kesco_watch *watch, uint32_t event, uint32_t lane) {
    kesco_watch_end(watch);
    if (watch->traced)
        kesco_trace_record(event, lane);
}

void kesco_watch_wait(struct kesco_watch *watch, uint32_t event, uint32_t lane) {
    kesco_watch_end(watch);
    if (watch->traced)
        kesco_trace_wait(event, lane);
}

void kesco_watch_close(const struct kesco_watch *watch) {
    if (watch->traced)
        kesco_trace_close();
    if (watch->annotated)
        kesco_nvtx_pop();
}

void kesco_watch_end_process(void) {
    const char *path = kesco_environment()->trace;

    if (path != NULL)
        kesco_trace_write(path);
}
