/* Calls of the program that let the host wait, and that the runtime puts off. */
#include "runtime/kesco_abi.h"
#include "test/cmocka.h"
#include "test/runtime/scenario.h"

#include <stdlib.h>
#include <string.h>

enum { STREAM = KESCO_REACH_STREAM, DEVICE = KESCO_REACH_DEVICE };

/* Two ops, behind work of others that the host has waited for. */
static void issue_two_on(cudaStream_t stream, uint32_t how) {
    ENTER(stream, 2, 0);
    __kesco1_cover(how);
    issue('a', __kesco1_lane(0, NULL, 0));
    issue('b', __kesco1_lane(1, NULL, 0));
}

static void issue_two(uint32_t how) {
    issue_two_on(origin, how);
}

/* The wait comes when the region is closed, and is for what it had when the program asked. */
static int waits_when_left(void) {
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    issue_two(DEVICE);
    REQUIRE(__kesco1_synchronize(NULL, DEVICE) == cudaSuccess && letters() == 0);
    REQUIRE(__kesco1_synchronize(origin, STREAM) == cudaSuccess && letters() == 0);
    issue('c', __kesco1_lane(1, NULL, 0));
    REQUIRE(letters() == 0);
    __kesco1_leave();
    REQUIRE(letters() == 2);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess && letters() == 3);
    return 0;
}

static int waits_before_a_clock(void) {
    issue_two(DEVICE);
    __kesco1_settle();
    REQUIRE(letters() == 0);
    REQUIRE(__kesco1_synchronize(NULL, DEVICE) == cudaSuccess && letters() == 0);
    __kesco1_settle();
    REQUIRE(letters() == 2);
    __kesco1_leave();
    return 0;
}

static int waits_by_the_next_call(void) {
    issue_two(DEVICE);
    REQUIRE(__kesco1_synchronize(NULL, DEVICE) == cudaSuccess);
    __kesco1_settle_by_next();
    __kesco1_leave_by_next();
    REQUIRE(letters() == 0);
    __kesco1_leave_behind(cudaDeviceSynchronize());
    REQUIRE(letters() == 2);
    return 0;
}

/* Work of others is waited for in time: at the first call, or before the ops. */
static int waits_for_others(void) {
    cudaStream_t other = scenario_stream(cudaStreamNonBlocking);

    issue('o', other);
    ENTER(origin, 2, 0);
    issue('a', __kesco1_lane(1, NULL, 0));
    REQUIRE(__kesco1_synchronize(NULL, DEVICE) == cudaSuccess && letters() == 2);
    issue('b', __kesco1_lane(1, NULL, 0));
    REQUIRE(__kesco1_synchronize(NULL, DEVICE) == cudaSuccess && letters() == 2);
    __kesco1_leave();
    issue('p', other);
    issue_two(DEVICE);
    REQUIRE(letters() == 4);
    __kesco1_leave();
    return 0;
}

/* Where the program has waited, and nothing has come since but what the ops come behind, nothing is waited
 * for. */
static int knows_what_is_in_flight(void) {
    ENTER(NULL, 2, 0);
    issue('a', __kesco1_lane(1, NULL, 0));
    __kesco1_leave();
    issue_two_on(NULL, DEVICE | KESCO_REACH_KNOWN);
    REQUIRE(letters() == 0);
    REQUIRE(__kesco1_synchronize(NULL, DEVICE) == cudaSuccess && letters() == 0);
    REQUIRE(__kesco1_synchronize(NULL, STREAM) == cudaSuccess && letters() == 0);
    __kesco1_leave();
    REQUIRE(letters() == 3);
    return 0;
}

/* To have waited for the stream is not to have waited for the device. */
static int reaches_as_far(void) {
    cudaStream_t other = scenario_stream(cudaStreamNonBlocking);

    issue('o', other);
    issue_two(STREAM);
    REQUIRE(letters() == 0);
    REQUIRE(__kesco1_synchronize(origin, STREAM) == cudaSuccess && letters() == 0);
    REQUIRE(__kesco1_synchronize(NULL, DEVICE) == cudaSuccess && letters() == 3);
    __kesco1_leave();
    return 0;
}

/* Each opening starts anew: others may have issued work in between. */
static int starts_anew(void) {
    cudaStream_t other = scenario_stream(cudaStreamNonBlocking);
    int i;

    for (i = 0; i < 2; i++) {
        forget_letters();
        issue('o', other);
        ENTER(origin, 2, 0);
        issue('a', __kesco1_lane(1, NULL, 0));
        REQUIRE(__kesco1_synchronize(NULL, DEVICE) == cudaSuccess && letters() == 2);
        REQUIRE(__kesco1_synchronize(NULL, DEVICE) == cudaSuccess);
        __kesco1_interrupt();
    }
    return 0;
}

