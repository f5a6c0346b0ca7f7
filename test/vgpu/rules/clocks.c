/*
 * The host's monotonic clock: virtual time where that is kept, so that a program that measures itself finds
 * the same each time; sleeps and deadlines are on it.
 */
#define _GNU_SOURCE
#include "test/vgpu/device.h"
#include "test/vgpu/host_access.h"
#include "test/vgpu/rules/rules.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

/* A grid that takes all places of the device; microseconds. */
enum { THREADS = 256, BLOCKS = 132 * 8, SLEEP = 2000 };

static double now(void) {
    struct timespec time;
    REQUIRE(clock_gettime(CLOCK_MONOTONIC, &time) == 0);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static cudaEvent_t record(void) {
    cudaEvent_t event;
    OK(cudaEventCreate(&event));
    OK(cudaEventRecord(event, 0));
    return event;
}

static void work(uint64_t instructions) {
    launch_work(BLOCKS, THREADS, NULL, 0, instructions, 0);
}

static bool are_close(double a, double b) {
    return a < 1.05 * b && b < 1.05 * a;
}

static void a_wait_takes_what_events_tell(void) {
    float milliseconds;
    OK(cudaDeviceSynchronize());
    const cudaEvent_t first = record();
    const double begin = now();
    work(400000);
    const cudaEvent_t last = record();
    const double issued = now();
    OK(cudaDeviceSynchronize());
    const double end = now();
    OK(cudaEventElapsedTime(&milliseconds, first, last));
    REQUIRE(are_close(end - begin, milliseconds * 1e3));
    REQUIRE(issued - begin < 0.05 * (end - begin));
}

/* What has not run yet is known to take some time once it has. */
static void the_clock_never_goes_back(void) {
    double last = now();
    for (int i = 0; i < 50; i++) {
        work(1000);
        if (i % 7 == 0)
            OK(cudaDeviceSynchronize());
        const double shown = now();
        REQUIRE(shown > last);
        last = shown;
    }
}

static void a_program_may_wait_for_the_clock(void) {
    for (const double begin = now(); now() < begin + 1000;)
        ;
}

static struct timespec in_a_while(void) {
    struct timespec until;
    REQUIRE(clock_gettime(CLOCK_MONOTONIC, &until) == 0);
    until.tv_nsec += SLEEP * 1000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    return until;
}

static void sleep_by_usleep(void) {
    REQUIRE(usleep(SLEEP) == 0);
}

static void sleep_by_nanosleep(void) {
    const struct timespec duration = {0, SLEEP * 1000};
    REQUIRE(nanosleep(&duration, NULL) == 0);
}

static void sleep_until(void) {
    const struct timespec until = in_a_while();
    REQUIRE(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == 0);
}

static void wait_in_vain(void) {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    const struct timespec until = in_a_while();
    pthread_mutex_lock(&mutex);
    REQUIRE(pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &until) == ETIMEDOUT);
    pthread_mutex_unlock(&mutex);
}

static void sleeps_are_seen(void) {
    void (*const sleeps[])(void) = {sleep_by_usleep, sleep_by_nanosleep, sleep_until, wait_in_vain};
    for (size_t i = 0; i < sizeof(sleeps) / sizeof(*sleeps); i++) {
        const double begin = now();
        sleeps[i]();
        const double end = now();
        REQUIRE(end - begin >= SLEEP && end - begin < 1.01 * SLEEP);
    }
}

/* The host's time that a prefetch of the memory takes. */
static double prefetch(const void *managed, size_t size) {
    const struct cudaMemLocation device = {.type = cudaMemLocationTypeDevice};
    const double begin = now();
    OK(cudaMemPrefetchAsync(managed, size, device, 0, 0));
    return now() - begin;
}

/* In issue order, what earlier ops have moved is known when the call returns. */
static void a_prefetch_takes_the_host_as_long_as_it_moves(void) {
    enum { SIZE = 8 << 20 };
    char *managed;
    OK(cudaMallocManaged((void **)&managed, SIZE, cudaMemAttachGlobal));
    vgpu_host_access(managed, SIZE, VGPU_WRITE);
    const double moves = prefetch(managed, SIZE), there = prefetch(managed, SIZE);
    OK(cudaDeviceSynchronize());
    vgpu_host_access(managed, 1, VGPU_WRITE);
    const double one_page = prefetch(managed, SIZE);
    REQUIRE(moves > 5 * there && one_page > there + 5 && moves > 3 * one_page);
}

int main(int argc, char **argv) {
    static const struct rule rules[] = {
        RULE(a_wait_takes_what_events_tell, EVERY_SEED, .environment = "VGPU_TIME=1"),
        RULE(the_clock_never_goes_back, EVERY_SEED, .environment = "VGPU_TIME=1"),
        RULE(the_clock_never_goes_back, ONCE),
        RULE(a_program_may_wait_for_the_clock, EVERY_SEED, .environment = "VGPU_TIME=1"),
        RULE(a_program_may_wait_for_the_clock, ONCE),
        RULE(a_prefetch_takes_the_host_as_long_as_it_moves, ONCE, .environment = "VGPU_TIME=1",
             .alone = "virtual time"),
        RULE(sleeps_are_seen, EVERY_SEED, .environment = "VGPU_TIME=1", .alone = "virtual time"),
    };
    return RULES_MAIN(rules);
}
