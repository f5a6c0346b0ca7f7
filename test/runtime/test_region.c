/* The runtime's ABI on the virtual GPU: what a region orders, on every kind of origin. */
#include "runtime/kesco_abi.h"
#include "test/runtime/scenario.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define AS_LATE_AS_POSSIBLE "1" /* as VGPU_SEED */

/* Waits order lanes; what the origin got before comes first, and what it gets later last. */
static int order(void) {
    forget_letters();
    issue('a', origin);
    write_cell(0, origin);
    write_cell(1, origin);
    ENTER(origin, 3, 2);
    issue('b', __kesco1_lane(0, NULL));
    write_cell(0, __kesco1_lane(0, NULL));
    __kesco1_record(0, 0);
    issue('c', __kesco1_lane(0, NULL));
    issue('d', __kesco1_lane(1, NULL));
    write_cell(1, __kesco1_lane(1, NULL));
    __kesco1_record(1, 1);
    __kesco1_wait(0, 2);
    __kesco1_wait(1, 2);
    issue('e', __kesco1_lane(2, NULL));
    copy_cell(2, 0, __kesco1_lane(2, NULL));
    copy_cell(3, 1, __kesco1_lane(2, NULL));
    issue('f', __kesco1_lane(1, NULL));
    __kesco1_leave();
    issue('g', origin);
    copy_cell(4, 2, origin);
    write_cell(0, origin);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    REQUIRE(letters() == 7);
    REQUIRE(come_in_order('a', 'b') && come_in_order('a', 'd'));
    REQUIRE(come_in_order('b', 'c') && come_in_order('b', 'e') && come_in_order('d', 'e'));
    REQUIRE(come_in_order('c', 'g') && come_in_order('e', 'g') && come_in_order('f', 'g'));
    return 0;
}

/* A lane that waits or records before it is launched on comes behind the origin all the same. */
static int first_uses(void) {
    write_cell(0, origin);
    write_cell(1, origin);
    ENTER(origin, 4, 3);
    __kesco1_record(0, 1);
    write_cell(0, __kesco1_lane(1, NULL));
    write_cell(2, __kesco1_lane(2, NULL));
    __kesco1_record(1, 2);
    __kesco1_wait(1, 3);
    write_cell(1, __kesco1_lane(3, NULL));
    __kesco1_leave();
    write_cell(1, origin);
    return 0;
}

/* Lanes are not serialised behind our back: writes to one cell race. */
static int racing_lanes(void) {
    ENTER(origin, 3, 0);
    write_cell(0, __kesco1_lane(0, NULL));
    write_cell(0, __kesco1_lane(1, NULL));
    __kesco1_leave();
    return 0;
}

static int racing_later_lanes(void) {
    ENTER(origin, 3, 0);
    write_cell(0, __kesco1_lane(2, NULL));
    write_cell(0, __kesco1_lane(1, NULL));
    __kesco1_leave();
    return 0;
}

/* A region right behind a region: the second's lanes come after all of the first's. */
static int two_regions(void) {
    int round;

    for (round = 0; round < 2; round++) {
        ENTER(origin, 3, 0);
        write_cell(round, __kesco1_lane(0, NULL));
        write_cell(1 - round, __kesco1_lane(1, NULL));
        write_cell(2 + round, __kesco1_lane(2, NULL));
        __kesco1_leave();
    }
    ENTER(origin, 3, 0);
    copy_cell(4, 2, __kesco1_lane(1, NULL));
    copy_cell(5, 0, __kesco1_lane(2, NULL));
    __kesco1_leave();
    return 0;
}

/* An open region that is entered again goes on: only an event orders its lanes, and only its own records
 * count. */
static int loop(void) {
    int round;

    for (round = 0; round < 4; round++) {
        ENTER(origin, 3, 2);
        __kesco1_wait(1, 1);
        write_cell(0, __kesco1_lane(1, NULL));
        __kesco1_record(0, 1);
        __kesco1_wait(0, 2);
        copy_cell(1, 0, __kesco1_lane(2, NULL));
        __kesco1_record(1, 2);
    }
    __kesco1_leave();
    return 0;
}

static int racing_loop(void) {
    int round;

    for (round = 0; round < 2; round++) {
        ENTER(origin, 3, 1);
        write_cell(0, __kesco1_lane(1 + (uint32_t)round, NULL));
    }
    __kesco1_leave();
    return 0;
}

/* Another region than the one that is open, whether its lanes and events would do or not: that closes. */
static int other_regions(void) {
    ENTER(origin, 2, 0);
    write_cell(0, __kesco1_lane(1, NULL));
    ENTER(origin, 40, 1);
    write_cell(0, __kesco1_lane(39, NULL));
    write_cell(1, __kesco1_lane(0, NULL));
    ENTER(origin, 2, 200);
    write_cell(0, __kesco1_lane(0, NULL));
    write_cell(1, __kesco1_lane(1, NULL));
    __kesco1_record(199, 1);
    __kesco1_wait(199, 0);
    write_cell(1, __kesco1_lane(0, NULL));
    ENTER(origin, 2, 0);
    write_cell(0, __kesco1_lane(1, NULL));
    __kesco1_leave();
    REQUIRE(cudaPeekAtLastError() == cudaSuccess);
    return 0;
}

