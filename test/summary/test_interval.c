/* Intervals: they hold what is computed, no more than that, and say what has to be for it. */
#include "plugin/summary/interval_parts.h"
#include "test/cmocka.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST = -3, MOST = 4 };

static struct kesco_algebra algebra;

static int clear(void **state) {
    (void)state;
    kesco_algebra_clear(&algebra);
    return 0;
}

/* Bounds of what was computed, or none. */
struct seen {
    int64_t low, high;
};

static void widen(struct seen *seen, int64_t value) {
    seen->low = value < seen->low ? value : seen->low;
    seen->high = value > seen->high ? value : seen->high;
}

static void expect(const struct kesco_interval *found, const struct seen *seen) {
    int64_t low, high;
    assert_true(kesco_algebra_as_number(&algebra, found->low, &low));
    assert_true(kesco_algebra_as_number(&algebra, found->high, &high));
    assert_int_equal(low, seen->low);
    assert_int_equal(high, seen->high);
}

static void expect_of_two(int64_t a0, int64_t a1, int64_t b0, int64_t b1) {
    const struct kesco_interval a = kesco_interval_between(&algebra, a0, a1),
                                b = kesco_interval_between(&algebra, b0, b1);
    struct seen sum = {INT64_MAX, INT64_MIN}, difference = sum, product = sum, lesser = sum, greater = sum,
                both = sum;
    for (int64_t x = a0; x <= a1; x++)
        for (int64_t y = b0; y <= b1; y++) {
            widen(&sum, x + y);
            widen(&difference, x - y);
            widen(&product, x * y);
            widen(&lesser, x < y ? x : y);
            widen(&greater, x > y ? x : y);
            widen(&both, x);
            widen(&both, y);
        }
    struct kesco_interval found = kesco_interval_plus(&algebra, &a, &b);
    expect(&found, &sum);
    found = kesco_interval_minus(&algebra, &a, &b);
    expect(&found, &difference);
    found = kesco_interval_choice(&algebra, &a, &b, true);
    expect(&found, &lesser);
    found = kesco_interval_choice(&algebra, &a, &b, false);
    expect(&found, &greater);
    found = kesco_interval_hull(&algebra, &a, &b);
    expect(&found, &both);
    found = kesco_interval_times(&algebra, &a, &b);
    const bool are_ordered = a0 == a1 || b0 == b1 || (a0 >= 0 && b0 >= 0);
    assert_int_equal(kesco_interval_is_known(&found), are_ordered);
    if (are_ordered)
        expect(&found, &product);
}

static void test_numbers(void **state) {
    (void)state;
    for (int64_t a0 = LEAST; a0 <= MOST; a0++)
        for (int64_t a1 = a0; a1 <= MOST; a1++)
            for (int64_t b0 = LEAST; b0 <= MOST; b0++)
                for (int64_t b1 = b0; b1 <= MOST; b1++)
                    expect_of_two(a0, a1, b0, b1);
}

static void test_quotients(void **state) {
    (void)state;
    for (int64_t low = -9; low <= 9; low++)
        for (int64_t high = low; high <= 9; high++) {
            const struct kesco_interval all = kesco_interval_between(&algebra, low, high);
            struct seen down = {INT64_MAX, INT64_MIN};
            for (int64_t x = low; x <= high; x++)
                widen(&down, x / 4 - (x % 4 < 0));
            struct kesco_interval found = kesco_interval_quotient(&algebra, &all, 4, false);
            expect(&found, &down);
            found = kesco_interval_quotient(&algebra, &all, 4, true);
            expect(&found, &(struct seen){down.low, down.high < 0 ? 0 : down.high});
        }
}

static void test_bits(void **state) {
    (void)state;
    const struct kesco_interval byte = kesco_interval_of_bits(&algebra, 8),
                                word = kesco_interval_of_bits(&algebra, 64),
                                more = kesco_interval_of_bits(&algebra, 65);
    expect(&byte, &(struct seen){-128, 127});
    expect(&word, &(struct seen){INT64_MIN, INT64_MAX});
    assert_false(kesco_interval_is_known(&more));
}

static void test_registers(void **state) {
    (void)state;
    static const struct {
        const char *name, *text;
    } known[] = {
        {"laneid", "0;31"},
        {"warpsize", "32;32"},
        {"tid.x", "0;-1,bx,+"},
        {"ctaid.y", "0;-1,gy,+"},
        {"ntid.z", "bz;bz"},
        {"nctaid.x", "gx;gx"},
        {"tid", NULL},
        {"tid.w", NULL},
        {"clock.x", NULL},
        {"tid.xy", NULL},
        {"", NULL},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
        const struct kesco_interval found = kesco_interval_of_register(&algebra, known[i].name);
        char *text = kesco_interval_text(&algebra, &found);
        if (known[i].text)
            assert_string_equal(text, known[i].text);
        else
            assert_null(text);
        free(text);
    }
}

