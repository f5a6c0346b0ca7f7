/* The alias guard: what it lets through, and what a region orders where it does not, on every kind of origin.
 */
#include "runtime/kesco_abi.h"
#include "runtime/region/guard.h"
#include "test/cmocka.h"
#include "test/runtime/scenario.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    CHECKED = KESCO_GUARD_CHECKED,
    WRITTEN = KESCO_GUARD_WRITTEN,
    PLAIN = KESCO_GUARD_PLAIN,
    HOST = KESCO_GUARD_HOST,
    BOTH = CHECKED | WRITTEN
};

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
    static const char failure[] = "cudaGetDriverEntryPointByVersion:3"; /* behind two for events */

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

/* What only has to be noted neither conflicts nor must be known. What the plan compares must, be it noted or
 * not. */
static void test_notes_beside_checking(void **state) {
    char *a = allocate(64), *b = allocate(64);
    int local = 0;

    (void)state;
    assert_true(kesco_guard_admits(&guard, 0, BOTH | KESCO_GUARD_NOTED, a));
    assert_true(kesco_guard_admits(&guard, 1, WRITTEN | KESCO_GUARD_NOTED | KESCO_GUARD_APART, a));
    assert_true(kesco_guard_admits(&guard, 2, WRITTEN | KESCO_GUARD_NOTED, b));
    assert_false(guard.visible);
    assert_true(kesco_guard_admits(&guard, 1, WRITTEN | KESCO_GUARD_NOTED | KESCO_GUARD_APART, &local));
    assert_true(guard.visible);
    assert_false(kesco_guard_admits(&guard, 2, WRITTEN | KESCO_GUARD_NOTED, &local));
    assert_false(kesco_guard_admits(&guard, 3, KESCO_GUARD_NOTED, a));
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

/* What the driver does not know is told apart by its bytes, if the program says that it is its own. */
static void test_tells_the_programs_own_memory_apart_by_its_bytes(void **state) {
    char *host = calloc(1, 256);

    (void)state;
    assert_false(kesco_guard_admits_range(&guard, 1, BOTH, host, 16));
    assert_false(kesco_guard_admits(&guard, 1, BOTH | HOST, host));
    assert_int_equal(guard.pair_count, 0);
    assert_true(kesco_guard_admits_range(&guard, 1, BOTH | HOST, host, 16));
    assert_true(kesco_guard_admits_range(&guard, 2, HOST, host + 16, 16));
    assert_true(kesco_guard_admits_range(&guard, 3, HOST, host + 24, 16));
    assert_false(kesco_guard_admits_range(&guard, 3, HOST, host + 15, 1));
    assert_string_equal(guard.refusal, "two pointers may share an allocation");
    assert_false(kesco_guard_admits_range(&guard, 2, WRITTEN | CHECKED | HOST, host + 24, 1));
    assert_true(kesco_guard_admits_range(&guard, 4, BOTH | HOST, host, 0));
    assert_true(kesco_guard_admits_range(&guard, 4, BOTH | HOST, NULL, 8));
    free(host);
}

/* A loop that walks through a host buffer finds room; what it leaves is its object's, with what is between
 * where nothing says that it goes on by the same distance. */
static void test_one_hull_covers_an_objects_own_memory(void **state) {
    const size_t steps = (size_t)4 * KESCO_GUARD_PAIRS, step = 8;
    char *host = calloc(steps + 2, step), *device = allocate(16);
    size_t i;

    (void)state;
    for (i = 0; i < steps; i++)
        assert_true(kesco_guard_admits_range(&guard, 1, BOTH | HOST, host + i * step, step));
    assert_int_equal(guard.pair_count, 1);
    assert_true(kesco_guard_admits_range(&guard, 2, CHECKED | HOST, host + steps * step, step));
    assert_false(kesco_guard_admits_range(&guard, 2, CHECKED | HOST, host + step, 1));
    assert_false(kesco_guard_admits_range(&guard, 1, BOTH | HOST, host + steps * step, step + 1));
    assert_true(kesco_guard_admits_range(&guard, 3, BOTH | HOST, device, 16));
    kesco_guard_clear(&guard);
    assert_true(kesco_guard_admits_range(&guard, 1, BOTH | HOST, host, step));
    assert_true(kesco_guard_admits_range(&guard, 1, BOTH | HOST, host + 3 * step, step));
    assert_true(kesco_guard_admits_range(&guard, 2, CHECKED | HOST, host + step, step));
    assert_false(kesco_guard_admits_range(&guard, 1, BOTH | HOST, host + 5 * step, step));
    free(host);
}

/* A hull may reach across memory that the driver knows: that is asked for all the same. */
static void test_a_hull_does_not_stand_for_allocations_within(void **state) {
    char *device = allocate(16);

    (void)state;
    assert_true(kesco_guard_admits_range(&guard, 1, BOTH | HOST, (char *)4096, 1));
    assert_true(kesco_guard_admits_range(&guard, 1, BOTH | HOST, (char *)(UINTPTR_MAX / 2), 1));
    assert_true(kesco_guard_admits_range(&guard, 1, BOTH | HOST, device, 8));
    assert_int_equal(guard.pair_count, 2);
    assert_false(kesco_guard_admits(&guard, 2, CHECKED, device + 8));
    assert_true(kesco_guard_admits(&guard, 2, BOTH, allocate(16)));
}

/* What the driver knows is told apart by what is copied of it; beyond its end nothing is known. */
static void test_a_range_is_a_part_of_its_allocation(void **state) {
    char *device = allocate(64);

    (void)state;
    assert_true(kesco_guard_admits_range(&guard, 1, BOTH | HOST, device, 8));
    assert_true(kesco_guard_admits_range(&guard, 2, CHECKED | HOST, device + 8, 8));
    assert_false(kesco_guard_admits_range(&guard, 2, CHECKED | HOST, device + 7, 8));
    assert_false(kesco_guard_admits_range(&guard, 3, CHECKED | HOST, device + 60, 5));
    assert_false(kesco_guard_admits(&guard, 4, CHECKED, device + 32));
    assert_true(kesco_guard_admits_range(&guard, 4, CHECKED | HOST, device + 32, 32));
}

static bool admits_part(uint32_t object, char *pointer, int64_t begin, int64_t end) {
    return kesco_guard_admits_part(&guard, object, BOTH, pointer, (struct kesco_guard_bytes){begin, end});
}

/* An object's parts are taken together; what is beyond the allocation counts as none of it. */
static void test_parts_are_told_apart(void **state) {
    char *device = allocate(64), *other = allocate(64);

    (void)state;
    assert_true(admits_part(1, device + 16, 0, 16));
    assert_true(admits_part(2, device + 48, -16, 16));
    assert_false(admits_part(3, device + 32, -1, 0));
    assert_true(admits_part(3, device + 32, -16, -16));
    assert_true(admits_part(3, device, 0, 16));
    assert_false(admits_part(1, device + 8, 0, 4));
    assert_true(admits_part(4, other + 8, -1000, 1000));
    assert_false(admits_part(5, other, 0, 1));
    assert_false(admits_part(5, device, KESCO_GUARD_ALL, KESCO_GUARD_ALL));
    assert_true(admits_part(5, device, 5, 5));
}

/* Offsets that leave the address space are cut, too. */
static void test_parts_do_not_wrap(void **state) {
    char *device = allocate(64);

    (void)state;
    assert_true(admits_part(1, device, INT64_MIN + 1, 8));
    assert_true(admits_part(2, device, 8, INT64_MAX));
    assert_false(admits_part(3, device, 0, 1));
    assert_false(admits_part(3, device + 63, 0, 1));
}

/* Device memory is plain; managed, pinned, registered and pageable memory is not. */
static void test_tells_plain_memory_from_what_the_host_may_touch(void **state) {
    static char own[64], registered[64];
    void *managed, *pinned;
    char *device = allocate(64);

    (void)state;
    assert_int_equal(cudaMallocManaged(&managed, 64, cudaMemAttachGlobal), cudaSuccess);
    assert_int_equal(cudaMallocHost(&pinned, 64), cudaSuccess);
    assert_int_equal(cudaHostRegister(registered, sizeof registered, cudaHostRegisterDefault), cudaSuccess);
    assert_true(kesco_guard_admits(&guard, 1, PLAIN, device));
    assert_true(kesco_guard_admits_range(&guard, 1, PLAIN, device + 8, 8));
    assert_false(kesco_guard_admits(&guard, 2, PLAIN, managed));
    assert_string_equal(guard.refusal, "memory that the host may touch");
    assert_false(kesco_guard_admits_range(&guard, 3, PLAIN | HOST, pinned, 64));
    assert_false(kesco_guard_admits_range(&guard, 4, PLAIN | HOST, registered, 64));
    assert_string_equal(guard.refusal, "memory that the host may touch");
    assert_false(kesco_guard_admits_range(&guard, 5, PLAIN | HOST, own, 64));
    assert_false(kesco_guard_admits(&guard, 5, PLAIN, own));
    assert_true(kesco_guard_admits(&guard, 2, BOTH, managed));
    assert_false(kesco_guard_admits(&guard, 2, BOTH | PLAIN, managed));
    assert_int_equal(cudaHostUnregister(registered), cudaSuccess);
}

/* Objects that need plain memory may share it: that is another matter. */
static void test_plain_is_no_conflict(void **state) {
    char *device = allocate(64);

    (void)state;
    assert_true(kesco_guard_admits(&guard, 1, PLAIN | WRITTEN, device));
    assert_true(kesco_guard_admits(&guard, 2, PLAIN | WRITTEN, device));
    assert_false(kesco_guard_admits(&guard, 3, CHECKED, device));
}

static void test_locked_is_what_the_driver_knows(void **state) {
    static char own[16];
    void *pinned;

    (void)state;
    assert_int_equal(cudaMallocHost(&pinned, 64), cudaSuccess);
    assert_true(kesco_guard_admits_range(&guard, 0, KESCO_GUARD_LOCKED | HOST, pinned, 64));
    assert_true(kesco_guard_admits_range(&guard, 1, HOST, own, sizeof own));
    assert_false(kesco_guard_admits_range(&guard, 1, KESCO_GUARD_LOCKED | HOST, own, sizeof own));
    assert_string_equal(guard.refusal, "memory that may be pageable");
    assert_true(kesco_guard_admits_range(&guard, 2, KESCO_GUARD_LOCKED | HOST, own, 0));
}

/* CUDA is asked once for an allocation what kind of memory it is: freed, it would be none. */
static void test_asks_once_whether_memory_is_plain(void **state) {
    char *device = allocate(64);

    (void)state;
    assert_true(kesco_guard_admits(&guard, 1, PLAIN, device));
    assert_int_equal(cudaFree(device), cudaSuccess);
    assert_true(kesco_guard_admits(&guard, 1, PLAIN, device + 1));
    assert_true(kesco_guard_admits(&guard, 2, PLAIN, device + 2));
    kesco_guard_clear(&guard);
    assert_false(kesco_guard_admits(&guard, 1, PLAIN, device));
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lets_through_what_is_distinct),
        cmocka_unit_test(test_orders_what_is_not),
        cmocka_unit_test(test_orders_where_calls_fail),
        cmocka_unit_test(test_knows_nothing_where_the_driver_cannot_be_asked),
        cmocka_unit_test(test_ranges_and_kinds_of_memory),
        cmocka_unit_test_setup(test_takes_in_each_pair_once, start),
        cmocka_unit_test_setup(test_tells_objects_apart_by_number_and_flags, start),
        cmocka_unit_test_setup(test_notes_beside_checking, start),
        cmocka_unit_test_setup(test_asks_once_for_an_allocation, start),
        cmocka_unit_test_setup(test_tells_the_programs_own_memory_apart_by_its_bytes, start),
        cmocka_unit_test_setup(test_one_hull_covers_an_objects_own_memory, start),
        cmocka_unit_test_setup(test_a_hull_does_not_stand_for_allocations_within, start),
        cmocka_unit_test_setup(test_a_range_is_a_part_of_its_allocation, start),
        cmocka_unit_test_setup(test_parts_are_told_apart, start),
        cmocka_unit_test_setup(test_parts_do_not_wrap, start),
        cmocka_unit_test_setup(test_tells_plain_memory_from_what_the_host_may_touch, start),
        cmocka_unit_test_setup(test_plain_is_no_conflict, start),
        cmocka_unit_test_setup(test_locked_is_what_the_driver_knows, start),
        cmocka_unit_test_setup(test_asks_once_whether_memory_is_plain, start),
    };

    if (argc == 3)
        return RUN_SCENARIO(argv, scenarios);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
