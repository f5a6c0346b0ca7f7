#define _GNU_SOURCE
#include "test/vgpu/launch.h"

#include "test/vgpu/device_abi.h"
#include "test/vgpu/heap.h"
#include "test/vgpu/module.h"
#include "test/vgpu/properties.h"
#include "test/vgpu/storage.h"
#include "test/vgpu/stream.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

enum { PARAMETER_ALIGNMENT = 16 };

static bool within(dim3 size, const int limits[3]) {
    return size.x && size.y && size.z && size.x <= (unsigned)limits[0] && size.y <= (unsigned)limits[1] &&
           size.z <= (unsigned)limits[2];
}

/* How many blocks of the launch the device has room for at once. */
static uint64_t room(const struct launch_request *request, const struct function *function) {
    const size_t shared = request->dynamic_shared + function->kernel->static_shared;
    const unsigned threads = request->block.x * request->block.y * request->block.z;
    return (uint64_t)properties_blocks_per_multiprocessor((int)threads, shared) *
           (uint64_t)properties()->multiProcessorCount;
}

static cudaError_t check(const struct launch_request *request, const struct function *function) {
    const struct cudaDeviceProp *device = properties();
    const uint64_t threads = (uint64_t)request->block.x * request->block.y * request->block.z;
    if (!function || !function->kernel)
        return cudaErrorInvalidResourceHandle; /* as driver 580 says, and of the shape, too */
    if (!within(request->grid, device->maxGridSize) || !within(request->block, device->maxThreadsDim) ||
        threads > (uint64_t)device->maxThreadsPerBlock)
        return cudaErrorInvalidValue;
    if (request->dynamic_shared > (size_t)function->dynamic_shared_limit ||
        request->dynamic_shared + function->kernel->static_shared > device->sharedMemPerBlockOptin)
        return cudaErrorInvalidValue;
    if (!request->args && function->kernel->param_count)
        return cudaErrorInvalidValue;
    if (request->cooperative &&
        (uint64_t)request->grid.x * request->grid.y * request->grid.z > room(request, function))
        return cudaErrorCooperativeLaunchTooLarge;
    return cudaSuccess;
}

static size_t padded(size_t size) {
    return (size + PARAMETER_ALIGNMENT - 1) / PARAMETER_ALIGNMENT * PARAMETER_ALIGNMENT;
}

/* Pointers to the parameters' values, and the values, in one piece of memory. */
static void **copy_args(const struct vgpu_kernel *kernel, void *const *args) {
    const size_t pointers = padded(kernel->param_count * sizeof(void *));
    size_t size = pointers;
    for (uint32_t i = 0; i < kernel->param_count; i++)
        size += padded(kernel->param_sizes[i]);
    void **copy = allocate(1, size);
    char *value = (char *)copy + pointers;
    for (uint32_t i = 0; i < kernel->param_count; i++) {
        copy[i] = memcpy(value, args[i], kernel->param_sizes[i]);
        value += padded(kernel->param_sizes[i]);
    }
    return copy;
}

cudaError_t launch_make(const struct launch_request *request, struct op **op) {
    const struct function *function = module_find_function(request->function);
    const cudaError_t error = check(request, function);
    if (error)
        return error;
    *op = op_new(OP_KERNEL);
    (*op)->kernel = (struct op_kernel){
        .kernel = function->kernel,
        .summary = function->summary,
        .grid = {request->grid.x, request->grid.y, request->grid.z},
        .block = {request->block.x, request->block.y, request->block.z},
        .dynamic_shared = request->dynamic_shared,
        .args = copy_args(function->kernel, request->args),
        .cooperative = request->cooperative,
        .resident = room(request, function),
    };
    return cudaSuccess;
}

cudaError_t launch_issue(const struct launch_request *request, cudaStream_t stream) {
    struct stream *on;
    struct op *op;
    cudaError_t error = launch_make(request, &op);
    if (error)
        return error;
    error = stream_open(stream, &on);
    if (!error && on->device != thread_state.device)
        error = cudaErrorInvalidResourceHandle; /* CUDA Programming Guide, "Stream and Event Behavior" */
    if (error)
        op_release(op);
    else
        stream_issue(on, op);
    return error;
}

/* Running */

static const int fault_signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE};
enum { FAULT_SIGNALS = sizeof(fault_signals) / sizeof(*fault_signals) };

/* Where a signal that a kernel raises goes on. One kernel runs at a time, under the engine's lock. */
static sigjmp_buf escape;
static void *volatile fault_address;
static _Thread_local volatile sig_atomic_t in_kernel;

/* A fault of a kernel leaves it; any other has its default effect when the instruction is tried again. */
static void on_fault(int number, siginfo_t *info, void *context) {
    (void)context;
    if (!in_kernel) {
        signal(number, SIG_DFL);
        return;
    }
    fault_address = info->si_addr;
    siglongjmp(escape, number);
}

static void watch_faults(struct sigaction previous[FAULT_SIGNALS]) {
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_NODEFER};
    action.sa_sigaction = on_fault;
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < FAULT_SIGNALS; i++)
        sigaction(fault_signals[i], &action, &previous[i]);
}

static void unwatch_faults(const struct sigaction previous[FAULT_SIGNALS]) {
    for (int i = 0; i < FAULT_SIGNALS; i++)
        sigaction(fault_signals[i], &previous[i], NULL);
}

static void report_signal(const struct op *op, int number) {
    char name[SITE_TEXT];
    op_describe(op, name);
    if (number == SIGFPE)
        vgpu_unmodelled("integer division by zero", name);
    if (number == SIGSEGV || number == SIGBUS) {
        fprintf(stderr, "vgpu: %s touches %p, where no memory is\n", name, fault_address);
        engine_fault(op->queue.device, cudaErrorIllegalAddress);
    } else {
        fprintf(stderr, "vgpu: %s hit a trap\n", name);
        vgpu_trapped();
        engine_fault(op->queue.device, cudaErrorLaunchFailure);
    }
}

/* What the host is told of a kernel that ended with `error`, a negative errno. */
static cudaError_t failure_of(int error) {
    if (error == -ECANCELED)
        return cudaErrorAssert;
    return error == -ENOMEM ? cudaErrorLaunchOutOfResources : cudaErrorLaunchFailure;
}

static void report_error(const struct op *op, int error) {
    char name[SITE_TEXT];
    op_describe(op, name);
    if (!engine.gpus[op->queue.device].fault)
        fprintf(stderr, "vgpu: %s failed: %s\n", name, strerror(-error));
    engine_fault(op->queue.device, failure_of(error));
}

void launch_run(struct op *op) {
    struct sigaction previous[FAULT_SIGNALS];
    const struct op_kernel *kernel = &op->kernel;
    const struct vgpu_launch launch = {.kernel = kernel->kernel,
                                       .grid = kernel->grid,
                                       .block = kernel->block,
                                       .dynamic_shared = kernel->dynamic_shared,
                                       .args = kernel->args,
                                       .cooperative = kernel->cooperative,
                                       .resident = kernel->resident};
    watch_faults(previous);
    const int number = sigsetjmp(escape, 1);
    if (number) {
        in_kernel = false;
        report_signal(op, number);
    } else {
        heap_select(op->queue.device);
        in_kernel = true;
        const int error = vgpu_execute(&launch);
        in_kernel = false;
        memcpy(op->counts.work, vgpu_work, sizeof(vgpu_work));
        if (error)
            report_error(op, error);
    }
    unwatch_faults(previous);
}
