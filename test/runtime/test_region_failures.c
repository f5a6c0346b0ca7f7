/* The runtime's ABI on the virtual GPU where calls fail, devices are reset, and a region is serial. */
#include "runtime/kesco_abi.h"
#include "test/cmocka.h"
#include "test/runtime/region_scenarios.h"
#include "test/runtime/scenario.h"

#include <stdio.h>
#include <stdlib.h>

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

static void reset_at_exit(void) {
    if (cudaDeviceReset() != cudaSuccess)
        _Exit(1);
}

/* By code that nobody has compiled with KeSCo, which ends before the runtime does. */
static int exit_within_and_reset(void) {
    ENTER(origin, 2, 0);
    issue('a', __kesco1_lane(1, NULL, 0));
    atexit(reset_at_exit);
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

static int pending_error_and_reset(void) {
    ENTER(origin, 2, 1);
    __kesco1_leave();
    REQUIRE(scenario_reset() == 0);
    return pending_error();
}

static const struct scenario scenarios[] = {
    SCENARIO(order),
    SCENARIO(serial),
    SCENARIO(serial_later),
    SCENARIO(one_lane),
    SCENARIO(failing_calls),
    SCENARIO(pending_error),
    SCENARIO(pending_inside),
    SCENARIO(reset_between),
    SCENARIO(order_after_reset),
    SCENARIO(pending_error_and_reset),
    SCENARIO(exit_within),
    SCENARIO(exit_within_and_reset),
};

static void test_a_region_ends_at_exit(void **state) {
    (void)state;
    require_order_everywhere("exit_within");
    require_everywhere("exit_within_and_reset", "VGPU_SEED", "0");
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
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_region_ends_at_exit),
        cmocka_unit_test(test_disable_makes_the_program_serial),
        cmocka_unit_test(test_one_lane_is_the_origin),
        cmocka_unit_test(test_each_failing_call_falls_back),
        cmocka_unit_test(test_failing_creation_makes_the_region_serial),
        cmocka_unit_test(test_failing_call_inside_makes_the_rest_serial),
        cmocka_unit_test(test_pending_error_survives),
        cmocka_unit_test(test_a_reset_costs_nothing_but_the_pool),
    };

    if (argc == 3)
        return RUN_SCENARIO(argv, scenarios);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
