/* Virtual time (timeline.h): what calls and signals take, what events tell, and that no order changes it. */
#include "test/vgpu/rules/timed.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* Programs */

enum { CALLS = 1000 };

static void calls_that_only_read(void) {
    int device;
    for (int i = 0; i < CALLS; i++) {
        OK(cudaGetDevice(&device));
        OK(cudaGetLastError());
        OK(cudaPeekAtLastError());
    }
}

static void calls_that_record(void) {
    const cudaEvent_t event = new_event();
    for (int i = 0; i < CALLS; i++)
        OK(cudaEventRecord(event, 0));
}

static void calls_that_copy(void) {
    void *pinned = new_pinned(1), *device = new_memory(1);
    for (int i = 0; i < CALLS; i++)
        OK(cudaMemcpyAsync(device, pinned, 1, cudaMemcpyHostToDevice, 0));
}

/* Kernels in turn, on one stream or two, with an event between each and the next. */
static void relay(bool across) {
    make_streams(across);
    for (int i = 0; i < STREAMS * CHUNKS; i++) {
        launch_work(1, 1, NULL, 0, 100000, streams[i % STREAMS]);
        fork_stream(streams[i % STREAMS], streams[(i + 1) % STREAMS]);
    }
}

static void a_relay_on_one_stream(void) {
    relay(false);
}

static void a_relay_across_streams(void) {
    relay(true);
}

/* The record ended long before the wait. */
static void a_late_wait(bool waits) {
    const cudaEvent_t event = new_event();
    make_streams(true);
    OK(cudaEventRecord(event, streams[0]));
    OK(cudaEventSynchronize(event));
    launch_work(1, 1, NULL, 0, 100000, streams[1]);
    OK(cudaStreamSynchronize(streams[1]));
    OK(cudaStreamWaitEvent(streams[waits ? 1 : 0], event, 0));
    launch_work(1, 1, NULL, 0, 100000, streams[1]);
}

static void a_wait_that_comes_late(void) {
    a_late_wait(true);
}

static void a_wait_that_is_another_stream_s(void) {
    a_late_wait(false);
}

#define ELAPSED_FILE "vgpu_rule_time_told.elapsed"

static cudaEvent_t new_timer(void) {
    cudaEvent_t event;
    OK(cudaEventCreate(&event));
    return event;
}

/* Leaves the time between two events to the test. */
static void tell_elapsed(cudaEvent_t from, cudaEvent_t to) {
    float milliseconds;
    FILE *file = fopen(ELAPSED_FILE, "wb");
    OK(cudaEventElapsedTime(&milliseconds, from, to));
    REQUIRE(file && fwrite(&milliseconds, sizeof(milliseconds), 1, file) == 1 && fclose(file) == 0);
}

/* As programs time themselves. */
static void timed_kernels(int count) {
    const cudaEvent_t from = new_timer(), to = new_timer();
    OK(cudaEventRecord(from, 0));
    for (int i = 0; i < count; i++)
        launch_work(ALL_BLOCKS, THREADS, NULL, 0, 100000, 0);
    OK(cudaEventRecord(to, 0));
    OK(cudaEventSynchronize(to));
    tell_elapsed(from, to);
}

static void a_timed_kernel(void) {
    timed_kernels(1);
}

static void three_timed_kernels(void) {
    timed_kernels(3);
}

/* A kernel of some priority, timed beside one of the least that fills the device. */
static void a_kernel_of_priority(int priority) {
    const cudaEvent_t from = new_timer(), to = new_timer();
    cudaStream_t stream;
    OK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, priority));
    launch_work(ALL_BLOCKS, THREADS, NULL, 0, 400000, new_stream(cudaStreamNonBlocking));
    OK(cudaEventRecord(from, stream));
    launch_work(ALL_BLOCKS, THREADS, NULL, 0, 100000, stream);
    OK(cudaEventRecord(to, stream));
    OK(cudaEventSynchronize(to));
    tell_elapsed(from, to);
}

static void a_kernel_that_goes_first(void) {
    int least, greatest;
    OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    a_kernel_of_priority(greatest);
}

static void a_kernel_that_shares(void) {
    a_kernel_of_priority(0);
}

/* Kernels on other streams run beside those between the events, whether they were issued before the first
 * event or behind the second one. */
static void kernels_timed_beside_others(void) {
    const cudaEvent_t from = new_timer(), to = new_timer();
    make_streams(true);
    launch_work(ALL_BLOCKS, THREADS, NULL, 0, 400000, streams[1]);
    OK(cudaEventRecord(from, streams[0]));
    launch_work(ALL_BLOCKS, THREADS, NULL, 0, 100000, streams[0]);
    OK(cudaEventRecord(to, streams[0]));
    launch_work(ALL_BLOCKS, THREADS, NULL, 0, 400000, streams[2]);
    while (cudaEventQuery(to) == cudaErrorNotReady) {
    }
    tell_elapsed(from, to);
}

static void touch_megabyte(void *memory) {
    host_touch(memory, MIB);
}

