/*
 * The driver API's contexts, for programs that are linked with it beside the runtime API, as those with
 * CUDASTF: each device has its primary context alone, which is the runtime API's. Their names are the
 * driver's own, behind cuda.h's macros.
 */
#include "test/vgpu/api.h"
#include "test/vgpu/device.h"
#include "test/vgpu/engine.h"

#include <cuda.h>

/* What a thread has pushed: the devices whose contexts were current before. */
enum { MOST_PUSHED = 64 };

static _Thread_local struct {
    int below[MOST_PUSHED];
    unsigned count;
} pushed;

static CUcontext context_of(int device) {
    return (CUcontext)&engine.gpus[device];
}

/* The device whose context that is; -1: none's. */
static int device_of(CUcontext context) {
    for (int device = 0; device_exists(device); device++)
        if (context_of(device) == context)
            return device;
    return -1;
}

static void use(int device) {
    pthread_mutex_lock(&engine.lock);
    thread_state.device = device;
    engine_use_context();
    pthread_mutex_unlock(&engine.lock);
}

/* CUDA Driver API, "cuCtxPushCurrent": the context is the thread's current one, for the runtime API, too. */
VGPU_EXPORT CUresult CUDAAPI cuCtxPushCurrent(CUcontext context) {
    const int device = device_of(context);
    if (device < 0)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (pushed.count == MOST_PUSHED)
        vgpu_unmodelled("cuCtxPushCurrent", "more than 64 times");
    pushed.below[pushed.count++] = thread_state.device;
    use(device);
    return CUDA_SUCCESS;
}

/* "cuCtxPopCurrent": the one before it is current again. */
VGPU_EXPORT CUresult CUDAAPI cuCtxPopCurrent(CUcontext *context) {
    if (pushed.count == 0)
        vgpu_unmodelled("cuCtxPopCurrent", "of a context that was not pushed");
    if (context)
        *context = context_of(thread_state.device);
    use(pushed.below[--pushed.count]);
    return CUDA_SUCCESS;
}

VGPU_EXPORT CUresult CUDAAPI cuCtxGetDevice(CUdevice *device) {
    if (!device)
        return CUDA_ERROR_INVALID_VALUE;
    if (!thread_state.contexts[thread_state.device])
        return CUDA_ERROR_INVALID_CONTEXT;
    *device = thread_state.device;
    return CUDA_SUCCESS;
}

/* "cuStreamGetCtx" and "cuStreamGetId": as the runtime API's calls, whose last error stays as it is. */

VGPU_EXPORT CUresult CUDAAPI cuStreamGetCtx(CUstream stream, CUcontext *context) {
    const cudaError_t before = thread_state.last_error;
    int device = 0;
    const cudaError_t error = context ? cudaStreamGetDevice(stream, &device) : cudaErrorInvalidValue;
    thread_state.last_error = before;
    if (error == cudaSuccess)
        *context = context_of(device);
    return (CUresult)error;
}

VGPU_EXPORT CUresult CUDAAPI cuStreamGetId(CUstream stream, unsigned long long *id) {
    const cudaError_t before = thread_state.last_error, error = cudaStreamGetId(stream, id);
    thread_state.last_error = before;
    return (CUresult)error;
}
