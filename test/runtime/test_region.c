/* The runtime's ABI on the virtual GPU: what a region orders, on every kind of origin. */
#include "runtime/kesco_abi.h"
#include "test/cmocka.h"
#include "test/runtime/scenario.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AS_LATE_AS_POSSIBLE "1" /* as VGPU_SEED */

/* Waits order lanes; what the origin got before comes first, and what it gets later last. */
static int order(void) {
    forget_letters();
    issue('a', origin);
    write_cell(0, origin);
    write_cell(1, origin);
    ENTER(origin, 3, 2);
    issue('b', __kesco1_lane(0, NULL, 0));
    write_cell(0, __kesco1_lane(0, NULL, 0));
    __kesco1_record(0, 0);
    issue('c', __kesco1_lane(0, NULL, 0));
    issue('d', __kesco1_lane(1, NULL, 0));
    write_cell(1, __kesco1_lane(1, NULL, 0));
    __kesco1_record(1, 1);
    __kesco1_wait(0, 2);
    __kesco1_wait(1, 2);
    issue('e', __kesco1_lane(2, NULL, 0));
    copy_cell(2, 0, __kesco1_lane(2, NULL, 0));
    copy_cell(3, 1, __kesco1_lane(2, NULL, 0));
    issue('f', __kesco1_lane(1, NULL, 0));
    __kesco1_leave();
    issue('g', origin);
    copy_cell(4, 2, origin);
    write_cell(0, origin);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    REQUIRE(letters() == 7);
    REQUIRE(come_in_order('a', 'b') && come_in_order('a', 'd'));
    REQUIRE(come_in_order('b', 'c') && come_in_order('b', 'e') && come_in_order('d', 'e'));
    REQUIRE(come_in_order('c', 'g') && come_in_order('e', 'g') && come_in_order('f', 'g'));
    return 0;
}

/* A lane that waits or records before it is launched on comes behind the origin all the same. */
static int first_uses(void) {
    write_cell(0, origin);
    write_cell(1, origin);
    ENTER(origin, 4, 3);
    __kesco1_record(0, 1);
    write_cell(0, __kesco1_lane(1, NULL, 0));
    write_cell(2, __kesco1_lane(2, NULL, 0));
    __kesco1_record(1, 2);
    __kesco1_wait(1, 3);
    write_cell(1, __kesco1_lane(3, NULL, 0));
    __kesco1_leave();
    write_cell(1, origin);
    return 0;
}

/* Lanes are not serialised behind our back: writes to one cell race. */
static int racing_lanes(void) {
    ENTER(origin, 3, 0);
    write_cell(0, __kesco1_lane(0, NULL, 0));
    write_cell(0, __kesco1_lane(1, NULL, 0));
    __kesco1_leave();
    return 0;
}

static int racing_later_lanes(void) {
    ENTER(origin, 3, 0);
    write_cell(0, __kesco1_lane(2, NULL, 0));
    write_cell(0, __kesco1_lane(1, NULL, 0));
    __kesco1_leave();
    return 0;
}

/* A region right behind a region: the second's lanes come after all of the first's. */
static int two_regions(void) {
    int round;

    for (round = 0; round < 2; round++) {
        ENTER(origin, 3, 0);
        write_cell(round, __kesco1_lane(0, NULL, 0));
        write_cell(1 - round, __kesco1_lane(1, NULL, 0));
        write_cell(2 + round, __kesco1_lane(2, NULL, 0));
        __kesco1_leave();
    }
    ENTER(origin, 3, 0);
    copy_cell(4, 2, __kesco1_lane(1, NULL, 0));
    copy_cell(5, 0, __kesco1_lane(2, NULL, 0));
    __kesco1_leave();
    return 0;
}

/* An open region that is entered again goes on: only an event orders its lanes, and only its own records
 * count. */
