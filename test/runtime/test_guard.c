/* The alias guard: what a region orders where it does not let pointers through, on every kind of origin. */
#include "runtime/kesco_abi.h"
#include "runtime/region/guard.h"
#include "test/cmocka.h"
#include "test/runtime/guard_flags.h"
#include "test/runtime/scenario.h"

#include <stdio.h>
#include <stdlib.h>

/* Distinct allocations pass, interior pointers and all; what is only read, and what is not checked, may
 * overlap. */
static int passes(void) {
    char *a = allocate(64), *b = allocate(64);

    ENTER(origin, 2, 0);
    __kesco1_lane(0, NULL, 0);
    __kesco1_guard(0, BOTH, a + 60);
    __kesco1_guard(0, BOTH, a);
    __kesco1_guard(1, WRITTEN, b);
    __kesco1_guard(2, CHECKED, NULL);
    REQUIRE(__kesco1_lane(1, NULL, 0) != origin);
    __kesco1_leave();
    ENTER(origin, 2, 0);
    __kesco1_lane(0, NULL, 0);
    __kesco1_guard(0, CHECKED, a);
    __kesco1_guard(1, CHECKED, a + 1);
    __kesco1_guard(2, WRITTEN, b);
    __kesco1_guard(3, WRITTEN, b);
    REQUIRE(__kesco1_lane(1, NULL, 0) != origin);
    __kesco1_leave();
    REQUIRE(cudaGetLastError() == cudaSuccess);
    return 0;
}

/*
 * The launch on `lane`, guarded with `pointer`, comes behind all of the region so far; what comes later, on
 * whichever lane, behind it, and what the program does next on the origin, too.
 */
static int collides_on(uint32_t lane, const void *pointer) {
    void *bound;

    forget_letters();
    write_cell(4, origin);
    ENTER(origin, 4, 1);
    issue('a', __kesco1_lane(0, NULL, 0));
    write_cell(0, __kesco1_lane(0, NULL, 0));
    issue('b', __kesco1_lane(1, NULL, 0));
    write_cell(1, __kesco1_lane(1, NULL, 0));
    issue('c', __kesco1_lane(2, NULL, 0));
    write_cell(2, __kesco1_lane(2, NULL, 0));
    bound = __kesco1_lane(lane, NULL, 0);
    __kesco1_guard(0, BOTH, cells());
    __kesco1_guard(1, CHECKED, pointer);
    issue('d', bound);
    copy_cell(3, 0, bound);
    copy_cell(4, 1, bound);
    copy_cell(5, 2, bound);
    REQUIRE(__kesco1_serial() == 1);
    __kesco1_record(0, lane);
    bound = __kesco1_lane(1, NULL, 0);
    issue('e', bound);
    copy_cell(6, 3, bound);
    __kesco1_leave();
    issue('f', origin);
    write_cell(6, origin);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    REQUIRE(letters() == 6);
    REQUIRE(come_in_order('a', 'd') && come_in_order('b', 'd') && come_in_order('c', 'd'));
    REQUIRE(come_in_order('d', 'e') && come_in_order('e', 'f'));
    REQUIRE(cudaGetLastError() == cudaSuccess);
    return 0;
}

static int collides(void) {
    uint32_t lane;

    for (lane = 0; lane < 4; lane++)
        REQUIRE(collides_on(lane, cells() + 100) == 0);
    return 0;
}

/* Behind the op that was fenced in, lanes begin anew, and so does what the guard knows: only what is met
 * again is fenced in again. */
static int begins_anew(void) {
    char *const other = allocate(64);
    void *first, *second;

    write_cell(5, origin);
    ENTER(origin, 3, 1);
    write_cell(0, __kesco1_lane(1, NULL, 0));
    __kesco1_guard(0, BOTH, cells());
    first = __kesco1_lane(2, NULL, 0);
    __kesco1_guard(1, BOTH, cells());
    REQUIRE(__kesco1_serial() == 1);
    copy_cell(1, 0, first);
    __kesco1_record(0, 2);
    __kesco1_wait(0, 1);
    first = __kesco1_lane(1, NULL, 0);
    __kesco1_guard(1, BOTH, cells());
    REQUIRE(__kesco1_serial() == 0);
    copy_cell(2, 1, first);
    second = __kesco1_lane(2, NULL, 0);
    __kesco1_guard(2, BOTH, other);
    REQUIRE(__kesco1_serial() == 0 && first != second && second != origin);
    copy_cell(3, 1, second);
    second = __kesco1_lane(0, NULL, 0);
    __kesco1_guard(2, BOTH, cells());
    REQUIRE(__kesco1_serial() == 1);
    copy_cell(4, 2, second);
    copy_cell(5, 3, second);
    __kesco1_leave();
    write_cell(5, origin);
    return 0;
}

