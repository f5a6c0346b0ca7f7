#include "plugin/cuda/cuda_calls.h"

#include <string.h>

#define OP(kind, ...) .op = KESCO_OP_##kind, .arguments = {__VA_ARGS__}
#define MEMORY(kind) .memory = KESCO_MEMORY_##kind

/* Roles of arguments, as rows name them. */
enum {
    OTHER = KESCO_OTHER,
    TO = KESCO_TO,
    FROM = KESCO_FROM,
    TO_SYMBOL = KESCO_TO_SYMBOL,
    FROM_SYMBOL = KESCO_FROM_SYMBOL,
    OFFSET = KESCO_OFFSET,
    SIZE = KESCO_SIZE,
    TO_PITCH = KESCO_TO_PITCH,
    FROM_PITCH = KESCO_FROM_PITCH,
    HEIGHT = KESCO_HEIGHT,
    DIRECTION = KESCO_DIRECTION,
    STREAM = KESCO_STREAM,
    STRUCT = KESCO_STRUCT,
    ARRAY = KESCO_ARRAY,
    PITCH_OUT = KESCO_PITCH_OUT,
    PITCHED_OUT = KESCO_PITCHED_OUT
};

static const struct kesco_call calls[] = {
    /* memory */
    {.name = "cudaMalloc", .effect = KESCO_ALLOCATES, MEMORY(DEVICE)},
    {.name = "cudaMallocPitch",
     .effect = KESCO_ALLOCATES,
     MEMORY(DEVICE),
     .arguments = {OTHER, PITCH_OUT, OTHER, OTHER}},
    {.name = "cudaMalloc3D", .effect = KESCO_ALLOCATES, MEMORY(DEVICE), .arguments = {PITCHED_OUT, OTHER}},
    {.name = "cudaMallocManaged", .effect = KESCO_ALLOCATES, MEMORY(MANAGED)},
    {.name = "cudaMallocHost", .effect = KESCO_ALLOCATES, MEMORY(PINNED)},
    {.name = "cudaHostAlloc", .effect = KESCO_ALLOCATES, MEMORY(PINNED)},
    {.name = "cudaMallocAsync",
     .effect = KESCO_ALLOCATES_IN_STREAM,
     MEMORY(DEVICE),
     OP(ALLOCATE, OTHER, OTHER, STREAM)},
    {.name = "cudaMallocAsync_ptsz", .effect = KESCO_ALLOCATES_IN_STREAM, MEMORY(DEVICE)},
    {.name = "cudaFree", .effect = KESCO_FREES, .arguments = {OTHER}},
    {.name = "cudaFreeHost", .effect = KESCO_BARRIER},
    {.name = "cudaFreeAsync", .effect = KESCO_BARRIER, OP(FREE, TO, STREAM)},
    {.name = "cudaMemAdvise", .effect = KESCO_BARRIER},
    {.name = "cudaMemPrefetchAsync", .effect = KESCO_BARRIER, OP(PREFETCH, TO, SIZE, OTHER, OTHER, STREAM)},
    {.name = "cudaMemPrefetchAsync", OP(PREFETCH, TO, SIZE, OTHER, STREAM)},
    {.name = "cudaMemAdvise_v2", .effect = KESCO_BARRIER},
    {.name = "cudaMemPrefetchAsync_v2",
     .effect = KESCO_BARRIER,
     OP(PREFETCH, TO, SIZE, OTHER, OTHER, STREAM)},

    /* copies and memsets */
    {.name = "cudaMemcpy", .effect = KESCO_BARRIER, OP(COPY, TO, FROM, SIZE, DIRECTION)},
    {.name = "cudaMemcpyAsync", .effect = KESCO_BARRIER, OP(COPY, TO, FROM, SIZE, DIRECTION, STREAM)},
    {.name = "cudaMemcpy2D",
     .effect = KESCO_BARRIER,
     OP(COPY, TO, TO_PITCH, FROM, FROM_PITCH, SIZE, HEIGHT, DIRECTION)},
    {.name = "cudaMemcpy2DAsync", OP(COPY, TO, TO_PITCH, FROM, FROM_PITCH, SIZE, HEIGHT, DIRECTION, STREAM)},
    {.name = "cudaMemcpy3D", OP(COPY, STRUCT)},
    {.name = "cudaMemcpy3DAsync", OP(COPY, STRUCT, STREAM)},
    {.name = "cudaMemcpyToSymbol",
     .effect = KESCO_BARRIER,
     OP(COPY, TO_SYMBOL, FROM, SIZE, OFFSET, DIRECTION)},
    {.name = "cudaMemcpyToSymbolAsync", OP(COPY, TO_SYMBOL, FROM, SIZE, OFFSET, DIRECTION, STREAM)},
    {.name = "cudaMemcpyFromSymbol",
     .effect = KESCO_BARRIER,
     OP(COPY, TO, FROM_SYMBOL, SIZE, OFFSET, DIRECTION)},
    {.name = "cudaMemcpyFromSymbolAsync", OP(COPY, TO, FROM_SYMBOL, SIZE, OFFSET, DIRECTION, STREAM)},
    {.name = "cudaMemset", .effect = KESCO_BARRIER, OP(MEMSET, TO, OTHER, SIZE)},
    {.name = "cudaMemsetAsync", .effect = KESCO_BARRIER, OP(MEMSET, TO, OTHER, SIZE, STREAM)},
    {.name = "cudaMemset2D", .effect = KESCO_BARRIER, OP(MEMSET, TO, TO_PITCH, OTHER, SIZE, HEIGHT)},
    {.name = "cudaMemset2DAsync", OP(MEMSET, TO, TO_PITCH, OTHER, SIZE, HEIGHT, STREAM)},

    /* the same as the two with a struct, whose members are arguments (withMembers, transfers.h) */
    {.name = "cudaMemcpy3D.members", OP(COPY, STRUCT, TO, FROM, DIRECTION, ARRAY, ARRAY)},
    {.name = "cudaMemcpy3DAsync.members", OP(COPY, STRUCT, STREAM, TO, FROM, DIRECTION, ARRAY, ARRAY)},

    /* streams, events and devices */
    {.name = "cudaDeviceSynchronize", .effect = KESCO_SYNCHRONISES},
    {.name = "cudaThreadSynchronize", .effect = KESCO_BARRIER}, /* of CUDA 12 */
    {.name = "cudaStreamSynchronize", .effect = KESCO_SYNCHRONISES, .arguments = {STREAM}},
    {.name = "cudaStreamSynchronize_ptsz", .effect = KESCO_SYNCHRONISES},
    {.name = "cudaStreamCreate", .effect = KESCO_CREATES},
    {.name = "cudaStreamCreateWithFlags", .effect = KESCO_CREATES},
    {.name = "cudaStreamCreateWithPriority", .effect = KESCO_CREATES},
    {.name = "cudaEventCreate", .effect = KESCO_CREATES},
    {.name = "cudaEventCreateWithFlags", .effect = KESCO_CREATES},
    {.name = "cudaEventRecord", .effect = KESCO_RECORDS, .arguments = {OTHER, STREAM}},
    {.name = "cudaStreamDestroy", .effect = KESCO_BARRIER},
    {.name = "cudaStreamQuery", .effect = KESCO_BARRIER},
    {.name = "cudaStreamWaitEvent", .effect = KESCO_BARRIER},
    {.name = "cudaEventDestroy", .effect = KESCO_BARRIER},
    {.name = "cudaEventElapsedTime", .effect = KESCO_BARRIER},
    {.name = "cudaEventSynchronize", .effect = KESCO_BARRIER},
    {.name = "cudaSetDevice", .effect = KESCO_BARRIER},
    {.name = "cudaDeviceReset", .effect = KESCO_BARRIER},

    /* questions */
    {.name = "__cudaInitModule", .effect = KESCO_HARMLESS},
    {.name = "__cudaPopCallConfiguration", .effect = KESCO_HARMLESS},
    {.name = "cudaGetLastError", .effect = KESCO_HARMLESS},
    {.name = "cudaPeekAtLastError", .effect = KESCO_HARMLESS},
    {.name = "cudaGetErrorString", .effect = KESCO_HARMLESS},
    {.name = "cudaGetErrorName", .effect = KESCO_HARMLESS},
    {.name = "cudaGetDevice", .effect = KESCO_HARMLESS},
    {.name = "cudaGetDeviceCount", .effect = KESCO_HARMLESS},
    {.name = "cudaGetDeviceProperties", .effect = KESCO_HARMLESS},
    {.name = "cudaGetDeviceProperties_v2", .effect = KESCO_HARMLESS},
    {.name = "cudaDeviceGetAttribute", .effect = KESCO_HARMLESS},
    {.name = "cudaDeviceCanAccessPeer", .effect = KESCO_HARMLESS},
    {.name = "cudaDeviceGetP2PAttribute", .effect = KESCO_HARMLESS},
    {.name = "cudaDeviceGetSharedMemConfig", .effect = KESCO_HARMLESS},
    {.name = "cudaChooseDevice", .effect = KESCO_HARMLESS},
    {.name = "cudaDeviceGetCacheConfig", .effect = KESCO_HARMLESS},
    {.name = "cudaDeviceGetDefaultMemPool", .effect = KESCO_HARMLESS},
    {.name = "cudaDeviceGetLimit", .effect = KESCO_HARMLESS},
    {.name = "cudaDeviceGetPCIBusId", .effect = KESCO_HARMLESS},
    {.name = "cudaDeviceGetStreamPriorityRange", .effect = KESCO_HARMLESS},
    {.name = "cudaGetDeviceFlags", .effect = KESCO_HARMLESS},
    {.name = "cudaStreamGetFlags", .effect = KESCO_HARMLESS},
    {.name = "cudaStreamGetPriority", .effect = KESCO_HARMLESS},
    {.name = "cudaMemGetInfo", .effect = KESCO_HARMLESS},
    {.name = "cudaFuncGetAttributes", .effect = KESCO_HARMLESS},
    {.name = "cudaPointerGetAttributes", .effect = KESCO_HARMLESS},
    {.name = "cudaCreateChannelDesc", .effect = KESCO_HARMLESS},
    {.name = "cudaDriverGetVersion", .effect = KESCO_HARMLESS},
    {.name = "cudaRuntimeGetVersion", .effect = KESCO_HARMLESS},
    {.name = "cudaOccupancyMaxActiveBlocksPerMultiprocessor", .effect = KESCO_HARMLESS},
    {.name = "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", .effect = KESCO_HARMLESS},

    /* wishes for launches to come */
    {.name = "cudaDeviceSetCacheConfig", .effect = KESCO_HARMLESS},
    {.name = "cudaDeviceSetSharedMemConfig", .effect = KESCO_HARMLESS},
    {.name = "cudaFuncSetAttribute", .effect = KESCO_HARMLESS},
    {.name = "cudaFuncSetCacheConfig", .effect = KESCO_HARMLESS},
    {.name = "cudaFuncSetSharedMemConfig", .effect = KESCO_HARMLESS},
};