/* Some of everything. */
static void a_mixture(void) {
    static char pageable[MIB];
    char *pinned = new_pinned(MIB), *device = new_memory(4 * MIB);
    char *managed = new_managed(4 * MIB), *shared = new_managed(MIB);
    const cudaEvent_t event = new_event();
    const cudaStream_t blocking = new_stream(cudaStreamDefault);
    launch_graph(true);
    host_touch(managed, 4 * MIB);
    for (int i = 0; i < CHUNKS; i++) {
        const cudaStream_t stream = streams[i % STREAMS];
        OK(cudaMemcpyAsync(device, pinned, MIB / 2, cudaMemcpyHostToDevice, stream));
        OK(cudaStreamSynchronize(stream));
        launch_work(SOME_BLOCKS, 32, device, 1, 1000u * (unsigned)i, stream);
        launch_work(1, 1, managed + i % 3 * MIB, MIB, 1000, blocking);
        OK(cudaLaunchHostFunc(stream, touch_megabyte, shared));
        launch_work(1, 1, shared, MIB, 10, stream);
        OK(cudaEventRecord(event, stream));
        OK(cudaStreamWaitEvent(streams[(i + 1) % STREAMS], event, 0));
        OK(cudaMemsetAsync(device + MIB, i, MIB, stream));
        OK(cudaMemcpyAsync(device + 2 * MIB, device + MIB, MIB, cudaMemcpyDeviceToDevice, stream));
        launch_work(SOME_BLOCKS, 32, NULL, 0, 3000, 0);
        while (cudaEventQuery(event) == cudaErrorNotReady) {
        }
        OK(cudaMemcpyAsync(pageable, device + 2 * MIB, MIB, cudaMemcpyDeviceToHost, stream));
        OK(cudaMemcpy(device + 3 * MIB, pageable, MIB / 4, cudaMemcpyHostToDevice));
        OK(cudaStreamSynchronize(blocking));
        host_touch(managed + i % 2 * MIB, 100);
        if (i == 3)
            OK(cudaDeviceSynchronize());
    }
    OK(cudaMemPrefetchAsync(managed, MIB, to_host, 0, blocking));
    launch_work(SOME_BLOCKS, THREADS, NULL, 0, 50000, streams[0]);
}

static const struct rule programs[] = {
    RULE(calls_that_only_read, ONCE),
    RULE(calls_that_record, ONCE),
    RULE(calls_that_copy, ONCE),
    RULE(a_relay_on_one_stream, ONCE),
    RULE(a_relay_across_streams, ONCE),
    RULE(a_wait_that_comes_late, ONCE),
    RULE(a_wait_that_is_another_stream_s, ONCE),
    RULE(a_timed_kernel, ONCE),
    RULE(three_timed_kernels, ONCE),
    RULE(kernels_timed_beside_others, ONCE),
    RULE(a_kernel_that_goes_first, ONCE),
    RULE(a_kernel_that_shares, ONCE),
    RULE(a_mixture, ONCE),
};

/* Tests */

static void calls_cost_by_what_they_do(void **state) {
    (void)state;
    const double reads = TIME(calls_that_only_read), records = TIME(calls_that_record);
    assert_true(reads > 0 && 2 * reads < records);
    assert_true(1.5 * records < TIME(calls_that_copy));
}

static void a_signal_between_streams_takes_time(void **state) {
    (void)state;
    const double relayed = TIME(a_relay_across_streams) - TIME(a_relay_on_one_stream);
    assert_true(relayed > 0.1 * STREAMS * CHUNKS && relayed < STREAMS * CHUNKS);
    assert_true(TIME(a_wait_that_comes_late) == TIME(a_wait_that_is_another_stream_s));
}

/* The time that a program measured, in microseconds. */
static double elapsed(const char *name, int seed) {
    float milliseconds;
    (void)run(name, seed, false);
    FILE *file = fopen(ELAPSED_FILE, "rb");
    assert_non_null(file);
    assert_int_equal(fread(&milliseconds, sizeof(milliseconds), 1, file), 1);
    fclose(file);
    assert_int_equal(remove(ELAPSED_FILE), 0);
    return (double)milliseconds * 1000;
}

static void events_tell_the_virtual_time(void **state) {
    (void)state;
    const double one = elapsed("a_timed_kernel", 1), three = elapsed("three_timed_kernels", 1);
    assert_true(three > 2.8 * one && three < 3.2 * one);
    const double more = TIME(three_timed_kernels) - TIME(a_timed_kernel);
    assert_true(fabs(three - one - more) < 0.05 * more);
    assert_int_equal(remove(ELAPSED_FILE), 0);
}

static void kernels_of_higher_priority_go_first(void **state) {
    (void)state;
    const double alone = elapsed("a_timed_kernel", 0);
    assert_true(elapsed("a_kernel_that_goes_first", 0) < 1.05 * alone);
    assert_true(elapsed("a_kernel_that_shares", 0) > 1.9 * alone);
}

static void events_tell_the_same_in_every_order(void **state) {
    (void)state;
    const double one = elapsed("a_timed_kernel", 0), beside = elapsed("kernels_timed_beside_others", 0);
    assert_true(beside > 1.5 * one);
    for (int seed = 0; seed < SEEDS; seed++) {
        assert_true(elapsed("a_timed_kernel", seed) == one);
        assert_true(elapsed("kernels_timed_beside_others", seed) == beside);
    }
}

static void neither_order_nor_checks_change_the_time(void **state) {
    (void)state;
    const struct result first = run("a_mixture", 0, false);
    assert_true(first.us > 0 && first.faults > 0 && first.to_device > 0);
    for (int seed = 0; seed < SEEDS; seed++) {
        for (int checked = 0; checked < 2; checked++) {
            const struct result result = run("a_mixture", seed, checked);
            assert_true(memcmp(&result, &first, sizeof(result)) == 0);
        }
    }
}

int main(int argc, char **argv) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_cost_by_what_they_do),
        cmocka_unit_test(a_signal_between_streams_takes_time),
        cmocka_unit_test(events_tell_the_virtual_time),
        cmocka_unit_test(kernels_of_higher_priority_go_first),
        cmocka_unit_test(events_tell_the_same_in_every_order),
        cmocka_unit_test(neither_order_nor_checks_change_the_time),
    };
    if (argc > 1)
        return RULES_MAIN(programs);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