static void test_what_must_hold_is_told_once(void **state) {
    (void)state;
    const kesco_polynomial n = kesco_algebra_argument(&algebra, 0, 0, 32),
                           more = kesco_algebra_add(&algebra, n, kesco_algebra_number(&algebra, 5));
    struct kesco_interval found = kesco_interval_exactly(n);
    assert_true(kesco_interval_require(&algebra, &found, n));
    assert_true(kesco_interval_require(&algebra, &found, more));
    assert_true(kesco_interval_require(&algebra, &found, kesco_algebra_number(&algebra, 0)));
    assert_int_equal(found.conditions.count, 1);
    assert_false(kesco_interval_require(&algebra, &found, kesco_algebra_number(&algebra, -1)));
    assert_false(kesco_interval_is_known(&found));
}

static void test_too_many_conditions(void **state) {
    (void)state;
    struct kesco_interval some = kesco_interval_exactly(KESCO_POLYNOMIAL_ZERO), others = some, all;
    for (unsigned i = 0; i < KESCO_MAX_CONDITIONS; i++)
        assert_true(kesco_interval_require(&algebra, &some, kesco_algebra_argument(&algebra, i, 0, 32)));
    all = kesco_interval_plus(&algebra, &some, &some);
    assert_true(kesco_interval_is_known(&all));
    assert_true(kesco_interval_require(&algebra, &others, kesco_algebra_argument(&algebra, 99, 0, 32)));
    all = kesco_interval_plus(&algebra, &some, &others);
    assert_false(kesco_interval_is_known(&all));
    assert_false(kesco_interval_require(&algebra, &some, kesco_algebra_argument(&algebra, 99, 0, 32)));
}

/* True if the interval's conditions say that `p` is 0 or more: it adds none. */
static bool requires_at_least(struct kesco_interval *interval, kesco_polynomial p) {
    const uint32_t before = interval->conditions.count;

    return kesco_interval_require(&algebra, interval, p) && interval->conditions.count == before;
}

/* Of accesses side by side, the last one's condition alone counts, in whatever order they come. */
static void test_conditions_of_many_accesses(void **state) {
    (void)state;
    const kesco_polynomial n = kesco_algebra_grid_size(&algebra, 0);
    enum { COUNT = 2 * KESCO_MAX_CONDITIONS + 2 };
    for (unsigned backwards = 0; backwards < 2; backwards++) {
        struct kesco_interval all = kesco_interval_exactly(KESCO_POLYNOMIAL_ZERO);
        for (unsigned i = 0; i < COUNT; i++) {
            const int64_t slot = backwards ? COUNT - i : i + 1;
            const kesco_polynomial at =
                kesco_algebra_multiply(&algebra, n, kesco_algebra_number(&algebra, slot));
            struct kesco_interval one = kesco_interval_exactly(at);
            assert_true(kesco_interval_require(
                &algebra, &one,
                kesco_algebra_subtract(&algebra, kesco_algebra_number(&algebra, INT32_MAX), at)));
            all = kesco_interval_hull(&algebra, &all, &one);
            assert_true(kesco_interval_is_known(&all));
        }
        assert_int_equal(all.high,
                         kesco_algebra_multiply(&algebra, n, kesco_algebra_number(&algebra, COUNT)));
        assert_true(requires_at_least(
            &all, kesco_algebra_subtract(&algebra, kesco_algebra_number(&algebra, INT32_MAX), all.high)));
    }
}

static void test_pieces(void **state) {
    (void)state;
    const kesco_polynomial pitch = kesco_algebra_argument(&algebra, 1, 0, 32);
    const struct kesco_interval row = kesco_interval_of_register(&algebra, "ctaid.x"),
                                column = kesco_interval_between(&algebra, 0, 7),
                                stride = kesco_interval_exactly(pitch),
                                begin = kesco_interval_times(&algebra, &row, &stride),
                                bytes = kesco_interval_plus(&algebra, &begin, &column),
                                whole = kesco_interval_plus(&algebra, &row, &column);
    char *text = kesco_interval_text(&algebra, &bytes), *plain = kesco_interval_text(&algebra, &whole);
    assert_string_equal(text, "r0;7,-1,a1:0:32,*,+,a1:0:32,gx,*,+;a1:0:32;0;7;a1:0:32");
    assert_string_equal(plain, "0;6,gx,+");
    free(text);
    free(plain);
}

