/*
 * When launches that come again become graphs, by what is estimated of them and by what the host does between
 * them: over a CUDA runtime that does nothing (null_cudart.h), by a clock that shows what it is told to.
 */
#include "runtime/kesco_abi.h"
#include "test/cmocka.h"

#include <cuda_runtime_api.h>
#include <time.h>

enum { OPS = 8, MANY = 1000, LAUNCH_TIME = 2000, GRAPH_TIME = 4500 };

static const uint32_t sizes[] = {sizeof(int)};
static struct kesco_site sites[OPS];
static void *memory;
static struct kesco_history histories[16]; /* of a test each */
static struct kesco_region chain = {.lanes = 1, .replays = 1, .memory = &memory, .history = histories};

static int64_t shown;      /* by the clock, in nanoseconds */
static int64_t graph_time; /* what it takes to launch one, likewise */
static unsigned long reads, launches, graphs, updates;

int clock_gettime(clockid_t clock, struct timespec *time) {
    (void)clock;
    reads++;
    time->tv_sec = shown / 1000000000;
    time->tv_nsec = shown % 1000000000;
    return 0;
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t shared,
                             cudaStream_t stream) {
    (void)function, (void)grid, (void)block, (void)arguments, (void)shared, (void)stream;
    launches++;
    shown += LAUNCH_TIME;
    return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
    (void)executable, (void)stream;
    graphs++;
    shown += graph_time;
    return cudaSuccess;
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const struct cudaKernelNodeParams *kernel) {
    (void)executable, (void)node, (void)kernel;
    updates++;
    return cudaSuccess;
}

/* What ops are like. */
struct shape {
    uint64_t threads;
    int change;   /* of the first op's argument from pass to pass */
    int64_t work; /* of the host behind each, in nanoseconds, */
    int64_t wait; /* and behind each pass */
    uint32_t ops; /* of a pass; 0: all */
};

static const struct shape small = {.threads = 32};

static void run_op(uint32_t op, const struct shape *shape, int argument) {
    const dim3 one = {1, 1, 1};
    void *arguments[] = {&argument};
    void *stream = __kesco1_lane(0, &sites[op], shape->threads);

    __kesco1_launch((const void *)run_op, &one, &one, arguments, 0, stream);
    shown += shape->work;
}

/* Passes of which each is an opening of the region. */
static void run(const struct shape *shape, int passes) {
    const uint32_t ops = shape->ops != 0 ? shape->ops : OPS;
    int pass;
    uint32_t op;

    for (pass = 0; pass < passes; pass++) {
        __kesco1_enter(NULL, &chain);
        for (op = 0; op < ops; op++)
            run_op(op, shape, op == 0 ? pass * shape->change : 0);
        __kesco1_leave();
        shown += shape->wait;
    }
}

/* The same in a loop in which it stays open. */
static void run_open(const struct shape *shape, int passes) {
    int op;

    __kesco1_enter(NULL, &chain);
    for (op = 0; op < passes * OPS; op++)
        run_op((uint32_t)op % OPS, shape, 0);
    __kesco1_leave();
}

static int set_up(void **state) {
    uint32_t op;

    (void)state;
    chain.history++;
    for (op = 0; op < OPS; op++)
        sites[op] = (struct kesco_site){
            .kind = "kernel", .work = 20, .place = op, .argument_count = 1, .argument_sizes = sizes};
    graph_time = GRAPH_TIME;
    reads = launches = graphs = updates = 0;
    return 0;
}

static void short_launches_become_graphs(void **state) {
    (void)state;
    run(&small, MANY);
    assert_true(graphs > MANY * 8 / 10);
    assert_int_equal(launches + graphs * OPS, MANY * OPS);
    assert_int_equal(updates, 0);
}

static void an_open_region_has_passes_too(void **state) {
    (void)state;
    run_open(&small, 4 * MANY);
    assert_true(launches < MANY * OPS);
    assert_true(graphs > 0);
}

static void few_passes_do_not(void **state) {
    (void)state;
    run(&small, 4);
    assert_int_equal(graphs, 0);
}

/* The device has been idle when the pass begins, and would stay so for longer. */
static void long_work_between_launches_forbids_it(void **state) {
    const struct shape shape = {.threads = 32, .work = 20000, .wait = 20000};

    (void)state;
    run(&shape, MANY);
    assert_int_equal(graphs, 0);
}

static void only_what_changes_is_updated(void **state) {
    const struct shape shape = {.threads = 32, .change = 1};

    (void)state;
    run(&shape, MANY);
    assert_true(graphs > MANY / 2);
    assert_in_range(updates, graphs - 1, graphs);
}

static void what_is_unknown_is_left_as_it_is(void **state) {
    const struct shape unknown = {.threads = KESCO_AMOUNT_UNKNOWN, .work = 30000};

    (void)state;
    run(&unknown, MANY);
    assert_int_equal(launches, MANY * OPS);
}

