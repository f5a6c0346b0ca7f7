/* The alias guard alone: which memory it tells apart, and how often it asks. */
#include "runtime/kesco_abi.h"
#include "runtime/region/guard.h"
#include "test/cmocka.h"
#include "test/runtime/guard_flags.h"
#include "test/runtime/scenario.h"

#include <stdlib.h>

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

static bool admits_in_group(uint32_t group, uint32_t part, const void *pointer, int64_t begin, int64_t end) {
    const uint32_t object = 3 | group << KESCO_GUARD_GROUP | part << KESCO_GUARD_PART;
    const struct kesco_pieces bytes = {.begin = begin, .end = end};

    return kesco_guard_admits_part(&guard, object, BOTH, pointer, bytes);
}

/* The first and the last bytes are no hull of all, and the whole is compared with others alone. */
static void test_compares_parts_with_each_other(void **state) {
    char *a = allocate(1000);

    (void)state;
    assert_true(admits_in_group(1, 8, a, 0, 100));
    assert_true(admits_in_group(1, 9, a, 900, 1000));
    assert_true(admits_in_group(2, 16, a, 100, 900));
    assert_true(admits_in_group(1, 17, a, 50, 100));
    assert_true(admits_in_group(0, 0, a, 0, 1000));
    assert_false(admits_in_group(2, 16, a, 850, 901));
    assert_false(admits_in_group(2, 24, a, 99, 100));
    assert_false(admits_in_group(1, 17, a, 50, 101));
    assert_false(kesco_guard_admits(&guard, 4, BOTH, a));
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
    return kesco_guard_admits_part(&guard, object, BOTH, pointer,
                                   (struct kesco_pieces){.begin = begin, .end = end});
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

static struct kesco_pieces make_pieces(int64_t begin, int64_t end, int64_t first, int64_t distance,
                                       int64_t length) {
    return kesco_pieces_within(begin, end, &(struct kesco_places){first, distance, length}, 1);
}

static bool admits_pieces(uint32_t object, char *pointer, int64_t begin, int64_t first) {
    return kesco_guard_admits_part(&guard, object, BOTH, pointer,
                                   make_pieces(begin, begin + 64, first, 16, 4));
}

/* Columns of a matrix with rows of 16 bytes. What begins before the allocation is all from there on. */
static void test_pieces_are_told_apart(void **state) {
    char *device = allocate(96);

    (void)state;
    assert_true(admits_pieces(1, device, 0, 0));
    assert_true(admits_pieces(2, device + 4, 0, 0));
    assert_true(admits_pieces(3, device, 8, 40));
    assert_true(admits_pieces(4, device, 14, -4));
    assert_false(admits_pieces(5, device + 3, 0, 0));
    assert_false(admits_part(6, device + 20, 0, 1));
    assert_true(admits_part(6, device + 80, 0, 1));
    kesco_guard_forget(&guard);
    assert_true(admits_pieces(1, device, 8, 8));
    assert_false(admits_pieces(2, device, -1, -4));
}

/* The same call again, but of other columns, is another call. */
static void test_pieces_are_compared_as_such(void **state) {
    char *device = allocate(96);

    (void)state;
    assert_true(admits_pieces(1, device, 0, 0));
    assert_true(admits_pieces(2, device, 4, 4));
    assert_false(kesco_guard_admits_part(&guard, 1, BOTH, device, make_pieces(0, 64, 0, 16, 5)));
    assert_false(kesco_guard_admits_part(&guard, 1, BOTH, device, make_pieces(0, 64, 0, 15, 4)));
}

/* Where the numbers make no pieces, it is all from the first byte on. */
static void test_what_makes_no_pieces(void **state) {
    const struct {
        int64_t first, distance, length;
    } none[] = {{0, 0, 4},  {0, -16, 4}, {0, 16, 16},       {0, 16, 17},
                {0, 16, 0}, {0, 16, -1}, {INT64_MIN, 16, 4}};
    size_t i;

    (void)state;
    for (i = 0; i < sizeof none / sizeof *none; i++) {
        const struct kesco_pieces bytes = make_pieces(8, 64, none[i].first, none[i].distance, none[i].length);

        assert_true(bytes.begin == 8 && bytes.end == 64 && bytes.distance == 0);
    }
    assert_int_equal(make_pieces(8, 8, 0, 16, 4).distance, 0);
    assert_int_equal(make_pieces(INT64_MIN + 1, 8, 9, 16, 4).distance, 0);
    assert_true(make_pieces(KESCO_GUARD_ALL, KESCO_GUARD_ALL, 0, 16, 4).begin == KESCO_GUARD_ALL);
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

/* What is told from no other passes without room to remember it; what has to be told from it does not. */
static void test_what_is_not_compared_needs_no_room(void **state) {
    char *device[KESCO_GUARD_PAIRS + 2];
    uint32_t i;

    (void)state;
    for (i = 0; i < KESCO_GUARD_PAIRS + 2; i++)
        device[i] = allocate(16);
    for (i = 0; i <= KESCO_GUARD_PAIRS; i++)
        assert_true(kesco_guard_admits(&guard, i, PLAIN | WRITTEN, device[i]));
    assert_int_equal(guard.pair_count, KESCO_GUARD_PAIRS);
    assert_false(kesco_guard_admits(&guard, KESCO_GUARD_PAIRS + 1, PLAIN, &guard));
    assert_false(kesco_guard_admits(&guard, 0, CHECKED | WRITTEN, device[0]));
    assert_true(guard.met);
    kesco_guard_clear(&guard);
    assert_true(kesco_guard_admits(&guard, 0, CHECKED | WRITTEN, device[0]));
    for (i = 1; i <= KESCO_GUARD_PAIRS; i++)
        assert_true(kesco_guard_admits(&guard, i, PLAIN | WRITTEN, device[i]));
    assert_false(kesco_guard_admits(&guard, i, PLAIN | WRITTEN, device[0]));
    assert_false(kesco_guard_admits(&guard, 0, CHECKED | WRITTEN, device[KESCO_GUARD_PAIRS]));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_takes_in_each_pair_once, start),
        cmocka_unit_test_setup(test_tells_objects_apart_by_number_and_flags, start),
        cmocka_unit_test_setup(test_compares_parts_with_each_other, start),
        cmocka_unit_test_setup(test_notes_beside_checking, start),
        cmocka_unit_test_setup(test_asks_once_for_an_allocation, start),
        cmocka_unit_test_setup(test_tells_the_programs_own_memory_apart_by_its_bytes, start),
        cmocka_unit_test_setup(test_one_hull_covers_an_objects_own_memory, start),
        cmocka_unit_test_setup(test_a_hull_does_not_stand_for_allocations_within, start),
        cmocka_unit_test_setup(test_a_range_is_a_part_of_its_allocation, start),
        cmocka_unit_test_setup(test_parts_are_told_apart, start),
        cmocka_unit_test_setup(test_pieces_are_told_apart, start),
        cmocka_unit_test_setup(test_pieces_are_compared_as_such, start),
        cmocka_unit_test_setup(test_what_makes_no_pieces, start),
        cmocka_unit_test_setup(test_parts_do_not_wrap, start),
        cmocka_unit_test_setup(test_tells_plain_memory_from_what_the_host_may_touch, start),
        cmocka_unit_test_setup(test_plain_is_no_conflict, start),
        cmocka_unit_test_setup(test_locked_is_what_the_driver_knows, start),
        cmocka_unit_test_setup(test_asks_once_whether_memory_is_plain, start),
        cmocka_unit_test_setup(test_what_is_not_compared_needs_no_room, start),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
