#include "test/vgpu/engine.h"

#include "test/vgpu/api.h"
#include "test/vgpu/capture.h"
#include "test/vgpu/counts.h"
#include "test/vgpu/fail.h"
#include "test/vgpu/host_access.h"
#include "test/vgpu/order.h"
#include "test/vgpu/settings.h"
#include "test/vgpu/stats.h"
#include "test/vgpu/timeline.h"
#include "test/vgpu/trace.h"

#include <unistd.h>

struct engine engine = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER, .steps = 1};
_Thread_local struct thread_state thread_state;
static pid_t owner;     /* of what there is to report: a child forked later has no part in it */
static bool used;       /* the API was called */
static bool is_a_child; /* forked before the first call: its calls are its own */

#define API_ENTRY(name, failure, flags) {#name, failure, flags},
const struct api api_table[API_COUNT] = {API_LIST(API_ENTRY)};
#undef API_ENTRY

uint64_t thread_id(void) {
    static uint64_t last;
    if (!thread_state.id)
        thread_state.id = ++last;
    return thread_state.id;
}

void engine_host_knows(const struct vector_clock *clock) {
    vector_clock_join(&engine.host, clock);
    engine.steps++;
}

void engine_fault(int device, cudaError_t error) {
    if (!engine.gpus[device].fault)
        engine.gpus[device].fault = error;
}

bool device_exists(int device) {
    return device >= 0 && device < settings.devices;
}

struct gpu *engine_gpu(void) {
    return &engine.gpus[thread_state.device];
}

void engine_use_context(void) {
    static uint64_t last;
    if (!engine_gpu()->context)
        engine_gpu()->context = ++last;
    thread_state.contexts[thread_state.device] = engine_gpu()->context;
}

/* Those that leave the context alone, which is often enough: real ones differ in who makes it. */
static bool uses_context(enum api_id id) {
    return !(api_table[id].flags & (API_AFTER_FAULT | API_OWN)) &&
           id != API_ID_cudaGetDriverEntryPointByVersion;
}

cudaError_t api_enter(enum api_id id) {
    pthread_mutex_lock(&engine.lock);
    if (thread_state.host_function)
        return cudaErrorNotPermitted;
    used = true;
    thread_state.api = api_table[id].name;
    if (uses_context(id))
        engine_use_context();
    const cudaError_t injected = fail_on_call(id, ++stats.calls[id]);
    if (injected)
        return injected;
    if (engine_gpu()->fault && !(api_table[id].flags & API_AFTER_FAULT))
        return engine_gpu()->fault;
    if (api_table[id].flags & API_UNSAFE && capture_check_unsafe())
        return cudaErrorStreamCaptureUnsupported;
    if (settings.check_races)
        thread_state.site = site_here();
    return cudaSuccess;
}

/*
 * cudaErrorNotReady is no error: it "is therefore not reported by cudaPeekAtLastError() or
 * cudaGetLastError()" (CUDA Programming Guide, "Error Checking").
 */
cudaError_t api_leave(enum api_id id, cudaError_t error) {
    if (!error && !(api_table[id].flags & (API_QUEUES | API_AFTER_FAULT)))
        error = engine_gpu()->fault;
    if (error && error == engine_gpu()->fault)
        engine_host_knows(&engine_gpu()->issued); /* nothing of the device runs any more */
    if (error && error != cudaErrorNotReady)
        thread_state.last_error = error;
    if (error != cudaErrorNotReady && !thread_state.host_function)
        timeline_call(id);
    pthread_mutex_unlock(&engine.lock);
    return error;
}

static void forked(void) {
    if (used)
        return;
    owner = getpid();
    is_a_child = true;
}

__attribute__((constructor)) static void start(void) {
    owner = getpid();
    pthread_atfork(NULL, NULL, forked);
    settings_read();
    if (settings.check_races || timeline_is_kept())
        host_access_start();
}

/*
 * Runs after the program's own exit handlers. Work that the program never waited for runs now, so that its
 * races show; its host functions do not: what they use may be gone.
 */
__attribute__((destructor)) static void finish(void) {
    if (getpid() != owner || (is_a_child && !used))
        return;
    pthread_mutex_lock(&engine.lock);
    engine.exiting = true;
    order_drain();
    if (timeline_is_kept())
        stats.times.virtual_time_us = timeline_end();
    counts_write();
    trace_write();
    stats_write();
    pthread_mutex_unlock(&engine.lock);
    if (!stats.order.races && !stats.held.summary_violations)
        return;
    fflush(NULL);
    _exit(EXIT_RACES);
}
