/* Polynomials: what they are for a launch, what is seen of them, and how they are written. */
#include "plugin/summary/polynomial.h"
#include "plugin/summary/range.h"
#include "test/cmocka.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MADE = 40, LAUNCHES = 8 };

static const int64_t values[LAUNCHES][2] = {{7, -3},  {0, 0},  {-1, 1},   {100, 99},
                                            {-50, 7}, {3, 64}, {12, -12}, {1, 2}};

static bool argument(const void *context, uint32_t parameter, uint32_t offset, uint32_t bits,
                     int64_t *value) {
    (void)offset;
    (void)bits;
    *value = ((const int64_t *)context)[parameter];
    return true;
}

/* False: there is more of it than a range may have, or it is too large. */
static bool evaluate(const struct kesco_algebra *algebra, kesco_polynomial p, unsigned launch,
                     int64_t *value) {
    const struct kesco_range_launch at = {{2 + launch, 1, 1}, {32, 1 + launch, 1}, argument, values[launch]};
    char *text = kesco_algebra_text(algebra, p), range[1 << 14];
    const int length = snprintf(range, sizeof range, "0;%s", text);
    struct kesco_pieces bytes;
    const bool fits = length < (int)sizeof range && kesco_range_is_valid(range) &&
                      kesco_range_evaluate(range, &at, &bytes) == 0;

    free(text);
    if (fits)
        *value = bytes.end;
    return fits;
}

static int64_t divide_down(int64_t a, int64_t b) {
    return a / b - (a % b < 0);
}

/* What the op makes of two values; of the quotient, 3 divides. */
static int64_t expect(unsigned op, int64_t a, int64_t b) {
    switch (op) {
    case 0:
        return a + b;
    case 1:
        return a - b;
    case 2:
        return a * b;
    case 3:
        return a < b ? a : b;
    case 4:
        return a > b ? a : b;
    default:
        return divide_down(a, 3);
    }
}

static kesco_polynomial operate(struct kesco_algebra *algebra, unsigned op, kesco_polynomial a,
                                kesco_polynomial b) {
    static kesco_polynomial (*const makers[])(struct kesco_algebra *, kesco_polynomial, kesco_polynomial) = {
        kesco_algebra_add, kesco_algebra_subtract, kesco_algebra_multiply, kesco_algebra_least,
        kesco_algebra_greatest};

    return op < 5 ? makers[op](algebra, a, b) : kesco_algebra_quotient(algebra, a, 3);
}

static unsigned make_leaves(struct kesco_algebra *algebra, kesco_polynomial *all) {
    all[0] = kesco_algebra_argument(algebra, 0, 0, 32);
    all[1] = kesco_algebra_argument(algebra, 1, 0, 32);
    all[2] = kesco_algebra_block_size(algebra, 1);
    all[3] = kesco_algebra_grid_size(algebra, 0);
    all[4] = kesco_algebra_number(algebra, 5);
    all[5] = KESCO_POLYNOMIAL_ZERO;
    return 6;
}

/* Returns for how many launches `made` is what the operator makes of the two, and what is seen of it holds.
 */
static unsigned check(struct kesco_algebra *algebra, unsigned op, kesco_polynomial a, kesco_polynomial b,
                      kesco_polynomial made) {
    int64_t first, second, value;
    unsigned launch, checked = 0;

    for (launch = 0; launch < LAUNCHES; launch++) {
        if (!evaluate(algebra, a, launch, &first) || !evaluate(algebra, b, launch, &second) ||
            !evaluate(algebra, made, launch, &value))
            continue;
        assert_true(value == expect(op, first, second));
        assert_true(value >= 0 || !kesco_algebra_is_non_negative(algebra, made));
        assert_true(value < 0 || !kesco_algebra_is_negative(algebra, made));
        checked++;
    }
    return checked;
}