/* What the host can touch is waited for at once, be the pointer known as that or not at all. */
static int waits_for_what_the_host_touches(void) {
    int *managed, *plain, local, i;

    REQUIRE(cudaMallocManaged((void **)&managed, sizeof *managed, cudaMemAttachGlobal) == cudaSuccess);
    REQUIRE(cudaMalloc((void **)&plain, sizeof *plain) == cudaSuccess);
    for (i = 0; i < 2; i++) {
        forget_letters();
        issue_two(DEVICE);
        __kesco1_guard(0, KESCO_GUARD_NOTED | KESCO_GUARD_APART, plain);
        __kesco1_guard(1, KESCO_GUARD_NOTED | KESCO_GUARD_APART, plain);
        REQUIRE(__kesco1_synchronize(NULL, DEVICE) == cudaSuccess && letters() == 0);
        __kesco1_guard(1, KESCO_GUARD_NOTED | KESCO_GUARD_APART, i == 0 ? managed : &local);
        REQUIRE(__kesco1_synchronize(NULL, DEVICE) == cudaSuccess && letters() == 2);
        issue('c', __kesco1_lane(1, NULL, 0));
        REQUIRE(__kesco1_synchronize(NULL, DEVICE) == cudaSuccess && letters() == 3);
        REQUIRE(__kesco1_lane(0, NULL, 0) != __kesco1_lane(1, NULL, 0));
        __kesco1_leave();
    }
    return 0;
}

/* Nor is it waited for where the host says what it touches next, and that lies elsewhere. */
static int waits_for_what_the_host_does_touch(void) {
    int *managed, *other, local = 0, i;

    REQUIRE(cudaMallocManaged((void **)&managed, 4 * sizeof *managed, cudaMemAttachGlobal) == cudaSuccess);
    REQUIRE(cudaMallocManaged((void **)&other, 4 * sizeof *other, cudaMemAttachGlobal) == cudaSuccess);
    const void *const touched[] = {managed, managed + 3, managed + 4};
    for (i = 0; i < 3; i++) {
        forget_letters();
        issue_two(DEVICE);
        __kesco1_guard(0, KESCO_GUARD_NOTED | KESCO_GUARD_APART, managed);
        __kesco1_touch(other);
        __kesco1_touch(&local);
        REQUIRE(__kesco1_synchronize(NULL, DEVICE | KESCO_REACH_TOLD) == cudaSuccess && letters() == 0);
        __kesco1_touch(touched[i]);
        REQUIRE(__kesco1_synchronize(NULL, DEVICE | KESCO_REACH_TOLD) == cudaSuccess && letters() == 2);
        issue('c', __kesco1_lane(1, NULL, 0));
        REQUIRE(__kesco1_synchronize(NULL, DEVICE | KESCO_REACH_TOLD) == cudaSuccess && letters() == 2);
        REQUIRE(__kesco1_synchronize(NULL, DEVICE) == cudaSuccess && letters() == 3);
        __kesco1_guard(0, KESCO_GUARD_NOTED | KESCO_GUARD_APART, &local);
        issue('d', __kesco1_lane(1, NULL, 0));
        REQUIRE(__kesco1_synchronize(NULL, DEVICE | KESCO_REACH_TOLD) == cudaSuccess && letters() == 4);
        __kesco1_leave();
    }
    return 0;
}

/* What stands on the default stream itself is waited for, too, where lanes lie beside that. */
static int waits_for_the_origin(void) {
    ENTER(NULL, 2, 0);
    __kesco1_cover(DEVICE);
    issue('a', __kesco1_lane(1, NULL, 0));
    issue('b', __kesco1_origin(NULL, 0));
    __kesco1_passed(cudaSuccess);
    REQUIRE(__kesco1_synchronize(NULL, DEVICE) == cudaSuccess && letters() == 0);
    issue('c', __kesco1_lane(0, NULL, 0));
    __kesco1_settle();
    REQUIRE(letters() >= 2);
    issue('d', __kesco1_origin(NULL, 0));
    __kesco1_passed(cudaSuccess);
    REQUIRE(__kesco1_synchronize(NULL, DEVICE) == cudaSuccess && letters() < 4);
    __kesco1_leave();
    REQUIRE(letters() == 4);
    return 0;
}

