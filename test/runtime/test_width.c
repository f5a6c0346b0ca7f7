/* How many lanes placed ops go to, by what a device shows that the tests make. */
#include "runtime/region/width.h"
#include "test/cmocka.h"

#include <string.h>

enum { LANES = 16 };

static struct kesco_placing placing;
static struct kesco_lanes lanes;
static struct kesco_width width;
static uint32_t idle; /* of the lanes in use, those that are done */
static uint32_t queries;

cudaError_t cudaStreamQuery(cudaStream_t stream) {
    queries++;
    return (uintptr_t)stream <= idle ? cudaSuccess : cudaErrorNotReady;
}

static int set_up(void **state) {
    uint32_t i;

    (void)state;
    kesco_placing_clear(&placing, LANES);
    kesco_placing_set_width(&placing, LANES);
    kesco_width_clear(&width);
    for (i = 0; i < LANES; i++) {
        lanes.streams[i] = (cudaStream_t)((uintptr_t)i + 1);
        placing.had.ops[i] = 1;
    }
    lanes.count = LANES;
    queries = 0;
    return 0;
}

/* So many ops, each with so many waits; `idle_lanes`: of those that ops may go to, as many are done. */
static void run(uint32_t ops, uint32_t waits, uint32_t idle_lanes) {
    const struct kesco_placement placement = {.waits = (UINT32_C(1) << waits) - 1};

    idle = idle_lanes;
    for (; ops > 0; ops--)
        kesco_width_note(&width, &placing, &placement, &lanes);
}

static void many_waits_and_idle_lanes_make_fewer(void **state) {
    (void)state;
    run(128, 2, LANES / 2);
    assert_int_equal(placing.among.width, LANES / 2);
    run(128, 2, LANES / 4);
    assert_int_equal(placing.among.width, LANES / 4);
    run(1000, 2, LANES);
    assert_int_equal(placing.among.width, 1);
}

static void lanes_stay_where_waits_are_few(void **state) {
    (void)state;
    run(1000, 0, LANES);
    assert_int_equal(placing.among.width, LANES);
    assert_int_equal(queries, 0);
}

static void lanes_stay_where_they_are_busy(void **state) {
    (void)state;
    run(3000, 2, LANES / 4);
    assert_int_equal(placing.among.width, LANES);
    run(3000, 2, 0);
    assert_int_equal(placing.among.width, LANES);
    assert_in_range(queries, 8, 64); /* of 6000 ops */
}

/* Once is not enough. */
static void lanes_stay_where_they_are_idle_now_and_then(void **state) {
    uint32_t i;

    (void)state;
    for (i = 0; i < 40; i++) {
        run(64, 2, LANES);
        run(width.due, 2, 0);
    }
    assert_int_equal(placing.among.width, LANES);
}

static void busy_lanes_become_more_again(void **state) {
    (void)state;
    run(1000, 2, LANES);
    assert_int_equal(placing.among.width, 1);
    run(20000, 0, 0);
    assert_int_equal(placing.among.width, LANES);
}

/* It takes longer each time. */
static void it_does_not_go_to_and_fro(void **state) {
    uint32_t ops, changes = 0, before = placing.among.width;

    (void)state;
    for (ops = 0; ops < 100000; ops++) {
        run(1, 2, placing.among.width > 4 ? LANES : 0);
        changes += placing.among.width != before;
        before = placing.among.width;
    }
    assert_in_range(changes, 2, 24);
}

/* They have been placed on while the region was serial, and then there were fewer. */
static void lanes_without_a_stream_are_idle(void **state) {
    (void)state;
    lanes.count = LANES / 2;
    run(128, 2, 0);
    assert_int_equal(placing.among.width, LANES / 2);
    assert_int_equal(queries, 4);
}

static void an_error_that_is_pending_stays(void **state) {
    (void)state;
    cudaSetDevice(-1);
    assert_int_not_equal(cudaPeekAtLastError(), cudaSuccess);
    run(1000, 2, LANES);
    assert_int_equal(queries, 0);
    assert_int_not_equal(cudaGetLastError(), cudaSuccess);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(many_waits_and_idle_lanes_make_fewer, set_up),
        cmocka_unit_test_setup(lanes_stay_where_waits_are_few, set_up),
        cmocka_unit_test_setup(lanes_stay_where_they_are_busy, set_up),
        cmocka_unit_test_setup(lanes_stay_where_they_are_idle_now_and_then, set_up),
        cmocka_unit_test_setup(busy_lanes_become_more_again, set_up),
        cmocka_unit_test_setup(it_does_not_go_to_and_fro, set_up),
        cmocka_unit_test_setup(lanes_without_a_stream_are_idle, set_up),
        cmocka_unit_test_setup(an_error_that_is_pending_stays, set_up),
    };
    return cmocka_run_group_tests_name("width", tests, NULL, NULL);
}
