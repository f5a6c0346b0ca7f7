#include "plugin/schedule/distribute.h"

#include "plugin/schedule/band.h"
#include "plugin/schedule/bits.h"
#include "plugin/schedule/clock.h"
#include "plugin/schedule/cover.h"
#include "plugin/schedule/flow.h"
#include "plugin/schedule/flow_past.h"
#include "plugin/schedule/level.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Lanes, and by lane: */
struct lanes {
    uint32_t count;  /* in use */
    uint32_t max;    /* to use at most */
    double *load;    /* sum of the costs of its ops, microseconds */
    double *free_at; /* when its last op could end, microseconds from the start */
    uint32_t *band;  /* the band that opened it */
    bool *refused;   /* by the cover, to the op at hand */
};

/* What is to be distributed. */
struct work {
    const uint32_t *sequence; /* ops in issue order */
    uint32_t count;           /* how many they are */
    uint32_t issued;          /* how many of them are distributed */
    double *end;              /* by op: when it could end */
    double host;              /* when the host could go on */
};

struct distributor {
    const struct kesco_graph *graph;
    struct work work;
    const struct kesco_bands *bands; /* which lanes an op may use; NULL: all */
    struct kesco_cover *cover;       /* how they are to do with the fewest lanes; NULL: as they like best */
    const uint64_t *past;            /* along a flow, by op: what it comes after (flow_past.h) */
    enum kesco_full full;            /* which lane takes an op when all are used */
    struct kesco_clock *clock;       /* the ops distributed so far */
    struct lanes lanes;
    uint32_t *opened; /* by band: lanes that it opened */
    bool crowded;     /* some op is on a lane only because all were used */
};

/* The last op on `lane` that runs in one run of the region with `op`; KESCO_LANE_NONE for none. */
static uint32_t tail_for(const struct distributor *d, uint32_t lane, uint32_t op) {
    const struct kesco_flow *flow = d->graph->flow;
    if (!flow)
        return kesco_clock_tail(d->clock, lane);
    for (uint32_t i = d->work.issued; i > 0; i--)
        if (kesco_clock_lane(d->clock, d->work.sequence[i - 1]) == lane &&
            kesco_flow_both(flow, d->work.sequence[i - 1], op))
            return d->work.sequence[i - 1];
    return KESCO_LANE_NONE;
}

/* The band of the op, 0 where there are none. */
static uint32_t band_of(const struct distributor *d, uint32_t op) {
    return d->bands ? d->bands->band[d->bands->level[op]] : 0;
}

static bool may_use(const struct distributor *d, uint32_t op, uint32_t lane) {
    return !d->lanes.refused[lane] && (!d->bands || kesco_bands_allow(d->bands, op, d->lanes.band[lane]));
}

static bool is_among(uint32_t op, const uint32_t *ops, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (ops[i] == op)
            return true;
    return false;
}

/*
 * True if on a lane whose tail is a predecessor of `op` all comes before or after `op` anyway. In a straight
 * line that is so, for all of it comes before the tail.
 */
static bool in_turn(const struct distributor *d, uint32_t lane, uint32_t op) {
    size_t words = kesco_bits_words(d->graph->op_count);
    for (uint32_t i = 0; i < d->work.issued && d->graph->flow; i++) {
        uint32_t other = d->work.sequence[i];
        if (kesco_clock_lane(d->clock, other) == lane &&
            (!kesco_bits_has(d->past + op * words, other) || !kesco_bits_has(d->past + other * words, op)))
            return false;
    }
    return true;
}

/* True if the tail of the lane, an issued op, is a predecessor of `op`, direct or not. One that the host has
 * waited for is so only if it is direct: its lane is idle. */
static bool is_after(const struct distributor *d, uint32_t lane, uint32_t tail, uint32_t op) {
    size_t count;
    const uint32_t *predecessors = kesco_graph_predecessors(d->graph, op, &count);
    if (is_among(tail, predecessors, count))
        return true;
    if (d->graph->flow)
        return in_turn(d, lane, op);
    return !kesco_clock_idle(d->clock, lane) && kesco_clock_is_past(d->clock, tail, op);
}

