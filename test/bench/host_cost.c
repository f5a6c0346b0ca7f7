/*
 * What a program spends on the host for each op: with KeSCo's calls, against streams and events by hand, over
 * a CUDA runtime that does nothing (null_cudart.h), and over one whose calls take about as long as real ones
 * do. Both sides issue the same ops on the same number of streams, each of which waits for the one before, so
 * that no wait of theirs is superfluous. They run by turns, and medians count. Then the same ops as a pass
 * that is replayed as a graph.
 */
#include "runtime/kesco_abi.h"
#include "test/bench/null_cudart.h"
#include "test/cmocka.h"

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { LANES = 4, OPS = 64, POINTERS = 4, PASSES = 32, TURNS = 101, TRIES = 5 };

/* Of a launch, and of a record or wait, in nanoseconds: of the order that measurements of CUDA's report. */
enum { LAUNCH_TIME = 2000, EVENT_TIME = 300, GRAPH_TIME = 5000 + OPS * 100, QUERY_TIME = 10 };

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);

/* Calls of what no op may need once a region has been open before; the runtime's are counted. */
static unsigned long forbidden_calls;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
int __real_pthread_mutex_lock(pthread_mutex_t *mutex);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex);

void *__wrap_malloc(size_t size) {
    forbidden_calls++;
    return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size) {
    forbidden_calls++;
    return __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size) {
    forbidden_calls++;
    return __real_realloc(memory, size);
}

int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex) {
    forbidden_calls++;
    return __real_pthread_mutex_lock(mutex);
}

static const struct kesco_site site = {"kernel", "kernel", "main", "host_cost.c", 1, 1, 0, 0, 0, 0, 0, NULL};
static void *memory;
static char buffer[LANES * POINTERS * 64];
static const struct kesco_region region = {
    .lanes = LANES, .events = OPS, .function = "main", .file = "host_cost.c", .line = 1, .memory = &memory};
static const uint32_t sizes[] = {sizeof(int)};
static struct kesco_site replayed_sites[OPS];
static struct kesco_history history;
static const struct kesco_region replayed = {.lanes = LANES,
                                             .events = OPS,
                                             .function = "main",
                                             .file = "host_cost.c",
                                             .line = 1,
                                             .mode = KESCO_MODE_GRAPH,
                                             .replays = 1,
                                             .memory = &memory,
                                             .history = &history};
static struct kesco_history other_history;
static const struct kesco_region looked_at = {.lanes = 1,
                                              .function = "main",
                                              .file = "host_cost.c",
                                              .line = 2,
                                              .replays = 1,
                                              .memory = &memory,
                                              .history = &other_history};
static const struct kesco_region placed = {.lanes = KESCO_PLACED_LANES,
                                           .events = KESCO_PLACED_LANES,
                                           .function = "main",
                                           .file = "host_cost.c",
                                           .line = 3,
                                           .memory = &memory,
                                           .placed = 1};
static cudaStream_t streams[LANES];
static cudaEvent_t events[OPS];

/* What a compiler makes of a kernel: the stub that launches it. */
__attribute__((noinline)) static void stub(int argument) {
    void *arguments[] = {&argument};
    dim3 grid, block;
    cudaStream_t stream;
    size_t shared;

    __cudaPopCallConfiguration(&grid, &block, &shared, &stream);
    cudaLaunchKernel((const void *)stub, grid, block, arguments, shared, stream);
}

static void launch(int argument, void *stream) {
    const dim3 one = {1, 1, 1};

    if (__cudaPushCallConfiguration(one, one, 0, stream) == 0)
        stub(argument);
}

static void run_by_hand(void) {
    int i;

    for (i = 0; i < OPS; i++) {
        cudaStreamWaitEvent(streams[i % LANES], events[(i + OPS - 1) % OPS], 0);
        launch(i, streams[i % LANES]);
        cudaEventRecord(events[i], streams[i % LANES]);
    }
}

static void run_with_kesco(void) {
    uint32_t i;

    for (i = 0; i < OPS; i++) {
        __kesco1_wait((i + OPS - 1) % OPS, i % LANES);
        launch((int)i, __kesco1_lane(i % LANES, &site, 0));
        __kesco1_record(i, i % LANES);
    }
}

static void enter_and_leave(void) {
    __kesco1_enter(NULL, &region);
    __kesco1_lane(0, &site, 0);
    __kesco1_leave();
}

/* What a compiler makes of the stub where launches may be collected. */
__attribute__((noinline)) static void replayed_stub(int argument) {
    void *arguments[] = {&argument};
    dim3 grid, block;
    cudaStream_t stream;
    size_t shared;

    __cudaPopCallConfiguration(&grid, &block, &shared, &stream);
    __kesco1_launch((const void *)stub, &grid, &block, arguments, shared, stream);
}

static void launch_replayed(const struct kesco_site *of, uint32_t lane, uint64_t amount, int argument) {
    const dim3 one = {1, 1, 1};

    if (__cudaPushCallConfiguration(one, one, 0, __kesco1_lane(lane, of, amount)) == 0)
        replayed_stub(argument);
}