static int loop(void) {
    int round;

    for (round = 0; round < 4; round++) {
        ENTER(origin, 3, 2);
        __kesco1_wait(1, 1);
        write_cell(0, __kesco1_lane(1, NULL, 0));
        __kesco1_record(0, 1);
        __kesco1_wait(0, 2);
        copy_cell(1, 0, __kesco1_lane(2, NULL, 0));
        __kesco1_record(1, 2);
    }
    __kesco1_leave();
    return 0;
}

static int racing_loop(void) {
    int round;

    for (round = 0; round < 2; round++) {
        ENTER(origin, 3, 1);
        write_cell(0, __kesco1_lane(1 + (uint32_t)round, NULL, 0));
    }
    __kesco1_leave();
    return 0;
}

/* Another region than the one that is open, whether its lanes and events would do or not: that closes. */
static int other_regions(void) {
    ENTER(origin, 2, 0);
    write_cell(0, __kesco1_lane(1, NULL, 0));
    ENTER(origin, 40, 1);
    write_cell(0, __kesco1_lane(39, NULL, 0));
    write_cell(1, __kesco1_lane(0, NULL, 0));
    ENTER(origin, 2, 200);
    write_cell(0, __kesco1_lane(0, NULL, 0));
    write_cell(1, __kesco1_lane(1, NULL, 0));
    __kesco1_record(199, 1);
    __kesco1_wait(199, 0);
    write_cell(1, __kesco1_lane(0, NULL, 0));
    ENTER(origin, 2, 0);
    write_cell(0, __kesco1_lane(1, NULL, 0));
    __kesco1_leave();
    REQUIRE(cudaPeekAtLastError() == cudaSuccess);
    return 0;
}

/* What closes an open region beside its plan: ops that come all the same are behind it, on the origin. */
static int interrupted(void) {
    __kesco1_interrupt();
    ENTER(origin, 2, 2);
    write_cell(0, __kesco1_lane(1, NULL, 0));
    __kesco1_record(0, 1);
    __kesco1_interrupt();
    issue('a', origin);
    __kesco1_wait(0, 0);
    write_cell(0, __kesco1_lane(0, NULL, 0));
    write_cell(0, __kesco1_lane(1, NULL, 0));
    __kesco1_record(1, 1);
    REQUIRE(__kesco1_lane(0, NULL, 0) == origin && __kesco1_lane(1, NULL, 0) == origin);
    __kesco1_leave();
    ENTER(origin, 2, 2);
    REQUIRE(__kesco1_lane(1, NULL, 0) != origin);
    write_cell(0, __kesco1_lane(1, NULL, 0));
    __kesco1_leave();
    REQUIRE(cudaPeekAtLastError() == cudaSuccess);
    return 0;
}

static int grown(void) {
    ENTER(origin, 2, 0);
    ENTER(origin, 256, 0);
    REQUIRE(__kesco1_lane(255, NULL, 0) != NULL &&
            __kesco1_lane(255, NULL, 0) != __kesco1_lane(254, NULL, 0));
    issue('a', __kesco1_lane(255, NULL, 0));
    __kesco1_leave();
    REQUIRE(cudaStreamSynchronize(origin) == cudaSuccess);
    REQUIRE(letters() == 1);
    return 0;
}

/* Another origin: the region that is open joins into its own, and the next one forks from the other. */
static int two_origins(void) {
    cudaStream_t other = scenario_stream(cudaStreamNonBlocking);

    write_cell(4, other);
    ENTER(origin, 2, 1);
    write_cell(0, __kesco1_lane(0, NULL, 0));
    write_cell(1, __kesco1_lane(1, NULL, 0));
    __kesco1_record(0, 1);
    ENTER(other, 3, 1);
    write_cell(4, __kesco1_lane(1, NULL, 0));
    write_cell(5, __kesco1_lane(2, NULL, 0));
    ENTER(origin, 2, 1);
    copy_cell(2, 0, __kesco1_lane(1, NULL, 0));
    copy_cell(3, 1, __kesco1_lane(0, NULL, 0));
    __kesco1_leave();
    write_cell(2, origin);
    copy_cell(6, 5, other);
    copy_cell(7, 4, other);
    return 0;
}

