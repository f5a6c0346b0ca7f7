#include "test/vgpu/cupti.h"

#include "test/vgpu/api.h"
#include "test/vgpu/engine.h"
#include "test/vgpu/order.h"
#include "test/vgpu/storage.h"
#include "test/vgpu/timeline.h"

#include <cupti.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS = 64, DEPTH = 16, ALIGNMENT = 8 };

struct record {
    CUpti_ActivityKind kind;
    uint64_t began, ended; /* nanoseconds */
    uint64_t external;     /* 0: none */
    uint32_t device, stream, correlation;
    const char *name; /* of a kernel */
};

/* Guarded by the engine's lock. */
static struct {
    bool enabled[KINDS];
    struct record *records; /* not flushed yet */
    size_t count, capacity;
} activity;

static CUpti_BuffersCallbackRequestFunc request;
static CUpti_BuffersCallbackCompleteFunc complete;

static _Thread_local struct {
    uint64_t ids[DEPTH];
    size_t count;
} external;

/* CUPTI_ACTIVITY_KIND_INVALID: such ops have no records. */
static CUpti_ActivityKind kind_of(const struct op *op) {
    switch (op->kind) {
    case OP_KERNEL:
        return CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
    case OP_COPY:
    case OP_PREFETCH:
        return CUPTI_ACTIVITY_KIND_MEMCPY;
    case OP_SET:
        return CUPTI_ACTIVITY_KIND_MEMSET;
    default:
        return CUPTI_ACTIVITY_KIND_INVALID;
    }
}

void cupti_issue(struct op *op) {
    op->asker.is_recorded = activity.enabled[kind_of(op)];
    op->asker.external = external.count == 0 ? 0 : external.ids[external.count - 1];
}

void cupti_op(const struct op *op, double began_us, double ended_us) {
    const CUpti_ActivityKind kind = kind_of(op);
    if (!op->asker.is_recorded || !activity.enabled[kind])
        return;
    activity.records =
        with_room(activity.records, activity.count, &activity.capacity, sizeof(*activity.records));
    activity.records[activity.count++] = (struct record){
        .kind = kind,
        .began = (uint64_t)(began_us * 1000),
        .ended = (uint64_t)(ended_us * 1000),
        .external = op->asker.external,
        .device = (uint32_t)op->queue.device,
        .stream = (uint32_t)op->queue.stream,
        .correlation = (uint32_t)op->order.number,
        .name = op->kind == OP_KERNEL ? op->kernel.kernel->name : NULL,
    };
}

/* Buffers. A record begins at a multiple of ALIGNMENT; its size is known from its kind. */

struct buffer {
    uint8_t *bytes;
    size_t size, used;
};

static size_t size_of(CUpti_ActivityKind kind) {
    const size_t size = kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL ? sizeof(CUpti_ActivityKernel10)
                        : kind == CUPTI_ACTIVITY_KIND_MEMCPY          ? sizeof(CUpti_ActivityMemcpy6)
                        : kind == CUPTI_ACTIVITY_KIND_MEMSET ? sizeof(CUpti_ActivityMemset4)
                                                             : sizeof(CUpti_ActivityExternalCorrelation);
    return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Where the next record of this kind goes; in a buffer of the program's, which it gets back once it is full.
 * NULL: the program gives none, and the record is lost. */
static void *next_place(struct buffer *buffer, CUpti_ActivityKind kind) {
    const size_t size = size_of(kind);
    size_t records_most = 0;
    if (buffer->bytes && buffer->size - buffer->used < size) {
        complete(NULL, 0, buffer->bytes, buffer->size, buffer->used);
        buffer->bytes = NULL;
    }
    if (!buffer->bytes) {
        *buffer = (struct buffer){0};
        request(&buffer->bytes, &buffer->size, &records_most);
    }
    if (!buffer->bytes || buffer->size < size)
        return NULL;
    buffer->used += size;
    return memset(buffer->bytes + buffer->used - size, 0, size);
}

#define FILL(type, ...)                                                                                      \
    *(type *)place = (type) {                                                                                \
        .kind = record->kind, .start = record->began, .end = record->ended, .deviceId = record->device,      \
        .streamId = record->stream, .correlationId = record->correlation, __VA_ARGS__                        \
    }

static void put_run(struct buffer *buffer, const struct record *record) {
    void *place = next_place(buffer, record->kind);
    if (!place)
        return;
    if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
        FILL(CUpti_ActivityKernel10, .name = record->name);
    else if (record->kind == CUPTI_ACTIVITY_KIND_MEMCPY)
        FILL(CUpti_ActivityMemcpy6, );
    else
        FILL(CUpti_ActivityMemset4, );
}

/* That the record's op was issued with an external id. */
static void put_issue(struct buffer *buffer, const struct record *record) {
    CUpti_ActivityExternalCorrelation *place;
    if (!record->external || !activity.enabled[CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION])
        return;
    place = next_place(buffer, CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION);
    if (place)
        *place = (CUpti_ActivityExternalCorrelation){.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
                                                     .externalKind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0,
                                                     .externalId = record->external,
                                                     .correlationId = record->correlation};
}

static struct record *take_records(size_t *count) {
    struct record *records;
    pthread_mutex_lock(&engine.lock);
    if (!order_host_functions())
        order_drain();
    timeline_catch_up();
    records = activity.records;
    *count = activity.count;
    activity.records = NULL;
    activity.count = activity.capacity = 0;
    pthread_mutex_unlock(&engine.lock);
    return records;
}

VGPU_EXPORT CUptiResult cuptiActivityFlushAll(uint32_t flag) {
    struct buffer buffer = {0};
    size_t count;
    (void)flag;
    if (!request)
        return CUPTI_ERROR_INVALID_OPERATION;
    struct record *records = take_records(&count);
    for (size_t i = 0; i < count; i++) {
        put_issue(&buffer, &records[i]);
        put_run(&buffer, &records[i]);
    }
    free(records);
    if (buffer.bytes)
        complete(NULL, 0, buffer.bytes, buffer.size, buffer.used);
    return CUPTI_SUCCESS;
}

VGPU_EXPORT CUptiResult cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid_size,
                                                   CUpti_Activity **record) {
    const size_t next = *record ? (size_t)((uint8_t *)*record - buffer) + size_of((*record)->kind) : 0;
    if (next >= valid_size)
        return CUPTI_ERROR_MAX_LIMIT_REACHED;
    *record = (CUpti_Activity *)(buffer + next);
    return CUPTI_SUCCESS;
}

