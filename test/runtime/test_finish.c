/* Calls that a program makes synchronously, on a lane: for what the host waits, and what it then knows. */
#include "runtime/kesco_abi.h"
#include "test/cmocka.h"
#include "test/runtime/scenario.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALWAYS = KESCO_FINISH_ALWAYS, SERIAL = KESCO_FINISH_SERIAL, CALL = KESCO_FINISH_CALL };

static unsigned questions; /* asked about devices */

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device) {
    cudaError_t (*next)(int *, enum cudaDeviceAttr, int);
    void *found = dlsym(RTLD_NEXT, "cudaDeviceGetAttribute");

    if (found == NULL)
        abort();
    questions++;
    memcpy(&next, &found, sizeof next);
    return next(value, attribute, device);
}

/* The host waits for the lane that it asks for, and for no other. */
static int waits_for_its_lane(void) {
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    ENTER(origin, 3, 0);
    issue('a', __kesco1_lane(2, NULL, 0));
    issue('b', __kesco1_lane(1, NULL, 0));
    REQUIRE(__kesco1_finish(1, ALWAYS, cudaSuccess) == cudaSuccess);
    REQUIRE(letters() == 1 && !come_in_order('a', 'b'));
    __kesco1_leave();
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess && letters() == 2);
    return 0;
}

/* Where the region is left, the program may rely on what the host would have waited for: on no more. */
static int waits_for_the_rest(void) {
    int when;

    for (when = ALWAYS; when <= CALL; when += CALL - ALWAYS) {
        forget_letters();
        ENTER(origin, 4, 0);
        issue('a', __kesco1_lane(0, NULL, 0));
        issue('b', __kesco1_lane(2, NULL, 0));
        issue('c', __kesco1_lane(1, NULL, 0));
        REQUIRE(__kesco1_finish(1, (uint32_t)when, cudaSuccess) == cudaSuccess);
        REQUIRE(letters() == (when == ALWAYS ? 1 : 0));
        issue('d', __kesco1_lane(2, NULL, 0));
        issue('e', __kesco1_lane(3, NULL, 0));
        __kesco1_leave();
        REQUIRE(letters() == (when == ALWAYS ? 3 : 2));
        REQUIRE(cudaDeviceSynchronize() == cudaSuccess && letters() == 5);
    }
    return 0;
}

/* A call that may not have waited changes nothing of what its own lane had before. */
static int keeps_what_it_owes(void) {
    ENTER(origin, 3, 0);
    issue('a', __kesco1_lane(2, NULL, 0));
    issue('b', __kesco1_lane(1, NULL, 0));
    REQUIRE(__kesco1_finish(1, ALWAYS, cudaSuccess) == cudaSuccess && letters() == 1);
    issue('c', __kesco1_lane(2, NULL, 0));
    REQUIRE(__kesco1_finish(2, CALL, cudaSuccess) == cudaSuccess && letters() == 1);
    __kesco1_leave();
    REQUIRE(letters() == 2 && come_in_order('b', 'a'));
    return 0;
}

/* Where the plan holds, the host need not wait for what it would not have waited for. */
static int runs_ahead(void) {
    ENTER(origin, 2, 0);
    issue('a', __kesco1_lane(1, NULL, 0));
    REQUIRE(__kesco1_finish(1, SERIAL, cudaSuccess) == cudaSuccess);
    REQUIRE(letters() == 0);
    __kesco1_leave();
    return 0;
}

static int waits_where_serial(void) {
    int when;

    for (when = ALWAYS; when <= SERIAL; when++) {
        ENTER(origin, 2, 1);
        issue('a', __kesco1_lane(1, NULL, 0));
        __kesco1_record(0, 1);
        REQUIRE(__kesco1_finish(1, (uint32_t)when, cudaSuccess) == cudaSuccess);
        REQUIRE(letters() == (size_t)when + 1);
        __kesco1_leave();
    }
    return 0;
}

/* The call whose own guard fails is on its lane still; there the host waits for it. */
static int waits_where_a_guard_failed(void) {
    char local = 0;

    ENTER(origin, 3, 0);
    issue('a', __kesco1_lane(1, NULL, 0));
    void *stream = __kesco1_lane(2, NULL, 0);
    __kesco1_guard_range(0, KESCO_GUARD_PLAIN | KESCO_GUARD_HOST, &local, 1);
    issue('b', stream);
    REQUIRE(__kesco1_finish(2, SERIAL, cudaSuccess) == cudaSuccess);
    REQUIRE(letters() == 2 && come_in_order('a', 'b'));
    issue('c', __kesco1_lane(1, NULL, 0));
    REQUIRE(__kesco1_finish(1, SERIAL, cudaSuccess) == cudaSuccess);
    REQUIRE(letters() == 3 && come_in_order('b', 'c'));
    __kesco1_leave();
    return 0;
}

