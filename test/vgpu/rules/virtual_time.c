/*
 * Virtual time (timeline.h): what overlaps, what waits, and what moves pages. Each test compares programs,
 * which run in processes of their own and tell by VGPU_STATS; only ratios and orders count.
 */
#define _GNU_SOURCE
#include "test/vgpu/device.h"
#include "test/vgpu/host_access.h"
#include "test/vgpu/rules/rules.h"

#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { MIB = 1 << 20, STREAMS = 3, CHUNKS = 6, SEEDS = 12 };

/* Grids that take all places of the device, and a sixth of them. */
enum { THREADS = 256, ALL_BLOCKS = 132 * 8, SOME_BLOCKS = 132 * 8 / 6 };

/* Programs */

static cudaStream_t streams[STREAMS];

/* Different streams, or the same one under all names; either takes as long. */
static void make_streams(bool different) {
    for (int i = 0; i < STREAMS; i++)
        streams[i] = new_stream(cudaStreamNonBlocking);
    for (int i = 1; i < STREAMS && !different; i++)
        streams[i] = streams[0];
}

static void nothing_but_streams(void) {
    make_streams(true);
}

static char *new_pinned(size_t size) {
    void *memory;
    OK(cudaMallocHost(&memory, size));
    return memory;
}

static char *new_managed(size_t size) {
    void *memory;
    OK(cudaMallocManaged(&memory, size, cudaMemAttachGlobal));
    return memory;
}

/* What host code does that vgpu-clang++ compiled. */
static void host_touch(const void *memory, size_t size) {
    if (vgpu_host_recording)
        vgpu_host_access(memory, size, VGPU_READ);
}

/* To the device, a kernel, and back, chunk by chunk. */
static void pipeline(void) {
    char *in = new_pinned(CHUNKS * MIB), *out = new_pinned(CHUNKS * MIB), *device = new_memory(CHUNKS * MIB);
    for (int i = 0; i < CHUNKS; i++) {
        const size_t at = (size_t)i * MIB;
        const cudaStream_t stream = streams[i % STREAMS];
        OK(cudaMemcpyAsync(device + at, in + at, MIB, cudaMemcpyHostToDevice, stream));
        launch_work(SOME_BLOCKS, THREADS, device + at, 1, 2000, stream);
        OK(cudaMemcpyAsync(out + at, device + at, MIB, cudaMemcpyDeviceToHost, stream));
    }
    OK(cudaDeviceSynchronize());
}

static void a_pipeline_on_one_stream(void) {
    make_streams(false);
    pipeline();
}

static void a_pipeline_on_three_streams(void) {
    make_streams(true);
    pipeline();
}

static void launch_in_turn(unsigned blocks) {
    for (int i = 0; i < CHUNKS; i++)
        launch_work(blocks, THREADS, NULL, 0, 10000, streams[i % STREAMS]);
    OK(cudaDeviceSynchronize());
}

static void small_kernels_on_one_stream(void) {
    make_streams(false);
    launch_in_turn(SOME_BLOCKS);
}

static void small_kernels_on_three_streams(void) {
    make_streams(true);
    launch_in_turn(SOME_BLOCKS);
}

static void large_kernels_on_one_stream(void) {
    make_streams(false);
    launch_in_turn(ALL_BLOCKS);
}

static void large_kernels_on_three_streams(void) {
    make_streams(true);
    launch_in_turn(ALL_BLOCKS);
}

static void small_kernels_with_events_between(void) {
    make_streams(true);
    for (int i = 0; i < CHUNKS; i++) {
        launch_work(SOME_BLOCKS, THREADS, NULL, 0, 10000, streams[i % STREAMS]);
        fork_stream(streams[i % STREAMS], streams[(i + 1) % STREAMS]);
    }
    OK(cudaDeviceSynchronize());
}

/* A launch on the legacy stream waits for those on blocking streams, and they wait for it. */
static void small_kernels_with_the_legacy_stream_between(void) {
    const cudaStream_t blocking = new_stream(cudaStreamDefault);
    for (int i = 0; i < CHUNKS; i++)
        launch_work(SOME_BLOCKS, THREADS, NULL, 0, 10000, i % 2 ? 0 : blocking);
    OK(cudaDeviceSynchronize());
}

