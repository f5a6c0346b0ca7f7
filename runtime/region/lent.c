#include "runtime/environment.h"
#include "runtime/region/region.h"

#include <stddef.h>

/* A region goes through calls: who calls lends it, and gets it back as the function leaves it. */

void __kesco1_lend(void) {
    kesco_thread_region.lent = true;
}

uint32_t __kesco1_borrow(void) {
    struct kesco_region_state *region = &kesco_thread_region;
    const bool is_lent = region->lent;

    region->lent = false;
    if (!is_lent && region->open)
        __kesco1_leave();
    return is_lent;
}

/* True if ops of `asked` may be part of the region that is open. KESCO_ONLY and statistics tell functions
 * apart. */
static bool may_join(const struct kesco_region_state *region, void *origin,
                     const struct kesco_region *asked) {
    return region->asked->joins && asked->joins && region->origin == origin &&
           kesco_environment()->only == NULL;
}

void __kesco1_join(uint32_t is_worth, void *origin, const struct kesco_region *asked) {
    struct kesco_region_state *region = &kesco_thread_region;

    if (region->open && may_join(region, origin, asked))
        return;
    if (is_worth) {
        __kesco1_enter(origin, asked);
        return;
    }
    __kesco1_leave();
    region->origin = origin;
    region->serial = true;
}