/* The record of an earlier region is none of this one's. */
static int racing_regions(void) {
    ENTER(scenario_stream(cudaStreamNonBlocking), 2, 1);
    write_cell(0, __kesco1_lane(1, NULL, 0));
    __kesco1_record(0, 1);
    ENTER(origin, 3, 1);
    __kesco1_wait(0, 2);
    write_cell(0, __kesco1_lane(2, NULL, 0));
    __kesco1_leave();
    return 0;
}

/* A region on the legacy default stream takes part in its order against blocking streams. */
static int other_blocking_streams(void) {
    cudaStream_t other = scenario_stream(cudaStreamDefault);

    write_cell(0, other);
    ENTER(origin, 2, 0);
    write_cell(0, __kesco1_lane(1, NULL, 0));
    __kesco1_leave();
    write_cell(0, other);
    return 0;
}

/* The default stream comes behind a region on a blocking stream, as behind a launch on it, and before the
 * next. */
static int default_stream(void) {
    write_cell(0, NULL);
    ENTER(origin, 2, 0);
    write_cell(0, __kesco1_lane(1, NULL, 0));
    write_cell(1, __kesco1_lane(0, NULL, 0));
    __kesco1_leave();
    copy_cell(2, 0, NULL);
    return 0;
}

/* All lanes are the origin, and nothing is left in CUDA's error state. */
static int serial(void) {
    uint32_t lane;

    ENTER(origin, 3, 2);
    for (lane = 0; lane < 3; lane++)
        REQUIRE(__kesco1_lane(lane, NULL, 0) == origin);
    __kesco1_record(0, 0);
    __kesco1_wait(0, 1);
    __kesco1_guard(0, KESCO_GUARD_CHECKED, &lane);
    __kesco1_leave();
    REQUIRE(cudaPeekAtLastError() == cudaSuccess);
    return 0;
}

/* Where an inner call failed, the rest is serial. */
static int serial_later(void) {
    static const struct kesco_region same = {.lanes = 3, .events = 1};

    __kesco1_enter(origin, &same);
    __kesco1_lane(1, NULL, 0);
    __kesco1_record(0, 1);
    __kesco1_wait(0, 2);
    REQUIRE(__kesco1_lane(1, NULL, 0) == origin && __kesco1_lane(2, NULL, 0) == origin);
    __kesco1_enter(origin, &same);
    REQUIRE(__kesco1_lane(1, NULL, 0) == origin);
    __kesco1_leave();
    __kesco1_enter(origin, &same);
    REQUIRE(__kesco1_lane(1, NULL, 0) != origin);
    __kesco1_leave();
    return 0;
}

static int one_lane(void) {
    ENTER(origin, 1, 0);
    REQUIRE(__kesco1_lane(0, NULL, 0) == origin);
    __kesco1_leave();
    return 0;
}

/* Calls that fail somewhere below: the order stays, the error state too. */
static int failing_calls(void) {
    REQUIRE(order() == 0 && first_uses() == 0);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    REQUIRE(two_regions() == 0 && loop() == 0 && other_regions() == 0);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    REQUIRE(two_origins() == 0);
    REQUIRE(cudaGetLastError() == cudaSuccess);
    return 0;
}

/* An error that the program has not looked at yet is still there behind a region that fell back. */
static int pending_error(void) {
    cudaError_t pending = cudaSetDevice(-1);

    REQUIRE(pending != cudaSuccess);
    REQUIRE(order() == 0);
    REQUIRE(cudaGetLastError() == pending);
    REQUIRE(cudaGetLastError() == cudaSuccess);
    return 0;
}

/* An error that came up inside of a region is not taken back with one of ours. */
static int pending_inside(void) {
    ENTER(origin, 2, 1);
    __kesco1_lane(1, NULL, 0);
    REQUIRE(cudaSetDevice(-1) != cudaSuccess);
    __kesco1_record(0, 1);
    __kesco1_leave();
    REQUIRE(cudaGetLastError() != cudaSuccess);
    return 0;
}

