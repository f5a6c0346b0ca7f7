/*
 * Regions under stream capture, on the virtual GPU: their lanes become branches of the captured graph, and
 * stay out of everything else for as long as the capture lasts.
 */
#include "runtime/kesco_abi.h"
#include "test/cmocka.h"
#include "test/runtime/scenario.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = 16, MOST_EDGES = 64, RELAXED = cudaStreamCaptureModeRelaxed };

static const char *const kinds[] = {"blocking", "nonblocking", "per-thread"};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* A captured graph; nodes are numbered in the order in which they were captured. */
struct order {
    size_t count;
    bool before[MOST_NODES][MOST_NODES]; /* [i][j]: a path leads from i to j */
};

static size_t find_node(const cudaGraphNode_t *nodes, size_t count, cudaGraphNode_t node) {
    size_t i = 0;

    while (i < count && nodes[i] != node)
        i++;
    return i;
}

static void close_paths(struct order *paths) {
    size_t via, i, j;

    for (via = 0; via < paths->count; via++)
        for (i = 0; i < paths->count; i++)
            for (j = 0; j < paths->count; j++)
                paths->before[i][j] |= paths->before[i][via] && paths->before[via][j];
}

/* False where CUDA refuses, or the graph is too large. */
static bool read_graph(cudaGraph_t graph, struct order *paths) {
    cudaGraphNode_t nodes[MOST_NODES], from[MOST_EDGES], to[MOST_EDGES];
    size_t edges = MOST_EDGES, i;

    memset(paths, 0, sizeof *paths);
    if (cudaGraphGetNodes(graph, NULL, &paths->count) != cudaSuccess || paths->count > MOST_NODES)
        return false;
    if (cudaGraphGetNodes(graph, nodes, &paths->count) != cudaSuccess ||
        cudaGraphGetEdges(graph, from, to, NULL, &edges) != cudaSuccess)
        return false;
    for (i = 0; i < edges; i++)
        paths->before[find_node(nodes, paths->count, from[i])][find_node(nodes, paths->count, to[i])] = true;
    close_paths(paths);
    return true;
}

static bool begin(cudaStream_t stream, int mode) {
    cells(); /* memory cannot be allocated under capture */
    return cudaStreamBeginCapture(stream, (enum cudaStreamCaptureMode)mode) == cudaSuccess;
}

static bool end(cudaStream_t stream, struct order *paths) {
    cudaGraph_t graph = NULL;

    return cudaStreamEndCapture(stream, &graph) == cudaSuccess && read_graph(graph, paths);
}

/* Nodes 0 before, 1 and 2 side by side, 3 behind both, 4 behind all. */
static void issue_region(cudaStream_t stream) {
    write_cell(0, stream);
    ENTER(stream, 3, 2);
    write_cell(0, __kesco1_lane(0, NULL, 0));
    __kesco1_record(0, 0);
    write_cell(1, __kesco1_lane(1, NULL, 0));
    __kesco1_wait(0, 2);
    __kesco1_record(1, 1);
    __kesco1_wait(1, 2);
    copy_cell(2, 0, __kesco1_lane(2, NULL, 0));
    __kesco1_leave();
    write_cell(1, stream);
}

static bool is_region(const struct order *paths, size_t first) {
    const bool (*before)[MOST_NODES] = &paths->before[first];
    size_t i;

    for (i = 1; i < 5; i++)
        if (!before[0][first + i] || (i < 4 && !before[i][first + 4]))
            return false;
    return before[1][first + 3] && before[2][first + 3];
}

static bool has_branches(const struct order *paths, size_t first) {
    return !paths->before[first + 1][first + 2] && !paths->before[first + 2][first + 1];
}

/* Lanes with levels are branches like others; a later capture has them again. */
static int levels(void) {
    static const uint8_t levels[] = {0, 1, 0};
    void *lanes[2];
    struct order paths;
    int i, priority;

    for (i = 0; i < 2; i++) {
        REQUIRE(begin(origin, cudaStreamCaptureModeGlobal));
        ENTER_LEVELS(origin, 3, 0, levels);
        lanes[i] = __kesco1_lane(1, NULL, 0);
        write_cell(0, lanes[i]);
        write_cell(1, __kesco1_lane(2, NULL, 0));
        REQUIRE(cudaStreamGetPriority(lanes[i], &priority) == cudaSuccess && priority == -1);
        __kesco1_leave();
        write_cell(2, origin);
        REQUIRE(end(origin, &paths));
        REQUIRE(paths.count == 3 && !paths.before[0][1] && paths.before[0][2] && paths.before[1][2]);
    }
    REQUIRE(lanes[0] == lanes[1] && cudaGetLastError() == cudaSuccess);
    return 0;
}

