#include "runtime/watch/trace.h"

#include "runtime/call.h"
#include "runtime/environment.h"
#include "runtime/watch/activity.h"
#include "runtime/watch/output.h"
#include "runtime/watch/site.h"
#include "runtime/watch/trace_file.h"
#include "runtime/watch/trace_others.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* With more, those of a thread that are done are read before the end. To ask for them is to wait for them in
 * the virtual GPU's time, and takes the host some. */
enum { UNREAD_MOST = 4096 };

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct kesco_trace *traces; /* of all threads, the latest first; guarded by list_lock */
static uint32_t thread_count;      /* guarded by list_lock */
static atomic_bool is_written;
static atomic_bool has_activity; /* times are CUPTI's, rather than those of marks */
static atomic_bool no_memory;    /* for something */
static _Atomic uint64_t row_count, slice_count;
static _Thread_local struct kesco_trace *thread_trace;

static struct kesco_trace *new_trace(void) {
    struct kesco_trace *trace = calloc(1, sizeof *trace);

    if (trace == NULL) {
        no_memory = true;
        return NULL;
    }
    pthread_mutex_init(&trace->lock, NULL);
    pthread_mutex_lock(&list_lock);
    trace->thread = ++thread_count;
    trace->next = traces;
    traces = trace;
    pthread_mutex_unlock(&list_lock);
    return trace;
}

/* But for the number after it. The legacy default stream of a device has a name of its own. */
static bool have_one_name(const struct kesco_trace_row *a, const struct kesco_trace_row *b) {
    return a->lane == b->lane && a->device == b->device && a->stream != cudaStreamLegacy &&
           b->stream != cudaStreamLegacy;
}

static struct kesco_trace_row *new_row(struct kesco_trace *trace, uint32_t lane, cudaStream_t stream) {
    struct kesco_trace_row *row = calloc(1, sizeof *row), **link;

    if (row == NULL)
        return NULL;
    row->id = ++row_count;
    row->device = trace->open.device;
    row->lane = lane;
    row->stream = stream;
    for (link = &trace->rows; *link != NULL; link = &(*link)->next)
        row->twins += have_one_name(*link, row);
    *link = row;
    return row;
}

/* NULL: there is no memory. */
static struct kesco_trace_row *find_row(struct kesco_trace *trace, uint32_t lane, cudaStream_t stream) {
    struct kesco_trace_row *row;

    for (row = trace->rows; row != NULL; row = row->next)
        if (row->lane == lane && row->stream == stream && row->device == trace->open.device)
            return row;
    return new_row(trace, lane, stream);
}

/* NULL: there is no memory. */
static struct kesco_slice *new_slice(struct kesco_trace *trace, uint32_t lane, cudaStream_t stream,
                                     const struct kesco_site *site) {
    struct kesco_slice *slice = calloc(1, sizeof *slice);

    if (slice != NULL) {
        slice->row = find_row(trace, lane, stream);
        slice->site = kesco_site_keep(site);
    }
    if (slice == NULL || slice->row == NULL || slice->site == NULL) {
        no_memory = true;
        free(slice);
        return NULL;
    }
    slice->id = ++slice_count;
    slice->region = trace->open.region;
    if (trace->slices.first == NULL)
        trace->slices.first = slice;
    else
        trace->slices.last->next = slice;
    trace->slices.last = slice;
    return slice;
}

/* Its end is marked. */
static void add_unread(struct kesco_trace *trace, struct kesco_slice *slice) {
    if (trace->unread.first == NULL)
        trace->unread.first = slice;
    else
        trace->unread.last->unread = slice;
    trace->unread.last = slice;
    trace->unread_count++;
}

static void read_first(struct kesco_trace *trace) {
    struct kesco_slice *slice = trace->unread.first;

    if (!has_activity)
        slice->timed = kesco_device_clock_read(&slice->begin.mark, &slice->begin.time) == 0 &&
                       kesco_device_clock_read(&slice->end.mark, &slice->end.time) == 0;
    kesco_device_clock_drop(&slice->begin.mark);
    kesco_device_clock_drop(&slice->end.mark);
    trace->unread.first = slice->unread;
    trace->unread_count--;
}