/* Nothing in a region makes the host wait: where ops run as late as they may, none has run before the host
 * asks. */
static int host_runs_ahead(void) {
    forget_letters();
    issue('o', origin);
    ENTER(origin, 3, 1);
    REQUIRE(__kesco1_lane(1, NULL, 0) != origin && __kesco1_lane(1, NULL, 0) != __kesco1_lane(0, NULL, 0));
    issue('a', __kesco1_lane(0, NULL, 0));
    __kesco1_record(0, 0);
    __kesco1_wait(0, 1);
    issue('b', __kesco1_lane(1, NULL, 0));
    issue('c', __kesco1_lane(2, NULL, 0));
    __kesco1_leave();
    REQUIRE(letters() == 0);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    REQUIRE(letters() == 4 && come_in_order('a', 'b'));
    return 0;
}

/* A region without a launch ends without a call that could fail and make the host wait. */
static int unused(void) {
    issue('a', origin);
    ENTER(origin, 2, 1);
    __kesco1_wait(0, 1);
    __kesco1_leave();
    __kesco1_leave();
    REQUIRE(letters() == 0);
    return 0;
}

/* Entering an open region calls nothing that could fail and make it serial. */
static int entered_again(void) {
    int i;

    for (i = 0; i < 3; i++)
        ENTER(origin, 3, 2);
    REQUIRE(__kesco1_lane(2, NULL, 0) != origin);
    __kesco1_leave();
    return 0;
}

/* In a loop, a lane waits for a record once, however often it is told to, and for the next record again. */
static int waits_once(void) {
    ENTER(origin, 4, 1);
    issue('a', __kesco1_lane(1, NULL, 0));
    __kesco1_record(0, 1);
    __kesco1_lane(2, NULL, 0);
    __kesco1_lane(3, NULL, 0);
    for (int i = 0; i < 5; i++)
        __kesco1_wait(0, 2);
    __kesco1_wait(0, 3);
    __kesco1_record(0, 1);
    __kesco1_wait(0, 2);
    REQUIRE(__kesco1_lane(2, NULL, 0) != origin);
    __kesco1_wait(0, 3);
    REQUIRE(__kesco1_lane(2, NULL, 0) == origin);
    __kesco1_leave();
    return 0;
}

/*
 * A lane that comes behind a record through another one need not wait for it, nor for an older record of the
 * same lane; a newer record it does wait for.
 */
static int waits_for_what_it_does_not_know(void) {
    ENTER(origin, 4, 3);
    issue('a', __kesco1_lane(1, NULL, 0));
    __kesco1_record(0, 1);
    issue('b', __kesco1_lane(1, NULL, 0));
    __kesco1_record(1, 1);
    __kesco1_lane(2, NULL, 0);
    __kesco1_lane(3, NULL, 0);
    __kesco1_wait(1, 2);
    __kesco1_wait(0, 2);
    __kesco1_record(2, 2);
    __kesco1_wait(2, 3);
    __kesco1_wait(0, 3);
    __kesco1_wait(1, 3);
    __kesco1_record(0, 1);
    REQUIRE(__kesco1_lane(3, NULL, 0) != origin);
    __kesco1_wait(0, 3);
    REQUIRE(__kesco1_lane(3, NULL, 0) == origin);
    __kesco1_leave();
    return 0;
}

/* The same where a region has more lanes than are kept track of. */
static int waits_on_many_lanes(void) {
    ENTER(origin, 40, 2);
    issue('a', __kesco1_lane(35, NULL, 0));
    __kesco1_record(0, 35);
    __kesco1_wait(0, 1);
    issue('b', __kesco1_lane(1, NULL, 0));
    __kesco1_record(1, 1);
    __kesco1_wait(1, 39);
    issue('c', __kesco1_lane(39, NULL, 0));
    __kesco1_leave();
    issue('d', origin);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    REQUIRE(letters() == 4 && come_in_order('a', 'b') && come_in_order('b', 'c') && come_in_order('c', 'd'));
    return 0;
}

