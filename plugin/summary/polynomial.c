#include "plugin/summary/polynomial.h"

#include "plugin/summary/polynomial_sum.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

typedef __int128 wide;

/* Leasts and greatests of which each operand is tried, at once. */
enum { MOST_CASES = 5 };

/* What is as far out counts as without bounds. */
#define INFINITE ((wide)1 << 120)

enum atom_kind { ARGUMENT, BLOCK, GRID, LEAST, GREATEST, QUOTIENT, RATIO, HYPOTHESIS };

struct kesco_atom {
    enum atom_kind kind;
    kesco_polynomial a, b;            /* operands of LEAST, GREATEST and RATIO; of QUOTIENT one */
    int64_t by;                       /* of QUOTIENT */
    unsigned parameter, offset, bits; /* of ARGUMENT */
    unsigned axis;                    /* of BLOCK and GRID */
    wide low, high;                   /* bounds, whatever the launch */
};

static wide clamp(wide value) {
    return value > INFINITE ? INFINITE : value < -INFINITE ? -INFINITE : value;
}

static wide multiply_bounds(wide a, wide b) {
    wide product = 0;

    if (__builtin_mul_overflow(a, b, &product))
        return (a < 0) == (b < 0) ? INFINITE : -INFINITE;
    return clamp(product);
}

static wide lesser(wide a, wide b) {
    return a < b ? a : b;
}

static wide greater(wide a, wide b) {
    return a > b ? a : b;
}

struct bounds {
    wide low, high;
};

/* The bounds of `of` times an integer between `low` and `high`. */
static struct bounds multiply_by(struct bounds of, wide low, wide high) {
    const wide a = multiply_bounds(of.low, low), b = multiply_bounds(of.low, high),
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
    const bool is_choice = a->kind == LEAST || a->kind == GREATEST;

    return a->kind == b->kind && a->by == b->by && a->parameter == b->parameter && a->offset == b->offset &&
           a->bits == b->bits && a->axis == b->axis &&
           ((a->a == b->a && a->b == b->b) || (is_choice && a->a == b->b && a->b == b->a));
}

static kesco_polynomial add_atom(struct kesco_algebra *algebra, const struct kesco_atom *atom) {
    uint32_t i;

    for (i = 0; i < algebra->atom_count; i++)
        if (atom->kind != HYPOTHESIS && is_same(&algebra->atoms[i], atom))
            return only(algebra, i);
    if (!kesco_algebra_make_room((void **)&algebra->atoms, algebra->atom_count, &algebra->atom_room,
                                 sizeof *algebra->atoms))
        return KESCO_POLYNOMIAL_UNKNOWN;
    algebra->atoms[algebra->atom_count] = *atom;
    return only(algebra, algebra->atom_count++);
}

