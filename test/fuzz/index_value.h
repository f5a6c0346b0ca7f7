/*
 * Integer expressions of random kernels, with the bounds that they keep over all launches of their kernel: no
 * signed overflow, no division by zero, and an index that stays within what the kernel may access.
 *
 * An expression is a text, which is C++ in device code. Bounds are as wide as plain interval arithmetic makes
 * them; unsigned ones may wrap, and may then be any.
 */
#ifndef KESCO_TEST_FUZZ_INDEX_VALUE_H
#define KESCO_TEST_FUZZ_INDEX_VALUE_H

#include "test/fuzz/generator.h"

enum index_type { INDEX_INT, INDEX_UNSIGNED, INDEX_LONG };

struct index_value {
    const char *text;     /* writer_text's */
    enum index_type type; /* int, unsigned, long long */
    int64_t low, high;    /* both included */
};

enum { MOST_VALUES = 48 };

/* What expressions may name: arguments, variables, what CUDA has of threads and blocks. */
struct index_scope {
    struct index_value values[MOST_VALUES];
    unsigned count;
};

/* Adds a value that has a name; there is room. */
void index_add(struct index_scope *scope, const char *name, enum index_type type, int64_t low, int64_t high);

/* The type's name in C++. */
const char *index_type_name(enum index_type type);

/* An expression of at most so many operators in a chain. */
struct index_value index_expression(struct generator *g, const struct index_scope *scope, unsigned depth);

/* An expression made from `value` that lies from `low` to `high`, which hold 0. */
struct index_value index_within(struct generator *g, struct index_value value, int64_t low, int64_t high);

/*
 * A condition; `inside` becomes the scope with the bounds that values have where it holds, `outside` where it
 * does not. Either may be `scope` itself.
 */
const char *index_condition(struct generator *g, const struct index_scope *scope, struct index_scope *inside,
                            struct index_scope *outside);

#endif
