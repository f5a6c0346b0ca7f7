/* KESCO_TRACE: whose times are in the trace, and what of tracing the program sees. */
#include "runtime/kesco_abi.h"
#include "test/cmocka.h"
#include "test/runtime/fake_cupti.h"
#include "test/runtime/scenario.h"
#include "test/runtime/trace_rules.h"
#include "test/runtime/traced.h"
#include "test/runtime/unseen.h"

#include <cupti.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* A guard fails for an op whose beginning was marked, while a long one runs. */
static int collapsing(void) {
    const size_t size = 64 << 20;
    char *memory;
    void *stream;

    REQUIRE(cudaMalloc((void **)&memory, size) == cudaSuccess);
    __kesco1_enter(origin, &three_lanes);
    stream = __kesco1_lane(0, &one, 0);
    __kesco1_guard(0, KESCO_GUARD_CHECKED | KESCO_GUARD_WRITTEN, memory);
    cudaMemsetAsync(memory, 1, size, stream);
    stream = __kesco1_lane(1, &two, 0);
    __kesco1_guard(1, KESCO_GUARD_CHECKED, memory);
    cudaMemcpyAsync(memory, memory + 1, 1, cudaMemcpyDeviceToDevice, stream);
    write_cell(1, __kesco1_lane(2, &odd, 0));
    __kesco1_leave();
    return 0;
}

static int pending_error(void) {
    return unseen_pending_error(run_region);
}

/* An op that fails has no time, and its error stays the program's. */
static int failing_op(void) {
    cudaError_t pending;

    __kesco1_enter(origin, &three_lanes);
    write_cell(0, __kesco1_lane(0, &one, 0));
    __kesco1_lane(1, &two, 0);
    pending = cudaSetDevice(-1);
    write_cell(2, __kesco1_lane(2, &odd, 0));
    __kesco1_leave();
    REQUIRE(pending != cudaSuccess && cudaGetLastError() == pending);
    return 0;
}

static int failing_calls(void) {
    return unseen_failing_calls(run_region);
}

static int reset_between(void) {
    return unseen_reset_between(run_region);
}

/* What was made for the ops before it is not there any more. */
static int reset_behind_many(void) {
    return many() != 0 ? 1 : unseen_reset_between(run_region);
}

static int two_devices(void) {
    return unseen_two_devices(run_region);
}

static int captured(void) {
    cudaGraph_t graph = NULL;
    size_t nodes = 0;

    cells();
    REQUIRE(cudaStreamBeginCapture(origin, cudaStreamCaptureModeGlobal) == cudaSuccess);
    run_region();
    REQUIRE(cudaStreamEndCapture(origin, &graph) == cudaSuccess);
    REQUIRE(cudaGraphGetNodes(graph, NULL, &nodes) == cudaSuccess && nodes == 4);
    run_region();
    REQUIRE(cudaGetLastError() == cudaSuccess);
    return 0;
}

/* A region has been before. */
static int captured_elsewhere(void) {
    run_region();
    return unseen_captured_elsewhere(run_region);
}

static int two_threads(void) {
    return unseen_two_threads(run_region, 3);
}

/* Two origins of one thread, whose lanes have streams in common. */
static int two_origins(void) {
    run_region();
    origin = scenario_stream(cudaStreamNonBlocking);
    run_region();
    return 0;
}

/* By what they are loaded as, these libraries are CUDA's. */
static int activities(void) {
    REQUIRE(dlopen(FAKE_CUPTI, RTLD_NOW) != NULL);
    REQUIRE(dlopen(FAKE_DRIVER, RTLD_NOW) != NULL);
    return region();
}

/* With a CUPTI alone there is no driver to ask. */
static int activities_of_no_driver(void) {
    REQUIRE(dlopen(FAKE_CUPTI, RTLD_NOW) != NULL);
    return region();
}

static int activities_and_captures(void) {
    REQUIRE(dlopen(FAKE_CUPTI, RTLD_NOW) != NULL);
    REQUIRE(dlopen(FAKE_DRIVER, RTLD_NOW) != NULL);
    return captured();
}

static const struct scenario scenarios[] = {
    SCENARIO(collapsing),
    SCENARIO(pending_error),
    SCENARIO(failing_op),
    SCENARIO(failing_calls),
    SCENARIO(reset_between),
    SCENARIO(reset_behind_many),
    SCENARIO(two_devices),
    SCENARIO(captured),
    SCENARIO(captured_elsewhere),
    SCENARIO(two_threads),
    SCENARIO(two_origins),
    SCENARIO(activities),
    SCENARIO(activities_of_no_driver),
    SCENARIO(activities_and_captures),
};

