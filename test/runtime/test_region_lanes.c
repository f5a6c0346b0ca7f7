/* The lanes that regions get: whose they are, beside which origin, on which device, by which thread, at which
 * level. */
#include "runtime/kesco_abi.h"
#include "runtime/region/pool.h"
#include "test/cmocka.h"
#include "test/runtime/scenario.h"

#include <pthread.h>
#include <stdlib.h>

static int priority_of(void *stream) {
    int priority = 99;

    return cudaStreamGetPriority(stream, &priority) == cudaSuccess ? priority : 99;
}

static const uint8_t two_levels[] = {1, 0, 200};

/* Lanes have the priorities of their levels; a lane 0 that is the origin has its own. */
static int levels(void) {
    int least, greatest;

    REQUIRE(cudaDeviceGetStreamPriorityRange(&least, &greatest) == cudaSuccess && least - greatest > 1);
    ENTER_LEVELS(origin, 3, 0, two_levels);
    if (origin_is_legacy())
        REQUIRE(priority_of(__kesco1_lane(0, NULL, 0)) == least - 1);
    else
        REQUIRE(__kesco1_lane(0, NULL, 0) == origin);
    REQUIRE(priority_of(__kesco1_lane(1, NULL, 0)) == least);
    REQUIRE(priority_of(__kesco1_lane(2, NULL, 0)) == greatest);
    __kesco1_leave();
    ENTER(origin, 3, 0);
    REQUIRE(priority_of(__kesco1_lane(1, NULL, 0)) == least &&
            priority_of(__kesco1_lane(2, NULL, 0)) == least);
    __kesco1_leave();
    REQUIRE(cudaPeekAtLastError() == cudaSuccess);
    return 0;
}

static int levels_after_reset(void) {
    REQUIRE(levels() == 0);
    REQUIRE(scenario_reset() == 0);
    return levels();
}

/* Where priorities cannot be had, lanes are plain, and the region is concurrent all the same. */
static int no_levels(void) {
    ENTER_LEVELS(origin, 3, 0, two_levels);
    REQUIRE(__kesco1_lane(1, NULL, 0) != origin && __kesco1_lane(2, NULL, 0) != __kesco1_lane(1, NULL, 0));
    REQUIRE(priority_of(__kesco1_lane(1, NULL, 0)) == 0 && priority_of(__kesco1_lane(2, NULL, 0)) == 0);
    __kesco1_leave();
    REQUIRE(cudaPeekAtLastError() == cudaSuccess);
    return 0;
}

/* A region on lanes with levels is ordered like any other, and it may be entered again while it is open. */
static int order_with_levels(void) {
    int round;

    write_cell(0, origin);
    write_cell(1, origin);
    for (round = 0; round < 2; round++) {
        ENTER_LEVELS(origin, 3, 2, two_levels);
        __kesco1_wait(1, 0);
        write_cell(0, __kesco1_lane(0, NULL, 0));
        __kesco1_record(0, 0);
        write_cell(1, __kesco1_lane(1, NULL, 0));
        __kesco1_wait(0, 2);
        copy_cell(2, 0, __kesco1_lane(2, NULL, 0));
        __kesco1_record(1, 2);
    }
    __kesco1_leave();
    copy_cell(3, 2, origin);
    write_cell(1, origin);
    REQUIRE(cudaPeekAtLastError() == cudaSuccess);
    return 0;
}

/* Each device has lanes of each level. */
static int levels_on_two_devices(void) {
    void *first, *second;

    ENTER_LEVELS(cudaStreamPerThread, 3, 0, two_levels);
    first = __kesco1_lane(2, NULL, 0);
    __kesco1_leave();
    REQUIRE(cudaSetDevice(1) == cudaSuccess);
    ENTER_LEVELS(cudaStreamPerThread, 3, 0, two_levels);
    second = __kesco1_lane(2, NULL, 0);
    REQUIRE(first != second && priority_of(first) == priority_of(second) && priority_of(first) < -1);
    __kesco1_leave();
    return 0;
}

static void *second_lane(void *on) {
    void *lane;

    ENTER(on, 2, 1);
    lane = __kesco1_lane(1, NULL, 0);
    __kesco1_leave();
    return lane;
}

/* Each device has lanes of its own. An origin that lives on another one is left to the program, and costs
 * nothing that the current device has. */
static int two_devices(void) {
    bool made = origin != NULL && origin != cudaStreamLegacy && origin != cudaStreamPerThread;
    void *first, *second;
    int round;

    first = second_lane(origin);
    REQUIRE(cudaSetDevice(1) == cudaSuccess);
    second = second_lane(cudaStreamPerThread);
    REQUIRE(second != first);
    for (round = 0; round < 2; round++) {
        void *lane = second_lane(origin);
        REQUIRE(made ? lane == origin : lane != origin && lane != first);
        REQUIRE(cudaPeekAtLastError() == cudaSuccess);
        REQUIRE(second_lane(cudaStreamPerThread) == second);
    }
    REQUIRE(cudaSetDevice(0) == cudaSuccess);
    REQUIRE(second_lane(origin) == first);
    return 0;
}

