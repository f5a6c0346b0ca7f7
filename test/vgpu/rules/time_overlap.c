/* Virtual time (timeline.h): what overlaps, and what waits. */
#include "test/vgpu/rules/timed.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* Programs */

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

static void a_serial_graph(void) {
    launch_graph(false);
}

static void a_parallel_graph(void) {
    launch_graph(true);
}

/* Makes executable graphs of memsets that follow each other, or not, and launches the last of them. */
static void make_graphs(bool follow, int graphs, int launches) {
    cudaGraphExec_t exec;
    for (int i = 0; i < graphs; i++) {
        cudaGraph_t graph;
        cudaGraphNode_t nodes[CHUNKS];
        OK(cudaGraphCreate(&graph, 0));
        for (int op = 0; op < CHUNKS; op++) {
            const struct cudaMemsetParams set = {
                .dst = new_memory(4), .elementSize = 1, .width = 4, .height = 1};
            OK(cudaGraphAddMemsetNode(&nodes[op], graph, op ? &nodes[op - 1] : NULL, follow && op, &set));
        }
        OK(cudaGraphInstantiate(&exec, graph, 0));
    }
    for (int i = 0; i < launches; i++)
        OK(cudaGraphLaunch(exec, 0));
}

static void a_graph_of_a_chain(void) {
    make_graphs(true, 1, 0);
}

static void a_graph_of_branches(void) {
    make_graphs(false, 1, 0);
}

static void two_graphs_of_branches(void) {
    make_graphs(false, 2, 0);
}

static void a_chain_launched(void) {
    make_graphs(true, 1, 50);
}

static void branches_launched(void) {
    make_graphs(false, 1, 50);
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
    RULE(a_graph_of_a_chain, ONCE),
    RULE(a_graph_of_branches, ONCE),
    RULE(two_graphs_of_branches, ONCE),
    RULE(a_chain_launched, ONCE),
    RULE(branches_launched, ONCE),
    RULE(copies_both_ways_at_once, ONCE),
    RULE(copies_both_ways_in_turn, ONCE),
    RULE(nothing_but_streams, ONCE),
};

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
    const double waited = TIME(wait_between_kernels), polled = TIME(poll_between_kernels);
    assert_true(polled < waited && polled > 0.9 * waited); /* a query takes less than a call that waits */
    for (int seed = 0; seed < SEEDS; seed++) {
        assert_true(run("poll_between_kernels", seed, false).us == polled);
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

static void branches_of_graphs_cost_the_host(void **state) {
    (void)state;
    const double chain = TIME(a_graph_of_a_chain), first = TIME(a_graph_of_branches);
    assert_true(first > 3 * chain);
    assert_true(TIME(two_graphs_of_branches) - first < 0.5 * first); /* what the first has made stays */
    assert_true(TIME(branches_launched) - first > 1.5 * (TIME(a_chain_launched) - chain));
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

int main(int argc, char **argv) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams_let_copies_and_kernels_overlap),
        cmocka_unit_test(small_kernels_overlap),
        cmocka_unit_test(kernels_that_fill_the_device_do_not_gain),
        cmocka_unit_test(what_orders_ops_orders_them_in_virtual_time),
        cmocka_unit_test(all_ways_to_wait_are_one),
        cmocka_unit_test(to_look_once_is_not_to_wait),
        cmocka_unit_test(a_graph_overlaps_what_its_edges_let),
        cmocka_unit_test(branches_of_graphs_cost_the_host),
        cmocka_unit_test(copies_both_ways_overlap),
        cmocka_unit_test(copied_bytes_are_counted_by_direction),
    };
    if (argc > 1)
        return RULES_MAIN(programs);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
