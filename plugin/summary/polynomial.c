#include "plugin/summary/polynomial.h"

#include "plugin/summary/polynomial_sum.h"

#include <limits.h>
#include <stdlib.h>

/* Leasts and greatests of which each operand is tried, at once. */
enum { MOST_CASES = 5 };

/* What is as far out counts as without bounds. */
#define INFINITE ((kesco_wide)1 << 120)

static kesco_wide clamp(kesco_wide value) {
    return value > INFINITE ? INFINITE : value < -INFINITE ? -INFINITE : value;
}

static kesco_wide multiply_bounds(kesco_wide a, kesco_wide b) {
    kesco_wide product = 0;

    if (__builtin_mul_overflow(a, b, &product))
        return (a < 0) == (b < 0) ? INFINITE : -INFINITE;
    return clamp(product);
}

static kesco_wide lesser(kesco_wide a, kesco_wide b) {
    return a < b ? a : b;
}

static kesco_wide greater(kesco_wide a, kesco_wide b) {
    return a > b ? a : b;
}

struct bounds {
    kesco_wide low, high;
};

/* The bounds of `of` times an integer between `low` and `high`. */
static struct bounds multiply_by(struct bounds of, kesco_wide low, kesco_wide high) {
    const kesco_wide a = multiply_bounds(of.low, low), b = multiply_bounds(of.low, high),
                     c = multiply_bounds(of.high, low), d = multiply_bounds(of.high, high);

    return (struct bounds){lesser(lesser(a, b), lesser(c, d)), greater(greater(a, b), greater(c, d))};
}

static struct bounds bounds_of(const struct kesco_algebra *algebra, kesco_polynomial p) {
    const struct kesco_polynomial_sum *sum = kesco_polynomial_sum(algebra, p);
    struct bounds all = {0, 0}, one;
    const struct kesco_atom *factor;
    uint32_t i, j;

    for (i = 0; i < sum->count; i++) {
        one = (struct bounds){sum->terms[i].coefficient, sum->terms[i].coefficient};
        for (j = 0; j < sum->terms[i].count; j++) {
            factor = &algebra->atoms[sum->terms[i].factors[j]];
            one = multiply_by(one, factor->low, factor->high);
        }
        all = (struct bounds){clamp(all.low + one.low), clamp(all.high + one.high)};
    }
    return all;
}

/* The polynomial that is one atom. */
static kesco_polynomial only(struct kesco_algebra *algebra, uint32_t atom) {
    const struct kesco_new_sum sum = {.terms = {{.coefficient = 1, .count = 1, .factors = {atom}}},
                                      .count = 1};

    return kesco_polynomial_keep(algebra, &sum);
}

/* The least of two does not depend on which is the first. */
static bool is_same(const struct kesco_atom *a, const struct kesco_atom *b) {
    const bool is_choice = a->kind == KESCO_ATOM_LEAST || a->kind == KESCO_ATOM_GREATEST;

    return a->kind == b->kind && a->by == b->by && a->parameter == b->parameter && a->offset == b->offset &&
           a->bits == b->bits && a->axis == b->axis &&
           ((a->a == b->a && a->b == b->b) || (is_choice && a->a == b->b && a->b == b->a));
}

static kesco_polynomial add_atom(struct kesco_algebra *algebra, const struct kesco_atom *atom) {
    uint32_t i;

    for (i = 0; i < algebra->atom_count; i++)
        if (atom->kind != KESCO_ATOM_HYPOTHESIS && is_same(&algebra->atoms[i], atom))
            return only(algebra, i);
    if (!kesco_algebra_make_room((void **)&algebra->atoms, algebra->atom_count, &algebra->atom_room,
                                 sizeof *algebra->atoms))
        return KESCO_POLYNOMIAL_UNKNOWN;
    algebra->atoms[algebra->atom_count] = *atom;
    return only(algebra, algebra->atom_count++);
}

