#define _GNU_SOURCE
#include "plugin/summary/interval.h"

#include "plugin/summary/range.h"
#include "plugin/summary/rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What lies further away from a pointer, whatever the launch, is as good as anywhere. */
#define FAR (INT64_C(1) << 31)

struct kesco_interval kesco_interval_unknown(void) {
    return (struct kesco_interval){
        .low = KESCO_POLYNOMIAL_UNKNOWN, .high = KESCO_POLYNOMIAL_UNKNOWN, .rows = {.count = 0}};
}

bool kesco_interval_is_known(const struct kesco_interval *interval) {
    return interval->low != KESCO_POLYNOMIAL_UNKNOWN && interval->high != KESCO_POLYNOMIAL_UNKNOWN;
}

bool kesco_interval_is_one(const struct kesco_interval *interval) {
    return interval->low == interval->high;
}

static struct kesco_interval make(kesco_polynomial low, kesco_polynomial high) {
    return (struct kesco_interval){.low = low, .high = high};
}

struct kesco_interval kesco_interval_exactly(kesco_polynomial p) {
    return make(p, p);
}

struct kesco_interval kesco_interval_between(struct kesco_algebra *algebra, int64_t low, int64_t high) {
    const kesco_polynomial from = kesco_algebra_number(algebra, low);
    return make(from, kesco_algebra_number(algebra, high));
}

struct kesco_interval kesco_interval_of_bits(struct kesco_algebra *algebra, unsigned bits) {
    if (bits > 64)
        return kesco_interval_unknown();
    const int64_t most = bits == 64 ? INT64_MAX : (INT64_C(1) << (bits - 1)) - 1;
    return kesco_interval_between(algebra, -most - 1, most);
}

/* The axis that a name ends with; 3 for none. */
static unsigned axis_of(const char *suffix) {
    static const char *const axes[] = {".x", ".y", ".z"};
    unsigned axis = 0;
    while (axis < 3 && strcmp(suffix, axes[axis]) != 0)
        axis++;
    return axis;
}

/* From 0 to one less than `count`. */
static struct kesco_interval below(struct kesco_algebra *algebra, kesco_polynomial count) {
    const kesco_polynomial one = kesco_algebra_number(algebra, 1);
    return make(kesco_algebra_number(algebra, 0), kesco_algebra_subtract(algebra, count, one));
}

struct kesco_interval kesco_interval_of_register(struct kesco_algebra *algebra, const char *name) {
    const size_t length = strcspn(name, ".");
    const unsigned axis = axis_of(name + length);
    if (strcmp(name, "laneid") == 0)
        return kesco_interval_between(algebra, 0, 31);
    if (strcmp(name, "warpsize") == 0)
        return kesco_interval_between(algebra, 32, 32);
    if (axis > 2)
        return kesco_interval_unknown();
    if (length == 3 && memcmp(name, "tid", 3) == 0)
        return below(algebra, kesco_algebra_block_size(algebra, axis));
    if (length == 5 && memcmp(name, "ctaid", 5) == 0)
        return below(algebra, kesco_algebra_grid_size(algebra, axis));
    if (length == 4 && memcmp(name, "ntid", 4) == 0)
        return kesco_interval_exactly(kesco_algebra_block_size(algebra, axis));
    if (length == 6 && memcmp(name, "nctaid", 6) == 0)
        return kesco_interval_exactly(kesco_algebra_grid_size(algebra, axis));
    return kesco_interval_unknown();
}

static bool has_condition(const struct kesco_conditions *conditions, kesco_polynomial p) {
    for (uint32_t i = 0; i < conditions->count; i++)
        if (conditions->items[i] == p)
            return true;
    return false;
}

static void add_condition(struct kesco_interval *interval, kesco_polynomial p) {
    if (has_condition(&interval->conditions, p))
        return;
    if (interval->conditions.count == KESCO_MAX_CONDITIONS)
        *interval = kesco_interval_unknown();
    else
        interval->conditions.items[interval->conditions.count++] = p;
}

