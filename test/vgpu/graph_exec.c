#include "test/vgpu/graph_exec.h"

#include "test/vgpu/capture.h"
#include "test/vgpu/component.h"
#include "test/vgpu/handle.h"
#include "test/vgpu/hardware.h"
#include "test/vgpu/order.h"
#include "test/vgpu/stats.h"
#include "test/vgpu/storage.h"
#include "test/vgpu/timeline.h"

#include <stdlib.h>

struct exec_node {
    cudaGraphNode_t handle; /* of the graph's node, which may be gone */
    struct op *op;          /* what every launch repeats */
    uint32_t component;     /* of its repetitions, in vector clocks */
    size_t *before;         /* places of the nodes that it depends on */
    size_t before_count;
};

struct graph_exec {
    cudaGraphExec_t handle;
    unsigned long long flags;
    struct exec_node *nodes; /* each behind those that it depends on */
    size_t count, branches;  /* count_branches */
    struct op *last;         /* end of the latest launch or upload, done or not; NULL: none yet */
    struct graph_exec *next; /* in the list of all */
};

static struct handle_table handles = {.name = "executable graph", .kind = 0x58};
static struct graph_exec *execs;

/* Instantiating */

/* True if all nodes that `node` depends on have their places. */
static bool is_free(const struct graph_node *node, const size_t *places) {
    for (size_t i = 0; i < node->before.count; i++) {
        if (places[node->before.nodes[i]->place] == SIZE_MAX)
            return false;
    }
    return true;
}

static struct exec_node make_node(const struct graph_node *node, const size_t *places) {
    struct exec_node made = {
        .handle = node->handle, .op = op_retain(node->op), .component = component_take()};
    made.before = allocate(node->before.count, sizeof(*made.before));
    for (size_t i = 0; i < node->before.count; i++)
        made.before[made.before_count++] = places[node->before.nodes[i]->place];
    return made;
}

/* Takes over the graph's nodes, each behind those that it depends on. False: the edges have a cycle. */
static bool take_nodes(struct graph_exec *exec, const struct graph *graph) {
    size_t *places = allocate(graph->nodes.count, sizeof(*places));
    bool progress = true;
    for (size_t i = 0; i < graph->nodes.count; i++)
        places[i] = SIZE_MAX;
    while (progress) {
        progress = false;
        for (size_t i = 0; i < graph->nodes.count; i++) {
            const struct graph_node *node = graph->nodes.nodes[i];
            if (places[i] != SIZE_MAX || !is_free(node, places))
                continue;
            exec->nodes[exec->count] = make_node(node, places);
            places[i] = exec->count++;
            progress = true;
        }
    }
    free(places);
    return exec->count == graph->nodes.count;
}

/*
 * Paths from node to node that the graph falls into: each node goes on with one that it depends on and that
 * no other goes on with, or begins a branch.
 */
static size_t count_branches(const struct graph_exec *exec) {
    bool *continued = allocate(exec->count, sizeof(*continued));
    size_t branches = exec->count;
    for (size_t i = 0; i < exec->count; i++) {
        const struct exec_node *node = &exec->nodes[i];
        size_t next = 0;
        while (next < node->before_count && continued[node->before[next]])
            next++;
        if (next == node->before_count)
            continue;
        continued[node->before[next]] = true;
        branches--;
    }
    free(continued);
    return branches;
}

/* Of `of` and a graph with such branches: what its nodes take the host. */
static double node_work(const struct graph_exec *exec, const struct node_costs *of) {
    return of->next_us * (double)(exec->count - exec->branches) + of->branch_us * (double)exec->branches;
}

/* The driver keeps what branches run on, beside a first one, and makes what no graph has needed yet. */
static double channel_work(size_t branches) {
    static size_t made = 1;
    const size_t missing = branches > made ? branches - made : 0;
    made += missing;
    return hardware->host.channels_us * (double)missing;
}

static void free_exec(struct graph_exec *exec) {
    for (size_t i = 0; i < exec->count; i++) {
        op_release(exec->nodes[i].op);
        component_give_back(exec->nodes[i].component);
        free(exec->nodes[i].before);
    }
    op_release(exec->last);
    free(exec->nodes);
    free(exec);
}