/* Where the origin of the record is another than the opening's, the host waits for the lanes themselves. */
static int left_from_another_device(void) {
    ENTER(origin, 3, 0);
    write_cell(0, __kesco1_lane(1, NULL, 0));
    write_cell(1, __kesco1_lane(2, NULL, 0));
    REQUIRE(cudaSetDevice(1) == cudaSuccess);
    __kesco1_leave();
    REQUIRE(cudaPeekAtLastError() == cudaSuccess);
    REQUIRE(cudaSetDevice(0) == cudaSuccess);
    write_cell(0, origin);
    write_cell(1, origin);
    return 0;
}

static void run_rounds(int first_cell) {
    int round;

    for (round = 0; round < 20; round++) {
        ENTER(origin, 3, 1);
        write_cell(first_cell, __kesco1_lane(0, NULL, 0));
        __kesco1_record(0, 0);
        write_cell(first_cell + 1, __kesco1_lane(1, NULL, 0));
        __kesco1_wait(0, 2);
        copy_cell(first_cell + 2, first_cell, __kesco1_lane(2, NULL, 0));
        __kesco1_leave();
        copy_cell(first_cell + 3, first_cell + 1, origin);
    }
}

static void *run_other_rounds(void *unused_argument) {
    (void)unused_argument;
    run_rounds(4);
    return NULL;
}

/* Two threads at once: each has a region and lanes of its own. */
static int two_threads(void) {
    pthread_t thread;

    cells();
    REQUIRE(pthread_create(&thread, NULL, run_other_rounds, NULL) == 0);
    run_rounds(0);
    REQUIRE(pthread_join(thread, NULL) == 0);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    REQUIRE(cudaGetLastError() == cudaSuccess);
    return 0;
}

static pthread_barrier_t meeting;

static void write_two_cells(void) {
    write_cell(0, __kesco1_lane(0, NULL, 0));
    write_cell(1, __kesco1_lane(1, NULL, 0));
}

static void *write_in_another_region(void *unused_argument) {
    (void)unused_argument;
    pthread_barrier_wait(&meeting);
    ENTER(origin, 2, 0);
    write_two_cells();
    pthread_barrier_wait(&meeting);
    pthread_barrier_wait(&meeting);
    write_two_cells();
    __kesco1_leave();
    return NULL;
}

/* What two threads issue to the default stream never runs at once, also where their regions are open at once.
 * A thread that comes later has lanes again. */
static int threads_on_one_stream(void) {
    pthread_t thread;

    cells();
    pthread_barrier_init(&meeting, NULL, 2);
    REQUIRE(pthread_create(&thread, NULL, write_in_another_region, NULL) == 0);
    ENTER(origin, 2, 0);
    write_two_cells();
    pthread_barrier_wait(&meeting);
    pthread_barrier_wait(&meeting);
    write_two_cells();
    pthread_barrier_wait(&meeting);
    __kesco1_leave();
    REQUIRE(pthread_join(thread, NULL) == 0);
    REQUIRE(cudaGetLastError() == cudaSuccess);
    ENTER(origin, 2, 0);
    REQUIRE(__kesco1_lane(0, NULL, 0) != __kesco1_lane(1, NULL, 0));
    __kesco1_leave();
    return 0;
}

/* The guard of the op for which lanes are made fails: it is on its lane still, and what follows comes behind.
 */
static int guard_fails_as_lanes_are_made(void) {
    static struct kesco_history history;
    static const struct kesco_region late = {.lanes = 3, .history = &history};
    static const struct kesco_site site = {.kind = "kernel", .work = 100000};
    void *stream;
    int op = 0;

    __kesco1_enter(origin, &late);
    for (;;) {
        stream = __kesco1_lane(1 + (uint32_t)op % 2, &site, 100);
        if (!__kesco1_serial())
            break;
        __kesco1_guard(0, KESCO_GUARD_CHECKED, cells());
        REQUIRE(++op < 10000);
    }
    REQUIRE(stream != origin);
    __kesco1_guard(0, KESCO_GUARD_PLAIN, &op);
    REQUIRE(__kesco1_serial());
    write_cell(0, stream);
    copy_cell(1, 0, __kesco1_lane(0, NULL, 0));
    __kesco1_leave();
    return 0;
}

static const struct scenario scenarios[] = {
    SCENARIO(two_devices),
    SCENARIO(left_from_another_device),
    SCENARIO(two_threads),
    SCENARIO(threads_on_one_stream),
    SCENARIO(levels),
    SCENARIO(levels_after_reset),
    SCENARIO(no_levels),
    SCENARIO(order_with_levels),
    SCENARIO(levels_on_two_devices),
    SCENARIO(guard_fails_as_lanes_are_made),
};

static void test_devices_do_not_meet(void **state) {
    (void)state;
    require_everywhere("two_devices", "VGPU_DEVICES", "2");
    setenv("VGPU_DEVICES", "2", 1);
    require_order("left_from_another_device", "null");
    require_order("left_from_another_device", "nonblocking");
    unsetenv("VGPU_DEVICES");
}