static int grown(void) {
    ENTER(origin, 2, 0);
    ENTER(origin, 256, 0);
    REQUIRE(__kesco1_lane(255, NULL) != NULL && __kesco1_lane(255, NULL) != __kesco1_lane(254, NULL));
    issue('a', __kesco1_lane(255, NULL));
    __kesco1_leave();
    REQUIRE(cudaStreamSynchronize(origin) == cudaSuccess);
    REQUIRE(letters() == 1);
    return 0;
}

/* Another origin: the region that is open joins into its own, and the next one forks from the other. */
static int two_origins(void) {
    cudaStream_t other = scenario_stream(cudaStreamNonBlocking);

    write_cell(4, other);
    ENTER(origin, 2, 1);
    write_cell(0, __kesco1_lane(0, NULL));
    write_cell(1, __kesco1_lane(1, NULL));
    __kesco1_record(0, 1);
    ENTER(other, 3, 1);
    write_cell(4, __kesco1_lane(1, NULL));
    write_cell(5, __kesco1_lane(2, NULL));
    ENTER(origin, 2, 1);
    copy_cell(2, 0, __kesco1_lane(1, NULL));
    copy_cell(3, 1, __kesco1_lane(0, NULL));
    __kesco1_leave();
    write_cell(2, origin);
    copy_cell(6, 5, other);
    copy_cell(7, 4, other);
    return 0;
}

/* The record of an earlier region is none of this one's. */
static int racing_regions(void) {
    ENTER(scenario_stream(cudaStreamNonBlocking), 2, 1);
    write_cell(0, __kesco1_lane(1, NULL));
    __kesco1_record(0, 1);
    ENTER(origin, 3, 1);
    __kesco1_wait(0, 2);
    write_cell(0, __kesco1_lane(2, NULL));
    __kesco1_leave();
    return 0;
}

/* A region on the legacy default stream takes part in its order against blocking streams. */
static int other_blocking_streams(void) {
    cudaStream_t other = scenario_stream(cudaStreamDefault);

    write_cell(0, other);
    ENTER(origin, 2, 0);
    write_cell(0, __kesco1_lane(1, NULL));
    __kesco1_leave();
    write_cell(0, other);
    return 0;
}

/* The default stream comes behind a region on a blocking stream, as behind a launch on it, and before the
 * next. */
static int default_stream(void) {
    write_cell(0, NULL);
    ENTER(origin, 2, 0);
    write_cell(0, __kesco1_lane(1, NULL));
    write_cell(1, __kesco1_lane(0, NULL));
    __kesco1_leave();
    copy_cell(2, 0, NULL);
    return 0;
}

/* An op on the origin comes behind all lanes and before all of them, and no event is needed for it. */
static int op_on_origin(void) {
    cudaStream_t other = scenario_stream(cudaStreamDefault);
    int round;

    write_cell(0, other);
    write_cell(1, other);
    for (round = 0; round < 2; round++) {
        ENTER(origin, 2, 1);
        write_cell(2, __kesco1_origin(NULL));
        __kesco1_passed(cudaSuccess);
        copy_cell(0, 2, __kesco1_lane(0, NULL));
        copy_cell(1, 2, __kesco1_lane(1, NULL));
        copy_cell(2, 0, __kesco1_origin(NULL));
        copy_cell(3, 1, __kesco1_origin(NULL));
        __kesco1_passed(cudaSuccess);
        write_cell(0, __kesco1_lane(1, NULL));
        write_cell(1, __kesco1_lane(0, NULL));
        copy_cell(4, 0, __kesco1_origin(NULL));
        copy_cell(4, 1, __kesco1_origin(NULL));
        __kesco1_passed(cudaSuccess);
        __kesco1_leave();
        write_cell(0, other);
        write_cell(1, other);
    }
    REQUIRE(cudaPeekAtLastError() == cudaSuccess);
    return 0;
}

/* What was recorded before an op on the origin is not waited for behind it, and what was recorded since is.
 */
static int records_before_an_op_on_origin(void) {
    ENTER(origin, 3, 2);
    write_cell(0, __kesco1_lane(0, NULL));
    __kesco1_record(0, 0);
    write_cell(1, __kesco1_origin(NULL));
    __kesco1_passed(cudaSuccess);
    __kesco1_wait(0, 1);
    write_cell(0, __kesco1_lane(1, NULL));
    __kesco1_record(1, 1);
    __kesco1_wait(1, 2);
    write_cell(0, __kesco1_lane(2, NULL));
    __kesco1_leave();
    return 0;
}

