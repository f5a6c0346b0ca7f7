/*
 * For samples with Taskflow (samples/taskflow), a rival of KeSCo: a program describes its kernels and what
 * comes before what as a graph of tasks, in Taskflow's own words (tf::cudaGraph; taskflow.github.io, "GPU
 * Tasking"). It is made once, before the timed part, and launched as a whole. Taskflow's headers are the
 * user's (TASKFLOW_INCLUDE); they want C++20, and a call that fails throws.
 */
#ifndef KESCO_SAMPLES_TASKFLOW_H
#define KESCO_SAMPLES_TASKFLOW_H

#include <cuda_runtime_api.h>

/* Which Taskflow takes from nvcc; and what clang is stricter about. */
#ifndef __CUDACC_VER_MAJOR__
#define __CUDACC_VER_MAJOR__ (CUDART_VERSION / 1000)
#endif
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wc++11-narrowing"
#include <taskflow/cuda/cudaflow.hpp>
#pragma clang diagnostic pop

#include <memory>
#include <type_traits>

static std::unique_ptr<tf::cudaGraphExec> taskflow_exec;
static std::unique_ptr<tf::cudaStream> taskflow_stream;

/* A task that launches a kernel. Taskflow takes arguments as they are given, so here they become what the
 * kernel takes. */
template <typename... Parameters>
static tf::cudaTask task(tf::cudaGraph &graph, dim3 grid, dim3 block, void (*kernel)(Parameters...),
                         std::type_identity_t<Parameters>... arguments) {
    return graph.kernel(grid, block, 0, kernel, arguments...);
}

static inline void taskflow_make(tf::cudaGraph &graph) {
    taskflow_exec = std::make_unique<tf::cudaGraphExec>(graph);
    taskflow_stream = std::make_unique<tf::cudaStream>();
}

static inline void taskflow_run(void) {
    taskflow_stream->run(*taskflow_exec);
}

static void teardown_run(void) {
    taskflow_exec.reset();
    taskflow_stream.reset();
}

#endif
