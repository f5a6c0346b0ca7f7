/*
 * When the governor gives lanes to a region, on regions that are only told of. Times are the estimates that
 * it has itself: what is asserted are orders of magnitude apart. The clock shows what the tests say.
 */
#include "runtime/region/contest.h"
#include "runtime/region/governor.h"
#include "runtime/region/lanes.h"
#include "test/cmocka.h"
#include "test/runtime/governed.h"

#include <stdlib.h>
#include <time.h>

static const struct kesco_site copy = {.kind = "copy", .unit = KESCO_UNIT_TO_HOST};

static void short_ops_do_not_pay(void **state) {
    (void)state;
    for (int i = 0; i < 1000; i++)
        assert_false(pass(&short_kernel, SMALL));
}

static void a_long_op_pays_before_it_begins(void **state) {
    (void)state;
    assert_false(opens());
    assert_true(place(0, &long_kernel, SMALL));
}

static void a_long_op_alone_does_not(void **state) {
    const struct kesco_site alone = {.kind = "kernel", .work = 300000, .beside = 60};

    (void)state;
    assert_false(opens());
    for (int i = 0; i < 100; i++)
        assert_false(place(0, &alone, SMALL));
}

static void what_is_unknown_gets_lanes(void **state) {
    (void)state;
    shown = 1000000000;
    assert_false(opens());
    assert_true(place(0, &short_kernel, KESCO_AMOUNT_UNKNOWN));
    kesco_governor_note_lanes(&governor);
    kesco_governor_close(&governor, NULL);
    assert_true(opens());
    assert_true(place(0, NULL, 1));
}

/* Each pass would save a few microseconds, which is less than streams cost. */
static void savings_add_up(void **state) {
    const struct kesco_site site = {.kind = "kernel", .work = 3000};
    int passes = 0;

    (void)state;
    while (!pass(&site, SMALL) && passes < 100)
        passes++;
    assert_in_range(passes, 1, 99);
    assert_true(pass(&site, SMALL));
}

/* What a short program has saved so far is less than streams may cost it; many times their price is enough.
 */
static void streams_cost_a_small_part_of_the_time(void **state) {
    const struct kesco_site site = {.kind = "kernel", .work = 36000};
    const struct kesco_region many_lanes = {.lanes = 64, .history = &history};

    (void)state;
    shown = 0;
    assert_non_null(kesco_governor_open(&governor, &many_lanes));
    for (uint32_t lane = 0; lane < 24; lane++)
        assert_false(place(lane, &site, SMALL));
    kesco_governor_close(&governor, NULL);
    shown = 1000000000;
    assert_null(kesco_governor_open(&governor, &many_lanes));
    kesco_governor_close(&governor, NULL);
}

static void kernels_that_fill_the_device_save_nothing(void **state) {
    const struct kesco_site site = {.kind = "kernel", .work = 1000};

    (void)state;
    for (int i = 0; i < 1000; i++)
        assert_false(pass(&site, FULL));
}

static void copies_one_way_save_nothing(void **state) {
    (void)state;
    for (int i = 0; i < 1000; i++)
        assert_false(pass(&copy, 100 << 10));
}

/* What has been long is short now: lanes are given up once that has cost what they had saved. */
static void lanes_are_given_up(void **state) {
    int passes = 0;

    (void)state;
    assert_true(pass(&long_kernel, SMALL));
    while (pass(&short_kernel, SMALL) && passes < 2000)
        passes++;
    assert_in_range(passes, 1, 1999);
    assert_false(pass(&short_kernel, SMALL));
    assert_true(pass(&long_kernel, SMALL));
}

static void a_region_that_stays_open_is_judged_too(void **state) {
    bool gives_up = false;

    (void)state;
    assert_true(pass(&long_kernel, SMALL));
    history.credit = 0;
    assert_true(opens());
    for (uint32_t i = 0; i < 10000 && !gives_up; i++) {
        kesco_governor_record(&governor, 0, i % 2);
        kesco_governor_wait(&governor, 0, 1 - i % 2);
        place(1 - i % 2, &short_kernel, SMALL);
        gives_up = kesco_governor_gives_up(&governor);
    }
    assert_true(gives_up);
    assert_true(governor.counts);
}