/* The captured graph has the region's order, and its lanes as branches. */
static int branches(void) {
    struct order paths;

    REQUIRE(begin(origin, cudaStreamCaptureModeGlobal));
    issue_region(origin);
    REQUIRE(end(origin, &paths));
    REQUIRE(paths.count == 5 && is_region(&paths, 0) && has_branches(&paths, 0));
    REQUIRE(cudaGetLastError() == cudaSuccess);
    return 0;
}

/* A lane that records before anything else is in the capture by then. */
static int first_uses(void) {
    struct order paths;

    REQUIRE(begin(origin, cudaStreamCaptureModeGlobal));
    ENTER(origin, 3, 1);
    __kesco1_record(0, 1);
    __kesco1_wait(0, 2);
    write_cell(0, __kesco1_lane(2, NULL, 0));
    __kesco1_leave();
    REQUIRE(cudaPeekAtLastError() == cudaSuccess);
    REQUIRE(end(origin, &paths) && paths.count == 1);
    return 0;
}

/* A region behind a region in one capture. */
static int two_regions(void) {
    struct order paths;
    void *lane;

    REQUIRE(begin(origin, cudaStreamCaptureModeGlobal));
    issue_region(origin);
    issue_region(origin);
    ENTER(origin, 3, 1);
    lane = __kesco1_lane(1, NULL, 0);
    __kesco1_leave();
    ENTER(origin, 2, 0);
    REQUIRE(__kesco1_lane(1, NULL, 0) == lane);
    __kesco1_leave();
    REQUIRE(end(origin, &paths));
    REQUIRE(paths.count == 10 && is_region(&paths, 0) && is_region(&paths, 5));
    REQUIRE(has_branches(&paths, 0) && has_branches(&paths, 5));
    REQUIRE(paths.before[2][6] && paths.before[3][7]);
    return 0;
}

/* The graph runs as the region would. */
static int replays(void) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    int round;

    REQUIRE(begin(origin, cudaStreamCaptureModeGlobal));
    issue('a', origin);
    issue_region(origin);
    ENTER(origin, 3, 1);
    issue('b', __kesco1_lane(1, NULL, 0));
    __kesco1_record(0, 1);
    __kesco1_wait(0, 2);
    issue('c', __kesco1_lane(2, NULL, 0));
    __kesco1_leave();
    issue('d', origin);
    REQUIRE(letters() == 0);
    REQUIRE(cudaStreamEndCapture(origin, &graph) == cudaSuccess);
    REQUIRE(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess);
    for (round = 0; round < 3; round++) {
        forget_letters();
        write_cell(2, origin);
        REQUIRE(cudaGraphLaunch(exec, origin) == cudaSuccess);
        write_cell(2, origin);
        issue_region(origin);
        REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
        REQUIRE(letters() == 4);
        REQUIRE(come_in_order('a', 'b') && come_in_order('b', 'c') && come_in_order('c', 'd'));
    }
    return 0;
}

/* While a capture lasts, its lanes serve no region outside of it; that one runs at once. */
static int outside(void) {
    cudaStream_t other = scenario_stream(cudaStreamNonBlocking);
    struct order paths;
    void *captured;

    ENTER(other, 2, 1);
    write_cell(3, __kesco1_lane(1, NULL, 0));
    __kesco1_record(0, 1);
    __kesco1_leave();
    REQUIRE(begin(origin, RELAXED));
    issue_region(origin);
    ENTER(origin, 2, 0);
    captured = __kesco1_lane(1, NULL, 0);
    __kesco1_leave();
    ENTER(other, 2, 1);
    REQUIRE(__kesco1_lane(1, NULL, 0) != captured);
    issue('x', __kesco1_lane(1, NULL, 0));
    __kesco1_leave();
    REQUIRE(cudaStreamSynchronize(other) == cudaSuccess);
    REQUIRE(letters() == 1);
    REQUIRE(end(origin, &paths));
    REQUIRE(paths.count == 5 && is_region(&paths, 0) && has_branches(&paths, 0));
    return 0;
}

