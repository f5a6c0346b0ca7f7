/* API functions: stream and event management. */
#include "test/vgpu/api.h"
#include "test/vgpu/capture.h"
#include "test/vgpu/event.h"
#include "test/vgpu/managed.h"
#include "test/vgpu/stats.h"
#include "test/vgpu/stream.h"

static cudaError_t synchronize(cudaStream_t handle) {
    struct stream *stream;
    const cudaError_t error = stream_open_to_wait(handle, &stream);
    if (error)
        return error;
    const int device = stream->device;
    stream_synchronize(stream);
    stats.issued.syncs++;
    return engine.gpus[device].fault;
}

static cudaError_t query(cudaStream_t handle) {
    struct stream *stream;
    const cudaError_t error = stream_open_to_wait(handle, &stream);
    if (error)
        return error;
    const int device = stream->device;
    return stream_poll(stream) ? engine.gpus[device].fault : cudaErrorNotReady;
}

static cudaError_t get_flags(cudaStream_t handle, unsigned *flags) {
    const struct stream *stream = stream_find(handle);
    if (!stream)
        return cudaErrorInvalidResourceHandle;
    if (!flags)
        return cudaErrorInvalidValue;
    *flags = stream->flags;
    return cudaSuccess;
}

static cudaError_t get_priority(cudaStream_t handle, int *priority) {
    const struct stream *stream = stream_find(handle);
    if (!stream)
        return cudaErrorInvalidResourceHandle;
    if (!priority)
        return cudaErrorInvalidValue;
    *priority = stream->priority;
    return cudaSuccess;
}

/* Nothing documents it, but this counts as a use of the stream for captures (as driver 580 on an H200). */
static cudaError_t get_id(cudaStream_t handle, unsigned long long *id) {
    const struct stream *stream = stream_find(handle);
    if (!stream)
        return cudaErrorInvalidResourceHandle;
    if (!id)
        return cudaErrorInvalidValue;
    if (stream->part.by)
        return capture_refuse(stream);
    *id = stream->id;
    return cudaSuccess;
}

static cudaError_t get_device(cudaStream_t handle, int *device) {
    const struct stream *stream = stream_find(handle);
    if (!stream)
        return cudaErrorInvalidResourceHandle;
    if (!device)
        return cudaErrorInvalidValue;
    *device = stream->device;
    return cudaSuccess;
}

static cudaError_t is_capturing(cudaStream_t handle, enum cudaStreamCaptureStatus *status) {
    const struct capture_query query = {.status = status};
    return capture_get(handle, &query);
}

static cudaError_t exchange_capture_mode(enum cudaStreamCaptureMode *mode) {
    if (!mode || (unsigned)*mode > cudaStreamCaptureModeRelaxed)
        return cudaErrorInvalidValue;
    const enum cudaStreamCaptureMode previous = thread_state.capture_mode;
    thread_state.capture_mode = *mode;
    *mode = previous;
    return cudaSuccess;
}

/* CUDA Runtime API, "cudaStreamAttachMemAsync": the length is 0 or all of the allocation. */
static cudaError_t attach(cudaStream_t handle, const void *pointer, size_t size, unsigned flags) {
    struct stream *stream;
    struct allocation *allocation = memory_find(pointer);
    const cudaError_t error = stream_open(handle, &stream);
    if (error)
        return error;
    if (stream->part.by)
        return capture_refuse(stream);
    if (!allocation || allocation->kind != MEMORY_MANAGED || allocation->base != pointer ||
        (size && size != allocation->size) || (flags == cudaMemAttachSingle && stream->legacy) ||
        (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost && flags != cudaMemAttachSingle))
        return cudaErrorInvalidValue;
    struct op *op = op_new(OP_EMPTY);
    managed_attach(allocation, op, flags, stream->component);
    stream_issue(stream, op);
    return cudaSuccess;
}

