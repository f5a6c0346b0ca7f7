#include "runtime/watch/device_clock.h"

#include "runtime/call.h"
#include "runtime/witness.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

enum { DEVICES = 64 }; /* those beyond have no clock */

/* The driver tells milliseconds as a float: farther away from the base than that, they are too coarse. */
#define MILLISECONDS_MOST 1000

struct device_clock {
    cudaStream_t stream; /* that nothing else uses */
    cudaEvent_t base;
    double base_time;             /* of the base, in microseconds */
    uint32_t epoch;               /* 0: it never ran */
    struct kesco_witness witness; /* of the device; if it ever ran */
    cudaEvent_t *idle;
    size_t idle_count, idle_capacity;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct device_clock clocks[DEVICES]; /* guarded by lock, as what follows */
static double first_start;                  /* of any clock, by the host's */

static double host_time(void) {
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static bool is_running(const struct device_clock *clock) {
    return clock->epoch != 0 && kesco_witness_is_there(&clock->witness);
}

/* A clock that starts again goes on no earlier than where it was. */
static double start_time(const struct device_clock *clock) {
    const double now = host_time();

    if (first_start == 0)
        first_start = now;
    return now - first_start > clock->base_time ? now - first_start : clock->base_time;
}

static cudaError_t start(struct device_clock *clock) {
    cudaError_t error = kesco_witness_choose(&clock->witness, (int)(clock - clocks));

    if (error == cudaSuccess)
        error = cudaStreamCreateWithFlags(&clock->stream, cudaStreamNonBlocking);
    if (error != cudaSuccess)
        return error;
    error = cudaEventCreate(&clock->base);
    if (error == cudaSuccess) {
        error = cudaEventRecord(clock->base, clock->stream);
        if (error != cudaSuccess)
            cudaEventDestroy(clock->base);
    }
    if (error != cudaSuccess) {
        cudaStreamDestroy(clock->stream);
        return error;
    }
    clock->base_time = start_time(clock);
    clock->epoch++;
    return cudaSuccess;
}

cudaError_t kesco_device_clock_start(int device) {
    cudaError_t error = cudaSuccess;

    if (device >= DEVICES)
        return cudaErrorInvalidDevice;
    pthread_mutex_lock(&lock);
    if (!is_running(&clocks[device])) {
        clocks[device].idle_count = 0;
        error = start(&clocks[device]);
    }
    pthread_mutex_unlock(&lock);
    return error;
}

static cudaError_t take_event(struct device_clock *clock, cudaEvent_t *event) {
    if (clock->idle_count == 0)
        return cudaEventCreate(event);
    *event = clock->idle[--clock->idle_count];
    return cudaSuccess;
}

static void give_back_event(struct device_clock *clock, cudaEvent_t event) {
    const size_t capacity = clock->idle_capacity == 0 ? 64 : 2 * clock->idle_capacity;
    cudaEvent_t *idle;

    if (clock->idle_count == clock->idle_capacity) {
        idle = realloc(clock->idle, capacity * sizeof *idle);
        if (idle == NULL) {
            cudaEventDestroy(event);
            return;
        }
        clock->idle = idle;
        clock->idle_capacity = capacity;
    }
    clock->idle[clock->idle_count++] = event;
}

cudaError_t kesco_device_clock_mark(struct kesco_mark *mark, int device, cudaStream_t stream) {
    struct device_clock *clock = &clocks[device];
    cudaError_t error;

    *mark = (struct kesco_mark){.device = device};
    pthread_mutex_lock(&lock);
    mark->epoch = clock->epoch;
    error = take_event(clock, &mark->event);
    if (error == cudaSuccess) {
        error = cudaEventRecord(mark->event, stream == KESCO_DEVICE_CLOCK_NOW ? clock->stream : stream);
        if (error != cudaSuccess) {
            cudaEventDestroy(mark->event);
            mark->event = NULL;
        }
    }
    pthread_mutex_unlock(&lock);
    return error;
}

/* The mark's event becomes the base, and the base's event the mark's. */
static void move_base(struct device_clock *clock, struct kesco_mark *mark, double time) {
    const cudaEvent_t base = clock->base;

    clock->base = mark->event;
    clock->base_time = time;
    mark->event = base;
}

static bool has(const struct device_clock *clock, const struct kesco_mark *mark) {
    return mark->event != NULL && mark->epoch == clock->epoch && is_running(clock);
}

bool kesco_device_clock_has(const struct kesco_mark *mark) {
    bool result;

    pthread_mutex_lock(&lock);
    result = has(&clocks[mark->device], mark);
    pthread_mutex_unlock(&lock);
    return result;
}

int kesco_device_clock_read(struct kesco_mark *mark, double *microseconds) {
    struct device_clock *clock = &clocks[mark->device];
    float milliseconds;
    int result = -ENODATA;

    pthread_mutex_lock(&lock);
    /* Nothing orders the base before what is on other streams. */
    if (has(clock, mark) && kesco_call_wait_patiently(clock->base) &&
        cudaEventElapsedTime(&milliseconds, clock->base, mark->event) == cudaSuccess) {
        *microseconds = clock->base_time + (double)milliseconds * 1000;
        if (milliseconds > MILLISECONDS_MOST)
            move_base(clock, mark, *microseconds);
        result = 0;
    }
    pthread_mutex_unlock(&lock);
    return result;
}

void kesco_device_clock_drop(struct kesco_mark *mark) {
    struct device_clock *clock = &clocks[mark->device];

    pthread_mutex_lock(&lock);
    if (mark->event != NULL && mark->epoch == clock->epoch)
        give_back_event(clock, mark->event);
    pthread_mutex_unlock(&lock);
    mark->event = NULL;
}