/* What is lost is done, too. */
static bool is_done(const struct kesco_mark *mark) {
    return !kesco_device_clock_has(mark) || cudaEventQuery(mark->event) != cudaErrorNotReady;
}

static bool wait_for(const struct kesco_mark *mark) {
    return !kesco_device_clock_has(mark) || kesco_call_wait_patiently(mark->event);
}

static void read_done(struct kesco_trace *trace) {
    while (trace->unread.first != NULL && is_done(&trace->unread.first->end.mark))
        read_first(trace);
}

/* What is not done by then, never is. */
static void read_all(struct kesco_trace *trace) {
    while (trace->unread.first != NULL && wait_for(&trace->unread.first->end.mark))
        read_first(trace);
}

/* There is no record of the region's events yet. Events for which there is no memory have no arrows. */
static void clear_events(struct kesco_trace *trace, uint32_t count) {
    struct kesco_slice **recorded;

    if (count > trace->open.events_most) {
        recorded = realloc(trace->open.recorded, count * sizeof *recorded);
        if (recorded != NULL) {
            trace->open.recorded = recorded;
            trace->open.events_most = count;
        }
    }
    trace->open.events = count < trace->open.events_most ? count : trace->open.events_most;
    if (trace->open.events > 0)
        memset(trace->open.recorded, 0, trace->open.events * sizeof *trace->open.recorded);
}

static bool open_slice(struct kesco_trace *trace, const struct kesco_region *region, const char *serial) {
    const struct kesco_site site = {
        .kind = "region",
        .name = region->function != NULL ? region->function : "region",
        .function = region->function,
        .file = region->file,
        .line = region->line,
        .call_line = region->line,
    };
    struct kesco_slice *slice = new_slice(trace, KESCO_TRACE_HOST, NULL, &site);

    if (slice == NULL)
        return false;
    slice->about.lanes = region->lanes;
    slice->about.serial = serial;
    slice->about.captured = kesco_call_is_captured(trace->open.origin);
    trace->open.region = slice;
    if (kesco_device_clock_start(trace->open.device) != cudaSuccess)
        return false;
    has_activity = kesco_activity_start();
    if (!has_activity)
        return kesco_device_clock_mark(&slice->begin.mark, trace->open.device, KESCO_DEVICE_CLOCK_NOW) ==
               cudaSuccess;
    slice->begin.time = kesco_activity_now();
    return true;
}

/* With no error pending. */
static bool open_region(struct kesco_trace *trace, cudaStream_t origin, const struct kesco_region *region,
                        const char *serial) {
    const enum cudaStreamCaptureMode mode = kesco_call_relax();
    bool opened;

    trace->open.region = NULL;
    trace->open.origin = origin == NULL ? cudaStreamLegacy : origin;
    trace->waits.count = trace->waits.found;
    memset(trace->open.latest, 0, sizeof trace->open.latest);
    clear_events(trace, region->events);
    opened = cudaGetDevice(&trace->open.device) == cudaSuccess && open_slice(trace, region, serial);
    kesco_call_unrelax(mode);
    cudaGetLastError();
    return opened;
}

bool kesco_trace_open(cudaStream_t origin, const struct kesco_region *region, const char *serial) {
    struct kesco_trace *trace;
    bool opened;

    if (kesco_environment()->trace == NULL || is_written)
        return false;
    if (thread_trace == NULL)
        thread_trace = new_trace();
    trace = thread_trace;
    if (trace == NULL)
        return false;
    pthread_mutex_lock(&trace->lock);
    opened = cudaPeekAtLastError() == cudaSuccess && open_region(trace, origin, region, serial);
    trace->refused += !opened;
    pthread_mutex_unlock(&trace->lock);
    return opened;
}

void kesco_trace_collapse(const char *why) {
    thread_trace->open.region->about.serial = why;
}