/* A serial region's calls, and those where none is open, are the program's own. */
static int waits_where_serial(void) {
    issue_two(DEVICE);
    REQUIRE(__kesco1_synchronize(NULL, DEVICE) == cudaSuccess && letters() == 2);
    issue('c', __kesco1_lane(1, NULL, 0));
    REQUIRE(__kesco1_synchronize(origin, STREAM) == cudaSuccess && letters() == 3);
    __kesco1_leave();
    issue('d', origin);
    REQUIRE(__kesco1_synchronize(origin, STREAM) == cudaSuccess && letters() == 4);
    return 0;
}

/* Ops that are too short for lanes: behind some waits the region's are put off all the same, and the host
 * waits for what the region had, when that is told. */
static int comes_to_put_off_waits(void) {
    enum { WAITS = 5, PUT_OFF = 3 };
    static const struct kesco_site site = {.kind = "kernel", .work = 1};
    static struct kesco_history history;
    static const struct kesco_region region = {.lanes = 2, .history = &history};
    int *managed, *plain, i;

    REQUIRE(cudaMallocManaged((void **)&managed, sizeof *managed, cudaMemAttachGlobal) == cudaSuccess);
    REQUIRE(cudaMalloc((void **)&plain, sizeof *plain) == cudaSuccess);
    __kesco1_enter(origin, &region);
    for (i = 1; i <= WAITS + PUT_OFF; i++) {
        issue('a', __kesco1_lane(i % 2, &site, 32));
        __kesco1_guard(i % 2, KESCO_GUARD_NOTED | KESCO_GUARD_APART, plain);
        REQUIRE(__kesco1_serial() && __kesco1_synchronize(NULL, DEVICE) == cudaSuccess);
        REQUIRE((int)letters() == (i < WAITS ? i : WAITS));
    }
    __kesco1_settle();
    REQUIRE(letters() == WAITS + PUT_OFF);
    issue('b', __kesco1_lane(0, &site, 32));
    __kesco1_guard(0, KESCO_GUARD_NOTED | KESCO_GUARD_APART, managed);
    REQUIRE(__kesco1_synchronize(NULL, DEVICE) == cudaSuccess && letters() == WAITS + PUT_OFF + 1);
    __kesco1_leave();
    return 0;
}

/* Nor are they where an op does not work on what the plan has it work on: the host may touch that. */
static int waits_where_the_plan_does_not_hold(void) {
    static const struct kesco_site site = {.kind = "kernel", .work = 1};
    static struct kesco_history history;
    static const struct kesco_region region = {.lanes = 2, .history = &history};
    int *managed, i;

    REQUIRE(cudaMallocManaged((void **)&managed, sizeof *managed, cudaMemAttachGlobal) == cudaSuccess);
    __kesco1_enter(origin, &region);
    for (i = 1; i <= 16; i++) {
        issue('a', __kesco1_lane(i % 2, &site, 32));
        if (i > 8)
            __kesco1_guard(i % 2, KESCO_GUARD_PLAIN, managed);
        REQUIRE(__kesco1_serial() && __kesco1_synchronize(NULL, DEVICE) == cudaSuccess);
        REQUIRE(i <= 8 || (int)letters() == i);
    }
    __kesco1_leave();
    return 0;
}

/* What a function does that is lent a region or not, launches once, and waits. Returns what the wait does. */
static int launch_and_wait(char letter, const int *memory, uint32_t is_lent, const void *failed) {
    static const struct kesco_region region = {.lanes = 2, .events = 2, .placed = 1, .joins = 1};
    static const struct kesco_site site = {.kind = "kernel", .work = 1};

    __kesco1_join(is_lent, origin, &region, KESCO_ENDS_NOT);
    __kesco1_op(&site, 32);
    __kesco1_guard(0, KESCO_GUARD_PLACED | KESCO_GUARD_WRITES, memory);
    issue(letter, __kesco1_place());
    return __kesco1_wait_lent(is_lent, NULL, DEVICE, failed, KESCO_ENDS_SEVERAL + 1);
}

