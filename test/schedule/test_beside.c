/* Which ops may run beside each: plans of small graphs, and random plans against paths found one by one. */
#include "plugin/schedule/beside.h"
#include "test/cmocka.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 24 };

struct made {
    struct kesco_plan plan;
    uint32_t lane[MOST], order[MOST], sequence[MOST];
    struct kesco_wait waits[MOST];
};

/* Ops in program order on these lanes. */
static void make(struct made *made, uint32_t count, uint32_t lanes, const uint32_t *lane) {
    memset(made, 0, sizeof *made);
    for (uint32_t i = 0; i < count; i++) {
        made->lane[i] = lane[i];
        made->order[i] = made->sequence[i] = i;
    }
    made->plan.op_count = count;
    made->plan.lane_count = lanes;
    made->plan.lane = made->lane;
    made->plan.order = made->order;
    made->plan.sequence = made->sequence;
    made->plan.sync.waits = made->waits;
}

static void wait_for(struct made *made, uint32_t op, uint32_t on) {
    made->waits[made->plan.sync.wait_count++] = (struct kesco_wait){.op = op, .on = on};
}

static void lanes_and_waits_order(void **state) {
    static const uint32_t lane[] = {0, 1, 0, 1}, work[] = {1, 10, 100, 1000};
    struct made made;
    uint32_t beside[4];

    (void)state;
    make(&made, 4, 2, lane);
    assert_int_equal(kesco_beside_find(&made.plan, work, beside), 0);
    assert_int_equal(beside[0], 1010);
    assert_int_equal(beside[1], 101);
    assert_int_equal(beside[2], 1010);
    assert_int_equal(beside[3], 101);
    wait_for(&made, 3, 0);
    assert_int_equal(kesco_beside_find(&made.plan, work, beside), 0);
    assert_int_equal(beside[0], 10);
    assert_int_equal(beside[3], 100);
}

/* What comes in the next pass is not beside. */
static void waits_along_back_edges_do_not_count(void **state) {
    static const uint32_t lane[] = {0, 1}, work[] = {1, 10};
    struct made made;
    uint32_t beside[2];

    (void)state;
    make(&made, 2, 2, lane);
    wait_for(&made, 0, 1);
    assert_int_equal(kesco_beside_find(&made.plan, work, beside), 0);
    assert_int_equal(beside[0], 10);
    assert_int_equal(beside[1], 1);
}

static void sums_have_an_end(void **state) {
    static const uint32_t lane[] = {0, 1, 2}, work[] = {UINT32_MAX - 1, 1, 1};
    struct made made;
    uint32_t beside[3];

    (void)state;
    make(&made, 3, 3, lane);
    assert_int_equal(kesco_beside_find(&made.plan, work, beside), 0);
    assert_int_equal(beside[0], 2);
    assert_int_equal(beside[1], UINT32_MAX);
}

/* True if `from` comes before `to`, or is it. */
static bool reaches(const struct made *made, uint32_t from, uint32_t to) {
    if (from == to)
        return true;
    for (uint32_t next = from + 1; next <= to; next++) {
        bool follows = made->lane[next] == made->lane[from];

        for (size_t i = 0; i < made->plan.sync.wait_count; i++)
            follows |= made->waits[i].op == next && made->waits[i].on == from;
        if (follows && reaches(made, next, to))
            return true;
    }
    return false;
}

static void random_plans_are_as_their_paths_say(void **state) {
    (void)state;
    srand(7);
    for (int round = 0; round < 500; round++) {
        const uint32_t count = 1 + (uint32_t)rand() % 10;
        uint32_t lane[MOST], work[MOST], beside[MOST];
        struct made made;

        for (uint32_t i = 0; i < count; i++) {
            lane[i] = (uint32_t)rand() % 3;
            work[i] = 1u << i;
        }
        make(&made, count, 3, lane);
        for (uint32_t i = 1; i < count; i++)
            if (rand() % 2)
                wait_for(&made, i, (uint32_t)rand() % i);
        assert_int_equal(kesco_beside_find(&made.plan, work, beside), 0);
        for (uint32_t a = 0; a < count; a++)
            for (uint32_t b = 0; b < count; b++)
                assert_int_equal((beside[a] >> b) & 1, !reaches(&made, a, b) && !reaches(&made, b, a));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_and_waits_order),
        cmocka_unit_test(waits_along_back_edges_do_not_count),
        cmocka_unit_test(sums_have_an_end),
        cmocka_unit_test(random_plans_are_as_their_paths_say),
    };
    return cmocka_run_group_tests_name("beside", tests, NULL, NULL);
}
