/* What the governor learns where the host waits within a region that stays open. */
#include "runtime/region/contest.h"
#include "runtime/region/governor.h"
#include "runtime/region/lanes.h"
#include "test/cmocka.h"
#include "test/runtime/governed.h"

static const struct kesco_site copy = {.kind = "memcpy", .unit = KESCO_UNIT_TO_HOST};

/* The host waits so long for all that there is. */
static void wait_for_all(uint64_t nanoseconds) {
    kesco_governor_expect_host(&governor);
    shown += nanoseconds;
    kesco_governor_note_host(&governor, governor.part.waited.has_lanes ? KESCO_LANE_ORIGIN : KESCO_NO_LANE);
    kesco_governor_note_waited(&governor);
    kesco_governor_note_settled(&governor);
}

/* Two ops side by side; true if the region has lanes by then. */
static bool place_two(const struct kesco_site *site) {
    for (uint32_t lane = 0; lane < 2; lane++) {
        place(lane, site, SMALL);
        if (!governor.part.waited.has_lanes && kesco_governor_pays(&governor, NULL))
            kesco_governor_note_lanes(&governor);
    }
    return governor.part.waited.has_lanes;
}

/* Two long ops side by side, of which the second one pays once the host has waited for the first. */
static bool wait_between(void) {
    const struct kesco_site half = {.kind = "kernel", .work = 100000};

    if (!opens()) {
        place(0, &half, SMALL);
        wait_for_all(0);
        place_two(&half);
    }
    kesco_governor_close(&governor, NULL);
    return history.has_lanes != 0;
}

/* What the host has waited for took as long as that, whatever was estimated. */
static void the_clock_limits_estimates(void **state) {
    (void)state;
    assert_true(wait_between());
    forget();
    rate = 0.01;
    assert_false(wait_between());
}

/* Behind how many waits of that length, for two ops that seem short, there are lanes; or 100. */
static int count_waits(uint64_t nanoseconds) {
    int count = 0;

    forget();
    assert_false(opens());
    while (count < 100 && !place_two(&short_kernel)) {
        wait_for_all(nanoseconds);
        count++;
    }
    kesco_governor_close(&governor, NULL);
    return count;
}

static void waits_say_that_kernels_take_longer(void **state) {
    (void)state;
    assert_in_range(count_waits(1000000), 1, 4);
    assert_in_range(count_waits(100000), 1, 20);
    assert_int_equal(count_waits(5000), 100);
}

/* Nor does one for a kernel beside a copy of which nobody knows how long it may take. */
static void a_wait_for_a_copy_says_nothing_of_kernels(void **state) {
    (void)state;
    assert_false(opens());
    place(0, &copy, 1 << 20);
    wait_for_all(1000000);
    assert_int_equal(kesco_contest_scale(governor.contest), KESCO_SCALE);
    place(0, &copy, 1 << 20);
    place(0, &short_kernel, SMALL);
    wait_for_all(1000000);
    assert_int_equal(kesco_contest_scale(governor.contest), KESCO_SCALE);
    place(0, &short_kernel, SMALL);
    wait_for_all(1000000);
    assert_true(kesco_contest_scale(governor.contest) > 100 * KESCO_SCALE);
    kesco_governor_close(&governor, NULL);
}

/* Where ops differ, a short one that was taken for long does not make the next long one longer at once. */
static void what_took_less_than_estimated_is_remembered(void **state) {
    (void)state;
    assert_false(opens());
    place(0, &short_kernel, SMALL);
    wait_for_all(1000000);
    place(0, &short_kernel, SMALL);
    wait_for_all(0);
    for (int i = 0; i < 7; i++) {
        assert_true(kesco_contest_scale(governor.contest) < KESCO_SCALE * 4);
        place(0, &short_kernel, SMALL);
        wait_for_all(1000000);
    }
    place(0, &short_kernel, SMALL);
    wait_for_all(1000000);
    assert_true(kesco_contest_scale(governor.contest) > 100 * KESCO_SCALE);
    kesco_governor_close(&governor, NULL);
}

/* How many of 40 pairs of ops, with a wait behind each, have lanes, in which the wait takes so long. */
static int count_pairs(uint64_t without, uint64_t with) {
    int count = 0;

    forget();
    shown = 1000000000;
    assert_false(opens());
    for (int i = 0; i < 4; i++) {
        place(0, &long_kernel, SMALL); /* one beside none */
        wait_for_all(without);
    }
    for (int i = 0; i < 40; i++) {
        const bool has = place_two(&long_kernel);

        count += has;
        wait_for_all(has ? with : without);
        if (has && kesco_governor_gives_up(&governor))
            assert_false(governor.part.waited.has_lanes);
    }
    kesco_governor_close(&governor, NULL);
    return count;
}

static void lanes_with_which_the_host_waits_longer_are_given_up(void **state) {
    (void)state;
    rate = 0;
    assert_int_equal(count_pairs(2000000, 1000000), 40);
    assert_in_range(count_pairs(2000000, 6000000), 3, 6);
    assert_int_equal(history.has_lanes, 0);
}