/* Where the op is not there, or CUDA has an error that may be its, something else orders what it should. */
static int missing_op_on_origin(void) {
    cudaStream_t other = scenario_stream(cudaStreamDefault);
    int kind;

    for (kind = 0; kind < 3; kind++) {
        write_cell(0, other);
        ENTER(origin, 2, 0);
        __kesco1_origin(NULL);
        if (kind == 1)
            cudaSetDevice(-1);
        __kesco1_passed(kind == 0 ? cudaErrorUnknown : cudaSuccess);
        if (kind == 2)
            write_cell(7, origin);
        write_cell(0, __kesco1_lane(0, NULL));
        write_cell(1, __kesco1_lane(1, NULL));
        __kesco1_origin(NULL);
        if (kind == 2)
            cudaSetDevice(-1);
        __kesco1_passed(kind == 0 ? cudaErrorUnknown : cudaSuccess);
        write_cell(0, __kesco1_lane(1, NULL));
        write_cell(1, __kesco1_lane(0, NULL));
        __kesco1_origin(NULL);
        __kesco1_passed(kind == 1 ? cudaSuccess : cudaErrorUnknown);
        __kesco1_leave();
        write_cell(0, other);
        write_cell(1, other);
        REQUIRE((cudaGetLastError() == cudaSuccess) == (kind == 0));
    }
    return 0;
}

/* Believing an op that is not there would be a race. */
static int racing_without_op_on_origin(void) {
    ENTER(origin, 2, 0);
    write_cell(0, __kesco1_lane(0, NULL));
    __kesco1_origin(NULL);
    __kesco1_passed(cudaSuccess);
    write_cell(0, __kesco1_lane(1, NULL));
    __kesco1_leave();
    return 0;
}

/* One record on the origin orders all lanes against each other; one without work before costs nothing. */
static int aligned(void) {
    ENTER(origin, 3, 0);
    __kesco1_align();
    write_cell(0, __kesco1_lane(0, NULL));
    write_cell(1, __kesco1_lane(1, NULL));
    __kesco1_align();
    __kesco1_align();
    write_cell(1, __kesco1_lane(0, NULL));
    write_cell(0, __kesco1_lane(2, NULL));
    __kesco1_leave();
    return 0;
}

/*
 * A region between two calls that act on the origin themselves: nothing is recorded, and other blocking
 * streams are ordered against it.
 */
static int between_actions(void) {
    cudaStream_t other = scenario_stream(cudaStreamDefault);
    cudaEvent_t event;
    int round;

    REQUIRE(cudaEventCreate(&event) == cudaSuccess);
    write_cell(0, other);
    for (round = 0; round < 3; round++) {
        ENTER_BEHIND(origin, 2, 0, (int)cudaEventRecordWithFlags(event, origin, 0));
        write_cell(0, __kesco1_lane(0, NULL));
        write_cell(1, __kesco1_lane(1, NULL));
        __kesco1_leave_by_next();
        __kesco1_leave_behind((int)cudaEventRecordWithFlags(event, origin, 0));
        write_cell(0, other);
        write_cell(1, other);
    }
    __kesco1_leave_by_next();
    __kesco1_leave_behind(cudaSuccess);
    return 0;
}

/* The same where these calls fail. */
static int between_failed_actions(void) {
    cudaStream_t other = scenario_stream(cudaStreamDefault);
    int round;

    for (round = 0; round < 3; round++) {
        write_cell(0, other);
        write_cell(1, other);
        ENTER_BEHIND(origin, 2, 0, cudaErrorUnknown);
        write_cell(0, __kesco1_lane(0, NULL));
        write_cell(1, __kesco1_lane(1, NULL));
        __kesco1_leave_by_next();
        __kesco1_leave_behind(cudaErrorUnknown);
    }
    write_cell(0, other);
    write_cell(1, other);
    return 0;
}

/* Other origins join before the call that acts on the default stream. */
static int joined_by_next(void) {
    ENTER_BEHIND(origin, 3, 0, cudaSuccess);
    write_cell(0, __kesco1_lane(1, NULL));
    write_cell(1, __kesco1_lane(2, NULL));
    __kesco1_leave_by_next();
    __kesco1_leave_behind(cudaSuccess);
    write_cell(0, origin);
    write_cell(1, origin);
    return 0;
}

static int racing_behind_no_action(void) {
    cudaStream_t other = scenario_stream(cudaStreamDefault);

    write_cell(0, other);
    ENTER_BEHIND(origin, 2, 0, cudaSuccess);
    write_cell(0, __kesco1_lane(0, NULL));
    __kesco1_leave();
    return 0;
}

static int racing_before_no_action(void) {
    cudaStream_t other = scenario_stream(cudaStreamDefault);

    ENTER(origin, 2, 0);
    write_cell(0, __kesco1_lane(0, NULL));
    __kesco1_leave_by_next();
    __kesco1_leave_behind(cudaSuccess);
    write_cell(0, other);
    return 0;
}