#define CALLS (sizeof(calls) / sizeof(*calls))

size_t kesco_call_plain_length(const char *name, size_t length) {
    return length > 5 &&
                   (memcmp(name + length - 5, "_ptsz", 5) == 0 || memcmp(name + length - 5, "_ptds", 5) == 0)
               ? length - 5
               : length;
}

static bool is_named(const struct kesco_call *call, const char *name, size_t length) {
    return strncmp(call->name, name, length) == 0 && call->name[length] == '\0';
}

const struct kesco_call *kesco_call_find(const char *name, size_t length) {
    for (size_t i = 0; i < CALLS; i++)
        if (calls[i].effect != KESCO_UNKNOWN && is_named(&calls[i], name, length))
            return &calls[i];
    return NULL;
}

const struct kesco_call *kesco_call_find_op(const char *name, size_t length, size_t arguments) {
    length = kesco_call_plain_length(name, length);
    for (size_t i = 0; i < CALLS; i++)
        if (calls[i].op != KESCO_OP_KERNEL && is_named(&calls[i], name, length) &&
            kesco_call_argument_count(&calls[i]) == arguments)
            return &calls[i];
    return NULL;
}

int kesco_call_argument(const struct kesco_call *call, enum kesco_call_role role) {
    for (int i = 0; i < KESCO_CALL_MAX_ARGUMENTS; i++)
        if (call->arguments[i] == role)
            return i;
    return -1;
}

size_t kesco_call_argument_count(const struct kesco_call *call) {
    size_t count = 0;
    while (count < KESCO_CALL_MAX_ARGUMENTS && call->arguments[count] != KESCO_NO_ARGUMENT)
        count++;
    return count;
}