/*
 * Of the lanes with a predecessor of `op` as their tail the one to take; KESCO_LANE_NONE where none is. With
 * `waits`, of `count` entries, only these predecessors count.
 */
static uint32_t lane_after(const struct distributor *d, uint32_t op, const uint32_t *waits, size_t count) {
    uint32_t best = KESCO_LANE_NONE;
    size_t least = SIZE_MAX;
    bool best_in_turn = false;
    for (uint32_t lane = 0; lane < d->lanes.count; lane++) {
        uint32_t tail = tail_for(d, lane, op);
        if (tail == KESCO_LANE_NONE || !may_use(d, op, lane))
            continue;
        if (waits ? !is_among(tail, waits, count) : !is_after(d, lane, tail, op))
            continue;
        size_t pending = kesco_clock_pending(d->clock, tail);
        bool turn = in_turn(d, lane, op);
        if (best != KESCO_LANE_NONE && (turn < best_in_turn || (turn == best_in_turn && pending >= least)))
            continue;
        best = lane;
        least = pending;
        best_in_turn = turn;
    }
    return best;
}

static uint32_t least_loaded(const struct distributor *d, uint32_t op) {
    uint32_t best = KESCO_LANE_NONE;
    for (uint32_t lane = 0; lane < d->lanes.count; lane++)
        if (may_use(d, op, lane) && (best == KESCO_LANE_NONE || d->lanes.load[lane] < d->lanes.load[best]))
            best = lane;
    return best;
}