/* Two captures of one thread at once: each has lanes of its own. */
static int two_captures(void) {
    cudaStream_t other = scenario_stream(cudaStreamNonBlocking);
    struct order first, second;

    REQUIRE(begin(origin, cudaStreamCaptureModeGlobal) && begin(other, cudaStreamCaptureModeGlobal));
    issue_region(origin);
    issue_region(other);
    issue_region(origin);
    issue_region(other);
    REQUIRE(end(origin, &first) && end(other, &second));
    REQUIRE(first.count == 10 && is_region(&first, 0) && has_branches(&first, 0) && is_region(&first, 5));
    REQUIRE(second.count == 10 && is_region(&second, 0) && has_branches(&second, 5) && is_region(&second, 5));
    return 0;
}

/* Lanes serve the next capture; the records of the last one do not. */
static int captures_in_turn(void) {
    struct order paths;
    void *lanes[2];
    int round;

    for (round = 0; round < 2; round++) {
        REQUIRE(begin(origin, cudaStreamCaptureModeGlobal));
        ENTER(origin, 2, 1);
        __kesco1_wait(0, 1);
        lanes[round] = __kesco1_lane(1, NULL, 0);
        write_cell(0, lanes[round]);
        __kesco1_record(0, 1);
        __kesco1_leave();
        REQUIRE(end(origin, &paths) && paths.count == 1);
    }
    REQUIRE(lanes[0] == lanes[1]);
    REQUIRE(begin(origin, cudaStreamCaptureModeGlobal));
    issue_region(origin);
    REQUIRE(end(origin, &paths) && paths.count == 5 && has_branches(&paths, 0));
    issue_region(origin);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    REQUIRE(cudaGetLastError() == cudaSuccess);
    return 0;
}

/* Spoils the capture as a program might, and looks at the error that this gives. */
static bool invalidate(void) {
    return cudaStreamSynchronize(origin) != cudaSuccess && cudaGetLastError() != cudaSuccess;
}

static int invalidated_before(void) {
    struct order paths;

    REQUIRE(begin(origin, RELAXED));
    REQUIRE(invalidate());
    ENTER(origin, 3, 1);
    REQUIRE(__kesco1_lane(1, NULL, 0) == origin);
    __kesco1_leave();
    REQUIRE(cudaPeekAtLastError() == cudaSuccess);
    REQUIRE(!end(origin, &paths));
    return 0;
}

static int invalidated_within(void) {
    struct order paths;

    REQUIRE(begin(origin, RELAXED));
    ENTER(origin, 3, 1);
    write_cell(0, __kesco1_lane(1, NULL, 0));
    REQUIRE(invalidate());
    __kesco1_record(0, 1);
    REQUIRE(__kesco1_lane(2, NULL, 0) == origin);
    __kesco1_leave();
    REQUIRE(cudaPeekAtLastError() == cudaSuccess);
    REQUIRE(!end(origin, &paths));
    REQUIRE(cudaGetLastError() != cudaSuccess);
    REQUIRE(begin(origin, RELAXED));
    issue_region(origin);
    REQUIRE(end(origin, &paths) && is_region(&paths, 0) && has_branches(&paths, 0));
    return 0;
}

/*
 * A call of ours fails: the graph has the order all the same, or there is none, and the program is told: by
 * its next launch, and at the end of the capture.
 */
static int failing_call(void) {
    cudaGraph_t graph = NULL;
    struct order paths;
    cudaError_t launched, ended;

    REQUIRE(begin(origin, cudaStreamCaptureModeGlobal));
    issue_region(origin);
    launched = cudaPeekAtLastError();
    ended = cudaStreamEndCapture(origin, &graph);
    if (launched != cudaSuccess || ended != cudaSuccess) {
        REQUIRE(launched == cudaErrorStreamCaptureInvalidated && ended == launched && graph == NULL);
        return 0;
    }
    REQUIRE(read_graph(graph, &paths) && paths.count == 5 && is_region(&paths, 0));
    return 0;
}

/* The same where the call need not spoil the capture. */
static int failing_opening(void) {
    struct order paths;

    REQUIRE(begin(origin, cudaStreamCaptureModeGlobal));
    issue_region(origin);
    REQUIRE(cudaPeekAtLastError() == cudaSuccess);
    REQUIRE(end(origin, &paths) && paths.count == 5 && is_region(&paths, 0) && !has_branches(&paths, 0));
    return 0;
}