static void wait_between_kernels(void) {
    make_streams(true);
    for (int i = 0; i < CHUNKS; i++) {
        launch_work(SOME_BLOCKS, THREADS, NULL, 0, 10000, streams[i % STREAMS]);
        OK(cudaStreamSynchronize(streams[i % STREAMS]));
    }
}

static void wait_for_the_device_between_kernels(void) {
    make_streams(true);
    for (int i = 0; i < CHUNKS; i++) {
        launch_work(SOME_BLOCKS, THREADS, NULL, 0, 10000, streams[i % STREAMS]);
        OK(cudaDeviceSynchronize());
    }
}

static void poll_between_kernels(void) {
    make_streams(true);
    for (int i = 0; i < CHUNKS; i++) {
        launch_work(SOME_BLOCKS, THREADS, NULL, 0, 10000, streams[i % STREAMS]);
        while (cudaStreamQuery(streams[i % STREAMS]) == cudaErrorNotReady) {
        }
    }
}

static void look_between_kernels(void) {
    make_streams(true);
    for (int i = 0; i < CHUNKS; i++) {
        launch_work(SOME_BLOCKS, THREADS, NULL, 0, 10000, streams[i % STREAMS]);
        cudaStreamQuery(streams[i % STREAMS]);
    }
}

static void launch_graph(bool parallel) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    make_streams(true);
    OK(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeRelaxed));
    for (int i = 1; i < STREAMS && parallel; i++)
        fork_stream(streams[0], streams[i]);
    for (int i = 0; i < CHUNKS; i++)
        launch_work(SOME_BLOCKS, THREADS, NULL, 0, 10000, streams[parallel ? i % STREAMS : 0]);
    for (int i = 1; i < STREAMS && parallel; i++)
        fork_stream(streams[i], streams[0]);
    OK(cudaStreamEndCapture(streams[0], &graph));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, streams[0]));
    OK(cudaStreamSynchronize(streams[0]));
}

static void a_serial_graph(void) {
    launch_graph(false);
}

static void a_parallel_graph(void) {
    launch_graph(true);
}

