/* Captured regions, and what their graphs order. */
#ifndef KESCO_TEST_RUNTIME_CAPTURED_H
#define KESCO_TEST_RUNTIME_CAPTURED_H

#include "runtime/kesco_abi.h"
#include "test/cmocka.h"
#include "test/runtime/scenario.h"

#include <string.h>

enum { MOST_NODES = 16, MOST_EDGES = 64, RELAXED = cudaStreamCaptureModeRelaxed };

static const char *const kinds[] = {"blocking", "nonblocking", "per-thread"};

enum { KINDS = sizeof kinds / sizeof *kinds };

/* A captured graph; nodes are numbered in the order in which they were captured. */
struct order {
    size_t count;
    bool before[MOST_NODES][MOST_NODES]; /* [i][j]: a path leads from i to j */
};

static inline size_t find_node(const cudaGraphNode_t *nodes, size_t count, cudaGraphNode_t node) {
    size_t i = 0;

    while (i < count && nodes[i] != node)
        i++;
    return i;
}

static inline void close_paths(struct order *paths) {
    size_t via, i, j;

    for (via = 0; via < paths->count; via++)
        for (i = 0; i < paths->count; i++)
            for (j = 0; j < paths->count; j++)
                paths->before[i][j] |= paths->before[i][via] && paths->before[via][j];
}

/* False where CUDA refuses, or the graph is too large. */
static inline bool read_graph(cudaGraph_t graph, struct order *paths) {
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

static inline bool begin(cudaStream_t stream, int mode) {
    cells(); /* memory cannot be allocated under capture */
    return cudaStreamBeginCapture(stream, (enum cudaStreamCaptureMode)mode) == cudaSuccess;
}

static inline bool end(cudaStream_t stream, struct order *paths) {
    cudaGraph_t graph = NULL;

    return cudaStreamEndCapture(stream, &graph) == cudaSuccess && read_graph(graph, paths);
}

/* Nodes 0 before, 1 and 2 side by side, 3 behind both, 4 behind all. */
static inline void issue_region(cudaStream_t stream) {
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

static inline bool is_region(const struct order *paths, size_t first) {
    const bool (*before)[MOST_NODES] = &paths->before[first];
    size_t i;

    for (i = 1; i < 5; i++)
        if (!before[0][first + i] || (i < 4 && !before[i][first + 4]))
            return false;
    return before[1][first + 3] && before[2][first + 3];
}

static inline bool has_branches(const struct order *paths, size_t first) {
    return !paths->before[first + 1][first + 2] && !paths->before[first + 2][first + 1];
}

static inline void require_with(const char *scenario, const char *variable, const char *value) {
    size_t i;

    for (i = 0; i < KINDS; i++) {
        int status = run_child_with(scenario, kinds[i], variable, value);
        if (status != 0)
            fail_msg("%s on origin '%s' with %s=%s: status %d", scenario, kinds[i], variable, value, status);
    }
}

static inline void require_scenario(const char *scenario) {
    require_with(scenario, "VGPU_SEED", "0");
}

#endif