/* All lanes are the origin, and nothing is left in CUDA's error state. */
static int serial(void) {
    uint32_t lane;

    ENTER(origin, 3, 2);
    for (lane = 0; lane < 3; lane++)
        REQUIRE(__kesco1_lane(lane, NULL) == origin);
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
    __kesco1_lane(1, NULL);
    __kesco1_record(0, 1);
    __kesco1_wait(0, 2);
    REQUIRE(__kesco1_lane(1, NULL) == origin && __kesco1_lane(2, NULL) == origin);
    __kesco1_enter(origin, &same);
    REQUIRE(__kesco1_lane(1, NULL) == origin);
    __kesco1_leave();
    __kesco1_enter(origin, &same);
    REQUIRE(__kesco1_lane(1, NULL) != origin);
    __kesco1_leave();
    return 0;
}

static int one_lane(void) {
    ENTER(origin, 1, 0);
    REQUIRE(__kesco1_lane(0, NULL) == origin);
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
    __kesco1_lane(1, NULL);
    REQUIRE(cudaSetDevice(-1) != cudaSuccess);
    __kesco1_record(0, 1);
    __kesco1_leave();
    REQUIRE(cudaGetLastError() != cudaSuccess);
    return 0;
}

/* Nothing in a region makes the host wait: where ops run as late as they may, none has run before the host
 * asks. */
static int host_runs_ahead(void) {
    forget_letters();
    issue('o', origin);
    ENTER(origin, 3, 1);
    REQUIRE(__kesco1_lane(1, NULL) != origin && __kesco1_lane(1, NULL) != __kesco1_lane(0, NULL));
    issue('a', __kesco1_lane(0, NULL));
    __kesco1_record(0, 0);
    __kesco1_wait(0, 1);
    issue('b', __kesco1_lane(1, NULL));
    issue('c', __kesco1_lane(2, NULL));
    __kesco1_leave();
    REQUIRE(letters() == 0);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    REQUIRE(letters() == 4 && come_in_order('a', 'b'));
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
    REQUIRE(__kesco1_lane(2, NULL) != origin);
    __kesco1_leave();
    return 0;
}

/* In a loop, a lane waits for a record once, however often it is told to, and for the next record again. */
static int waits_once(void) {
    ENTER(origin, 4, 1);
    issue('a', __kesco1_lane(1, NULL));
    __kesco1_record(0, 1);
    __kesco1_lane(2, NULL);
    __kesco1_lane(3, NULL);
    for (int i = 0; i < 5; i++)
        __kesco1_wait(0, 2);
    __kesco1_wait(0, 3);
    __kesco1_record(0, 1);
    __kesco1_wait(0, 2);
    REQUIRE(__kesco1_lane(2, NULL) != origin);
    __kesco1_wait(0, 3);
    REQUIRE(__kesco1_lane(2, NULL) == origin);
    __kesco1_leave();
    return 0;
}

/*
 * A lane that comes behind a record through another one need not wait for it, nor for an older record of the
 * same lane; a newer record it does wait for.
 */
static int waits_for_what_it_does_not_know(void) {
    ENTER(origin, 4, 3);
    issue('a', __kesco1_lane(1, NULL));
    __kesco1_record(0, 1);
    issue('b', __kesco1_lane(1, NULL));
    __kesco1_record(1, 1);
    __kesco1_lane(2, NULL);
    __kesco1_lane(3, NULL);
    __kesco1_wait(1, 2);
    __kesco1_wait(0, 2);
    __kesco1_record(2, 2);
    __kesco1_wait(2, 3);
    __kesco1_wait(0, 3);
    __kesco1_wait(1, 3);
    __kesco1_record(0, 1);
    REQUIRE(__kesco1_lane(3, NULL) != origin);
    __kesco1_wait(0, 3);
    REQUIRE(__kesco1_lane(3, NULL) == origin);
    __kesco1_leave();
    return 0;
}

/* The same where a region has more lanes than are kept track of. */
static int waits_on_many_lanes(void) {
    ENTER(origin, 40, 2);
    issue('a', __kesco1_lane(35, NULL));
    __kesco1_record(0, 35);
    __kesco1_wait(0, 1);
    issue('b', __kesco1_lane(1, NULL));
    __kesco1_record(1, 1);
    __kesco1_wait(1, 39);
    issue('c', __kesco1_lane(39, NULL));
    __kesco1_leave();
    issue('d', origin);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    REQUIRE(letters() == 4 && come_in_order('a', 'b') && come_in_order('b', 'c') && come_in_order('c', 'd'));
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
    issue('a', __kesco1_lane(1, NULL));
    exit(0);
}

/* Resets the device; an origin that the program made, it makes again. */
static int reset(void) {
    unsigned flags = 0;
    bool made = origin != NULL && origin != cudaStreamLegacy && origin != cudaStreamPerThread;

    REQUIRE(!made || cudaStreamGetFlags(origin, &flags) == cudaSuccess);
    REQUIRE(cudaDeviceReset() == cudaSuccess);
    forget_cells();
    if (made)
        origin = scenario_stream(flags);
    return 0;
}

