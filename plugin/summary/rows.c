#include "plugin/summary/rows.h"

bool kesco_rows_are_known(const struct kesco_rows *rows) {
    return rows->pitch != KESCO_POLYNOMIAL_UNKNOWN && rows->first != KESCO_POLYNOMIAL_UNKNOWN &&
           rows->last != KESCO_POLYNOMIAL_UNKNOWN;
}

static bool is_number(const struct kesco_algebra *algebra, kesco_polynomial p) {
    int64_t number;
    return kesco_algebra_as_number(algebra, p, &number);
}

static struct kesco_rows scaled(struct kesco_algebra *algebra, const struct kesco_rows *rows,
                                kesco_polynomial by) {
    return (struct kesco_rows){
        .pitch = kesco_algebra_multiply(algebra, rows->pitch, by),
        .first = kesco_algebra_multiply(algebra, rows->first, by),
        .last = kesco_algebra_multiply(algebra, rows->last, by),
    };
}

/* With something between `low` and `high` added. Rows without a gap say nothing. */
static struct kesco_rows beside(struct kesco_algebra *algebra, const struct kesco_rows *rows,
                                kesco_polynomial low, kesco_polynomial high) {
    const struct kesco_rows sum = {
        .pitch = rows->pitch,
        .first = kesco_algebra_add(algebra, rows->first, low),
        .last = kesco_algebra_add(algebra, rows->last, high),
    };
    const kesco_polynomial length = kesco_algebra_add(
        algebra, kesco_algebra_subtract(algebra, sum.last, sum.first), kesco_algebra_number(algebra, 1));
    if (!kesco_rows_are_known(&sum) ||
        kesco_algebra_is_non_negative(algebra, kesco_algebra_subtract(algebra, length, sum.pitch)))
        return KESCO_NO_ROWS;
    return sum;
}

struct kesco_rows kesco_rows_negative(struct kesco_algebra *algebra, const struct kesco_rows *rows) {
    const kesco_polynomial minus_one = kesco_algebra_number(algebra, -1);
    if (!kesco_rows_are_known(rows))
        return KESCO_NO_ROWS;
    return (struct kesco_rows){
        .pitch = rows->pitch,
        .first = kesco_algebra_multiply(algebra, rows->last, minus_one),
        .last = kesco_algebra_multiply(algebra, rows->first, minus_one),
    };
}

struct kesco_rows kesco_rows_of_product(struct kesco_algebra *algebra, const struct kesco_interval *a,
                                        kesco_polynomial by) {
    if (kesco_interval_is_one(a))
        return KESCO_NO_ROWS;
    if (kesco_rows_are_known(&a->rows) && is_number(algebra, by))
        return scaled(algebra, &a->rows, by);
    return beside(algebra, &(struct kesco_rows){.pitch = by}, KESCO_POLYNOMIAL_ZERO, KESCO_POLYNOMIAL_ZERO);
}

/*
 * True if of a sum of both, the rows of `a` tell more: what one element has to the next is a number, the
 * pitch of a matrix is often none.
 */
static bool is_main(const struct kesco_algebra *algebra, const struct kesco_rows *a,
                    const struct kesco_rows *b) {
    int64_t pitch_of_a, pitch_of_b;
    const bool is_a_number = kesco_algebra_as_number(algebra, a->pitch, &pitch_of_a);
    if (is_a_number && kesco_algebra_as_number(algebra, b->pitch, &pitch_of_b))
        return pitch_of_a >= pitch_of_b;
    return !is_a_number;
}

/* Planes of rows are rows; else what has rows of its own counts by its bounds. */
struct kesco_rows kesco_rows_of_sum(struct kesco_algebra *algebra, const struct kesco_interval *a,
                                    const struct kesco_interval *b) {
    if (!kesco_rows_are_known(&a->rows) || !kesco_rows_are_known(&b->rows)) {
        const struct kesco_interval *main = kesco_rows_are_known(&a->rows) ? a : b,
                                    *other = main == a ? b : a;
        return kesco_rows_are_known(&main->rows) ? beside(algebra, &main->rows, other->low, other->high)
                                                 : KESCO_NO_ROWS;
    }
    if (!is_number(algebra, a->rows.pitch) && !is_number(algebra, b->rows.pitch)) {
        if (kesco_algebra_is_multiple(algebra, b->rows.pitch, a->rows.pitch))
            return beside(algebra, &a->rows, b->rows.first, b->rows.last);
        if (kesco_algebra_is_multiple(algebra, a->rows.pitch, b->rows.pitch))
            return beside(algebra, &b->rows, a->rows.first, a->rows.last);
    }
    return is_main(algebra, &a->rows, &b->rows) ? beside(algebra, &a->rows, b->low, b->high)
                                                : beside(algebra, &b->rows, a->low, a->high);
}

static struct kesco_rows with(struct kesco_algebra *algebra, const struct kesco_rows *rows,
                              kesco_polynomial first, kesco_polynomial last) {
    return (struct kesco_rows){
        .pitch = rows->pitch,
        .first = kesco_algebra_least(algebra, rows->first, first),
        .last = kesco_algebra_greatest(algebra, rows->last, last),
    };
}

/* Of which `a` has some, and `b` has none. */
static struct kesco_rows with_numbers(struct kesco_algebra *algebra, const struct kesco_interval *a,
                                      const struct kesco_interval *b) {
    return is_number(algebra, b->low) && is_number(algebra, b->high)
               ? with(algebra, &a->rows, b->low, b->high)
               : KESCO_NO_ROWS;
}

struct kesco_rows kesco_rows_of_both(struct kesco_algebra *algebra, const struct kesco_interval *a,
                                     const struct kesco_interval *b) {
    const bool has_a = kesco_rows_are_known(&a->rows), has_b = kesco_rows_are_known(&b->rows);
    if (has_a && has_b)
        return a->rows.pitch == b->rows.pitch ? with(algebra, &a->rows, b->rows.first, b->rows.last)
                                              : KESCO_NO_ROWS;
    if (has_a)
        return with_numbers(algebra, a, b);
    return has_b ? with_numbers(algebra, b, a) : KESCO_NO_ROWS;
}