/* The waits of `lane` that have found no op yet find this one. */
static void find_waits(struct kesco_trace *trace, uint32_t lane, const struct kesco_slice *slice) {
    struct kesco_trace_wait *waits = trace->waits.items, found;
    size_t i;

    for (i = trace->waits.found; i < trace->waits.count; i++)
        if (waits[i].lane == lane) {
            found = waits[i];
            found.to = slice;
            waits[i] = waits[trace->waits.found];
            waits[trace->waits.found++] = found;
        }
}

/* The slice ends after what `stream` has. One that ends after an error of the program has no time. */
static void mark_end(struct kesco_trace *trace, struct kesco_slice *slice, cudaStream_t stream) {
    enum cudaStreamCaptureMode mode;

    if (cudaPeekAtLastError() != cudaSuccess)
        return;
    mode = kesco_call_relax();
    if (kesco_device_clock_mark(&slice->end.mark, trace->open.device, stream) == cudaSuccess)
        add_unread(trace, slice);
    kesco_call_unrelax(mode);
    cudaGetLastError();
}

static void begin_op(struct kesco_trace *trace, uint32_t lane, cudaStream_t stream,
                     const struct kesco_site *site) {
    static const struct kesco_site unknown = {.kind = "op", .name = "op"};
    const uint32_t row_lane = stream == trace->open.origin ? KESCO_TRACE_ORIGIN : lane;
    struct kesco_slice *slice = new_slice(trace, row_lane, stream, site != NULL ? site : &unknown);

    trace->open.latest[lane] = slice;
    find_waits(trace, lane, slice);
    if (slice == NULL) {
        trace->refused++;
        return;
    }
    if (has_activity)
        kesco_activity_push(slice->id);
    else if (kesco_device_clock_mark(&slice->begin.mark, trace->open.device, stream) != cudaSuccess)
        return;
    trace->open.op = slice;
}

static void begin(struct kesco_trace *trace, uint32_t lane, cudaStream_t stream,
                  const struct kesco_site *site) {
    enum cudaStreamCaptureMode mode;

    if (cudaPeekAtLastError() != cudaSuccess) {
        trace->open.latest[lane] = NULL;
        find_waits(trace, lane, NULL);
        trace->refused++;
        return;
    }
    mode = kesco_call_relax();
    if (trace->unread_count >= UNREAD_MOST)
        read_done(trace);
    begin_op(trace, lane, stream == NULL ? cudaStreamLegacy : stream, site);
    kesco_call_unrelax(mode);
    cudaGetLastError();
}

void kesco_trace_begin(uint32_t lane, cudaStream_t stream, const struct kesco_site *site) {
    struct kesco_trace *trace = thread_trace;

    pthread_mutex_lock(&trace->lock);
    if (!trace->open.region->about.captured)
        begin(trace, lane, stream, site);
    pthread_mutex_unlock(&trace->lock);
}

void kesco_trace_begin_again(void) {
    struct kesco_trace *trace = thread_trace;
    const cudaError_t before = cudaPeekAtLastError();

    if (trace->open.op != NULL && !has_activity && before == cudaSuccess &&
        cudaEventRecord(trace->open.op->begin.mark.event, trace->open.op->row->stream) != cudaSuccess)
        kesco_call_take_back(before);
}

void kesco_trace_end(void) {
    struct kesco_trace *trace = thread_trace;
    struct kesco_slice *op = trace->open.op;

    if (op == NULL)
        return;
    trace->open.op = NULL;
    if (has_activity) {
        kesco_activity_pop();
        return;
    }
    pthread_mutex_lock(&trace->lock);
    mark_end(trace, op, op->row->stream);
    pthread_mutex_unlock(&trace->lock);
}

void kesco_trace_record(uint32_t event, uint32_t lane) {
    struct kesco_trace *trace = thread_trace;

    if (event < trace->open.events)
        trace->open.recorded[event] = trace->open.latest[lane];
}

static bool is_known(const struct kesco_trace *trace, const struct kesco_slice *from, uint32_t lane) {
    size_t i;

    for (i = trace->waits.found; i < trace->waits.count; i++)
        if (trace->waits.items[i].from == from && trace->waits.items[i].lane == lane)
            return true;
    return false;
}