static void replay(int change) {
    uint32_t i;

    __kesco1_enter(NULL, &replayed);
    for (i = 0; i < OPS; i++) {
        __kesco1_wait((i + OPS - 1) % OPS, i % LANES);
        launch_replayed(&replayed_sites[i], i % LANES, 0, (int)i + change);
        __kesco1_record(i, i % LANES);
    }
    __kesco1_leave();
}

static void run_apart(void) {
    int i;

    for (i = 0; i < OPS; i++)
        launch(i, streams[i % LANES]);
}

/*
 * Four byte ranges each, 16 of them in flight: each op comes behind that of four before. An op's ranges, and
 * those of one pointer in ops that follow each other, are so many ranges apart.
 */
static void place_each(uint32_t pointer_step, uint32_t op_step) {
    const dim3 one = {1, 1, 1};
    uint32_t i, j;

    for (i = 0; i < OPS; i++) {
        if (__cudaPushCallConfiguration(one, one, 0, __kesco1_op(&site, 0)) != 0)
            continue;
        for (j = 0; j < POINTERS; j++)
            __kesco1_guard_part(j, KESCO_GUARD_PLACED | KESCO_GUARD_WRITES,
                                buffer + (size_t)(i % LANES * op_step + j * pointer_step) * 64, 0, 64);
        replayed_stub((int)i);
    }
}

static void place_side_by_side(void) {
    place_each(1, POINTERS);
}

/* As in arrays that each have a part for each op. */
static void place_apart(void) {
    place_each(LANES, 1);
}

static void run_chain(void) {
    uint32_t i;

    for (i = 0; i < OPS; i++)
        launch((int)i, NULL);
}

/* Nobody knows how long its kernels take, so that graphs of them never pay. */
static void look_at_chain(void) {
    uint32_t i;

    __kesco1_enter(NULL, &looked_at);
    for (i = 0; i < OPS; i++)
        launch_replayed(&replayed_sites[i], 0, KESCO_AMOUNT_UNKNOWN, (int)i);
    __kesco1_leave();
}

static void replay_the_same(void) {
    replay(0);
}

/* In each pass, all nodes have another argument. */
static void replay_another(void) {
    static int change;

    replay(++change);
}

/* The same between two calls of the program that act on the default stream. */
static void enter_and_leave_between_actions(void) {
    __kesco1_enter_behind(NULL, &region, cudaSuccess);
    __kesco1_lane(0, &site, 0);
    __kesco1_leave_by_next();
    __kesco1_leave_behind(cudaSuccess);
}

static void do_nothing(void) {
}

/* The mean time of one of `calls` calls of `run`, in nanoseconds. */
static double measure(void (*run)(void), int calls) {
    struct timespec begin, end;
    int i;

    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (i = 0; i < calls; i++)
        run();
    clock_gettime(CLOCK_MONOTONIC, &end);
    return ((double)(end.tv_sec - begin.tv_sec) * 1e9 + (double)(end.tv_nsec - begin.tv_nsec)) / calls;
}

static int compare(const void *a, const void *b) {
    const double first = *(const double *)a, second = *(const double *)b;

    return (first > second) - (first < second);
}

static double median(double *times) {
    qsort(times, TURNS, sizeof *times, compare);
    return times[TURNS / 2];
}

/* By turns, each `calls` times; gives both medians of one call. */
static void measure_both(void (*first)(void), void (*second)(void), int calls, double result[2]) {
    static double times[2][TURNS];
    int i;

    for (i = 0; i < TURNS; i++) {
        times[0][i] = measure(first, calls);
        times[1][i] = measure(second, calls);
    }
    result[0] = median(times[0]);
    result[1] = median(times[1]);
}

/* Prints what one try found and returns the ratio. */
static double compare_ops(const char *what, int passes) {
    double times[2], ratio;

    __kesco1_enter(NULL, &region);
    run_with_kesco();
    forbidden_calls = 0;
    measure_both(run_by_hand, run_with_kesco, passes, times);
    assert_int_equal(forbidden_calls, 0);
    __kesco1_leave();
    ratio = times[1] / times[0];
    printf("# %s: %.1f ns an op by hand, %.1f ns with KeSCo, ratio %.3f\n", what, times[0] / OPS,
           times[1] / OPS, ratio);
    return ratio;
}

/* The least ratio of a few tries. Without optimisation, none is asked for. */
static void require_ratio(const char *what, int passes, double most) {
    double ratio = compare_ops(what, passes);
#ifdef NDEBUG
    int i;

    for (i = 1; i < TRIES && ratio > most; i++)
        ratio = compare_ops(what, passes);
    assert_true(ratio <= most);
#else
    (void)most;
    assert_true(ratio > 0);
#endif
}

static double round_time(void) {
    const struct null_cudart_costs costs = {.launch = 10000};
    double times[2];

    null_cudart_set_costs(&costs);
    measure_both(do_nothing, run_by_hand, 1, times);
    return times[1] / OPS / (double)costs.launch;
}

