/* What the streams and events of a region's lanes cost that have to be made for it. */
#ifndef KESCO_RUNTIME_REGION_PRICE_H
#define KESCO_RUNTIME_REGION_PRICE_H

#include "runtime/kesco_abi.h"

#include <stdint.h>

/* In nanoseconds, as far as is known (cost.h), beyond those that regions have by now. */
int64_t kesco_price_of_streams(const struct kesco_region *region);

/* The region has them. Any thread. */
void kesco_price_note_made(const struct kesco_region *region);

#endif
