#include "runtime/region/turn.h"

#include <stddef.h>

/* So many ops after which passes begin with another, where that which they began with does not come. */
enum { MISSED = 256 };

bool kesco_turn_ends_before(struct kesco_turn *turn, const struct kesco_site *site, uint32_t count,
                            uint32_t is_long) {
    if (turn->site == NULL || turn->missed++ >= MISSED)
        *turn = (struct kesco_turn){.site = site};
    return site == turn->site && (count >= is_long || turn->is_cut);
}

void kesco_turn_end(struct kesco_turn *turn, const struct kesco_site *site) {
    turn->is_cut = site != turn->site;
    if (!turn->is_cut)
        turn->missed = 0;
}
