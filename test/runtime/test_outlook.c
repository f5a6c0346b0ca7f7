/* What loops around calls say of what is to come, by the clock that the tests make. */
#include "runtime/region/attention.h"
#include "runtime/region/outlook.h"
#include "test/cmocka.h"

#include <time.h>

static uint64_t now; /* nanoseconds */
static struct kesco_history history;
static const struct kesco_region region = {.lanes = 2, .joins = 1, .placed = 1, .history = &history};

int clock_gettime(clockid_t clock, struct timespec *time) {
    (void)clock;
    time->tv_sec = (time_t)(now / 1000000000);
    time->tv_nsec = (long)(now % 1000000000);
    return 0;
}

/* Of what has come to 600 in 100 us. */
static int64_t to_come(enum kesco_outlook expected) {
    const struct kesco_outlook_start start = {.time = kesco_attention_time() - 100000};
    int64_t result;

    assert_int_equal(kesco_outlook_of(&region, &start, 600, &result), expected);
    return result;
}

/* Passes of 10 us of a loop of `all`, after each of which `place` says what is left. */
static void run(int64_t *place, int64_t all, int64_t passes) {
    int64_t pass;

    for (pass = 0; pass < passes; pass++) {
        now += 10000;
        __kesco1_expect_calls(place, all - 1 - pass);
    }
}

static void a_loop_is_known_once_it_has_come_some_times(void **state) {
    static int64_t place;

    (void)state;
    run(&place, 100, 3);
    to_come(KESCO_OUTLOOK_UNKNOWN);
    now += 10000;
    __kesco1_expect_calls(&place, 96);
    assert_int_equal(to_come(KESCO_OUTLOOK_ALL), 96 * 60);
}

static void one_that_is_over_says_nothing(void **state) {
    static int64_t place;

    (void)state;
    run(&place, 20, 20);
    now += 15000;
    to_come(KESCO_OUTLOOK_UNKNOWN);
}

/* As long as one that came before takes. */
static void of_the_last_pass_its_rest_is_to_come(void **state) {
    static int64_t place;

    (void)state;
    run(&place, 20, 20);
    assert_int_equal(to_come(KESCO_OUTLOOK_ALL), 60);
    now += 5000;
    assert_in_range(to_come(KESCO_OUTLOOK_ALL), 25, 35);
    now += 5000;
    to_come(KESCO_OUTLOOK_UNKNOWN);
}

static void one_that_begins_again_may_do_so_once_more(void **state) {
    static int64_t place;

    (void)state;
    run(&place, 20, 20);
    run(&place, 20, 10);
    assert_int_equal(to_come(KESCO_OUTLOOK_LEAST), 10 * 60);
}

/* Also where control comes there several times in each pass, or a loop within counts, too. */
static void the_loop_around_speaks_for_those_within(void **state) {
    static int64_t outer, inner;
    int64_t pass;

    (void)state;
    for (pass = 0; pass < 10; pass++) {
        __kesco1_expect_calls(&outer, 99 - pass);
        __kesco1_expect_calls(&outer, 99 - pass);
        run(&inner, 5, 5);
    }
    assert_int_equal(to_come(KESCO_OUTLOOK_ALL), (int64_t)(90 * 60 * 5 * 10 / 9));
}

/* As by an exception. */
static void a_loop_that_has_ended_early_gives_way(void **state) {
    static int64_t early, late;
    int64_t again;

    (void)state;
    run(&early, 1000, 5);
    for (again = 0; again < 20; again++)
        run(&late, 40, 40);
    run(&late, 40, 30);
    assert_int_equal(to_come(KESCO_OUTLOOK_LEAST), 10 * 60);
}

/* What did not count from the begin on, as lanes were tried first, comes as often as it does now. */
static void passes_tell_from_where_they_count(void **state) {
    static struct kesco_history counted;
    static const struct kesco_region own = {.lanes = 1, .history = &counted};
    struct kesco_outlook_start start;
    int64_t left, result;

    (void)state;
    assert_false(kesco_outlook_is_long(&own, 1));
    for (left = 100; left > 80; left--)
        __kesco1_expect(&own, left);
    assert_true(kesco_outlook_is_long(&own, 81));
    assert_false(kesco_outlook_is_long(&own, 82));
    start = kesco_outlook_start(&own, 50);
    assert_int_equal(kesco_outlook_of(&own, &start, 50, &result), KESCO_OUTLOOK_UNKNOWN);
    __kesco1_expect(&own, 80);
    __kesco1_expect(&own, 79);
    assert_int_equal(kesco_outlook_of(&own, &start, 250, &result), KESCO_OUTLOOK_ALL);
    assert_int_equal(result, 79 * 100);
}

/* What the test has left is over. */
static int forget(void **state) {
    static int64_t place;
    int again;

    (void)state;
    for (again = 0; again < 10; again++)
        run(&place, 2, 2);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_loop_is_known_once_it_has_come_some_times, forget),
        cmocka_unit_test_teardown(one_that_is_over_says_nothing, forget),
        cmocka_unit_test_teardown(of_the_last_pass_its_rest_is_to_come, forget),
        cmocka_unit_test_teardown(one_that_begins_again_may_do_so_once_more, forget),
        cmocka_unit_test_teardown(the_loop_around_speaks_for_those_within, forget),
        cmocka_unit_test_teardown(a_loop_that_has_ended_early_gives_way, forget),
        cmocka_unit_test(passes_tell_from_where_they_count),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