/* Behind how many waits of that length lanes are gone, that have had that many waits of two milliseconds. */
static int count_until_gone(int pairs, uint64_t wait) {
    int count = 0;

    forget();
    shown = 1000000000;
    assert_false(opens());
    while (!place_two(&long_kernel))
        wait_for_all(2000000);
    for (int i = 0; i < pairs; i++) {
        assert_false(kesco_governor_gives_up(&governor));
        wait_for_all(2000000);
        place_two(&long_kernel);
    }
    for (; count < 100 && !kesco_governor_gives_up(&governor); count++) {
        wait_for_all(wait);
        place_two(&long_kernel);
    }
    kesco_governor_close(&governor, NULL);
    return count;
}

/* However long the region has been open: what ops took once says nothing of what they are now. */
static void lanes_go_where_ops_become_short(void **state) {
    (void)state;
    rate = 0;
    assert_in_range(count_until_gone(4, 10000), 1, 3);
    assert_in_range(count_until_gone(1000, 10000), 1, 3);
    assert_int_equal(history.has_lanes, 0);
    assert_int_equal(count_until_gone(1000, 1200000), 100); /* as long as one of the two */
}

/* Lanes that came in the middle are not held against those that were there from the wait before on. */
static void what_is_partly_on_lanes_is_of_no_kind(void **state) {
    struct kesco_interval interval = {.raw = 1000, .estimated = 1000, .took = 1000, .is_mixed = true};
    struct kesco_intervals intervals = {0};

    (void)state;
    kesco_intervals_add(&intervals, &interval);
    interval.has_lanes = true;
    kesco_intervals_add(&intervals, &interval);
    assert_int_equal(intervals.serial.count + intervals.lanes.count, 0);
    interval.is_mixed = false;
    kesco_intervals_add(&intervals, &interval);
    assert_int_equal(intervals.lanes.count, 1);
}

/* On a stream of the program's own, lanes wait for it first, and it for them in the end. */
static void forks_cost_the_host(void **state) {
    int64_t saving[2];

    (void)state;
    for (int forks = 0; forks < 2; forks++) {
        assert_false(opens());
        governor.way.forks = forks;
        for (uint32_t lane = 0; lane < 8; lane++)
            place(lane, &short_kernel, SMALL);
        saving[forks] = kesco_governor_saving(&governor);
        kesco_governor_close(&governor, NULL);
        forget();
    }
    assert_true(saving[1] < saving[0] - 10000);
}

/* What streams take to be made, the first interval with lanes has taken beside its ops. */
static void an_interval_in_which_lanes_are_made_is_of_no_kind(void **state) {
    const struct kesco_region many_lanes = {.lanes = 60, .events = 60, .history = &history};

    (void)state;
    history.credit = 100000000;
    shown += 1000000000;
    assert_null(kesco_governor_open(&governor, &many_lanes));
    assert_true(governor.part.waited.is_mixed);
    kesco_governor_close(&governor, NULL);
    assert_null(kesco_governor_open(&governor, &many_lanes)); /* they are there */
    assert_false(governor.part.waited.is_mixed);
    kesco_governor_close(&governor, NULL);
}

/* What was estimated would have ended before, and the host did nothing else: kernels took longer by that. */
static void what_ends_late_took_longer(void **state) {
    struct kesco_interval interval = {.raw = 30000,
                                      .estimated = 80000,
                                      .expected = 80000,
                                      .issued = 25000,
                                      .took = 120000,
                                      .waited = 90000};

    (void)state;
    assert_int_equal(kesco_interval_least(&interval, 75000), 110000);
    interval.issued = 10000; /* the program did something */
    assert_int_equal(kesco_interval_least(&interval, 75000), 85000);
    interval.issued = 25000;
    interval.copied = 2000;
    assert_int_equal(kesco_interval_least(&interval, 75000), 102000);
    interval.copied = 20000;
    assert_int_equal(kesco_interval_least(&interval, 75000), 0);
}

/* A call that lets the host wait, as copies to pageable memory do, is part of the wait behind it. */
static void a_copy_that_waits_counts(void **state) {
    struct kesco_expected_wait expected;

    (void)state;
    for (int waits = 0; waits < 2; waits++) {
        assert_false(opens());
        place(0, &short_kernel, SMALL);
        place(0, &copy, 100);
        shown += waits ? 50000 : 0;
        kesco_governor_note_call(&governor);
        kesco_governor_expect_wait(&governor, &expected);
        assert_in_range(shown - expected.called, waits ? 50000 : 0, waits ? 55000 : 0);
        kesco_governor_close(&governor, NULL);
    }
}

/* A record of an event lets the host wait for nothing; a wait for that event, or for all, is one for the
 * region. */