VGPU_EXPORT CUptiResult cuptiGetVersion(uint32_t *version) {
    *version = CUPTI_API_VERSION;
    return CUPTI_SUCCESS;
}

/* Of what the host waits for, it knows the time once that has run. */
VGPU_EXPORT CUptiResult cuptiGetTimestamp(uint64_t *timestamp) {
    pthread_mutex_lock(&engine.lock);
    if (!order_host_functions())
        order_drain();
    *timestamp = (uint64_t)(timeline_host() * 1000);
    pthread_mutex_unlock(&engine.lock);
    return CUPTI_SUCCESS;
}

VGPU_EXPORT CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc new_request,
                                                       CUpti_BuffersCallbackCompleteFunc new_complete) {
    if (!new_request || !new_complete)
        return CUPTI_ERROR_INVALID_PARAMETER;
    request = new_request;
    complete = new_complete;
    return CUPTI_SUCCESS;
}

static bool is_known(CUpti_ActivityKind kind) {
    return kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL || kind == CUPTI_ACTIVITY_KIND_MEMCPY ||
           kind == CUPTI_ACTIVITY_KIND_MEMSET || kind == CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION ||
           kind == CUPTI_ACTIVITY_KIND_RUNTIME;
}

static void set_enabled(CUpti_ActivityKind kind, bool enabled) {
    pthread_mutex_lock(&engine.lock);
    activity.enabled[kind] = enabled;
    pthread_mutex_unlock(&engine.lock);
}

/* Records of calls (CUPTI_ACTIVITY_KIND_RUNTIME) may be asked for, as external correlation wants them, and
 * there are none. */
VGPU_EXPORT CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
    if (!is_known(kind) || !timeline_is_kept())
        return CUPTI_ERROR_NOT_COMPATIBLE;
    set_enabled(kind, true);
    return CUPTI_SUCCESS;
}

VGPU_EXPORT CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) {
    if (!is_known(kind))
        return CUPTI_ERROR_INVALID_KIND;
    set_enabled(kind, false);
    return CUPTI_SUCCESS;
}

VGPU_EXPORT CUptiResult cuptiActivityPushExternalCorrelationId(CUpti_ExternalCorrelationKind kind,
                                                               uint64_t id) {
    if (kind != CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0 || external.count == DEPTH)
        return CUPTI_ERROR_INVALID_PARAMETER;
    external.ids[external.count++] = id;
    return CUPTI_SUCCESS;
}

VGPU_EXPORT CUptiResult cuptiActivityPopExternalCorrelationId(CUpti_ExternalCorrelationKind kind,
                                                              uint64_t *last) {
    if (kind != CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0)
        return CUPTI_ERROR_INVALID_PARAMETER;
    if (external.count == 0)
        return CUPTI_ERROR_QUEUE_EMPTY;
    external.count--;
    if (last)
        *last = external.ids[external.count];
    return CUPTI_SUCCESS;
}