#define FORKED_REGIONS "row kesco regions: run(int) run(int)\nrow kesco lane 0 (origin): one\n" LANES_1_AND_2

#define FORKED_REGIONS_TWICE                                                                                 \
    "row kesco regions: run(int) run(int)\nrow kesco lane 0 (origin): one one\nrow kesco lane 1: " ODD       \
    " " ODD "\nrow kesco lane 2: two op two op\n"

static double end_of(const json_t *event) {
    return number_of(event, "ts") + number_of(event, "dur");
}

/* The op that a guard stopped begins behind what it then came behind, and what is next behind that. */
static void test_a_fence_is_on_time(void **state) {
    json_t *trace = trace_of("collapsing", "nonblocking");

    (void)state;
    assert_true(number_of(trace_rules_find(trace, "one"), "dur") > 10);
    assert_true(number_of(trace_rules_find(trace, "two"), "ts") >= end_of(trace_rules_find(trace, "one")));
    assert_true(number_of(trace_rules_find(trace, ODD), "ts") >= end_of(trace_rules_find(trace, "two")));
    assert_string_equal(trace_rules_row(trace, trace_rules_find(trace, ODD)), "kesco lane 2");
    json_decref(trace);
}

static void test_failures_stay_hidden(void **state) {
    static const char *const calls[] = {
        "cudaStreamIsCapturing", "cudaEventCreate",           "cudaEventRecord",
        "cudaEventQuery",        "cudaEventDestroy",          "cudaEventElapsedTime",
        "cudaGetDevice",         "cudaStreamCreateWithFlags", "cudaThreadExchangeStreamCaptureMode"};
    char failure[64];
    json_t *trace;
    size_t i;
    int n;

    (void)state;
    setenv("VGPU_CHECK", "races", 1);
    for (i = 0; i < sizeof calls / sizeof *calls; i++)
        for (n = 1; n <= 8; n++) {
            snprintf(failure, sizeof failure, "%s:%d", calls[i], n);
            setenv("VGPU_FAIL", failure, 1);
            require_everywhere("failing_calls", "KESCO_TRACE", path);
            trace = trace_rules_load(path);
            assert_non_null(trace);
            json_decref(trace);
        }
    unsetenv("VGPU_FAIL");
    unsetenv("VGPU_CHECK");
}

static void test_errors_stay_the_programs(void **state) {
    (void)state;
    require_trace("pending_error", "null", LEGACY_REGION ARROWS LEFT_OUT("0", "1"));
    require_trace("failing_op", "null",
                  "row kesco regions:\nrow kesco lane 0: one\nrow kesco lane 1:\n" LEFT_OUT("0", "2"));
}

/* What a reset takes along is counted. */
static void test_devices_come_and_go(void **state) {
    json_t *trace;

    (void)state;
    require_trace("reset_between", "null",
                  "row kesco regions: run(int)\nrow kesco lane 0:\nrow kesco lane 1:\nrow kesco lane 2:\n"
                  "row kesco lane 0 #2: one\nrow kesco lane 1 #2: " ODD
                  "\nrow kesco lane 2 #2: two op\n" ARROWS LEFT_OUT("0", "4"));
    trace = trace_of("reset_behind_many", "null");
    assert_non_null(trace_rules_find(trace, "two"));
    json_decref(trace);
    setenv("VGPU_DEVICES", "2", 1);
    require_trace("two_devices", "null", LEGACY_REGION LEGACY_REGION ARROWS ARROWS LEFT_OUT("0", "0"));
    unsetenv("VGPU_DEVICES");
}

static void test_captures_are_left_alone(void **state) {
    (void)state;
    require_trace(
        "captured", "nonblocking",
        "row kesco regions: run(int) run(int)\nrow kesco lane 0 (origin): one\n" LANES_1_AND_2 ARROWS
            LEFT_OUT("1", "0"));
    require_trace("captured_elsewhere", "nonblocking", FORKED_REGIONS_TWICE ARROWS ARROWS LEFT_OUT("0", "0"));
    require_trace("captured_elsewhere", "per-thread", FORKED_REGIONS_TWICE ARROWS ARROWS LEFT_OUT("0", "0"));
}

