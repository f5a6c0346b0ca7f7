/* What rows of passes say, with graphs and without. */
#include "runtime/region/trial.h"
#include "test/cmocka.h"

enum { PASSES = 8, ROWS = 4, OPS = 10 };

static struct kesco_trial trial;
static uint64_t now;

static int set_up(void **state) {
    (void)state;
    trial = (struct kesco_trial){0};
    now = 1000;
    return 0;
}

static void run(int passes, uint64_t time, uint32_t replayed) {
    int i;

    for (i = 0; i < passes; i++) {
        kesco_trial_begin(&trial, now);
        kesco_trial_end(&trial, OPS, replayed);
        now += time;
    }
}

static void faster_is_faster(void **state) {
    (void)state;
    run(PASSES * ROWS, 1000, 0);
    run(PASSES * ROWS, 900, OPS);
    assert_int_equal(kesco_trial_verdict(&trial), KESCO_UNKNOWN);
    run(1, 900, OPS);
    assert_int_equal(kesco_trial_verdict(&trial), KESCO_FASTER);
}

static void the_same_is_not(void **state) {
    (void)state;
    run(PASSES * ROWS, 1000, 0);
    run(PASSES * ROWS + 1, 999, OPS);
    assert_int_equal(kesco_trial_verdict(&trial), KESCO_SLOWER);
}

/* In one row, the machine did something else. */
static void a_slow_row_does_not_count(void **state) {
    (void)state;
    run(PASSES * ROWS, 1000, 0);
    run(PASSES, 900, OPS);
    run(1, 1000000, OPS);
    run(PASSES * ROWS, 900, OPS);
    assert_int_equal(kesco_trial_verdict(&trial), KESCO_FASTER);
}

/* Each eighth pass holds the wait for the device: it is in every row. */
static void waits_are_in_rows(void **state) {
    int i;

    (void)state;
    for (i = 0; i < ROWS + 1; i++) {
        run(PASSES - 1, 100, 0);
        run(1, 9300, 0);
    }
    for (i = 0; i < ROWS + 1; i++) {
        run(PASSES - 1, 10, OPS);
        run(1, 9930, OPS);
    }
    assert_int_equal(kesco_trial_verdict(&trial), KESCO_SLOWER);
}

/* A row whose last pass waits for the device, where others do not. */
static void run_row(uint64_t time, uint64_t wait, uint32_t replayed) {
    run(PASSES - 1, time, replayed);
    run(1, time + wait, replayed);
}

/* The host waits in every other row or so: that a row has none says nothing of those that have. */
static void few_rows_of_few_waits_say_nothing(void **state) {
    int i;

    (void)state;
    run_row(100, 0, 0);
    run_row(100, 8000, 0);
    run_row(50, 0, OPS);
    run_row(50, 7000, OPS);
    run_row(50, 5000, OPS);
    run(1, 50, OPS);
    assert_int_equal(kesco_trial_verdict(&trial), KESCO_UNKNOWN);
    assert_false(kesco_trial_wants_each(&trial));
    kesco_trial_break(&trial);
    for (i = 0; i < 32; i++)
        run_row(50, i % 2 == 0 ? 0 : 5000, OPS);
    assert_true(kesco_trial_wants_each(&trial));
    for (i = 0; kesco_trial_wants_each(&trial) && i < 32; i++)
        run_row(100, i % 2 == 0 ? 0 : 8000, 0);
    assert_in_range(i, 1, 8);
    assert_int_equal(kesco_trial_verdict(&trial), KESCO_FASTER);
}

static void mixed_rows_are_neither(void **state) {
    (void)state;
    run(PASSES * ROWS, 1000, 0);
    run(PASSES * ROWS * 4, 100, OPS / 4);
    assert_int_equal(kesco_trial_verdict(&trial), KESCO_UNKNOWN);
    assert_int_equal(trial.graph.count, 0);
}

static void a_row_that_is_broken_does_not_count(void **state) {
    int i;

    (void)state;
    for (i = 0; i < PASSES * ROWS; i++) {
        run(PASSES - 1, 1000, 0);
        kesco_trial_break(&trial);
    }
    assert_int_equal(trial.each.count, 0);
}

/* Launches count where ops are short. */
static void long_ops_are_not_worth_a_try(void **state) {
    (void)state;
    run(PASSES * ROWS + 1, OPS * 15000, 0);
    assert_true(kesco_trial_is_worth(&trial, 8, 2000));
    assert_false(kesco_trial_is_worth(&trial, 8, 1800));
    set_up(state);
    run(PASSES * ROWS + 1, OPS * 17000, 0);
    assert_false(kesco_trial_is_worth(&trial, 8, 2000));
}

/* What has been so for long is outweighed. */
/* Graphs that came early: what is slower than the one row before, or has come without any for long. */
static void graphs_on_trust_are_measured(void **state) {
    (void)state;
    run(PASSES, 1000, 0);
    run(PASSES * 2 + 1, 900, OPS);
    assert_false(kesco_trial_wants_each(&trial));
    run(PASSES * 2, 1200, OPS);
    assert_true(kesco_trial_wants_each(&trial));
    run(PASSES * 2 + 1, 1000, 0);
    assert_false(kesco_trial_wants_each(&trial));
}

static void graphs_are_not_trusted_forever(void **state) {
    int rows = 0;

    (void)state;
    while (!kesco_trial_wants_each(&trial) && rows++ < 1000)
        run(PASSES, 900, OPS);
    assert_in_range(rows, 16, 64);
}

static void what_changes_is_noticed(void **state) {
    (void)state;
    run(PASSES * 200, 1000, 0);
    run(PASSES * 40, 100, 0);
    run(PASSES * ROWS + 1, 500, OPS);
    assert_int_equal(kesco_trial_verdict(&trial), KESCO_SLOWER);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(faster_is_faster, set_up),
        cmocka_unit_test_setup(the_same_is_not, set_up),
        cmocka_unit_test_setup(a_slow_row_does_not_count, set_up),
        cmocka_unit_test_setup(waits_are_in_rows, set_up),
        cmocka_unit_test_setup(few_rows_of_few_waits_say_nothing, set_up),
        cmocka_unit_test_setup(mixed_rows_are_neither, set_up),
        cmocka_unit_test_setup(a_row_that_is_broken_does_not_count, set_up),
        cmocka_unit_test_setup(long_ops_are_not_worth_a_try, set_up),
        cmocka_unit_test_setup(graphs_on_trust_are_measured, set_up),
        cmocka_unit_test_setup(graphs_are_not_trusted_forever, set_up),
        cmocka_unit_test_setup(what_changes_is_noticed, set_up),
    };

    return cmocka_run_group_tests_name("trial", tests, NULL, NULL);
}
