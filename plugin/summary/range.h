/*
 * Ranges: which bytes a launch may access through a pointer, as far as its arguments and its configuration
 * say.
 *
 * A range is a text, so that it travels in a summary as it is: expressions with ';' between them. The first
 * two are where the bytes begin and where they end (not included), counted from where the pointer leads; the
 * others are conditions: only where each is 0 or more does the range hold, else the launch may access all of
 * the allocation. An end at or before the beginning says that nothing is accessed. An expression is in
 * postfix form, its tokens with ',' between them:
 *
 *     NUMBER                  a decimal integer of 64 bits
 *     aPARAMETER:OFFSET:BITS  the signed integer of 8, 16, 32 or 64 bits at OFFSET (bytes) in the parameter
 *     bx by bz, gx gy gz      threads of a block, blocks of the grid, along an axis
 *     +  *                    sum and product of the two before
 *     m  M                    the lesser and the greater of the two before
 *     /NUMBER                 the one before divided by a positive number, rounded down
 *     d                       the quotient of the two before, rounded down; 0 where the divisor is not
 * positive
 *
 * Values are integers without bounds: whoever evaluates says where they are too large.
 *
 * An 'r' before the first expression says that the bytes are pieces at equal distances, as a tile of a matrix
 * is: the third to fifth expression then are how far it is from one to the next, how far past the pointer
 * some piece begins, which may be less than 0 and need not be one of those accessed, and how long each is.
 * Bytes between pieces are not accessed. Where these three make no sense, all from the first to the last is.
 * A second 'r' says that they are so at another distance as well, as a box of a volume is, by its rows and by
 * its planes: three more expressions follow.
 *
 * Where a kernel goes to places far from each other, as the first and the last row of a matrix, the text has
 * a range for each part, with '|' between them: what is accessed is in one of them.
 */
#ifndef KESCO_SUMMARY_RANGE_H
#define KESCO_SUMMARY_RANGE_H

#include "runtime/pieces.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    KESCO_RANGE_TOKENS = 2048, /* the most of a range */
    KESCO_RANGE_DEPTH = 32,    /* the most values that wait for an operator */
    KESCO_RANGE_PARTS = 4,     /* the most parts of a text */
    KESCO_RANGE_DISTANCES = 2, /* the most that pieces are at */
};

enum kesco_range_kind {
    KESCO_RANGE_NUMBER,
    KESCO_RANGE_ARGUMENT,
    KESCO_RANGE_BLOCK,
    KESCO_RANGE_GRID,
    KESCO_RANGE_ADD,
    KESCO_RANGE_MULTIPLY,
    KESCO_RANGE_LEAST,
    KESCO_RANGE_GREATEST,
    KESCO_RANGE_RATIO,
    KESCO_RANGE_DIVIDE,
    KESCO_RANGE_NEXT, /* the expression ends, another follows */
};

struct kesco_range_token {
    enum kesco_range_kind kind;
    int64_t number;     /* of NUMBER and DIVIDE */
    uint32_t parameter; /* of ARGUMENT: its index, */
    uint32_t offset;    /* where in it, in bytes, */
    uint32_t bits;      /* and how long */
    unsigned axis;      /* of BLOCK and GRID: 0 to 2 */
};

/* Reads the token at `*text` and moves past it. 0 at the end of the part, 1 where there was one, -EBADMSG. */
int kesco_range_read(const char **text, struct kesco_range_token *token);

/* How many values an operator takes; other tokens take none. */
unsigned kesco_range_operands(enum kesco_range_kind kind);

/* Moves past the marks of a range in pieces, and returns at how many distances these are. */
unsigned kesco_range_distances(const char **text);

/* Moves to the next part of the text, of which `*text` is in one. False: it was the last. */
bool kesco_range_next_part(const char **text);

/* How many expressions of a range at so many distances are none of its conditions. */
unsigned kesco_range_terms(unsigned distances);

/* True for a text as above: of each part, no expression is missing, each has one value, and all keep to the
 * limits. */
bool kesco_range_is_valid(const char *text);

/* A launch, as evaluation needs it. */
struct kesco_range_launch {
    uint32_t grid[3], block[3];
    /* Stores the signed integer of `bits` bits at `offset` in parameter `parameter`. False: there is none. */
    bool (*argument)(const void *context, uint32_t parameter, uint32_t offset, uint32_t bits, int64_t *value);
    const void *context;
};

/*
 * Evaluates the part that a valid text begins with for a launch. 0: `*bytes` holds, counted from where the
 * pointer leads. -ERANGE: it does not (a
 * condition fails, a value is too large for 64 bits): the launch may access all. -ENOENT: an argument is not
 * there.
 */
int kesco_range_evaluate(const char *text, const struct kesco_range_launch *launch,
                         struct kesco_pieces *bytes);

#endif
