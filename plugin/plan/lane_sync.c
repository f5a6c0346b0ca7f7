#include "plugin/plan/lane_sync.h"

#include <errno.h>
#include <stdlib.h>

/* True if two ops are ordered by what is done on the origin between them. */
static bool are_cut_apart(const struct kesco_lane_sync *sync, uint32_t a, uint32_t b) {
    return sync->has_cuts && sync->plan->cut.epoch[a] != sync->plan->cut.epoch[b];
}

static bool is_waited_for(const struct kesco_lane_sync *sync, uint32_t op) {
    for (size_t i = 0; i < sync->plan->sync.wait_count; i++)
        if (sync->plan->sync.waits[i].on == op && !are_cut_apart(sync, sync->plan->sync.waits[i].op, op))
            return true;
    return false;
}

int kesco_lane_sync_find(const struct kesco_op_region *region, const struct kesco_plan *plan,
                         struct kesco_lane_sync *sync) {
    *sync = (struct kesco_lane_sync){
        .region = region,
        .plan = plan,
        .has_cuts = region->origin == KESCO_ORIGIN_LEGACY && plan->lane_count > 1,
        .event = malloc(((size_t)plan->op_count + 1) * sizeof(*sync->event)),
    };
    if (!sync->event)
        return -ENOMEM;
    for (uint32_t op = 0; op < plan->op_count; op++)
        sync->event[op] = KESCO_NO_EVENT;
    for (size_t i = 0; i < plan->sync.record_count; i++)
        if (is_waited_for(sync, plan->sync.records[i]))
            sync->event[plan->sync.records[i]] = sync->event_count++;
    return 0;
}

void kesco_lane_sync_clear(struct kesco_lane_sync *sync) {
    free(sync->event);
    *sync = (struct kesco_lane_sync){0};
}

bool kesco_lane_sync_is_cut(const struct kesco_lane_sync *sync, uint32_t op) {
    return sync->has_cuts && sync->plan->cut.alone[op];
}

bool kesco_lane_sync_is_aligned(const struct kesco_lane_sync *sync, uint32_t op) {
    return sync->has_cuts && sync->plan->cut.aligned[op];
}

bool kesco_lane_sync_is_cut_next(const struct kesco_lane_sync *sync, uint32_t place) {
    const struct kesco_numbers *next = &sync->region->ops.items[place].way.next;
    return next->count == 1 && kesco_lane_sync_is_cut(sync, sync->plan->sequence[next->items[0]]);
}

static bool is_later(uint32_t a, uint32_t b, uint32_t op) {
    return (a < op) == (b < op) ? a > b : a < op;
}

size_t kesco_lane_sync_waits(const struct kesco_lane_sync *sync, uint32_t op, uint32_t *on) {
    size_t count = 0;
    for (size_t i = 0; i < sync->plan->sync.wait_count; i++) {
        const struct kesco_wait *wait = &sync->plan->sync.waits[i];
        if (wait->op != op || are_cut_apart(sync, op, wait->on))
            continue;
        size_t at = count++;
        for (; at > 0 && is_later(wait->on, on[at - 1], op); at--)
            on[at] = on[at - 1];
        on[at] = wait->on;
    }
    return count;
}