static void copy_there_and_back(char *host) {
    char *device = new_memory(8 * MIB);
    OK(cudaMemcpy(device, host, 8 * MIB, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(host, device, 8 * MIB, cudaMemcpyDeviceToHost));
}

static void copies_of_pinned_memory(void) {
    copy_there_and_back(new_pinned(8 * MIB));
}

static void copies_of_pageable_memory(void) {
    static char host[8 * MIB];
    copy_there_and_back(host);
}

static void copies_both_ways(bool async) {
    char *host = new_pinned(16 * MIB), *device = new_memory(16 * MIB);
    make_streams(true);
    OK(cudaMemcpyAsync(device, host, 8 * MIB, cudaMemcpyHostToDevice, streams[0]));
    if (!async)
        OK(cudaStreamSynchronize(streams[0]));
    OK(cudaMemcpyAsync(host + 8 * MIB, device + 8 * MIB, 8 * MIB, cudaMemcpyDeviceToHost, streams[1]));
    OK(cudaDeviceSynchronize());
}

static void copies_both_ways_at_once(void) {
    copies_both_ways(true);
}

static void copies_both_ways_in_turn(void) {
    copies_both_ways(false);
}

static const struct cudaMemLocation to_device = {.type = cudaMemLocationTypeDevice},
                                    to_host = {.type = cudaMemLocationTypeHost};

static void a_kernel_that_faults(void) {
    const char *managed = new_managed(16 * MIB);
    host_touch(managed, 16 * MIB);
    launch_work(ALL_BLOCKS, 1, managed, 16 * MIB, 1000, 0);
    OK(cudaDeviceSynchronize());
}

static void a_kernel_after_a_prefetch(void) {
    const char *managed = new_managed(16 * MIB);
    host_touch(managed, 16 * MIB);
    OK(cudaMemPrefetchAsync(managed, 16 * MIB, to_device, 0, 0));
    launch_work(ALL_BLOCKS, 1, managed, 16 * MIB, 1000, 0);
    OK(cudaDeviceSynchronize());
}

static void a_kernel_that_touches_first(void) {
    launch_work(ALL_BLOCKS, 1, new_managed(16 * MIB), 16 * MIB, 1000, 0);
    OK(cudaDeviceSynchronize());
}

static void a_kernel_that_touches_a_part(void) {
    const char *managed = new_managed(16 * MIB);
    host_touch(managed, 16 * MIB);
    launch_work(1, 1, managed + 2 * MIB, 3 * MIB, 1000, 0);
    OK(cudaDeviceSynchronize());
}

static void kernels_that_touch_twice(void) {
    a_kernel_that_faults();
    const char *managed = new_managed(4 * MIB);
    host_touch(managed, 4 * MIB);
    for (int i = 0; i < 3; i++)
        launch_work(ALL_BLOCKS, 1, managed, 4 * MIB, 1000, 0);
    OK(cudaDeviceSynchronize());
}

/* New memory mostly gets the address of what was freed. */
static void a_kernel_on_memory_in_place_of_other(void) {
    char *managed = new_managed(MIB);
    host_touch(managed, MIB);
    OK(cudaFree(managed));
    managed = new_managed(MIB);
    host_touch(managed, MIB);
    launch_work(1, 1, managed, MIB, 1000, 0);
    OK(cudaDeviceSynchronize());
}

static void a_host_that_reads_results(void) {
    const char *managed = new_managed(16 * MIB);
    launch_work(ALL_BLOCKS, 1, managed, 16 * MIB, 1000, 0);
    OK(cudaDeviceSynchronize());
    for (size_t i = 0; i < 4 * MIB; i += 1024)
        host_touch(managed + i, 4);
}

static void a_host_that_reads_prefetched_results(void) {
    const char *managed = new_managed(16 * MIB);
    launch_work(ALL_BLOCKS, 1, managed, 16 * MIB, 1000, 0);
    OK(cudaMemPrefetchAsync(managed, 4 * MIB, to_host, 0, 0));
    OK(cudaDeviceSynchronize());
    for (size_t i = 0; i < 4 * MIB; i += 1024)
        host_touch(managed + i, 4);
}

/* Two kernels on two streams read what one prefetch, on a third, brings; they take as long as that. */
static void kernels_beside_a_prefetch(void) {
    const char *managed = new_managed(16 * MIB);
    make_streams(true);
    host_touch(managed, 16 * MIB);
    OK(cudaMemPrefetchAsync(managed, 16 * MIB, to_device, 0, streams[0]));
    for (int i = 1; i < STREAMS; i++)
        launch_work(ALL_BLOCKS, 1, managed, 16 * MIB, 40000, streams[i]);
    OK(cudaDeviceSynchronize());
}

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

#define ELAPSED_FILE "vgpu_rule_virtual_time.elapsed"

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
    RULE(a_pipeline_on_one_stream, ONCE),
    RULE(a_pipeline_on_three_streams, ONCE),
    RULE(small_kernels_on_one_stream, ONCE),
    RULE(small_kernels_on_three_streams, ONCE),
    RULE(large_kernels_on_one_stream, ONCE),
    RULE(large_kernels_on_three_streams, ONCE),
    RULE(small_kernels_with_events_between, ONCE),
    RULE(small_kernels_with_the_legacy_stream_between, ONCE),
    RULE(wait_between_kernels, ONCE),
    RULE(wait_for_the_device_between_kernels, ONCE),
    RULE(poll_between_kernels, ONCE),
    RULE(look_between_kernels, ONCE),
    RULE(a_serial_graph, ONCE),
    RULE(a_parallel_graph, ONCE),
    RULE(copies_of_pinned_memory, ONCE),
    RULE(copies_of_pageable_memory, ONCE),
    RULE(copies_both_ways_at_once, ONCE),
    RULE(copies_both_ways_in_turn, ONCE),
    RULE(a_kernel_that_faults, ONCE),
    RULE(a_kernel_after_a_prefetch, ONCE),
    RULE(a_kernel_that_touches_first, ONCE),
    RULE(a_kernel_that_touches_a_part, ONCE),
    RULE(kernels_that_touch_twice, ONCE),
    RULE(a_kernel_on_memory_in_place_of_other, ONCE),
    RULE(a_host_that_reads_results, ONCE),
    RULE(a_host_that_reads_prefetched_results, ONCE),
    RULE(kernels_beside_a_prefetch, ONCE),
    RULE(calls_that_only_read, ONCE),
    RULE(calls_that_record, ONCE),
    RULE(calls_that_copy, ONCE),
    RULE(nothing_but_streams, ONCE),
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

/* Running them */

/* What VGPU_STATS says of a program. */
struct result {
    double us;
    json_int_t faults, migrated, to_device, to_host;
};

#define STATS_FILE "vgpu_rule_virtual_time.json"

static void start_program(const char *name, int seed, bool checked) {
    char text[16];
    snprintf(text, sizeof(text), "%d", seed);
    setenv("VGPU_SEED", text, 1);
    setenv("VGPU_STATS", STATS_FILE, 1);
    if (checked)
        setenv("VGPU_CHECK", "races", 1);
    execl("/proc/self/exe", "vgpu_rule_virtual_time", name, (char *)NULL);
    _exit(127);
}

static json_int_t integer(const json_t *stats, const char *name) {
    const json_t *value = json_object_get(stats, name);
    assert_true(json_is_integer(value));
    return json_integer_value(value);
}

static struct result read_result(void) {
    json_t *stats = json_load_file(STATS_FILE, 0, NULL);
    assert_non_null(stats);
    assert_true(json_is_real(json_object_get(stats, "virtual_time_us")));
    const struct result result = {
        .us = json_real_value(json_object_get(stats, "virtual_time_us")),
        .faults = integer(stats, "page_faults"),
        .migrated = integer(stats, "migrated_bytes"),
        .to_device = integer(stats, "bytes_to_device"),
        .to_host = integer(stats, "bytes_to_host"),
    };
    json_decref(stats);
    assert_int_equal(remove(STATS_FILE), 0);
    return result;
}

static struct result run(const char *name, int seed, bool checked) {
    int status;
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        start_program(name, seed, checked);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return read_result();
}

#define RESULT(program) run(#program, 1, false)
#define TIME(program) RESULT(program).us
/* Of what makes streams: the rest. */
#define TIME_ON_STREAMS(program) (TIME(program) - TIME(nothing_but_streams))

/* Tests */

static void streams_let_copies_and_kernels_overlap(void **state) {
    (void)state;
    assert_true(TIME_ON_STREAMS(a_pipeline_on_three_streams) <
                0.6 * TIME_ON_STREAMS(a_pipeline_on_one_stream));
}

static void small_kernels_overlap(void **state) {
    (void)state;
    assert_true(TIME_ON_STREAMS(small_kernels_on_three_streams) <
                0.4 * TIME_ON_STREAMS(small_kernels_on_one_stream));
}

static void kernels_that_fill_the_device_do_not_gain(void **state) {
    (void)state;
    assert_true(TIME(large_kernels_on_three_streams) > 0.95 * TIME(large_kernels_on_one_stream));
}

static void what_orders_ops_orders_them_in_virtual_time(void **state) {
    (void)state;
    const double serial = TIME_ON_STREAMS(small_kernels_on_one_stream);
    assert_true(TIME_ON_STREAMS(small_kernels_with_events_between) >= serial);
    assert_true(TIME(small_kernels_with_the_legacy_stream_between) >= 0.95 * serial);
    assert_true(TIME_ON_STREAMS(wait_between_kernels) > serial);
}

static void all_ways_to_wait_are_one(void **state) {
    (void)state;
    const double waited = TIME(wait_between_kernels);
    for (int seed = 0; seed < SEEDS; seed++) {
        assert_true(run("poll_between_kernels", seed, false).us == waited);
        assert_true(run("wait_for_the_device_between_kernels", seed, false).us == waited);
    }
}

static void to_look_once_is_not_to_wait(void **state) {
    (void)state;
    const double apart = TIME(small_kernels_on_three_streams);
    for (int seed = 0; seed < SEEDS; seed++)
        assert_true(run("look_between_kernels", seed, false).us < 1.05 * apart);
}

static void a_graph_overlaps_what_its_edges_let(void **state) {
    (void)state;
    assert_true(TIME_ON_STREAMS(a_parallel_graph) < 0.6 * TIME_ON_STREAMS(a_serial_graph));
}

static void pageable_memory_is_slower(void **state) {
    (void)state;
    assert_true(TIME(copies_of_pageable_memory) > 2 * TIME(copies_of_pinned_memory));
}

static void copies_both_ways_overlap(void **state) {
    (void)state;
    assert_true(TIME_ON_STREAMS(copies_both_ways_at_once) < 0.6 * TIME_ON_STREAMS(copies_both_ways_in_turn));
}

static void copied_bytes_are_counted_by_direction(void **state) {
    (void)state;
    const struct result result = RESULT(a_pipeline_on_one_stream);
    assert_int_equal(result.to_device, CHUNKS * MIB);
    assert_int_equal(result.to_host, CHUNKS * MIB);
    assert_int_equal(result.migrated, 0);
}

static void a_prefetch_beats_faults(void **state) {
    (void)state;
    const struct result faulted = RESULT(a_kernel_that_faults), fetched = RESULT(a_kernel_after_a_prefetch);
    assert_int_equal(faulted.faults, 8);
    assert_int_equal(fetched.faults, 0);
    assert_int_equal(faulted.migrated, 16 * MIB);
    assert_int_equal(fetched.migrated, 16 * MIB);
    assert_true(fetched.us < 0.75 * faulted.us);
}

static void the_first_touch_moves_nothing(void **state) {
    (void)state;
    const struct result result = RESULT(a_kernel_that_touches_first);
    assert_int_equal(result.migrated, 0);
    assert_true(result.us < 0.2 * TIME(a_kernel_after_a_prefetch));
}

static void a_kernel_brings_what_it_touches(void **state) {
    (void)state;
    const struct result result = RESULT(a_kernel_that_touches_a_part);
    assert_int_equal(result.faults, 2);
    assert_int_equal(result.migrated, 3 * MIB);
}

static void pages_stay_where_they_are(void **state) {
    (void)state;
    assert_int_equal(RESULT(kernels_that_touch_twice).migrated, 20 * MIB);
    assert_int_equal(RESULT(a_kernel_on_memory_in_place_of_other).migrated, MIB);
}

static void the_host_pays_for_pages_of_the_device(void **state) {
    (void)state;
    const struct result faulted = RESULT(a_host_that_reads_results),
                        fetched = RESULT(a_host_that_reads_prefetched_results);
    assert_int_equal(faulted.faults, 2);
    assert_int_equal(faulted.migrated, 4 * MIB);
    assert_int_equal(fetched.faults, 0);
    assert_int_equal(fetched.migrated, 4 * MIB);
    assert_true(fetched.us < 0.75 * faulted.us);
}

static void kernels_wait_for_pages_on_their_way(void **state) {
    (void)state;
    const struct result result = RESULT(kernels_beside_a_prefetch);
    assert_int_equal(result.migrated, 16 * MIB);
    assert_true(result.us > 1.7 * TIME(a_kernel_after_a_prefetch));
}

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
        cmocka_unit_test(streams_let_copies_and_kernels_overlap),
        cmocka_unit_test(small_kernels_overlap),
        cmocka_unit_test(kernels_that_fill_the_device_do_not_gain),
        cmocka_unit_test(what_orders_ops_orders_them_in_virtual_time),
        cmocka_unit_test(all_ways_to_wait_are_one),
        cmocka_unit_test(to_look_once_is_not_to_wait),
        cmocka_unit_test(a_graph_overlaps_what_its_edges_let),
        cmocka_unit_test(pageable_memory_is_slower),
        cmocka_unit_test(copies_both_ways_overlap),
        cmocka_unit_test(copied_bytes_are_counted_by_direction),
        cmocka_unit_test(a_prefetch_beats_faults),
        cmocka_unit_test(the_first_touch_moves_nothing),
        cmocka_unit_test(a_kernel_brings_what_it_touches),
        cmocka_unit_test(pages_stay_where_they_are),
        cmocka_unit_test(the_host_pays_for_pages_of_the_device),
        cmocka_unit_test(kernels_wait_for_pages_on_their_way),
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