/* What runs at exit comes behind a region that the program ended in. */
static void check_at_exit(void) {
    issue('b', origin);
    if (cudaDeviceSynchronize() != cudaSuccess || !come_in_order('a', 'b'))
        _Exit(1);
}

static int exit_within(void) {
    atexit(check_at_exit);
    ENTER(origin, 2, 0);
    issue('a', __kesco1_lane(1, NULL, 0));
    exit(0);
}

/* Streams and events that cudaDeviceReset destroyed are made again: the next region is as good as the first.
 */
static int reset_between(void) {
    REQUIRE(host_runs_ahead() == 0);
    REQUIRE(scenario_reset() == 0);
    REQUIRE(host_runs_ahead() == 0);
    REQUIRE(cudaPeekAtLastError() == cudaSuccess);
    return 0;
}

static int order_after_reset(void) {
    REQUIRE(order() == 0);
    REQUIRE(scenario_reset() == 0);
    REQUIRE(order() == 0);
    REQUIRE(cudaPeekAtLastError() == cudaSuccess);
    return 0;
}

/* A reset takes the streams of an open region away: what is left of it is serial, and no error shows. */
static int reset_within(void) {
    ENTER(origin, 3, 1);
    __kesco1_lane(1, NULL, 0);
    REQUIRE(cudaDeviceReset() == cudaSuccess);
    __kesco1_record(0, 1);
    REQUIRE(__kesco1_lane(1, NULL, 0) == origin && __kesco1_lane(2, NULL, 0) == origin);
    __kesco1_leave();
    REQUIRE(cudaGetLastError() == cudaSuccess);
    ENTER(NULL, 2, 0);
    REQUIRE(__kesco1_lane(1, NULL, 0) != NULL);
    __kesco1_leave();
    return 0;
}

static int pending_error_and_reset(void) {
    ENTER(origin, 2, 1);
    __kesco1_leave();
    REQUIRE(scenario_reset() == 0);
    return pending_error();
}

static const struct scenario scenarios[] = {
    SCENARIO(order),
    SCENARIO(first_uses),
    SCENARIO(racing_lanes),
    SCENARIO(racing_later_lanes),
    SCENARIO(two_regions),
    SCENARIO(loop),
    SCENARIO(racing_loop),
    SCENARIO(other_regions),
    SCENARIO(interrupted),
    SCENARIO(grown),
    SCENARIO(two_origins),
    SCENARIO(racing_regions),
    SCENARIO(other_blocking_streams),
    SCENARIO(default_stream),
    SCENARIO(serial),
    SCENARIO(serial_later),
    SCENARIO(one_lane),
    SCENARIO(failing_calls),
    SCENARIO(pending_error),
    SCENARIO(pending_inside),
    SCENARIO(host_runs_ahead),
    SCENARIO(unused),
    SCENARIO(entered_again),
    SCENARIO(reset_between),
    SCENARIO(order_after_reset),
    SCENARIO(reset_within),
    SCENARIO(pending_error_and_reset),
    SCENARIO(waits_once),
    SCENARIO(exit_within),
    SCENARIO(waits_for_what_it_does_not_know),
    SCENARIO(waits_on_many_lanes),
};

static void test_order_holds_on_every_origin(void **state) {
    (void)state;
    require_order_everywhere("order");
    require_order_everywhere("first_uses");
    require_order_everywhere("two_regions");
    require_order_everywhere("two_origins");
}

static void test_lanes_overlap(void **state) {
    size_t i;

    (void)state;
    for (i = 0; i < origin_kind_count; i++) {
        require_races("racing_lanes", origin_kinds[i]);
        require_races("racing_later_lanes", origin_kinds[i]);
    }
}

