#include "plugin/summary/polynomial_sum.h"

#include "plugin/summary/hash.h"

#include <stdlib.h>
#include <string.h>

static const struct kesco_polynomial_sum nothing = {NULL, 0};

const struct kesco_polynomial_sum *kesco_polynomial_sum(const struct kesco_algebra *algebra,
                                                        kesco_polynomial p) {
    return p < KESCO_POLYNOMIAL_FIRST ? &nothing : &algebra->sums[p - KESCO_POLYNOMIAL_FIRST];
}

void kesco_algebra_clear(struct kesco_algebra *algebra) {
    uint32_t i;

    for (i = 0; i < algebra->sum_count; i++)
        free(algebra->sums[i].terms);
    free(algebra->sums);
    free(algebra->atoms);
    free(algebra->table);
    *algebra = (struct kesco_algebra){0};
}

bool kesco_algebra_make_room(void **items, uint32_t count, uint32_t *room, size_t size) {
    const uint32_t wanted = *room == 0 ? 16 : 2 * *room;
    void *larger;

    if (count < *room)
        return true;
    larger = reallocarray(*items, wanted, size);
    if (larger == NULL)
        return false;
    *items = larger;
    *room = wanted;
    return true;
}

/* The order of terms: by their factors, one that is the beginning of another first. */
static int compare(const struct kesco_term *a, const struct kesco_term *b) {
    uint32_t i;

    for (i = 0; i < a->count && i < b->count; i++)
        if (a->factors[i] != b->factors[i])
            return a->factors[i] < b->factors[i] ? -1 : 1;
    return (a->count > b->count) - (a->count < b->count);
}

static bool is_sum(const struct kesco_polynomial_sum *sum, const struct kesco_term *terms, uint32_t count) {
    uint32_t i;

    for (i = 0; i < count && i < sum->count; i++)
        if (terms[i].coefficient != sum->terms[i].coefficient || compare(&terms[i], &sum->terms[i]) != 0)
            return false;
    return count == sum->count;
}

/* Where a polynomial of these terms is in the table, or has its place. */
static uint32_t *find_slot(const struct kesco_algebra *algebra, const struct kesco_term *terms,
                           uint32_t count) {
    uint64_t at = kesco_hash((const char *)terms, count * sizeof *terms);
    uint32_t *slot;

    for (;; at++) {
        slot = &algebra->table[at & (algebra->table_size - 1)];
        if (*slot == 0 || is_sum(kesco_polynomial_sum(algebra, *slot), terms, count))
            return slot;
    }
}

static bool grow_table(struct kesco_algebra *algebra) {
    const uint32_t size = algebra->table_size == 0 ? 64 : 2 * algebra->table_size;
    uint32_t *const table = calloc(size, sizeof *table);
    uint32_t i;

    if (table == NULL)
        return false;
    free(algebra->table);
    algebra->table = table;
    algebra->table_size = size;
    for (i = 0; i < algebra->sum_count; i++)
        *find_slot(algebra, algebra->sums[i].terms, algebra->sums[i].count) = i + KESCO_POLYNOMIAL_FIRST;
    return true;
}

kesco_polynomial kesco_polynomial_keep(struct kesco_algebra *algebra, const struct kesco_new_sum *sum) {
    struct kesco_term *terms;
    uint32_t *slot;

    if (sum->is_unknown)
        return KESCO_POLYNOMIAL_UNKNOWN;
    if (sum->count == 0)
        return KESCO_POLYNOMIAL_ZERO;
    if (2 * algebra->sum_count >= algebra->table_size && !grow_table(algebra))
        return KESCO_POLYNOMIAL_UNKNOWN;
    slot = find_slot(algebra, sum->terms, sum->count);
    if (*slot != 0)
        return *slot;
    if (!kesco_algebra_make_room((void **)&algebra->sums, algebra->sum_count, &algebra->sum_room,
                                 sizeof *algebra->sums))
        return KESCO_POLYNOMIAL_UNKNOWN;
    terms = malloc(sum->count * sizeof *terms);
    if (terms == NULL)
        return KESCO_POLYNOMIAL_UNKNOWN;
    memcpy(terms, sum->terms, sum->count * sizeof *terms);
    algebra->sums[algebra->sum_count] = (struct kesco_polynomial_sum){terms, sum->count};
    *slot = algebra->sum_count++ + KESCO_POLYNOMIAL_FIRST;
    return *slot;
}

