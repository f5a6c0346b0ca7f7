/* Copies that the host makes, or reads for, when they are called: what it waits for before. */
#include "runtime/kesco_abi.h"
#include "test/cmocka.h"
#include "test/runtime/scenario.h"

#include <stdlib.h>

enum { TO_DEVICE = cudaMemcpyHostToDevice, TO_HOST = cudaMemcpyHostToHost };

static void *managed(void) {
    void *memory = NULL;

    return cudaMallocManaged(&memory, SCENARIO_CELL_SIZE, cudaMemAttachGlobal) == cudaSuccess ? memory : NULL;
}

/* An op on each of two lanes, the later of which only waits for the earlier one's: that lane's stream. */
static void *waiting_lane(void) {
    issue('a', __kesco1_lane(0, NULL, 0));
    __kesco1_record(0, 0);
    __kesco1_wait(0, 1);
    return __kesco1_lane(1, NULL, 0);
}

static int waits_for_what_a_lane_waits_for(void) {
    void *from = managed();

    REQUIRE(from != NULL);
    ENTER(origin, 2, 1);
    __kesco1_host_copy(waiting_lane(), TO_DEVICE, from);
    REQUIRE(letters() == 1);
    __kesco1_leave();
    return 0;
}

static int waits_for_what_the_origin_had(void) {
    void *from = managed();

    issue('a', origin);
    ENTER(origin, 2, 0);
    __kesco1_host_copy(__kesco1_lane(1, NULL, 0), TO_DEVICE, from);
    REQUIRE(letters() == 1);
    __kesco1_leave();
    return 0;
}

static int waits_within_the_host_wherever(void) {
    char from[SCENARIO_CELL_SIZE];

    ENTER(origin, 2, 1);
    __kesco1_host_copy(waiting_lane(), TO_HOST, from);
    REQUIRE(letters() == 1);
    __kesco1_leave();
    return 0;
}

static int waits_after_the_region(void) {
    void *from = managed();

    ENTER(origin, 2, 0);
    issue('a', __kesco1_lane(1, NULL, 0));
    __kesco1_leave();
    __kesco1_host_copy(origin, TO_DEVICE, from);
    REQUIRE(letters() == 1);
    return 0;
}

/* Copies that the device makes, and the host's own memory, which no op writes. */
static int waits_for_nothing_else(void) {
    char pageable[SCENARIO_CELL_SIZE];
    void *from = managed(), *pinned = NULL, *stream;

    REQUIRE(cudaMallocHost(&pinned, SCENARIO_CELL_SIZE) == cudaSuccess);
    ENTER(origin, 2, 1);
    stream = waiting_lane();
    __kesco1_host_copy(stream, TO_DEVICE, pageable);
    __kesco1_host_copy(stream, TO_DEVICE, pinned);
    __kesco1_host_copy(stream, cudaMemcpyDeviceToDevice, from);
    __kesco1_host_copy(stream, cudaMemcpyDefault, from);
    __kesco1_host_copy(stream, cudaMemcpyDeviceToHost, from);
    REQUIRE(letters() == 0);
    __kesco1_leave();
    return 0;
}

static int waits_for_nothing_without_lanes(void) {
    void *from = managed();

    issue('a', origin);
    __kesco1_host_copy(origin, TO_DEVICE, from);
    ENTER(origin, 2, 1);
    __kesco1_host_copy(waiting_lane(), TO_DEVICE, from);
    REQUIRE(letters() == 0);
    __kesco1_leave();
    return 0;
}

static int keeps_an_error(void) {
    void *from = managed();

    ENTER(origin, 2, 1);
    waiting_lane();
    REQUIRE(cudaMemset(NULL, 0, 1) == cudaErrorInvalidValue);
    __kesco1_host_copy(__kesco1_lane(1, NULL, 0), TO_DEVICE, from);
    REQUIRE(letters() == 1 && cudaGetLastError() == cudaErrorInvalidValue);
    __kesco1_leave();
    return 0;
}

