/* The little of CUDA that launches need, for hosts whose C library is not at hand. */
#ifndef BARE_CUDA_H
#define BARE_CUDA_H

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))

typedef __SIZE_TYPE__ size_t;
typedef enum cudaError { cudaSuccess } cudaError_t;
typedef struct CUstream_st *cudaStream_t;
struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {
    }
};

extern "C" cudaError_t cudaMalloc(float **memory, size_t size);
extern "C" cudaError_t cudaMemsetAsync(void *to, int value, size_t size, cudaStream_t stream = nullptr);
extern "C" cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                                        size_t shared, cudaStream_t stream);
extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0,
                                                cudaStream_t stream = nullptr);

#endif
