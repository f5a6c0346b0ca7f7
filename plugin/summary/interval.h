/*
 * Intervals: bounds of an integer as far as a launch says them (polynomial.h), and what they are of sums,
 * products and quotients.
 *
 * What is claimed of a value of w bits is that some integer which is congruent to it modulo 2^w lies within
 * the bounds. Sums, differences and products keep that, wrap or not. Wherever an integer is read off the bits
 * the bounds must fit: what cannot be seen to is a condition that the launch has to meet, else nothing holds.
 *
 * Functions compute with the algebra that the polynomials are of.
 */
#ifndef KESCO_SUMMARY_INTERVAL_H
#define KESCO_SUMMARY_INTERVAL_H

#include "plugin/summary/polynomial.h"

enum {
    KESCO_MAX_CONDITIONS = 24, /* with more than these, an interval is unknown */
    KESCO_MAX_PITCHES = 4,
};

/*
 * Where an integer lies in rows at equal distances: between first and last, both included, past where some
 * row begins, which is a multiple of pitch.
 */
struct kesco_rows {
    kesco_polynomial pitch, first, last;
};

/* Where it lies by each of some pitches, as in rows and in planes; the one that tells most comes first. */
struct kesco_all_rows {
    struct kesco_rows items[KESCO_MAX_PITCHES];
    uint32_t count; /* 0: nothing is said */
};

/* What has to be 0 or more. */
struct kesco_conditions {
    kesco_polynomial items[KESCO_MAX_CONDITIONS];
    uint32_t count;
};

/* Bounds of an integer, both included, that hold where all conditions do. */
struct kesco_interval {
    kesco_polynomial low, high;
    struct kesco_all_rows rows; /* hold of the same integer as the bounds do */
    struct kesco_conditions conditions;
};

struct kesco_interval kesco_interval_unknown(void);
bool kesco_interval_is_known(const struct kesco_interval *interval);

/* True if both bounds are the same. */
bool kesco_interval_is_one(const struct kesco_interval *interval);

struct kesco_interval kesco_interval_exactly(kesco_polynomial p);
struct kesco_interval kesco_interval_between(struct kesco_algebra *algebra, int64_t low, int64_t high);

/* What `bits` bits may be, read as a signed integer; unknown for more than 64. */
struct kesco_interval kesco_interval_of_bits(struct kesco_algebra *algebra, unsigned bits);

/* The special register called `name`, as "tid.x" (PTX ISA, "Special Registers"); unknown for others. */
struct kesco_interval kesco_interval_of_register(struct kesco_algebra *algebra, const char *name);

struct kesco_interval kesco_interval_plus(struct kesco_algebra *algebra, const struct kesco_interval *a,
                                          const struct kesco_interval *b);
struct kesco_interval kesco_interval_minus(struct kesco_algebra *algebra, const struct kesco_interval *a,
                                           const struct kesco_interval *b);
struct kesco_interval kesco_interval_times(struct kesco_algebra *algebra, const struct kesco_interval *a,
                                           const struct kesco_interval *b);

/* What is left of `a`, whose integer is read off, divided by a positive number, rounded down or to 0. */
struct kesco_interval kesco_interval_quotient(struct kesco_algebra *algebra, const struct kesco_interval *a,
                                              int64_t by, bool to_zero);

/* The lesser or the greater of two whose integers are read off. */
struct kesco_interval kesco_interval_choice(struct kesco_algebra *algebra, const struct kesco_interval *a,
                                            const struct kesco_interval *b, bool is_least);

/* What holds all of both. */
struct kesco_interval kesco_interval_hull(struct kesco_algebra *algebra, const struct kesco_interval *a,
                                          const struct kesco_interval *b);

/* The rows of the sum of both. */
struct kesco_all_rows kesco_rows_of_sum(struct kesco_algebra *algebra, const struct kesco_interval *a,
                                        const struct kesco_interval *b);

/* The bounds hold only where those of `from` do. */
void kesco_interval_add_conditions(struct kesco_interval *to, const struct kesco_interval *from);

/* The bounds hold only where `p` is 0 or more. False if it cannot be: the interval is unknown then. */
bool kesco_interval_require(struct kesco_algebra *algebra, struct kesco_interval *interval,
                            kesco_polynomial p);

/* The same of the integer being what `bits` bits stand for. */
bool kesco_interval_require_fits(struct kesco_algebra *algebra, struct kesco_interval *interval,
                                 unsigned bits, bool is_signed);

/*
 * The range (range.h) of bytes from low up to, not including, high, to be freed; NULL where it would be too
 * long or says nothing, and without memory.
 */
char *kesco_interval_text(struct kesco_algebra *algebra, const struct kesco_interval *bytes);

#endif