static bool has_room(const struct kesco_conditions *to, const struct kesco_conditions *from) {
    uint32_t count = to->count;
    for (uint32_t i = 0; i < from->count; i++)
        count += !has_condition(to, from->items[i]);
    return count <= KESCO_MAX_CONDITIONS;
}

void kesco_interval_add_conditions(struct kesco_interval *to, const struct kesco_interval *from) {
    if (!has_room(&to->conditions, &from->conditions)) {
        *to = kesco_interval_unknown();
        return;
    }
    for (uint32_t i = 0; i < from->conditions.count; i++)
        add_condition(to, from->conditions.items[i]);
}

/* True if some condition is at most `p`. */
static bool is_implied(struct kesco_algebra *algebra, const struct kesco_conditions *conditions,
                       kesco_polynomial p) {
    for (uint32_t i = 0; i < conditions->count; i++)
        if (kesco_algebra_is_non_negative(algebra, kesco_algebra_subtract(algebra, p, conditions->items[i])))
            return true;
    return false;
}

static void drop_implied(struct kesco_algebra *algebra, struct kesco_conditions *conditions,
                         kesco_polynomial by) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < conditions->count; i++) {
        const kesco_polynomial p = conditions->items[i];
        if (!kesco_algebra_is_non_negative(algebra, kesco_algebra_subtract(algebra, p, by)))
            conditions->items[kept++] = p;
    }
    conditions->count = kept;
}

/* The same as kesco_interval_add_conditions, with fewer where these imply others: accesses side by side have
 * a condition each, of which one alone may count. */
static void add_fewest_conditions(struct kesco_algebra *algebra, struct kesco_interval *to,
                                  const struct kesco_interval *from) {
    if (has_room(&to->conditions, &from->conditions)) {
        kesco_interval_add_conditions(to, from);
        return;
    }
    for (uint32_t i = 0; i < from->conditions.count; i++) {
        const kesco_polynomial p = from->conditions.items[i];
        if (!kesco_interval_is_known(to) || is_implied(algebra, &to->conditions, p))
            continue;
        drop_implied(algebra, &to->conditions, p);
        add_condition(to, p);
    }
}

bool kesco_interval_require(struct kesco_algebra *algebra, struct kesco_interval *interval,
                            kesco_polynomial p) {
    if (p == KESCO_POLYNOMIAL_UNKNOWN || kesco_algebra_is_negative(algebra, p)) {
        *interval = kesco_interval_unknown();
        return false;
    }
    if (!kesco_algebra_is_non_negative(algebra, p) && !is_implied(algebra, &interval->conditions, p))
        add_condition(interval, p);
    return kesco_interval_is_known(interval);
}

bool kesco_interval_require_fits(struct kesco_algebra *algebra, struct kesco_interval *interval,
                                 unsigned bits, bool is_signed) {
    if (!kesco_interval_is_known(interval) || bits > 64)
        return false;
    /* of 64 bits half is enough, so that what is beside it can be computed with */
    const int64_t most = bits == 64 ? INT64_MAX / 2 : (INT64_C(1) << (bits - is_signed)) - 1;
    const int64_t least = is_signed ? -most - 1 : 0;
    const kesco_polynomial low = interval->low, high = interval->high;
    return kesco_interval_require(
               algebra, interval,
               kesco_algebra_subtract(algebra, low, kesco_algebra_number(algebra, least))) &&
           kesco_interval_require(algebra, interval,
                                  kesco_algebra_subtract(algebra, kesco_algebra_number(algebra, most), high));
}

struct kesco_interval kesco_interval_plus(struct kesco_algebra *algebra, const struct kesco_interval *a,
                                          const struct kesco_interval *b) {
    struct kesco_interval sum = *a;
    sum.low = kesco_algebra_add(algebra, a->low, b->low);
    sum.high = kesco_algebra_add(algebra, a->high, b->high);
    sum.rows = kesco_rows_of_sum(algebra, a, b);
    kesco_interval_add_conditions(&sum, b);
    return sum;
}