/* Streams and events that cudaDeviceReset destroyed are made again: the next region is as good as the first.
 */
static int reset_between(void) {
    REQUIRE(host_runs_ahead() == 0);
    REQUIRE(reset() == 0);
    REQUIRE(host_runs_ahead() == 0);
    REQUIRE(cudaPeekAtLastError() == cudaSuccess);
    return 0;
}

static int order_after_reset(void) {
    REQUIRE(order() == 0);
    REQUIRE(reset() == 0);
    REQUIRE(order() == 0);
    REQUIRE(cudaPeekAtLastError() == cudaSuccess);
    return 0;
}

/* A reset takes the streams of an open region away: what is left of it is serial, and no error shows. */
static int reset_within(void) {
    ENTER(origin, 3, 1);
    __kesco1_lane(1, NULL);
    REQUIRE(cudaDeviceReset() == cudaSuccess);
    __kesco1_record(0, 1);
    REQUIRE(__kesco1_lane(1, NULL) == origin && __kesco1_lane(2, NULL) == origin);
    __kesco1_leave();
    REQUIRE(cudaGetLastError() == cudaSuccess);
    ENTER(NULL, 2, 0);
    REQUIRE(__kesco1_lane(1, NULL) != NULL);
    __kesco1_leave();
    return 0;
}

static int pending_error_and_reset(void) {
    ENTER(origin, 2, 1);
    __kesco1_leave();
    REQUIRE(reset() == 0);
    return pending_error();
}

static int priority_of(void *stream) {
    int priority = 99;

    return cudaStreamGetPriority(stream, &priority) == cudaSuccess ? priority : 99;
}

static const uint8_t two_levels[] = {1, 0, 200};

/* Lanes have the priorities of their levels; a lane 0 that is the origin has its own. */
static int levels(void) {
    int least, greatest;

    REQUIRE(cudaDeviceGetStreamPriorityRange(&least, &greatest) == cudaSuccess && least - greatest > 1);
    ENTER_LEVELS(origin, 3, 0, two_levels);
    if (origin_is_legacy())
        REQUIRE(priority_of(__kesco1_lane(0, NULL)) == least - 1);
    else
        REQUIRE(__kesco1_lane(0, NULL) == origin);
    REQUIRE(priority_of(__kesco1_lane(1, NULL)) == least);
    REQUIRE(priority_of(__kesco1_lane(2, NULL)) == greatest);
    __kesco1_leave();
    ENTER(origin, 3, 0);
    REQUIRE(priority_of(__kesco1_lane(1, NULL)) == least && priority_of(__kesco1_lane(2, NULL)) == least);
    __kesco1_leave();
    REQUIRE(cudaPeekAtLastError() == cudaSuccess);
    return 0;
}

static int levels_after_reset(void) {
    REQUIRE(levels() == 0);
    REQUIRE(reset() == 0);
    return levels();
}

/* Where priorities cannot be had, lanes are plain, and the region is concurrent all the same. */
static int no_levels(void) {
    ENTER_LEVELS(origin, 3, 0, two_levels);
    REQUIRE(__kesco1_lane(1, NULL) != origin && __kesco1_lane(2, NULL) != __kesco1_lane(1, NULL));
    REQUIRE(priority_of(__kesco1_lane(1, NULL)) == 0 && priority_of(__kesco1_lane(2, NULL)) == 0);
    __kesco1_leave();
    REQUIRE(cudaPeekAtLastError() == cudaSuccess);
    return 0;
}

/* A region on lanes with levels is ordered like any other, and it may be entered again while it is open. */
static int order_with_levels(void) {
    int round;

    write_cell(0, origin);
    write_cell(1, origin);
    for (round = 0; round < 2; round++) {
        ENTER_LEVELS(origin, 3, 2, two_levels);
        __kesco1_wait(1, 0);
        write_cell(0, __kesco1_lane(0, NULL));
        __kesco1_record(0, 0);
        write_cell(1, __kesco1_lane(1, NULL));
        __kesco1_wait(0, 2);
        copy_cell(2, 0, __kesco1_lane(2, NULL));
        __kesco1_record(1, 2);
    }
    __kesco1_leave();
    copy_cell(3, 2, origin);
    write_cell(1, origin);
    REQUIRE(cudaPeekAtLastError() == cudaSuccess);
    return 0;
}

/* Each device has lanes of each level. */
static int levels_on_two_devices(void) {
    void *first, *second;

    ENTER_LEVELS(cudaStreamPerThread, 3, 0, two_levels);
    first = __kesco1_lane(2, NULL);
    __kesco1_leave();
    REQUIRE(cudaSetDevice(1) == cudaSuccess);
    ENTER_LEVELS(cudaStreamPerThread, 3, 0, two_levels);
    second = __kesco1_lane(2, NULL);
    REQUIRE(first != second && priority_of(first) == priority_of(second) && priority_of(first) < -1);
    __kesco1_leave();
    return 0;
}

