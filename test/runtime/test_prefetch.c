/*
 * Hints that move managed memory, on the virtual GPU: which calls they come to.
 */
#include "runtime/kesco_abi.h"
#include "runtime/region/prefetch.h"
#include "test/cmocka.h"
#include "test/runtime/prefetch_calls.h"
#include "test/runtime/scenario.h"

#include <stdint.h>

/* Memory moves as a whole: on the lane of its first op, and outside of regions on the origin. */
static int moves(void) {
    char *a = managed(LARGE), *b = managed(3 * (size_t)LARGE);
    void *lanes[2];

    ENTER(origin, 2, 0);
    lanes[1] = __kesco1_lane(1, NULL, 0);
    __kesco1_prefetch(1, a + 5);
    lanes[0] = __kesco1_lane(0, NULL, 0);
    __kesco1_prefetch(0, b);
    __kesco1_leave();
    __kesco1_prefetch_host(origin, b + LARGE);
    __kesco1_prefetch_device(origin, a + 7);
    REQUIRE(call_count == 4);
    REQUIRE(is_call(0, a, LARGE, cudaMemLocationTypeDevice, lanes[1]));
    REQUIRE(is_call(1, b, 3 * (size_t)LARGE, cudaMemLocationTypeDevice, lanes[0]));
    REQUIRE(is_call(2, b, 3 * (size_t)LARGE, cudaMemLocationTypeHost, origin));
    REQUIRE(is_call(3, a, LARGE, cudaMemLocationTypeDevice, origin));
    REQUIRE(cudaGetLastError() == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess);
    return 0;
}

/* CUDA 12's function of the same name takes a device and a stream. */
static int moves_with_cuda_12(void) {
    char *a = managed(LARGE);
    void *low_half = (void *)((uintptr_t)origin & UINT32_MAX);

    runtime_version = 12090;
    __kesco1_prefetch_host(origin, a);
    __kesco1_prefetch_device(origin, a);
    REQUIRE(call_count == 2);
    REQUIRE(is_call(0, a, LARGE, cudaMemLocationTypeHost, low_half));
    REQUIRE(is_call(1, a, LARGE, cudaMemLocationTypeDevice, low_half));
    return 0;
}

static void hint(const void *pointer) {
    ENTER(origin, 2, 0);
    __kesco1_lane(1, NULL, 0);
    __kesco1_prefetch(1, pointer);
    __kesco1_leave();
    __kesco1_prefetch_host(origin, pointer);
    __kesco1_prefetch_device(origin, pointer);
}

/* Only what is managed and large is moved. */
static int leaves_the_rest(void) {
    static char own[2 * LARGE];
    void *device, *pinned;

    REQUIRE(cudaMalloc(&device, 2 * (size_t)LARGE) == cudaSuccess);
    REQUIRE(cudaMallocHost(&pinned, 2 * (size_t)LARGE) == cudaSuccess);
    hint(managed(LARGE - 1));
    hint(device);
    hint(pinned);
    hint(own);
    hint(NULL);
    REQUIRE(call_count == 0 && cudaGetLastError() == cudaSuccess);
    return 0;
}

/* A region of one lane, with one op. */
static void use_alone(const void *pointer) {
    ENTER(origin, 1, 0);
    __kesco1_lane(0, NULL, 0);
    __kesco1_fetch(0, pointer);
    __kesco1_leave();
}

/* No call at all: KESCO_DISABLE=1, or a device that moves managed memory by itself. */
static int moves_nothing(void) {
    hint(managed(LARGE));
    use_alone(managed(LARGE));
    REQUIRE(call_count == 0 && cudaGetLastError() == cudaSuccess);
    return 0;
}

static int exclusive_access(void) {
    concurrent_access = 0;
    REQUIRE(moves_nothing() == 0 && moves_nothing() == 0);
    REQUIRE(device_questions == 1 && questions == 0);
    return 0;
}