/* When the host and the predecessors of `op` let it start. */
static double ready_at(const struct distributor *d, uint32_t op) {
    size_t count;
    const uint32_t *predecessors = kesco_graph_predecessors(d->graph, op, &count);
    double ready = d->work.host;
    for (size_t i = 0; i < count; i++)
        ready = fmax(ready, d->work.end[predecessors[i]]);
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
    for (uint32_t lane = 0; lane < d->lanes.count; lane++) {
        double start = fmax(ready, d->lanes.free_at[lane]);
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

/* The lane that a band would open next, KESCO_LANE_NONE where it may open none. */
static uint32_t next_lane(const struct distributor *d, uint32_t band) {
    if (d->lanes.count == d->lanes.max || d->lanes.refused[d->lanes.count])
        return KESCO_LANE_NONE;
    return d->bands && d->opened[band] == d->bands->room[band] ? KESCO_LANE_NONE : d->lanes.count;
}

/*
 * A lane that is idle, or unused as far as `op` can see: first of its own band, new ones included, then of
 * those that it may share. KESCO_LANE_NONE where there is none.
 */
static uint32_t free_lane(const struct distributor *d, uint32_t op) {
    uint32_t band = band_of(d, op);
    for (uint32_t lane = 0; lane < d->lanes.count; lane++)
        if (d->lanes.band[lane] == band && may_use(d, op, lane) && is_free(d, lane, op))
            return lane;
    uint32_t next = next_lane(d, band);
    if (next != KESCO_LANE_NONE)
        return next;
    for (uint32_t lane = 0; lane < d->lanes.count; lane++)
        if (may_use(d, op, lane) && is_free(d, lane, op))
            return lane;
    return KESCO_LANE_NONE;
}

/* The lane on which nothing holds up `op` that it likes best, KESCO_LANE_NONE where there is none. */
static uint32_t best_lane(const struct distributor *d, uint32_t op) {
    size_t count;
    /* After an op that it would wait for otherwise it waits for one op less; after any other, for as many.
     */
    const uint32_t *waits = kesco_clock_waits(d->clock, op, KESCO_LANE_NONE, &count);
    uint32_t lane = lane_after(d, op, waits, count);
    if (lane == KESCO_LANE_NONE)
        lane = lane_after(d, op, NULL, 0);
    return lane == KESCO_LANE_NONE ? free_lane(d, op) : lane;
}

/* Puts the op on the lane, in use or the next, as far as the cover has a say and lets it. */
static bool take_lane(struct distributor *d, uint32_t op, uint32_t lane) {
    if (!d->cover)
        return true;
    uint32_t tail = lane < d->lanes.count ? kesco_clock_tail(d->clock, lane) : KESCO_COVER_NONE;
    return kesco_cover_take(d->cover, tail, op);
}

static uint32_t choose_lane(struct distributor *d, uint32_t op) {
    uint32_t lane;
    memset(d->lanes.refused, 0, ((size_t)d->lanes.max + 1) * sizeof(*d->lanes.refused));
    while ((lane = best_lane(d, op)) != KESCO_LANE_NONE && !take_lane(d, op, lane))
        d->lanes.refused[lane] = true;
    if (lane != KESCO_LANE_NONE)
        return lane;
    d->crowded = true;
    return d->full == KESCO_FULL_EARLIEST ? earliest(d, op) : least_loaded(d, op);
}

static int issue(struct distributor *d, uint32_t op, uint32_t lane) {
    if (lane == d->lanes.count) {
        d->lanes.band[lane] = band_of(d, op);
        d->opened[d->lanes.band[lane]]++;
        d->lanes.count++;
    }
    double start = fmax(ready_at(d, op), d->lanes.free_at[lane]);
    d->lanes.load[lane] += d->graph->ops[op].cost;
    d->work.end[op] = d->lanes.free_at[lane] = start + d->graph->ops[op].cost;
    if (d->graph->ops[op].blocks)
        d->work.host = d->work.end[op];
    return kesco_clock_issue(d->clock, op, lane);
}

/* Distributes the ops of `d->sequence`. */
static int distribute(struct distributor *d, uint32_t *lane) {
    size_t ops = (size_t)d->graph->op_count + 1, lanes = (size_t)d->lanes.max + 1;
    int err = -ENOMEM;
    d->clock = NULL;
    d->lanes.load = calloc(lanes, sizeof(*d->lanes.load));
    d->lanes.free_at = calloc(lanes, sizeof(*d->lanes.free_at));
    d->work.end = calloc(ops, sizeof(*d->work.end));
    d->lanes.band = calloc(lanes, sizeof(*d->lanes.band));
    d->opened = calloc(KESCO_LEVEL_MAX, sizeof(*d->opened));
    d->lanes.refused = calloc(lanes, sizeof(*d->lanes.refused));
    if (d->lanes.load && d->lanes.free_at && d->work.end && d->lanes.band && d->opened && d->lanes.refused)
        err = kesco_clock_create(d->graph, d->lanes.max, &d->clock);
    for (; !err && d->work.issued < d->work.count; d->work.issued++) {
        uint32_t op = d->work.sequence[d->work.issued];
        lane[op] = choose_lane(d, op);
        err = issue(d, op, lane[op]);
    }
    kesco_clock_destroy(d->clock);
    free(d->lanes.load);
    free(d->lanes.free_at);
    free(d->work.end);
    free(d->lanes.band);
    free(d->opened);
    free(d->lanes.refused);
    return err;
}

/*
 * Distributes the ops as they like best, and if that takes more lanes than need be, or has to crowd lanes
 * that would do, again with a cover. That would change nothing else: where as few lanes do for what they like
 * best, a cover refuses nothing of it.
 */
static int distribute_on_fewest(struct distributor *d, uint32_t *lane) {
    struct distributor again = *d;
    int err = distribute(d, lane);
    if (err || d->graph->flow || d->lanes.count < 2 || d->work.count > KESCO_COVER_MAX_OPS)
        return err;
    err = kesco_cover_create(d->graph, d->work.sequence, d->work.count, lane, &again.cover);
    if (err)
        return err;
    uint32_t fewest = kesco_cover_lanes(again.cover);
    if (fewest < d->lanes.count || (d->crowded && fewest == d->lanes.count)) {
        err = distribute(&again, lane);
        d->lanes.count = again.lanes.count;
    }
    kesco_cover_destroy(again.cover);
    return err;
}

static struct distributor begin(const struct kesco_graph *graph, const struct kesco_distribution *how,
                                const uint64_t *past) {
    return (struct distributor){
        .graph = graph,
        .work.sequence = how->sequence,
        .work.count = graph->op_count,
        .past = past,
        .full = how->full,
        .lanes.max = how->max_lanes < graph->op_count ? how->max_lanes : graph->op_count,
    };
}

/* Distributes each level as if it were alone, and stores for each how many lanes it takes then. `alone` has
 * room for all ops. */
static int distribute_apart(const struct kesco_graph *graph, const struct kesco_distribution *how,
                            const uint64_t *past, uint32_t *demand, uint32_t *alone, uint32_t *lane) {
    for (uint32_t level = 0; level < how->level_count; level++) {
        struct distributor d = begin(graph, how, past);
        d.work.sequence = alone;
        d.work.count = 0;
        for (uint32_t i = 0; i < graph->op_count; i++)
            if (how->level[how->sequence[i]] == level)
                alone[d.work.count++] = how->sequence[i];
        int err = distribute_on_fewest(&d, lane);
        if (err)
            return err;
        demand[level] = d.lanes.count;
    }
    return 0;
}

/* Numbers the lanes of the levels, each of which counts its own from 0, through by first use. */
static int number_lanes(const struct kesco_graph *graph, const struct kesco_distribution *how,
                        const uint32_t *demand, uint32_t lanes, uint32_t *lane) {
    uint32_t *first = calloc(how->level_count, sizeof(*first)); /* by level: its first lane in `number` */
    uint32_t *number = malloc(((size_t)lanes + 1) * sizeof(*number));
    uint32_t used = 0;
    for (uint32_t level = 1; first && level < how->level_count; level++)
        first[level] = first[level - 1] + demand[level - 1];
    for (uint32_t i = 0; number && i < lanes; i++)
        number[i] = KESCO_LANE_NONE;
    for (uint32_t i = 0; first && number && i < graph->op_count; i++) {
        uint32_t op = how->sequence[i], *found = &number[first[how->level[op]] + lane[op]];
        if (*found == KESCO_LANE_NONE)
            *found = used++;
        lane[op] = *found;
    }
    int err = first && number ? 0 : -ENOMEM;
    free(first);
    free(number);
    return err;
}

/* Distributes levels that together take more lanes than there may be. */
static int distribute_in_bands(const struct kesco_graph *graph, const struct kesco_distribution *how,
                               const uint64_t *past, const uint32_t *demand, uint32_t *lane,
                               uint32_t *lane_count) {
    struct kesco_bands bands;
    struct distributor d = begin(graph, how, past);
    int err =
        kesco_bands_create(graph, how->sequence, how->level, how->level_count, demand, d.lanes.max, &bands);
    if (err)
        return err;
    d.bands = &bands;
    err = distribute(&d, lane);
    *lane_count = d.lanes.count;
    kesco_bands_free(&bands);
    return err;
}

static int distribute_levels(const struct kesco_graph *graph, const struct kesco_distribution *how,
                             const uint64_t *past, uint32_t *lane, uint32_t *lane_count) {
    uint32_t *demand = calloc(how->level_count, sizeof(*demand));
    uint32_t *alone = calloc((size_t)graph->op_count + 1, sizeof(*alone));
    uint64_t sum = 0;
    int err = demand && alone ? distribute_apart(graph, how, past, demand, alone, lane) : -ENOMEM;
    for (uint32_t level = 0; !err && level < how->level_count; level++)
        sum += demand[level];
    if (!err && sum <= how->max_lanes) {
        *lane_count = (uint32_t)sum;
        err = number_lanes(graph, how, demand, *lane_count, lane);
    } else if (!err) {
        err = distribute_in_bands(graph, how, past, demand, lane, lane_count);
    }
    free(demand);
    free(alone);
    return err;
}

int kesco_distribute(const struct kesco_graph *graph, const struct kesco_distribution *how, uint32_t *lane,
                     uint32_t *lane_count) {
    uint64_t *past = NULL;
    int err = 0;
    if (graph->flow) {
        past = calloc(graph->op_count * kesco_bits_words(graph->op_count) + 1, sizeof(*past));
        err = past ? kesco_flow_past(graph, past) : -ENOMEM;
    }
    struct distributor d = begin(graph, how, past);
    if (!err && how->level_count > 1)
        err = distribute_levels(graph, how, past, lane, &d.lanes.count);
    else if (!err)
        err = distribute_on_fewest(&d, lane);
    *lane_count = d.lanes.count;
    free(past);
    return err;
}