kesco_polynomial kesco_algebra_argument(struct kesco_algebra *algebra, unsigned parameter, unsigned offset,
                                        unsigned bits) {
    const kesco_wide limit = (kesco_wide)1 << (bits - 1);
    const struct kesco_atom atom = {.kind = KESCO_ATOM_ARGUMENT,
                                    .parameter = parameter,
                                    .offset = offset,
                                    .bits = bits,
                                    .low = -limit,
                                    .high = limit - 1};

    return add_atom(algebra, &atom);
}

/* CUDA's limits (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"). */
kesco_polynomial kesco_algebra_block_size(struct kesco_algebra *algebra, unsigned axis) {
    static const int limits[] = {1024, 1024, 64};
    const struct kesco_atom atom = {.kind = KESCO_ATOM_BLOCK, .axis = axis, .low = 1, .high = limits[axis]};

    return add_atom(algebra, &atom);
}

kesco_polynomial kesco_algebra_grid_size(struct kesco_algebra *algebra, unsigned axis) {
    static const int limits[] = {INT_MAX, 65535, 65535};
    const struct kesco_atom atom = {.kind = KESCO_ATOM_GRID, .axis = axis, .low = 1, .high = limits[axis]};

    return add_atom(algebra, &atom);
}

kesco_polynomial kesco_algebra_hypothesis(struct kesco_algebra *algebra) {
    const struct kesco_atom atom = {.kind = KESCO_ATOM_HYPOTHESIS, .low = -INFINITE, .high = INFINITE};

    return add_atom(algebra, &atom);
}

/* Where neither is larger than the other for sure, it is an atom. */
static kesco_polynomial choose(struct kesco_algebra *algebra, enum kesco_atom_kind kind, kesco_polynomial a,
                               kesco_polynomial b) {
    struct kesco_atom atom = {.kind = kind, .a = a, .b = b};
    struct bounds of_a, of_b;

    if (a == KESCO_POLYNOMIAL_UNKNOWN || b == KESCO_POLYNOMIAL_UNKNOWN)
        return KESCO_POLYNOMIAL_UNKNOWN;
    if (kesco_algebra_is_non_negative(algebra, kesco_algebra_subtract(algebra, a, b)))
        return kind == KESCO_ATOM_LEAST ? b : a;
    if (kesco_algebra_is_non_negative(algebra, kesco_algebra_subtract(algebra, b, a)))
        return kind == KESCO_ATOM_LEAST ? a : b;
    of_a = bounds_of(algebra, a);
    of_b = bounds_of(algebra, b);
    atom.low = kind == KESCO_ATOM_LEAST ? lesser(of_a.low, of_b.low) : greater(of_a.low, of_b.low);
    atom.high = kind == KESCO_ATOM_LEAST ? lesser(of_a.high, of_b.high) : greater(of_a.high, of_b.high);
    return add_atom(algebra, &atom);
}

kesco_polynomial kesco_algebra_least(struct kesco_algebra *algebra, kesco_polynomial a, kesco_polynomial b) {
    return choose(algebra, KESCO_ATOM_LEAST, a, b);
}

kesco_polynomial kesco_algebra_greatest(struct kesco_algebra *algebra, kesco_polynomial a,
                                        kesco_polynomial b) {
    return choose(algebra, KESCO_ATOM_GREATEST, a, b);
}

static kesco_wide divide_down(kesco_wide value, int64_t by) {
    return value / by - (value % by < 0);
}

static bool mentions(const struct kesco_algebra *algebra, kesco_polynomial in, uint32_t hypothesis) {
    const struct kesco_polynomial_sum *sum = kesco_polynomial_sum(algebra, in);
    uint32_t i, j, factor;

    for (i = 0; i < sum->count; i++)
        for (j = 0; j < sum->terms[i].count; j++) {
            factor = sum->terms[i].factors[j];
            if (factor == hypothesis || mentions(algebra, algebra->atoms[factor].a, hypothesis) ||
                mentions(algebra, algebra->atoms[factor].b, hypothesis))
                return true;
        }
    return false;
}

