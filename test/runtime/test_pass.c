/* What a pass makes of lanes, records and waits, and how its launches are kept and compared. */
#include "runtime/region/lanes.h"
#include "runtime/region/pass.h"
#include "test/cmocka.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 4, EVENTS = 8 };

static const uint32_t sizes[] = {1, 8, 24};
static const struct kesco_site site = {.kind = "kernel", .argument_count = 3, .argument_sizes = sizes};
static const uint32_t none[] = {0};
static const struct kesco_site plain = {.kind = "kernel", .argument_sizes = none};
static const struct kesco_region region = {.lanes = LANES, .events = EVENTS};
static struct kesco_pass pass;

static int set_up(void **state) {
    (void)state;
    kesco_pass_begin(&pass, &region);
    return 0;
}

/* What the next op on `lane` comes right behind. */
static uint64_t add(uint32_t lane) {
    return kesco_pass_add(&pass, lane, &plain)->before;
}

static void ops_of_a_lane_follow_each_other(void **state) {
    (void)state;
    assert_int_equal(add(0), 0);
    assert_int_equal(add(1), 0);
    assert_int_equal(add(0), 1 << 0);
    assert_int_equal(add(1), 1 << 1);
}

static void a_wait_counts_from_the_record_on(void **state) {
    (void)state;
    add(0);
    kesco_pass_record(&pass, 3, 0);
    add(0);
    kesco_pass_wait(&pass, 3, 1);
    assert_int_equal(add(1), 1 << 0);
    kesco_pass_wait(&pass, 5, 2); /* never recorded */
    assert_int_equal(add(2), 0);
}

static void what_others_come_behind_is_no_edge(void **state) {
    (void)state;
    add(0); /* 0 */
    kesco_pass_record(&pass, 0, 0);
    kesco_pass_wait(&pass, 0, 1);
    add(1); /* 1, behind 0 */
    kesco_pass_record(&pass, 1, 1);
    kesco_pass_wait(&pass, 0, 2);
    kesco_pass_wait(&pass, 1, 2);
    assert_int_equal(add(2), 1 << 1);
}

static void assert_shape(uint32_t launches, uint32_t branches) {
    const struct kesco_shape shape = kesco_shape_of(pass.count, pass.branches, KESCO_FORM_BRANCHES),
                             chain = kesco_shape_of(pass.count, pass.branches, KESCO_FORM_CHAIN);

    assert_int_equal(shape.launches, launches);
    assert_int_equal(shape.branches, branches);
    assert_int_equal(chain.launches, launches);
    assert_int_equal(chain.branches, branches > 0);
}

static void what_goes_on_with_nothing_begins_a_branch(void **state) {
    (void)state;
    assert_shape(0, 0);
    add(0);
    add(1);
    assert_shape(2, 2);
    add(0);
    kesco_pass_record(&pass, 0, 0);
    kesco_pass_wait(&pass, 0, 2);
    add(0);
    assert_shape(4, 2);
    add(2); /* after what another goes on with already */
    assert_shape(5, 3);
    add(KESCO_LANE_ORIGIN); /* goes on with one of three */
    add(0);
    assert_shape(7, 3);
    add(1); /* two after one */
    assert_shape(8, 4);
    kesco_pass_begin(&pass, &region);
    add(0);
    add(1);
    kesco_pass_record(&pass, 0, 1);
    kesco_pass_wait(&pass, 0, 0);
    add(0); /* after both, goes on with one */
    add(1); /* and this with the other */
    assert_shape(4, 2);
}

static void an_op_on_the_origin_comes_between_all(void **state) {
    (void)state;
    add(0);
    add(1);
    assert_int_equal(add(KESCO_LANE_ORIGIN), 1 << 0 | 1 << 1);
    assert_int_equal(add(2), 1 << 2);
    assert_int_equal(add(0), 1 << 2);
    kesco_pass_align(&pass);
    assert_int_equal(add(3), 1 << 3 | 1 << 4);
}

static void a_new_pass_has_no_past(void **state) {
    (void)state;
    add(0);
    kesco_pass_record(&pass, 0, 0);
    kesco_pass_begin(&pass, &region);
    kesco_pass_wait(&pass, 0, 1);
    assert_int_equal(add(0), 0);
    assert_int_equal(add(1), 0);
    assert_int_equal(add(KESCO_LANE_ORIGIN), 1 << 0 | 1 << 1);
}

