/* Where passes end that go through calls. */
#include "runtime/region/turn.h"
#include "test/cmocka.h"

enum { LONG = 12, MOST = 64, SITES = 200, OPS = 2000, PASSES = OPS / 2 };

static struct kesco_site sites[SITES];
static uint32_t lengths[PASSES], pass_count;

/* Of ops that come again after `period`, the first after `before` others. */
static void run(uint32_t before, uint32_t period) {
    struct kesco_turn turn = {0};
    uint32_t count = 0, op;

    pass_count = 0;
    for (op = 0; op < OPS; op++) {
        const struct kesco_site *site = &sites[op < before ? SITES - 1 - op : (op - before) % period];

        if (kesco_turn_ends_before(&turn, site, count, LONG) || count == MOST) {
            kesco_turn_end(&turn, site);
            lengths[pass_count++] = count;
            count = 0;
        }
        count++;
    }
}

static void they_are_of_whole_rounds(void **state) {
    (void)state;
    run(0, 1);
    assert_int_equal(lengths[0], 12);
    assert_int_equal(lengths[1], 12);
    run(0, 5);
    assert_int_equal(lengths[0], 15);
    assert_int_equal(lengths[7], 15);
    run(0, 40);
    assert_int_equal(lengths[0], 40);
    assert_int_equal(lengths[7], 40);
}

static void rounds_that_are_too_long_are_cut_in_the_same_way(void **state) {
    (void)state;
    run(0, 150);
    assert_int_equal(lengths[0], 64);
    assert_int_equal(lengths[1], 64);
    assert_int_equal(lengths[2], 22);
    assert_int_equal(lengths[9], 64);
    assert_int_equal(lengths[11], 22);
    run(0, 100);
    assert_int_equal(lengths[0], 64);
    assert_int_equal(lengths[1], 36);
    assert_int_equal(lengths[10], 64);
    assert_int_equal(lengths[11], 36);
    run(0, 66);
    assert_int_equal(lengths[8], 64);
    assert_int_equal(lengths[9], 2);
}

static void what_came_once_is_given_up(void **state) {
    (void)state;
    run(1, 5);
    assert_int_equal(lengths[0], 64);
    assert_int_equal(lengths[pass_count - 1], 15);
    run(30, 100);
    assert_int_equal(lengths[pass_count - 1] + lengths[pass_count - 2], 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_are_of_whole_rounds),
        cmocka_unit_test(rounds_that_are_too_long_are_cut_in_the_same_way),
        cmocka_unit_test(what_came_once_is_given_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