/* A chain over two lanes, with a record and a wait at each step. */
static void waits_are_on_the_way(void **state) {
    const struct kesco_site site = {.kind = "kernel", .work = 3000};

    (void)state;
    assert_false(opens());
    for (uint32_t i = 0; i < 100; i++) {
        kesco_governor_wait(&governor, 0, i % 2);
        place(i % 2, &site, SMALL);
        kesco_governor_record(&governor, 0, i % 2);
    }
    assert_true(kesco_governor_saving(&governor) < 0);
}

/* An op on the origin comes behind all lanes, and before all. */
static void the_origin_is_a_barrier(void **state) {
    const struct kesco_site site = {.kind = "kernel", .work = 3000};

    (void)state;
    assert_false(opens());
    for (uint32_t i = 0; i < 100; i++)
        place(i % 2 == 0 ? KESCO_LANE_ORIGIN : 1, &site, SMALL);
    assert_true(kesco_governor_saving(&governor) < 0);
}

/* The serial program waits for both kernels, the other for the one that the copy comes behind. */
static void the_host_waits_less(void **state) {
    (void)state;
    for (int waits = 0; waits < 2; waits++) {
        int64_t saving;

        assert_false(opens());
        kesco_governor_place(&governor, 1, &long_kernel, SMALL);
        kesco_governor_place(&governor, 0, &short_kernel, SMALL);
        if (waits)
            kesco_governor_note_host(&governor, 0);
        kesco_governor_place(&governor, 0, &long_kernel, SMALL);
        saving = kesco_governor_saving(&governor);
        assert_true(saving > 900000);
    }
}

/* The guard is asked before lanes are made, and says no. */
static void lanes_behind_a_guard_have_to_save_more(void **state) {
    const struct kesco_site site = {.kind = "kernel", .work = 3000};
    int ops[2] = {0, 0};

    (void)state;
    for (int guarded = 0; guarded < 2; guarded++) {
        forget();
        assert_false(opens());
        do {
            if (guarded)
                kesco_governor_note_guard(&governor);
            ops[guarded]++;
        } while (!place((uint32_t)ops[guarded] % 2, &site, SMALL) && ops[guarded] < 1000);
        assert_true(governor.part.guard.asks == guarded);
        kesco_governor_close(&governor, NULL);
    }
    assert_true(ops[1] > ops[0]);
}

/* What comes behind all the rest saves nothing, whatever its lane, and the guard is asked from there on. */
static void ops_that_meet_save_nothing(void **state) {
    int64_t apart;

    (void)state;
    assert_false(opens());
    kesco_governor_place(&governor, 0, &long_kernel, SMALL);
    kesco_governor_place(&governor, 1, &long_kernel, SMALL);
    apart = kesco_governor_saving(&governor);
    kesco_governor_note_fence(&governor);
    assert_true(apart > 0 && kesco_governor_saving(&governor) <= 0);
    kesco_governor_place(&governor, 0, &long_kernel, SMALL);
    assert_true(kesco_governor_saving(&governor) <= 0);
    kesco_governor_begin_anew(&governor);
    assert_true(governor.part.guard.asks && history.credit <= 0);
    kesco_governor_close(&governor, NULL);
}

/* Nor does a region whose last op always meets another keep its lanes. */
static void lanes_that_end_in_a_fence_are_given_up(void **state) {
    int passes = 0;

    (void)state;
    assert_true(pass(&long_kernel, SMALL));
    for (; opens() && passes < 1000; passes++) {
        kesco_governor_place(&governor, 0, &long_kernel, SMALL);
        kesco_governor_place(&governor, 1, &long_kernel, SMALL);
        kesco_governor_note_fence(&governor);
        kesco_governor_close(&governor, NULL);
    }
    kesco_governor_close(&governor, NULL);
    assert_in_range(passes, 1, 30);
}

static void a_region_without_history_has_lanes(void **state) {
    static const struct kesco_region forgetful = {.lanes = 2};

    (void)state;
    assert_null(kesco_governor_open(&governor, &forgetful));
    assert_false(governor.counts);
}

static void a_mode_decides(void **state) {
    static const struct kesco_region serial = {.lanes = 2, .mode = KESCO_MODE_SERIAL, .history = &history};
    static const struct kesco_region lanes = {.lanes = 2, .mode = KESCO_MODE_LANES, .history = &history};

    (void)state;
    assert_string_equal(kesco_governor_open(&governor, &serial), "the mode is serial");
    assert_false(governor.counts);
    assert_null(kesco_governor_open(&governor, &lanes));
    assert_false(governor.counts);
}