/* Whatever is computed is for each launch what the same is of its values. */
static void test_operators(void **state) {
    struct kesco_algebra algebra = {0};
    kesco_polynomial all[MADE], made;
    unsigned round, count, checked = 0;

    (void)state;
    srandom(1);
    for (round = 0; round < 50; round++)
        for (count = make_leaves(&algebra, all); count < MADE; count++) {
            const unsigned a = (unsigned)random() % count, b = (unsigned)random() % count,
                           op = (unsigned)random() % 6;

            made = operate(&algebra, op, all[a], all[b]);
            all[count] = made == KESCO_POLYNOMIAL_UNKNOWN ? all[a] : made;
            if (made != KESCO_POLYNOMIAL_UNKNOWN)
                checked += check(&algebra, op, all[a], all[b], made);
        }
    assert_true(checked > 2000);
    kesco_algebra_clear(&algebra);
}

static void test_equal_is_the_same(void **state) {
    struct kesco_algebra algebra = {0};
    kesco_polynomial all[6], a, b, product;
    int64_t number;

    (void)state;
    make_leaves(&algebra, all);
    a = kesco_algebra_add(&algebra, all[0], all[1]);
    b = kesco_algebra_subtract(&algebra, all[0], all[1]);
    product = kesco_algebra_multiply(&algebra, a, b);
    assert_int_equal(product,
                     kesco_algebra_subtract(&algebra, kesco_algebra_multiply(&algebra, all[0], all[0]),
                                            kesco_algebra_multiply(&algebra, all[1], all[1])));
    assert_int_equal(kesco_algebra_subtract(&algebra, product, product), KESCO_POLYNOMIAL_ZERO);
    assert_int_equal(kesco_algebra_least(&algebra, all[0], all[1]),
                     kesco_algebra_least(&algebra, all[1], all[0]));
    assert_true(kesco_algebra_as_number(&algebra, all[4], &number) && number == 5);
    assert_false(kesco_algebra_as_number(&algebra, all[0], &number));
    kesco_algebra_clear(&algebra);
}

static void assert_text(const struct kesco_algebra *algebra, kesco_polynomial p, const char *expected) {
    char *text = kesco_algebra_text(algebra, p);

    assert_string_equal(text, expected);
    free(text);
}

static void test_text(void **state) {
    struct kesco_algebra algebra = {0};
    kesco_polynomial all[6], sum;

    (void)state;
    make_leaves(&algebra, all);
    sum = kesco_algebra_add(&algebra, kesco_algebra_multiply(&algebra, all[4], all[2]),
                            kesco_algebra_subtract(&algebra, all[0], all[4]));
    assert_text(&algebra, sum, "-5,a0:0:32,+,5,by,*,+");
    assert_text(&algebra, kesco_algebra_quotient(&algebra, sum, 5), "-1,by,+,a0:0:32,/5,+");
    assert_text(&algebra, kesco_algebra_greatest(&algebra, all[0], all[1]), "a0:0:32,a1:0:32,M");
    assert_text(&algebra, kesco_algebra_ratio(&algebra, all[3], all[2]), "gx,by,d");
    assert_text(&algebra, kesco_algebra_ratio(&algebra, all[0], all[1]), "a0:0:32,a1:0:32,d");
    assert_true(kesco_algebra_is_non_negative(&algebra, kesco_algebra_ratio(&algebra, all[3], all[1])));
    assert_false(kesco_algebra_is_non_negative(&algebra, kesco_algebra_ratio(&algebra, all[0], all[2])));
    assert_text(&algebra, KESCO_POLYNOMIAL_ZERO, "0");
    kesco_algebra_clear(&algebra);
}

static void test_hypothesis(void **state) {
    struct kesco_algebra algebra = {0};
    kesco_polynomial all[6], top, sum, least;

    (void)state;
    make_leaves(&algebra, all);
    top = kesco_algebra_hypothesis(&algebra);
    assert_int_not_equal(top, kesco_algebra_hypothesis(&algebra));
    sum = kesco_algebra_add(&algebra, top, all[0]);
    least = kesco_algebra_least(&algebra, top, all[0]);
    assert_true(kesco_algebra_mentions(&algebra, sum, top) && kesco_algebra_mentions(&algebra, least, top));
    assert_false(kesco_algebra_mentions(&algebra, all[0], top));
    assert_int_equal(kesco_algebra_substitute(&algebra, sum, top, all[1]),
                     kesco_algebra_add(&algebra, all[0], all[1]));
    assert_int_equal(kesco_algebra_substitute(&algebra, least, top, all[1]), KESCO_POLYNOMIAL_UNKNOWN);
    kesco_algebra_clear(&algebra);
}

