#include "plugin/schedule/distribute.h"

#include "plugin/schedule/clock.h"
#include "plugin/schedule/flow.h"

#include <errno.h>
#include <stdlib.h>

struct distributor {
    const struct kesco_graph *graph;
    const uint32_t *sequence;  /* ops in issue order */
    uint32_t issued;           /* how many of them are distributed */
    struct kesco_clock *clock; /* the ops distributed so far */
    double *load;              /* by lane: sum of the costs of its ops, microseconds */
    uint32_t lane_count;       /* lanes in use */
    uint32_t max_lanes;        /* lanes to use at most */
};

/* The last op on `lane` that runs in one run of the region with `op`; KESCO_LANE_NONE for none. */
static uint32_t tail_for(const struct distributor *d, uint32_t lane, uint32_t op) {
    const struct kesco_flow *flow = d->graph->flow;
    if (!flow)
        return kesco_clock_tail(d->clock, lane);
    for (uint32_t i = d->issued; i > 0; i--)
        if (kesco_clock_lane(d->clock, d->sequence[i - 1]) == lane &&
            kesco_flow_both(flow, d->sequence[i - 1], op))
            return d->sequence[i - 1];
    return KESCO_LANE_NONE;
}

/* Of `ops` those that are the tail of their lane to `op`, and of these the one to follow; KESCO_LANE_NONE
 * where none is. */
static uint32_t best_tail(const struct distributor *d, uint32_t op, const uint32_t *ops, size_t count) {
    uint32_t best = KESCO_LANE_NONE;
    for (size_t i = 0; i < count; i++) {
        uint32_t lane = kesco_clock_lane(d->clock, ops[i]);
        if (tail_for(d, lane, op) != ops[i])
            continue;
        if (best != KESCO_LANE_NONE) {
            size_t pending = kesco_clock_pending(d->clock, ops[i]);
            size_t least = kesco_clock_pending(d->clock, best);
            if (pending > least || (pending == least && lane > kesco_clock_lane(d->clock, best)))
                continue;
        }
        best = ops[i];
    }
    return best;
}

static uint32_t least_loaded(const struct distributor *d) {
    uint32_t best = 0;
    for (uint32_t lane = 1; lane < d->lane_count; lane++)
        if (d->load[lane] < d->load[best])
            best = lane;
    return best;
}

/* True if nothing on the lane could hold up what `op` does there. */
static bool is_free(const struct distributor *d, uint32_t lane, uint32_t op) {
    return d->graph->flow ? tail_for(d, lane, op) == KESCO_LANE_NONE : kesco_clock_idle(d->clock, lane);
}

/* A lane that is idle, or unused as far as `op` can see; KESCO_LANE_NONE where there is none. */
static uint32_t free_lane(struct distributor *d, uint32_t op) {
    for (uint32_t lane = 0; lane < d->lane_count; lane++)
        if (is_free(d, lane, op))
            return lane;
    return d->lane_count < d->max_lanes ? d->lane_count++ : KESCO_LANE_NONE;
}

static uint32_t choose_lane(struct distributor *d, uint32_t op) {
    size_t count;
    /* Behind an op that it would wait for otherwise it waits for one op less; behind any other, for as many.
     */
    const uint32_t *waits = kesco_clock_waits(d->clock, op, KESCO_LANE_NONE, &count);
    uint32_t tail = best_tail(d, op, waits, count);
    if (tail == KESCO_LANE_NONE) {
        const uint32_t *predecessors = kesco_graph_predecessors(d->graph, op, &count);
        tail = best_tail(d, op, predecessors, count);
    }
    if (tail != KESCO_LANE_NONE)
        return kesco_clock_lane(d->clock, tail);
    uint32_t lane = free_lane(d, op);
    return lane != KESCO_LANE_NONE ? lane : least_loaded(d);
}

int kesco_distribute(const struct kesco_graph *graph, const uint32_t *sequence, uint32_t max_lanes,
                     uint32_t *lane, uint32_t *lane_count) {
    struct distributor d = {.graph = graph, .sequence = sequence};
    d.max_lanes = max_lanes < graph->op_count ? max_lanes : graph->op_count;
    d.load = calloc((size_t)d.max_lanes + 1, sizeof(*d.load));
    if (!d.load)
        return -ENOMEM;
    int err = kesco_clock_create(graph, d.max_lanes, &d.clock);
    if (err)
        goto free_load;
    for (; d.issued < graph->op_count; d.issued++) {
        uint32_t op = sequence[d.issued];
        lane[op] = choose_lane(&d, op);
        d.load[lane[op]] += graph->ops[op].cost;
        err = kesco_clock_issue(d.clock, op, lane[op]);
        if (err)
            goto destroy_clock;
    }
    *lane_count = d.lane_count;
destroy_clock:
    kesco_clock_destroy(d.clock);
free_load:
    free(d.load);
    return err;
}
