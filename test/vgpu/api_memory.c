/* API functions: memory management. */
#include "test/vgpu/api.h"
#include "test/vgpu/capture.h"
#include "test/vgpu/copy.h"
#include "test/vgpu/engine.h"
#include "test/vgpu/memory.h"
#include "test/vgpu/module.h"
#include "test/vgpu/stream.h"

static cudaError_t allocate_3d(struct cudaPitchedPtr *pointer, struct cudaExtent extent) {
    if (!pointer)
        return cudaErrorInvalidValue;
    const cudaError_t error =
        memory_allocate_pitch(&pointer->ptr, &pointer->pitch, extent.width, extent.height * extent.depth);
    pointer->xsize = extent.width;
    pointer->ysize = extent.height;
    return error;
}

static cudaError_t allocate_managed(void **pointer, size_t size, unsigned flags) {
    if (!size || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost))
        return cudaErrorInvalidValue;
    return memory_allocate(pointer, size, MEMORY_MANAGED, flags);
}

static cudaError_t allocate_host(void **pointer, size_t size, unsigned flags) {
    if (flags & ~(unsigned)(cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined))
        return cudaErrorInvalidValue;
    return memory_allocate(pointer, size, MEMORY_PINNED, flags);
}

static struct allocation *find_host(const void *pointer) {
    struct allocation *allocation = memory_find(pointer);
    const bool pinned =
        allocation && (allocation->kind == MEMORY_PINNED || allocation->kind == MEMORY_REGISTERED);
    return pinned ? allocation : NULL;
}

static cudaError_t get_host_flags(unsigned *flags, void *pointer) {
    const struct allocation *allocation = find_host(pointer);
    if (!flags || !allocation)
        return cudaErrorInvalidValue;
    *flags = allocation->maker.flags;
    return cudaSuccess;
}

static cudaError_t get_device_pointer(void **device, void *host, unsigned flags) {
    if (!device || flags || !find_host(host))
        return cudaErrorInvalidValue;
    *device = host;
    return cudaSuccess;
}

static enum cudaMemoryType type_of(const struct allocation *allocation) {
    if (!allocation)
        return cudaMemoryTypeUnregistered;
    if (allocation->kind == MEMORY_MANAGED)
        return cudaMemoryTypeManaged;
    return memory_is_host(allocation) ? cudaMemoryTypeHost : cudaMemoryTypeDevice;
}

static cudaError_t get_attributes(struct cudaPointerAttributes *attributes, const void *pointer) {
    const struct allocation *allocation = memory_find(pointer);
    if (!attributes)
        return cudaErrorInvalidValue;
    *attributes = (struct cudaPointerAttributes){
        .type = type_of(allocation),
        .device = allocation ? allocation->maker.device : cudaInvalidDeviceId,
        .devicePointer = allocation ? (void *)pointer : NULL,
        .hostPointer = !allocation || memory_is_host(allocation) ? (void *)pointer : NULL,
    };
    return cudaSuccess;
}

static cudaError_t get_info(size_t *available, size_t *total) {
    if (!available || !total)
        return cudaErrorInvalidValue;
    *available = settings.memory - memory_used(thread_state.device);
    *total = settings.memory;
    return cudaSuccess;
}

/* Managed memory's hints want a range of one managed allocation and a place that exists. */
static cudaError_t check_hint(const void *pointer, size_t size, struct cudaMemLocation location) {
    const struct allocation *allocation = memory_find(pointer);
    if (!size || !allocation || allocation->kind != MEMORY_MANAGED ||
        size > allocation->size - (size_t)((const char *)pointer - allocation->base))
        return cudaErrorInvalidValue;
    switch (location.type) {
    case cudaMemLocationTypeDevice:
        return device_exists(location.id) && settings.concurrent_managed ? cudaSuccess
                                                                         : cudaErrorInvalidDevice;
    case cudaMemLocationTypeHost:
    case cudaMemLocationTypeHostNuma:
    case cudaMemLocationTypeHostNumaCurrent:
        return cudaSuccess;
    default:
        return cudaErrorInvalidValue;
    }
}