/* What its kernels would save alone does not bring the lanes back soon. */
static void a_guard_that_fails_is_remembered(void **state) {
    int passes = 0;

    (void)state;
    assert_true(pass(&long_kernel, SMALL));
    assert_true(opens());
    kesco_governor_place(&governor, 0, &long_kernel, SMALL);
    kesco_governor_note_refusal(&governor);
    kesco_governor_close(&governor, NULL);
    for (const struct kesco_site site = {.kind = "kernel", .work = 3000};
         !pass(&site, SMALL) && passes < 1000;)
        passes++;
    assert_in_range(passes, 10, 999);
}

/* A region's ops, drawn at random, the same in each pass. */
struct shape {
    uint32_t ops;
    struct {
        struct kesco_site site;
        uint64_t amount;
        uint32_t lane;
    } items[24];
};

static void draw(struct shape *shape) {
    shape->ops = 2 + (uint32_t)rand() % 22;
    for (uint32_t i = 0; i < shape->ops; i++) {
        shape->items[i].site = (struct kesco_site){.kind = "kernel", .work = 1u << (unsigned)rand() % 15};
        shape->items[i].amount = (uint64_t)1 << (unsigned)rand() % 20;
        shape->items[i].lane = (uint32_t)rand() % 2;
    }
}

/* What lanes save in all passes in which the region has them, less what it costs to make them. */
static int64_t run(const struct shape *shape, int passes, int64_t *saving) {
    int64_t saved = 0;
    bool had = false;

    for (int i = 0; i < passes; i++) {
        bool has = opens();

        for (uint32_t op = 0; op < shape->ops; op++)
            if (place(shape->items[op].lane, &shape->items[op].site, shape->items[op].amount) && !has) {
                kesco_governor_note_lanes(&governor);
                has = true;
            }
        if (governor.counts)
            *saving = kesco_governor_saving(&governor);
        saved += has ? *saving : 0;
        saved -= has && !had ? 20000 : 0;
        had = has;
        kesco_governor_close(&governor, NULL);
    }
    return saved;
}

/* Whichever of the two modes were best all the time, no more is lost against it than a few times what streams
 * cost: at most 200 microseconds, or a 32nd of what the ops take. */
static void little_is_lost_whatever_comes(void **state) {
    enum { PASSES = 200 };
    struct shape shape;

    (void)state;
    srand(1);
    for (int i = 0; i < 1000; i++) {
        int64_t saving = 0, saved, best;

        forget();
        draw(&shape);
        saved = run(&shape, PASSES, &saving);
        best = saving > 0 ? PASSES * saving : 0;
        assert_true(best - saved <= 200000 + (int64_t)(governor.part.lines.device / 32 * PASSES));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(short_ops_do_not_pay, set_up),
        cmocka_unit_test_setup(a_long_op_pays_before_it_begins, set_up),
        cmocka_unit_test_setup(a_long_op_alone_does_not, set_up),
        cmocka_unit_test_setup(what_is_unknown_gets_lanes, set_up),
        cmocka_unit_test_setup(savings_add_up, set_up),
        cmocka_unit_test_setup(streams_cost_a_small_part_of_the_time, set_up),
        cmocka_unit_test_setup(kernels_that_fill_the_device_save_nothing, set_up),
        cmocka_unit_test_setup(copies_one_way_save_nothing, set_up),
        cmocka_unit_test_setup(lanes_are_given_up, set_up),
        cmocka_unit_test_setup(a_region_that_stays_open_is_judged_too, set_up),
        cmocka_unit_test_setup(waits_are_on_the_way, set_up),
        cmocka_unit_test_setup(the_origin_is_a_barrier, set_up),
        cmocka_unit_test_setup(the_host_waits_less, set_up),
        cmocka_unit_test_setup(lanes_behind_a_guard_have_to_save_more, set_up),
        cmocka_unit_test_setup(ops_that_meet_save_nothing, set_up),
        cmocka_unit_test_setup(lanes_that_end_in_a_fence_are_given_up, set_up),
        cmocka_unit_test_setup(a_region_without_history_has_lanes, set_up),
        cmocka_unit_test_setup(a_mode_decides, set_up),
        cmocka_unit_test_setup(a_guard_that_fails_is_remembered, set_up),
        cmocka_unit_test_setup(little_is_lost_whatever_comes, set_up),
    };
    return cmocka_run_group_tests_name("governor", tests, NULL, NULL);
}
