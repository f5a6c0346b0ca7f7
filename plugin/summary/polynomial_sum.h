/*
 * What polynomials are made of, for those who compute with them.
 */
#ifndef KESCO_SUMMARY_POLYNOMIAL_SUM_H
#define KESCO_SUMMARY_POLYNOMIAL_SUM_H

#include "plugin/summary/polynomial.h"

#include <stddef.h>

enum kesco_atom_kind {
    KESCO_ATOM_ARGUMENT,
    KESCO_ATOM_BLOCK,
    KESCO_ATOM_GRID,
    KESCO_ATOM_LEAST,
    KESCO_ATOM_GREATEST,
    KESCO_ATOM_QUOTIENT,
    KESCO_ATOM_RATIO,
    KESCO_ATOM_SUM,
    KESCO_ATOM_HYPOTHESIS,
};

typedef __int128 kesco_wide;

struct kesco_atom {
    enum kesco_atom_kind kind;
    kesco_polynomial a, b;            /* operands of LEAST, GREATEST and RATIO; of QUOTIENT and SUM one */
    int64_t by;                       /* of QUOTIENT */
    unsigned parameter, offset, bits; /* of ARGUMENT */
    unsigned axis;                    /* of BLOCK and GRID */
    kesco_wide low, high;             /* bounds, whatever the launch */
};

/* More than this is more than it is worth. */
enum { KESCO_MOST_TERMS = 24, KESCO_MOST_FACTORS = 5 };

struct kesco_term {
    int64_t coefficient; /* not zero */
    uint32_t count;
    uint32_t factors[KESCO_MOST_FACTORS]; /* atoms, ascending; after the last ones zeros */
};

struct kesco_polynomial_sum {
    struct kesco_term *terms; /* in the order of their factors */
    uint32_t count;
};

/* A sum that is being made. */
struct kesco_new_sum {
    struct kesco_term terms[2 * KESCO_MOST_TERMS];
    uint32_t count;
    bool is_unknown;
};

/* The terms of `p`, until another one is made; of an unknown one none. */
const struct kesco_polynomial_sum *kesco_polynomial_sum(const struct kesco_algebra *algebra,
                                                        kesco_polynomial p);

/* The polynomial that is the sum, whose terms are in order. */
kesco_polynomial kesco_polynomial_keep(struct kesco_algebra *algebra, const struct kesco_new_sum *sum);

/* Makes room for one more item of `size` bytes in `*items`, which has room for `*room`. False: no memory. */
bool kesco_algebra_make_room(void **items, uint32_t count, uint32_t *room, size_t size);

#endif