static cudaError_t advise(const void *pointer, size_t size, enum cudaMemoryAdvise advice,
                          struct cudaMemLocation location) {
    if (advice < cudaMemAdviseSetReadMostly || advice > cudaMemAdviseUnsetAccessedBy)
        return cudaErrorInvalidValue;
    if (advice == cudaMemAdviseSetReadMostly || advice == cudaMemAdviseUnsetReadMostly ||
        advice == cudaMemAdviseUnsetPreferredLocation)
        location = (struct cudaMemLocation){.type = cudaMemLocationTypeHost}; /* ignored for these */
    if (location.type == cudaMemLocationTypeDevice && !device_exists(location.id))
        return cudaErrorInvalidValue; /* and cudaErrorInvalidDevice for prefetches, as driver 580 on an H100
                                       */
    return check_hint(pointer, size, location);
}

static cudaError_t prefetch(const void *pointer, size_t size, struct cudaMemLocation location, unsigned flags,
                            cudaStream_t handle) {
    struct stream *stream;
    cudaError_t error = flags ? cudaErrorInvalidValue : check_hint(pointer, size, location);
    if (!error && !settings.concurrent_managed)
        error = cudaErrorInvalidDevice; /* "stream must be associated with a device that has" it */
    if (!error)
        error = stream_open(handle, &stream);
    if (error)
        return error;
    if (stream->part.by)
        return capture_refuse(stream); /* there is no such node */
    struct op *op = op_new(OP_PREFETCH);
    op->prefetch.address = pointer;
    op->prefetch.size = size;
    op->prefetch.allocation = memory_find(pointer)->number;
    op->prefetch.place = location.type == cudaMemLocationTypeDevice ? location.id : LIVES_ON_HOST;
    stream_issue(stream, op);
    return cudaSuccess;
}

static cudaError_t copy(void *to, const void *from, size_t size, enum cudaMemcpyKind kind, bool async,
                        cudaStream_t stream) {
    const struct copy_request request = {
        .to = to, .from = from, .width = size, .height = 1, .depth = 1, .kind = kind, .async = async};
    return copy_issue(&request, stream);
}

static cudaError_t copy_2d(struct copy_request request, cudaStream_t stream) {
    request.depth = 1;
    if (request.width && (request.width > request.to_pitch || request.width > request.from_pitch))
        return cudaErrorInvalidPitchValue;
    return copy_issue(&request, stream);
}

static cudaError_t copy_3d(const struct cudaMemcpy3DParms *asked, bool async, cudaStream_t stream) {
    struct copy_request request;
    const cudaError_t error = copy_read_3d(asked, &request);
    request.async = async;
    return error ? error : copy_issue(&request, stream);
}

static cudaError_t set(void *to, int value, size_t size, bool async, cudaStream_t stream) {
    const struct op_set request = {
        .to = to, .pitch = size, .width = size, .height = 1, .value = (unsigned char)value};
    return set_issue(&request, stream, async);
}

static cudaError_t set_2d(void *to, size_t pitch, int value, size_t width, size_t height, bool async,
                          cudaStream_t stream) {
    const struct op_set request = {
        .to = to, .pitch = pitch, .width = width, .height = height, .value = (unsigned char)value};
    return set_issue(&request, stream, async);
}

/* The address of a range of a variable. */
static cudaError_t find_in_symbol(const void *host, size_t size, size_t offset, char **address) {
    const struct symbol *symbol = module_find_symbol(host);
    if (!symbol || !symbol->address)
        return cudaErrorInvalidSymbol;
    if (offset > symbol->size || size > symbol->size - offset)
        return cudaErrorInvalidValue;
    *address = (char *)symbol->address + offset;
    return cudaSuccess;
}

static cudaError_t copy_to_symbol(const void *symbol, const void *from, size_t size, size_t offset,
                                  enum cudaMemcpyKind kind, bool async, cudaStream_t stream) {
    char *to;
    if (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost)
        return cudaErrorInvalidMemcpyDirection;
    const cudaError_t error = find_in_symbol(symbol, size, offset, &to);
    return error ? error : copy(to, from, size, kind, async, stream);
}