kesco_polynomial kesco_algebra_argument(struct kesco_algebra *algebra, unsigned parameter, unsigned offset,
                                        unsigned bits) {
    const wide limit = (wide)1 << (bits - 1);
    const struct kesco_atom atom = {.kind = ARGUMENT,
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
    const struct kesco_atom atom = {.kind = BLOCK, .axis = axis, .low = 1, .high = limits[axis]};

    return add_atom(algebra, &atom);
}

kesco_polynomial kesco_algebra_grid_size(struct kesco_algebra *algebra, unsigned axis) {
    static const int limits[] = {INT_MAX, 65535, 65535};
    const struct kesco_atom atom = {.kind = GRID, .axis = axis, .low = 1, .high = limits[axis]};

    return add_atom(algebra, &atom);
}

kesco_polynomial kesco_algebra_hypothesis(struct kesco_algebra *algebra) {
    const struct kesco_atom atom = {.kind = HYPOTHESIS, .low = -INFINITE, .high = INFINITE};

    return add_atom(algebra, &atom);
}

/* Where neither is larger than the other for sure, it is an atom. */
static kesco_polynomial choose(struct kesco_algebra *algebra, enum atom_kind kind, kesco_polynomial a,
                               kesco_polynomial b) {
    struct kesco_atom atom = {.kind = kind, .a = a, .b = b};
    struct bounds of_a, of_b;

    if (a == KESCO_POLYNOMIAL_UNKNOWN || b == KESCO_POLYNOMIAL_UNKNOWN)
        return KESCO_POLYNOMIAL_UNKNOWN;
    if (kesco_algebra_is_non_negative(algebra, kesco_algebra_subtract(algebra, a, b)))
        return kind == LEAST ? b : a;
    if (kesco_algebra_is_non_negative(algebra, kesco_algebra_subtract(algebra, b, a)))
        return kind == LEAST ? a : b;
    of_a = bounds_of(algebra, a);
    of_b = bounds_of(algebra, b);
    atom.low = kind == LEAST ? lesser(of_a.low, of_b.low) : greater(of_a.low, of_b.low);
    atom.high = kind == LEAST ? lesser(of_a.high, of_b.high) : greater(of_a.high, of_b.high);
    return add_atom(algebra, &atom);
}

kesco_polynomial kesco_algebra_least(struct kesco_algebra *algebra, kesco_polynomial a, kesco_polynomial b) {
    return choose(algebra, LEAST, a, b);
}

kesco_polynomial kesco_algebra_greatest(struct kesco_algebra *algebra, kesco_polynomial a,
                                        kesco_polynomial b) {
    return choose(algebra, GREATEST, a, b);
}

static wide divide_down(wide value, int64_t by) {
    return value / by - (value % by < 0);
}

/* What divides without a remainder needs no atom. */
kesco_polynomial kesco_algebra_quotient(struct kesco_algebra *algebra, kesco_polynomial a, int64_t by) {
    const struct kesco_polynomial_sum *all = kesco_polynomial_sum(algebra, a);
    struct kesco_new_sum whole = {.count = 0}, rest = {.count = 0};
    struct kesco_atom atom = {.kind = QUOTIENT, .by = by};
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
    struct kesco_atom atom = {.kind = RATIO, .a = a, .b = b};
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
    enum atom_kind kind;

    for (term = sum->terms; term < sum->terms + sum->count; term++) {
        if (term->count != 1)
            continue;
        *choice = term->factors[0];
        kind = algebra->atoms[*choice].kind;
        if ((kind != LEAST && kind != GREATEST) || ((kind == LEAST) == (term->coefficient > 0)) != takes_both)
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

bool kesco_algebra_is_non_negative(struct kesco_algebra *algebra, kesco_polynomial p) {
    return is_non_negative(algebra, p, false, MOST_CASES);
}

bool kesco_algebra_may_be_non_negative(struct kesco_algebra *algebra, kesco_polynomial p) {
    return is_non_negative(algebra, p, true, MOST_CASES);
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

static void write_sum(const struct kesco_algebra *algebra, kesco_polynomial p, FILE *out);

static void write_atom(const struct kesco_algebra *algebra, uint32_t number, FILE *out) {
    const struct kesco_atom *atom = &algebra->atoms[number];

    switch (atom->kind) {
    case ARGUMENT:
        fprintf(out, "a%u:%u:%u", atom->parameter, atom->offset, atom->bits);
        break;
    case BLOCK:
    case GRID:
        fprintf(out, "%c%c", atom->kind == BLOCK ? 'b' : 'g', "xyz"[atom->axis]);
        break;
    case HYPOTHESIS:
        fprintf(out, "?%u", number);
        break;
    case QUOTIENT:
        write_sum(algebra, atom->a, out);
        fprintf(out, ",/%lld", (long long)atom->by);
        break;
    default:
        write_sum(algebra, atom->a, out);
        fputc(',', out);
        write_sum(algebra, atom->b, out);
        fputs(atom->kind == LEAST ? ",m" : atom->kind == RATIO ? ",d" : ",M", out);
    }
}

static void write_term(const struct kesco_algebra *algebra, const struct kesco_term *term, FILE *out) {
    bool is_first = term->count > 0 && term->coefficient == 1;
    uint32_t i;

    if (!is_first)
        fprintf(out, "%lld", (long long)term->coefficient);
    for (i = 0; i < term->count; i++) {
        fputs(is_first ? "" : ",", out);
        write_atom(algebra, term->factors[i], out);
        fputs(is_first ? "" : ",*", out);
        is_first = false;
    }
}

static void write_sum(const struct kesco_algebra *algebra, kesco_polynomial p, FILE *out) {
    const struct kesco_polynomial_sum *sum = kesco_polynomial_sum(algebra, p);
    uint32_t i;

    if (sum->count == 0)
        fputc('0', out);
    for (i = 0; i < sum->count; i++) {
        fputs(i == 0 ? "" : ",", out);
        write_term(algebra, &sum->terms[i], out);
        fputs(i == 0 ? "" : ",+", out);
    }
}

char *kesco_algebra_text(const struct kesco_algebra *algebra, kesco_polynomial p) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    if (out == NULL)
        return NULL;
    write_sum(algebra, p, out);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}
