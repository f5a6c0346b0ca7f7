#include "plugin/schedule/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NO_ROW UINT32_MAX

struct op_state {
    uint32_t lane;     /* where it was issued; KESCO_LANE_NONE before */
    uint32_t position; /* its place in the lane, counted from 1 */
    uint32_t row;      /* its vector clock: index into rows; NO_ROW when nobody needs it any more */
    uint32_t pending;  /* direct successors to be issued */
};

struct lane_state {
    uint32_t tail;   /* last op, or KESCO_LANE_NONE */
    uint32_t length; /* ops issued */
    uint32_t latest; /* of the predecessors at hand, the last one on this lane; KESCO_LANE_NONE for none */
};

struct kesco_clock {
    const struct kesco_graph *graph;
    uint32_t lanes;             /* entries in a row */
    struct op_state *ops;       /* by op */
    struct lane_state *by_lane; /* by lane */
    uint32_t *host;             /* the vector clock of what comes before all that the host still issues */
    uint32_t *rows;             /* the vector clocks */
    uint32_t row_count;         /* rows handed out at least once */
    uint32_t row_capacity;      /* room in rows */
    uint32_t *free_rows;        /* rows to hand out again */
    uint32_t free_count;        /* entries in free_rows */
    uint32_t *waits;            /* answer of kesco_clock_waits: at most one per lane */
    uint32_t *touched;          /* lanes that hold predecessors of the op at hand */
};

int kesco_clock_create(const struct kesco_graph *graph, uint32_t lanes, struct kesco_clock **out) {
    struct kesco_clock *clock = calloc(1, sizeof(*clock));
    if (!clock)
        return -ENOMEM;
    clock->graph = graph;
    clock->lanes = lanes;
    clock->ops = calloc((size_t)graph->op_count + 1, sizeof(*clock->ops));
    clock->by_lane = calloc((size_t)lanes + 1, sizeof(*clock->by_lane));
    clock->host = calloc((size_t)lanes + 1, sizeof(*clock->host));
    clock->waits = calloc((size_t)lanes + 1, sizeof(*clock->waits));
    clock->touched = calloc((size_t)lanes + 1, sizeof(*clock->touched));
    if (!clock->ops || !clock->by_lane || !clock->host || !clock->waits || !clock->touched) {
        kesco_clock_destroy(clock);
        return -ENOMEM;
    }
    for (uint32_t op = 0; op < graph->op_count; op++) {
        size_t successors;
        kesco_graph_successors(graph, op, &successors);
        clock->ops[op] =
            (struct op_state){.lane = KESCO_LANE_NONE, .row = NO_ROW, .pending = (uint32_t)successors};
    }
    for (uint32_t lane = 0; lane < lanes; lane++)
        clock->by_lane[lane] = (struct lane_state){.tail = KESCO_LANE_NONE, .latest = KESCO_LANE_NONE};
    *out = clock;
    return 0;
}

void kesco_clock_destroy(struct kesco_clock *clock) {
    if (!clock)
        return;
    free(clock->ops);
    free(clock->by_lane);
    free(clock->host);
    free(clock->rows);
    free(clock->free_rows);
    free(clock->waits);
    free(clock->touched);
    free(clock);
}

uint32_t kesco_clock_tail(const struct kesco_clock *clock, uint32_t lane) {
    return clock->by_lane[lane].tail;
}

uint32_t kesco_clock_lane(const struct kesco_clock *clock, uint32_t op) {
    return clock->ops[op].lane;
}

size_t kesco_clock_pending(const struct kesco_clock *clock, uint32_t op) {
    return clock->ops[op].pending;
}

static uint32_t *row_of(const struct kesco_clock *clock, uint32_t op) {
    return clock->rows + (size_t)clock->ops[op].row * clock->lanes;
}

static bool ordered_before(const struct kesco_clock *clock, uint32_t first, uint32_t second) {
    return row_of(clock, second)[clock->ops[first].lane] >= clock->ops[first].position;
}

/* True if the host has waited for the op, or for one that comes after it. */
static bool known_to_host(const struct kesco_clock *clock, uint32_t op) {
    return clock->host[clock->ops[op].lane] >= clock->ops[op].position;
}

bool kesco_clock_idle(const struct kesco_clock *clock, uint32_t lane) {
    return known_to_host(clock, clock->by_lane[lane].tail);
}

bool kesco_clock_is_past(const struct kesco_clock *clock, uint32_t first, uint32_t op) {
    size_t count;
    const uint32_t *predecessors = kesco_graph_predecessors(clock->graph, op, &count);
    for (size_t i = 0; i < count; i++)
        if (ordered_before(clock, first, predecessors[i]))
            return true;
    return false;
}

