/*
 * Integers as far as a launch says them: polynomials with 64-bit coefficients over atoms, which are what a
 * launch gives (scalar arguments, sizes of grid and block), and the least, the greatest and the quotient of
 * polynomials. They stand for integers without bounds. Sums are kept multiplied out and each is kept once, so
 * that what is equal has one number and differences cancel.
 *
 * A polynomial is a number that an algebra gives out, and means nothing to another one. What is too large, or
 * for which there is no memory, is unknown, as is what is computed with it.
 */
#ifndef KESCO_SUMMARY_POLYNOMIAL_H
#define KESCO_SUMMARY_POLYNOMIAL_H

#include <stdbool.h>
#include <stdint.h>

typedef uint32_t kesco_polynomial;

enum {
    KESCO_POLYNOMIAL_ZERO,
    KESCO_POLYNOMIAL_UNKNOWN,
    KESCO_POLYNOMIAL_FIRST, /* of the others */
};

struct kesco_atom;           /* what a polynomial is over */
struct kesco_polynomial_sum; /* what a polynomial is */

/* Zeroed: nothing has been computed yet. */
struct kesco_algebra {
    struct kesco_atom *atoms;
    struct kesco_polynomial_sum *sums; /* by the polynomial's number, from the first on */
    uint32_t *table;                   /* of polynomials by their hash; 0: free */
    uint32_t atom_count, atom_room, sum_count, sum_room, table_size;
};

void kesco_algebra_clear(struct kesco_algebra *algebra);

kesco_polynomial kesco_algebra_number(struct kesco_algebra *algebra, int64_t value);

/* The signed integer of `bits` bits at `offset` (bytes) in a parameter. */
kesco_polynomial kesco_algebra_argument(struct kesco_algebra *algebra, unsigned parameter, unsigned offset,
                                        unsigned bits);

/* Threads of a block, and blocks of the grid, along axis 0 to 2. */
kesco_polynomial kesco_algebra_block_size(struct kesco_algebra *algebra, unsigned axis);
kesco_polynomial kesco_algebra_grid_size(struct kesco_algebra *algebra, unsigned axis);

/* A number of which nothing is known yet, another one each time: for induction. */
kesco_polynomial kesco_algebra_hypothesis(struct kesco_algebra *algebra);
bool kesco_algebra_mentions(const struct kesco_algebra *algebra, kesco_polynomial in,
                            kesco_polynomial hypothesis);

/* `in` with `by` in the place of `hypothesis`; unknown where that stands within an atom. */
kesco_polynomial kesco_algebra_substitute(struct kesco_algebra *algebra, kesco_polynomial in,
                                          kesco_polynomial hypothesis, kesco_polynomial by);

kesco_polynomial kesco_algebra_add(struct kesco_algebra *algebra, kesco_polynomial a, kesco_polynomial b);
kesco_polynomial kesco_algebra_subtract(struct kesco_algebra *algebra, kesco_polynomial a,
                                        kesco_polynomial b);
kesco_polynomial kesco_algebra_multiply(struct kesco_algebra *algebra, kesco_polynomial a,
                                        kesco_polynomial b);
/*
 * The same number as `p`, as one product: what is left of a sum where what all its terms have in common is
 * taken out is an atom then. So multiples of it are seen to be some, and what it is multiplied by is not
 * multiplied out; but differences cancel no more, except where it is asked whether they are 0 or more.
 */
kesco_polynomial kesco_algebra_factor(struct kesco_algebra *algebra, kesco_polynomial p);

kesco_polynomial kesco_algebra_least(struct kesco_algebra *algebra, kesco_polynomial a, kesco_polynomial b);
kesco_polynomial kesco_algebra_greatest(struct kesco_algebra *algebra, kesco_polynomial a,
                                        kesco_polynomial b);

/* Rounded down; `by` is positive. */
kesco_polynomial kesco_algebra_quotient(struct kesco_algebra *algebra, kesco_polynomial a, int64_t by);

/* Rounded down; 0 where `b` is not positive. */
kesco_polynomial kesco_algebra_ratio(struct kesco_algebra *algebra, kesco_polynomial a, kesco_polynomial b);

/* True if `p` is seen to be 0 or more, or less than 0, whatever the launch. */
bool kesco_algebra_is_non_negative(struct kesco_algebra *algebra, kesco_polynomial p);
bool kesco_algebra_is_negative(const struct kesco_algebra *algebra, kesco_polynomial p);

/* True if `p` is seen to be 0 or more where leasts and greatests in it happen to be one of their operands,
 * whichever suits. */
bool kesco_algebra_may_be_non_negative(struct kesco_algebra *algebra, kesco_polynomial p);

/* True if `p` is seen to be a multiple of `of`, which is one product. */
bool kesco_algebra_is_multiple(const struct kesco_algebra *algebra, kesco_polynomial p, kesco_polynomial of);

/* True if `p` is one number, which `*value` gets. */
bool kesco_algebra_as_number(const struct kesco_algebra *algebra, kesco_polynomial p, int64_t *value);

/* The text of `p`, which is known, as range.h has it, to be freed; NULL without memory. */
char *kesco_algebra_text(const struct kesco_algebra *algebra, kesco_polynomial p);

#endif