/* A call that failed is not waited for, and its error is the program's. */
static int passes_errors_on(void) {
    ENTER(origin, 2, 0);
    issue('a', __kesco1_lane(1, NULL, 0));
    REQUIRE(__kesco1_finish(1, ALWAYS, cudaErrorInvalidValue) == cudaErrorInvalidValue);
    REQUIRE(letters() == 0);
    REQUIRE(cudaGetLastError() == cudaSuccess);
    __kesco1_leave();
    return 0;
}

/* The plan counts on a wait that did not come: what is behind it comes behind all, in order. */
static int orders_what_it_did_not_wait_for(void) {
    ENTER(origin, 3, 0);
    issue('a', __kesco1_lane(1, NULL, 0));
    REQUIRE(__kesco1_finish(1, ALWAYS, cudaErrorInvalidValue) == cudaErrorInvalidValue);
    issue('b', __kesco1_lane(2, NULL, 0));
    issue('c', __kesco1_lane(0, NULL, 0));
    __kesco1_leave();
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    REQUIRE(come_in_order('a', 'b') && come_in_order('b', 'c'));
    return 0;
}

static int failing_wait(void) {
    int error;

    ENTER(origin, 2, 0);
    issue('a', __kesco1_lane(1, NULL, 0));
    error = __kesco1_finish(1, ALWAYS, cudaSuccess);
    __kesco1_leave();
    REQUIRE(error != cudaSuccess && (int)cudaGetLastError() == error);
    return 0;
}

/* Where only the wait for the stream fails, the host waits for the device, and nobody hears of it. */
static int failing_wait_for_the_stream(void) {
    ENTER(origin, 2, 0);
    issue('a', __kesco1_lane(1, NULL, 0));
    REQUIRE(__kesco1_finish(1, ALWAYS, cudaSuccess) == cudaSuccess);
    REQUIRE(letters() == 1 && cudaGetLastError() == cudaSuccess);
    __kesco1_leave();
    return 0;
}

/* So where the region is left. */
static int failing_wait_for_the_rest(void) {
    ENTER(origin, 3, 0);
    issue('a', __kesco1_lane(2, NULL, 0));
    issue('b', __kesco1_lane(1, NULL, 0));
    REQUIRE(__kesco1_finish(1, ALWAYS, cudaSuccess) == cudaSuccess);
    issue('c', __kesco1_lane(2, NULL, 0));
    __kesco1_leave();
    REQUIRE(come_in_order('a', 'b') || come_in_order('b', 'a'));
    REQUIRE(cudaGetLastError() == cudaSuccess);
    return 0;
}

/* An error that the program has not looked at yet is still there. */
static int pending_error(void) {
    cudaError_t pending;

    ENTER(origin, 2, 0);
    pending = cudaSetDevice(-1);
    REQUIRE(pending != cudaSuccess);
    issue('a', __kesco1_lane(1, NULL, 0));
    REQUIRE(__kesco1_finish(1, ALWAYS, cudaSuccess) == cudaSuccess);
    __kesco1_leave();
    REQUIRE(cudaGetLastError() == pending && letters() == 1);
    return 0;
}

/* True if the region is concurrent still: no call has failed so far. */
static bool is_concurrent(void) {
    return __kesco1_lane(2, NULL, 0) != origin;
}

/*
 * Behind a finish, no lane waits for what the host has waited for: the lane's own records and those that it
 * comes behind. Another lane's newer record, it waits for.
 */
static int waits_no_more(void) {
    ENTER(origin, 4, 3);
    issue('a', __kesco1_lane(3, NULL, 0));
    __kesco1_record(0, 3);
    __kesco1_lane(2, NULL, 0);
    __kesco1_wait(0, 1);
    issue('b', __kesco1_lane(1, NULL, 0));
    __kesco1_record(1, 1);
    REQUIRE(__kesco1_finish(1, ALWAYS, cudaSuccess) == cudaSuccess);
    __kesco1_wait(1, 2);
    __kesco1_wait(0, 2);
    __kesco1_wait(1, 3);
    __kesco1_wait(1, 0);
    __kesco1_wait(0, 0);
    REQUIRE(is_concurrent());
    __kesco1_record(2, 3);
    __kesco1_wait(2, 2);
    REQUIRE(!is_concurrent());
    __kesco1_leave();
    return 0;
}

