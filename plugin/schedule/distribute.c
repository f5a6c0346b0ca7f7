#include "plugin/schedule/distribute.h"

#include "plugin/schedule/band.h"
#include "plugin/schedule/clock.h"
#include "plugin/schedule/flow.h"
#include "plugin/schedule/level.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

struct distributor {
    const struct kesco_graph *graph;
    const uint32_t *sequence;        /* ops in issue order */
    uint32_t count;                  /* how many they are */
    uint32_t issued;                 /* how many of them are distributed */
    const struct kesco_bands *bands; /* which lanes an op may use; NULL: all */
    enum kesco_full full;            /* which lane takes an op when all are used */
    struct kesco_clock *clock;       /* the ops distributed so far */
    double *load;                    /* by lane: sum of the costs of its ops, microseconds */
    double *free_at;                 /* by lane: when its last op could end, microseconds from the start */
    double *end;                     /* by op: when it could end */
    double host;                     /* when the host could go on */
    uint32_t *band;                  /* by lane: the band that opened it */
    uint32_t *opened;                /* by band: lanes that it opened */
    uint32_t lane_count;             /* lanes in use */
    uint32_t max_lanes;              /* lanes to use at most */
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

/* The band of the op, 0 where there are none. */
static uint32_t band_of(const struct distributor *d, uint32_t op) {
    return d->bands ? d->bands->band[d->bands->level[op]] : 0;
}

static bool may_use(const struct distributor *d, uint32_t op, uint32_t lane) {
    return !d->bands || kesco_bands_allow(d->bands, op, d->band[lane]);
}

static uint32_t least_loaded(const struct distributor *d, uint32_t op) {
    uint32_t best = KESCO_LANE_NONE;
    for (uint32_t lane = 0; lane < d->lane_count; lane++)
        if (may_use(d, op, lane) && (best == KESCO_LANE_NONE || d->load[lane] < d->load[best]))
            best = lane;
    return best;
}

/* When the host and the predecessors of `op` let it start. */
static double ready_at(const struct distributor *d, uint32_t op) {
    size_t count;
    const uint32_t *predecessors = kesco_graph_predecessors(d->graph, op, &count);
    double ready = d->host;
    for (size_t i = 0; i < count; i++)
        ready = fmax(ready, d->end[predecessors[i]]);
    return ready;
}

static size_t waits_on(const struct distributor *d, uint32_t op, uint32_t lane) {
    size_t count;
    kesco_clock_waits(d->clock, op, lane, &count);
    return count;
}

static uint32_t earliest(const struct distributor *d, uint32_t op) {
    uint32_t best = KESCO_LANE_NONE;
    double ready = ready_at(d, op), best_start = INFINITY;
    size_t best_waits = SIZE_MAX;
    for (uint32_t lane = 0; lane < d->lane_count; lane++) {
        double start = fmax(ready, d->free_at[lane]);
        if (!may_use(d, op, lane) || (best != KESCO_LANE_NONE && start > best_start))
            continue;
        size_t waits = waits_on(d, op, lane);
        if (best != KESCO_LANE_NONE && start == best_start && waits >= best_waits)
            continue;
        best = lane;
        best_start = start;
        best_waits = waits;
    }
    return best;
}

/* True if nothing on the lane could hold up what `op` does there. */
static bool is_free(const struct distributor *d, uint32_t lane, uint32_t op) {
    return d->graph->flow ? tail_for(d, lane, op) == KESCO_LANE_NONE : kesco_clock_idle(d->clock, lane);
}

static uint32_t open_lane(struct distributor *d, uint32_t band) {
    if (d->lane_count == d->max_lanes || (d->bands && d->opened[band] == d->bands->room[band]))
        return KESCO_LANE_NONE;
    d->opened[band]++;
    d->band[d->lane_count] = band;
    return d->lane_count++;
}

/*
 * A lane that is idle, or unused as far as `op` can see: first of its own band, new ones included, then of
 * those that it may share. KESCO_LANE_NONE where there is none.
 */
static uint32_t free_lane(struct distributor *d, uint32_t op) {
    uint32_t band = band_of(d, op);
    for (uint32_t lane = 0; lane < d->lane_count; lane++)
        if (d->band[lane] == band && is_free(d, lane, op))
            return lane;
    uint32_t opened = open_lane(d, band);
    if (opened != KESCO_LANE_NONE)
        return opened;
    for (uint32_t lane = 0; lane < d->lane_count; lane++)
        if (may_use(d, op, lane) && is_free(d, lane, op))
            return lane;
    return KESCO_LANE_NONE;
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
    if (lane != KESCO_LANE_NONE)
        return lane;
    return d->full == KESCO_FULL_EARLIEST ? earliest(d, op) : least_loaded(d, op);
}

static int issue(struct distributor *d, uint32_t op, uint32_t lane) {
    double start = fmax(ready_at(d, op), d->free_at[lane]);
    d->load[lane] += d->graph->ops[op].cost;
    d->end[op] = d->free_at[lane] = start + d->graph->ops[op].cost;
    if (d->graph->ops[op].blocks)
        d->host = d->end[op];
    return kesco_clock_issue(d->clock, op, lane);
}

/* Distributes the ops of `d->sequence`. */
static int distribute(struct distributor *d, uint32_t *lane) {
    size_t ops = (size_t)d->graph->op_count + 1, lanes = (size_t)d->max_lanes + 1;
    int err = -ENOMEM;
    d->clock = NULL;
    d->load = calloc(lanes, sizeof(*d->load));
    d->free_at = calloc(lanes, sizeof(*d->free_at));
    d->end = calloc(ops, sizeof(*d->end));
    d->band = calloc(lanes, sizeof(*d->band));
    d->opened = calloc(KESCO_LEVEL_MAX, sizeof(*d->opened));
    if (d->load && d->free_at && d->end && d->band && d->opened)
        err = kesco_clock_create(d->graph, d->max_lanes, &d->clock);
    for (; !err && d->issued < d->count; d->issued++) {
        uint32_t op = d->sequence[d->issued];
        lane[op] = choose_lane(d, op);
        err = issue(d, op, lane[op]);
    }
    kesco_clock_destroy(d->clock);
    free(d->load);
    free(d->free_at);
    free(d->end);
    free(d->band);
    free(d->opened);
    return err;
}

static struct distributor begin(const struct kesco_graph *graph, const struct kesco_distribution *how) {
    return (struct distributor){
        .graph = graph,
        .sequence = how->sequence,
        .count = graph->op_count,
        .full = how->full,
        .max_lanes = how->max_lanes < graph->op_count ? how->max_lanes : graph->op_count,
    };
}

/* Stores for each level how many lanes it takes when it is alone. `alone` and `lane` have room for all ops.
 */
static int find_demand(const struct kesco_graph *graph, const struct kesco_distribution *how,
                       uint32_t *demand, uint32_t *alone, uint32_t *lane) {
    for (uint32_t level = 0; level < how->level_count; level++) {
        struct distributor d = begin(graph, how);
        d.sequence = alone;
        d.count = 0;
        for (uint32_t i = 0; i < graph->op_count; i++)
            if (how->level[how->sequence[i]] == level)
                alone[d.count++] = how->sequence[i];
        int err = distribute(&d, lane);
        if (err)
            return err;
        demand[level] = d.lane_count;
    }
    return 0;
}

static int distribute_levels(const struct kesco_graph *graph, const struct kesco_distribution *how,
                             uint32_t *lane, uint32_t *lane_count) {
    struct kesco_bands bands = {0};
    struct distributor d = begin(graph, how);
    uint32_t *demand = calloc(how->level_count, sizeof(*demand));
    uint32_t *alone = calloc((size_t)graph->op_count + 1, sizeof(*alone));
    int err = demand && alone ? find_demand(graph, how, demand, alone, lane) : -ENOMEM;
    if (!err)
        err = kesco_bands_create(graph, how->sequence, how->level, how->level_count, demand, d.max_lanes,
                                 &bands);
    d.bands = &bands;
    if (!err)
        err = distribute(&d, lane);
    *lane_count = d.lane_count;
    kesco_bands_free(&bands);
    free(demand);
    free(alone);
    return err;
}

int kesco_distribute(const struct kesco_graph *graph, const struct kesco_distribution *how, uint32_t *lane,
                     uint32_t *lane_count) {
    if (how->level_count > 1)
        return distribute_levels(graph, how, lane, lane_count);
    struct distributor d = begin(graph, how);
    int err = distribute(&d, lane);
    *lane_count = d.lane_count;
    return err;
}
