#include "test/vgpu/register.h"

#include "test/vgpu/api.h"
#include "test/vgpu/engine.h"
#include "test/vgpu/module.h"

VGPU_EXPORT void **__cudaRegisterFatBinary(void *wrapper) {
    pthread_mutex_lock(&engine.lock);
    struct module *module = module_load(wrapper);
    pthread_mutex_unlock(&engine.lock);
    return (void **)module;
}

VGPU_EXPORT void __cudaRegisterFatBinaryEnd(void **handle) {
    (void)handle;
}

/* Called at exit. The image stays: its kernels may be pending. */
VGPU_EXPORT void __cudaUnregisterFatBinary(void **handle) {
    (void)handle;
}

/* Images are ready for use from their registration on. */
VGPU_EXPORT char __cudaInitModule(void **handle) {
    (void)handle;
    return 1;
}

VGPU_EXPORT void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                                        int thread_limit, uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid,
                                        int *warp_size) {
    (void)device, (void)thread_limit, (void)tid, (void)bid, (void)block, (void)grid, (void)warp_size;
    pthread_mutex_lock(&engine.lock);
    module_add_function((struct module *)handle, host, name);
    pthread_mutex_unlock(&engine.lock);
}

VGPU_EXPORT void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external,
                                   size_t size, int constant, int global) {
    (void)device, (void)external, (void)constant, (void)global;
    pthread_mutex_lock(&engine.lock);
    module_add_symbol((struct module *)handle, host, name, size);
    pthread_mutex_unlock(&engine.lock);
}

VGPU_EXPORT cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *function) {
    *kernel = (cudaKernel_t)function;
    return cudaSuccess;
}

VGPU_EXPORT cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args,
                                           size_t dynamic_shared, cudaStream_t stream) {
    return cudaLaunchKernel((const void *)kernel, grid, block, args, dynamic_shared, stream);
}

VGPU_EXPORT cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void **args,
                                                size_t dynamic_shared, cudaStream_t stream) {
    return __cudaLaunchKernel(kernel, grid, block, args, dynamic_shared,
                              stream ? stream : cudaStreamPerThread);
}