static void test_levels_are_stream_priorities(void **state) {
    static const char refused[] = "cudaStreamCreateWithPriority:1";

    (void)state;
    require_everywhere("levels", "VGPU_SEED", "0");
    require_everywhere("levels_after_reset", "VGPU_SEED", "0");
    require_everywhere("no_levels", "VGPU_FAIL", "cudaDeviceGetStreamPriorityRange:1");
    require_order_everywhere("order_with_levels");
    assert_int_equal(run_child_with("order_with_levels", "null", "VGPU_FAIL", refused), 0);
    assert_int_equal(run_child_with("order_with_levels", "per-thread", "VGPU_FAIL", refused), 0);
    assert_int_equal(run_child_with("levels_on_two_devices", "null", "VGPU_DEVICES", "2"), 0);
}

static void test_threads_do_not_meet(void **state) {
    (void)state;
    require_order("two_threads", "null");
    require_order("two_threads", "nonblocking");
    require_order("two_threads", "per-thread");
    require_order("threads_on_one_stream", "null");
    require_order("threads_on_one_stream", "legacy");
}

static void test_lanes_are_streams_of_their_own_and_reused(void **state) {
    void *lanes[3];
    unsigned flags = 99;
    uint32_t i;

    (void)state;
    ENTER(NULL, 3, 1);
    for (i = 0; i < 3; i++)
        lanes[i] = __kesco1_lane(i, NULL, 0);
    __kesco1_leave();
    assert_true(lanes[0] != NULL && lanes[0] != lanes[1] && lanes[1] != lanes[2] && lanes[0] != lanes[2]);
    assert_int_equal(cudaStreamGetFlags(lanes[0], &flags), cudaSuccess);
    assert_int_equal(flags, cudaStreamDefault);
    ENTER(cudaStreamLegacy, 2, 1);
    assert_ptr_equal(__kesco1_lane(0, NULL, 0), lanes[0]);
    assert_ptr_equal(__kesco1_lane(1, NULL, 0), lanes[1]);
    __kesco1_leave();
}

static void test_lanes_beside_another_origin_do_not_block(void **state) {
    void *lanes[3];
    unsigned flags = 99;
    uint32_t i;

    (void)state;
    ENTER(cudaStreamPerThread, 3, 1);
    for (i = 0; i < 3; i++)
        lanes[i] = __kesco1_lane(i, NULL, 0);
    __kesco1_leave();
    assert_ptr_equal(lanes[0], cudaStreamPerThread);
    assert_true(lanes[1] != lanes[0] && lanes[2] != lanes[0] && lanes[1] != lanes[2]);
    assert_int_equal(cudaStreamGetFlags(lanes[1], &flags), cudaSuccess);
    assert_int_equal(flags, cudaStreamNonBlocking);
    ENTER(cudaStreamPerThread, 2, 1);
    assert_ptr_equal(__kesco1_lane(1, NULL, 0), lanes[1]);
    __kesco1_leave();
}

/* A region of another thread leaves alone the one that is open here. */
static void test_threads_share_no_region(void **state) {
    pthread_t thread;
    void *lane, *other;

    (void)state;
    ENTER(NULL, 2, 1);
    lane = __kesco1_lane(0, NULL, 0);
    assert_int_equal(pthread_create(&thread, NULL, second_lane, NULL), 0);
    assert_int_equal(pthread_join(thread, &other), 0);
    assert_ptr_equal(__kesco1_lane(0, NULL, 0), lane);
    __kesco1_leave();
}

static void *lane_of_a_thread(void *beside) {
    pthread_t thread;
    void *lane;

    assert_int_equal(pthread_create(&thread, NULL, second_lane, beside), 0);
    assert_int_equal(pthread_join(thread, &lane), 0);
    return lane;
}

/* Beside streams of the threads' own, each is another's at first. */
static void test_threads_share_no_lane_but_inherit_it(void **state) {
    void *const origins[] = {NULL, cudaStreamPerThread};
    void *first;
    size_t i;
    int more;

    (void)state;
    for (i = 0; i < 2; i++) {
        first = lane_of_a_thread(origins[i]);
        assert_ptr_not_equal(first, second_lane(origins[i]));
        for (more = 1; lane_of_a_thread(origins[i]) != first; more++)
            assert_true(more < KESCO_SETS_FEW);
    }
}

static void test_an_op_on_lanes_just_made_is_not_lost(void **state) {
    (void)state;
    require_order_everywhere("guard_fails_as_lanes_are_made");
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_devices_do_not_meet),
        cmocka_unit_test(test_levels_are_stream_priorities),
        cmocka_unit_test(test_threads_do_not_meet),
        cmocka_unit_test(test_lanes_are_streams_of_their_own_and_reused),
        cmocka_unit_test(test_lanes_beside_another_origin_do_not_block),
        cmocka_unit_test(test_threads_share_no_region),
        cmocka_unit_test(test_threads_share_no_lane_but_inherit_it),
        cmocka_unit_test(test_an_op_on_lanes_just_made_is_not_lost),
    };

    if (argc == 3)
        return RUN_SCENARIO(argv, scenarios);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
