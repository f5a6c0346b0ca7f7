#include "plugin/summary/rows.h"

#include <stddef.h>

static bool are_known(const struct kesco_rows *rows) {
    return rows->pitch != KESCO_POLYNOMIAL_UNKNOWN && rows->first != KESCO_POLYNOMIAL_UNKNOWN &&
           rows->last != KESCO_POLYNOMIAL_UNKNOWN;
}

static const struct kesco_rows *find(const struct kesco_all_rows *all, kesco_polynomial pitch) {
    for (uint32_t i = 0; i < all->count; i++)
        if (all->items[i].pitch == pitch)
            return &all->items[i];
    return NULL;
}

/* Rows that nothing is known of, or at a pitch that there are some of, are none. */
static void add(struct kesco_all_rows *all, const struct kesco_rows *rows) {
    if (are_known(rows) && all->count < KESCO_MAX_PITCHES && !find(all, rows->pitch))
        all->items[all->count++] = *rows;
}

static bool is_number(const struct kesco_algebra *algebra, kesco_polynomial p) {
    int64_t number;
    return kesco_algebra_as_number(algebra, p, &number);
}

/* With something between `low` and `high` added. Rows without a gap say nothing. */
static struct kesco_rows beside(struct kesco_algebra *algebra, const struct kesco_rows *rows,
                                kesco_polynomial low, kesco_polynomial high) {
    struct kesco_rows sum = {
        .pitch = rows->pitch,
        .first = kesco_algebra_add(algebra, rows->first, low),
        .last = kesco_algebra_add(algebra, rows->last, high),
    };
    const kesco_polynomial length = kesco_algebra_add(
        algebra, kesco_algebra_subtract(algebra, sum.last, sum.first), kesco_algebra_number(algebra, 1));
    if (are_known(&sum) &&
        kesco_algebra_is_non_negative(algebra, kesco_algebra_subtract(algebra, length, sum.pitch)))
        sum.pitch = KESCO_POLYNOMIAL_UNKNOWN;
    return sum;
}

struct kesco_all_rows kesco_rows_negative(struct kesco_algebra *algebra, const struct kesco_all_rows *rows) {
    const kesco_polynomial minus_one = kesco_algebra_number(algebra, -1);
    struct kesco_all_rows negative = {.count = 0};
    for (uint32_t i = 0; i < rows->count; i++)
        add(&negative, &(struct kesco_rows){
                           .pitch = rows->items[i].pitch,
                           .first = kesco_algebra_multiply(algebra, rows->items[i].last, minus_one),
                           .last = kesco_algebra_multiply(algebra, rows->items[i].first, minus_one),
                       });
    return negative;
}

static void add_scaled(struct kesco_algebra *algebra, struct kesco_all_rows *all,
                       const struct kesco_all_rows *rows, kesco_polynomial by) {
    for (uint32_t i = 0; i < rows->count; i++)
        add(all, &(struct kesco_rows){
                     .pitch = kesco_algebra_multiply(algebra, rows->items[i].pitch, by),
                     .first = kesco_algebra_multiply(algebra, rows->items[i].first, by),
                     .last = kesco_algebra_multiply(algebra, rows->items[i].last, by),
                 });
}

struct kesco_all_rows kesco_rows_of_product(struct kesco_algebra *algebra, const struct kesco_interval *a,
                                            kesco_polynomial by) {
    struct kesco_all_rows product = {.count = 0};
    const struct kesco_rows steps =
        beside(algebra, &(struct kesco_rows){.pitch = by}, KESCO_POLYNOMIAL_ZERO, KESCO_POLYNOMIAL_ZERO);
    if (kesco_interval_is_one(a))
        return product;
    if (!is_number(algebra, by))
        add(&product, &steps);
    add_scaled(algebra, &product, &a->rows, by);
    add(&product, &steps);
    return product;
}

/*
 * True if of a sum of both, the rows of `a` tell more: what one element has to the next is a number, the
 * pitch of a matrix is often none. Planes of rows are rows.
 */
