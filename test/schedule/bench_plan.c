/*
 * How long planning takes: for graphs of several shapes and sizes, the milliseconds for edges and plan.
 *
 *     bench_plan [MAX_LANES [fewest-predecessors|critical-path]]
 *
 * In one shape every 4th op is a copy that blocks the host; in another the chains are tasks of 4 priorities.
 */
#include "plugin/schedule/plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define READS 3 /* objects that an op reads, so about as many edges */

static uint64_t random_state;

/* Uniform below `limit`, which is positive (splitmix64). */
static uint32_t random_below(uint32_t limit) {
    uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)((z ^ (z >> 31)) % limit);
}

/* Shapes: which op's result the op reads as its `slot`-th input; `op` itself for none. */
typedef uint32_t pick_input(uint32_t op, uint32_t slot);

static uint32_t pick_local(uint32_t op, uint32_t slot) {
    (void)slot;
    return op == 0 ? op : op - 1 - random_below(op < 64 ? op : 64);
}

static uint32_t pick_global(uint32_t op, uint32_t slot) {
    (void)slot;
    return op == 0 ? op : random_below(op);
}

/* Layers of 1000 ops, each op reading from the layer before. */
static uint32_t pick_wide(uint32_t op, uint32_t slot) {
    (void)slot;
    return op < 1000 ? op : op / 1000 * 1000 - 1000 + random_below(1000);
}

/* 16 chains beside one another. */
static uint32_t pick_chain(uint32_t op, uint32_t slot) {
    uint32_t back = 16 * (slot + 1);
    return op < back ? op : op - back;
}

static void check(int err) {
    if (err) {
        fprintf(stderr, "bench_plan: %s\n", strerror(-err));
        exit(1);
    }
}

/* Makes every 4th op a copy that blocks, in one direction and the other by turns. */
static void make_copy(struct kesco_op *op, uint32_t number) {
    op->segment = number / 4 * 2 + (number % 4 == 3);
    op->blocks = number % 4 == 3;
    if (op->blocks)
        op->engine = number % 8 == 3 ? KESCO_ENGINE_TO_DEVICE : KESCO_ENGINE_TO_HOST;
}

struct shape {
    const char *name;
    pick_input *pick;
    bool copies;    /* some ops are copies that block */
    int priorities; /* ops by turns have these many */
};

/* A graph of ops that each write an object of their own and read those that the shape picks. */
static struct kesco_graph *make_graph(uint32_t ops, const struct shape *shape) {
    struct kesco_graph *graph = kesco_graph_create();
    if (!graph)
        check(-ENOMEM);
    for (uint32_t op = 0; op < ops; op++) {
        uint32_t id;
        struct kesco_op desc = {.name = "op", .cost = 1 + random_below(100), .cost_known = true};
        desc.priority = (int)op % shape->priorities;
        if (shape->copies)
            make_copy(&desc, op);
        check(kesco_graph_add_op(graph, &desc, &id));
        check(kesco_graph_add_object(graph, "object", &id));
        check(kesco_graph_add_access(graph, op, op, KESCO_WRITE));
        for (uint32_t slot = 0; slot < READS; slot++) {
            uint32_t input = shape->pick(op, slot);
            if (input != op)
                check(kesco_graph_add_access(graph, op, input, KESCO_READ));
        }
    }
    return graph;
}

static double milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void measure(const struct shape *shape, uint32_t ops, const struct kesco_plan_options *options) {
    struct kesco_plan *plan;
    random_state = 1;
    struct kesco_graph *graph = make_graph(ops, shape);
    double start = milliseconds();
    check(kesco_graph_build_edges(graph));
    double built = milliseconds();
    check(kesco_plan_create(graph, options, &plan));
    double planned = milliseconds();
    printf("%-8s %8u %8zu %8.0f %8.0f %8.0f %6u %8zu\n", shape->name, ops, graph->derived.edges.count,
           built - start, planned - built, planned - start, plan->lane_count, plan->sync.wait_count);
    kesco_plan_destroy(plan);
    kesco_graph_destroy(graph);
}

int main(int argc, char **argv) {
    static const struct shape shapes[] = {{"local", pick_local, false, 1}, {"global", pick_global, false, 1},
                                          {"wide", pick_wide, false, 1},   {"chains", pick_chain, false, 1},
                                          {"copies", pick_local, true, 1}, {"tasks", pick_chain, false, 4}};
    struct kesco_plan_options options = {.reorder = true};
    options.max_lanes = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 0;
    if (argc > 2 && strcmp(argv[2], "critical-path") == 0)
        options.policy = KESCO_POLICY_CRITICAL_PATH;
    printf("%-8s %8s %8s %8s %8s %8s %6s %8s\n", "shape", "ops", "edges", "edges/ms", "plan/ms", "sum/ms",
           "lanes", "waits");
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
        for (uint32_t ops = 12500; ops <= 200000; ops *= 2)
            measure(&shapes[i], ops, &options);
    return 0;
}
