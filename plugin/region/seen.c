#include "plugin/region/region.h"

/* What the host sees at an op must be in plain device memory, and ops keep their places. */
static void need_plain(struct kesco_op_region *region, const struct kesco_numbers *objects) {
    for (uint32_t i = 0; i < objects->count; i++)
        region->objects.items[objects->items[i]].must_be_plain = true;
    if (objects->count > 0)
        kesco_region_keep_order(region);
}

/* Looks at the others that may be in flight when the host knows that `waiting` is done. */
static int look_at_others(struct kesco_op_region *region, const struct kesco_reached *reached,
                          uint32_t waiting, struct kesco_pairs *seen) {
    int status = 0;
    for (uint32_t other = 0; status == 0 && other < region->ops.count; other++) {
        const struct kesco_op_host *host = &region->ops.items[other].host;
        if (!kesco_reached_has(reached, other, waiting) || host->wait == KESCO_HOST_WAIT_DONE)
            continue;
        need_plain(region, &host->may_be_seen);
        if (host->seen)
            status = kesco_region_add_pair(region, seen, waiting, other);
    }
    return status;
}

static int look_at(struct kesco_op_region *region, const struct kesco_reached *reached, uint32_t op,
                   struct kesco_pairs *seen) {
    struct kesco_op_host *host = &region->ops.items[op].host;
    if (host->waits_elsewhere && host->seen) {
        host->waits_elsewhere = false;
        host->wait = KESCO_HOST_WAIT_DONE;
    }
    if (host->waits_elsewhere)
        need_plain(region, &host->may_be_seen);
    return host->wait != KESCO_HOST_WAIT_NONE ? look_at_others(region, reached, op, seen) : 0;
}

int kesco_region_find_seen(struct kesco_op_region *region, bool all, struct kesco_pairs *seen) {
    struct kesco_reached reached;
    int status = kesco_region_reach(region, &reached);
    if (status)
        return status;
    for (uint32_t op = 0; status == 0 && op < region->ops.count && (all || seen->count == 0); op++)
        status = look_at(region, &reached, op, seen);
    kesco_reached_clear(&reached);
    return status;
}

bool kesco_op_tells_visible(const struct kesco_region_op *op) {
    for (uint32_t i = 0; i < op->host.visible.count; i++)
        if (!kesco_op_pointer_into(op, op->host.visible.items[i]))
            return false;
    return !op->memory.aliases_all;
}