static void *second_lane(void *on) {
    void *lane;

    ENTER(on, 2, 1);
    lane = __kesco1_lane(1, NULL);
    __kesco1_leave();
    return lane;
}

/* Each device has lanes of its own. An origin that lives on another one is left to the program, and costs
 * nothing that the current device has. */
static int two_devices(void) {
    bool made = origin != NULL && origin != cudaStreamLegacy && origin != cudaStreamPerThread;
    void *first, *second;
    int round;

    first = second_lane(origin);
    REQUIRE(cudaSetDevice(1) == cudaSuccess);
    second = second_lane(cudaStreamPerThread);
    REQUIRE(second != first);
    for (round = 0; round < 2; round++) {
        void *lane = second_lane(origin);
        REQUIRE(made ? lane == origin : lane != origin && lane != first);
        REQUIRE(cudaPeekAtLastError() == cudaSuccess);
        REQUIRE(second_lane(cudaStreamPerThread) == second);
    }
    REQUIRE(cudaSetDevice(0) == cudaSuccess);
    REQUIRE(second_lane(origin) == first);
    return 0;
}

/* Where the origin of the record is another than the opening's, the host waits for the lanes themselves. */
static int left_from_another_device(void) {
    ENTER(origin, 3, 0);
    write_cell(0, __kesco1_lane(1, NULL));
    write_cell(1, __kesco1_lane(2, NULL));
    REQUIRE(cudaSetDevice(1) == cudaSuccess);
    __kesco1_leave();
    REQUIRE(cudaPeekAtLastError() == cudaSuccess);
    REQUIRE(cudaSetDevice(0) == cudaSuccess);
    write_cell(0, origin);
    write_cell(1, origin);
    return 0;
}

static void run_rounds(int first_cell) {
    int round;

    for (round = 0; round < 20; round++) {
        ENTER(origin, 3, 1);
        write_cell(first_cell, __kesco1_lane(0, NULL));
        __kesco1_record(0, 0);
        write_cell(first_cell + 1, __kesco1_lane(1, NULL));
        __kesco1_wait(0, 2);
        copy_cell(first_cell + 2, first_cell, __kesco1_lane(2, NULL));
        __kesco1_leave();
        copy_cell(first_cell + 3, first_cell + 1, origin);
    }
}

static void *run_other_rounds(void *unused_argument) {
    (void)unused_argument;
    run_rounds(4);
    return NULL;
}

/* Two threads at once: each has a region and lanes of its own. */
static int two_threads(void) {
    pthread_t thread;

    cells();
    REQUIRE(pthread_create(&thread, NULL, run_other_rounds, NULL) == 0);
    run_rounds(0);
    REQUIRE(pthread_join(thread, NULL) == 0);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    REQUIRE(cudaGetLastError() == cudaSuccess);
    return 0;
}

static pthread_barrier_t meeting;

static void write_two_cells(void) {
    write_cell(0, __kesco1_lane(0, NULL));
    write_cell(1, __kesco1_lane(1, NULL));
}

static void *write_in_another_region(void *unused_argument) {
    (void)unused_argument;
    pthread_barrier_wait(&meeting);
    ENTER(origin, 2, 0);
    write_two_cells();
    pthread_barrier_wait(&meeting);
    pthread_barrier_wait(&meeting);
    write_two_cells();
    __kesco1_leave();
    return NULL;
}

/* What two threads issue to the default stream never runs at once, also where their regions are open at once.
 * A thread that comes later has lanes again. */
static int threads_on_one_stream(void) {
    pthread_t thread;

    cells();
    pthread_barrier_init(&meeting, NULL, 2);
    REQUIRE(pthread_create(&thread, NULL, write_in_another_region, NULL) == 0);
    ENTER(origin, 2, 0);
    write_two_cells();
    pthread_barrier_wait(&meeting);
    pthread_barrier_wait(&meeting);
    write_two_cells();
    pthread_barrier_wait(&meeting);
    __kesco1_leave();
    REQUIRE(pthread_join(thread, NULL) == 0);
    REQUIRE(cudaGetLastError() == cudaSuccess);
    ENTER(origin, 2, 0);
    REQUIRE(__kesco1_lane(0, NULL) != __kesco1_lane(1, NULL));
    __kesco1_leave();
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
    SCENARIO(grown),
    SCENARIO(two_origins),
    SCENARIO(racing_regions),
    SCENARIO(other_blocking_streams),
    SCENARIO(default_stream),
    SCENARIO(op_on_origin),
    SCENARIO(records_before_an_op_on_origin),
    SCENARIO(missing_op_on_origin),
    SCENARIO(racing_without_op_on_origin),
    SCENARIO(aligned),
    SCENARIO(between_actions),
    SCENARIO(between_failed_actions),
    SCENARIO(joined_by_next),
    SCENARIO(racing_behind_no_action),
    SCENARIO(racing_before_no_action),
    SCENARIO(serial),
    SCENARIO(serial_later),
    SCENARIO(one_lane),
    SCENARIO(failing_calls),
    SCENARIO(pending_error),
    SCENARIO(pending_inside),
    SCENARIO(host_runs_ahead),
    SCENARIO(unused),
    SCENARIO(entered_again),
    SCENARIO(reset_between),
    SCENARIO(order_after_reset),
    SCENARIO(reset_within),
    SCENARIO(pending_error_and_reset),
    SCENARIO(two_devices),
    SCENARIO(left_from_another_device),
    SCENARIO(two_threads),
    SCENARIO(threads_on_one_stream),
    SCENARIO(waits_once),
    SCENARIO(exit_within),
    SCENARIO(waits_for_what_it_does_not_know),
    SCENARIO(waits_on_many_lanes),
    SCENARIO(levels),
    SCENARIO(levels_after_reset),
    SCENARIO(no_levels),
    SCENARIO(order_with_levels),
    SCENARIO(levels_on_two_devices),
};

