/* The alias guard: what it lets through, and what a region orders where it does not, on every kind of origin.
 */
#include "runtime/guard.h"
#include "runtime/kesco_abi.h"
#include "test/runtime/scenario.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { CHECKED = KESCO_GUARD_CHECKED, WRITTEN = KESCO_GUARD_WRITTEN, BOTH = CHECKED | WRITTEN };

static void *allocate(size_t size) {
    void *memory = NULL;

    if (cudaMalloc(&memory, size) != cudaSuccess)
        abort();
    return memory;
}

/* Distinct allocations pass, interior pointers and all; what is only read, and what is not checked, may
 * overlap. */
static int passes(void) {
    char *a = allocate(64), *b = allocate(64);

    __kesco1_enter(origin, 2, 0);
    __kesco1_lane(0);
    __kesco1_guard(0, BOTH, a + 60);
    __kesco1_guard(0, BOTH, a);
    __kesco1_guard(1, WRITTEN, b);
    __kesco1_guard(2, CHECKED, NULL);
    REQUIRE(__kesco1_lane(1) != origin);
    __kesco1_leave();
    __kesco1_enter(origin, 2, 0);
    __kesco1_lane(0);
    __kesco1_guard(0, CHECKED, a);
    __kesco1_guard(1, CHECKED, a + 1);
    __kesco1_guard(2, WRITTEN, b);
    __kesco1_guard(3, WRITTEN, b);
    REQUIRE(__kesco1_lane(1) != origin);
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
    __kesco1_enter(origin, 4, 1);
    issue('a', __kesco1_lane(0));
    write_cell(0, __kesco1_lane(0));
    issue('b', __kesco1_lane(1));
    write_cell(1, __kesco1_lane(1));
    issue('c', __kesco1_lane(2));
    write_cell(2, __kesco1_lane(2));
    bound = __kesco1_lane(lane);
    __kesco1_guard(0, BOTH, cells());
    __kesco1_guard(1, CHECKED, pointer);
    issue('d', bound);
    copy_cell(3, 0, bound);
    copy_cell(4, 1, bound);
    copy_cell(5, 2, bound);
    __kesco1_record(0, lane);
    REQUIRE(__kesco1_lane(1) == origin);
    issue('e', origin);
    copy_cell(6, 3, origin);
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

/* The host's own memory is unknown to the driver, so it may be anything. */
static int unknown(void) {
    char local = 0;

    return collides_on(1, &local);
}

/* Nothing of the region comes behind the colliding launch: what the program does next does. */
static int collides_last(void) {
    void *bound;

    __kesco1_enter(origin, 3, 0);
    write_cell(0, __kesco1_lane(1));
    bound = __kesco1_lane(2);
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
    __kesco1_enter(origin, 3, 0);
    bound = __kesco1_lane(2);
    __kesco1_guard(0, BOTH, cells());
    __kesco1_guard(1, BOTH, cells());
    write_cell(0, bound);
    write_cell(0, __kesco1_lane(0));
    __kesco1_leave();
    return 0;
}

/* Allocations without end are no reason to forget one: what finds no room is serial. */
static int full(void) {
    uint32_t i;

    __kesco1_enter(origin, 2, 0);
    for (i = 0; i <= KESCO_GUARD_PAIRS; i++) {
        REQUIRE(__kesco1_lane(1) != origin);
        __kesco1_guard(i, BOTH, allocate(16));
    }
    REQUIRE(__kesco1_lane(1) == origin);
    __kesco1_leave();
    return 0;
}

/* A long loop over a few allocations goes on for ever. */
static int long_loop(void) {
    const size_t size = 1 << 16;
    char *a = allocate(size), *b = allocate(size);
    size_t i;

    for (i = 0; i < size; i++) {
        __kesco1_enter(origin, 2, 0);
        __kesco1_lane(0);
        __kesco1_guard(0, BOTH, a + i);
        __kesco1_guard(1, CHECKED, b + i);
        REQUIRE(__kesco1_lane(1) != origin);
    }
    __kesco1_guard(1, CHECKED, a);
    REQUIRE(__kesco1_lane(1) == origin);
    __kesco1_leave();
    return 0;
}

/* What one region met, the next knows nothing of: memory may have been freed and given out again. */
static int forgets(void) {
    char *a = allocate(64);

    __kesco1_enter(origin, 2, 0);
    __kesco1_lane(0);
    __kesco1_guard(0, BOTH, a);
    __kesco1_leave();
    __kesco1_enter(origin, 2, 0);
    __kesco1_lane(0);
    __kesco1_guard(1, BOTH, a);
    REQUIRE(__kesco1_lane(1) != origin);
    __kesco1_leave();
    REQUIRE(cudaFree(a) == cudaSuccess);
    __kesco1_enter(origin, 2, 0);
    __kesco1_lane(0);
    __kesco1_guard(1, BOTH, a);
    REQUIRE(__kesco1_lane(1) == origin);
    __kesco1_leave();
    return 0;
}

/* An error that is pending when the guard asks the driver for the first time stays. */
static int pending_error(void) {
    __kesco1_enter(origin, 2, 0);
    __kesco1_lane(0);
    REQUIRE(cudaSetDevice(-1) != cudaSuccess);
    __kesco1_guard(0, BOTH, cells());
    REQUIRE(cudaGetLastError() != cudaSuccess);
    __kesco1_leave();
    return 0;
}

static const struct scenario scenarios[] = {
    SCENARIO(passes),        SCENARIO(collides),       SCENARIO(unknown),
    SCENARIO(collides_last), SCENARIO(collides_first), SCENARIO(full),
    SCENARIO(long_loop),     SCENARIO(forgets),        SCENARIO(pending_error),
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
    static const char failure[] = "cudaGetDriverEntryPointByVersion:1";

    (void)state;
    assert_int_not_equal(run_child_with("passes", "null", "VGPU_FAIL", failure), 0);
    require_everywhere("collides", "VGPU_FAIL", failure);
    require_everywhere("pending_error", "VGPU_FAIL", failure);
}

static struct kesco_guard guard;

static int start(void **state) {
    (void)state;
    kesco_guard_clear(&guard);
    return 0;
}

/* The same again says nothing new, nor does another pointer into the same allocation. */
static void test_takes_in_each_pair_once(void **state) {
    char *a = allocate(1 << 16), *b = allocate(16);
    uint32_t i;

    (void)state;
    for (i = 0; i < 1 << 16; i++) {
        assert_true(kesco_guard_admits(&guard, 7, BOTH, a + i));
        assert_true(kesco_guard_admits(&guard, 8, BOTH, b));
    }
    assert_int_equal(guard.pair_count, 2);
    assert_false(kesco_guard_admits(&guard, 7, BOTH, b));
    assert_false(kesco_guard_admits(&guard, 8, BOTH, a));
    assert_int_equal(guard.pair_count, 2);
}

static void test_tells_objects_apart_by_number_and_flags(void **state) {
    char *a = allocate(64);

    (void)state;
    assert_true(kesco_guard_admits(&guard, 1, CHECKED, a));
    assert_true(kesco_guard_admits(&guard, 2, CHECKED, a));
    assert_int_equal(guard.pair_count, 2);
    assert_false(kesco_guard_admits(&guard, 3, WRITTEN, a));
    assert_false(kesco_guard_admits(&guard, 2, WRITTEN, a));
    kesco_guard_clear(&guard);
    assert_true(kesco_guard_admits(&guard, 1, CHECKED, a));
    assert_true(kesco_guard_admits(&guard, 1, WRITTEN, a));
    assert_false(kesco_guard_admits(&guard, 2, 0, a));
    kesco_guard_clear(&guard);
    assert_true(kesco_guard_admits(&guard, 1, BOTH, a));
    assert_false(kesco_guard_admits(&guard, 1 + KESCO_GUARD_OBJECTS, BOTH, a));
}

/* The driver is asked once for each allocation: it would not know this one any more. */
static void test_asks_once_for_an_allocation(void **state) {
    char *a = allocate(64);

    (void)state;
    assert_true(kesco_guard_admits(&guard, 1, BOTH, a));
    assert_int_equal(cudaFree(a), cudaSuccess);
    assert_true(kesco_guard_admits(&guard, 1, BOTH, a + 63));
    assert_false(kesco_guard_admits(&guard, 1, BOTH, a + 64));
    kesco_guard_clear(&guard);
    assert_false(kesco_guard_admits(&guard, 1, BOTH, a));
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lets_through_what_is_distinct),
        cmocka_unit_test(test_orders_what_is_not),
        cmocka_unit_test(test_orders_where_calls_fail),
        cmocka_unit_test(test_knows_nothing_where_the_driver_cannot_be_asked),
        cmocka_unit_test_setup(test_takes_in_each_pair_once, start),
        cmocka_unit_test_setup(test_tells_objects_apart_by_number_and_flags, start),
        cmocka_unit_test_setup(test_asks_once_for_an_allocation, start),
    };

    if (argc == 3)
        return RUN_SCENARIO(argv, scenarios);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