static int grow_rows(struct kesco_clock *clock) {
    uint32_t capacity = clock->row_capacity ? clock->row_capacity * 2 : 64;
    uint32_t *rows = reallocarray(clock->rows, capacity, clock->lanes * sizeof(*rows));
    if (!rows)
        return -ENOMEM;
    clock->rows = rows;
    uint32_t *free_rows = reallocarray(clock->free_rows, capacity, sizeof(*free_rows));
    if (!free_rows)
        return -ENOMEM;
    clock->free_rows = free_rows;
    clock->row_capacity = capacity;
    return 0;
}

static int take_row(struct kesco_clock *clock, uint32_t *row) {
    if (clock->free_count) {
        *row = clock->free_rows[--clock->free_count];
        return 0;
    }
    if (clock->row_count == clock->row_capacity) {
        int err = grow_rows(clock);
        if (err)
            return err;
    }
    *row = clock->row_count++;
    return 0;
}

static void drop_row_if_unneeded(struct kesco_clock *clock, uint32_t op) {
    struct op_state *state = &clock->ops[op];
    if (state->row == NO_ROW || state->pending || clock->by_lane[state->lane].tail == op)
        return;
    clock->free_rows[clock->free_count++] = state->row;
    state->row = NO_ROW;
}

/* Notes the last predecessor of `op` on each lane; returns on how many lanes there are any. */
static size_t gather(struct kesco_clock *clock, uint32_t op) {
    size_t count, touched = 0;
    const uint32_t *predecessors = kesco_graph_predecessors(clock->graph, op, &count);
    for (size_t i = 0; i < count; i++) {
        uint32_t lane = clock->ops[predecessors[i]].lane;
        uint32_t *latest = &clock->by_lane[lane].latest;
        if (*latest == KESCO_LANE_NONE)
            clock->touched[touched++] = lane;
        if (*latest == KESCO_LANE_NONE || clock->ops[*latest].position < clock->ops[predecessors[i]].position)
            *latest = predecessors[i];
    }
    return touched;
}

const uint32_t *kesco_clock_waits(struct kesco_clock *clock, uint32_t op, uint32_t lane, size_t *count) {
    size_t touched = gather(clock, op), waits = 0;
    uint32_t tail = lane == KESCO_LANE_NONE ? KESCO_LANE_NONE : clock->by_lane[lane].tail;
    for (size_t i = 0; i < touched; i++) {
        uint32_t on = clock->by_lane[clock->touched[i]].latest;
        bool implied = clock->touched[i] == lane || known_to_host(clock, on);
        if (tail != KESCO_LANE_NONE)
            implied = implied || ordered_before(clock, on, tail);
        for (size_t j = 0; j < touched && !implied; j++)
            implied = i != j && ordered_before(clock, on, clock->by_lane[clock->touched[j]].latest);
        if (!implied)
            clock->waits[waits++] = on;
    }
    for (size_t i = 0; i < touched; i++)
        clock->by_lane[clock->touched[i]].latest = KESCO_LANE_NONE;
    *count = waits;
    return clock->waits;
}

static void join(uint32_t *restrict row, const uint32_t *restrict other, uint32_t lanes) {
    for (uint32_t i = 0; i < lanes; i++)
        row[i] = row[i] > other[i] ? row[i] : other[i];
}

int kesco_clock_issue(struct kesco_clock *clock, uint32_t op, uint32_t lane) {
    struct op_state *state = &clock->ops[op];
    struct lane_state *target = &clock->by_lane[lane];
    int err = take_row(clock, &state->row);
    if (err)
        return err;

    size_t count;
    const uint32_t *waits = kesco_clock_waits(clock, op, lane, &count);
    uint32_t *row = row_of(clock, op);
    memcpy(row, clock->host, clock->lanes * sizeof(*row));
    for (size_t i = 0; i < count; i++)
        join(row, row_of(clock, waits[i]), clock->lanes);
    uint32_t before = target->tail;
    if (before != KESCO_LANE_NONE)
        join(row, row_of(clock, before), clock->lanes);

    state->lane = lane;
    state->position = row[lane] = ++target->length;
    target->tail = op;
    if (clock->graph->ops[op].blocks)
        memcpy(clock->host, row, clock->lanes * sizeof(*row));
    const uint32_t *predecessors = kesco_graph_predecessors(clock->graph, op, &count);
    for (size_t i = 0; i < count; i++) {
        clock->ops[predecessors[i]].pending--;
        drop_row_if_unneeded(clock, predecessors[i]);
    }
    if (before != KESCO_LANE_NONE)
        drop_row_if_unneeded(clock, before);
    return 0;
}
