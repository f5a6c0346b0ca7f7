/*
 * The runtime's ABI on the virtual GPU. What depends on the environment (seeds, failing calls, KESCO_DISABLE)
 * runs as a scenario in a child process: this program again, with the scenario's name as its argument. Ops
 * are host functions, so their order can be watched.
 */
#include "runtime/kesco_abi.h"

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define REQUIRE(condition)                                                                                   \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                          \
            return 1;                                                                                        \
        }                                                                                                    \
    } while (0)

#define AS_LATE_AS_POSSIBLE "1" /* as VGPU_SEED */

static char issued[16];
static size_t issued_count;

static void CUDART_CB append(void *letter) {
    issued[issued_count++] = (char)(uintptr_t)letter;
}

static void issue(char letter, void *stream) {
    cudaLaunchHostFunc(stream, append, (void *)(uintptr_t)letter);
}

static int come_in_order(char first, char second) {
    const char *a = strchr(issued, first), *b = strchr(issued, second);
    return a != NULL && b != NULL && a < b;
}

/* A wait orders lanes; both ends of a region order it against another blocking stream and the default stream.
 */
static int scenario_order(void) {
    struct kesco_region *region;
    cudaStream_t other;

    REQUIRE(cudaStreamCreate(&other) == cudaSuccess);
    issue('a', other);
    region = __kesco1_region_begin(2, 1);
    issue('b', __kesco1_lane(region, 0));
    __kesco1_record(region, 0, 0);
    issue('c', __kesco1_lane(region, 0));
    issue('d', __kesco1_lane(region, 1));
    __kesco1_wait(region, 0, 1);
    issue('e', __kesco1_lane(region, 1));
    __kesco1_region_end(region);
    issue('f', other);
    issue('g', NULL);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    REQUIRE(issued_count == 7);
    REQUIRE(come_in_order('a', 'b') && come_in_order('a', 'd'));
    REQUIRE(come_in_order('b', 'c') && come_in_order('b', 'e') && come_in_order('d', 'e'));
    REQUIRE(come_in_order('c', 'f') && come_in_order('e', 'f'));
    REQUIRE(come_in_order('f', 'g'));
    return 0;
}

/* Without a wait, some order of execution runs lane 1 before lane 0: lanes are not serialised behind our
 * back. */
static int scenario_lanes_overlap(void) {
    struct kesco_region *region = __kesco1_region_begin(2, 0);

    issue('a', __kesco1_lane(region, 0));
    issue('b', __kesco1_lane(region, 1));
    __kesco1_region_end(region);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    return come_in_order('b', 'a') ? 0 : 2;
}

/* A region right behind a region: the second's lanes come after all of the first's. */
static int scenario_two_regions(void) {
    struct kesco_region *region = __kesco1_region_begin(2, 0);

    issue('a', __kesco1_lane(region, 0));
    issue('b', __kesco1_lane(region, 1));
    __kesco1_region_end(region);
    region = __kesco1_region_begin(2, 0);
    issue('c', __kesco1_lane(region, 1));
    issue('d', __kesco1_lane(region, 0));
    __kesco1_region_end(region);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    REQUIRE(come_in_order('a', 'c') && come_in_order('b', 'd'));
    return 0;
}

/* All lanes are the default stream, and nothing is left in CUDA's error state. */
static int scenario_serial(void) {
    struct kesco_region *region = __kesco1_region_begin(3, 2);
    uint32_t lane;

    for (lane = 0; lane < 3; lane++)
        REQUIRE(__kesco1_lane(region, lane) == NULL);
    __kesco1_record(region, 0, 0);
    __kesco1_wait(region, 0, 1);
    __kesco1_region_end(region);
    REQUIRE(cudaPeekAtLastError() == cudaSuccess);
    return 0;
}

/* The call that VGPU_FAIL names fails somewhere below; the order stays, the error state too. */
static int scenario_failing_call(void) {
    int status = scenario_order();

    REQUIRE(status == 0);
    REQUIRE(cudaGetLastError() == cudaSuccess);
    return 0;
}

/* An error that the program has not looked at yet is still there behind a region that fell back. */
static int scenario_pending_error(void) {
    struct kesco_region *region;

    REQUIRE(cudaSetDevice(-1) != cudaSuccess);
    region = __kesco1_region_begin(2, 0);
    __kesco1_region_end(region);
    REQUIRE(cudaGetLastError() != cudaSuccess);
    REQUIRE(cudaGetLastError() == cudaSuccess);
    return 0;
}