/* A wait for which there is no memory has no arrow. */
static void add_wait(struct kesco_trace *trace, const struct kesco_slice *from, uint32_t lane) {
    const size_t capacity = trace->waits.capacity == 0 ? 64 : 2 * trace->waits.capacity;
    struct kesco_trace_wait *waits;

    if (trace->waits.count == trace->waits.capacity) {
        waits = realloc(trace->waits.items, capacity * sizeof *waits);
        if (waits == NULL)
            return;
        trace->waits.items = waits;
        trace->waits.capacity = capacity;
    }
    trace->waits.items[trace->waits.count++] = (struct kesco_trace_wait){.from = from, .lane = lane};
}

void kesco_trace_wait(uint32_t event, uint32_t lane) {
    struct kesco_trace *trace = thread_trace;
    const struct kesco_slice *from = event < trace->open.events ? trace->open.recorded[event] : NULL;

    pthread_mutex_lock(&trace->lock);
    if (from != NULL && !is_known(trace, from, lane))
        add_wait(trace, from, lane);
    pthread_mutex_unlock(&trace->lock);
}

/* Without marks on its ops, the region's own tells when they are all done. */
void kesco_trace_close(void) {
    struct kesco_trace *trace = thread_trace;
    struct kesco_slice *region = trace->open.region;

    pthread_mutex_lock(&trace->lock);
    if (has_activity) {
        region->end.time = kesco_activity_now();
        region->timed = true;
    }
    if (!region->about.captured || !has_activity)
        mark_end(trace, region, has_activity ? trace->open.origin : KESCO_DEVICE_CLOCK_NOW);
    trace->open.region = NULL;
    pthread_mutex_unlock(&trace->lock);
}

static void read_traces(void) {
    struct kesco_trace *trace;

    for (trace = traces; trace != NULL; trace = trace->next) {
        pthread_mutex_lock(&trace->lock);
        read_all(trace);
        pthread_mutex_unlock(&trace->lock);
    }
}

static void find_times(struct kesco_trace *trace) {
    struct kesco_slice *slice;

    for (slice = trace->slices.first; slice != NULL; slice = slice->next)
        if (slice->region != NULL)
            slice->timed = kesco_activity_find(slice->id, &slice->begin.time, &slice->end.time);
}

static void find_all_times(void) {
    struct kesco_trace *trace;

    kesco_activity_finish();
    for (trace = traces; trace != NULL; trace = trace->next) {
        pthread_mutex_lock(&trace->lock);
        find_times(trace);
        pthread_mutex_unlock(&trace->lock);
    }
}

/* After those of threads. */
static void add_others(void) {
    static struct kesco_trace others = {.lock = PTHREAD_MUTEX_INITIALIZER};

    others.thread = thread_count + 1;
    others.next = traces;
    traces = &others;
    kesco_trace_add_others(&others, row_count + 1, slice_count + 1);
}

static bool print(FILE *file) {
    struct kesco_trace *trace;
    bool printed;

    for (trace = traces; trace != NULL; trace = trace->next)
        pthread_mutex_lock(&trace->lock);
    printed = kesco_trace_file_print(file, traces, has_activity ? "CUPTI" : "CUDA events", has_activity);
    for (trace = traces; trace != NULL; trace = trace->next)
        pthread_mutex_unlock(&trace->lock);
    return printed;
}

void kesco_trace_write(const char *path) {
    const cudaError_t before = cudaPeekAtLastError();
    const enum cudaStreamCaptureMode mode = kesco_call_relax();

    is_written = true;
    pthread_mutex_lock(&list_lock);
    read_traces();
    if (has_activity) {
        find_all_times();
        add_others();
    }
    kesco_call_unrelax(mode);
    kesco_call_take_back(before);
    if (no_memory)
        fprintf(stderr, "kesco: KESCO_TRACE='%s' lacks ops that there was no memory for\n", path);
    kesco_output_write("KESCO_TRACE", path, print);
    pthread_mutex_unlock(&list_lock);
}
