#include "runtime/region/executable.h"

#include "runtime/call.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

/* All graphs together have no more: at about 10 KB each, as others assume (NVIDIA/cccl,
 * executable_graph_cache.cuh), those are 160 MB of a device. */
enum { NODES_MOST = 1 << 14 };

static atomic_uint nodes; /* that there are */

static struct cudaKernelNodeParams describe(const struct kesco_launch *op, const unsigned char *arguments,
                                            void **pointers) {
    kesco_pass_find_arguments(arguments, op, pointers);
    return (struct cudaKernelNodeParams){
        .func = (void *)(uintptr_t)op->function,
        .gridDim = op->grid,
        .blockDim = op->block,
        .sharedMemBytes = (unsigned)op->shared,
        .kernelParams = pointers,
    };
}

static const struct kesco_transfer *find_transfer(const struct kesco_launch *op,
                                                  const unsigned char *arguments) {
    void *pointers[1];

    kesco_pass_find_arguments(arguments, op, pointers);
    return pointers[0];
}

static struct cudaMemsetParams describe_set(const struct kesco_transfer *set) {
    return (struct cudaMemsetParams){
        .dst = set->to, .value = (unsigned)set->value, .elementSize = 1, .width = set->bytes, .height = 1};
}

static cudaError_t add_transfer(struct kesco_executable *executable, uint32_t op,
                                const cudaGraphNode_t *before, size_t count) {
    const struct kesco_transfer *transfer =
        find_transfer(&executable->next.ops[op], executable->next.arguments);
    struct cudaMemsetParams set;

    if (transfer->from != NULL)
        return cudaGraphAddMemcpyNode1D(&executable->nodes[op], executable->graph, before, count,
                                        transfer->to, transfer->from, transfer->bytes,
                                        cudaMemcpyDeviceToDevice);
    set = describe_set(transfer);
    return cudaGraphAddMemsetNode(&executable->nodes[op], executable->graph, before, count, &set);
}

static cudaError_t add_kernel(struct kesco_executable *executable, uint32_t op, const cudaGraphNode_t *before,
                              size_t count) {
    void *pointers[KESCO_ARGUMENTS_MOST];
    const struct cudaKernelNodeParams node =
        describe(&executable->next.ops[op], executable->next.arguments, pointers);

    return cudaGraphAddKernelNode(&executable->nodes[op], executable->graph, before, count, &node);
}

/* The ops that this one comes right after. */
static uint64_t find_before(const struct kesco_executable *executable, uint32_t op) {
    if (executable->form == KESCO_FORM_BRANCHES)
        return executable->next.ops[op].before;
    return op == 0 ? 0 : (uint64_t)1 << (op - 1);
}

static cudaError_t add_node(struct kesco_executable *executable, uint32_t op) {
    cudaGraphNode_t before[KESCO_PASS_OPS];
    size_t count = 0;
    uint64_t left;

    for (left = find_before(executable, op); left != 0; left &= left - 1)
        before[count++] = executable->nodes[__builtin_ctzll(left)];
    return executable->next.ops[op].function != NULL ? add_kernel(executable, op, before, count)
                                                     : add_transfer(executable, op, before, count);
}

/* Kernels of a level have the priority that a lane of it has (pool.h). `*differ`: some are not the least. */
static cudaError_t set_priorities(const struct kesco_executable *executable, bool *differ) {
    cudaError_t error = cudaSuccess;
    cudaLaunchAttributeValue value;
    int least = 0, greatest = 0;
    uint32_t op;

    *differ = false;
    for (op = 0; op < executable->next.count && error == cudaSuccess; op++) {
        const struct kesco_launch *launch = &executable->next.ops[op];

        if (launch->level == 0 || launch->function == NULL)
            continue;
        if (!*differ)
            error = cudaDeviceGetStreamPriorityRange(&least, &greatest);
        *differ = true;
        value.priority = least - greatest < launch->level ? greatest : least - launch->level;
        if (error == cudaSuccess)
            error =
                cudaGraphKernelNodeSetAttribute(executable->nodes[op], cudaLaunchAttributePriority, &value);
    }
    return error;
}

