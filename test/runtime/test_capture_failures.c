/* Regions under stream capture where calls fail, or the capture is invalid. */
#include "runtime/kesco_abi.h"
#include "test/cmocka.h"
#include "test/runtime/captured.h"
#include "test/runtime/scenario.h"

#include <stdio.h>
#include <stdlib.h>

/* Spoils the capture as a program might, and looks at the error that this gives. */
static bool invalidate(void) {
    return cudaStreamSynchronize(origin) != cudaSuccess && cudaGetLastError() != cudaSuccess;
}

static int invalidated_before(void) {
    struct order paths;

    REQUIRE(begin(origin, RELAXED));
    REQUIRE(invalidate());
    ENTER(origin, 3, 1);
    REQUIRE(__kesco1_lane(1, NULL, 0) == origin);
    __kesco1_leave();
    REQUIRE(cudaPeekAtLastError() == cudaSuccess);
    REQUIRE(!end(origin, &paths));
    return 0;
}

static int invalidated_within(void) {
    struct order paths;

    REQUIRE(begin(origin, RELAXED));
    ENTER(origin, 3, 1);
    write_cell(0, __kesco1_lane(1, NULL, 0));
    REQUIRE(invalidate());
    __kesco1_record(0, 1);
    REQUIRE(__kesco1_lane(2, NULL, 0) == origin);
    __kesco1_leave();
    REQUIRE(cudaPeekAtLastError() == cudaSuccess);
    REQUIRE(!end(origin, &paths));
    REQUIRE(cudaGetLastError() != cudaSuccess);
    REQUIRE(begin(origin, RELAXED));
    issue_region(origin);
    REQUIRE(end(origin, &paths) && is_region(&paths, 0) && has_branches(&paths, 0));
    return 0;
}

/*
 * A call of ours fails: the graph has the order all the same, or there is none, and the program is told: by
 * its next launch, and at the end of the capture.
 */
static int failing_call(void) {
    cudaGraph_t graph = NULL;
    struct order paths;
    cudaError_t launched, ended;

    REQUIRE(begin(origin, cudaStreamCaptureModeGlobal));
    issue_region(origin);
    launched = cudaPeekAtLastError();
    ended = cudaStreamEndCapture(origin, &graph);
    if (launched != cudaSuccess || ended != cudaSuccess) {
        REQUIRE(launched == cudaErrorStreamCaptureInvalidated && ended == launched && graph == NULL);
        return 0;
    }
    REQUIRE(read_graph(graph, &paths) && paths.count == 5 && is_region(&paths, 0));
    return 0;
}

/* The same where the call need not spoil the capture. */
static int failing_opening(void) {
    struct order paths;

    REQUIRE(begin(origin, cudaStreamCaptureModeGlobal));
    issue_region(origin);
    REQUIRE(cudaPeekAtLastError() == cudaSuccess);
    REQUIRE(end(origin, &paths) && paths.count == 5 && is_region(&paths, 0) && !has_branches(&paths, 0));
    return 0;
}

/* Waiting for a region outside where a call of ours failed does the capture no harm. */
static int failing_call_outside(void) {
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
    cudaStream_t other = scenario_stream(cudaStreamNonBlocking);
    struct order paths;

    REQUIRE(begin(origin, cudaStreamCaptureModeGlobal));
    ENTER(other, 3, 1);
    write_cell(0, __kesco1_lane(1, NULL, 0));
    write_cell(1, __kesco1_lane(2, NULL, 0));
    __kesco1_leave();
    write_cell(0, other);
    write_cell(1, other);
    REQUIRE(cudaPeekAtLastError() == cudaSuccess);
    REQUIRE(cudaThreadExchangeStreamCaptureMode(&mode) == cudaSuccess);
    REQUIRE(mode == cudaStreamCaptureModeGlobal);
    REQUIRE(end(origin, &paths) && paths.count == 0);
    return 0;
}