/* A finish that did not wait tells nothing. */
static int waits_on(void) {
    ENTER(origin, 3, 1);
    __kesco1_lane(2, NULL, 0);
    issue('a', __kesco1_lane(1, NULL, 0));
    __kesco1_record(0, 1);
    REQUIRE(__kesco1_finish(1, SERIAL, cudaSuccess) == cudaSuccess);
    REQUIRE(is_concurrent());
    __kesco1_wait(0, 2);
    REQUIRE(!is_concurrent());
    __kesco1_leave();
    return 0;
}

/*
 * On a device without concurrent managed access, the host waits at once for all that the serial program's
 * would have waited for, and where the region is left for nothing more.
 */
static int waits_for_all_lanes(void) {
    int when;

    for (when = ALWAYS; when <= CALL; when += CALL - ALWAYS) {
        forget_letters();
        ENTER(origin, 4, 0);
        issue('a', __kesco1_lane(0, NULL, 0));
        issue('b', __kesco1_lane(2, NULL, 0));
        issue('c', __kesco1_lane(1, NULL, 0));
        REQUIRE(__kesco1_finish(1, (uint32_t)when, cudaSuccess) == cudaSuccess);
        REQUIRE(letters() == (when == ALWAYS ? 3 : 2));
        REQUIRE(come_in_order('a', 'b') || come_in_order('b', 'a'));
        issue('d', __kesco1_lane(2, NULL, 0));
        issue('e', __kesco1_lane(3, NULL, 0));
        __kesco1_leave();
        REQUIRE(letters() == (when == ALWAYS ? 3 : 2));
        REQUIRE(cudaDeviceSynchronize() == cudaSuccess && letters() == 5);
    }
    REQUIRE(questions == 1 && cudaGetLastError() == cudaSuccess);
    return 0;
}

/* There, memory may belong to a stream of the program's own: its ops stay on it. */
static int stays_on_the_stream(void) {
    ENTER(origin, 3, 1);
    REQUIRE((__kesco1_lane(1, NULL, 0) == origin) == !origin_is_legacy());
    REQUIRE((__kesco1_lane(2, NULL, 0) == origin) == !origin_is_legacy());
    __kesco1_leave();
    REQUIRE(cudaGetLastError() == cudaSuccess);
    return 0;
}

/* There, too, a call that lets nobody wait is not waited for. */
static int waits_for_no_lane(void) {
    ENTER(origin, 3, 0);
    issue('a', __kesco1_lane(2, NULL, 0));
    issue('b', __kesco1_lane(1, NULL, 0));
    REQUIRE(__kesco1_finish(1, SERIAL, cudaSuccess) == cudaSuccess);
    REQUIRE(__kesco1_finish(1, ALWAYS, cudaErrorInvalidValue) == cudaErrorInvalidValue);
    REQUIRE(letters() == 0);
    __kesco1_leave();
    REQUIRE(letters() == 0);
    return 0;
}

/* Behind that, no lane waits for what any had; the lanes come behind the origin still. */
static int waits_for_nothing_old(void) {
    ENTER(origin, 4, 3);
    issue('a', __kesco1_lane(3, NULL, 0));
    __kesco1_record(0, 3);
    issue('b', __kesco1_lane(1, NULL, 0));
    REQUIRE(__kesco1_finish(1, ALWAYS, cudaSuccess) == cudaSuccess && letters() == 2);
    __kesco1_wait(0, 1);
    __kesco1_wait(0, 0);
    issue('c', __kesco1_lane(2, NULL, 0));
    __kesco1_record(1, 2);
    __kesco1_wait(1, 1);
    issue('d', __kesco1_lane(1, NULL, 0));
    REQUIRE(__kesco1_finish(1, ALWAYS, cudaSuccess) == cudaSuccess && letters() == 4);
    REQUIRE(come_in_order('c', 'd'));
    __kesco1_leave();
    return 0;
}