static cudaError_t check_flags(unsigned long long flags) {
    const unsigned long long known = cudaGraphInstantiateFlagAutoFreeOnLaunch |
                                     cudaGraphInstantiateFlagDeviceLaunch |
                                     cudaGraphInstantiateFlagUseNodePriority;
    if (flags & ~known)
        return cudaErrorInvalidValue;
    if (flags & cudaGraphInstantiateFlagDeviceLaunch)
        vgpu_unmodelled(thread_state.api, "cudaGraphInstantiateFlagDeviceLaunch");
    return cudaSuccess;
}

static bool allocates(const struct graph_exec *exec, const struct allocation *allocation) {
    for (size_t i = 0; i < exec->count; i++) {
        const struct op *op = exec->nodes[i].op;
        if (op->kind == OP_ALLOCATE && op->memory.allocation == allocation)
            return true;
    }
    return false;
}

/* Only one executable graph at a time has a graph's memory (as driver 580 on an H100). */
static bool is_memory_taken(const struct graph *graph) {
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const struct op *op = graph->nodes.nodes[i]->op;
        for (const struct graph_exec *exec = execs; op->kind == OP_ALLOCATE && exec; exec = exec->next) {
            if (allocates(exec, op->memory.allocation))
                return true;
        }
    }
    return false;
}

cudaError_t graph_exec_create(cudaGraphExec_t *handle, cudaGraph_t graph_handle, unsigned long long flags) {
    const struct graph *graph = graph_find(graph_handle);
    if (!handle || !graph || graph->capturing || check_flags(flags))
        return cudaErrorInvalidValue;
    if (is_memory_taken(graph))
        return cudaErrorNotSupported;
    struct graph_exec *exec = allocate(1, sizeof(*exec));
    exec->flags = flags;
    exec->nodes = allocate(graph->nodes.count, sizeof(*exec->nodes));
    if (!take_nodes(exec, graph)) {
        free_exec(exec);
        return cudaErrorInvalidValue;
    }
    exec->branches = count_branches(exec);
    timeline_work(node_work(exec, &hardware->graphs.instantiate) + channel_work(exec->branches));
    exec->handle = handle_new(&handles, exec);
    exec->next = execs;
    execs = exec;
    *handle = exec->handle;
    return cudaSuccess;
}

cudaError_t graph_exec_get_flags(cudaGraphExec_t handle, unsigned long long *flags) {
    const struct graph_exec *exec = handle_get(&handles, handle);
    if (!exec || !flags)
        return cudaErrorInvalidValue;
    *flags = exec->flags;
    return cudaSuccess;
}

cudaError_t graph_exec_destroy(cudaGraphExec_t handle) {
    struct graph_exec *exec = handle_get(&handles, handle);
    if (!exec)
        return cudaErrorInvalidValue;
    struct graph_exec **link = &execs;
    while (*link != exec)
        link = &(*link)->next;
    *link = exec->next;
    handle_free(&handles, handle);
    free_exec(exec);
    return cudaSuccess;
}

/* The exec's node of a graph's that still is. NULL: there is none. */
static struct exec_node *find_node(const struct graph_exec *exec, cudaGraphNode_t handle) {
    for (size_t i = 0; graph_find_node(handle) && i < exec->count; i++) {
        if (exec->nodes[i].handle == handle)
            return &exec->nodes[i];
    }
    return NULL;
}

/* Later launches repeat `op`, whose reference the node takes over. */
static void replace(struct exec_node *node, struct op *op) {
    op->queue.priority = node->op->queue.priority;
    op_release(node->op);
    node->op = op;
}

cudaError_t graph_exec_set_kernel(cudaGraphExec_t handle, cudaGraphNode_t node_handle,
                                  const struct launch_request *request) {
    const struct graph_exec *exec = handle_get(&handles, handle);
    struct exec_node *node = exec ? find_node(exec, node_handle) : NULL;
    struct op *op;
    if (!node || node->op->kind != OP_KERNEL)
        return cudaErrorInvalidValue;
    const cudaError_t error = launch_make(request, &op);
    if (error)
        return error;
    if (op->queue.device != node->op->queue.device ||
        op->kernel.cooperative != node->op->kernel.cooperative) {
        op_release(op);
        return cudaErrorInvalidValue;
    }
    replace(node, op);
    return cudaSuccess;
}

static bool is_row(const struct op *op) {
    return op->kind == OP_SET ? op->set.height == 1 : op->copy.height == 1 && op->copy.depth == 1;
}

