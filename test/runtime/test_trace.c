/* KESCO_TRACE: what is in the trace, and what of tracing the program sees. */
#include "runtime/kesco_abi.h"
#include "test/cmocka.h"
#include "test/runtime/fake_cupti.h"
#include "test/runtime/scenario.h"
#include "test/runtime/trace_rules.h"
#include "test/runtime/unseen.h"

#include <cupti.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The virtual GPU's CUPTI is none here: times are events', or of fake_cupti.c. */
__attribute__((visibility("default"))) CUptiResult cuptiGetVersion(uint32_t *version) {
    (void)version;
    return CUPTI_ERROR_NOT_INITIALIZED;
}

#define AS_LATE_AS_POSSIBLE "1" /* as VGPU_SEED */

enum { MANY = 6000 }; /* more ops than are kept unread */

static const struct kesco_site one = {"memset", "one", "run(int)", "a.cu", 3, 3, 0, 0, 0, 0, 0, NULL};
static const struct kesco_site two = {"copy", "two", "run(int)", "a.cu", 4, 4, 0, 0, 0, 0, 0, NULL};
static const struct kesco_site odd = {"kernel", "\"odd\\\xff\"", "walk<\"x\">()", NULL, 0, 0, 0, 0, 0, 0, 0,
                                      NULL};
static const struct kesco_region three_lanes = {
    .lanes = 3, .events = 2, .function = "run(int)", .file = "a.cu", .line = 3};

/* `one` and `odd` at once, then `two` behind both. */
static void run_region(void) {
    __kesco1_enter(origin, &three_lanes);
    write_cell(0, __kesco1_lane(0, &one, 0));
    __kesco1_record(0, 0);
    write_cell(1, __kesco1_lane(1, &odd, 0));
    __kesco1_record(1, 1);
    __kesco1_wait(0, 2);
    __kesco1_wait(1, 2);
    copy_cell(2, 0, __kesco1_lane(2, &two, 0));
    write_cell(3, __kesco1_lane(2, NULL, 0));
    __kesco1_leave();
}

static int region(void) {
    run_region();
    REQUIRE(cudaGetLastError() == cudaSuccess);
    return 0;
}

/* Behind the region comes what the program issues; nothing waits for the host. */
static int ordered(void) {
    __kesco1_enter(origin, &three_lanes);
    issue('a', __kesco1_lane(0, &one, 0));
    __kesco1_record(0, 0);
    issue('b', __kesco1_lane(1, &two, 0));
    REQUIRE(__kesco1_finish(1, KESCO_FINISH_SERIAL, cudaSuccess) == cudaSuccess);
    __kesco1_wait(0, 2);
    issue('c', __kesco1_lane(2, &odd, 0));
    REQUIRE(__kesco1_finish(2, KESCO_FINISH_ALWAYS, cudaSuccess) == cudaSuccess);
    REQUIRE(come_in_order('a', 'c'));
    __kesco1_leave();
    issue('d', origin);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    REQUIRE(come_in_order('b', 'd') && come_in_order('c', 'd') && letters() == 4);
    return 0;
}

/* What a wait may name: an event that nothing recorded, or recorded before any op; twice the same. */
static int waits(void) {
    int i;

    __kesco1_enter(origin, &three_lanes);
    __kesco1_record(1, 2);
    __kesco1_wait(0, 1);
    __kesco1_wait(1, 1);
    write_cell(0, __kesco1_lane(0, &one, 0));
    __kesco1_record(0, 0);
    for (i = 0; i < 3; i++)
        __kesco1_wait(0, 1);
    __kesco1_wait(0, 2);
    copy_cell(1, 0, __kesco1_lane(1, &two, 0));
    __kesco1_leave();
    __kesco1_enter(origin, &three_lanes);
    __kesco1_wait(0, 2);
    write_cell(0, __kesco1_lane(2, &odd, 0));
    __kesco1_leave();
    return 0;
}

static int many(void) {
    int i;

    __kesco1_enter(origin, &three_lanes);
    for (i = 0; i < MANY; i++)
        write_cell(i % 3, __kesco1_lane((uint32_t)i % 3, &one, 0));
    __kesco1_leave();
    REQUIRE(cudaGetLastError() == cudaSuccess);
    return 0;
}

/* A region on which the program ends. */
static int ends_within(void) {
    __kesco1_enter(origin, &three_lanes);
    write_cell(0, __kesco1_lane(0, &one, 0));
    exit(0);
}

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