/* As one product: multiples are seen to be some, and differences still cancel where it is asked for their
 * sign. */
static void test_factor(void **state) {
    struct kesco_algebra algebra = {0};
    const kesco_polynomial first = kesco_algebra_argument(&algebra, 0, 0, 32),
                           last = kesco_algebra_argument(&algebra, 1, 0, 32),
                           rows = kesco_algebra_argument(&algebra, 2, 0, 32),
                           four = kesco_algebra_number(&algebra, 4);
    const kesco_polynomial width = kesco_algebra_subtract(&algebra, last, first),
                           factor = kesco_algebra_factor(&algebra, width),
                           height = kesco_algebra_add(&algebra, rows, four),
                           all = kesco_algebra_multiply(&algebra, width, height);
    const kesco_polynomial plane =
        kesco_algebra_multiply(&algebra, factor, kesco_algebra_factor(&algebra, height));

    (void)state;
    assert_int_equal(kesco_algebra_factor(&algebra, rows), rows);
    assert_int_equal(kesco_algebra_factor(&algebra, four), four);
    assert_int_equal(kesco_algebra_factor(&algebra, KESCO_POLYNOMIAL_UNKNOWN), KESCO_POLYNOMIAL_UNKNOWN);
    assert_int_equal(kesco_algebra_factor(&algebra, factor), factor);
    assert_text(&algebra, factor, "-1,a0:0:32,*,a1:0:32,+");
    assert_text(
        &algebra,
        kesco_algebra_factor(
            &algebra, kesco_algebra_multiply(&algebra, kesco_algebra_multiply(&algebra, four, width), rows)),
        "4,a2:0:32,*,-1,a0:0:32,*,a1:0:32,+,*");
    assert_true(kesco_algebra_is_multiple(&algebra, plane, factor));
    assert_false(kesco_algebra_is_multiple(&algebra, plane, rows));
    assert_true(kesco_algebra_is_non_negative(&algebra, kesco_algebra_subtract(&algebra, factor, width)));
    assert_true(kesco_algebra_is_non_negative(&algebra, kesco_algebra_subtract(&algebra, all, plane)));
    assert_false(kesco_algebra_is_non_negative(&algebra, kesco_algebra_subtract(&algebra, all, factor)));
    assert_true(kesco_algebra_may_be_non_negative(&algebra, kesco_algebra_subtract(&algebra, plane, all)));
    const kesco_polynomial unknown = kesco_algebra_add(&algebra, kesco_algebra_hypothesis(&algebra), rows);
    assert_int_equal(kesco_algebra_factor(&algebra, unknown), unknown);
    kesco_algebra_clear(&algebra);
}

static void test_choices_that_may_be(void **state) {
    struct kesco_algebra algebra = {0};
    const kesco_polynomial n = kesco_algebra_argument(&algebra, 0, 0, 32),
                           pitch = kesco_algebra_argument(&algebra, 1, 0, 32),
                           block = kesco_algebra_block_size(&algebra, 0);
    const kesco_polynomial least = kesco_algebra_least(&algebra, block, pitch),
                           greatest = kesco_algebra_greatest(&algebra, n, pitch);

    (void)state;
    assert_true(kesco_algebra_may_be_non_negative(&algebra, kesco_algebra_subtract(&algebra, least, pitch)));
    assert_false(kesco_algebra_may_be_non_negative(&algebra, kesco_algebra_subtract(&algebra, least, n)));
    assert_true(
        kesco_algebra_may_be_non_negative(&algebra, kesco_algebra_subtract(&algebra, pitch, greatest)));
    assert_false(kesco_algebra_is_non_negative(&algebra, kesco_algebra_subtract(&algebra, pitch, greatest)));
    assert_false(kesco_algebra_may_be_non_negative(&algebra, KESCO_POLYNOMIAL_UNKNOWN));
    kesco_algebra_clear(&algebra);
}

