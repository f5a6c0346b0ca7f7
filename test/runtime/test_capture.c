/*
 * Regions under stream capture, on the virtual GPU: their lanes become branches of the captured graph, and
 * stay out of everything else for as long as the capture lasts.
 */
#include "runtime/kesco_abi.h"
#include "test/cmocka.h"
#include "test/runtime/captured.h"
#include "test/runtime/scenario.h"

#include <pthread.h>

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
    SCENARIO(branches), SCENARIO(levels),      SCENARIO(first_uses),   SCENARIO(two_regions),
    SCENARIO(replays),  SCENARIO(outside),     SCENARIO(two_captures), SCENARIO(captures_in_turn),
    SCENARIO(collides), SCENARIO(after_reset), SCENARIO(two_threads),
};

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

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lanes_become_branches),
        cmocka_unit_test(test_graphs_run_in_the_regions_order),
        cmocka_unit_test(test_lanes_of_a_capture_are_its_own),
        cmocka_unit_test(test_lanes_serve_the_next_capture),
    };

    if (argc == 3)
        return RUN_SCENARIO(argv, scenarios);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