static int reset_within(void) {
    __kesco1_enter(NULL, &three_lanes);
    write_cell(0, __kesco1_lane(0, &one, 0));
    REQUIRE(cudaDeviceReset() == cudaSuccess);
    forget_cells();
    write_cell(0, __kesco1_lane(1, &two, 0));
    __kesco1_leave();
    REQUIRE(cudaGetLastError() == cudaSuccess);
    return 0;
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
    SCENARIO(region),
    SCENARIO(ordered),
    SCENARIO(waits),
    SCENARIO(many),
    SCENARIO(ends_within),
    SCENARIO(collapsing),
    SCENARIO(pending_error),
    SCENARIO(failing_op),
    SCENARIO(failing_calls),
    SCENARIO(reset_between),
    SCENARIO(reset_behind_many),
    SCENARIO(reset_within),
    SCENARIO(two_devices),
    SCENARIO(captured),
    SCENARIO(captured_elsewhere),
    SCENARIO(two_threads),
    SCENARIO(two_origins),
    SCENARIO(activities),
    SCENARIO(activities_of_no_driver),
    SCENARIO(activities_and_captures),
};

static char path[] = "/tmp/kesco-trace-XXXXXX";

static int make_path(void **state) {
    const int file = mkstemp(path);

    (void)state;
    setenv("VGPU_TIME", "1", 1);
    return file < 0 ? -1 : close(file);
}

static int remove_path(void **state) {
    (void)state;
    return remove(path);
}

static json_t *trace_of(const char *scenario, const char *kind) {
    const int status = run_child_with(scenario, kind, "KESCO_TRACE", path);
    json_t *trace = trace_rules_load(path);

    if (status != 0 || trace == NULL)
        fail_msg("%s on origin '%s': status %d", scenario, kind, status);
    return trace;
}

/* Requires the trace of a scenario, as trace_rules_print tells it, to be this text. */
static void require_trace(const char *scenario, const char *kind, const char *text) {
    json_t *trace = trace_of(scenario, kind);
    char told[4096];
    FILE *file = fmemopen(told, sizeof told, "w");

    assert_non_null(file);
    trace_rules_print(file, trace);
    fclose(file);
    json_decref(trace);
    if (strcmp(told, text) != 0)
        fail_msg("%s on origin '%s':\n%s-- rather than\n%s", scenario, kind, told, text);
}

#define LEFT_OUT_OF(times, regions, ops)                                                                     \
    "{\"captured_regions\": " regions ", \"ops_left_out\": " ops ", \"times\": \"" times "\"}\n"
#define LEFT_OUT(regions, ops) LEFT_OUT_OF("CUDA events", regions, ops)
#define ODD "\"odd\\\xef\xbf\xbd\""
#define ARROWS "arrow one -> two\narrow " ODD " -> two\n"
#define LANES_1_AND_2 "row kesco lane 1: " ODD "\nrow kesco lane 2: two op\n"
#define LEGACY_REGION "row kesco regions: run(int)\nrow kesco lane 0: one\n" LANES_1_AND_2
#define FORKED_REGIONS "row kesco regions: run(int) run(int)\nrow kesco lane 0 (origin): one\n" LANES_1_AND_2
#define FORKED_REGIONS_TWICE                                                                                 \
    "row kesco regions: run(int) run(int)\nrow kesco lane 0 (origin): one one\nrow kesco lane 1: " ODD       \
    " " ODD "\nrow kesco lane 2: two op two op\n"
#define FORKED_REGION "row kesco regions: run(int)\nrow kesco lane 0 (origin): one\n" LANES_1_AND_2

static void test_lanes_are_rows_and_waits_are_arrows(void **state) {
    (void)state;
    require_trace("region", "null", LEGACY_REGION ARROWS LEFT_OUT("0", "0"));
    require_trace("region", "legacy", LEGACY_REGION ARROWS LEFT_OUT("0", "0"));
    require_trace("region", "blocking", FORKED_REGION ARROWS LEFT_OUT("0", "0"));
    require_trace("region", "per-thread", FORKED_REGION ARROWS LEFT_OUT("0", "0"));
    require_trace("ends_within", "null",
                  "row kesco regions: run(int)\nrow kesco lane 0: one\n" LEFT_OUT("0", "0"));
}

static void test_waits_for_nothing_have_no_arrows(void **state) {
    (void)state;
    require_trace("waits", "null",
                  "row kesco regions: run(int) run(int)\nrow kesco lane 0: one\nrow kesco lane 1: "
                  "two\nrow kesco lane 2: " ODD "\narrow one -> two\n" LEFT_OUT("0", "0"));
}

enum { LEGACY_KINDS = 2 }; /* of origin_kinds, the first ones: the legacy default stream */

#define SERIAL_ON(row)                                                                                       \
    "row kesco regions: run(int)\nrow kesco " row ": one " ODD " two op\n" LEFT_OUT("0", "0")