static bool is_main(const struct kesco_algebra *algebra, const struct kesco_rows *a,
                    const struct kesco_rows *b) {
    int64_t pitch_of_a, pitch_of_b;
    const bool is_a_number = kesco_algebra_as_number(algebra, a->pitch, &pitch_of_a),
               is_b_number = kesco_algebra_as_number(algebra, b->pitch, &pitch_of_b);
    if (is_a_number && is_b_number)
        return pitch_of_a >= pitch_of_b;
    if (!is_a_number && !is_b_number)
        return kesco_algebra_is_multiple(algebra, b->pitch, a->pitch) ||
               !kesco_algebra_is_multiple(algebra, a->pitch, b->pitch);
    return !is_a_number;
}

/* True for a pitch of what lies further apart most likely than in rows at `pitch`, which is a number. */
static bool is_longer(const struct kesco_algebra *algebra, kesco_polynomial own, kesco_polynomial pitch) {
    int64_t number_of_own, number;
    return kesco_algebra_as_number(algebra, pitch, &number) &&
           (!kesco_algebra_as_number(algebra, own, &number_of_own) || number_of_own > number);
}

/* What tells where of those rows something lies: of its own rows, those whose planes they can be, the
 * shortest, else its bounds; unknown where these are most likely many times the pitch. */
static struct kesco_rows place_in(const struct kesco_algebra *algebra, const struct kesco_rows *rows,
                                  const struct kesco_interval *what) {
    struct kesco_rows best = {.first = what->low, .last = what->high};
    bool has_best = false, is_long = false;
    for (uint32_t i = 0; i < what->rows.count; i++) {
        const struct kesco_rows *own = &what->rows.items[i];
        is_long |= is_longer(algebra, own->pitch, rows->pitch);
        if (!kesco_algebra_is_multiple(algebra, own->pitch, rows->pitch) ||
            (has_best && !kesco_algebra_is_multiple(algebra, best.pitch, own->pitch)))
            continue;
        best = *own;
        has_best = true;
    }
    if (!has_best && is_long)
        best.first = best.last = KESCO_POLYNOMIAL_UNKNOWN;
    return best;
}

static void add_beside(struct kesco_algebra *algebra, struct kesco_all_rows *all,
                       const struct kesco_rows *rows, const struct kesco_interval *what) {
    const struct kesco_rows place = place_in(algebra, rows, what),
                            sum = beside(algebra, rows, place.first, place.last);
    add(all, &sum);
}

struct kesco_all_rows kesco_rows_of_sum(struct kesco_algebra *algebra, const struct kesco_interval *a,
                                        const struct kesco_interval *b) {
    struct kesco_all_rows sum = {.count = 0};
    uint32_t of_a = 0, of_b = 0;
    while (of_a < a->rows.count || of_b < b->rows.count) {
        const struct kesco_rows *first = &a->rows.items[of_a], *second = &b->rows.items[of_b];
        if (of_b == b->rows.count || (of_a < a->rows.count && is_main(algebra, first, second))) {
            add_beside(algebra, &sum, first, b);
            of_a++;
        } else {
            add_beside(algebra, &sum, second, a);
            of_b++;
        }
    }
    return sum;
}

static bool is_of_numbers(const struct kesco_algebra *algebra, const struct kesco_interval *a) {
    return is_number(algebra, a->low) && is_number(algebra, a->high);
}

/* The rows of `a` with what is in `b`. */
static void add_with(struct kesco_algebra *algebra, struct kesco_all_rows *all,
                     const struct kesco_interval *a, const struct kesco_interval *b) {
    const struct kesco_rows numbers = {.first = b->low, .last = b->high};
    for (uint32_t i = 0; i < a->rows.count; i++) {
        const struct kesco_rows *rows = &a->rows.items[i], *others = find(&b->rows, rows->pitch);
        if (!others && is_of_numbers(algebra, b))
            others = &numbers;
        if (others)
            add(all, &(struct kesco_rows){
                         .pitch = rows->pitch,
                         .first = kesco_algebra_least(algebra, rows->first, others->first),
                         .last = kesco_algebra_greatest(algebra, rows->last, others->last),
                     });
    }
}

struct kesco_all_rows kesco_rows_of_both(struct kesco_algebra *algebra, const struct kesco_interval *a,
                                         const struct kesco_interval *b) {
    struct kesco_all_rows both = {.count = 0};
    add_with(algebra, &both, a, b);
    add_with(algebra, &both, b, a);
    return both;
}