/* What is captured is not done yet: the copy becomes a node, and the capture goes on. */
static int captured(void) {
    cudaGraph_t graph = NULL;
    void *from = managed();

    cells();
    ENTER(origin, 2, 0);
    issue('a', __kesco1_lane(1, NULL, 0));
    __kesco1_leave();
    REQUIRE(cudaStreamBeginCapture(origin, cudaStreamCaptureModeRelaxed) == cudaSuccess);
    ENTER(origin, 2, 0);
    write_cell(0, __kesco1_lane(1, NULL, 0));
    __kesco1_host_copy(__kesco1_lane(1, NULL, 0), TO_DEVICE, from);
    __kesco1_leave();
    __kesco1_host_copy(origin, TO_DEVICE, from);
    REQUIRE(cudaStreamEndCapture(origin, &graph) == cudaSuccess && graph != NULL);
    REQUIRE(letters() == 0 && cudaGetLastError() == cudaSuccess);
    return 0;
}

/* What the origin only waits for is nothing that the legacy default stream does, until something comes after.
 */
static int the_legacy_stream_comes_after_what_was_joined(void) {
    ENTER(origin, 2, 0);
    issue('a', __kesco1_lane(1, NULL, 0));
    __kesco1_leave();
    issue('b', NULL);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    REQUIRE(come_in_order('a', 'b'));
    return 0;
}

static const struct scenario scenarios[] = {
    SCENARIO(waits_for_what_a_lane_waits_for),
    SCENARIO(waits_for_what_the_origin_had),
    SCENARIO(waits_within_the_host_wherever),
    SCENARIO(waits_after_the_region),
    SCENARIO(waits_for_nothing_else),
    SCENARIO(waits_for_nothing_without_lanes),
    SCENARIO(keeps_an_error),
    SCENARIO(captured),
    SCENARIO(the_legacy_stream_comes_after_what_was_joined),
};

static void test_host_waits_before_it_copies(void **state) {
    (void)state;
    require_everywhere("waits_for_what_a_lane_waits_for", "VGPU_SEED", AS_LATE_AS_POSSIBLE);
    require_everywhere("waits_for_what_the_origin_had", "VGPU_SEED", AS_LATE_AS_POSSIBLE);
    require_everywhere("waits_within_the_host_wherever", "VGPU_SEED", AS_LATE_AS_POSSIBLE);
    require_everywhere("waits_after_the_region", "VGPU_SEED", AS_LATE_AS_POSSIBLE);
}

static void test_host_waits_for_no_more(void **state) {
    (void)state;
    require_everywhere("waits_for_nothing_else", "VGPU_SEED", AS_LATE_AS_POSSIBLE);
    setenv("VGPU_SEED", AS_LATE_AS_POSSIBLE, 1);
    require_everywhere("waits_for_nothing_without_lanes", "KESCO_DISABLE", "1");
    unsetenv("VGPU_SEED");
}

static void test_errors_are_the_programs(void **state) {
    (void)state;
    require_everywhere("keeps_an_error", "VGPU_SEED", AS_LATE_AS_POSSIBLE);
}

static void test_captures_stay(void **state) {
    (void)state;
    setenv("VGPU_SEED", AS_LATE_AS_POSSIBLE, 1);
    assert_int_equal(run_child("captured", "blocking"), 0);
    assert_int_equal(run_child("captured", "nonblocking"), 0);
    assert_int_equal(run_child("captured", "per-thread"), 0);
    unsetenv("VGPU_SEED");
}

static void test_joined_lanes_end_in_work(void **state) {
    (void)state;
    require_order("the_legacy_stream_comes_after_what_was_joined", "blocking");
    require_order("the_legacy_stream_comes_after_what_was_joined", "per-thread");
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_host_waits_before_it_copies), cmocka_unit_test(test_host_waits_for_no_more),
        cmocka_unit_test(test_errors_are_the_programs),     cmocka_unit_test(test_captures_stay),
        cmocka_unit_test(test_joined_lanes_end_in_work),
    };

    if (argc == 3)
        return RUN_SCENARIO(argv, scenarios);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
