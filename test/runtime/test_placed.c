/* Ops that the run places, on every kind of origin: those that meet are ordered, also before and behind the
 * region, and those that do not get lanes of their own. */
#include "runtime/kesco_abi.h"
#include "test/cmocka.h"
#include "test/runtime/scenario.h"

#include <stdlib.h>

enum { READS = KESCO_GUARD_PLACED, WRITES = KESCO_GUARD_PLACED | KESCO_GUARD_WRITES, LANES = 4 };

static const struct kesco_region region = {.lanes = LANES, .events = LANES, .placed = 1};

static void access_cell(int cell, uint32_t flags) {
    __kesco1_guard_range(0, flags, cells() + (size_t)cell * SCENARIO_CELL_SIZE, SCENARIO_CELL_SIZE);
}

static void *place_write(int cell) {
    void *stream;

    __kesco1_op(NULL, 0);
    access_cell(cell, WRITES);
    stream = __kesco1_place();
    write_cell(cell, stream);
    return stream;
}

static void *place_copy(int to, int from) {
    void *stream;

    __kesco1_op(NULL, 0);
    access_cell(from, READS);
    access_cell(to, WRITES);
    stream = __kesco1_place();
    copy_cell(to, from, stream);
    return stream;
}

/* Random ops on few cells: races are found where an order is missing. */
static int meets(void) {
    uint32_t seed = 1;
    int round, i;

    for (round = 0; round < 4; round++) {
        write_cell(round, origin);
        __kesco1_enter(origin, &region);
        for (i = 0; i < 60; i++) {
            seed = seed * 1664525u + 1013904223u;
            if (seed >> 30 == 0)
                place_write((int)(seed >> 8) % SCENARIO_CELLS);
            else
                place_copy((int)(seed >> 8) % SCENARIO_CELLS, (int)(seed >> 16) % SCENARIO_CELLS);
        }
        __kesco1_leave();
        copy_cell(round, round + 1, origin);
    }
    return 0;
}

/* Of each 40 bytes the three from 2 on are written, which are in rows from 0 on; others of each 40, and of
 * those three. */
static int boxes(void) {
    static char bytes[200];
    void *first, *beside, *meeting;

    __kesco1_enter(origin, &region);
    __kesco1_op(NULL, 0);
    __kesco1_guard_box(0, WRITES, bytes, 2, 165, 0, 10, 5, 2, 40, 3);
    first = __kesco1_place();
    __kesco1_op(NULL, 0);
    __kesco1_guard_box(0, WRITES, bytes, 40, 162, 0, 10, 5, 40, 40, 2);
    beside = __kesco1_place();
    __kesco1_op(NULL, 0);
    __kesco1_guard_box(0, WRITES, bytes, 44, 45, 4, 10, 1, 4, 40, 1);
    meeting = __kesco1_place();
    REQUIRE(first != beside && first == meeting);
    __kesco1_leave();
    return 0;
}

/* Streams differ where nothing is shared, and are the same where one op follows the other. */
static int apart(void) {
    void *streams[LANES];
    int i;

    __kesco1_enter(origin, &region);
    for (i = 0; i < LANES; i++)
        streams[i] = place_write(i);
    for (i = 0; i < LANES; i++) {
        REQUIRE(streams[i] != streams[(i + 1) % LANES]);
        REQUIRE(place_copy(i, i) == streams[i]);
    }
    __kesco1_leave();
    return 0;
}

/* Without bytes, all of the allocation is accessed; where that is not known, all memory; behind NULL, none.
 */
static int whole(void) {
    static char own[16];
    void *first, *second;

    __kesco1_enter(origin, &region);
    first = place_write(0);
    __kesco1_op(NULL, 0);
    __kesco1_guard(0, READS, NULL);
    second = __kesco1_place();
    REQUIRE(first != second);
    __kesco1_op(NULL, 0);
    __kesco1_guard(0, WRITES, cells() + 5 * SCENARIO_CELL_SIZE);
    REQUIRE(__kesco1_place() == first);
    __kesco1_op(NULL, 0);
    __kesco1_guard(0, WRITES, own);
    REQUIRE(__kesco1_place() == first);
    REQUIRE(place_write(7) == first);
    __kesco1_leave();
    REQUIRE(cudaGetLastError() == cudaSuccess);
    return 0;
}