/* A wait of the host for the origin is one for the op that was fenced in. */
static int is_waited_for(void) {
    void *bound;

    ENTER(origin, 3, 0);
    write_cell(0, __kesco1_lane(1, NULL, 0));
    __kesco1_guard(0, BOTH, cells());
    bound = __kesco1_lane(2, NULL, 0);
    __kesco1_guard(1, BOTH, cells());
    write_cell(1, bound);
    REQUIRE(__kesco1_synchronize(origin, KESCO_REACH_STREAM) == cudaSuccess);
    REQUIRE(cudaStreamQuery(bound) == cudaSuccess);
    __kesco1_leave();
    return 0;
}

/* The host's own memory is unknown to the driver, so it may be anything. */
static int unknown(void) {
    char local = 0;

    return collides_on(1, &local);
}

/* A copy's host operand is told apart by its bytes; what is read by one op and written by another is not let
 * through. */
static int ranges(void) {
    static char host[64];

    ENTER(origin, 2, 0);
    __kesco1_lane(0, NULL, 0);
    __kesco1_guard_range(0, BOTH | HOST, host, 32);
    __kesco1_guard_range(1, CHECKED | HOST, host + 32, 32);
    __kesco1_guard_range(2, CHECKED, cells(), 64);
    REQUIRE(__kesco1_lane(1, NULL, 0) != origin);
    __kesco1_guard_range(1, CHECKED | HOST, host + 31, 1);
    REQUIRE(__kesco1_serial() == 1);
    __kesco1_leave();
    REQUIRE(cudaGetLastError() == cudaSuccess);
    return 0;
}

static int plain(void) {
    void *managed;

    REQUIRE(cudaMallocManaged(&managed, 64, cudaMemAttachGlobal) == cudaSuccess);
    ENTER(origin, 2, 0);
    __kesco1_lane(0, NULL, 0);
    __kesco1_guard(0, PLAIN, cells());
    REQUIRE(__kesco1_lane(1, NULL, 0) != origin);
    __kesco1_guard(1, 0, managed);
    REQUIRE(__kesco1_lane(1, NULL, 0) != origin);
    __kesco1_guard(1, PLAIN, managed);
    REQUIRE(__kesco1_lane(1, NULL, 0) == origin);
    __kesco1_leave();
    REQUIRE(cudaGetLastError() == cudaSuccess);
    return 0;
}

/* Where CUDA cannot say, memory is not taken for plain; the program's own error stays, ours does not. */
static int not_known_to_be_plain(void) {
    cudaError_t pending;
    int errors;

    for (errors = 0; errors < 2; errors++) {
        ENTER(origin, 2, 0);
        __kesco1_lane(0, NULL, 0);
        pending = errors != 0 ? cudaSetDevice(-1) : cudaSuccess;
        __kesco1_guard(0, PLAIN, cells());
        REQUIRE(__kesco1_lane(1, NULL, 0) == origin);
        __kesco1_leave();
        REQUIRE((cudaGetLastError() != cudaSuccess) == (pending != cudaSuccess));
    }
    return 0;
}

/* Nothing of the region comes behind the colliding launch: what the program does next does. */
static int collides_last(void) {
    void *bound;

    ENTER(origin, 3, 0);
    write_cell(0, __kesco1_lane(1, NULL, 0));
    bound = __kesco1_lane(2, NULL, 0);
    __kesco1_guard(0, BOTH, cells());
    __kesco1_guard(1, BOTH, cells());
    write_cell(0, bound);
    __kesco1_leave();
    write_cell(0, origin);
    return 0;
}

static int collides_first(void) {
    void *bound;

    write_cell(0, origin);
    ENTER(origin, 3, 0);
    bound = __kesco1_lane(2, NULL, 0);
    __kesco1_guard(0, BOTH, cells());
    __kesco1_guard(1, BOTH, cells());
    write_cell(0, bound);
    write_cell(0, __kesco1_lane(0, NULL, 0));
    __kesco1_leave();
    return 0;
}

/* Allocations without end are no reason to forget one: what finds no room is fenced in. */
static int full(void) {
    uint32_t i;

    ENTER(origin, 2, 0);
    for (i = 0; i <= KESCO_GUARD_PAIRS; i++) {
        REQUIRE(__kesco1_lane(1, NULL, 0) != origin);
        __kesco1_guard(i, BOTH, allocate(16));
    }
    REQUIRE(__kesco1_serial() == 1);
    __kesco1_leave();
    return 0;
}

/* A long loop over a few allocations goes on for ever. */
static int long_loop(void) {
    const size_t size = 1 << 16;
    char *a = allocate(size), *b = allocate(size);
    size_t i;

    for (i = 0; i < size; i++) {
        ENTER(origin, 2, 0);
        __kesco1_lane(0, NULL, 0);
        __kesco1_guard(0, BOTH, a + i);
        __kesco1_guard(1, CHECKED, b + i);
        REQUIRE(__kesco1_lane(1, NULL, 0) != origin);
    }
    __kesco1_guard(1, CHECKED, a);
    REQUIRE(__kesco1_serial() == 1);
    __kesco1_leave();
    return 0;
}

