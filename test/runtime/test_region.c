/* The runtime's ABI on the virtual GPU: what a region orders, on every kind of origin. */
#include "runtime/kesco_abi.h"
#include "test/cmocka.h"
#include "test/runtime/region_scenarios.h"
#include "test/runtime/scenario.h"

#include <stdlib.h>
#include <string.h>

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

static int racing_loop(void) {
    int round;

    for (round = 0; round < 2; round++) {
        ENTER(origin, 3, 1);
        write_cell(0, __kesco1_lane(1 + (uint32_t)round, NULL, 0));
    }
    __kesco1_leave();
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
    SCENARIO(host_runs_ahead),
    SCENARIO(unused),
    SCENARIO(entered_again),
    SCENARIO(waits_once),
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

static void test_host_does_not_wait(void **state) {
    (void)state;
    require_everywhere("host_runs_ahead", "VGPU_SEED", AS_LATE_AS_POSSIBLE);
    setenv("VGPU_SEED", AS_LATE_AS_POSSIBLE, 1);
    require_everywhere("unused", "VGPU_FAIL", "cudaEventRecord:2,cudaStreamWaitEvent:1");
    unsetenv("VGPU_SEED");
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_holds_on_every_origin),
        cmocka_unit_test(test_lanes_overlap),
        cmocka_unit_test(test_entering_an_open_region_goes_on),
        cmocka_unit_test(test_a_lane_waits_once_for_a_record),
        cmocka_unit_test(test_waits_hold_on_many_lanes),
        cmocka_unit_test(test_another_region_closes_the_open_one),
        cmocka_unit_test(test_an_interrupted_region_is_serial),
        cmocka_unit_test(test_events_of_earlier_regions_are_not_waited_for),
        cmocka_unit_test(test_blocking_streams_keep_their_order),
        cmocka_unit_test(test_host_does_not_wait),
    };

    if (argc == 3)
        return RUN_SCENARIO(argv, scenarios);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