/* Bytes beyond both ends of memory are none too many. */
static int beyond(void) {
    void *first;

    __kesco1_enter(origin, &region);
    first = place_write(0);
    __kesco1_op(NULL, 0);
    __kesco1_guard_part(0, WRITES, cells() + 64, INT64_MIN + 1, INT64_MAX);
    REQUIRE(__kesco1_place() == first);
    __kesco1_op(NULL, 0);
    __kesco1_guard_part(0, WRITES, cells(), 8, 8);
    REQUIRE(__kesco1_place() != first);
    __kesco1_leave();
    return 0;
}

/* Where each op has to wait for the one before, the region goes on serially, without asking. */
static int gives_up(void) {
    int i, used = 0;

    __kesco1_enter(origin, &region);
    for (i = 0; i < 80; i++) {
        const void *stream = place_copy(i % 2, (i + 1) % 2);
        used += !__kesco1_serial() && (stream != origin || !origin_is_legacy());
    }
    REQUIRE(used == 64);
    REQUIRE(place_write(5) == origin && place_write(6) == origin);
    __kesco1_leave();
    __kesco1_enter(origin, &region);
    REQUIRE(!__kesco1_serial());
    REQUIRE(place_write(5) != place_write(6));
    __kesco1_leave();
    return 0;
}

/* An op that the guard refuses, and those behind it, go to the origin, behind what there is. */
static int refused(void) {
    void *stream;

    __kesco1_enter(origin, &region);
    place_write(0);
    place_write(1);
    __kesco1_op(NULL, 0);
    access_cell(2, WRITES);
    __kesco1_guard(1, KESCO_GUARD_PLAIN, &region);
    stream = __kesco1_place();
    REQUIRE(stream == origin && __kesco1_serial());
    copy_cell(2, 0, stream);
    copy_cell(3, 1, stream);
    REQUIRE(place_write(0) == origin);
    __kesco1_leave();
    copy_cell(4, 2, origin);
    return 0;
}

/* The host waits for the op that was placed last, whatever its lane. */
static int finishes(void) {
    void *stream;

    __kesco1_enter(origin, &region);
    place_write(0);
    place_write(1);
    stream = place_copy(2, 1);
    issue('a', stream);
    REQUIRE(__kesco1_finish(KESCO_LANE_PLACED, KESCO_FINISH_ALWAYS, cudaSuccess) == cudaSuccess);
    REQUIRE(letters() == 1);
    __kesco1_leave();
    return 0;
}

/* What has begun and is not issued leaves nothing behind. */
static int begun_in_vain(void) {
    __kesco1_enter(origin, &region);
    place_write(0);
    __kesco1_op(NULL, 0);
    access_cell(0, WRITES);
    __kesco1_leave();
    ENTER(origin, 2, 0);
    write_cell(1, __kesco1_lane(1, NULL, 0));
    __kesco1_leave();
    __kesco1_op(NULL, 0);
    access_cell(1, WRITES);
    write_cell(1, __kesco1_place());
    return 0;
}

static const struct scenario scenarios[] = {
    SCENARIO(meets),   SCENARIO(apart),    SCENARIO(whole),         SCENARIO(beyond), SCENARIO(gives_up),
    SCENARIO(refused), SCENARIO(finishes), SCENARIO(begun_in_vain), SCENARIO(boxes),
};

static void test_orders_what_meets(void **state) {
    (void)state;
    require_order_everywhere("meets");
    require_order_everywhere("refused");
    require_order_everywhere("begun_in_vain");
    require_order_everywhere("gives_up");
}

static void test_chooses_lanes(void **state) {
    (void)state;
    require_order_everywhere("apart");
    require_everywhere("boxes", "VGPU_SEED", "0");
    require_everywhere("whole", "VGPU_SEED", "0");
    require_everywhere("beyond", "VGPU_SEED", "0");
    require_order_everywhere("finishes");
}

/* Where CUDA refuses records or waits, the order is the program's. */
static void test_orders_where_calls_fail(void **state) {
    (void)state;
    require_everywhere("meets", "VGPU_FAIL", "cudaEventRecord:3");
    require_everywhere("meets", "VGPU_FAIL", "cudaStreamWaitEvent:2");
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orders_what_meets),
        cmocka_unit_test(test_chooses_lanes),
        cmocka_unit_test(test_orders_where_calls_fail),
    };

    if (argc == 3)
        return RUN_SCENARIO(argv, scenarios);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
