/* Regions beside the legacy default stream: ops and calls on the origin itself that take the place of
 * records. */
#include "runtime/kesco_abi.h"
#include "test/cmocka.h"
#include "test/runtime/scenario.h"

#include <stdlib.h>

/* An op on the origin comes behind all lanes and before all of them, and no event is needed for it. */
static int op_on_origin(void) {
    cudaStream_t other = scenario_stream(cudaStreamDefault);
    int round;

    write_cell(0, other);
    write_cell(1, other);
    for (round = 0; round < 2; round++) {
        ENTER(origin, 2, 1);
        write_cell(2, __kesco1_origin(NULL, 0));
        __kesco1_passed(cudaSuccess);
        copy_cell(0, 2, __kesco1_lane(0, NULL, 0));
        copy_cell(1, 2, __kesco1_lane(1, NULL, 0));
        copy_cell(2, 0, __kesco1_origin(NULL, 0));
        copy_cell(3, 1, __kesco1_origin(NULL, 0));
        __kesco1_passed(cudaSuccess);
        write_cell(0, __kesco1_lane(1, NULL, 0));
        write_cell(1, __kesco1_lane(0, NULL, 0));
        copy_cell(4, 0, __kesco1_origin(NULL, 0));
        copy_cell(4, 1, __kesco1_origin(NULL, 0));
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
    write_cell(0, __kesco1_lane(0, NULL, 0));
    __kesco1_record(0, 0);
    write_cell(1, __kesco1_origin(NULL, 0));
    __kesco1_passed(cudaSuccess);
    __kesco1_wait(0, 1);
    write_cell(0, __kesco1_lane(1, NULL, 0));
    __kesco1_record(1, 1);
    __kesco1_wait(1, 2);
    write_cell(0, __kesco1_lane(2, NULL, 0));
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
        __kesco1_origin(NULL, 0);
        if (kind == 1)
            cudaSetDevice(-1);
        __kesco1_passed(kind == 0 ? cudaErrorUnknown : cudaSuccess);
        if (kind == 2)
            write_cell(7, origin);
        write_cell(0, __kesco1_lane(0, NULL, 0));
        write_cell(1, __kesco1_lane(1, NULL, 0));
        __kesco1_origin(NULL, 0);
        if (kind == 2)
            cudaSetDevice(-1);
        __kesco1_passed(kind == 0 ? cudaErrorUnknown : cudaSuccess);
        write_cell(0, __kesco1_lane(1, NULL, 0));
        write_cell(1, __kesco1_lane(0, NULL, 0));
        __kesco1_origin(NULL, 0);
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
    write_cell(0, __kesco1_lane(0, NULL, 0));
    __kesco1_origin(NULL, 0);
    __kesco1_passed(cudaSuccess);
    write_cell(0, __kesco1_lane(1, NULL, 0));
    __kesco1_leave();
    return 0;
}

/* One record on the origin orders all lanes against each other; one without work before costs nothing. */
static int aligned(void) {
    ENTER(origin, 3, 0);
    __kesco1_align();
    write_cell(0, __kesco1_lane(0, NULL, 0));
    write_cell(1, __kesco1_lane(1, NULL, 0));
    __kesco1_align();
    __kesco1_align();
    write_cell(1, __kesco1_lane(0, NULL, 0));
    write_cell(0, __kesco1_lane(2, NULL, 0));
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
        write_cell(0, __kesco1_lane(0, NULL, 0));
        write_cell(1, __kesco1_lane(1, NULL, 0));
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
        write_cell(0, __kesco1_lane(0, NULL, 0));
        write_cell(1, __kesco1_lane(1, NULL, 0));
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
    write_cell(0, __kesco1_lane(1, NULL, 0));
    write_cell(1, __kesco1_lane(2, NULL, 0));
    __kesco1_leave_by_next();
    __kesco1_leave_behind(cudaSuccess);
    write_cell(0, origin);
    write_cell(1, origin);
    return 0;
}

/* Around a call that waits for another stream, nothing is left open. */
static int joined_by_wait(void) {
    cudaStream_t other = scenario_stream(cudaStreamDefault), apart = scenario_stream(cudaStreamNonBlocking);

    ENTER(origin, 3, 0);
    write_cell(0, __kesco1_lane(1, NULL, 0));
    write_cell(1, __kesco1_lane(2, NULL, 0));
    __kesco1_leave_by_wait(apart);
    __kesco1_leave_behind((int)cudaStreamSynchronize(apart));
    write_cell(0, other);
    write_cell(1, origin);
    return 0;
}

static int racing_behind_no_action(void) {
    cudaStream_t other = scenario_stream(cudaStreamDefault);

    write_cell(0, other);
    ENTER_BEHIND(origin, 2, 0, cudaSuccess);
    write_cell(0, __kesco1_lane(0, NULL, 0));
    __kesco1_leave();
    return 0;
}

static int racing_before_no_action(void) {
    cudaStream_t other = scenario_stream(cudaStreamDefault);

    ENTER(origin, 2, 0);
    write_cell(0, __kesco1_lane(0, NULL, 0));
    __kesco1_leave_by_next();
    __kesco1_leave_behind(cudaSuccess);
    write_cell(0, other);
    return 0;
}

static const struct scenario scenarios[] = {
    SCENARIO(op_on_origin),
    SCENARIO(records_before_an_op_on_origin),
    SCENARIO(missing_op_on_origin),
    SCENARIO(racing_without_op_on_origin),
    SCENARIO(aligned),
    SCENARIO(between_actions),
    SCENARIO(between_failed_actions),
    SCENARIO(joined_by_next),
    SCENARIO(joined_by_wait),
    SCENARIO(racing_behind_no_action),
    SCENARIO(racing_before_no_action),
};

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

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_op_on_the_origin_orders_all_lanes),
        cmocka_unit_test(test_calls_on_the_origin_stand_in_for_records),
    };

    if (argc == 3)
        return RUN_SCENARIO(argv, scenarios);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
