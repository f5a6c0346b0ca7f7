/*
 * Executable graphs (CUDA Programming Guide, "Executing Graphs"): what a graph was when it was instantiated.
 * A launch is one op to the rest of its stream; within it, only the graph's edges order. Two launches of one
 * executable graph run one after the other (CUDA Runtime API, cudaGraphLaunch).
 */
#ifndef KESCO_TEST_VGPU_GRAPH_EXEC_H
#define KESCO_TEST_VGPU_GRAPH_EXEC_H

#include "test/vgpu/graph.h"
#include "test/vgpu/launch.h"

/* cudaErrorInvalidValue where the edges have a cycle. */
cudaError_t graph_exec_create(cudaGraphExec_t *handle, cudaGraph_t graph, unsigned long long flags);

cudaError_t graph_exec_get_flags(cudaGraphExec_t handle, unsigned long long *flags);
cudaError_t graph_exec_launch(cudaGraphExec_t handle, cudaStream_t stream);

/*
 * From the next launch on, the kernel that the node of the graph stands for is launched as `request` says.
 * The node is one of the graph that was instantiated, a kernel's, and stays so: cudaErrorInvalidValue for
 * others, for a kernel of another device, and for one that is cooperative where it was not.
 */
cudaError_t graph_exec_set_kernel(cudaGraphExec_t handle, cudaGraphNode_t node,
                                  const struct launch_request *request);

/*
 * The same for the node of a copy or a memset, which does from then on what `op` does: that is one of the
 * same kind for the current device, was not issued, and has one reference, which the caller gives away. Both
 * move one row, in memory of the same kinds; else cudaErrorInvalidValue.
 */
cudaError_t graph_exec_set_transfer(cudaGraphExec_t handle, cudaGraphNode_t node, struct op *op);

/* Takes a place in the stream, and among the launches. */
cudaError_t graph_exec_upload(cudaGraphExec_t handle, cudaStream_t stream);

/* What was launched runs all the same. */
cudaError_t graph_exec_destroy(cudaGraphExec_t handle);

/* Destroys the executable graphs that have a node of the device; none is pending. */
void graph_exec_reset(int device);

#endif
