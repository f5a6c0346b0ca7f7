/*
 * Where passes of a region that others may be part of end: its ops are numbered by function, so that no
 * number says that a loop has come round. They end where the op comes again that they begin with, once they
 * are long enough, and where they have no room left; then the next one ends with that op, however short it
 * is, so that passes of a loop with more ops than a pass has begin as they did the time before.
 */
#ifndef KESCO_RUNTIME_REGION_TURN_H
#define KESCO_RUNTIME_REGION_TURN_H

#include "runtime/kesco_abi.h"

#include <stdbool.h>
#include <stdint.h>

struct kesco_turn {
    const struct kesco_site *site; /* what they begin with; NULL: none has come yet */
    uint32_t missed;               /* ops since the pass that began with it last */
    bool is_cut;                   /* the pass before ended elsewhere */
};

/* True if a pass of `count` ops, which is long with so many, ends before the op of `site`. */
bool kesco_turn_ends_before(struct kesco_turn *turn, const struct kesco_site *site, uint32_t count,
                            uint32_t is_long);

/* The pass ends before the op of `site`, for whatever reason. */
void kesco_turn_end(struct kesco_turn *turn, const struct kesco_site *site);

#endif
