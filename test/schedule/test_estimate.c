/*
 * Estimates (estimate.h): by example, and random plans held against a device that is simulated event by
 * event: what is said to be the least time is never more than what the device takes, and where lanes are said
 * not to pay, the device takes no less with them.
 *
 * KESCO_TEST_SEED=N starts at another seed, KESCO_TEST_CASES=N tries that many regions.
 */
#include "plugin/schedule/estimate.h"
#include "plugin/schedule/flow.h"
#include "plugin/schedule/plan.h"
#include "test/cmocka.h"
#include "test/schedule/graph_text.h"
#include "test/schedule/model.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum { DEFAULT_CASES = 10000, ENGINES = KESCO_ENGINE_NONE + 1 };

#define NONE UINT32_MAX
#define TOLERANCE 1e-6 /* times that differ by no more than this share are the same */

/* The device and what it does. */
struct device {
    const struct kesco_graph *graph;
    const struct kesco_machine *machine;
    const struct kesco_plan *plan;
    const double *fill; /* by op: how much of the multiprocessors it really takes */
    double now;
    uint32_t next;            /* place of the op that the host issues next */
    double host;              /* when the host is done with what it did */
    uint32_t blocked;         /* op that the host waits for, or NONE */
    double issued[MODEL_OPS]; /* when the op was issued; INFINITY before */
    double left[MODEL_OPS];   /* how much of the op is left, microseconds with the device for itself */
    double end[MODEL_OPS];    /* when it ended; INFINITY before */
    bool runs[MODEL_OPS];
};

static uint64_t random_state;

static unsigned random_below(unsigned limit) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(random_state >> 33) % limit;
}

static uint64_t from_environment(const char *name, uint64_t otherwise) {
    const char *value = getenv(name);
    return value ? strtoull(value, NULL, 0) : otherwise;
}

static bool is_recorded(const struct kesco_plan *plan, uint32_t op) {
    for (size_t i = 0; i < plan->sync.record_count; i++)
        if (plan->sync.records[i] == op)
            return true;
    return false;
}

static void let_host_issue(struct device *d) {
    while (d->next < d->plan->op_count && (d->blocked == NONE || d->end[d->blocked] <= d->now)) {
        uint32_t op = d->plan->sequence[d->next++];
        if (d->blocked != NONE)
            d->host = fmax(d->host, d->end[d->blocked]);
        for (size_t i = 0; i < d->plan->sync.wait_count; i++)
            if (d->plan->sync.waits[i].op == op)
                d->host += d->machine->call_us;
        d->host += d->machine->launch_us;
        d->issued[op] = d->host;
        if (is_recorded(d->plan, op))
            d->host += d->machine->call_us;
        d->blocked = d->graph->ops[op].blocks ? op : NONE;
    }
}

/* When the op may start as far as host, lane and waits go; INFINITY while that is open. */
static double ready_at(const struct device *d, uint32_t op) {
    double ready = d->issued[op];
    for (uint32_t other = 0; other < d->plan->op_count; other++)
        if (d->plan->lane[other] == d->plan->lane[op] && d->plan->order[other] < d->plan->order[op])
            ready = fmax(ready, d->end[other]);
    for (size_t i = 0; i < d->plan->sync.wait_count; i++)
        if (d->plan->sync.waits[i].op == op)
            ready = fmax(ready, d->end[d->plan->sync.waits[i].on] + d->machine->wait_us);
    return ready;
}

static bool is_copy(const struct device *d, uint32_t op) {
    enum kesco_engine engine = d->graph->ops[op].engine;
    return engine == KESCO_ENGINE_TO_DEVICE || engine == KESCO_ENGINE_TO_HOST;
}

static bool engine_is_busy(const struct device *d, uint32_t op) {
    for (uint32_t other = 0; other < d->plan->op_count && is_copy(d, op); other++)
        if (d->runs[other] && d->graph->ops[other].engine == d->graph->ops[op].engine)
            return true;
    return false;
}

static void start_ops(struct device *d) {
    for (uint32_t i = 0; i < d->plan->op_count; i++) {
        uint32_t op = d->plan->sequence[i];
        if (!d->runs[op] && d->end[op] == INFINITY && ready_at(d, op) <= d->now && !engine_is_busy(d, op))
            d->runs[op] = true;
    }
}

/* How fast the multiprocessors do each op that runs on them. */
static double compute_rate(const struct device *d) {
    double full = 0;
    for (uint32_t op = 0; op < d->plan->op_count; op++)
        if (d->runs[op] && d->graph->ops[op].engine == KESCO_ENGINE_COMPUTE)
            full += d->fill[op];
    return full > 1 ? 1 / full : 1;
}

