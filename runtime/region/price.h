/* What the streams and events of a region's lanes cost that have to be made for it, and what branches of a
 * graph do. */
#ifndef KESCO_RUNTIME_REGION_PRICE_H
#define KESCO_RUNTIME_REGION_PRICE_H

#include "runtime/kesco_abi.h"

#include <stdbool.h>
#include <stdint.h>

/* In nanoseconds, as far as is known (cost.h), beyond those that regions have by now. */
int64_t kesco_price_of_streams(const struct kesco_region *region);

/* The region has them. Any thread. */
void kesco_price_note_made(const struct kesco_region *region);

/* The same for a graph with so many branches: what they run on, beside one, is made by the first that needs
 * it. */
int64_t kesco_price_of_branches(uint32_t branches);

/* A graph with so many was made, and that took so long beyond its nodes. False: there were as many before. */
bool kesco_price_note_branches(uint32_t branches, uint64_t took);

#endif