/* Waiting for a region outside where a call of ours failed does the capture no harm. */
static int failing_call_outside(void) {
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
    cudaStream_t other = scenario_stream(cudaStreamNonBlocking);
    struct order paths;

    REQUIRE(begin(origin, cudaStreamCaptureModeGlobal));
    ENTER(other, 3, 1);
    write_cell(0, __kesco1_lane(1, NULL, 0));
    write_cell(1, __kesco1_lane(2, NULL, 0));
    __kesco1_leave();
    write_cell(0, other);
    write_cell(1, other);
    REQUIRE(cudaPeekAtLastError() == cudaSuccess);
    REQUIRE(cudaThreadExchangeStreamCaptureMode(&mode) == cudaSuccess);
    REQUIRE(mode == cudaStreamCaptureModeGlobal);
    REQUIRE(end(origin, &paths) && paths.count == 0);
    return 0;
}

/* A capture that a call of ours spoils when it fails takes no other with it. */
static int failing_call_beside(void) {
    cudaStream_t other = scenario_stream(cudaStreamNonBlocking);
    struct order paths;

    REQUIRE(begin(origin, cudaStreamCaptureModeGlobal) && begin(other, cudaStreamCaptureModeGlobal));
    ENTER(origin, 2, 0);
    write_cell(0, __kesco1_lane(1, NULL, 0));
    __kesco1_leave();
    issue_region(other);
    REQUIRE(!end(origin, &paths));
    REQUIRE(end(other, &paths) && paths.count == 5 && has_branches(&paths, 0));
    return 0;
}

/* The default stream cannot be touched while a blocking stream is captured: that is left to the program. */
static int default_stream(void) {
    unsigned flags = 0;
    struct order paths;
    bool blocking;

    REQUIRE(cudaStreamGetFlags(origin, &flags) == cudaSuccess);
    blocking = flags == cudaStreamDefault;
    REQUIRE(begin(origin, RELAXED));
    ENTER(NULL, 2, 0);
    REQUIRE((__kesco1_lane(1, NULL, 0) == NULL) == blocking);
    __kesco1_leave();
    REQUIRE(cudaPeekAtLastError() == cudaSuccess);
    REQUIRE(end(origin, &paths));
    return 0;
}

/* The guard orders a captured launch as any other. */
static int collides(void) {
    struct order paths;
    void *bound;

    REQUIRE(begin(origin, cudaStreamCaptureModeGlobal));
    ENTER(origin, 4, 0);
    write_cell(0, __kesco1_lane(0, NULL, 0));
    write_cell(1, __kesco1_lane(1, NULL, 0));
    bound = __kesco1_lane(2, NULL, 0);
    __kesco1_guard(0, KESCO_GUARD_CHECKED | KESCO_GUARD_WRITTEN, cells());
    __kesco1_guard(1, KESCO_GUARD_CHECKED, cells());
    write_cell(2, bound);
    write_cell(3, __kesco1_lane(3, NULL, 0));
    __kesco1_leave();
    REQUIRE(end(origin, &paths) && paths.count == 4);
    REQUIRE(!paths.before[0][1] && paths.before[0][2] && paths.before[1][2] && paths.before[2][3]);
    return 0;
}

/* A reset takes the lanes of captures away, too. */
static int after_reset(void) {
    unsigned flags = 0;
    bool made = origin != cudaStreamPerThread;

    REQUIRE(branches() == 0);
    REQUIRE(!made || cudaStreamGetFlags(origin, &flags) == cudaSuccess);
    REQUIRE(cudaDeviceReset() == cudaSuccess);
    forget_cells();
    if (made)
        origin = scenario_stream(flags);
    return branches();
}

static void *capture_rounds(void *unused) {
    static char failed;
    struct order paths;
    int round;

    (void)unused;
    for (round = 0; round < 20; round++) {
        cudaStream_t stream = cudaStreamPerThread;
        if (!begin(stream, cudaStreamCaptureModeThreadLocal))
            return &failed;
        issue_region(stream);
        if (!end(stream, &paths) || !is_region(&paths, 0) || !has_branches(&paths, 0))
            return &failed;
    }
    return NULL;
}

/* Two threads capture at once. */
static int two_threads(void) {
    pthread_t thread;
    void *mine, *other;

    cells();
    REQUIRE(pthread_create(&thread, NULL, capture_rounds, NULL) == 0);
    mine = capture_rounds(NULL);
    REQUIRE(pthread_join(thread, &other) == 0);
    REQUIRE(mine == NULL && other == NULL);
    return 0;
}