static void test_entering_an_open_region_goes_on(void **state) {
    size_t i;

    (void)state;
    require_everywhere("entered_again", "VGPU_FAIL",
                       "cudaStreamGetCaptureInfo:2,cudaGetDevice:2,cudaEventRecord:2");
    require_order_everywhere("loop");
    for (i = 0; i < origin_kind_count; i++)
        require_races("racing_loop", origin_kinds[i]);
}

static void test_a_lane_waits_once_for_a_record(void **state) {
    size_t i;

    (void)state;
    /* Beside an origin that is not the default stream, three lanes fork first. */
    for (i = 0; i < origin_kind_count; i++) {
        bool legacy = strcmp(origin_kinds[i], "null") == 0 || strcmp(origin_kinds[i], "legacy") == 0;
        const char *third = legacy ? "cudaStreamWaitEvent:3" : "cudaStreamWaitEvent:6";
        const char *fourth = legacy ? "cudaStreamWaitEvent:4" : "cudaStreamWaitEvent:7";
        assert_int_equal(run_child_with("waits_once", origin_kinds[i], "VGPU_FAIL", fourth), 0);
        assert_int_equal(
            run_child_with("waits_for_what_it_does_not_know", origin_kinds[i], "VGPU_FAIL", third), 0);
    }
}

static void test_waits_hold_on_many_lanes(void **state) {
    (void)state;
    require_order_everywhere("waits_on_many_lanes");
}

static void test_a_region_ends_at_exit(void **state) {
    (void)state;
    require_order_everywhere("exit_within");
}

static void test_another_region_closes_the_open_one(void **state) {
    (void)state;
    require_order_everywhere("other_regions");
    require_order_everywhere("grown");
}

static void test_an_interrupted_region_is_serial(void **state) {
    (void)state;
    require_order_everywhere("interrupted");
    setenv("KESCO_TRACE", "/dev/null", 1);
    require_order_everywhere("interrupted");
    unsetenv("KESCO_TRACE");
}

static void test_events_of_earlier_regions_are_not_waited_for(void **state) {
    (void)state;
    require_races("racing_regions", "null");
    require_races("racing_regions", "nonblocking");
    require_races("racing_regions", "per-thread");
}

static void test_blocking_streams_keep_their_order(void **state) {
    (void)state;
    require_order("other_blocking_streams", "null");
    require_order("other_blocking_streams", "legacy");
    require_order("default_stream", "blocking");
    require_order("default_stream", "per-thread");
    require_races("default_stream", "nonblocking");
}

static void test_disable_makes_the_program_serial(void **state) {
    (void)state;
    require_everywhere("serial", "KESCO_DISABLE", "1");
    require_everywhere("order", "KESCO_DISABLE", "1");
    assert_int_not_equal(run_child_with("serial", "null", "KESCO_DISABLE", "0"), 0);
    assert_int_not_equal(run_child_with("serial", "null", "KESCO_DISABLE", "yes"), 0);
    assert_int_not_equal(run_child_with("serial", "per-thread", "KESCO_DISABLE", "0"), 0);
}

static void test_one_lane_is_the_origin(void **state) {
    (void)state;
    require_everywhere("one_lane", "VGPU_SEED", "0");
}

/* Each call that the runtime makes fails, the N-th of its kind, for N up to what the scenario reaches. */
static void test_each_failing_call_falls_back(void **state) {
    static const char *const calls[] = {
        "cudaGetDevice:%d",
        "cudaStreamGetCaptureInfo:%d",
        "cudaThreadExchangeStreamCaptureMode:%d",
        "cudaStreamCreateWithFlags:%d",
        "cudaEventCreateWithFlags:%d",
        "cudaEventRecord:%d",
        "cudaStreamWaitEvent:%d",
        "cudaEventRecord:%d,cudaStreamSynchronize:1",
        "cudaEventRecord:%d,cudaThreadExchangeStreamCaptureMode:3,cudaThreadExchangeStreamCaptureMode:4",
        "cudaStreamWaitEvent:%d,cudaEventRecord:4,cudaEventRecord:6,cudaEventRecord:8,cudaEventRecord:10",
    };
    char failure[128];
    size_t i;
    int n;

    (void)state;
    setenv("VGPU_CHECK", "races", 1);
    for (i = 0; i < sizeof calls / sizeof *calls; i++)
        for (n = 1; n <= 14; n++) {
            snprintf(failure, sizeof failure, calls[i], n);
            require_everywhere("failing_calls", "VGPU_FAIL", failure);
        }
    unsetenv("VGPU_CHECK");
}

