/*
 * What host code calls that clang or nvcc makes: registration before main, the two halves of <<<>>>, and how
 * nvcc's stubs launch. Declared here because CUDA's own header for them (crt/host_runtime.h) is C++.
 */
#ifndef KESCO_TEST_VGPU_REGISTER_H
#define KESCO_TEST_VGPU_REGISTER_H

#include <cuda_runtime_api.h>

void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
char __cudaInitModule(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int thread_limit,
                            uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid, int *warp_size);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external, size_t size,
                       int constant, int global);

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t dynamic_shared, cudaStream_t stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *dynamic_shared, void *stream);

/* A kernel's handle is the address that the host knows it by. */
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *function);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t dynamic_shared,
                               cudaStream_t stream);
cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void **args,
                                    size_t dynamic_shared, cudaStream_t stream);

#endif