static bool has_same_memory(const struct op *a, const struct op *b) {
    if (a->kind == OP_SET)
        return a->set.place == b->set.place;
    return a->copy.target.place == b->copy.target.place && a->copy.source.place == b->copy.source.place &&
           a->copy.between_devices == b->copy.between_devices;
}

cudaError_t graph_exec_set_transfer(cudaGraphExec_t handle, cudaGraphNode_t node_handle, struct op *op) {
    const struct graph_exec *exec = handle_get(&handles, handle);
    struct exec_node *node = exec ? find_node(exec, node_handle) : NULL;
    if (!node || node->op->kind != op->kind || node->op->queue.device != op->queue.device ||
        !is_row(node->op) || !is_row(op) || !has_same_memory(node->op, op)) {
        op_release(op);
        return cudaErrorInvalidValue;
    }
    replace(node, op);
    return cudaSuccess;
}

static bool has_node(const struct graph_exec *exec, int device) {
    for (size_t i = 0; i < exec->count; i++) {
        if (exec->nodes[i].op->queue.device == device)
            return true;
    }
    return false;
}

void graph_exec_reset(int device) {
    struct graph_exec *next;
    for (struct graph_exec *exec = execs; exec; exec = next) {
        next = exec->next;
        if (has_node(exec, device))
            graph_exec_destroy(exec->handle);
    }
}

/* Launching */

/* The repetition of a node, behind those of the nodes that it depends on, or behind the launch's begin. */
static struct op *issue_node(const struct graph_exec *exec, const struct exec_node *node, struct op *begin,
                             struct op *const *ops) {
    struct op *op = op_repeat(node->op);
    if (!(exec->flags & cudaGraphInstantiateFlagUseNodePriority))
        op->queue.priority = begin->queue.priority;
    if (!node->before_count)
        op_after(op, begin);
    for (size_t i = 0; i < node->before_count; i++)
        op_after(op, ops[node->before[i]]);
    stats.issued.graph_kernels += op->kind == OP_KERNEL;
    op_stamp(op, node->component);
    order_add(op);
    return op;
}

/* An op that does nothing but take a place in the stream, behind the latest launch. */
static struct op *make_place(const struct graph_exec *exec) {
    struct op *op = op_new(OP_EMPTY);
    op_after(op, exec->last);
    return op;
}

static void set_last(struct graph_exec *exec, struct op *op) {
    op_release(exec->last);
    exec->last = op_retain(op);
}

/* Adds all nodes between two places in the stream. Nothing runs before the whole launch stands. */
static void launch(struct graph_exec *exec, struct stream *stream) {
    struct op *begin = op_retain(make_place(exec));
    struct op **ops = allocate(exec->count, sizeof(*ops));
    stream_add(stream, begin);
    struct op *end = make_place(exec);
    for (size_t i = 0; i < exec->count; i++)
        ops[i] = issue_node(exec, &exec->nodes[i], begin, ops);
    for (size_t i = 0; i < exec->count; i++) {
        op_after(end, ops[i]);
        op_release(ops[i]);
    }
    set_last(exec, end);
    stream_add(stream, end);
    op_release(begin);
    free(ops);
    order_advance();
}

cudaError_t graph_exec_launch(cudaGraphExec_t handle, cudaStream_t stream_handle) {
    struct graph_exec *exec = handle_get(&handles, handle);
    struct stream *stream;
    if (!exec)
        return cudaErrorInvalidValue;
    const cudaError_t error = stream_open(stream_handle, &stream);
    if (error)
        return error;
    if (stream->part.by)
        vgpu_unmodelled("cudaGraphLaunch", "in a stream that is captured");
    timeline_work(hardware->graphs.launch_us + node_work(exec, &hardware->graphs.launch));
    stats.issued.graph_launches++;
    launch(exec, stream);
    return cudaSuccess;
}

cudaError_t graph_exec_upload(cudaGraphExec_t handle, cudaStream_t stream_handle) {
    struct graph_exec *exec = handle_get(&handles, handle);
    struct stream *stream;
    if (!exec)
        return cudaErrorInvalidValue;
    const cudaError_t error = stream_open(stream_handle, &stream);
    if (error)
        return error;
    if (stream->part.by)
        return capture_refuse(stream);
    struct op *op = make_place(exec);
    set_last(exec, op);
    stream_issue(stream, op);
    return cudaSuccess;
}
