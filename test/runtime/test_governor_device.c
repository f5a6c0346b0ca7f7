/* When the governor gives lanes to a region by what the clock and the device say, which the tests do. */
#include "runtime/region/contest.h"
#include "runtime/region/governor.h"
#include "runtime/region/lanes.h"
#include "test/cmocka.h"
#include "test/runtime/governed.h"

#include <time.h>

/* How many of 200 passes have lanes. The program does something else for so long behind each that has, or has
 * not. */
static int count_lanes(const struct kesco_site *site, uint64_t with, uint64_t without) {
    int count = 0;

    times = true;
    shown = 1000000000;
    for (int i = 0; i < 200; i++) {
        const bool has = pass(site, SMALL);

        count += has;
        shown += has ? with : without;
    }
    return count;
}

/* Estimates speak for lanes, with which openings take twice as long; the device does not say what they take.
 */
static void lanes_that_are_slower_are_given_up(void **state) {
    (void)state;
    assert_in_range(count_lanes(&long_kernel, 4000000, 0), 16, 160);
}

/* Whose loop nobody could count. The host's clock says nothing of them: it does not wait. */
static void the_device_says_what_kernels_take(void **state) {
    (void)state;
    assert_int_equal(count_lanes(&short_kernel, 10000, 10000), 0);
    forget();
    serial_says = 1;
    lanes_say = 0.5F;
    assert_in_range(count_lanes(&short_kernel, 10000, 10000), 150, 200);
}

/* Asking costs calls, in each opening until then. */
static void a_device_that_lags_is_seldom_asked(void **state) {
    (void)state;
    is_late = true;
    count_lanes(&short_kernel, 10000, 10000);
    assert_in_range(asked, 4, 12);
}

/* It may have waited for the host's next launch all the time. */
static void a_device_that_may_be_idle_does_not_say_so(void **state) {
    (void)state;
    rate = 250; /* of about 4 microseconds for two launches */
    serial_says = 1;
    assert_int_equal(count_lanes(&short_kernel, 10000, 10000), 0);
}

static void the_device_says_that_lanes_are_slower(void **state) {
    (void)state;
    serial_says = 1;
    lanes_say = 2;
    assert_in_range(count_lanes(&long_kernel, 10000, 10000), 2, 12);
}

/* Those that begin anew behind fences are slower as well. */
static void the_device_times_lanes_between_fences(void **state) {
    (void)state;
    fences = 2;
    serial_says = 1;
    lanes_say = 4;
    assert_in_range(count_lanes(&long_kernel, 10000, 10000), 2, 12);
    forget();
    lanes_say = 2; /* for three times the ops */
    assert_in_range(count_lanes(&long_kernel, 10000, 10000), 150, 200);
}

/* The host launches slower with lanes, but it does not wait for what it launches. */
static void the_device_says_that_lanes_are_faster(void **state) {
    (void)state;
    serial_says = 2;
    lanes_say = 1;
    assert_in_range(count_lanes(&long_kernel, 4000000, 10000), 150, 200);
}

/* With lanes they took a part of what they were expected to, so ops do; serially they were never timed. */
static void the_device_limits_estimates(void **state) {
    (void)state;
    lanes_say = 2;
    count_lanes(&long_kernel, 10000, 10000);
    assert_int_equal(kesco_contest_scale(history.contest), KESCO_SCALE);
    forget();
    lanes_say = 0.1F;
    count_lanes(&long_kernel, 10000, 10000);
    assert_in_range(kesco_contest_scale(history.contest), 1, KESCO_SCALE / 5);
}