static void test_serial_regions_are_on_the_origin(void **state) {
    size_t i;

    (void)state;
    setenv("KESCO_DISABLE", "1", 1);
    for (i = 0; i < origin_kind_count; i++)
        require_trace("region", origin_kinds[i],
                      i < LEGACY_KINDS ? SERIAL_ON("default stream") : SERIAL_ON("lane 0 (origin)"));
    unsetenv("KESCO_DISABLE");
}

static double number_of(const json_t *event, const char *key) {
    return json_number_value(json_object_get(event, key));
}

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

static void require_argument(const json_t *event, const char *key, const char *text) {
    assert_string_equal(json_string_value(json_object_get(json_object_get(event, "args"), key)), text);
}

static void test_ops_are_named(void **state) {
    json_t *trace = trace_of("region", "null");
    const json_t *op = trace_rules_find(trace, "two"), *region = trace_rules_find(trace, "run(int)");
    const json_t *unknown = trace_rules_find(trace, ODD);

    (void)state;
    require_argument(op, "kind", "copy");
    require_argument(op, "function", "run(int)");
    require_argument(op, "source", "a.cu:4");
    require_argument(region, "source", "a.cu:3");
    require_argument(unknown, "function", "walk<\"x\">()");
    assert_null(json_object_get(json_object_get(unknown, "args"), "source"));
    assert_true(number_of(json_object_get(op, "args"), "lane") == 2);
    assert_true(number_of(json_object_get(op, "args"), "region") ==
                number_of(json_object_get(region, "args"), "region"));
    assert_true(number_of(json_object_get(region, "args"), "lanes") == 3);
    json_decref(trace);
}

static size_t count_ops(const json_t *trace) {
    const json_t *event;
    size_t count = 0, i;

    json_array_foreach(json_object_get(trace, "traceEvents"), i, event) {
        count += json_object_get(json_object_get(event, "args"), "op") != NULL;
    }
    return count;
}

static void test_no_op_is_missing(void **state) {
    json_t *trace;

    (void)state;
    setenv("VGPU_SEED", AS_LATE_AS_POSSIBLE, 1);
    trace = trace_of("many", "null");
    assert_int_equal(count_ops(trace), MANY);
    json_decref(trace);
    unsetenv("VGPU_SEED");
}

static void test_order_is_as_without(void **state) {
    size_t i;

    (void)state;
    setenv("KESCO_TRACE", path, 1);
    for (i = 0; i < origin_kind_count; i++) {
        require_order("ordered", origin_kinds[i]);
        assert_int_equal(run_child_with("region", origin_kinds[i], "VGPU_CHECK", "races"), 0);
    }
    unsetenv("KESCO_TRACE");
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
    setenv("KESCO_DISABLE", "1", 1);
    require_everywhere("reset_within", "KESCO_TRACE", path);
    unsetenv("KESCO_DISABLE");
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

/* A file that cannot be written costs the program nothing; nor does an empty name. */
static void test_files_of_all_kinds(void **state) {
    char folder[] = "/tmp/kesco-trace-XXXXXX", within[64];

    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(run_child_with("region", "null", "KESCO_TRACE", folder), 0);
    assert_int_equal(run_child_with("region", "null", "KESCO_TRACE", ""), 0);
    assert_int_equal(run_child_with("region", "null", "KESCO_TRACE", "/dev/full"), 0);
    snprintf(within, sizeof within, "%s/none/trace.json", folder);
    assert_int_equal(run_child_with("region", "null", "KESCO_TRACE", within), 0);
    assert_int_equal(rmdir(folder), 0);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lanes_are_rows_and_waits_are_arrows),
        cmocka_unit_test(test_waits_for_nothing_have_no_arrows),
        cmocka_unit_test(test_serial_regions_are_on_the_origin),
        cmocka_unit_test(test_a_fence_is_on_time),
        cmocka_unit_test(test_ops_are_named),
        cmocka_unit_test(test_no_op_is_missing),
        cmocka_unit_test(test_order_is_as_without),
        cmocka_unit_test(test_failures_stay_hidden),
        cmocka_unit_test(test_errors_stay_the_programs),
        cmocka_unit_test(test_devices_come_and_go),
        cmocka_unit_test(test_captures_are_left_alone),
        cmocka_unit_test(test_rows_are_of_one_thread_and_stream),
        cmocka_unit_test(test_times_are_cuptis),
        cmocka_unit_test(test_others_are_grey),
        cmocka_unit_test(test_without_cupti_there_are_events),
        cmocka_unit_test(test_files_of_all_kinds),
    };

    if (argc == 3)
        return RUN_SCENARIO(argv, scenarios);
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
