/* Kernel launches: checked at the call, as CUDA does; run later, with faults caught. */
#ifndef KESCO_TEST_VGPU_LAUNCH_H
#define KESCO_TEST_VGPU_LAUNCH_H

#include "test/vgpu/op.h"

/* What a launch asks for. */
struct launch_request {
    const void *function; /* address of the host stub */
    dim3 grid, block;
    size_t dynamic_shared; /* bytes */
    void **args;           /* one pointer per parameter; values are copied */
    bool cooperative;      /* its blocks may wait for each other: the device must hold all of them at once */
};

/*
 * Makes a kernel's op, with one reference, the caller's. Limits are those of properties.h. Errors: unknown
 * function cudaErrorInvalidDeviceFunction; grid, block or shared memory out of limits
 * cudaErrorInvalidConfiguration or cudaErrorInvalidValue. More blocks than there is room for in a cooperative
 * launch: cudaErrorCooperativeLaunchTooLarge.
 */
cudaError_t launch_make(const struct launch_request *request, struct op **op);

/* Issues a kernel. Further errors: a bad stream cudaErrorInvalidResourceHandle. */
cudaError_t launch_issue(const struct launch_request *request, cudaStream_t stream);

/*
 * Runs a kernel op. A kernel that the executor gives up, or that touches memory that is not there, faults the
 * device (engine_fault).
 */
void launch_run(struct op *op);

#endif