/* Lets time go by up to the next start or end; false where there is none. */
static bool advance(struct device *d) {
    double rate = compute_rate(d), next = INFINITY;
    for (uint32_t op = 0; op < d->plan->op_count; op++) {
        double own = d->graph->ops[op].engine == KESCO_ENGINE_COMPUTE ? rate : 1;
        if (d->runs[op])
            next = fmin(next, d->now + d->left[op] / own);
        else if (d->end[op] == INFINITY && ready_at(d, op) > d->now)
            next = fmin(next, ready_at(d, op));
    }
    if (next == INFINITY)
        return false;
    for (uint32_t op = 0; op < d->plan->op_count; op++) {
        double own = d->graph->ops[op].engine == KESCO_ENGINE_COMPUTE ? rate : 1;
        if (!d->runs[op])
            continue;
        if (d->now + d->left[op] / own <= next) {
            d->runs[op] = false;
            d->end[op] = next;
        } else {
            d->left[op] -= (next - d->now) * own;
        }
    }
    d->now = next;
    return true;
}

/* How long the device takes for the plan. */
static double simulate(const struct kesco_graph *graph, const struct kesco_machine *machine,
                       const struct kesco_plan *plan, const double *fill) {
    struct device d = {.graph = graph, .machine = machine, .plan = plan, .fill = fill, .blocked = NONE};
    double last = 0;
    d.host = plan->lane_count > 1 ? machine->region_us : 0;
    for (uint32_t op = 0; op < graph->op_count; op++) {
        d.issued[op] = d.end[op] = INFINITY;
        d.left[op] = graph->ops[op].cost;
    }
    do {
        let_host_issue(&d);
        start_ops(&d);
    } while (advance(&d));
    for (uint32_t op = 0; op < graph->op_count; op++)
        last = fmax(last, d.end[op]);
    return fmax(last, d.host);
}

static double time_of(const struct kesco_graph *graph, const struct kesco_machine *machine,
                      const struct kesco_plan *plan) {
    const struct kesco_sync sync = {plan->sync.waits, plan->sync.wait_count, plan->sync.records,
                                    plan->sync.record_count};
    const struct kesco_issue issue = {plan->sequence, plan->lane, plan->lane_count, &sync};
    double time;
    assert_int_equal(kesco_estimate_time(graph, machine, &issue, &time), 0);
    return time;
}

static struct kesco_plan *make_plan(const struct kesco_graph *graph, const struct kesco_plan_options *options,
                                    const struct kesco_machine *machine) {
    struct kesco_plan_options judged = *options;
    struct kesco_plan *plan;
    judged.machine = machine;
    assert_int_equal(kesco_plan_create(graph, &judged, &plan), 0);
    return plan;
}

static struct kesco_plan *plan_serially(const struct kesco_graph *graph) {
    const struct kesco_plan_options options = {.max_lanes = 1, .reorder = false};
    return make_plan(graph, &options, NULL);
}

static bool same_lanes(const struct kesco_plan *a, const struct kesco_plan *b) {
    bool same = a->lane_count == b->lane_count && a->sync.wait_count == b->sync.wait_count;
    for (uint32_t op = 0; op < a->op_count; op++)
        same &= a->lane[op] == b->lane[op] && a->order[op] == b->order[op];
    return same;
}

static void choose_machine(struct kesco_machine *machine) {
    unsigned scale = random_below(3);
    machine->launch_us = scale * random_below(4) / 2.0;
    machine->call_us = scale * random_below(4) / 4.0;
    machine->wait_us = scale * random_below(4) / 3.0;
    machine->region_us = scale * random_below(6);
}

/* Chooses what each op really fills, in `fill`, and whether that and the cost are known. */
static void choose_fills(struct kesco_graph *graph, double *fill) {
    unsigned kind = random_below(4), unknown = random_below(4);
    for (uint32_t i = 0; i < graph->op_count; i++) {
        struct kesco_op *op = &graph->ops[i];
        fill[i] = kind == 0 ? 1 : (1 + random_below(10)) / (kind == 1 ? 40.0 : 10.0);
        op->fill = unknown == 0 || (unknown == 1 && random_below(3) == 0) ? 0 : fill[i];
        op->cost_known = true;
        op->cost *= 2.5;
    }
    if (graph->op_count && random_below(8) == 0)
        graph->ops[random_below(graph->op_count)].cost_known = false;
}

/* What was seen of random regions. */
struct seen {
    unsigned without_gain;
    unsigned with_gain;
};