static void test_rows_are_of_one_thread_and_stream(void **state) {
    json_t *trace = trace_of("two_threads", "null");

    (void)state;
    assert_int_equal(count_ops(trace), 24);
    json_decref(trace);
    require_trace("two_origins", "null",
                  "row kesco regions: run(int) run(int)\nrow kesco lane 0: one\n" LANES_1_AND_2
                  "row kesco lane 0 (origin): one\nrow kesco lane 1 #2: " ODD
                  "\nrow kesco lane 2 #2: two op\n" ARROWS ARROWS LEFT_OUT("0", "0"));
}

static void require_time(const json_t *op, uint64_t id) {
    const double begin = (double)(FAKE_CUPTI_BEGIN(id) - FAKE_CUPTI_START) / 1000;

    assert_true(number_of(op, "ts") == begin);
    assert_true(number_of(op, "dur") == (double)FAKE_CUPTI_DURATION / 1000);
}

/* Of the slices of the process, the region is the first. */
static void test_times_are_cuptis(void **state) {
    json_t *trace;

    (void)state;
    require_trace("activities", "null", LEGACY_REGION ARROWS LEFT_OUT_OF("CUPTI", "0", "0"));
    require_everywhere("activities", "VGPU_CHECK", "races");
    require_trace("activities_and_captures", "nonblocking",
                  FORKED_REGIONS ARROWS LEFT_OUT_OF("CUPTI", "1", "0"));
    trace = trace_of("activities", "nonblocking");
    require_time(trace_rules_find(trace, "one"), 2);
    require_time(trace_rules_find(trace, ODD), 3);
    require_time(trace_rules_find(trace, "two"), 4);
    require_time(trace_rules_find(trace, "op"), 5);
    assert_true(number_of(trace_rules_find(trace, "run(int)"), "ts") == 1);
    assert_true(number_of(trace_rules_find(trace, "run(int)"), "dur") == 1);
    json_decref(trace);
}

/* What is no op has rows of its own, by streams, in grey. */
static void test_others_are_grey(void **state) {
    const json_t *other;
    json_t *trace;

    (void)state;
    setenv("FAKE_CUPTI", "others", 1);
    trace = trace_of("activities", "null");
    other = trace_rules_find(trace, "_Z5alonev");
    assert_string_equal(trace_rules_row(trace, other), "kesco does not manage: stream 7");
    assert_string_equal(json_string_value(json_object_get(other, "cname")), "grey");
    assert_true(number_of(other, "ts") == (double)(FAKE_CUPTI_BEGIN(90) - FAKE_CUPTI_START) / 1000);
    assert_true(number_of(other, "dur") == 10);
    assert_string_equal(trace_rules_row(trace, trace_rules_find(trace, "copy")),
                        "kesco does not manage: stream 13");
    require_time(trace_rules_find(trace, "one"), 2);
    assert_null(trace_rules_find(trace, "memset"));
    assert_null(json_object_get(trace_rules_find(trace, "one"), "cname"));
    other = json_object_get(json_object_get(trace, "metadata"), "outside_of_regions");
    assert_string_equal(json_string_value(other), "grey");
    json_decref(trace);
    unsetenv("FAKE_CUPTI");
}

static void test_without_cupti_there_are_events(void **state) {
    (void)state;
    require_trace("activities_of_no_driver", "null", LEGACY_REGION ARROWS LEFT_OUT("0", "0"));
    setenv("FAKE_CUPTI", "old", 1);
    require_trace("activities", "null", LEGACY_REGION ARROWS LEFT_OUT("0", "0"));
    setenv("FAKE_CUPTI", "refuses", 1);
    require_trace("activities", "null", LEGACY_REGION ARROWS LEFT_OUT("0", "0"));
    unsetenv("FAKE_CUPTI");
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_fence_is_on_time),
        cmocka_unit_test(test_failures_stay_hidden),
        cmocka_unit_test(test_errors_stay_the_programs),
        cmocka_unit_test(test_devices_come_and_go),
        cmocka_unit_test(test_captures_are_left_alone),
        cmocka_unit_test(test_rows_are_of_one_thread_and_stream),
        cmocka_unit_test(test_times_are_cuptis),
        cmocka_unit_test(test_others_are_grey),
        cmocka_unit_test(test_without_cupti_there_are_events),
    };

    if (argc == 3)
        return RUN_SCENARIO(argv, scenarios);
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