static cudaError_t launch_host(cudaStream_t handle, enum op_kind kind, struct op_host host) {
    struct stream *stream;
    const cudaError_t error = stream_open(handle, &stream);
    if (error)
        return error;
    if (!host.function && !host.callback)
        return cudaErrorInvalidValue;
    if (stream->part.by && kind == OP_CALLBACK)
        return capture_refuse(stream);
    struct op *op = op_new(kind);
    op->host = host;
    stream_issue(stream, op);
    return cudaSuccess;
}

API(cudaStreamCreate, (cudaStream_t * stream), stream_create(stream, cudaStreamDefault, 0))
API(cudaStreamCreateWithFlags, (cudaStream_t * stream, unsigned flags), stream_create(stream, flags, 0))
API(cudaStreamCreateWithPriority, (cudaStream_t * stream, unsigned flags, int priority),
    stream_create(stream, flags, priority))
API(cudaStreamDestroy, (cudaStream_t stream), stream_destroy(stream))
API_ON_STREAM(cudaStreamSynchronize, (cudaStream_t stream), synchronize(stream))
API_ON_STREAM(cudaStreamQuery, (cudaStream_t stream), query(stream))
API_ON_STREAM(cudaStreamGetFlags, (cudaStream_t stream, unsigned *flags), get_flags(stream, flags))
API_ON_STREAM(cudaStreamGetPriority, (cudaStream_t stream, int *priority), get_priority(stream, priority))
API_ON_STREAM(cudaStreamGetId, (cudaStream_t stream, unsigned long long *id), get_id(stream, id))
API_ON_STREAM(cudaStreamGetDevice, (cudaStream_t stream, int *device), get_device(stream, device))
API_ON_STREAM(cudaStreamIsCapturing, (cudaStream_t stream, enum cudaStreamCaptureStatus *status),
              is_capturing(stream, status))
API_ON_STREAM(cudaStreamBeginCapture, (cudaStream_t stream, enum cudaStreamCaptureMode mode),
              capture_begin(stream, mode))
API_ON_STREAM(cudaStreamEndCapture, (cudaStream_t stream, cudaGraph_t *graph), capture_end(stream, graph))
API_ON_STREAM(cudaStreamGetCaptureInfo,
              (cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id,
               cudaGraph_t *graph, const cudaGraphNode_t **nodes, const cudaGraphEdgeData **edges,
               size_t *count),
              capture_get(stream, &(struct capture_query){status, id, graph, nodes, edges, count}))
API(cudaThreadExchangeStreamCaptureMode, (enum cudaStreamCaptureMode * mode), exchange_capture_mode(mode))
API_ON_STREAM(cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned flags),
              event_wait(stream, event, flags))
API_ON_STREAM(cudaStreamAttachMemAsync, (cudaStream_t stream, void *pointer, size_t size, unsigned flags),
              attach(stream, pointer, size, flags))
API_ON_STREAM(cudaLaunchHostFunc, (cudaStream_t stream, cudaHostFn_t function, void *data),
              launch_host(stream, OP_HOST_FUNCTION, (struct op_host){.function = function, .data = data}))
API_ON_STREAM(cudaStreamAddCallback,
              (cudaStream_t stream, cudaStreamCallback_t callback, void *data, unsigned flags),
              flags ? cudaErrorInvalidValue
                    : launch_host(stream, OP_CALLBACK,
                                  (struct op_host){.callback = callback, .stream = stream, .data = data}))

API(cudaEventCreate, (cudaEvent_t * event), event_create(event, cudaEventDefault))
API(cudaEventCreateWithFlags, (cudaEvent_t * event, unsigned flags), event_create(event, flags))
API(cudaEventDestroy, (cudaEvent_t event), event_destroy(event))
API_ON_STREAM(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), event_record(event, stream, 0))
API_ON_STREAM(cudaEventRecordWithFlags, (cudaEvent_t event, cudaStream_t stream, unsigned flags),
              event_record(event, stream, flags))
API(cudaEventQuery, (cudaEvent_t event), event_query(event))
API(cudaEventSynchronize, (cudaEvent_t event), event_synchronize(event))
API(cudaEventElapsedTime, (float *milliseconds, cudaEvent_t start, cudaEvent_t end),
    event_elapsed(milliseconds, start, end))