static const char *judge(const struct kesco_graph *graph, const struct kesco_plan_options *options,
                         const struct kesco_machine *machine, const double *fill, struct seen *seen) {
    struct kesco_plan *plan = make_plan(graph, options, NULL), *serial = plan_serially(graph);
    struct kesco_plan *judged = make_plan(graph, options, machine);
    double takes = simulate(graph, machine, plan, fill), least = time_of(graph, machine, plan);
    double takes_serially = simulate(graph, machine, serial, fill);
    double serially = time_of(graph, machine, serial);
    const char *wrong = NULL;
    if (least > takes * (1 + TOLERANCE))
        wrong = "the device is faster than the least time";
    if (fabs(serially - takes_serially) > serially * TOLERANCE)
        wrong = "on one lane the device takes another time";
    if (plan->worth.costs_known && (plan->worth.bound_us > takes * (1 + TOLERANCE) ||
                                    plan->worth.serial_us > takes_serially * (1 + TOLERANCE)))
        wrong = "the device is faster than the bounds";
    if (judged->worth.serial == KESCO_SERIAL_NO_GAIN) {
        seen->without_gain++;
        if (judged->lane_count != 1 || judged->sync.wait_count != 0 || judged->sync.record_count != 0)
            wrong = "without gain there are lanes";
        if (!judged->worth.costs_known || takes < takes_serially * (1 - TOLERANCE))
            wrong = "the device gains from the lanes that were not made";
    } else {
        if (!same_lanes(judged, plan))
            wrong = "the judgement changes a plan that it leaves";
        if (judged->lane_count > 1 && judged->worth.costs_known && least >= serially)
            wrong = "lanes without gain are left";
        seen->with_gain += judged->lane_count > 1 && judged->worth.costs_known;
    }
    kesco_plan_destroy(plan);
    kesco_plan_destroy(serial);
    kesco_plan_destroy(judged);
    return wrong;
}

static void random_plans_are_judged_as_the_device_would(void **state) {
    uint64_t seed = from_environment("KESCO_TEST_SEED", 1), cases, end;
    struct seen seen = {0, 0};

    (void)state;
    cases = from_environment("KESCO_TEST_CASES", DEFAULT_CASES);
    for (end = seed + cases; seed < end; seed++) {
        struct model model;
        struct kesco_machine machine;
        double fill[MODEL_OPS];
        random_state = seed * 0x9e3779b97f4a7c15u;
        model_random_tasks(&model, seed, 24);
        struct kesco_graph *graph = model_graph(&model);
        assert_int_equal(kesco_graph_build_edges(graph), 0);
        choose_machine(&machine);
        choose_fills(graph, fill);
        const struct kesco_plan_options options = {
            .policy = (enum kesco_policy)random_below(2),
            .max_lanes = model.max_lanes,
            .reorder = model.reorder,
        };
        const char *wrong = judge(graph, &options, &machine, fill, &seen);
        if (wrong) {
            model_print(&model);
            fail_msg("seed %llu: %s", (unsigned long long)seed, wrong);
        }
        kesco_graph_destroy(graph);
    }
    assert_true(cases < DEFAULT_CASES || (seen.without_gain > cases / 20 && seen.with_gain > cases / 20));
}

/* A device without limits takes exactly the least time. */
static void without_limits_the_device_takes_the_least_time(void **state) {
    uint64_t seed = from_environment("KESCO_TEST_SEED", 1);
    uint64_t end = seed + from_environment("KESCO_TEST_CASES", DEFAULT_CASES) / 4;
    const double fill[MODEL_OPS] = {0};

    (void)state;
    for (; seed < end; seed++) {
        struct model model;
        struct kesco_machine machine;
        random_state = seed * 0x9e3779b97f4a7c15u;
        model_random_tasks(&model, seed, 24);
        for (unsigned op = 0; op < model.op_count; op++)
            model.ops[op].engine = KESCO_ENGINE_COMPUTE;
        struct kesco_graph *graph = model_graph(&model);
        assert_int_equal(kesco_graph_build_edges(graph), 0);
        choose_machine(&machine);
        struct kesco_plan *plan = plan_of(graph);
        double takes = simulate(graph, &machine, plan, fill), least = time_of(graph, &machine, plan);
        if (fabs(takes - least) > least * TOLERANCE)
            fail_msg("seed %llu: %g, not %g", (unsigned long long)seed, least, takes);
        kesco_plan_destroy(plan);
        kesco_graph_destroy(graph);
    }
}