/* An open region asks for an allocation once; the next region asks again, for the host may have it. */
static int asks_once_in_a_region(void) {
    char *a = managed(LARGE), *small = managed(16);
    int round, pass;

    for (round = 1; round <= 3; round++) {
        for (pass = 0; pass < 5; pass++) {
            ENTER(origin, 2, 0);
            __kesco1_lane(1, NULL, 0);
            __kesco1_prefetch(1, a + pass);
            __kesco1_prefetch(1, small + pass);
            __kesco1_prefetch(1, NULL);
        }
        __kesco1_leave();
        REQUIRE(call_count == (unsigned)round && questions == (unsigned)round);
    }
    REQUIRE(device_questions == 1);
    return 0;
}

/* A region that uses more allocations than it remembers moves them all the same, but for very few of which it
 * cannot tell whether it has, and none again. */
static int many_allocations(void) {
    const char *memory[3 * KESCO_STRETCHES_MOST];
    const uint32_t count = sizeof memory / sizeof *memory;
    uint32_t i;

    for (i = 0; i < count; i++)
        memory[i] = managed(LARGE);
    ENTER(origin, 2, 0);
    __kesco1_lane(1, NULL, 0);
    for (i = 0; i < 2 * count; i++)
        __kesco1_prefetch(1, memory[i % count]);
    __kesco1_leave();
    REQUIRE(call_count >= count - 8 && call_count <= count);
    return 0;
}

/* A region that a guard made serial runs as the program was written. */
static int serial(void) {
    char *a = managed(LARGE), *b = managed(LARGE);

    ENTER(origin, 2, 0);
    __kesco1_lane(1, NULL, 0);
    __kesco1_guard(0, KESCO_GUARD_PLAIN, a);
    __kesco1_lane(1, NULL, 0);
    __kesco1_prefetch(1, b);
    __kesco1_leave();
    REQUIRE(call_count == 0);
    return 0;
}

static int captured(void) {
    cudaGraph_t graph;
    char *a = managed(LARGE);

    REQUIRE(cudaStreamBeginCapture(origin, cudaStreamCaptureModeRelaxed) == cudaSuccess);
    hint(a);
    use_alone(a);
    REQUIRE(call_count == 0 && cudaGetLastError() == cudaSuccess);
    REQUIRE(cudaStreamEndCapture(origin, &graph) == cudaSuccess);
    use_alone(a);
    REQUIRE(call_count >= 1);
    return 0;
}

/* Nor where lanes come and go. */
static int captured_in_turns(void) {
    static struct kesco_history history;
    static const struct kesco_region late = {.lanes = 2, .history = &history};
    static const struct kesco_site site = {.kind = "kernel", .work = 1000};
    cudaGraph_t graph;
    char *a = managed(LARGE);
    uint32_t op;

    REQUIRE(cudaStreamBeginCapture(origin, cudaStreamCaptureModeRelaxed) == cudaSuccess);
    for (op = 0; op < 400; op++) {
        __kesco1_enter(origin, &late);
        __kesco1_lane(op % 2, &site, 100);
        __kesco1_fetch(op % 2, a);
        if (op % 40 == 39)
            __kesco1_leave();
    }
    REQUIRE(call_count == 0 && cudaGetLastError() == cudaSuccess);
    REQUIRE(cudaStreamEndCapture(origin, &graph) == cudaSuccess);
    return 0;
}

/* While a stream that blocks is captured, the default stream takes nothing; it is not asked to. */
static int captured_elsewhere(void) {
    cudaStream_t other = scenario_stream(cudaStreamDefault);
    cudaGraph_t graph;
    char *a = managed(LARGE);

    REQUIRE(cudaStreamBeginCapture(other, cudaStreamCaptureModeRelaxed) == cudaSuccess);
    __kesco1_prefetch_host(origin, a);
    __kesco1_prefetch_device(origin, a);
    REQUIRE(call_count == 0 && cudaGetLastError() == cudaSuccess);
    REQUIRE(cudaStreamEndCapture(other, &graph) == cudaSuccess);
    return 0;
}