static const struct scenario scenarios[] = {
    SCENARIO(branches),
    SCENARIO(levels),
    SCENARIO(first_uses),
    SCENARIO(two_regions),
    SCENARIO(replays),
    SCENARIO(outside),
    SCENARIO(two_captures),
    SCENARIO(captures_in_turn),
    SCENARIO(invalidated_before),
    SCENARIO(invalidated_within),
    SCENARIO(failing_call),
    SCENARIO(failing_opening),
    SCENARIO(failing_call_outside),
    SCENARIO(failing_call_beside),
    SCENARIO(default_stream),
    SCENARIO(collides),
    SCENARIO(after_reset),
    SCENARIO(two_threads),
};

static void require_with(const char *scenario, const char *variable, const char *value) {
    size_t i;

    for (i = 0; i < KINDS; i++) {
        int status = run_child_with(scenario, kinds[i], variable, value);
        if (status != 0)
            fail_msg("%s on origin '%s' with %s=%s: status %d", scenario, kinds[i], variable, value, status);
    }
}

static void require_scenario(const char *scenario) {
    require_with(scenario, "VGPU_SEED", "0");
}

static void test_lanes_become_branches(void **state) {
    (void)state;
    require_scenario("branches");
    require_scenario("levels");
    require_scenario("first_uses");
    require_scenario("two_regions");
    require_scenario("collides");
}

static void test_graphs_run_in_the_regions_order(void **state) {
    size_t i;

    (void)state;
    for (i = 0; i < KINDS; i++)
        require_order("replays", kinds[i]);
}

static void test_lanes_of_a_capture_are_its_own(void **state) {
    (void)state;
    require_scenario("outside");
    require_scenario("two_captures");
    require_scenario("two_threads");
}

static void test_lanes_serve_the_next_capture(void **state) {
    (void)state;
    require_scenario("captures_in_turn");
    require_scenario("after_reset");
}

static void test_an_invalid_capture_is_the_programs_own(void **state) {
    (void)state;
    require_scenario("invalidated_before");
    require_scenario("invalidated_within");
}

static void test_failing_calls_lose_no_order(void **state) {
    static const char *const calls[] = {
        "cudaGetDevice:%d",
        "cudaStreamGetCaptureInfo:%d",
        "cudaThreadExchangeStreamCaptureMode:%d",
        "cudaStreamCreateWithFlags:%d",
        "cudaEventCreateWithFlags:%d",
        "cudaEventRecord:%d",
        "cudaStreamWaitEvent:%d",
    };
    char failure[64];
    size_t i;
    int n;

    (void)state;
    for (i = 0; i < sizeof calls / sizeof *calls; i++)
        for (n = 1; n <= 8; n++) {
            snprintf(failure, sizeof failure, calls[i], n);
            require_with("failing_call", "VGPU_FAIL", failure);
        }
    require_with("failing_opening", "VGPU_FAIL", "cudaStreamGetCaptureInfo:1");
    require_with("failing_opening", "VGPU_FAIL", "cudaStreamCreateWithFlags:2");
    require_with("failing_opening", "VGPU_FAIL", "cudaEventRecord:1");
    require_with("failing_opening", "VGPU_FAIL", "cudaStreamWaitEvent:1");
    require_with("failing_opening", "KESCO_DISABLE", "1");
}

static void test_failing_calls_leave_other_captures_alone(void **state) {
    (void)state;
    require_with("failing_call_beside", "VGPU_FAIL", "cudaEventRecord:2");
    setenv("VGPU_CHECK", "races", 1);
    require_with("failing_call_outside", "VGPU_FAIL", "cudaEventRecord:2");
    require_with("failing_call_outside", "VGPU_FAIL", "cudaStreamWaitEvent:3");
    unsetenv("VGPU_CHECK");
}

static void test_the_default_stream_is_left_to_the_program(void **state) {
    (void)state;
    require_scenario("default_stream");
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lanes_become_branches),
        cmocka_unit_test(test_graphs_run_in_the_regions_order),
        cmocka_unit_test(test_lanes_of_a_capture_are_its_own),
        cmocka_unit_test(test_lanes_serve_the_next_capture),
        cmocka_unit_test(test_an_invalid_capture_is_the_programs_own),
        cmocka_unit_test(test_failing_calls_lose_no_order),
        cmocka_unit_test(test_failing_calls_leave_other_captures_alone),
        cmocka_unit_test(test_the_default_stream_is_left_to_the_program),
    };

    if (argc == 3)
        return RUN_SCENARIO(argv, scenarios);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