static void expect_bounds(const char *text, double serial, double critical_path, double capacity) {
    struct kesco_graph *graph = graph_of_text(text);
    struct kesco_bounds bounds;
    assert_int_equal(kesco_estimate_bounds(graph, &bounds), 0);
    assert_true(bounds.known);
    assert_true(fabs(bounds.serial_us - serial) < 1e-9);
    assert_true(fabs(bounds.critical_path_us - critical_path) < 1e-9);
    assert_true(fabs(bounds.capacity_us - capacity) < 1e-9);
    kesco_graph_destroy(graph);
}

static void bounds_are_critical_path_and_capacity(void **state) {
    (void)state;
    expect_bounds("", 0, 0, 0);
    expect_bounds("op a cost=3 w=x\nop b cost=4 r=x\nop c cost=6\n", 13, 7, 0);
    expect_bounds("op a cost=4 fill=1\nop b cost=4 fill=.5\nop c cost=4\n", 12, 4, 6);
    expect_bounds("op a cost=4 engine=to-host\nop b cost=5 engine=to-host\nop c cost=6 engine=to-device\n"
                  "op d cost=8 fill=1\nop e cost=90 engine=none\n",
                  113, 90, 9);
    /* the host waits for b before it issues c */
    expect_bounds("op a cost=9\nop b cost=2 blocks\nop c cost=3\n", 14, 9, 0);
    expect_bounds("op a cost=3\nop b cost=2 blocks\nop c cost=3\n", 8, 5, 0);
}

static void without_all_costs_there_are_no_bounds(void **state) {
    (void)state;
    struct kesco_graph *graph = graph_of_text("op a cost=3\nop b\n");
    struct kesco_bounds bounds;
    assert_int_equal(kesco_estimate_bounds(graph, &bounds), 0);
    assert_false(bounds.known);
    assert_true(bounds.serial_us == 0 && bounds.critical_path_us == 0 && bounds.capacity_us == 0);
    struct kesco_plan *plan = plan_of(graph);
    assert_false(plan->worth.costs_known);
    kesco_plan_destroy(plan);
    kesco_graph_destroy(graph);
}

static void a_plan_tells_its_bounds(void **state) {
    (void)state;
    struct kesco_graph *graph = graph_of_text("op a cost=3 fill=1\nop b cost=4 fill=.25\n");
    struct kesco_plan *plan = plan_of(graph);
    assert_true(plan->worth.costs_known && plan->worth.serial_us == 7 && plan->worth.bound_us == 4);
    assert_int_equal(plan->worth.serial, KESCO_SERIAL_NO);
    kesco_plan_destroy(plan);
    kesco_graph_destroy(graph);
}

static const struct kesco_machine common = {.launch_us = 2, .call_us = 1, .wait_us = 3, .region_us = 4};

static void expect_serial(const char *text, const struct kesco_machine *machine, enum kesco_serial serial) {
    const struct kesco_plan_options options = {.reorder = true};
    struct kesco_graph *graph = graph_of_text(text);
    struct kesco_plan *plan = make_plan(graph, &options, machine);
    if (plan->worth.serial != serial)
        fail_msg("serial: %d, in\n%s", plan->worth.serial, text);
    assert_int_equal(plan->lane_count > 1, serial == KESCO_SERIAL_NO);
    kesco_plan_destroy(plan);
    kesco_graph_destroy(graph);
}

static void kernels_that_fill_the_device_stay_on_one_lane(void **state) {
    (void)state;
    expect_serial("op a cost=100 fill=1\nop b cost=100 fill=1\n", &common, KESCO_SERIAL_NO_GAIN);
    expect_serial("op a cost=100 fill=.9\nop b cost=100 fill=.9\n", &common, KESCO_SERIAL_NO);
    expect_serial("op a cost=100 fill=1\nop b cost=100\n", &common, KESCO_SERIAL_NO);
    expect_serial("op a cost=100 fill=1\nop b cost=100 fill=1\n", NULL, KESCO_SERIAL_NO);
    expect_serial("op a cost=100 fill=1\nop b fill=1\n", &common, KESCO_SERIAL_NO);
    expect_serial("op a cost=100 fill=1\nop b cost=100 fill=1 engine=to-host\n", &common, KESCO_SERIAL_NO);
    expect_serial("op a cost=100 w=x\nop b cost=100 r=x\n", &common, KESCO_SERIAL_NO_OVERLAP);
}

static void kernels_shorter_than_their_launch_stay_on_one_lane(void **state) {
    (void)state;
    expect_serial("op a cost=1\nop b cost=1\nop c cost=1\n", &common, KESCO_SERIAL_NO_GAIN);
    expect_serial("op a cost=1\nop b cost=1\nop c cost=1\n", &(struct kesco_machine){0}, KESCO_SERIAL_NO);
}