struct kesco_interval kesco_interval_minus(struct kesco_algebra *algebra, const struct kesco_interval *a,
                                           const struct kesco_interval *b) {
    const kesco_polynomial minus_one = kesco_algebra_number(algebra, -1);
    struct kesco_interval negative = *b;
    negative.low = kesco_algebra_multiply(algebra, b->high, minus_one);
    negative.high = kesco_algebra_multiply(algebra, b->low, minus_one);
    negative.rows = kesco_rows_negative(algebra, &b->rows);
    return kesco_interval_plus(algebra, a, &negative);
}

/* A number that others are multiplied by, as an extent of an array is, is one product; but two of which one
 * is already are multiplied out. */
static kesco_polynomial factor_of(struct kesco_algebra *algebra, const struct kesco_interval *a,
                                  const struct kesco_interval *b) {
    return kesco_interval_is_one(a) && kesco_algebra_factor(algebra, a->low) == a->low
               ? b->low
               : kesco_algebra_factor(algebra, b->low);
}

/* With one number that is not below 0, bounds stay in order; without, both have to be that, but for what are
 * no bounds but numbers. */
static struct kesco_interval times_one(struct kesco_algebra *algebra, const struct kesco_interval *a,
                                       const struct kesco_interval *b) {
    const bool is_one = kesco_interval_is_one(b), are_ones = is_one && kesco_interval_is_one(a);
    struct kesco_interval product = make(a->low, a->high);
    const kesco_polynomial by = is_one ? factor_of(algebra, a, b) : b->low;
    product.conditions = a->conditions;
    kesco_interval_add_conditions(&product, b);
    if (are_ones && by != b->low)
        product.low = product.high = kesco_algebra_factor(algebra, a->low);
    if (is_one && kesco_algebra_is_negative(algebra, b->high)) {
        const kesco_polynomial low = product.low;
        product.low = product.high;
        product.high = low;
    } else if (!are_ones) {
        if (!kesco_interval_require(algebra, &product, b->low) ||
            (!is_one && !kesco_interval_require(algebra, &product, a->low)))
            return kesco_interval_unknown();
        if (is_one)
            product.rows = kesco_rows_of_product(algebra, a, by);
    }
    product.low = kesco_algebra_multiply(algebra, product.low, by);
    product.high = kesco_algebra_multiply(algebra, product.high, is_one ? by : b->high);
    return product;
}

struct kesco_interval kesco_interval_times(struct kesco_algebra *algebra, const struct kesco_interval *a,
                                           const struct kesco_interval *b) {
    if (!kesco_interval_is_known(a) || !kesco_interval_is_known(b))
        return kesco_interval_unknown();
    const bool turns = kesco_interval_is_one(a) && !kesco_interval_is_one(b);
    return turns ? times_one(algebra, b, a) : times_one(algebra, a, b);
}

struct kesco_interval kesco_interval_quotient(struct kesco_algebra *algebra, const struct kesco_interval *a,
                                              int64_t by, bool to_zero) {
    struct kesco_interval quotient =
        make(kesco_algebra_quotient(algebra, a->low, by), kesco_algebra_quotient(algebra, a->high, by));
    quotient.conditions = a->conditions;
    if (to_zero && !kesco_algebra_is_non_negative(algebra, quotient.high))
        quotient.high = kesco_algebra_greatest(algebra, quotient.high, kesco_algebra_number(algebra, 0));
    return quotient;
}

struct kesco_interval kesco_interval_choice(struct kesco_algebra *algebra, const struct kesco_interval *a,
                                            const struct kesco_interval *b, bool is_least) {
    struct kesco_interval choice = is_least ? make(kesco_algebra_least(algebra, a->low, b->low),
                                                   kesco_algebra_least(algebra, a->high, b->high))
                                            : make(kesco_algebra_greatest(algebra, a->low, b->low),
                                                   kesco_algebra_greatest(algebra, a->high, b->high));
    choice.conditions = a->conditions;
    kesco_interval_add_conditions(&choice, b);
    return choice;
}