/* The same where a reset has taken the pool's handles away in between. */
static int scenario_pending_error_and_reset(void) {
    cudaError_t pending;

    __kesco1_region_end(__kesco1_region_begin(2, 1));
    REQUIRE(cudaDeviceReset() == cudaSuccess);
    pending = cudaSetDevice(-1);
    REQUIRE(pending != cudaSuccess);
    REQUIRE(scenario_order() == 0);
    REQUIRE(cudaGetLastError() == pending);
    return 0;
}

static int scenario_reset(void) {
    __kesco1_region_end(__kesco1_region_begin(2, 1));
    REQUIRE(cudaDeviceReset() == cudaSuccess);
    REQUIRE(scenario_order() == 0);
    REQUIRE(cudaGetLastError() == cudaSuccess);
    return 0;
}

/* Distinct allocations pass the guard, interior pointers and all; what is only read, and what is not checked,
 * may overlap. */
static int scenario_guard_passes(void) {
    struct kesco_region *region;
    char *a, *b;

    REQUIRE(cudaMalloc((void **)&a, 64) == cudaSuccess && cudaMalloc((void **)&b, 64) == cudaSuccess);
    region = __kesco1_region_begin(2, 0);
    __kesco1_guard(region, 0, KESCO_GUARD_CHECKED | KESCO_GUARD_WRITTEN, a + 60);
    __kesco1_guard(region, 0, KESCO_GUARD_CHECKED | KESCO_GUARD_WRITTEN, a);
    __kesco1_guard(region, 1, KESCO_GUARD_WRITTEN, b);
    __kesco1_guard(region, 2, KESCO_GUARD_CHECKED, NULL);
    REQUIRE(__kesco1_lane(region, 1) != NULL);
    __kesco1_region_end(region);
    region = __kesco1_region_begin(2, 0);
    __kesco1_guard(region, 0, KESCO_GUARD_CHECKED, a);
    __kesco1_guard(region, 1, KESCO_GUARD_CHECKED, a + 1);
    __kesco1_guard(region, 2, KESCO_GUARD_WRITTEN, b);
    __kesco1_guard(region, 3, KESCO_GUARD_WRITTEN, b);
    REQUIRE(__kesco1_lane(region, 1) != NULL);
    __kesco1_region_end(region);
    REQUIRE(cudaGetLastError() == cudaSuccess);
    return 0;
}

/* A pointer into a known allocation orders the launch behind all that came before, and what follows behind
 * it. */
static int guarded_order(const void *first, const void *second) {
    struct kesco_region *region = __kesco1_region_begin(3, 0);
    cudaStream_t other;
    void *lane;

    REQUIRE(cudaStreamCreate(&other) == cudaSuccess);
    __kesco1_guard(region, 0, KESCO_GUARD_CHECKED | KESCO_GUARD_WRITTEN, first);
    issue('a', __kesco1_lane(region, 0));
    issue('b', __kesco1_lane(region, 1));
    lane = __kesco1_lane(region, 2);
    __kesco1_guard(region, 1, KESCO_GUARD_CHECKED, second);
    issue('c', lane);
    REQUIRE(__kesco1_lane(region, 0) == NULL);
    __kesco1_region_end(region);
    issue('d', other);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    REQUIRE(come_in_order('a', 'c') && come_in_order('b', 'c') && come_in_order('c', 'd'));
    REQUIRE(cudaGetLastError() == cudaSuccess);
    return 0;
}

static int scenario_guard_fails(void) {
    char *a;

    REQUIRE(cudaMalloc((void **)&a, 64) == cudaSuccess);
    return guarded_order(a, a + 32);
}

/* The host's own memory is unknown to the driver, so it may be anything. */
static int scenario_guard_knows_nothing(void) {
    char *a, local = 0;

    REQUIRE(cudaMalloc((void **)&a, 64) == cudaSuccess);
    return guarded_order(a, &local);
}

/* More pointers than the guard can hold: serial, not forgotten. */
static int scenario_guard_is_full(void) {
    struct kesco_region *region = __kesco1_region_begin(2, 0);
    uint32_t i;
    void *pointer;

    for (i = 0; i < 65; i++) {
        REQUIRE(__kesco1_lane(region, 1) != NULL);
        REQUIRE(cudaMalloc(&pointer, 16) == cudaSuccess);
        __kesco1_guard(region, i, KESCO_GUARD_CHECKED | KESCO_GUARD_WRITTEN, pointer);
    }
    REQUIRE(__kesco1_lane(region, 1) == NULL);
    __kesco1_region_end(region);
    return 0;
}

/* Nothing in a region makes the host wait: where ops run as late as they may, none has run before the host
 * asks. */