static void make_handles(void) {
    int i;

    for (i = 0; i < LANES; i++)
        assert_int_equal(cudaStreamCreateWithFlags(&streams[i], cudaStreamDefault), cudaSuccess);
    for (i = 0; i < OPS; i++)
        assert_int_equal(cudaEventCreateWithFlags(&events[i], cudaEventDisableTiming), cudaSuccess);
}

static void make_sites(void) {
    uint32_t i;

    for (i = 0; i < OPS; i++) {
        replayed_sites[i] = site;
        replayed_sites[i].place = i;
        replayed_sites[i].argument_count = 1;
        replayed_sites[i].argument_sizes = sizes;
    }
}

static int set_up(void **state) {
    (void)state;
    make_handles();
    make_sites();
    return 0;
}

static void test_ops_over_a_runtime_that_does_nothing(void **state) {
    const struct null_cudart_costs none = {0};

    (void)state;
    null_cudart_set_costs(&none);
    require_ratio("calls that do nothing", PASSES, 2);
}

static void test_ops_over_a_runtime_like_real_ones(void **state) {
    const double time = round_time();
    const struct null_cudart_costs costs = {.launch = (uint64_t)(LAUNCH_TIME / time),
                                            .event = (uint64_t)(EVENT_TIME / time),
                                            .query = (uint64_t)(QUERY_TIME / time)};

    (void)state;
    null_cudart_set_costs(&costs);
    require_ratio("calls of realistic length", 1, 1.05);
}

static double compare_replays(const char *what, void (*by_hand)(void), void (*run)(void), int passes) {
    double times[2];
    int i;

    for (i = 0; i < 3; i++)
        run();
    measure_both(by_hand, run, passes, times);
    printf("# %s: %.1f ns an op by hand, %.1f ns with KeSCo, ratio %.3f\n", what, times[0] / OPS,
           times[1] / OPS, times[1] / times[0]);
    return times[1] / times[0];
}

/* At most half of the time by hand. Without optimisation, none is asked for. */
static void require_replay(const char *what, void (*run)(void)) {
    const double ratio = compare_replays(what, run_by_hand, run, 1);
#ifdef NDEBUG
    assert_true(ratio < 0.5);
#else
    assert_true(ratio > 0);
#endif
}

static void test_replays(void **state) {
    const double time = round_time();
    const struct null_cudart_costs none = {0}, costs = {.launch = (uint64_t)(LAUNCH_TIME / time),
                                                        .event = (uint64_t)(EVENT_TIME / time),
                                                        .graph = (uint64_t)(GRAPH_TIME / time),
                                                        .query = (uint64_t)(QUERY_TIME / time)};

    (void)state;
    null_cudart_set_costs(&none);
    compare_replays("launches that come again, over calls that do nothing", run_by_hand, replay_the_same,
                    PASSES);
    compare_replays("launches that may be replayed, but are not", run_chain, look_at_chain, PASSES);
    null_cudart_set_costs(&costs);
    require_replay("over calls of realistic length", replay_the_same);
    require_replay("with other arguments each time", replay_another);
}

/* Lanes that the run chooses, beside the same lanes chosen by hand. */
static void measure_placing(const char *what, void (*run)(void)) {
    double times[2];

    __kesco1_enter(NULL, &placed);
    run();
    forbidden_calls = 0;
    measure_both(run_apart, run, PASSES, times);
    assert_int_equal(forbidden_calls, 0);
    __kesco1_leave();
    printf("# placing an op with %d pointers, 16 ranges in flight, %s: %.1f ns; %.1f by hand, %.1f with "
           "KeSCo\n",
           POINTERS, what, (times[1] - times[0]) / OPS, times[0] / OPS, times[1] / OPS);
}

static void test_placed_ops(void **state) {
    const struct null_cudart_costs none = {0};

    (void)state;
    null_cudart_set_costs(&none);
    measure_placing("an op's side by side", place_side_by_side);
    measure_placing("a pointer's side by side", place_apart);
}

static void measure_region(const char *what, void (*run)(void)) {
    double times[2];

    run();
    forbidden_calls = 0;
    measure_both(do_nothing, run, PASSES * OPS, times);
    printf("# entering and leaving a region%s, over calls that do nothing: %.1f ns\n", what,
           times[1] - times[0]);
    assert_int_equal(forbidden_calls, 0);
}

static void test_entering_and_leaving(void **state) {
    const struct null_cudart_costs none = {0};

    (void)state;
    null_cudart_set_costs(&none);
    measure_region("", enter_and_leave);
    measure_region(" between calls on its origin", enter_and_leave_between_actions);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ops_over_a_runtime_that_does_nothing),
        cmocka_unit_test(test_ops_over_a_runtime_like_real_ones),
        cmocka_unit_test(test_replays),
        cmocka_unit_test(test_placed_ops),
        cmocka_unit_test(test_entering_and_leaving),
    };

    return cmocka_run_group_tests(tests, set_up, NULL);
}
