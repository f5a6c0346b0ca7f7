/*
 * How every API function begins and ends, in one place: the lock, the count of calls, VGPU_FAIL, the sticky
 * error and the calling thread's last error. A definition is a name, its parameters, and the expression that
 * does it:
 *
 *     API(cudaFree, (void *pointer), memory_free(pointer))
 */
#ifndef KESCO_TEST_VGPU_API_H
#define KESCO_TEST_VGPU_API_H

#include "test/vgpu/api_list.h"
#include "test/vgpu/settings.h"

#define VGPU_EXPORT __attribute__((visibility("default")))

/* Takes the lock. Not cudaSuccess: the call must not do anything. */
cudaError_t api_enter(enum api_id id);

/* Gives back the lock, and returns what the call returns. */
cudaError_t api_leave(enum api_id id, cudaError_t error);

#define API_BODY(name, ...)                                                                                  \
    if (settings.null_mode && API_FLAGS_##name & (API_WORKS | API_OWN))                                      \
        return API_FLAGS_##name & API_OWN ? (__VA_ARGS__) : cudaSuccess;                                     \
    const cudaError_t entered = api_enter(API_ID_##name);                                                    \
    return api_leave(API_ID_##name, entered != cudaSuccess ? entered : (__VA_ARGS__));

#define API(name, parameters, ...)                                                                           \
    VGPU_EXPORT cudaError_t name parameters {                                                                \
        API_BODY(name, __VA_ARGS__)                                                                          \
    }

/*
 * A function with a parameter `stream`, and its _ptsz variant, for which stream 0 is the per-thread default
 * stream (CUDA_API_PER_THREAD_DEFAULT_STREAM).
 */
#define API_ON_STREAM(name, parameters, ...)                                                                 \
    API(name, parameters, __VA_ARGS__)                                                                       \
    VGPU_EXPORT cudaError_t name##_ptsz parameters;                                                          \
    VGPU_EXPORT cudaError_t name##_ptsz parameters {                                                         \
        stream = stream ? stream : cudaStreamPerThread;                                                      \
        API_BODY(name, __VA_ARGS__)                                                                          \
    }

/* A function that acts on the default stream, called `stream` in the expression, and its _ptds variant. */
#define API_ON_DEFAULT_STREAM(name, parameters, ...)                                                         \
    VGPU_EXPORT cudaError_t name parameters {                                                                \
        const cudaStream_t stream = cudaStreamLegacy;                                                        \
        API_BODY(name, __VA_ARGS__)                                                                          \
    }                                                                                                        \
    VGPU_EXPORT cudaError_t name##_ptds parameters;                                                          \
    VGPU_EXPORT cudaError_t name##_ptds parameters {                                                         \
        const cudaStream_t stream = cudaStreamPerThread;                                                     \
        API_BODY(name, __VA_ARGS__)                                                                          \
    }

#endif
