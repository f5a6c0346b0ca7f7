// What samples/taskflow uses of Taskflow, as its documentation has it, so that the samples are tested where Taskflow is not.
// Its own headers are the user's.
#pragma once

#include <cuda_runtime_api.h>
#include <stdexcept>

namespace tf {

inline void require(cudaError_t error) {
    if (error != cudaSuccess)
        throw std::runtime_error(cudaGetErrorString(error));
}

class cudaTask {
  public:
    cudaTask() = default;
    cudaTask(cudaGraph_t graph, cudaGraphNode_t node) : graph(graph), node(node) {
    }

    template <typename... Tasks> cudaTask &precede(Tasks &&...tasks) {
        (require(cudaGraphAddDependencies(graph, &node, &tasks.node, nullptr, 1)), ...);
        return *this;
    }

    template <typename... Tasks> cudaTask &succeed(Tasks &&...tasks) {
        (tasks.precede(*this), ...);
        return *this;
    }

  private:
    cudaGraph_t graph = nullptr;
    cudaGraphNode_t node = nullptr;
};

class cudaGraph {
  public:
    cudaGraph() {
        require(cudaGraphCreate(&graph, 0));
    }
    ~cudaGraph() {
        cudaGraphDestroy(graph);
    }

    template <typename Kernel, typename... Arguments>
    cudaTask kernel(dim3 grid, dim3 block, size_t shared, Kernel kernel, Arguments... arguments) {
        void *all[] = {static_cast<void *>(&arguments)...};
        cudaKernelNodeParams launch = {};
        cudaGraphNode_t node;
        launch.func = reinterpret_cast<void *>(kernel);
        launch.gridDim = grid;
        launch.blockDim = block;
        launch.sharedMemBytes = static_cast<unsigned>(shared);
        launch.kernelParams = all;
        require(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &launch));
        return cudaTask(graph, node);
    }

    cudaGraph_t graph;
};

class cudaGraphExec {
  public:
    explicit cudaGraphExec(const cudaGraph &of) {
        require(cudaGraphInstantiate(&exec, of.graph, 0));
    }
    ~cudaGraphExec() {
        cudaGraphExecDestroy(exec);
    }

    cudaGraphExec_t exec;
};

class cudaStream {
  public:
    cudaStream() {
        require(cudaStreamCreate(&stream));
    }
    ~cudaStream() {
        cudaStreamDestroy(stream);
    }

    cudaStream &run(const cudaGraphExec &graph) {
        require(cudaGraphLaunch(graph.exec, stream));
        return *this;
    }

  private:
    cudaStream_t stream;
};

} // namespace tf