/* Rows and planes, of a volume that is indexed in one product and in two. */
static void test_boxes(void **state) {
    (void)state;
    const kesco_polynomial one = kesco_algebra_number(&algebra, 1);
    const struct kesco_interval z = kesco_interval_of_register(&algebra, "ctaid.y"),
                                y = kesco_interval_between(&algebra, 1, 3),
                                x = kesco_interval_between(&algebra, 2, 6),
                                height = kesco_interval_exactly(kesco_algebra_argument(&algebra, 1, 0, 32)),
                                width = kesco_interval_exactly(kesco_algebra_add(
                                    &algebra, kesco_algebra_argument(&algebra, 0, 0, 32), one)),
                                plane = kesco_interval_times(&algebra, &height, &width);
    const struct kesco_interval rows = kesco_interval_times(&algebra, &z, &height),
                                row = kesco_interval_plus(&algebra, &rows, &y),
                                of_row = kesco_interval_times(&algebra, &row, &width),
                                at = kesco_interval_plus(&algebra, &of_row, &x);
    const struct kesco_interval of_plane = kesco_interval_times(&algebra, &z, &plane),
                                of_y = kesco_interval_times(&algebra, &y, &width),
                                both = kesco_interval_plus(&algebra, &of_plane, &of_y),
                                again = kesco_interval_plus(&algebra, &both, &x);
    char *text = kesco_interval_text(&algebra, &at), *other = kesco_interval_text(&algebra, &again);
    static const char box[] = "rr2,1,a0:0:32,+,+;6,gy,a1:0:32,*,1,a0:0:32,+,*,+,-1,a1:0:32,*,1,a0:0:32,+,*,+,"
                              "3,1,a0:0:32,+,*,+;1,a0:0:32,+;2;4;a1:0:32,1,a0:0:32,+,*;2,1,a0:0:32,+,+;"
                              "4,2,1,a0:0:32,+,*,+;";
    assert_memory_equal(text, box, strlen(box));
    assert_memory_equal(other, box, strlen(box));
    free(text);
    free(other);
}

/* From `from` times the first argument on, so many times the second, and `added`. */
static struct kesco_interval part(int64_t from, int64_t count, int64_t added) {
    const kesco_polynomial pitch = kesco_algebra_argument(&algebra, 0, 0, 32),
                           width = kesco_algebra_argument(&algebra, 1, 0, 32);
    const kesco_polynomial begin = kesco_algebra_add(
        &algebra, kesco_algebra_multiply(&algebra, pitch, kesco_algebra_number(&algebra, from)),
        kesco_algebra_number(&algebra, added));
    struct kesco_interval bytes = kesco_interval_exactly(begin);
    bytes.high = kesco_algebra_add(
        &algebra, begin, kesco_algebra_multiply(&algebra, width, kesco_algebra_number(&algebra, count)));
    return bytes;
}

static void assert_parts(const struct kesco_interval *all, size_t count, const char *expected) {
    struct kesco_interval_parts parts = {.count = 0};
    for (size_t i = 0; i < count; i++)
        kesco_interval_parts_add(&algebra, &parts, &all[i]);
    char *text = kesco_interval_parts_text(&algebra, &parts);
    if (expected)
        assert_string_equal(text, expected);
    else
        assert_null(text);
    free(text);
}

/* What overlaps, or lies side by side, is one; what is known of none leaves nothing known. */
static void test_parts(void **state) {
    (void)state;
    const struct kesco_interval far[] = {part(0, 1, 0), part(1000, 1, 0), part(0, 1, 4), part(1000, 1, -4)};
    assert_parts(far, 1, "0;a1:0:32");
    assert_parts(far, 2, "0;a1:0:32|1000,a0:0:32,*;1000,a0:0:32,*,a1:0:32,+");
    assert_parts(far, 4, "0;4,a1:0:32,+|-4,1000,a0:0:32,*,+;1000,a0:0:32,*,a1:0:32,+");
    const struct kesco_interval numbers[] = {kesco_interval_between(&algebra, 0, 8),
                                             kesco_interval_between(&algebra, 16, 24),
                                             kesco_interval_between(&algebra, 8, 16),
                                             kesco_interval_between(&algebra, 100, 108),
                                             kesco_interval_between(&algebra, 1000, 1008),
                                             kesco_interval_between(&algebra, 900, 908),
                                             kesco_interval_between(&algebra, 5000, 5008),
                                             kesco_interval_between(&algebra, 9000, 9008),
                                             kesco_interval_unknown()};
    assert_parts(numbers, 2, "0;8|16;24");
    assert_parts(numbers, 3, "0;24");
    assert_parts(numbers, 4, "0;24|100;108");
    assert_parts(numbers, 8, "0;108|5000;5008|9000;9008|900;1008");
    assert_parts(numbers, 9, NULL);
}

static void test_far_away_is_anywhere(void **state) {
    (void)state;
    const struct kesco_interval near = kesco_interval_between(&algebra, -INT32_MAX, INT32_MAX),
                                low = kesco_interval_between(&algebra, -INT32_MAX - INT64_C(1), 0),
                                high = kesco_interval_between(&algebra, 0, INT32_MAX + INT64_C(1));
    char *text = kesco_interval_text(&algebra, &near);
    assert_non_null(text);
    free(text);
    assert_null(kesco_interval_text(&algebra, &low));
    assert_null(kesco_interval_text(&algebra, &high));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_numbers, clear),
        cmocka_unit_test_teardown(test_quotients, clear),
        cmocka_unit_test_teardown(test_bits, clear),
        cmocka_unit_test_teardown(test_registers, clear),
        cmocka_unit_test_teardown(test_what_must_hold_is_told_once, clear),
        cmocka_unit_test_teardown(test_too_many_conditions, clear),
        cmocka_unit_test_teardown(test_conditions_of_many_accesses, clear),
        cmocka_unit_test_teardown(test_pieces, clear),
        cmocka_unit_test_teardown(test_boxes, clear),
        cmocka_unit_test_teardown(test_parts, clear),
        cmocka_unit_test_teardown(test_far_away_is_anywhere, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
