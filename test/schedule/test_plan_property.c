/*
 * Random regions of many shapes against everything that contract 2 says of a plan (check.h).
 *
 * KESCO_TEST_SEED=N starts at another seed, KESCO_TEST_CASES=N tries that many regions; a failure prints its
 * seed, so that KESCO_TEST_SEED=that KESCO_TEST_CASES=1 shows it alone.
 */
#include "test/cmocka.h"
#include "test/schedule/check.h"
#include "test/schedule/model.h"

#include <stdlib.h>

#define DEFAULT_CASES 10000
#define BRUTE_FORCE_OPS 7 /* regions up to this size are also held against all sets of waits */

static uint64_t from_environment(const char *name, uint64_t otherwise) {
    const char *value = getenv(name);
    return value ? strtoull(value, NULL, 0) : otherwise;
}

static struct kesco_plan *make_plan(const struct model *model, const struct kesco_graph *graph,
                                    enum kesco_policy policy) {
    struct kesco_plan_options options = {
        .policy = policy,
        .max_lanes = model->max_lanes,
        .reorder = model->reorder,
    };
    struct kesco_plan *plan;
    assert_int_equal(kesco_plan_create(graph, &options, &plan), 0);
    assert_int_equal(plan->op_count, model->op_count);
    return plan;
}

/* What holds of every plan. */
static const char *find_fault(const struct model *model, const struct kesco_plan *plan,
                              enum kesco_policy policy) {
    const char *fault = check_order(model, policy, plan);
    if (!fault)
        fault = check_zones(model, plan);
    if (!fault)
        fault = check_levels(model, plan);
    if (!fault)
        fault = check_width(model, plan);
    if (!fault)
        fault = check_waits(model, plan);
    if (!fault)
        fault = check_cuts(model, plan);
    if (!fault && model->op_count <= BRUTE_FORCE_OPS)
        fault = check_fewest_waits(model, plan);
    return fault;
}

/* What is wrong with the plan of a region without priorities. */
static const char *find_fault_of_one_level(const struct model *model, const struct kesco_graph *graph) {
    struct kesco_plan *plan = make_plan(model, graph, KESCO_POLICY_FEWEST_PREDECESSORS);
    const char *fault = check_edges(model, graph);
    if (!fault)
        fault = check_overlap(model, graph);
    if (!fault)
        fault = check_lanes(model, graph, plan);
    if (!fault && model->op_count <= BRUTE_FORCE_OPS)
        fault = check_widest_set(model, plan);
    if (!fault)
        fault = find_fault(model, plan, KESCO_POLICY_FEWEST_PREDECESSORS);
    kesco_plan_destroy(plan);
    return fault;
}

/* What is wrong with the plan of tasks. */
static const char *find_fault_of_tasks(const struct model *model, const struct kesco_graph *graph) {
    struct kesco_plan *plan = make_plan(model, graph, KESCO_POLICY_FEWEST_PREDECESSORS);
    const char *fault = find_fault(model, plan, KESCO_POLICY_FEWEST_PREDECESSORS);
    if (!fault)
        fault = check_levels_alone(model, plan);
    kesco_plan_destroy(plan);
    return fault;
}

static const char *find_fault_by(enum kesco_policy policy, const struct model *model,
                                 const struct kesco_graph *graph) {
    struct kesco_plan *plan = make_plan(model, graph, policy);
    const char *fault = find_fault(model, plan, policy);
    kesco_plan_destroy(plan);
    return fault;
}

static const char *find_fault_of_critical_path(const struct model *model, const struct kesco_graph *graph) {
    return find_fault_by(KESCO_POLICY_CRITICAL_PATH, model, graph);
}

static const char *find_fault_of_bands(const struct model *model, const struct kesco_graph *graph) {
    return find_fault_by(KESCO_POLICY_PREDECESSOR_BANDS, model, graph);
}

typedef void make_model(struct model *model, uint64_t seed, unsigned max_ops);
typedef const char *fault_finder(const struct model *model, const struct kesco_graph *graph);

/* Tries as many random regions as asked for, of at most `max_ops` ops. */
static void try_regions(make_model *make, fault_finder *find, unsigned max_ops) {
    uint64_t seed = from_environment("KESCO_TEST_SEED", 1);
    uint64_t end = seed + from_environment("KESCO_TEST_CASES", DEFAULT_CASES);
    for (; seed < end; seed++) {
        struct model model;
        make(&model, seed, max_ops);
        struct kesco_graph *graph = model_graph(&model);
        assert_int_equal(kesco_graph_build_edges(graph), 0);
        const char *fault = find(&model, graph);
        if (fault) {
            model_print(&model);
            fail_msg("seed %llu, at most %u ops: %s", (unsigned long long)seed, max_ops, fault);
        }
        kesco_graph_destroy(graph);
    }
}

static void plans_of_tiny_regions_need_the_fewest_waits(void **state) {
    (void)state;
    try_regions(model_random, find_fault_of_one_level, BRUTE_FORCE_OPS);
}

static void plans_of_small_regions_keep_the_contract(void **state) {
    (void)state;
    try_regions(model_random, find_fault_of_one_level, 20);
}

static void plans_of_large_regions_keep_the_contract(void **state) {
    (void)state;
    try_regions(model_random, find_fault_of_one_level, MODEL_OPS);
}

static void plans_of_tasks_keep_levels_apart(void **state) {
    (void)state;
    try_regions(model_random_tasks, find_fault_of_tasks, BRUTE_FORCE_OPS);
    try_regions(model_random_tasks, find_fault_of_tasks, 20);
    try_regions(model_random_tasks, find_fault_of_tasks, MODEL_OPS);
}

static void plans_by_critical_path_keep_the_contract(void **state) {
    (void)state;
    try_regions(model_random_tasks, find_fault_of_critical_path, BRUTE_FORCE_OPS);
    try_regions(model_random, find_fault_of_critical_path, 20);
    try_regions(model_random_tasks, find_fault_of_critical_path, MODEL_OPS);
}

static void plans_by_bands_keep_the_contract(void **state) {
    (void)state;
    try_regions(model_random_tasks, find_fault_of_bands, BRUTE_FORCE_OPS);
    try_regions(model_random, find_fault_of_bands, 20);
    try_regions(model_random, find_fault_of_bands, MODEL_OPS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_of_tiny_regions_need_the_fewest_waits),
        cmocka_unit_test(plans_of_small_regions_keep_the_contract),
        cmocka_unit_test(plans_of_large_regions_keep_the_contract),
        cmocka_unit_test(plans_of_tasks_keep_levels_apart),
        cmocka_unit_test(plans_by_critical_path_keep_the_contract),
        cmocka_unit_test(plans_by_bands_keep_the_contract),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
