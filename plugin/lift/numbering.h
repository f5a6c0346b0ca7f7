/* Numbers of things that are known by their address, as LLVM's values and blocks, for tables of them. */
#ifndef KESCO_PLUGIN_LIFT_NUMBERING_H
#define KESCO_PLUGIN_LIFT_NUMBERING_H

#include <stddef.h>

/* In no order that means anything; a thing's number is its place. */
struct kesco_numbering {
    const void **things;
    size_t count;
};

/* Numbers the `count` things at `things`, no two alike, and sorts them for that. They stay the caller's. */
struct kesco_numbering kesco_number(const void **things, size_t count);

/* The number of the thing; `count` where it has none. */
size_t kesco_number_of(const struct kesco_numbering *numbering, const void *thing);

#endif