struct kesco_interval kesco_interval_hull(struct kesco_algebra *algebra, const struct kesco_interval *a,
                                          const struct kesco_interval *b) {
    if (!kesco_interval_is_known(a) || !kesco_interval_is_known(b))
        return kesco_interval_unknown();
    struct kesco_interval both =
        make(kesco_algebra_least(algebra, a->low, b->low), kesco_algebra_greatest(algebra, a->high, b->high));
    both.rows = kesco_rows_of_both(algebra, a, b);
    both.conditions = a->conditions;
    add_fewest_conditions(algebra, &both, b);
    return both;
}

/* A polynomial, and the ';' before it. Without memory, what is no range. */
static void put(FILE *out, const struct kesco_algebra *algebra, kesco_polynomial p) {
    char *text = kesco_algebra_text(algebra, p);
    fprintf(out, ";%s", text ? text : "");
    free(text);
}

/*
 * How long pieces are; unknown where they would have no gap between them, or may not, in a launch that goes
 * over all of a row: that is what most do, and what is compared at each launch costs time.
 */
static kesco_polynomial length_of_pieces(struct kesco_algebra *algebra, const struct kesco_rows *rows) {
    const kesco_polynomial length = kesco_algebra_subtract(algebra, rows->last, rows->first);
    if (kesco_algebra_is_negative(algebra, rows->pitch) || length == KESCO_POLYNOMIAL_UNKNOWN ||
        kesco_algebra_may_be_non_negative(algebra, kesco_algebra_subtract(algebra, length, rows->pitch)))
        return KESCO_POLYNOMIAL_UNKNOWN;
    return length;
}

/* Pieces, as a range has them. */
struct pieces {
    const struct kesco_rows *rows[KESCO_RANGE_DISTANCES];
    kesco_polynomial lengths[KESCO_RANGE_DISTANCES];
    unsigned count;
};

static struct pieces find_pieces(struct kesco_algebra *algebra, const struct kesco_all_rows *all) {
    struct pieces pieces = {.count = 0};
    for (uint32_t i = 0; i < all->count && pieces.count < KESCO_RANGE_DISTANCES; i++) {
        const kesco_polynomial length = length_of_pieces(algebra, &all->items[i]);
        if (length == KESCO_POLYNOMIAL_UNKNOWN)
            continue;
        pieces.rows[pieces.count] = &all->items[i];
        pieces.lengths[pieces.count++] = length;
    }
    return pieces;
}

/* Its range, in pieces; NULL where that is too long. */
static char *write_range(const struct kesco_algebra *algebra, const struct kesco_interval *bytes,
                         const struct pieces *pieces) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    for (unsigned i = 1; i < pieces->count; i++)
        fputc('r', out);
    put(out, algebra, bytes->low);
    put(out, algebra, bytes->high);
    for (unsigned i = 0; i < pieces->count; i++) {
        put(out, algebra, pieces->rows[i]->pitch);
        put(out, algebra, pieces->rows[i]->first);
        put(out, algebra, pieces->lengths[i]);
    }
    for (uint32_t i = 0; i < bytes->conditions.count; i++)
        put(out, algebra, bytes->conditions.items[i]);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    if (pieces->count > 0)
        text[pieces->count - 1] = 'r'; /* in place of the ';' */
    else
        memmove(text, text + 1, size);
    if (kesco_range_is_valid(text))
        return text;
    free(text);
    return NULL;
}

char *kesco_interval_text(struct kesco_algebra *algebra, const struct kesco_interval *bytes) {
    int64_t end;
    if (!kesco_interval_is_known(bytes) ||
        (kesco_algebra_as_number(algebra, bytes->low, &end) && end <= -FAR) ||
        (kesco_algebra_as_number(algebra, bytes->high, &end) && end >= FAR))
        return NULL;
    struct pieces pieces = find_pieces(algebra, &bytes->rows);
    char *text = write_range(algebra, bytes, &pieces);
    while (!text && pieces.count > 0) {
        pieces.count--;
        text = write_range(algebra, bytes, &pieces);
    }
    return text;
}
