/*
 * What values in an assembly statement are made of. Values, sums and sources are in order, no two alike, and
 * belong to an arena.
 */
#ifndef KESCO_PLUGIN_ASSEMBLY_ASSEMBLY_VALUE_H
#define KESCO_PLUGIN_ASSEMBLY_ASSEMBLY_VALUE_H

#include "plugin/schedule/arena.h"

#include <stdbool.h>
#include <stddef.h>

enum kesco_assembly_source_kind {
    KESCO_ASSEMBLY_ARGUMENT, /* of the call that the statement is: as it is on entry */
    KESCO_ASSEMBLY_LOADED,   /* by one of the accesses */
    KESCO_ASSEMBLY_NUMBER,   /* a constant or a special register; alone, what it is added to counts */
    KESCO_ASSEMBLY_ANYTHING,
};

struct kesco_assembly_source {
    enum kesco_assembly_source_kind kind;
    unsigned index; /* of the argument or access; else 0 */
};

/* Numbers of which at most one is an address; the others are offsets to it. */
struct kesco_assembly_sum {
    const struct kesco_assembly_source *sources;
    size_t count;
};

/* The sums that a value may be; none where it is no address. */
struct kesco_assembly_value {
    struct kesco_assembly_sum *sums;
    size_t count;
};

/* A value of more sums counts as any of the parts of all. */
enum { KESCO_ASSEMBLY_MOST_SUMS = 16 };

/* Where values are made. Without memory they lack sums, and that is noted. */
struct kesco_assembly_memory {
    struct kesco_arena arena;
    bool has_failed;
};

/* `size` zeroed bytes; NULL without memory. */
void *kesco_assembly_take(struct kesco_assembly_memory *memory, size_t size);

/* The value that is but the source. */
struct kesco_assembly_value kesco_assembly_single(struct kesco_assembly_memory *memory,
                                                  enum kesco_assembly_source_kind kind, unsigned index);

/* Nothing but zero: what sums begin with. */
struct kesco_assembly_value kesco_assembly_zero(struct kesco_assembly_memory *memory);

/* Add to a value, which was empty at first and got all that it has in these ways from the same memory, copies
 * of all sums of another value, and of each of what the sums of another are made of, alone. */
void kesco_assembly_merge(struct kesco_assembly_memory *memory, struct kesco_assembly_value *value,
                          struct kesco_assembly_value more);
void kesco_assembly_add_parts(struct kesco_assembly_memory *memory, struct kesco_assembly_value *value,
                              struct kesco_assembly_value whole);

/* What the sum of both may be; nothing if one of them has no value yet. */
struct kesco_assembly_value kesco_assembly_sum_of(struct kesco_assembly_memory *memory,
                                                  struct kesco_assembly_value left,
                                                  struct kesco_assembly_value right);

/* True for what is nothing but a number, and so no distance. */
bool kesco_assembly_is_number(struct kesco_assembly_value value);

/* True if something of this kind is in one of the sums. */
bool kesco_assembly_has(struct kesco_assembly_value value, enum kesco_assembly_source_kind kind);

/* True for an address that is not only what operands lead to. */
bool kesco_assembly_follows_loaded(struct kesco_assembly_value address);

#endif
