/*
 * How much of a region is still to come, where the loops around it say how often they go round. A function
 * may be called again, and its loops with it: that shows once they have begun more than once.
 */
#ifndef KESCO_RUNTIME_REGION_OUTLOOK_H
#define KESCO_RUNTIME_REGION_OUTLOOK_H

#include "runtime/kesco_abi.h"

#include <stdbool.h>

enum kesco_outlook {
    KESCO_OUTLOOK_UNKNOWN,
    KESCO_OUTLOOK_LEAST, /* it may be more */
    KESCO_OUTLOOK_ALL,   /* as far as is known */
};

/* When something began to be counted, of which there was so much already; all 0: the program. */
struct kesco_outlook_start {
    uint64_t time;  /* by kesco_attention_time */
    int64_t passed; /* of the loops around, in passes */
    int64_t amount;
};

struct kesco_outlook_start kesco_outlook_start(const struct kesco_region *region, int64_t amount);

/* `to_come` is how much comes of what has come to `amount` since `start`, at the same rate; 0: unknown. NULL:
 * since the loops began. Where the region's own loops have begun more than once, or there are none, that
 * around all calls speaks for them. */
enum kesco_outlook kesco_outlook_of(const struct kesco_region *region,
                                    const struct kesco_outlook_start *start, int64_t amount,
                                    int64_t *to_come);

/* What costs something is to save so many times that. */
enum { KESCO_OUTLOOK_WELL = 2 };

/* True if what costs `price`, more than 0, saves that well by what is to come, and the loops around are
 * believed, which may end before: the program has run for a small part of the time that is left by them,
 * which is no loss, and for some times the price, which may be off. */
bool kesco_outlook_pays(const struct kesco_region *region, int64_t to_come, int64_t price);

/* True if the loops around say that the region comes so often again at least. */
bool kesco_outlook_is_long(const struct kesco_region *region, int64_t passes);

#endif
