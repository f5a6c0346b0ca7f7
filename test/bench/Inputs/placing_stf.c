/*
 * What CUDASTF calls of CUDA beyond what null_cudart.c has, for placing_stf.cu: one device, on which nothing
 * takes time. Its memory is memory of the host that nobody touches. As in null_cudart_rest.c, functions are
 * known by name alone.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { REFUSED = 801 }; /* CUDA_ERROR_NOT_SUPPORTED */

#define RETURNS(name, result)                                                                                \
    int name(void);                                                                                          \
    int name(void) {                                                                                         \
        return result;                                                                                       \
    }
#define GIVES(name, type, value)                                                                             \
    int name(type *out);                                                                                     \
    int name(type *out) {                                                                                    \
        *out = value;                                                                                        \
        return 0;                                                                                            \
    }
#define GIVES_SECOND(name, type, value)                                                                      \
    int name(const void *of, type *out);                                                                     \
    int name(const void *of, type *out) {                                                                    \
        (void)of;                                                                                            \
        *out = value;                                                                                        \
        return 0;                                                                                            \
    }
#define ALLOCATES(name)                                                                                      \
    int name(void **memory, size_t size);                                                                    \
    int name(void **memory, size_t size) {                                                                   \
        *memory = malloc(size);                                                                              \
        return *memory == NULL ? REFUSED : 0;                                                                \
    }
#define FREES(name)                                                                                          \
    int name(void *memory);                                                                                  \
    int name(void *memory) {                                                                                 \
        free(memory);                                                                                        \
        return 0;                                                                                            \
    }

RETURNS(cuCtxPushCurrent_v2, 0)
RETURNS(cuMemAddressFree, REFUSED)
RETURNS(cuMemAddressReserve, REFUSED)
RETURNS(cuMemCreate, REFUSED)
RETURNS(cuMemMap, REFUSED)
RETURNS(cuMemRelease, REFUSED)
RETURNS(cuMemSetAccess, REFUSED)
RETURNS(cuMemUnmap, REFUSED)
RETURNS(cudaDeviceEnablePeerAccess, 0)
RETURNS(cudaDeviceSynchronize, 0)
RETURNS(cudaEventDestroy, 0)
RETURNS(cudaEventQuery, 0)
RETURNS(cudaEventSynchronize, 0)
RETURNS(cudaHostRegister, 0)
RETURNS(cudaHostUnregister, 0)
RETURNS(cudaMemPoolSetAccess, 0)
RETURNS(cudaMemPoolSetAttribute, 0)
RETURNS(cudaMemcpyAsync, 0)
RETURNS(cudaSetDevice, 0)
RETURNS(cudaStreamDestroy, 0)
RETURNS(cudaStreamSynchronize, 0)
GIVES(cuCtxGetDevice, int, 0)
GIVES(cuCtxPopCurrent_v2, void *, NULL)
GIVES(cuDeviceGetAttribute, int, 1)
GIVES(cuMemGetAllocationGranularity, size_t, (size_t)1 << 21)
GIVES(cudaDeviceCanAccessPeer, int, 0)
GIVES(cudaDeviceGetDefaultMemPool, void *, NULL)
GIVES(cudaEventElapsedTime, float, 0)
GIVES(cudaGetDeviceCount, int, 1)
GIVES_SECOND(cuGetErrorName, const char *, "an error")
GIVES_SECOND(cuGetErrorString, const char *, "an error")
GIVES_SECOND(cuStreamGetCtx, void *, NULL)
GIVES_SECOND(cuStreamGetId, unsigned long long, (uintptr_t)of)
GIVES_SECOND(cudaStreamGetDevice, int, 0)
ALLOCATES(cudaMallocAsync)
ALLOCATES(cudaMallocHost)
ALLOCATES(cudaMallocManaged)
FREES(cudaFree)
FREES(cudaFreeAsync)
FREES(cudaFreeHost)

const char *cudaGetErrorString(int error);
const char *cudaGetErrorString(int error) {
    return error == 0 ? "no error" : "an error";
}

int cudaStreamAddCallback(void *stream, void (*function)(void *, int, void *), void *data);
int cudaStreamAddCallback(void *stream, void (*function)(void *, int, void *), void *data) {
    function(stream, 0, data);
    return 0;
}