/* The program sees no error of a hint, and its own stays. */
static int errors(void) {
    char *a = managed(LARGE);
    cudaError_t pending;

    hint(a);
    REQUIRE(cudaGetLastError() == cudaSuccess);
    call_count = 0;
    ENTER(origin, 2, 0);
    __kesco1_lane(1, NULL, 0);
    pending = cudaSetDevice(-1);
    __kesco1_prefetch(1, a);
    __kesco1_leave();
    __kesco1_prefetch_host(origin, a);
    __kesco1_prefetch_device(origin, a);
    REQUIRE(call_count == 0);
    REQUIRE(pending != cudaSuccess && cudaGetLastError() == pending);
    return 0;
}

static const struct scenario scenarios[] = {
    SCENARIO(moves),
    SCENARIO(moves_with_cuda_12),
    SCENARIO(leaves_the_rest),
    SCENARIO(moves_nothing),
    SCENARIO(exclusive_access),
    SCENARIO(asks_once_in_a_region),
    SCENARIO(many_allocations),
    SCENARIO(serial),
    SCENARIO(captured),
    SCENARIO(captured_in_turns),
    SCENARIO(captured_elsewhere),
    SCENARIO(errors),
};

static void test_moves_managed_memory_there_and_back(void **state) {
    (void)state;
    require_everywhere("moves", "VGPU_SEED", "0");
    require_everywhere("moves_with_cuda_12", "VGPU_SEED", "0");
    require_everywhere("many_allocations", "VGPU_SEED", "0");
}

static void test_leaves_what_is_not_worth_it(void **state) {
    (void)state;
    require_everywhere("leaves_the_rest", "VGPU_SEED", "0");
    require_everywhere("exclusive_access", "VGPU_SEED", "0");
}

static void test_asks_as_little_as_it_may(void **state) {
    (void)state;
    require_everywhere("asks_once_in_a_region", "VGPU_SEED", "0");
}

static void test_does_nothing_where_the_program_is_serial(void **state) {
    (void)state;
    require_everywhere("moves_nothing", "KESCO_DISABLE", "1");
    require_everywhere("serial", "VGPU_SEED", "0");
}

static void test_does_nothing_under_capture(void **state) {
    (void)state;
    assert_int_equal(run_child("captured", "blocking"), 0);
    assert_int_equal(run_child("captured", "nonblocking"), 0);
    assert_int_equal(run_child("captured", "per-thread"), 0);
    assert_int_equal(run_child_with("captured_in_turns", "blocking", "KESCO_MODE", "turns"), 0);
    assert_int_equal(run_child_with("captured_in_turns", "per-thread", "KESCO_MODE", "turns"), 0);
    assert_int_equal(run_child("captured_elsewhere", "null"), 0);
    assert_int_equal(run_child("captured_elsewhere", "legacy"), 0);
}

static void test_errors_are_taken_back(void **state) {
    static const char *const failures[] = {
        "cudaMemPrefetchAsync:1,cudaMemPrefetchAsync:2",
        "cudaDeviceGetAttribute:1,cudaDeviceGetAttribute:2",
        "cudaPointerGetAttributes:1,cudaPointerGetAttributes:2",
        "cudaStreamIsCapturing:1",
        "cudaGetDriverEntryPointByVersion:1",
        "cudaGetDevice:2",
    };
    size_t i;

    (void)state;
    for (i = 0; i < sizeof failures / sizeof *failures; i++)
        require_everywhere("errors", "VGPU_FAIL", failures[i]);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_moves_managed_memory_there_and_back),
        cmocka_unit_test(test_leaves_what_is_not_worth_it),
        cmocka_unit_test(test_asks_as_little_as_it_may),
        cmocka_unit_test(test_does_nothing_where_the_program_is_serial),
        cmocka_unit_test(test_does_nothing_under_capture),
        cmocka_unit_test(test_errors_are_taken_back),
    };

    if (argc == 3)
        return RUN_SCENARIO(argv, scenarios);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