/* Edges keep all that lanes, records and waits order, and nothing more: held against a matrix. */
static void edges_are_exactly_the_order(void **state) {
    bool lane_past[LANES][KESCO_PASS_OPS], event_past[EVENTS][KESCO_PASS_OPS],
        past[KESCO_PASS_OPS][KESCO_PASS_OPS];

    (void)state;
    srand(1);
    for (int round = 0; round < 300; round++) {
        kesco_pass_begin(&pass, &region);
        memset(lane_past, 0, sizeof lane_past);
        memset(event_past, 0, sizeof event_past);
        for (uint32_t op = 0; op < KESCO_PASS_OPS; op++) {
            const uint32_t lane = (uint32_t)rand() % LANES, on = (uint32_t)rand() % LANES;
            const uint32_t event = (uint32_t)rand() % EVENTS, awaited = (uint32_t)rand() % EVENTS;

            kesco_pass_record(&pass, event, on);
            memcpy(event_past[event], lane_past[on], sizeof *event_past);
            kesco_pass_wait(&pass, awaited, lane);
            for (uint32_t i = 0; i < op; i++)
                lane_past[lane][i] |= event_past[awaited][i];
            kesco_pass_add(&pass, lane, &plain);
            memcpy(past[op], lane_past[lane], sizeof *past);
            lane_past[lane][op] = true;
            for (uint32_t i = 0; i < op; i++)
                assert_int_equal(pass.past[op] >> i & 1, past[op][i]);
            for (uint32_t i = 0; i < op; i++)
                for (uint32_t j = 0; j < op; j++)
                    if ((pass.ops[op].before >> i & 1) != 0 && (pass.ops[op].before >> j & 1) != 0)
                        assert_false(past[j][i]);
        }
    }
}

struct arguments {
    char a;
    uint64_t b;
    char c[24];
};

static void launch(struct arguments *with, uint32_t blocks) {
    void *arguments[] = {&with->a, &with->b, with->c};
    struct kesco_launch *op = kesco_pass_add(&pass, 0, &site);

    op->function = &site;
    op->grid = (dim3){blocks, 1, 1};
    op->block = (dim3){32, 1, 1};
    op->shared = 0;
    kesco_pass_copy_arguments(&pass, arguments);
}

static void arguments_are_copied_and_found(void **state) {
    struct arguments first = {'x', 7, "first"}, second = {'y', 8, "second"};
    void *found[3];

    (void)state;
    launch(&first, 1);
    launch(&second, 1);
    first.a = 0;
    kesco_pass_find_arguments(pass.arguments, &pass.ops[0], found);
    assert_int_equal(*(char *)found[0], 'x');
    assert_int_equal(*(uint64_t *)found[1], 7);
    assert_string_equal(found[2], "first");
    assert_int_equal((uintptr_t)found[1] % 8, 0);
    assert_int_equal((uintptr_t)found[2] % 16, 0);
    kesco_pass_find_arguments(pass.arguments, &pass.ops[1], found);
    assert_string_equal(found[2], "second");
}

static void room_ends(void **state) {
    static const uint32_t huge[] = {KESCO_PASS_BYTES / 2};
    const struct kesco_site half = {.argument_count = 1, .argument_sizes = huge};
    struct arguments with = {'x', 1, ""};

    (void)state;
    assert_true(kesco_pass_has_room(&pass, &half));
    launch(&with, 1);
    assert_true(kesco_pass_has_room(&pass, &site));
    for (uint32_t i = 1; i < KESCO_PASS_OPS; i++)
        launch(&with, 1);
    assert_false(kesco_pass_has_room(&pass, &site));
    kesco_pass_begin(&pass, &region);
    launch(&with, 1);
    pass.bytes = KESCO_PASS_BYTES / 2 + 16;
    assert_false(kesco_pass_has_room(&pass, &half));
}

static void what_differs_is_counted(void **state) {
    struct arguments with = {'x', 1, "same"}, other = {'x', 2, "same"};
    struct kesco_snapshot snapshot = {0};
    uint64_t hash;

    (void)state;
    launch(&with, 1);
    launch(&with, 1);
    launch(&with, 1);
    assert_true(kesco_snapshot_take(&snapshot, &pass));
    assert_int_equal(kesco_snapshot_compare(&snapshot, &pass), 0);
    hash = kesco_pass_hash(&pass);
    kesco_pass_begin(&pass, &region);
    launch(&with, 1);
    launch(&other, 1); /* an argument */
    launch(&with, 2);  /* the grid */
    assert_int_equal(kesco_snapshot_compare(&snapshot, &pass), 2);
    assert_false(kesco_snapshot_differs(&snapshot, &pass, 0));
    assert_true(kesco_snapshot_differs(&snapshot, &pass, 1));
    assert_true(kesco_pass_hash(&pass) != hash);
    assert_true(kesco_snapshot_take(&snapshot, &pass));
    assert_int_equal(kesco_snapshot_compare(&snapshot, &pass), 0);
    kesco_snapshot_clear(&snapshot);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(ops_of_a_lane_follow_each_other, set_up),
        cmocka_unit_test_setup(a_wait_counts_from_the_record_on, set_up),
        cmocka_unit_test_setup(what_others_come_behind_is_no_edge, set_up),
        cmocka_unit_test_setup(what_goes_on_with_nothing_begins_a_branch, set_up),
        cmocka_unit_test_setup(an_op_on_the_origin_comes_between_all, set_up),
        cmocka_unit_test_setup(a_new_pass_has_no_past, set_up),
        cmocka_unit_test_setup(edges_are_exactly_the_order, set_up),
        cmocka_unit_test_setup(arguments_are_copied_and_found, set_up),
        cmocka_unit_test_setup(room_ends, set_up),
        cmocka_unit_test_setup(what_differs_is_counted, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