/* What one region met, the next knows nothing of: memory may have been freed and given out again. */
static int forgets(void) {
    char *a = allocate(64);

    ENTER(origin, 2, 0);
    __kesco1_lane(0, NULL, 0);
    __kesco1_guard(0, BOTH, a);
    __kesco1_leave();
    ENTER(origin, 2, 0);
    __kesco1_lane(0, NULL, 0);
    __kesco1_guard(1, BOTH, a);
    REQUIRE(__kesco1_lane(1, NULL, 0) != origin);
    __kesco1_leave();
    REQUIRE(cudaFree(a) == cudaSuccess);
    ENTER(origin, 2, 0);
    __kesco1_lane(0, NULL, 0);
    __kesco1_guard(1, BOTH, a);
    REQUIRE(__kesco1_lane(1, NULL, 0) == origin);
    __kesco1_leave();
    return 0;
}

/* An error that is pending when the guard asks the driver for the first time stays. */
static int pending_error(void) {
    ENTER(origin, 2, 0);
    __kesco1_lane(0, NULL, 0);
    REQUIRE(cudaSetDevice(-1) != cudaSuccess);
    __kesco1_guard(0, BOTH, cells());
    REQUIRE(cudaGetLastError() != cudaSuccess);
    __kesco1_leave();
    return 0;
}

static const struct scenario scenarios[] = {
    SCENARIO(passes),         SCENARIO(collides),      SCENARIO(unknown),   SCENARIO(collides_last),
    SCENARIO(collides_first), SCENARIO(full),          SCENARIO(long_loop), SCENARIO(forgets),
    SCENARIO(pending_error),  SCENARIO(ranges),        SCENARIO(plain),     SCENARIO(not_known_to_be_plain),
    SCENARIO(begins_anew),    SCENARIO(is_waited_for),
};

static void test_lets_through_what_is_distinct(void **state) {
    (void)state;
    require_everywhere("passes", "VGPU_SEED", "0");
    require_everywhere("long_loop", "VGPU_SEED", "0");
    require_everywhere("forgets", "VGPU_SEED", "0");
}

static void test_orders_what_is_not(void **state) {
    size_t i;

    (void)state;
    for (i = 0; i < origin_kind_count; i++) {
        require_order("collides", origin_kinds[i]);
        require_order("unknown", origin_kinds[i]);
        require_order("collides_last", origin_kinds[i]);
        require_order("collides_first", origin_kinds[i]);
        require_order("begins_anew", origin_kinds[i]);
        require_order("is_waited_for", origin_kinds[i]);
    }
    require_everywhere("full", "VGPU_SEED", "0");
}

static void test_orders_where_calls_fail(void **state) {
    static const char *const calls[] = {
        "cudaEventRecord:%d",
        "cudaStreamWaitEvent:%d",
        "cudaEventRecord:%d,cudaStreamSynchronize:1",
        "cudaStreamWaitEvent:%d,cudaStreamSynchronize:1",
    };
    char failure[96];
    size_t i;
    int n;

    (void)state;
    setenv("VGPU_CHECK", "races", 1);
    for (i = 0; i < sizeof calls / sizeof *calls; i++)
        for (n = 1; n <= 16; n++) {
            snprintf(failure, sizeof failure, calls[i], n);
            require_everywhere("collides", "VGPU_FAIL", failure);
        }
    unsetenv("VGPU_CHECK");
}

static void test_knows_nothing_where_the_driver_cannot_be_asked(void **state) {
    static const char failure[] = "cudaGetDriverEntryPointByVersion:4"; /* behind three of lanes */

    (void)state;
    assert_int_not_equal(run_child_with("passes", "null", "VGPU_FAIL", failure), 0);
    require_everywhere("collides", "VGPU_FAIL", failure);
    require_everywhere("pending_error", "VGPU_FAIL", failure);
}

static void test_ranges_and_kinds_of_memory(void **state) {
    (void)state;
    require_everywhere("ranges", "VGPU_SEED", "0");
    require_everywhere("plain", "VGPU_SEED", "0");
    require_everywhere("not_known_to_be_plain", "VGPU_FAIL",
                       "cudaPointerGetAttributes:1,cudaPointerGetAttributes:2");
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lets_through_what_is_distinct),
        cmocka_unit_test(test_orders_what_is_not),
        cmocka_unit_test(test_orders_where_calls_fail),
        cmocka_unit_test(test_knows_nothing_where_the_driver_cannot_be_asked),
        cmocka_unit_test(test_ranges_and_kinds_of_memory),
    };

    if (argc == 3)
        return RUN_SCENARIO(argv, scenarios);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