/* What the host knew in one region, it does not know in the next. */
static int forgets(void) {
    ENTER(origin, 3, 1);
    __kesco1_lane(1, NULL, 0);
    __kesco1_record(0, 1);
    REQUIRE(__kesco1_finish(1, ALWAYS, cudaSuccess) == cudaSuccess);
    __kesco1_leave();
    ENTER(origin, 3, 1);
    write_cell(0, __kesco1_lane(1, NULL, 0));
    __kesco1_record(0, 1);
    __kesco1_wait(0, 2);
    copy_cell(1, 0, __kesco1_lane(2, NULL, 0));
    __kesco1_leave();
    return 0;
}

/* Ops behind a finish come behind what it waited for, on lanes that are kept track of and on others. */
static int order(void) {
    const uint32_t lanes[] = {0, 1, 35};
    size_t i, j;

    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++) {
            ENTER(origin, 40, 3);
            write_cell(0, __kesco1_lane(39, NULL, 0));
            __kesco1_record(0, 39);
            __kesco1_wait(0, lanes[i]);
            copy_cell(1, 0, __kesco1_lane(lanes[i], NULL, 0));
            __kesco1_record(1, lanes[i]);
            REQUIRE(__kesco1_finish(lanes[i], ALWAYS, cudaSuccess) == cudaSuccess);
            copy_cell(2, 1, __kesco1_lane(lanes[j], NULL, 0));
            __kesco1_record(2, lanes[j]);
            __kesco1_wait(1, 38);
            __kesco1_wait(2, 38);
            write_cell(2, __kesco1_lane(38, NULL, 0));
            write_cell(0, __kesco1_lane(37, NULL, 0));
            __kesco1_leave();
        }
    return 0;
}

/* What is captured cannot be waited for, nor be copied synchronously: both invalidate the capture. */
static int captured(void) {
    const uint32_t lanes[] = {0, 1};
    cudaGraph_t graph = NULL;
    size_t i;
    int when;

    cells();
    for (i = 0; i < 2; i++)
        for (when = ALWAYS; when <= SERIAL; when++) {
            REQUIRE(cudaStreamBeginCapture(origin, cudaStreamCaptureModeRelaxed) == cudaSuccess);
            ENTER(origin, 2, 0);
            write_cell(0, __kesco1_lane(lanes[i], NULL, 0));
            REQUIRE(__kesco1_finish(lanes[i], (uint32_t)when, cudaSuccess) ==
                    cudaErrorStreamCaptureUnsupported);
            REQUIRE(cudaGetLastError() == cudaErrorStreamCaptureUnsupported);
            __kesco1_leave();
            REQUIRE(cudaStreamEndCapture(origin, &graph) == cudaErrorStreamCaptureInvalidated);
            REQUIRE(graph == NULL && cudaGetLastError() == cudaErrorStreamCaptureInvalidated);
        }
    return 0;
}

static const struct scenario scenarios[] = {
    SCENARIO(waits_for_its_lane),
    SCENARIO(waits_for_the_rest),
    SCENARIO(keeps_what_it_owes),
    SCENARIO(runs_ahead),
    SCENARIO(waits_where_serial),
    SCENARIO(waits_where_a_guard_failed),
    SCENARIO(passes_errors_on),
    SCENARIO(orders_what_it_did_not_wait_for),
    SCENARIO(failing_wait),
    SCENARIO(failing_wait_for_the_stream),
    SCENARIO(failing_wait_for_the_rest),
    SCENARIO(pending_error),
    SCENARIO(waits_no_more),
    SCENARIO(waits_on),
    SCENARIO(waits_for_all_lanes),
    SCENARIO(stays_on_the_stream),
    SCENARIO(waits_for_no_lane),
    SCENARIO(waits_for_nothing_old),
    SCENARIO(forgets),
    SCENARIO(order),
    SCENARIO(captured),
};

static void test_host_waits_for_one_lane(void **state) {
    (void)state;
    require_everywhere("waits_for_its_lane", "VGPU_SEED", AS_LATE_AS_POSSIBLE);
    require_everywhere("waits_for_the_rest", "VGPU_SEED", AS_LATE_AS_POSSIBLE);
    require_everywhere("keeps_what_it_owes", "VGPU_SEED", AS_LATE_AS_POSSIBLE);
}

static void test_host_waits_where_serial_only(void **state) {
    (void)state;
    setenv("VGPU_SEED", AS_LATE_AS_POSSIBLE, 1);
    require_everywhere("runs_ahead", "KESCO_DISABLE", "0");
    require_everywhere("waits_where_serial", "KESCO_DISABLE", "1");
    require_everywhere("waits_where_serial", "VGPU_FAIL", "cudaEventRecord:1,cudaEventRecord:2");
    require_everywhere("waits_where_a_guard_failed", "KESCO_DISABLE", "0");
    unsetenv("VGPU_SEED");
}