static uint64_t greatest_divisor(uint64_t a, uint64_t b) {
    while (b != 0) {
        const uint64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

/* Of each factor as many as all terms have, and the greatest number that divides all. */
static struct kesco_term common_term(const struct kesco_polynomial_sum *sum) {
    struct kesco_term common = sum->terms[0];
    uint64_t divisor = 0;
    uint32_t term, i, j, kept;

    for (term = 0; term < sum->count; term++) {
        const struct kesco_term *with = &sum->terms[term];

        divisor = greatest_divisor((uint64_t)llabs(with->coefficient), divisor);
        for (i = j = kept = 0; i < common.count; i++) {
            while (j < with->count && with->factors[j] < common.factors[i])
                j++;
            if (j < with->count && with->factors[j] == common.factors[i]) {
                common.factors[kept++] = common.factors[i];
                j++;
            }
        }
        common.count = kept;
    }
    for (i = common.count; i < KESCO_MOST_FACTORS; i++)
        common.factors[i] = 0;
    common.coefficient = (int64_t)divisor;
    return common;
}

static struct kesco_term divide_term(const struct kesco_term *term, const struct kesco_term *by) {
    struct kesco_term quotient = {.coefficient = term->coefficient / by->coefficient};
    uint32_t i, divided = 0;

    for (i = 0; i < term->count; i++)
        if (divided < by->count && term->factors[i] == by->factors[divided])
            divided++;
        else
            quotient.factors[quotient.count++] = term->factors[i];
    return quotient;
}

static bool is_of_hypotheses(const struct kesco_algebra *algebra, kesco_polynomial p) {
    uint32_t atom;

    for (atom = 0; atom < algebra->atom_count; atom++)
        if (algebra->atoms[atom].kind == KESCO_ATOM_HYPOTHESIS && mentions(algebra, p, atom))
            return true;
    return false;
}

kesco_polynomial kesco_algebra_factor(struct kesco_algebra *algebra, kesco_polynomial p) {
    const struct kesco_polynomial_sum *sum = kesco_polynomial_sum(algebra, p);
    struct kesco_atom atom = {.kind = KESCO_ATOM_SUM};
    struct kesco_new_sum common = {.count = 1}, rest = {.count = sum->count};
    struct bounds bounds;
    uint32_t i;

    if (sum->count < 2 || is_of_hypotheses(algebra, p))
        return p;
    common.terms[0] = common_term(sum);
    if (common.terms[0].coefficient <= 0)
        return p;
    for (i = 0; i < sum->count; i++)
        rest.terms[i] = divide_term(&sum->terms[i], &common.terms[0]);
    atom.a = kesco_polynomial_keep(algebra, &rest);
    bounds = bounds_of(algebra, atom.a);
    atom.low = bounds.low;
    atom.high = bounds.high;
    if (atom.a == KESCO_POLYNOMIAL_UNKNOWN)
        return p;
    return kesco_algebra_multiply(algebra, kesco_polynomial_keep(algebra, &common), add_atom(algebra, &atom));
}

/* What divides without a remainder needs no atom. */
kesco_polynomial kesco_algebra_quotient(struct kesco_algebra *algebra, kesco_polynomial a, int64_t by) {
    const struct kesco_polynomial_sum *all = kesco_polynomial_sum(algebra, a);
    struct kesco_new_sum whole = {.count = 0}, rest = {.count = 0};
    struct kesco_atom atom = {.kind = KESCO_ATOM_QUOTIENT, .by = by};
    kesco_polynomial divided, left;
    struct bounds bounds;
    int64_t number;
    uint32_t i;

    if (a == KESCO_POLYNOMIAL_UNKNOWN || by == 1)
        return a;
    for (i = 0; i < all->count; i++) {
        struct kesco_new_sum *part = all->terms[i].coefficient % by == 0 ? &whole : &rest;

        part->terms[part->count] = all->terms[i];
        if (part == &whole)
            part->terms[part->count].coefficient /= by;
        part->count++;
    }
    divided = kesco_polynomial_keep(algebra, &whole);
    left = kesco_polynomial_keep(algebra, &rest);
    if (kesco_algebra_as_number(algebra, left, &number))
        return kesco_algebra_add(algebra, divided,
                                 kesco_algebra_number(algebra, (int64_t)divide_down(number, by)));
    bounds = bounds_of(algebra, left);
    atom.a = left;
    atom.low = divide_down(bounds.low, by);
    atom.high = divide_down(bounds.high, by);
    return left == KESCO_POLYNOMIAL_UNKNOWN ? left
                                            : kesco_algebra_add(algebra, divided, add_atom(algebra, &atom));
}

kesco_polynomial kesco_algebra_ratio(struct kesco_algebra *algebra, kesco_polynomial a, kesco_polynomial b) {
    struct kesco_atom atom = {.kind = KESCO_ATOM_RATIO, .a = a, .b = b};
    int64_t by;

    if (a == KESCO_POLYNOMIAL_UNKNOWN || b == KESCO_POLYNOMIAL_UNKNOWN)
        return KESCO_POLYNOMIAL_UNKNOWN;
    if (kesco_algebra_as_number(algebra, b, &by))
        return by > 0 ? kesco_algebra_quotient(algebra, a, by) : KESCO_POLYNOMIAL_ZERO;
    atom.low = kesco_algebra_is_non_negative(algebra, a) ? 0 : lesser(bounds_of(algebra, a).low, 0);
    atom.high = greater(bounds_of(algebra, a).high, 0);
    return add_atom(algebra, &atom);
}

bool kesco_algebra_is_negative(const struct kesco_algebra *algebra, kesco_polynomial p) {
    return p != KESCO_POLYNOMIAL_UNKNOWN && bounds_of(algebra, p).high < 0;
}

/* `in` with `by` for each `atom` that stands as a factor. */
static kesco_polynomial replace(struct kesco_algebra *algebra, kesco_polynomial in, uint32_t atom,
                                kesco_polynomial by) {
    const uint32_t count = kesco_polynomial_sum(algebra, in)->count;
    kesco_polynomial sum = KESCO_POLYNOMIAL_ZERO, product;
    struct kesco_term term;
    uint32_t i, j;

    for (i = 0; i < count; i++) {
        term = kesco_polynomial_sum(algebra, in)->terms[i];
        product = kesco_algebra_number(algebra, term.coefficient);
        for (j = 0; j < term.count; j++)
            product = kesco_algebra_multiply(algebra, product,
                                             term.factors[j] == atom ? by : only(algebra, term.factors[j]));
        sum = kesco_algebra_add(algebra, sum, product);
    }
    return sum;
}

static bool has_factor(const struct kesco_term *term, uint32_t atom) {
    uint32_t i;

    for (i = 0; i < term->count; i++)
        if (term->factors[i] == atom)
            return true;
    return false;
}

static uint32_t count_terms_with(const struct kesco_polynomial_sum *sum, uint32_t atom) {
    uint32_t count = 0, i;

    for (i = 0; i < sum->count; i++)
        count += has_factor(&sum->terms[i], atom);
    return count;
}

/*
 * Finds a least or greatest that is a term of `p` and of whose operands both must do, or one that is in no
 * other term, of whose operands any may.
 */
static bool find_choice(const struct kesco_algebra *algebra, kesco_polynomial p, bool takes_both,
                        uint32_t *choice) {
    const struct kesco_polynomial_sum *sum = kesco_polynomial_sum(algebra, p);
    const struct kesco_term *term;
    enum kesco_atom_kind kind;

    for (term = sum->terms; term < sum->terms + sum->count; term++) {
        if (term->count != 1)
            continue;
        *choice = term->factors[0];
        kind = algebra->atoms[*choice].kind;
        if ((kind != KESCO_ATOM_LEAST && kind != KESCO_ATOM_GREATEST) ||
            ((kind == KESCO_ATOM_LEAST) == (term->coefficient > 0)) != takes_both)
            continue;
        if (takes_both || count_terms_with(sum, *choice) == 1)
            return true;
    }
    return false;
}

/*
 * A least or greatest is one of its operands, but which is not known: both must do, unless it `may` be any.
 * Where the sum is the more the less a least is, or the more a greatest is, it is no less than with either
 * operand: any that does is enough.
 */
static bool is_non_negative(struct kesco_algebra *algebra, kesco_polynomial p, bool may, unsigned depth) {
    bool needs_both = !may, is_with_a;
    uint32_t choice;
    kesco_polynomial b;

    if (p == KESCO_POLYNOMIAL_UNKNOWN)
        return false;
    if (bounds_of(algebra, p).low >= 0)
        return true;
    if (depth == 0)
        return false;
    if (!find_choice(algebra, p, true, &choice)) {
        needs_both = false;
        if (!find_choice(algebra, p, false, &choice))
            return false;
    }
    b = algebra->atoms[choice].b;
    is_with_a =
        is_non_negative(algebra, replace(algebra, p, choice, algebra->atoms[choice].a), may, depth - 1);
    if (is_with_a != needs_both)
        return is_with_a;
    return is_non_negative(algebra, replace(algebra, p, choice, b), may, depth - 1);
}

/* `p` with what atoms stand for that are sums, so that differences cancel; `p` where that is too large. */
static kesco_polynomial multiply_out(struct kesco_algebra *algebra, kesco_polynomial p) {
    kesco_polynomial out = p;
    uint32_t atom;

    for (atom = algebra->atom_count; atom > 0; atom--) /* they stand for what is made of those before */
        if (algebra->atoms[atom - 1].kind == KESCO_ATOM_SUM &&
            count_terms_with(kesco_polynomial_sum(algebra, out), atom - 1) > 0)
            out = replace(algebra, out, atom - 1, algebra->atoms[atom - 1].a);
    return out == KESCO_POLYNOMIAL_UNKNOWN ? p : out;
}

bool kesco_algebra_is_non_negative(struct kesco_algebra *algebra, kesco_polynomial p) {
    return is_non_negative(algebra, multiply_out(algebra, p), false, MOST_CASES);
}

bool kesco_algebra_may_be_non_negative(struct kesco_algebra *algebra, kesco_polynomial p) {
    return is_non_negative(algebra, multiply_out(algebra, p), true, MOST_CASES);
}

/* True if the factors of `of`, both in order, are among those of `term`. */
static bool has_factors(const struct kesco_term *term, const struct kesco_term *of) {
    uint32_t i, found = 0;

    for (i = 0; i < term->count && found < of->count; i++)
        found += term->factors[i] == of->factors[found];
    return found == of->count;
}

bool kesco_algebra_is_multiple(const struct kesco_algebra *algebra, kesco_polynomial p, kesco_polynomial of) {
    const struct kesco_polynomial_sum *sum = kesco_polynomial_sum(algebra, p),
                                      *product = kesco_polynomial_sum(algebra, of);
    uint32_t i;

    if (p == KESCO_POLYNOMIAL_UNKNOWN || product->count != 1)
        return false;
    for (i = 0; i < sum->count; i++)
        if (sum->terms[i].coefficient % product->terms[0].coefficient != 0 ||
            !has_factors(&sum->terms[i], &product->terms[0]))
            return false;
    return true;
}

static uint32_t only_atom(const struct kesco_algebra *algebra, kesco_polynomial hypothesis) {
    return kesco_polynomial_sum(algebra, hypothesis)->terms[0].factors[0];
}

/* A hypothesis for which there was no memory is unknown, as is what was made of it. */
bool kesco_algebra_mentions(const struct kesco_algebra *algebra, kesco_polynomial in,
                            kesco_polynomial hypothesis) {
    return hypothesis != KESCO_POLYNOMIAL_UNKNOWN && mentions(algebra, in, only_atom(algebra, hypothesis));
}

kesco_polynomial kesco_algebra_substitute(struct kesco_algebra *algebra, kesco_polynomial in,
                                          kesco_polynomial hypothesis, kesco_polynomial by) {
    kesco_polynomial result;

    if (!kesco_algebra_mentions(algebra, in, hypothesis))
        return in;
    result = replace(algebra, in, only_atom(algebra, hypothesis), by);
    return kesco_algebra_mentions(algebra, result, hypothesis) ? KESCO_POLYNOMIAL_UNKNOWN : result;
}