/* A guard that fails now and then, and one that fails all the time. */
static void lanes_between_fences_have_to_pay(void **state) {
    int made = 0;

    (void)state;
    while (!pass(&long_kernel, SMALL))
        ;
    assert_true(opens());
    for (int i = 0; i < 50; i++) {
        place(0, &long_kernel, SMALL);
        place(1, &long_kernel, SMALL);
        assert_true(kesco_governor_begin_anew(&governor));
        kesco_governor_note_lanes(&governor);
    }
    while (kesco_governor_begin_anew(&governor))
        assert_in_range(++made, 1, 15);
    assert_int_equal(history.has_lanes, 0);
    place(0, &short_kernel, SMALL);
    assert_false(kesco_governor_pays(&governor, NULL));
    kesco_governor_close(&governor, NULL);
}

/* A fence in each pass, and ops that are worth lanes in every eighth: these have them, and others hardly
 * ever. */
static void lanes_that_fences_cost_become_rare(void **state) {
    int made = 0, served = 0;

    (void)state;
    for (int i = 0; i < 4000; i++) {
        bool has = opens();

        for (uint32_t op = 0; op < 6; op++)
            if (place(op % 2, i % 8 == 0 ? &long_kernel : &short_kernel, SMALL) && !has) {
                kesco_governor_note_lanes(&governor);
                has = true;
            }
        served += has && i % 8 == 0;
        kesco_governor_note_fence(&governor);
        if (kesco_governor_begin_anew(&governor)) {
            kesco_governor_note_lanes(&governor);
            made++;
        }
        kesco_governor_close(&governor, NULL);
    }
    assert_in_range(served, 480, 500);
    assert_in_range(made, 0, 500);
}

/* 6 microseconds, about. */
static const struct kesco_site guessed_kernel = {.kind = "kernel", .work = 1200};

/*
 * An opening of many ops, two side by side, with so many events that lanes take the host more time than one
 * stream does: before how many of them it has lanes, or `most`.
 */
static int count_until_lanes(int most) {
    int count = 0;

    opens();
    while (count < most && !place((uint32_t)count % 2, &guessed_kernel, SMALL)) {
        for (int i = 0; i < 3; i++)
            kesco_governor_record(&governor, 0, (uint32_t)count % 2);
        count++;
    }
    if (count < most)
        kesco_governor_note_lanes(&governor);
    kesco_governor_close(&governor, NULL);
    return count;
}

static void the_device_is_asked_before_lanes_that_may_cost(void **state) {
    const float as_estimated = 32 * 0.006F;

    (void)state;
    serial_says = as_estimated / 3;
    assert_int_equal(count_until_lanes(2000), 2000);
    assert_int_equal(asked, 1);
    forget();
    serial_says = as_estimated;
    assert_in_range(count_until_lanes(2000), 32, 500);
}

/* Where all that is known is that ops seem too short. */
static void ops_that_seem_short_are_made_sure_of(void **state) {
    int count = 0;

    (void)state;
    serial_says = 32 * 0.03F;
    opens();
    while (count < 2000 && !place((uint32_t)count % 2, &short_kernel, SMALL))
        kesco_governor_record(&governor, 0, (uint32_t)count++ % 2);
    kesco_governor_close(&governor, NULL);
    assert_in_range(count, 64, 1000);
}

/* It is late where ops take longer than estimated: then lanes are worth it all the more. */
static void a_device_that_is_late_gets_lanes(void **state) {
    (void)state;
    is_late = true;
    assert_in_range(count_until_lanes(2000), 32, 500);
    assert_in_range(asked, 1, 8);
}

static void a_device_that_says_nothing_gets_lanes(void **state) {
    (void)state;
    assert_in_range(count_until_lanes(2000), 32, 640);
    assert_in_range(asked, 1, 4);
    forget();
    refuses = true;
    assert_in_range(count_until_lanes(2000), 32, 640);
}

/* 30 microseconds. */
static const struct kesco_site doubtful_kernel = {.kind = "kernel", .work = 9000, .beside = 9000};

/*
 * An opening that goes on and on, two ops side by side: behind how many it loses its lanes, or `most`. Each
 * op takes so many records.
 */