static void test_errors_are_the_programs(void **state) {
    (void)state;
    require_everywhere("passes_errors_on", "VGPU_SEED", AS_LATE_AS_POSSIBLE);
    require_everywhere("failing_wait", "VGPU_FAIL", "cudaStreamSynchronize:1,cudaDeviceSynchronize:1");
    require_everywhere("failing_wait_for_the_stream", "VGPU_FAIL", "cudaStreamSynchronize:1");
    require_everywhere("failing_wait_for_the_rest", "VGPU_FAIL", "cudaEventSynchronize:1");
    require_everywhere("pending_error", "VGPU_SEED", AS_LATE_AS_POSSIBLE);
}

/* Fails the first wait that a region of `forks` lanes beside lane 0 makes behind `waits` others. */
static void require_waits(const char *scenario, int forks, int waits) {
    char failure[64];
    size_t i;

    for (i = 0; i < origin_kind_count; i++) {
        bool legacy = i < 2;
        snprintf(failure, sizeof failure, "cudaStreamWaitEvent:%d", waits + 1 + (legacy ? 0 : forks));
        if (run_child_with(scenario, origin_kinds[i], "VGPU_FAIL", failure) != 0)
            fail_msg("%s on origin '%s' with %s", scenario, origin_kinds[i], failure);
    }
}

static void test_nothing_waits_for_what_the_host_waited_for(void **state) {
    (void)state;
    require_waits("waits_no_more", 3, 1);
    require_waits("waits_on", 2, 0);
}

static void test_order_holds(void **state) {
    size_t i;

    (void)state;
    for (i = 0; i < origin_kind_count; i++) {
        require_order("order", origin_kinds[i]);
        require_order("forgets", origin_kinds[i]);
        require_order("orders_what_it_did_not_wait_for", origin_kinds[i]);
    }
}

static void require_beside_legacy(const char *scenario, const char *variable, const char *value) {
    assert_int_equal(run_child_with(scenario, "null", variable, value), 0);
    assert_int_equal(run_child_with(scenario, "legacy", variable, value), 0);
}

static void test_host_waits_for_all_where_kernels_have_managed_memory_alone(void **state) {
    (void)state;
    setenv("VGPU_CONCURRENT_MANAGED", "0", 1);
    require_beside_legacy("waits_for_all_lanes", "VGPU_SEED", AS_LATE_AS_POSSIBLE);
    require_beside_legacy("waits_for_no_lane", "VGPU_SEED", AS_LATE_AS_POSSIBLE);
    require_beside_legacy("waits_for_nothing_old", "VGPU_SEED", AS_LATE_AS_POSSIBLE);
    require_everywhere("stays_on_the_stream", "VGPU_SEED", "0");
    require_everywhere("waits_where_serial", "KESCO_DISABLE", "1");
    require_order("order", "legacy");
    require_order("forgets", "legacy");
    unsetenv("VGPU_CONCURRENT_MANAGED");
}

/* A device that cannot tell is taken for one of these, and nobody hears of it. */
static void test_a_device_that_cannot_tell_is_waited_for(void **state) {
    (void)state;
    setenv("VGPU_SEED", AS_LATE_AS_POSSIBLE, 1);
    require_beside_legacy("waits_for_all_lanes", "VGPU_FAIL", "cudaDeviceGetAttribute:1");
    unsetenv("VGPU_SEED");
}

static void test_a_capture_is_invalidated(void **state) {
    (void)state;
    assert_int_equal(run_child("captured", "blocking"), 0);
    assert_int_equal(run_child("captured", "nonblocking"), 0);
    assert_int_equal(run_child("captured", "per-thread"), 0);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_host_waits_for_one_lane),
        cmocka_unit_test(test_host_waits_where_serial_only),
        cmocka_unit_test(test_errors_are_the_programs),
        cmocka_unit_test(test_nothing_waits_for_what_the_host_waited_for),
        cmocka_unit_test(test_order_holds),
        cmocka_unit_test(test_host_waits_for_all_where_kernels_have_managed_memory_alone),
        cmocka_unit_test(test_a_device_that_cannot_tell_is_waited_for),
        cmocka_unit_test(test_a_capture_is_invalidated),
    };

    if (argc == 3)
        return RUN_SCENARIO(argv, scenarios);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