static void waits_for_events_count(void **state) {
    const char event = 0, other = 0;
    const void *const awaited[] = {&event, NULL, &other};
    struct kesco_expected_wait expected;

    (void)state;
    for (size_t i = 0; i < sizeof awaited / sizeof *awaited; i++) {
        assert_false(opens());
        place(0, &short_kernel, SMALL);
        place(0, &short_kernel, SMALL);
        kesco_governor_expect_wait(&governor, &expected);
        kesco_governor_close(&governor, NULL);
        kesco_governor_note_record(&expected, &event);
        shown += 30000; /* the program's own */
        kesco_governor_expect_event(&expected, awaited[i]);
        assert_int_equal(expected.history != NULL, awaited[i] != &other);
        shown += 40000;
        kesco_governor_end_wait(&expected);
        assert_int_equal(history.contest->known.awaited, i == 0 ? 1 : 2);
    }
    assert_int_equal(expected.interval.waited, 0);
}

/* Without a record, nothing is expected of an event. */
static void no_event_is_awaited_without_a_record(void **state) {
    struct kesco_expected_wait expected;

    (void)state;
    assert_false(opens());
    place(0, &short_kernel, SMALL);
    kesco_governor_expect_wait(&governor, &expected);
    kesco_governor_close(&governor, NULL);
    kesco_governor_expect_event(&expected, NULL);
    assert_null(expected.history);
}

/* Openings until estimates and clock contradict each other, without a wait that anybody sees; or 100. */
static int count_openings(void) {
    const struct kesco_site middle = {.kind = "kernel", .work = 3000};
    int count = 0;

    while (count < 100 && !kesco_contest_is_contradicted(history.contest)) {
        if (pass(&middle, SMALL))
            return 100;
        count++;
    }
    return count;
}

/* Of a region that has not been opened before, nobody says that it was taken for too much. */
static void others_do_not_contradict_the_first_opening(void **state) {
    static struct kesco_history fresh;
    const struct kesco_region another = {.lanes = 2, .events = 1, .history = &fresh};

    (void)state;
    rate = 0.1;
    assert_true(count_openings() < 100);
    kesco_governor_open(&governor, &another);
    assert_false(kesco_contest_is_contradicted(governor.contest));
    place(0, &short_kernel, SMALL);
    kesco_governor_close(&governor, NULL);
    assert_true(kesco_contest_is_contradicted(fresh.contest));
    free(fresh.contest);
}

/* Only a device that lags behind can have so much to do; there are no lanes until it has said what it is. */
static void what_cannot_be_is_asked_about(void **state) {
    const struct kesco_site middle = {.kind = "kernel", .work = 3000};
    int i, count = 0;

    (void)state;
    assert_int_equal(count_openings(), 100); /* it takes what it was estimated at */
    forget();
    rate = 0.1;
    assert_true(count_openings() < 100);
    times = true;
    for (i = 0; i < 40; i++) {
        count += kesco_governor_asks_for_idle(&two_lanes);
        assert_false(pass(&middle, SMALL));
    }
    assert_in_range(count, 1, 8);
    forget();
    assert_true(count_openings() < 100);
    kesco_governor_note_idle(&two_lanes);
    assert_false(kesco_contest_is_contradicted(history.contest));
    assert_true(kesco_contest_scale(history.contest) < KESCO_SCALE / 4);
    assert_int_equal(history.credit, 0);
}

/* A wait that lanes put off is one for each lane in the end. */
static void what_is_put_off_costs_in_the_end(void **state) {
    int64_t before;

    (void)state;
    assert_false(opens());
    place(0, &short_kernel, SMALL);
    place(1, &short_kernel, SMALL);
    kesco_governor_note_host(&governor, KESCO_NO_LANE);
    before = kesco_governor_saving(&governor);
    kesco_governor_note_settled(&governor);
    assert_true(kesco_governor_saving(&governor) <= before - 2000);
    before = kesco_governor_saving(&governor);
    kesco_governor_note_settled(&governor); /* nothing is */
    assert_int_equal(kesco_governor_saving(&governor), before);
    kesco_governor_close(&governor, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_clock_limits_estimates, set_up),
        cmocka_unit_test_setup(waits_say_that_kernels_take_longer, set_up),
        cmocka_unit_test_setup(a_wait_for_a_copy_says_nothing_of_kernels, set_up),
        cmocka_unit_test_setup(what_took_less_than_estimated_is_remembered, set_up),
        cmocka_unit_test_setup(lanes_with_which_the_host_waits_longer_are_given_up, set_up),
        cmocka_unit_test_setup(lanes_go_where_ops_become_short, set_up),
        cmocka_unit_test_setup(what_is_partly_on_lanes_is_of_no_kind, set_up),
        cmocka_unit_test_setup(forks_cost_the_host, set_up),
        cmocka_unit_test_setup(an_interval_in_which_lanes_are_made_is_of_no_kind, set_up),
        cmocka_unit_test_setup(what_ends_late_took_longer, set_up),
        cmocka_unit_test_setup(a_copy_that_waits_counts, set_up),
        cmocka_unit_test_setup(waits_for_events_count, set_up),
        cmocka_unit_test_setup(no_event_is_awaited_without_a_record, set_up),
        cmocka_unit_test_setup(what_cannot_be_is_asked_about, set_up),
        cmocka_unit_test_setup(others_do_not_contradict_the_first_opening, set_up),
        cmocka_unit_test_setup(what_is_put_off_costs_in_the_end, set_up),
    };
    return cmocka_run_group_tests_name("governor, waits", tests, NULL, NULL);
}
