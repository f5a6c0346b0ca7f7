#include "runtime/watch/watch.h"

#include "runtime/environment.h"
#include "runtime/watch/activity.h"
#include "runtime/watch/nvtx.h"
#include "runtime/watch/profile.h"
#include "runtime/watch/trace.h"

#include <inttypes.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static bool is_wanted; /* by the log, the trace or a tool */
static pthread_once_t is_wanted_once = PTHREAD_ONCE_INIT;

static void find_out(void) {
    is_wanted = kesco_nvtx_is_attached() || kesco_environment()->trace != NULL || kesco_environment()->log;
}

/* Counts from here on if asked to. True: KESCO_ONLY leaves the region out. */
__attribute__((noinline, cold)) static bool find_statistics(struct kesco_watch *watch,
                                                            const struct kesco_environment *environment) {
    struct kesco_statistics *found = kesco_statistics_find(watch->region);

    if (environment->statistics != KESCO_STATISTICS_NONE) {
        watch->counted = found;
        memset(watch->ops, 0, sizeof watch->ops);
    }
    return found != NULL ? found->excluded : environment->only != NULL;
}

const char *kesco_watch_look_up(struct kesco_watch *watch, cudaStream_t origin,
                                const struct kesco_region *region) {
    const struct kesco_environment *environment = kesco_environment();
    bool excluded;

    watch->region = region;
    watch->origin = origin;
    watch->counted = NULL;
    excluded = (environment->statistics != KESCO_STATISTICS_NONE || environment->only != NULL) &&
               find_statistics(watch, environment);
    watch->timed = environment->profile != NULL && kesco_timings_open(&watch->timings, origin);
    if (watch->timed)
        return "KESCO_PROFILE is set";
    if (environment->disable)
        return "KESCO_DISABLE=1";
    return excluded ? "KESCO_ONLY does not name the function" : NULL;
}

static void open_tool(struct kesco_watch *watch) {
    watch->tool = (struct kesco_watch_tool){.listens = kesco_nvtx_is_attached()};
    if (watch->tool.listens)
        kesco_nvtx_push(watch->region->function != NULL ? watch->region->function : "region");
}

/* The region's lanes and events, in words. */
struct lanes_text {
    char text[64];
};

static struct lanes_text lanes_of(const struct kesco_region *region) {
    struct lanes_text result;

    snprintf(result.text, sizeof result.text, "%u %s, %u %s", region->lanes,
             region->lanes == 1 ? "lane" : "lanes", region->events, region->events == 1 ? "event" : "events");
    return result;
}

static void log_opening(const struct kesco_region *region, const char *serial) {
    const char *function = kesco_statistics_function(region), *file = kesco_statistics_file(region);

    if (serial != NULL)
        kesco_log("region of %u %s runs serially: %s (%s, %s:%u)", region->lanes,
                  region->lanes == 1 ? "lane" : "lanes", serial, function, file, region->line);
    else
        kesco_log("region begins: %s (%s, %s:%u)", lanes_of(region).text, function, file, region->line);
}

static bool push(const struct kesco_watch *watch) {
    if (watch->counted == NULL || kesco_environment()->statistics != KESCO_STATISTICS_ALL ||
        !kesco_activity_start())
        return false;
    kesco_activity_push(KESCO_ACTIVITY_REGION);
    return true;
}

bool kesco_watch_open(struct kesco_watch *watch, const char *serial) {
    pthread_once(&is_wanted_once, find_out);
    watch->pushed = push(watch);
    watch->traced = watch->tool.listens = false;
    watch->run = (struct kesco_run){.lanes = watch->region->lanes, .ops = watch->ops, .serial = serial};
    if (is_wanted) {
        watch->traced = kesco_trace_open(watch->origin, watch->region, serial);
        open_tool(watch);
        log_opening(watch->region, serial);
    }
    return watch->traced || watch->tool.listens || watch->timed || watch->counted != NULL;
}

/* Why it runs serially from here on, which is told as `event`. */
static void note_serial(struct kesco_watch *watch, const char *why, const char *event) {
    const struct kesco_region *region = watch->region;

    watch->run.serial = why;
    if (watch->traced)
        kesco_trace_collapse(why);
    kesco_log("%s: %s (%s, %s:%u)", event, why, kesco_statistics_function(region),
              kesco_statistics_file(region), region->line);
}

void kesco_watch_collapse(struct kesco_watch *watch, const char *why) {
    note_serial(watch, why, "the rest of a region runs serially");
}