/* Waits of functions that are lent a region: the first one waits, others do where the host could tell. */
static int waits_for_what_is_lent(void) {
    int *plain, *managed;

    REQUIRE(cudaMallocManaged((void **)&managed, sizeof *managed, cudaMemAttachGlobal) == cudaSuccess);
    REQUIRE(cudaMalloc((void **)&plain, sizeof *plain) == cudaSuccess);
    REQUIRE(launch_and_wait('a', plain, 1, "") == cudaSuccess && letters() == 1);
    REQUIRE(launch_and_wait('b', plain, 1, "") == cudaSuccess && letters() == 1);
    __kesco1_settle_lent(1); /* a question, where the program looks at what waits return */
    REQUIRE(letters() == 1);
    __kesco1_settle_lent(0);
    REQUIRE(letters() == 2);
    REQUIRE(launch_and_wait('c', plain, 1, NULL) == cudaSuccess && letters() == 3); /* as after a clock */
    REQUIRE(launch_and_wait('d', plain, 1, NULL) == cudaSuccess && letters() == 3);
    __kesco1_settle_lent(1);
    REQUIRE(letters() == 4);
    REQUIRE(launch_and_wait('e', plain, 1, NULL) == cudaSuccess && letters() == 4);
    __kesco1_leave_for("what is not seen");
    REQUIRE(letters() == 5);
    REQUIRE(launch_and_wait('f', plain, 1, NULL) == cudaSuccess && letters() == 6);
    REQUIRE(launch_and_wait('g', managed, 1, NULL) == cudaSuccess && letters() == 7);
    REQUIRE(launch_and_wait('h', plain, 1, NULL) == cudaSuccess && letters() == 8);
    REQUIRE(launch_and_wait('i', plain, 0, NULL) == cudaSuccess && letters() == 9);
    return 0;
}

static int told;

static void tell(int error) {
    told += error;
}

/* The first wait's error is what it returns. One that comes to light later, the program is told of as of its
 * own. */
static int tells_of_what_is_lent(void) {
    void (*const failed)(int) = tell;
    const void *handler;
    int *plain;
    uint32_t i;

    memcpy(&handler, &failed, sizeof handler);
    REQUIRE(cudaMalloc((void **)&plain, sizeof *plain) == cudaSuccess);
    REQUIRE(launch_and_wait('a', plain, 1, handler) == cudaErrorUnknown && told == 0);
    __kesco1_leave();
    for (i = 0; i < 8; i++) /* the first few wait */
        REQUIRE(told == 0 && launch_and_wait('b', plain, 1, handler) == cudaSuccess && letters() == i + 2);
    REQUIRE(launch_and_wait('c', plain, 1, handler) == cudaSuccess && told == 0);
    __kesco1_leave();
    REQUIRE(told == cudaErrorUnknown);
    return 0;
}

/* An error is the program's; ours shows nowhere. */
static int tells_of_errors(void) {
    ENTER(origin, 2, 0);
    issue('a', __kesco1_lane(1, NULL, 0));
    REQUIRE(__kesco1_synchronize(NULL, DEVICE) == cudaErrorUnknown);
    REQUIRE(cudaGetLastError() == cudaErrorUnknown);
    REQUIRE(__kesco1_lane(1, NULL, 0) == origin);
    __kesco1_leave();
    return 0;
}

static int hides_errors(void) {
    ENTER(origin, 2, 0);
    __kesco1_cover(DEVICE);
    REQUIRE(cudaPeekAtLastError() == cudaSuccess);
    REQUIRE(__kesco1_lane(1, NULL, 0) == origin);
    __kesco1_leave();
    return 0;
}

/* What is put off until the function ends is waited for there, and its error goes where the program stores
 * it. */
static int tells_at_the_end(void) {
    const bool fails = getenv("VGPU_FAIL") != NULL;
    int error = cudaSuccess;

    issue_two(DEVICE);
    __kesco1_tell(&error);
    REQUIRE(fails || letters() == 0); /* nothing is put off */
    REQUIRE(__kesco1_synchronize(NULL, DEVICE | KESCO_REACH_LATE) == cudaSuccess);
    __kesco1_tell(&error);
    REQUIRE(error == (fails ? cudaErrorUnknown : cudaSuccess) && letters() == 2);
    error = cudaErrorInvalidValue;
    __kesco1_tell(&error);
    __kesco1_leave();
    __kesco1_tell(&error);
    REQUIRE(error == cudaErrorInvalidValue);
    return 0;
}

/* An error that the program got from a wait in between, and may not have looked at, is told once more. */
static int tells_what_may_have_been_ignored(void) {
    int error = cudaSuccess;

    issue_two(STREAM);
    REQUIRE(__kesco1_synchronize(origin, STREAM | KESCO_REACH_LATE) == cudaSuccess);
    REQUIRE(__kesco1_synchronize(NULL, DEVICE) == cudaErrorUnknown);
    __kesco1_tell(&error);
    REQUIRE(error == cudaErrorUnknown);
    error = cudaSuccess;
    __kesco1_tell(&error);
    REQUIRE(error == cudaSuccess);
    __kesco1_leave();
    return 0;
}