static void test_multiples(void **state) {
    struct kesco_algebra algebra = {0};
    const kesco_polynomial n = kesco_algebra_argument(&algebra, 0, 0, 32),
                           pitch = kesco_algebra_argument(&algebra, 1, 0, 32),
                           four = kesco_algebra_number(&algebra, 4), six = kesco_algebra_number(&algebra, 6);
    const kesco_polynomial row = kesco_algebra_multiply(&algebra, pitch, four),
                           plane = kesco_algebra_multiply(&algebra, row, n),
                           sum = kesco_algebra_add(&algebra, plane, row);

    (void)state;
    assert_true(kesco_algebra_is_multiple(&algebra, plane, row));
    assert_true(kesco_algebra_is_multiple(&algebra, sum, row));
    assert_true(kesco_algebra_is_multiple(&algebra, row, row));
    assert_true(kesco_algebra_is_multiple(&algebra, KESCO_POLYNOMIAL_ZERO, row));
    assert_false(kesco_algebra_is_multiple(&algebra, row, plane));
    assert_false(kesco_algebra_is_multiple(&algebra, kesco_algebra_multiply(&algebra, pitch, six), row));
    assert_false(kesco_algebra_is_multiple(&algebra, kesco_algebra_add(&algebra, row, four), row));
    assert_false(kesco_algebra_is_multiple(&algebra, plane, sum));
    assert_false(kesco_algebra_is_multiple(&algebra, plane, KESCO_POLYNOMIAL_ZERO));
    assert_false(kesco_algebra_is_multiple(&algebra, KESCO_POLYNOMIAL_UNKNOWN, row));
    assert_false(kesco_algebra_is_multiple(&algebra, row, KESCO_POLYNOMIAL_UNKNOWN));
    kesco_algebra_clear(&algebra);
}

static void test_too_many_terms(void **state) {
    struct kesco_algebra algebra = {0};
    kesco_polynomial sum = KESCO_POLYNOMIAL_ZERO;
    unsigned i;

    (void)state;
    for (i = 0; i < 24; i++)
        sum = kesco_algebra_add(&algebra, sum, kesco_algebra_argument(&algebra, i, 0, 32));
    assert_int_not_equal(sum, KESCO_POLYNOMIAL_UNKNOWN);
    sum = kesco_algebra_add(&algebra, sum, kesco_algebra_argument(&algebra, i, 0, 32));
    assert_int_equal(sum, KESCO_POLYNOMIAL_UNKNOWN);
    kesco_algebra_clear(&algebra);
}

static void test_too_large(void **state) {
    struct kesco_algebra algebra = {0};
    kesco_polynomial all[6], product, most = kesco_algebra_number(&algebra, INT64_MAX);
    unsigned i;

    (void)state;
    make_leaves(&algebra, all);
    assert_int_equal(kesco_algebra_add(&algebra, most, all[4]), KESCO_POLYNOMIAL_UNKNOWN);
    assert_int_equal(kesco_algebra_multiply(&algebra, most, all[4]), KESCO_POLYNOMIAL_UNKNOWN);
    for (product = all[0], i = 1; i < 5; i++)
        product = kesco_algebra_multiply(&algebra, product, all[i % 2]);
    assert_int_not_equal(product, KESCO_POLYNOMIAL_UNKNOWN);
    product = kesco_algebra_multiply(&algebra, product, all[0]);
    assert_int_equal(product, KESCO_POLYNOMIAL_UNKNOWN);
    assert_int_equal(kesco_algebra_least(&algebra, product, all[0]), KESCO_POLYNOMIAL_UNKNOWN);
    assert_false(kesco_algebra_is_non_negative(&algebra, product) ||
                 kesco_algebra_is_negative(&algebra, product));
    assert_int_equal(kesco_algebra_ratio(&algebra, product, all[2]), KESCO_POLYNOMIAL_UNKNOWN);
    assert_int_equal(kesco_algebra_ratio(&algebra, all[2], product), KESCO_POLYNOMIAL_UNKNOWN);
    assert_int_equal(kesco_algebra_ratio(&algebra, all[0], KESCO_POLYNOMIAL_ZERO), KESCO_POLYNOMIAL_ZERO);
    kesco_algebra_clear(&algebra);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operators),
        cmocka_unit_test(test_equal_is_the_same),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_hypothesis),
        cmocka_unit_test(test_too_many_terms),
        cmocka_unit_test(test_factor),
        cmocka_unit_test(test_choices_that_may_be),
        cmocka_unit_test(test_multiples),
        cmocka_unit_test(test_too_large),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