static void test_failing_creation_makes_the_region_serial(void **state) {
    (void)state;
    require_everywhere("serial", "VGPU_FAIL", "cudaStreamCreateWithFlags:2");
    require_everywhere("serial", "VGPU_FAIL", "cudaEventCreateWithFlags:3");
    require_everywhere("serial", "VGPU_FAIL", "cudaEventRecord:1");
    require_everywhere("serial", "VGPU_FAIL", "cudaStreamGetCaptureInfo:1");
}

static void test_failing_call_inside_makes_the_rest_serial(void **state) {
    (void)state;
    require_everywhere("serial_later", "VGPU_FAIL", "cudaEventRecord:2");
    require_everywhere("serial_later", "VGPU_FAIL", "cudaStreamWaitEvent:1");
}

static void test_host_does_not_wait(void **state) {
    (void)state;
    require_everywhere("host_runs_ahead", "VGPU_SEED", AS_LATE_AS_POSSIBLE);
    setenv("VGPU_SEED", AS_LATE_AS_POSSIBLE, 1);
    require_everywhere("unused", "VGPU_FAIL", "cudaEventRecord:2,cudaStreamWaitEvent:1");
    unsetenv("VGPU_SEED");
}

static void test_pending_error_survives(void **state) {
    (void)state;
    require_everywhere("pending_error", "VGPU_SEED", "0");
    require_everywhere("pending_error_and_reset", "VGPU_SEED", "0");
    require_everywhere("pending_error", "VGPU_FAIL", "cudaEventCreateWithFlags:1");
    require_everywhere("pending_inside", "VGPU_FAIL", "cudaEventRecord:2");
    require_everywhere("pending_inside", "VGPU_FAIL", "cudaEventRecord:2,cudaStreamSynchronize:1");
}

static void test_a_reset_costs_nothing_but_the_pool(void **state) {
    (void)state;
    require_everywhere("reset_between", "VGPU_SEED", AS_LATE_AS_POSSIBLE);
    require_order_everywhere("order_after_reset");
    require_everywhere("reset_within", "VGPU_SEED", "0");
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_holds_on_every_origin),
        cmocka_unit_test(test_lanes_overlap),
        cmocka_unit_test(test_entering_an_open_region_goes_on),
        cmocka_unit_test(test_a_lane_waits_once_for_a_record),
        cmocka_unit_test(test_waits_hold_on_many_lanes),
        cmocka_unit_test(test_a_region_ends_at_exit),
        cmocka_unit_test(test_another_region_closes_the_open_one),
        cmocka_unit_test(test_an_interrupted_region_is_serial),
        cmocka_unit_test(test_events_of_earlier_regions_are_not_waited_for),
        cmocka_unit_test(test_blocking_streams_keep_their_order),
        cmocka_unit_test(test_disable_makes_the_program_serial),
        cmocka_unit_test(test_one_lane_is_the_origin),
        cmocka_unit_test(test_each_failing_call_falls_back),
        cmocka_unit_test(test_failing_creation_makes_the_region_serial),
        cmocka_unit_test(test_failing_call_inside_makes_the_rest_serial),
        cmocka_unit_test(test_host_does_not_wait),
        cmocka_unit_test(test_pending_error_survives),
        cmocka_unit_test(test_a_reset_costs_nothing_but_the_pool),
    };

    if (argc == 3)
        return RUN_SCENARIO(argv, scenarios);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
