#include "plugin/schedule/estimate.h"

#include "plugin/schedule/flow.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum { ENGINES = KESCO_ENGINE_NONE + 1 };

#define ROUNDING 1e-9 /* times that differ by no more than this share are the same */

/* The ops of a region while they are played in issue order. */
struct play {
    const struct kesco_graph *graph;
    const struct kesco_machine *machine;
    const struct kesco_issue *issue;
    double *end;     /* by op: when its latest run ends; -INFINITY before the first */
    double *free_at; /* by lane: when its last op ends */
    bool *recorded;  /* by op: a record stands after it */
    double host;     /* when the host goes on */
    double last;     /* when the last op so far ends */
};

static bool costs_are_known(const struct kesco_graph *graph) {
    for (uint32_t op = 0; op < graph->op_count; op++)
        if (!graph->ops[op].cost_known)
            return false;
    return true;
}

static bool has_loop(const struct kesco_graph *graph) {
    for (uint32_t op = 0; op < graph->op_count && graph->flow; op++)
        if (kesco_flow_in_flight(graph->flow, op, op))
            return true;
    return false;
}

/* How long the busiest engine takes for all ops, at least. */
static double find_capacity(const struct kesco_graph *graph) {
    double busy[ENGINES] = {0}, most = 0;
    for (uint32_t i = 0; i < graph->op_count; i++) {
        const struct kesco_op *op = &graph->ops[i];
        busy[op->engine] += op->engine == KESCO_ENGINE_COMPUTE ? op->cost * op->fill : op->cost;
    }
    for (int engine = 0; engine < KESCO_ENGINE_NONE; engine++)
        most = fmax(most, busy[engine]);
    return most;
}

/* When all ops have ended that start as soon as dependences and the host let them. `end` has room for all. */
static double find_critical_path(const struct kesco_graph *graph, double *end) {
    double host = 0, last = 0;
    for (uint32_t op = 0; op < graph->op_count; op++) {
        size_t count;
        const uint32_t *predecessors = kesco_graph_predecessors(graph, op, &count);
        end[op] = host;
        for (size_t i = 0; i < count; i++)
            end[op] = fmax(end[op], end[predecessors[i]]);
        end[op] += graph->ops[op].cost;
        last = fmax(last, end[op]);
        if (graph->ops[op].blocks && !graph->flow)
            host = fmax(host, end[op]);
    }
    return last;
}

int kesco_estimate_bounds(const struct kesco_graph *graph, struct kesco_bounds *bounds) {
    *bounds = (struct kesco_bounds){.known = costs_are_known(graph)};
    if (!bounds->known)
        return 0;
    double *end = calloc((size_t)graph->op_count + 1, sizeof(*end));
    if (!end)
        return -ENOMEM;
    for (uint32_t op = 0; op < graph->op_count; op++)
        bounds->serial_us += graph->ops[op].cost;
    bounds->critical_path_us = find_critical_path(graph, end);
    bounds->capacity_us = find_capacity(graph);
    free(end);
    return 0;
}

/* Plays the next run of the op; the waits that stand before it are [first, last). */
static void play_op(struct play *p, uint32_t op, const struct kesco_wait *first,
                    const struct kesco_wait *last) {
    const struct kesco_op *what = &p->graph->ops[op];
    double *free_at = &p->free_at[p->issue->lane[op]];
    double start = *free_at;
    for (const struct kesco_wait *wait = first; wait < last; wait++)
        start = fmax(start, p->end[wait->on] + p->machine->wait_us);
    p->host += (double)(last - first) * p->machine->call_us;
    p->host += p->machine->launch_us;
    p->end[op] = *free_at = fmax(start, p->host) + what->cost;
    p->last = fmax(p->last, p->end[op]);
    if (p->recorded[op])
        p->host += p->machine->call_us;
    if (what->blocks)
        p->host = fmax(p->host, p->end[op]);
}

static void play_all(struct play *p) {
    const struct kesco_sync *sync = p->issue->sync;
    size_t wait = 0;
    for (uint32_t i = 0; i < p->graph->op_count; i++) {
        uint32_t op = p->issue->sequence[i];
        size_t first = wait;
        while (wait < sync->wait_count && sync->waits[wait].op == op)
            wait++;
        play_op(p, op, sync->waits + first, sync->waits + wait);
    }
}

int kesco_estimate_time(const struct kesco_graph *graph, const struct kesco_machine *machine,
                        const struct kesco_issue *issue, double *time_us) {
    struct play p = {.graph = graph, .machine = machine, .issue = issue};
    int err = -ENOMEM, passes = has_loop(graph) ? 2 : 1;
    p.end = calloc((size_t)graph->op_count + 1, sizeof(*p.end));
    p.free_at = calloc((size_t)issue->lane_count + 1, sizeof(*p.free_at));
    p.recorded = calloc((size_t)graph->op_count + 1, sizeof(*p.recorded));
    if (p.end && p.free_at && p.recorded) {
        for (uint32_t op = 0; op < graph->op_count; op++)
            p.end[op] = -INFINITY;
        for (size_t i = 0; i < issue->sync->record_count; i++)
            p.recorded[issue->sync->records[i]] = true;
        p.host = issue->lane_count > 1 ? machine->region_us : 0;
        double first = graph->op_count ? p.host + machine->launch_us : 0;
        for (int pass = 0; pass < passes; pass++)
            play_all(&p);
        /* no engine has anything to do before the first op is issued */
        *time_us = fmax(fmax(p.host, p.last), first + passes * find_capacity(graph));
        err = 0;
    }
    free(p.end);
    free(p.free_at);
    free(p.recorded);
    return err;
}

/* The time of the ops in program order on one lane. */
static int find_serial_time(const struct kesco_graph *graph, const struct kesco_machine *machine,
                            double *time_us) {
    const struct kesco_sync none = {0};
    uint32_t *lane = calloc((size_t)graph->op_count + 1, sizeof(*lane));
    uint32_t *sequence = calloc((size_t)graph->op_count + 1, sizeof(*sequence));
    struct kesco_issue issue = {.sequence = sequence, .lane = lane, .lane_count = 1, .sync = &none};
    int err = -ENOMEM;
    if (lane && sequence) {
        for (uint32_t op = 0; op < graph->op_count; op++)
            sequence[op] = op;
        err = kesco_estimate_time(graph, machine, &issue, time_us);
    }
    free(lane);
    free(sequence);
    return err;
}

int kesco_estimate_pays(const struct kesco_graph *graph, const struct kesco_machine *machine,
                        const struct kesco_issue *issue, bool *pays) {
    double serial = 0, time = 0;
    *pays = !costs_are_known(graph);
    if (*pays)
        return 0;
    int err = find_serial_time(graph, machine, &serial);
    if (!err)
        err = kesco_estimate_time(graph, machine, issue, &time);
    *pays = !err && time < serial - serial * ROUNDING;
    return err;
}
