#include "plugin/schedule/sync.h"

#include "plugin/schedule/clock.h"

#include <errno.h>
#include <stdlib.h>

static int compare_waits(const void *left, const void *right) {
    const struct kesco_wait *a = left, *b = right;
    return (a->on > b->on) - (a->on < b->on);
}

static int append_waits(struct kesco_sync *sync, size_t *capacity, uint32_t op, const uint32_t *on,
                        size_t count) {
    if (count == 0)
        return 0;
    if (sync->wait_count + count > *capacity) {
        size_t wanted = *capacity * 2 + count + 16;
        struct kesco_wait *waits = reallocarray(sync->waits, wanted, sizeof(*waits));
        if (!waits)
            return -ENOMEM;
        sync->waits = waits;
        *capacity = wanted;
    }
    struct kesco_wait *first = sync->waits + sync->wait_count;
    for (size_t i = 0; i < count; i++)
        first[i] = (struct kesco_wait){.op = op, .on = on[i]};
    if (count > 1)
        qsort(first, count, sizeof(*first), compare_waits);
    sync->wait_count += count;
    return 0;
}

static int find_waits(const struct kesco_graph *graph, const uint32_t *sequence, const uint32_t *lane,
                      struct kesco_clock *clock, struct kesco_sync *sync) {
    size_t capacity = 0;
    for (uint32_t i = 0; i < graph->op_count; i++) {
        uint32_t op = sequence[i];
        size_t count;
        const uint32_t *on = kesco_clock_waits(clock, op, lane[op], &count);
        int err = append_waits(sync, &capacity, op, on, count);
        if (!err)
            err = kesco_clock_issue(clock, op, lane[op]);
        if (err)
            return err;
    }
    return 0;
}

int kesco_sync_find_records(uint32_t op_count, struct kesco_sync *sync) {
    bool *recorded = calloc((size_t)op_count + 1, sizeof(*recorded));
    if (!recorded)
        return -ENOMEM;
    for (size_t i = 0; i < sync->wait_count; i++) {
        sync->record_count += !recorded[sync->waits[i].on];
        recorded[sync->waits[i].on] = true;
    }
    sync->records = calloc(sync->record_count + 1, sizeof(*sync->records));
    if (sync->records) {
        size_t next = 0;
        for (uint32_t op = 0; op < op_count; op++)
            if (recorded[op])
                sync->records[next++] = op;
    }
    free(recorded);
    return sync->records ? 0 : -ENOMEM;
}

int kesco_sync_create(const struct kesco_graph *graph, const uint32_t *sequence, const uint32_t *lane,
                      uint32_t lane_count, struct kesco_sync *sync) {
    struct kesco_clock *clock;
    int err = kesco_clock_create(graph, lane_count, &clock);
    if (err)
        return err;
    *sync = (struct kesco_sync){0};
    err = find_waits(graph, sequence, lane, clock, sync);
    if (!err)
        err = kesco_sync_find_records(graph->op_count, sync);
    if (err)
        free(sync->waits);
    kesco_clock_destroy(clock);
    return err;
}