static void require_order_everywhere(const char *scenario) {
    size_t i;

    for (i = 0; i < origin_kind_count; i++)
        require_order(scenario, origin_kinds[i]);
}

static void require_races(const char *scenario, const char *kind) {
    if (run_child_with(scenario, kind, "VGPU_CHECK", "races") != SCENARIO_RACES)
        fail_msg("%s on origin '%s' does not race", scenario, kind);
}

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

/* On both handles of the legacy default stream. */
static void require_beside_legacy(const char *scenario, int records, int waits) {
    static const char *const kinds[] = {"null", "legacy"};
    size_t i;

    for (i = 0; i < 2; i++) {
        require_order(scenario, kinds[i]);
        assert_int_equal(run_child_with(scenario, kinds[i], "KESCO_DISABLE", "1"), 0);
        require_events(scenario, kinds[i], records, waits);
    }
}

static void test_an_op_on_the_origin_orders_all_lanes(void **state) {
    (void)state;
    require_beside_legacy("op_on_origin", 0, 0);
    require_beside_legacy("records_before_an_op_on_origin", 4, 1);
    require_beside_legacy("missing_op_on_origin", 8, 0);
    require_races("racing_without_op_on_origin", "null");
    require_beside_legacy("aligned", 3, 0);
}

static void test_calls_on_the_origin_stand_in_for_records(void **state) {
    (void)state;
    require_beside_legacy("between_actions", 6, 0);
    require_beside_legacy("between_failed_actions", 6, 0);
    require_order_everywhere("joined_by_next");
    require_races("racing_behind_no_action", "null");
    require_races("racing_before_no_action", "null");
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

static void test_a_region_ends_at_exit(void **state) {
    (void)state;
    require_order_everywhere("exit_within");
}

static void test_another_region_closes_the_open_one(void **state) {
    (void)state;
    require_order_everywhere("other_regions");
    require_order_everywhere("grown");
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

static void test_host_does_not_wait(void **state) {
    (void)state;
    require_everywhere("host_runs_ahead", "VGPU_SEED", AS_LATE_AS_POSSIBLE);
    setenv("VGPU_SEED", AS_LATE_AS_POSSIBLE, 1);
    require_everywhere("unused", "VGPU_FAIL", "cudaEventRecord:2,cudaStreamWaitEvent:1");
    unsetenv("VGPU_SEED");
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
    require_everywhere("reset_within", "VGPU_SEED", "0");
}

static void test_devices_do_not_meet(void **state) {
    (void)state;
    require_everywhere("two_devices", "VGPU_DEVICES", "2");
    setenv("VGPU_DEVICES", "2", 1);
    require_order("left_from_another_device", "null");
    require_order("left_from_another_device", "nonblocking");
    unsetenv("VGPU_DEVICES");
}

static void test_levels_are_stream_priorities(void **state) {
    static const char refused[] = "cudaStreamCreateWithPriority:1";

    (void)state;
    require_everywhere("levels", "VGPU_SEED", "0");
    require_everywhere("levels_after_reset", "VGPU_SEED", "0");
    require_everywhere("no_levels", "VGPU_FAIL", "cudaDeviceGetStreamPriorityRange:1");
    require_order_everywhere("order_with_levels");
    assert_int_equal(run_child_with("order_with_levels", "null", "VGPU_FAIL", refused), 0);
    assert_int_equal(run_child_with("order_with_levels", "per-thread", "VGPU_FAIL", refused), 0);
    assert_int_equal(run_child_with("levels_on_two_devices", "null", "VGPU_DEVICES", "2"), 0);
}

static void test_threads_do_not_meet(void **state) {
    (void)state;
    require_order("two_threads", "null");
    require_order("two_threads", "nonblocking");
    require_order("two_threads", "per-thread");
    require_order("threads_on_one_stream", "null");
    require_order("threads_on_one_stream", "legacy");
}

static void test_lanes_are_streams_of_their_own_and_reused(void **state) {
    void *lanes[3];
    unsigned flags = 99;
    uint32_t i;

    (void)state;
    ENTER(NULL, 3, 1);
    for (i = 0; i < 3; i++)
        lanes[i] = __kesco1_lane(i, NULL);
    __kesco1_leave();
    assert_true(lanes[0] != NULL && lanes[0] != lanes[1] && lanes[1] != lanes[2] && lanes[0] != lanes[2]);
    assert_int_equal(cudaStreamGetFlags(lanes[0], &flags), cudaSuccess);
    assert_int_equal(flags, cudaStreamDefault);
    ENTER(cudaStreamLegacy, 2, 1);
    assert_ptr_equal(__kesco1_lane(0, NULL), lanes[0]);
    assert_ptr_equal(__kesco1_lane(1, NULL), lanes[1]);
    __kesco1_leave();
}

static void test_lanes_beside_another_origin_do_not_block(void **state) {
    void *lanes[3];
    unsigned flags = 99;
    uint32_t i;

    (void)state;
    ENTER(cudaStreamPerThread, 3, 1);
    for (i = 0; i < 3; i++)
        lanes[i] = __kesco1_lane(i, NULL);
    __kesco1_leave();
    assert_ptr_equal(lanes[0], cudaStreamPerThread);
    assert_true(lanes[1] != lanes[0] && lanes[2] != lanes[0] && lanes[1] != lanes[2]);
    assert_int_equal(cudaStreamGetFlags(lanes[1], &flags), cudaSuccess);
    assert_int_equal(flags, cudaStreamNonBlocking);
    ENTER(cudaStreamPerThread, 2, 1);
    assert_ptr_equal(__kesco1_lane(1, NULL), lanes[1]);
    __kesco1_leave();
}

/* A region of another thread leaves alone the one that is open here. */
static void test_threads_share_no_region(void **state) {
    pthread_t thread;
    void *lane, *other;

    (void)state;
    ENTER(NULL, 2, 1);
    lane = __kesco1_lane(0, NULL);
    assert_int_equal(pthread_create(&thread, NULL, second_lane, NULL), 0);
    assert_int_equal(pthread_join(thread, &other), 0);
    assert_ptr_equal(__kesco1_lane(0, NULL), lane);
    __kesco1_leave();
}

static void test_threads_share_no_lane_but_inherit_it(void **state) {
    void *const origins[] = {NULL, cudaStreamPerThread};
    pthread_t thread;
    void *first, *second;
    size_t i;

    (void)state;
    for (i = 0; i < 2; i++) {
        assert_int_equal(pthread_create(&thread, NULL, second_lane, origins[i]), 0);
        assert_int_equal(pthread_join(thread, &first), 0);
        assert_int_equal(pthread_create(&thread, NULL, second_lane, origins[i]), 0);
        assert_int_equal(pthread_join(thread, &second), 0);
        assert_ptr_not_equal(first, second_lane(origins[i]));
        assert_ptr_equal(first, second);
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_holds_on_every_origin),
        cmocka_unit_test(test_lanes_overlap),
        cmocka_unit_test(test_an_op_on_the_origin_orders_all_lanes),
        cmocka_unit_test(test_calls_on_the_origin_stand_in_for_records),
        cmocka_unit_test(test_entering_an_open_region_goes_on),
        cmocka_unit_test(test_a_lane_waits_once_for_a_record),
        cmocka_unit_test(test_waits_hold_on_many_lanes),
        cmocka_unit_test(test_a_region_ends_at_exit),
        cmocka_unit_test(test_another_region_closes_the_open_one),
        cmocka_unit_test(test_events_of_earlier_regions_are_not_waited_for),
        cmocka_unit_test(test_blocking_streams_keep_their_order),
        cmocka_unit_test(test_disable_makes_the_program_serial),
        cmocka_unit_test(test_one_lane_is_the_origin),
        cmocka_unit_test(test_each_failing_call_falls_back),
        cmocka_unit_test(test_failing_creation_makes_the_region_serial),
        cmocka_unit_test(test_failing_call_inside_makes_the_rest_serial),
        cmocka_unit_test(test_host_does_not_wait),
        cmocka_unit_test(test_pending_error_survives),
        cmocka_unit_test(test_a_reset_costs_nothing_but_the_pool),
        cmocka_unit_test(test_devices_do_not_meet),
        cmocka_unit_test(test_levels_are_stream_priorities),
        cmocka_unit_test(test_threads_do_not_meet),
        cmocka_unit_test(test_lanes_are_streams_of_their_own_and_reused),
        cmocka_unit_test(test_lanes_beside_another_origin_do_not_block),
        cmocka_unit_test(test_threads_share_no_region),
        cmocka_unit_test(test_threads_share_no_lane_but_inherit_it),
    };

    if (argc == 3)
        return RUN_SCENARIO(argv, scenarios);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