void kesco_watch_fence(struct kesco_watch *watch, const char *why) {
    note_serial(watch, why, "an op comes behind all of a region so far, and the rest behind it");
}

void kesco_watch_decide(struct kesco_watch *watch, const char *serial) {
    const struct kesco_region *region = watch->region;

    watch->run.serial = serial;
    if (watch->traced)
        kesco_trace_collapse(serial);
    if (serial == NULL)
        kesco_log("a region gets %s (%s, %s:%u)", lanes_of(region).text, kesco_statistics_function(region),
                  kesco_statistics_file(region), region->line);
    else
        kesco_log("a region gets no lanes: %s (%s, %s:%u)", serial, kesco_statistics_function(region),
                  kesco_statistics_file(region), region->line);
}

void kesco_watch_guard_failed(struct kesco_watch *watch) {
    watch->run.guard_failures++;
    kesco_watch_begin_again(watch);
}

/* The program names its own streams. */
static void name_stream(struct kesco_watch *watch, uint32_t lane, cudaStream_t stream) {
    const uint64_t bit = (uint64_t)1 << lane % 64;

    if (stream == watch->origin || (watch->tool.named[lane / 64] & bit) != 0)
        return;
    watch->tool.named[lane / 64] |= bit;
    kesco_nvtx_name_stream(stream, lane);
}

void kesco_watch_begin(struct kesco_watch *watch, uint32_t lane, cudaStream_t stream,
                       const struct kesco_site *site) {
    watch->ops[lane]++;
    if (watch->timed)
        kesco_timings_begin(&watch->timings, site);
    if (watch->tool.listens) {
        name_stream(watch, lane, stream);
        kesco_nvtx_push(site != NULL && site->name != NULL ? site->name : "op");
        watch->tool.in_op = true;
    }
    if (watch->traced)
        kesco_trace_begin(lane, stream, site);
}

void kesco_watch_begin_again(const struct kesco_watch *watch) {
    if (watch->traced)
        kesco_trace_begin_again();
}

void kesco_watch_end(struct kesco_watch *watch) {
    if (watch->timed)
        kesco_timings_end(&watch->timings);
    if (watch->traced)
        kesco_trace_end();
    if (watch->tool.listens && watch->tool.in_op)
        kesco_nvtx_pop();
    watch->tool.in_op = false;
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

void kesco_watch_tell_end(struct kesco_watch *watch, const char *what) {
    const struct kesco_region *region = watch->region;

    watch->run.end = what;
    kesco_log("a region that goes through calls ends before %s (%s, %s:%u)", what,
              kesco_statistics_function(region), kesco_statistics_file(region), region->line);
}

void kesco_watch_close(struct kesco_watch *watch) {
    if (watch->timed)
        kesco_timings_close(&watch->timings);
    if (watch->traced)
        kesco_trace_close();
    if (watch->tool.listens)
        kesco_nvtx_pop();
    if (watch->pushed)
        kesco_activity_pop();
    watch->run.origin_ops = watch->ops[KESCO_LANES_MOST];
    if (watch->counted != NULL)
        kesco_statistics_add(watch->counted, &watch->run);
}

/* What the table has not. */
static void print_outside(FILE *file) {
    struct kesco_activity_counts counts;

    if (kesco_environment()->statistics != KESCO_STATISTICS_ALL) {
        fputs("kesco: not counted: ops outside of these regions, as launches that stay as they are, and "
              "copies alone; KESCO_STATS=all counts them\n",
              file);
        return;
    }
    if (!kesco_activity_start()) {
        fputs("kesco: not counted: ops outside of these regions, as there is no CUPTI\n", file);
        return;
    }
    kesco_activity_finish();
    counts = kesco_activity_count_outside();
    fprintf(file,
            "kesco: outside of these regions, from the first on: kernels %" PRIu64 ", copies %" PRIu64
            ", memsets %" PRIu64 "\n",
            counts.kernels, counts.copies, counts.memsets);
}

void kesco_watch_end_process(void) {
    const struct kesco_environment *environment = kesco_environment();

    if (environment->profile != NULL) {
        kesco_timings_read_late();
        kesco_profile_write(environment->profile);
    }
    if (environment->statistics != KESCO_STATISTICS_NONE && kesco_statistics_print(stderr))
        print_outside(stderr);
    kesco_statistics_check_only(stderr);
    if (environment->trace != NULL)
        kesco_trace_write(environment->trace);
}