/* Adds the terms, of which there are at most KESCO_MOST_TERMS, as in `sum`. */
static void add_terms(struct kesco_new_sum *sum, const struct kesco_term *terms, uint32_t count) {
    const struct kesco_new_sum before = *sum;
    uint32_t i = 0, j = 0;
    struct kesco_term next;
    int order;

    sum->count = 0;
    while (!sum->is_unknown && (i < before.count || j < count)) {
        order = i == before.count ? 1 : j == count ? -1 : compare(&before.terms[i], &terms[j]);
        next = order > 0 ? terms[j] : before.terms[i];
        if (order == 0 && __builtin_add_overflow(next.coefficient, terms[j].coefficient, &next.coefficient))
            sum->is_unknown = true;
        if (next.coefficient != 0)
            sum->terms[sum->count++] = next;
        i += order <= 0;
        j += order >= 0;
    }
    sum->is_unknown |= sum->count > KESCO_MOST_TERMS;
}

static void add_polynomial(const struct kesco_algebra *algebra, struct kesco_new_sum *sum,
                           kesco_polynomial p) {
    const struct kesco_polynomial_sum *terms = kesco_polynomial_sum(algebra, p);

    sum->is_unknown |= p == KESCO_POLYNOMIAL_UNKNOWN;
    add_terms(sum, terms->terms, terms->count);
}

kesco_polynomial kesco_algebra_add(struct kesco_algebra *algebra, kesco_polynomial a, kesco_polynomial b) {
    struct kesco_new_sum sum = {.count = 0};

    add_polynomial(algebra, &sum, a);
    add_polynomial(algebra, &sum, b);
    return kesco_polynomial_keep(algebra, &sum);
}

kesco_polynomial kesco_algebra_number(struct kesco_algebra *algebra, int64_t value) {
    const struct kesco_new_sum sum = {.terms = {{.coefficient = value}}, .count = value != 0};

    return kesco_polynomial_keep(algebra, &sum);
}

kesco_polynomial kesco_algebra_subtract(struct kesco_algebra *algebra, kesco_polynomial a,
                                        kesco_polynomial b) {
    return kesco_algebra_add(algebra, a,
                             kesco_algebra_multiply(algebra, b, kesco_algebra_number(algebra, -1)));
}

/* The product of two terms. False: it is too large. */
static bool multiply_terms(const struct kesco_term *a, const struct kesco_term *b,
                           struct kesco_term *product) {
    uint32_t i = 0, j = 0;

    *product = (struct kesco_term){.count = a->count + b->count};
    if (product->count > KESCO_MOST_FACTORS)
        return false;
    while (i + j < product->count) {
        const bool is_first = j == b->count || (i < a->count && a->factors[i] <= b->factors[j]);

        product->factors[i + j] = is_first ? a->factors[i] : b->factors[j];
        *(is_first ? &i : &j) += 1;
    }
    return !__builtin_mul_overflow(a->coefficient, b->coefficient, &product->coefficient);
}

kesco_polynomial kesco_algebra_multiply(struct kesco_algebra *algebra, kesco_polynomial a,
                                        kesco_polynomial b) {
    const struct kesco_polynomial_sum *left = kesco_polynomial_sum(algebra, a),
                                      *right = kesco_polynomial_sum(algebra, b);
    struct kesco_new_sum sum = {.is_unknown = a == KESCO_POLYNOMIAL_UNKNOWN ||
                                              b == KESCO_POLYNOMIAL_UNKNOWN ||
                                              left->count * right->count > 4 * KESCO_MOST_TERMS};
    struct kesco_term product;
    uint32_t i, j;

    for (i = 0; i < left->count && !sum.is_unknown; i++)
        for (j = 0; j < right->count && !sum.is_unknown; j++) {
            if (multiply_terms(&left->terms[i], &right->terms[j], &product))
                add_terms(&sum, &product, 1);
            else
                sum.is_unknown = true;
        }
    return kesco_polynomial_keep(algebra, &sum);
}

bool kesco_algebra_as_number(const struct kesco_algebra *algebra, kesco_polynomial p, int64_t *value) {
    const struct kesco_polynomial_sum *sum = kesco_polynomial_sum(algebra, p);

    if (p == KESCO_POLYNOMIAL_UNKNOWN || sum->count > 1 || (sum->count == 1 && sum->terms[0].count > 0))
        return false;
    *value = sum->count == 0 ? 0 : sum->terms[0].coefficient;
    return true;
}