static int scenario_host_runs_ahead(void) {
    struct kesco_region *region = __kesco1_region_begin(2, 1);

    REQUIRE(__kesco1_lane(region, 0) != NULL && __kesco1_lane(region, 0) != __kesco1_lane(region, 1));
    issue('a', __kesco1_lane(region, 0));
    __kesco1_record(region, 0, 0);
    __kesco1_wait(region, 0, 1);
    issue('b', __kesco1_lane(region, 1));
    __kesco1_region_end(region);
    REQUIRE(issued_count == 0);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    REQUIRE(come_in_order('a', 'b'));
    return 0;
}

/* Streams and events that cudaDeviceReset destroyed are made again: the next region is as good as the first.
 */
static int scenario_lanes_after_reset(void) {
    REQUIRE(scenario_host_runs_ahead() == 0);
    REQUIRE(cudaDeviceReset() == cudaSuccess);
    issued_count = 0;
    REQUIRE(scenario_host_runs_ahead() == 0);
    REQUIRE(cudaPeekAtLastError() == cudaSuccess);
    return 0;
}

static const struct {
    const char *name;
    int (*run)(void);
} scenarios[] = {
    {"order", scenario_order},
    {"lanes_overlap", scenario_lanes_overlap},
    {"two_regions", scenario_two_regions},
    {"serial", scenario_serial},
    {"failing_call", scenario_failing_call},
    {"pending_error", scenario_pending_error},
    {"pending_error_and_reset", scenario_pending_error_and_reset},
    {"reset", scenario_reset},
    {"host_runs_ahead", scenario_host_runs_ahead},
    {"lanes_after_reset", scenario_lanes_after_reset},
    {"guard_passes", scenario_guard_passes},
    {"guard_fails", scenario_guard_fails},
    {"guard_knows_nothing", scenario_guard_knows_nothing},
    {"guard_is_full", scenario_guard_is_full},
};

static int run_scenario(const char *name) {
    size_t i;

    for (i = 0; i < sizeof scenarios / sizeof *scenarios; i++)
        if (strcmp(scenarios[i].name, name) == 0)
            return scenarios[i].run();
    return 100;
}