static void waits_that_take_longer_than_they_win_are_not_made(void **state) {
    (void)state;
#define JOIN(cost) "op a cost=" cost " w=x\nop b cost=" cost " w=y\nop c cost=1 r=x,y\n"
    const struct kesco_machine waits = {.wait_us = 5}, calls = {.call_us = 5}, region = {.region_us = 5};
    expect_serial(JOIN("4"), &waits, KESCO_SERIAL_NO_GAIN);
    expect_serial(JOIN("6"), &waits, KESCO_SERIAL_NO);
    expect_serial(JOIN("4"), &region, KESCO_SERIAL_NO_GAIN);
    expect_serial(JOIN("6"), &region, KESCO_SERIAL_NO);
    /* one record and one wait, both issued before c */
    expect_serial(JOIN("5"), &calls, KESCO_SERIAL_NO_GAIN);
    expect_serial(JOIN("6"), &calls, KESCO_SERIAL_NO);
}

/* for (;;) { 0: a copy writes a; 1: a kernel reads a } */
static struct kesco_graph *make_loop(void) {
    struct kesco_graph *graph = kesco_graph_create();
    struct kesco_flow *flow;
    uint32_t id;
    assert_int_equal(kesco_graph_add_object(graph, "a", &id), 0);
    for (uint32_t i = 0; i < 2; i++) {
        struct kesco_op op = {.name = "op", .cost = 50, .segment = i, .cost_known = true};
        op.engine = i == 0 ? KESCO_ENGINE_TO_DEVICE : KESCO_ENGINE_COMPUTE;
        assert_int_equal(kesco_graph_add_op(graph, &op, &id), 0);
        assert_int_equal(kesco_graph_add_access(graph, i, 0, i == 0 ? KESCO_WRITE : KESCO_READ), 0);
    }
    assert_int_equal(kesco_flow_create(2, &flow), 0);
    kesco_flow_add_next(flow, 0, 1);
    kesco_flow_add_next(flow, 1, 0);
    kesco_flow_close(flow);
    assert_int_equal(kesco_graph_set_flow(graph, flow), 0);
    assert_int_equal(kesco_graph_build_edges(graph), 0);
    return graph;
}

static void a_loop_is_played_twice(void **state) {
    (void)state;
    const uint32_t sequence[] = {0, 1}, lane[] = {0, 1};
    struct kesco_graph *graph = make_loop();
    struct kesco_wait waits[] = {{1, 0}, {0, 1}};
    uint32_t records[] = {0, 1};
    const struct kesco_sync forward = {waits, 1, records, 1};
    struct kesco_issue issue = {.sequence = sequence, .lane = lane, .lane_count = 2, .sync = &forward};
    double time;
    /* the second copy beside the first kernel: 50 to copy, 50 beside it, 50 for the last kernel */
    assert_int_equal(kesco_estimate_time(graph, &(struct kesco_machine){0}, &issue, &time), 0);
    assert_true(time == 150);
    /* waits both ways: nothing overlaps, and each wait but the first of what never ran takes its time */
    struct kesco_wait both_ways[] = {{0, 1}, {1, 0}};
    const struct kesco_sync both = {both_ways, 2, records, 2};
    issue.sync = &both;
    assert_int_equal(kesco_estimate_time(graph, &(struct kesco_machine){.wait_us = 1}, &issue, &time), 0);
    assert_true(time == 203);
    kesco_graph_destroy(graph);
}

static void bad_machines_are_refused(void **state) {
    (void)state;
    const struct kesco_machine bad[] = {
        {.launch_us = -1}, {.call_us = NAN}, {.wait_us = INFINITY}, {.region_us = -0.5}};
    struct kesco_graph *graph = graph_of_text("op a\n");
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        const struct kesco_plan_options options = {.machine = &bad[i]};
        struct kesco_plan *plan;
        assert_int_equal(kesco_plan_create(graph, &options, &plan), -EINVAL);
    }
    kesco_graph_destroy(graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_plans_are_judged_as_the_device_would),
        cmocka_unit_test(without_limits_the_device_takes_the_least_time),
        cmocka_unit_test(bounds_are_critical_path_and_capacity),
        cmocka_unit_test(without_all_costs_there_are_no_bounds),
        cmocka_unit_test(a_plan_tells_its_bounds),
        cmocka_unit_test(kernels_that_fill_the_device_stay_on_one_lane),
        cmocka_unit_test(kernels_shorter_than_their_launch_stay_on_one_lane),
        cmocka_unit_test(waits_that_take_longer_than_they_win_are_not_made),
        cmocka_unit_test(a_loop_is_played_twice),
        cmocka_unit_test(bad_machines_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