/* A capture that a call of ours spoils when it fails takes no other with it. */
static int failing_call_beside(void) {
    cudaStream_t other = scenario_stream(cudaStreamNonBlocking);
    struct order paths;

    REQUIRE(begin(origin, cudaStreamCaptureModeGlobal) && begin(other, cudaStreamCaptureModeGlobal));
    ENTER(origin, 2, 0);
    write_cell(0, __kesco1_lane(1, NULL, 0));
    __kesco1_leave();
    issue_region(other);
    REQUIRE(!end(origin, &paths));
    REQUIRE(end(other, &paths) && paths.count == 5 && has_branches(&paths, 0));
    return 0;
}

/* The default stream cannot be touched while a blocking stream is captured: that is left to the program. */
static int default_stream(void) {
    unsigned flags = 0;
    struct order paths;
    bool blocking;

    REQUIRE(cudaStreamGetFlags(origin, &flags) == cudaSuccess);
    blocking = flags == cudaStreamDefault;
    REQUIRE(begin(origin, RELAXED));
    ENTER(NULL, 2, 0);
    REQUIRE((__kesco1_lane(1, NULL, 0) == NULL) == blocking);
    __kesco1_leave();
    REQUIRE(cudaPeekAtLastError() == cudaSuccess);
    REQUIRE(end(origin, &paths));
    return 0;
}

static const struct scenario scenarios[] = {
    SCENARIO(invalidated_before), SCENARIO(invalidated_within),   SCENARIO(failing_call),
    SCENARIO(failing_opening),    SCENARIO(failing_call_outside), SCENARIO(failing_call_beside),
    SCENARIO(default_stream),
};

static void test_an_invalid_capture_is_the_programs_own(void **state) {
    (void)state;
    require_scenario("invalidated_before");
    require_scenario("invalidated_within");
}

static void test_failing_calls_lose_no_order(void **state) {
    static const char *const calls[] = {
        "cudaGetDevice:%d",
        "cudaStreamGetCaptureInfo:%d",
        "cudaThreadExchangeStreamCaptureMode:%d",
        "cudaStreamCreateWithFlags:%d",
        "cudaEventCreateWithFlags:%d",
        "cudaEventRecord:%d",
        "cudaStreamWaitEvent:%d",
    };
    char failure[64];
    size_t i;
    int n;

    (void)state;
    for (i = 0; i < sizeof calls / sizeof *calls; i++)
        for (n = 1; n <= 8; n++) {
            snprintf(failure, sizeof failure, calls[i], n);
            require_with("failing_call", "VGPU_FAIL", failure);
        }
    require_with("failing_opening", "VGPU_FAIL", "cudaStreamGetCaptureInfo:1");
    require_with("failing_opening", "VGPU_FAIL", "cudaStreamCreateWithFlags:2");
    require_with("failing_opening", "VGPU_FAIL", "cudaEventRecord:1");
    require_with("failing_opening", "VGPU_FAIL", "cudaStreamWaitEvent:1");
    require_with("failing_opening", "KESCO_DISABLE", "1");
}

static void test_failing_calls_leave_other_captures_alone(void **state) {
    (void)state;
    require_with("failing_call_beside", "VGPU_FAIL", "cudaEventRecord:2");
    setenv("VGPU_CHECK", "races", 1);
    require_with("failing_call_outside", "VGPU_FAIL", "cudaEventRecord:2");
    require_with("failing_call_outside", "VGPU_FAIL", "cudaStreamWaitEvent:3");
    unsetenv("VGPU_CHECK");
}

static void test_the_default_stream_is_left_to_the_program(void **state) {
    (void)state;
    require_scenario("default_stream");
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_invalid_capture_is_the_programs_own),
        cmocka_unit_test(test_failing_calls_lose_no_order),
        cmocka_unit_test(test_failing_calls_leave_other_captures_alone),
        cmocka_unit_test(test_the_default_stream_is_left_to_the_program),
    };

    if (argc == 3)
        return RUN_SCENARIO(argv, scenarios);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