/* Ops behind a wait keep their order to those before it. */
static int order(void) {
    ENTER(origin, 2, 1);
    write_cell(0, __kesco1_lane(1, NULL, 0));
    __kesco1_record(0, 1);
    REQUIRE(__kesco1_synchronize(origin, STREAM) == cudaSuccess);
    write_cell(1, __kesco1_lane(1, NULL, 0));
    REQUIRE(__kesco1_synchronize(origin, STREAM) == cudaSuccess);
    __kesco1_wait(0, 0);
    copy_cell(2, 0, __kesco1_lane(0, NULL, 0));
    __kesco1_record(0, 1);
    __kesco1_wait(0, 0);
    copy_cell(3, 1, __kesco1_lane(0, NULL, 0));
    __kesco1_leave();
    write_cell(2, origin);
    return 0;
}

static const struct scenario scenarios[] = {
    SCENARIO(waits_when_left),
    SCENARIO(waits_before_a_clock),
    SCENARIO(waits_by_the_next_call),
    SCENARIO(waits_for_others),
    SCENARIO(reaches_as_far),
    SCENARIO(starts_anew),
    SCENARIO(knows_what_is_in_flight),
    SCENARIO(waits_for_what_the_host_touches),
    SCENARIO(waits_for_what_the_host_does_touch),
    SCENARIO(waits_for_the_origin),
    SCENARIO(waits_where_serial),
    SCENARIO(comes_to_put_off_waits),
    SCENARIO(waits_where_the_plan_does_not_hold),
    SCENARIO(waits_for_what_is_lent),
    SCENARIO(tells_of_what_is_lent),
    SCENARIO(tells_of_errors),
    SCENARIO(hides_errors),
    SCENARIO(tells_at_the_end),
    SCENARIO(tells_what_may_have_been_ignored),
    SCENARIO(order),
};

static void require_late(const char *scenario) {
    require_everywhere(scenario, "VGPU_SEED", AS_LATE_AS_POSSIBLE);
}

/* The same where it matters how long ops take, which is the same each time in virtual time. */
static void require_late_by_model(const char *scenario) {
    setenv("VGPU_TIME", "1", 1);
    require_late(scenario);
    unsetenv("VGPU_TIME");
}

static void test_waits_are_put_off(void **state) {
    (void)state;
    require_late("waits_when_left");
    require_late("waits_before_a_clock");
    require_late("waits_by_the_next_call");
    require_late("tells_at_the_end");
    require_late_by_model("comes_to_put_off_waits");
    require_late("waits_for_what_is_lent");
}

static void test_others_are_waited_for(void **state) {
    (void)state;
    require_late("waits_for_others");
    require_late("reaches_as_far");
    require_late("starts_anew");
    require_late("knows_what_is_in_flight");
}

static void test_what_the_host_touches_is_waited_for(void **state) {
    (void)state;
    require_late("waits_for_what_the_host_touches");
    require_late("waits_for_what_the_host_does_touch");
    require_late_by_model("waits_where_the_plan_does_not_hold");
}

static void test_the_origin_is_waited_for(void **state) {
    (void)state;
    require_late("waits_for_the_origin");
}

static void test_serial_regions_wait(void **state) {
    (void)state;
    setenv("VGPU_SEED", AS_LATE_AS_POSSIBLE, 1);
    require_everywhere("waits_where_serial", "KESCO_DISABLE", "1");
    require_everywhere("waits_where_serial", "VGPU_CONCURRENT_MANAGED", "0");
    unsetenv("VGPU_SEED");
}

static void test_errors_are_the_programs(void **state) {
    (void)state;
    require_everywhere("tells_of_errors", "VGPU_FAIL", "cudaDeviceSynchronize:1");
    require_everywhere("hides_errors", "VGPU_FAIL", "cudaDeviceSynchronize:1");
    require_everywhere("tells_what_may_have_been_ignored", "VGPU_FAIL", "cudaDeviceSynchronize:1");
    require_everywhere("tells_at_the_end", "VGPU_FAIL", "cudaStreamSynchronize:1,cudaDeviceSynchronize:2");
    setenv("KESCO_MODE", "auto", 1);
    require_everywhere("tells_of_what_is_lent", "VGPU_FAIL",
                       "cudaDeviceSynchronize:1,cudaStreamSynchronize:1");
    unsetenv("KESCO_MODE");
}

static void test_order_holds(void **state) {
    (void)state;
    require_order_everywhere("order");
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_waits_are_put_off),
        cmocka_unit_test(test_others_are_waited_for),
        cmocka_unit_test(test_what_the_host_touches_is_waited_for),
        cmocka_unit_test(test_the_origin_is_waited_for),
        cmocka_unit_test(test_serial_regions_wait),
        cmocka_unit_test(test_errors_are_the_programs),
        cmocka_unit_test(test_order_holds),
    };

    if (argc == 3)
        return RUN_SCENARIO(argv, scenarios);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