/* Nothing is estimated, but launches take most of the time. */
static void what_is_measured_to_pay_is_found(void **state) {
    const struct shape unknown = {.threads = KESCO_AMOUNT_UNKNOWN};

    (void)state;
    run(&unknown, MANY);
    assert_true(graphs > MANY / 2);
}

/* The host is as fast with two launches, whatever they take of its time. */
static void two_launches_are_no_graph(void **state) {
    const struct shape unknown = {.threads = KESCO_AMOUNT_UNKNOWN};
    int pass;

    (void)state;
    for (pass = 0; pass < MANY; pass++) {
        __kesco1_enter(NULL, &chain);
        run_op(0, &unknown, 0);
        run_op(1, &unknown, 0);
        __kesco1_leave();
    }
    assert_int_equal(graphs, 0);
}

/* Estimates speak for graphs, which are slower here: they are tried again when the program has run for
 * several times as long. */
static void what_is_measured_to_lose_is_given_up(void **state) {
    (void)state;
    graph_time = 3 * OPS * LAUNCH_TIME / 2;
    run(&small, 4 * MANY);
    assert_in_range(graphs, 1, MANY / 4);
}

/* Nobody waits for a row of them to say so; but it is tried again when the program has run for long. */
static void a_launch_that_takes_longer_than_the_pass_is_not_repeated(void **state) {
    (void)state;
    graph_time = 20 * OPS * LAUNCH_TIME;
    run(&small, MANY / 2);
    assert_in_range(graphs, 1, 12);
    graph_time = GRAPH_TIME;
    shown *= 5;
    run(&small, MANY);
    assert_true(graphs > MANY / 2);
}

/* Two reads an op that is looked at, and two a pass that is put off. */
static void what_does_not_pay_is_looked_at_seldom(void **state) {
    const struct shape unknown = {.threads = KESCO_AMOUNT_UNKNOWN, .work = 30000};
    unsigned long before;

    (void)state;
    run(&unknown, MANY / 2);
    before = reads;
    run(&unknown, MANY / 2);
    assert_in_range(reads - before, 1, MANY / 2 * OPS / 4);
    before = reads;
    run_open(&unknown, MANY / 2);
    assert_in_range(reads - before, 1, MANY / 2 * OPS / 4);
}

static void so_are_graphs_that_do(void **state) {
    unsigned long before;

    (void)state;
    run(&small, MANY / 2);
    before = reads;
    run(&small, MANY / 2);
    assert_in_range(reads - before, 1, MANY / 2 * OPS / 2);
}

/* The host waits behind each pass, so its few kernels begin later in a graph, by estimates; launches alone,
 * as measured, are less than a third of what passes take. */
static void what_seems_to_lose_is_not_tried(void **state) {
    const struct shape shape = {.threads = 32, .wait = 40000, .ops = 4};

    (void)state;
    run(&shape, MANY);
    assert_int_equal(graphs, 0);
}

static void what_pays_later_is_found(void **state) {
    const struct shape unknown = {.threads = KESCO_AMOUNT_UNKNOWN, .work = 30000};

    (void)state;
    run(&unknown, MANY);
    run(&small, MANY);
    assert_true(graphs > MANY / 2);
}

static void what_pays_no_more_is_found(void **state) {
    const struct shape shape = {.threads = 32, .work = 20000, .wait = 20000};
    unsigned long before;

    (void)state;
    run(&small, MANY);
    before = graphs;
    run(&shape, MANY);
    assert_true(graphs - before < MANY / 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(short_launches_become_graphs, set_up),
        cmocka_unit_test_setup(an_open_region_has_passes_too, set_up),
        cmocka_unit_test_setup(few_passes_do_not, set_up),
        cmocka_unit_test_setup(long_work_between_launches_forbids_it, set_up),
        cmocka_unit_test_setup(only_what_changes_is_updated, set_up),
        cmocka_unit_test_setup(what_is_unknown_is_left_as_it_is, set_up),
        cmocka_unit_test_setup(what_is_measured_to_pay_is_found, set_up),
        cmocka_unit_test_setup(two_launches_are_no_graph, set_up),
        cmocka_unit_test_setup(what_is_measured_to_lose_is_given_up, set_up),
        cmocka_unit_test_setup(a_launch_that_takes_longer_than_the_pass_is_not_repeated, set_up),
        cmocka_unit_test_setup(what_does_not_pay_is_looked_at_seldom, set_up),
        cmocka_unit_test_setup(so_are_graphs_that_do, set_up),
        cmocka_unit_test_setup(what_seems_to_lose_is_not_tried, set_up),
        cmocka_unit_test_setup(what_pays_later_is_found, set_up),
        cmocka_unit_test_setup(what_pays_no_more_is_found, set_up),
    };

    return cmocka_run_group_tests_name("replay", tests, NULL, NULL);
}