static cudaError_t build(struct kesco_executable *executable) {
    cudaError_t error = cudaGraphCreate(&executable->graph, 0);
    bool differ = false;
    uint32_t op;

    for (op = 0; op < executable->next.count && error == cudaSuccess; op++)
        error = add_node(executable, op);
    if (error == cudaSuccess && executable->form == KESCO_FORM_BRANCHES)
        error = set_priorities(executable, &differ);
    if (error == cudaSuccess)
        error = cudaGraphInstantiateWithFlags(&executable->handle, executable->graph,
                                              differ ? cudaGraphInstantiateFlagUseNodePriority : 0);
    return error;
}

/* Other threads may be capturing. */
struct kesco_executable *kesco_executable_make(const struct kesco_pass *pass, enum kesco_form form) {
    struct kesco_executable *executable;
    enum cudaStreamCaptureMode mode;
    cudaError_t before, error;

    if (atomic_load(&nodes) + pass->count > NODES_MOST)
        return NULL;
    executable = calloc(1, sizeof *executable);
    if (executable == NULL)
        return NULL;
    if (!kesco_snapshot_take(&executable->next, pass)) {
        free(executable);
        return NULL;
    }
    executable->form = form;
    atomic_fetch_add(&nodes, pass->count);
    before = cudaPeekAtLastError();
    mode = kesco_call_relax();
    error = build(executable);
    kesco_call_unrelax(mode);
    if (error == cudaSuccess)
        return executable;
    kesco_call_take_back(before);
    kesco_executable_destroy(executable, false);
    return NULL;
}

static cudaError_t update_transfer(const struct kesco_executable *executable, const struct kesco_pass *pass,
                                   uint32_t op) {
    const struct kesco_transfer *transfer = find_transfer(&pass->ops[op], pass->arguments);
    struct cudaMemsetParams set;

    if (transfer->from != NULL)
        return cudaGraphExecMemcpyNodeSetParams1D(executable->handle, executable->nodes[op], transfer->to,
                                                  transfer->from, transfer->bytes, cudaMemcpyDeviceToDevice);
    set = describe_set(transfer);
    return cudaGraphExecMemsetNodeSetParams(executable->handle, executable->nodes[op], &set);
}

static cudaError_t update_kernel(const struct kesco_executable *executable, const struct kesco_pass *pass,
                                 uint32_t op) {
    void *pointers[KESCO_ARGUMENTS_MOST];
    const struct cudaKernelNodeParams node = describe(&pass->ops[op], pass->arguments, pointers);

    return cudaGraphExecKernelNodeSetParams(executable->handle, executable->nodes[op], &node);
}

static cudaError_t update_node(const struct kesco_executable *executable, const struct kesco_pass *pass,
                               uint32_t op) {
    return pass->ops[op].function != NULL ? update_kernel(executable, pass, op)
                                          : update_transfer(executable, pass, op);
}

bool kesco_executable_update(struct kesco_executable *executable, const struct kesco_pass *pass) {
    cudaError_t error = cudaSuccess;
    uint32_t op;

    for (op = 0; op < pass->count && error == cudaSuccess; op++)
        if (kesco_snapshot_differs(&executable->next, pass, op))
            error = update_node(executable, pass, op);
    if (error != cudaSuccess)
        cudaGetLastError();
    else
        kesco_snapshot_take(&executable->next, pass);
    return error == cudaSuccess;
}

bool kesco_executable_launch(const struct kesco_executable *executable, cudaStream_t stream) {
    if (cudaGraphLaunch(executable->handle, stream) == cudaSuccess)
        return true;
    cudaGetLastError();
    return false;
}

static void destroy(const struct kesco_executable *executable) {
    const cudaError_t before = cudaPeekAtLastError();
    cudaError_t error = cudaSuccess;

    if (executable->handle != NULL)
        error = cudaGraphExecDestroy(executable->handle);
    if (executable->graph != NULL && cudaGraphDestroy(executable->graph) != cudaSuccess)
        error = cudaErrorUnknown;
    if (error != cudaSuccess)
        kesco_call_take_back(before);
}

void kesco_executable_destroy(struct kesco_executable *executable, bool is_gone) {
    if (executable == NULL)
        return;
    if (!is_gone)
        destroy(executable);
    atomic_fetch_sub(&nodes, executable->next.count);
    kesco_snapshot_clear(&executable->next);
    free(executable);
}