static cudaError_t copy_from_symbol(void *to, const void *symbol, size_t size, size_t offset,
                                    enum cudaMemcpyKind kind, bool async, cudaStream_t stream) {
    char *from;
    if (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost)
        return cudaErrorInvalidMemcpyDirection;
    const cudaError_t error = find_in_symbol(symbol, size, offset, &from);
    return error ? error : copy(to, from, size, kind, async, stream);
}

static cudaError_t get_symbol_address(void **address, const void *host) {
    char *found;
    if (!address)
        return cudaErrorInvalidValue;
    const cudaError_t error = find_in_symbol(host, 0, 0, &found);
    if (!error)
        *address = found;
    return error;
}

static cudaError_t get_symbol_size(size_t *size, const void *host) {
    const struct symbol *symbol = module_find_symbol(host);
    if (!size)
        return cudaErrorInvalidValue;
    if (!symbol || !symbol->address)
        return cudaErrorInvalidSymbol;
    *size = symbol->size;
    return cudaSuccess;
}

/* True if the memory may be meant by a device number: the device's own, or the host's. */
static bool is_of_device(const void *pointer, int device) {
    const struct allocation *allocation = memory_find(pointer);
    return allocation && (memory_is_host(allocation) || allocation->maker.device == device);
}

static cudaError_t check_peers(const void *to, int to_device, const void *from, int from_device,
                               size_t size) {
    if (!device_exists(to_device) || !device_exists(from_device))
        return cudaErrorInvalidDevice;
    if (size && (!is_of_device(to, to_device) || !is_of_device(from, from_device)))
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

static void synchronize_three(int a, int b) {
    stream_synchronize_device(thread_state.device);
    stream_synchronize_device(a);
    stream_synchronize_device(b);
}

/*
 * "Serialized with respect to all pending and future asynchronous work into the current device, srcDevice,
 * and dstDevice": the host waits before and after, which gives that order and more.
 */
static cudaError_t copy_peer(void *to, int to_device, const void *from, int from_device, size_t size) {
    cudaError_t error = check_peers(to, to_device, from, from_device, size);
    if (error)
        return error;
    synchronize_three(to_device, from_device);
    error = copy(to, from, size, cudaMemcpyDeviceToDevice, false, cudaStreamLegacy);
    synchronize_three(to_device, from_device);
    return error;
}

static cudaError_t copy_peer_async(void *to, int to_device, const void *from, int from_device, size_t size,
                                   cudaStream_t stream) {
    const cudaError_t error = check_peers(to, to_device, from, from_device, size);
    return error ? error : copy(to, from, size, cudaMemcpyDeviceToDevice, true, stream);
}

API(cudaMalloc, (void **pointer, size_t size), memory_allocate(pointer, size, MEMORY_DEVICE, 0))
API(cudaMallocManaged, (void **pointer, size_t size, unsigned flags), allocate_managed(pointer, size, flags))
API(cudaMallocHost, (void **pointer, size_t size), allocate_host(pointer, size, cudaHostAllocDefault))
API(cudaHostAlloc, (void **pointer, size_t size, unsigned flags), allocate_host(pointer, size, flags))
API(cudaMallocPitch, (void **pointer, size_t *pitch, size_t width, size_t height),
    memory_allocate_pitch(pointer, pitch, width, height))
API(cudaMalloc3D, (struct cudaPitchedPtr * pointer, struct cudaExtent extent), allocate_3d(pointer, extent))
API(cudaFree, (void *pointer), memory_free(pointer))
API(cudaFreeHost, (void *pointer), memory_free_host(pointer))
API(cudaHostRegister, (void *pointer, size_t size, unsigned flags), memory_register(pointer, size, flags))
API(cudaHostUnregister, (void *pointer), memory_unregister(pointer))
API(cudaHostGetFlags, (unsigned *flags, void *pointer), get_host_flags(flags, pointer))
API(cudaHostGetDevicePointer, (void **device, void *host, unsigned flags),
    get_device_pointer(device, host, flags))
API(cudaPointerGetAttributes, (struct cudaPointerAttributes * attributes, const void *pointer),
    get_attributes(attributes, pointer))
API(cudaMemGetInfo, (size_t *available, size_t *total), get_info(available, total))
API(cudaMemAdvise,
    (const void *pointer, size_t size, enum cudaMemoryAdvise advice, struct cudaMemLocation location),
    advise(pointer, size, advice, location))
API_ON_STREAM(cudaMemPrefetchAsync,
              (const void *pointer, size_t size, struct cudaMemLocation location, unsigned flags,
               cudaStream_t stream),
              prefetch(pointer, size, location, flags, stream))

API_ON_DEFAULT_STREAM(cudaMemcpy, (void *to, const void *from, size_t size, enum cudaMemcpyKind kind),
                      copy(to, from, size, kind, false, stream))
API_ON_STREAM(cudaMemcpyAsync,
              (void *to, const void *from, size_t size, enum cudaMemcpyKind kind, cudaStream_t stream),
              copy(to, from, size, kind, true, stream))
API_ON_DEFAULT_STREAM(cudaMemcpy2D,
                      (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                       size_t height, enum cudaMemcpyKind kind),
                      copy_2d((struct copy_request){.to = to,
                                                    .from = from,
                                                    .to_pitch = to_pitch,
                                                    .from_pitch = from_pitch,
                                                    .width = width,
                                                    .height = height,
                                                    .kind = kind},
                              stream))
API_ON_STREAM(cudaMemcpy2DAsync,
              (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
               enum cudaMemcpyKind kind, cudaStream_t stream),
              copy_2d((struct copy_request){.to = to,
                                            .from = from,
                                            .to_pitch = to_pitch,
                                            .from_pitch = from_pitch,
                                            .width = width,
                                            .height = height,
                                            .kind = kind,
                                            .async = true},
                      stream))
API_ON_DEFAULT_STREAM(cudaMemcpy3D, (const struct cudaMemcpy3DParms *asked), copy_3d(asked, false, stream))
API_ON_STREAM(cudaMemcpy3DAsync, (const struct cudaMemcpy3DParms *asked, cudaStream_t stream),
              copy_3d(asked, true, stream))
API(cudaMemcpyPeer, (void *to, int to_device, const void *from, int from_device, size_t size),
    copy_peer(to, to_device, from, from_device, size))
API(cudaMemcpyPeerAsync,
    (void *to, int to_device, const void *from, int from_device, size_t size, cudaStream_t stream),
    copy_peer_async(to, to_device, from, from_device, size, stream))
API_ON_DEFAULT_STREAM(cudaMemcpyToSymbol,
                      (const void *symbol, const void *from, size_t size, size_t offset,
                       enum cudaMemcpyKind kind),
                      copy_to_symbol(symbol, from, size, offset, kind, false, stream))
API_ON_STREAM(cudaMemcpyToSymbolAsync,
              (const void *symbol, const void *from, size_t size, size_t offset, enum cudaMemcpyKind kind,
               cudaStream_t stream),
              copy_to_symbol(symbol, from, size, offset, kind, true, stream))
API_ON_DEFAULT_STREAM(cudaMemcpyFromSymbol,
                      (void *to, const void *symbol, size_t size, size_t offset, enum cudaMemcpyKind kind),
                      copy_from_symbol(to, symbol, size, offset, kind, false, stream))
API_ON_STREAM(cudaMemcpyFromSymbolAsync,
              (void *to, const void *symbol, size_t size, size_t offset, enum cudaMemcpyKind kind,
               cudaStream_t stream),
              copy_from_symbol(to, symbol, size, offset, kind, true, stream))
API(cudaGetSymbolAddress, (void **address, const void *symbol), get_symbol_address(address, symbol))
API(cudaGetSymbolSize, (size_t *size, const void *symbol), get_symbol_size(size, symbol))

API_ON_DEFAULT_STREAM(cudaMemset, (void *to, int value, size_t size), set(to, value, size, false, stream))
API_ON_STREAM(cudaMemsetAsync, (void *to, int value, size_t size, cudaStream_t stream),
              set(to, value, size, true, stream))
API_ON_DEFAULT_STREAM(cudaMemset2D, (void *to, size_t pitch, int value, size_t width, size_t height),
                      set_2d(to, pitch, value, width, height, false, stream))
API_ON_STREAM(cudaMemset2DAsync,
              (void *to, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream),
              set_2d(to, pitch, value, width, height, true, stream))