/* Runs a scenario in a child with one more environment variable and returns the child's exit status. */
static int run_child(const char *scenario, const char *variable, const char *value) {
    int status;
    pid_t child = fork();

    if (child == 0) {
        if (variable != NULL)
            setenv(variable, value, 1);
        execl("/proc/self/exe", "test_region", scenario, (char *)NULL);
        _exit(101);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 102;
}

static void run_with_all_seeds(const char *scenario) {
    char seed[8];
    int i;

    for (i = 0; i < 20; i++) {
        snprintf(seed, sizeof seed, "%d", i);
        assert_int_equal(run_child(scenario, "VGPU_SEED", seed), 0);
    }
}

static void test_order_holds_under_all_seeds(void **state) {
    (void)state;
    run_with_all_seeds("order");
    run_with_all_seeds("two_regions");
    run_with_all_seeds("reset");
}

static void test_lanes_overlap_under_some_seed(void **state) {
    char seed[8];
    int i, overlaps = 0;

    (void)state;
    for (i = 0; i < 20; i++) {
        snprintf(seed, sizeof seed, "%d", i);
        overlaps += run_child("lanes_overlap", "VGPU_SEED", seed) == 0;
    }
    assert_true(overlaps > 0);
}

static void test_disable_makes_the_program_serial(void **state) {
    (void)state;
    assert_int_equal(run_child("serial", "KESCO_DISABLE", "1"), 0);
    assert_int_not_equal(run_child("serial", "KESCO_DISABLE", "0"), 0);
    assert_int_not_equal(run_child("serial", "KESCO_DISABLE", "yes"), 0);
    assert_int_equal(run_child("order", "KESCO_DISABLE", "1"), 0);
}

static void test_each_failing_call_falls_back(void **state) {
    static const char *const calls[] = {
        "cudaStreamCreateWithFlags:1",
        "cudaStreamCreateWithFlags:2",
        "cudaEventCreateWithFlags:1",
        "cudaEventCreateWithFlags:2",
        "cudaGetDevice:1",
        "cudaEventRecord:1",
        "cudaEventRecord:2",
        "cudaEventRecord:3",
        "cudaStreamWaitEvent:1",
    };
    size_t i;

    (void)state;
    for (i = 0; i < sizeof calls / sizeof *calls; i++) {
        setenv("VGPU_FAIL", calls[i], 1);
        run_with_all_seeds("failing_call");
    }
    unsetenv("VGPU_FAIL");
}

static void test_failing_creation_makes_the_region_serial(void **state) {
    (void)state;
    assert_int_equal(run_child("serial", "VGPU_FAIL", "cudaStreamCreateWithFlags:3"), 0);
    assert_int_equal(run_child("serial", "VGPU_FAIL", "cudaEventCreateWithFlags:3"), 0);
    assert_int_equal(run_child("serial", "VGPU_FAIL", "cudaEventRecord:1"), 0);
}

static void test_host_does_not_wait(void **state) {
    (void)state;
    assert_int_equal(run_child("host_runs_ahead", "VGPU_SEED", AS_LATE_AS_POSSIBLE), 0);
    assert_int_equal(run_child("lanes_after_reset", "VGPU_SEED", AS_LATE_AS_POSSIBLE), 0);
}

static void test_pending_error_survives(void **state) {
    (void)state;
    assert_int_equal(run_child("pending_error", NULL, NULL), 0);
    assert_int_equal(run_child("pending_error_and_reset", NULL, NULL), 0);
    assert_int_equal(run_child("pending_error", "VGPU_FAIL", "cudaEventCreateWithFlags:1"), 0);
}

static void test_guard(void **state) {
    (void)state;
    assert_int_equal(run_child("guard_passes", NULL, NULL), 0);
    run_with_all_seeds("guard_fails");
    run_with_all_seeds("guard_knows_nothing");
    assert_int_equal(run_child("guard_is_full", NULL, NULL), 0);
    assert_int_not_equal(run_child("guard_passes", "VGPU_FAIL", "cudaGetDriverEntryPointByVersion:1"), 0);
    assert_int_equal(run_child("guard_fails", "VGPU_FAIL", "cudaGetDriverEntryPointByVersion:1"), 0);
}

static void test_lanes_are_streams_of_their_own_and_reused(void **state) {
    struct kesco_region *region = __kesco1_region_begin(3, 1);
    void *lanes[3] = {__kesco1_lane(region, 0), __kesco1_lane(region, 1), __kesco1_lane(region, 2)};
    unsigned flags = 99;

    (void)state;
    __kesco1_region_end(region);
    assert_true(lanes[0] != NULL && lanes[0] != lanes[1] && lanes[1] != lanes[2] && lanes[0] != lanes[2]);
    assert_int_equal(cudaStreamGetFlags(lanes[0], &flags), cudaSuccess);
    assert_int_equal(flags, cudaStreamDefault);
    region = __kesco1_region_begin(2, 1);
    assert_ptr_equal(__kesco1_lane(region, 0), lanes[0]);
    assert_ptr_equal(__kesco1_lane(region, 1), lanes[1]);
    __kesco1_region_end(region);
}

static void *first_lane(void *unused) {
    struct kesco_region *region = __kesco1_region_begin(2, 1);
    void *lane = __kesco1_lane(region, 0);

    (void)unused;
    __kesco1_region_end(region);
    return lane;
}

/* A region of another thread leaves alone the one that is open here. */
static void test_threads_share_no_region(void **state) {
    struct kesco_region *region = __kesco1_region_begin(2, 1);
    void *lane = __kesco1_lane(region, 0);
    pthread_t thread;
    void *other;

    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, first_lane, NULL), 0);
    assert_int_equal(pthread_join(thread, &other), 0);
    assert_ptr_equal(__kesco1_lane(region, 0), lane);
    __kesco1_region_end(region);
}

static void test_threads_share_no_lane_but_inherit_it(void **state) {
    pthread_t thread;
    void *mine = first_lane(NULL), *first, *second;

    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, first_lane, NULL), 0);
    assert_int_equal(pthread_join(thread, &first), 0);
    assert_int_equal(pthread_create(&thread, NULL, first_lane, NULL), 0);
    assert_int_equal(pthread_join(thread, &second), 0);
    assert_ptr_not_equal(first, mine);
    assert_ptr_equal(first, second);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_holds_under_all_seeds),
        cmocka_unit_test(test_lanes_overlap_under_some_seed),
        cmocka_unit_test(test_disable_makes_the_program_serial),
        cmocka_unit_test(test_each_failing_call_falls_back),
        cmocka_unit_test(test_failing_creation_makes_the_region_serial),
        cmocka_unit_test(test_host_does_not_wait),
        cmocka_unit_test(test_pending_error_survives),
        cmocka_unit_test(test_guard),
        cmocka_unit_test(test_lanes_are_streams_of_their_own_and_reused),
        cmocka_unit_test(test_threads_share_no_region),
        cmocka_unit_test(test_threads_share_no_lane_but_inherit_it),
    };

    if (argc == 2)
        return run_scenario(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