static int count_until_loss(uint32_t records, int most) {
    int count = 0;

    opens();
    while (!place((uint32_t)count++ % 2, &doubtful_kernel, SMALL))
        ;
    kesco_governor_note_lanes(&governor);
    for (count = 0; count < most && !kesco_governor_gives_up(&governor); count++) {
        place((uint32_t)count % 2, &doubtful_kernel, SMALL);
        for (uint32_t i = 0; i < records; i++)
            kesco_governor_record(&governor, 0, (uint32_t)count % 2);
    }
    return count;
}

/* Where records are many, the device is to say whether lanes save what they seem to. */
static void lanes_of_a_long_opening_are_doubted(void **state) {
    (void)state;
    assert_in_range(count_until_loss(1, 4000), 256, 3000);
    assert_true(governor.way.doubts);
    serial_says = 32 * 0.001F;
    for (int i = 0; i < 1000; i++) {
        place((uint32_t)i % 2, &doubtful_kernel, SMALL);
        kesco_governor_record(&governor, 0, (uint32_t)i % 2);
        assert_false(kesco_governor_pays(&governor, NULL));
    }
    assert_int_equal(asked, 1);
    kesco_governor_close(&governor, NULL);
}

static void lanes_with_few_records_are_not_doubted(void **state) {
    (void)state;
    assert_int_equal(count_until_loss(0, 4000), 4000);
    assert_int_equal(asked, 0);
    kesco_governor_close(&governor, NULL);
}

/* How many of 200 passes have lanes, in which kernels fill the device and the host is quick. */
static int count_dared(float without, float with) {
    const struct kesco_site site = {.kind = "kernel", .work = 1000};
    int count = 0;

    forget();
    times = true;
    shown = 1000000000;
    rate = 0.1;
    serial_says = without;
    lanes_say = with;
    for (int i = 0; i < 200; i++) {
        count += pass(&site, FULL);
        shown += 10000;
    }
    return count;
}

/* They stay where the device says that they are faster, which estimates do not see. */
static void lanes_are_tried_once(void **state) {
    (void)state;
    assert_in_range(count_dared(0.1F, 0.08F), 150, 199);
    assert_in_range(count_dared(0.1F, 0.1F), 2, 12);
    assert_in_range(count_dared(0.1F, 0.15F), 2, 12);
    assert_int_equal(count_dared(0.01F, 0.008F), 0); /* the device may have been idle */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_device_is_asked_before_lanes_that_may_cost, set_up),
        cmocka_unit_test_setup(ops_that_seem_short_are_made_sure_of, set_up),
        cmocka_unit_test_setup(a_device_that_is_late_gets_lanes, set_up),
        cmocka_unit_test_setup(a_device_that_says_nothing_gets_lanes, set_up),
        cmocka_unit_test_setup(lanes_that_are_slower_are_given_up, set_up),
        cmocka_unit_test_setup(the_device_says_what_kernels_take, set_up),
        cmocka_unit_test_setup(a_device_that_lags_is_seldom_asked, set_up),
        cmocka_unit_test_setup(a_device_that_may_be_idle_does_not_say_so, set_up),
        cmocka_unit_test_setup(the_device_says_that_lanes_are_slower, set_up),
        cmocka_unit_test_setup(the_device_says_that_lanes_are_faster, set_up),
        cmocka_unit_test_setup(the_device_times_lanes_between_fences, set_up),
        cmocka_unit_test_setup(the_device_limits_estimates, set_up),
        cmocka_unit_test_setup(lanes_between_fences_have_to_pay, set_up),
        cmocka_unit_test_setup(lanes_that_fences_cost_become_rare, set_up),
        cmocka_unit_test_setup(lanes_of_a_long_opening_are_doubted, set_up),
        cmocka_unit_test_setup(lanes_with_few_records_are_not_doubted, set_up),
        cmocka_unit_test_setup(lanes_are_tried_once, set_up),
    };
    return cmocka_run_group_tests_name("governor", tests, NULL, NULL);
}
