#include "test/vgpu/copy.h"

#include "test/vgpu/capture.h"
#include "test/vgpu/memory.h"
#include "test/vgpu/order.h"
#include "test/vgpu/race.h"
#include "test/vgpu/storage.h"
#include "test/vgpu/stream.h"

#include <string.h>

/* What CUDA takes a piece of memory for. */
enum place { PLACE_PAGEABLE, PLACE_PINNED, PLACE_MANAGED, PLACE_DEVICE };

static size_t span(size_t pitch, size_t width, size_t height) {
    return (height - 1) * pitch + width;
}

/* False if the range is not all in one allocation or all outside of them. */
static bool find_place(const void *base, size_t size, enum place *place) {
    const struct allocation *allocation = memory_find(base);
    if (!base)
        return false;
    if (!allocation) {
        *place = PLACE_PAGEABLE;
        return !memory_find((const char *)base + size - 1);
    }
    if (allocation->kind == MEMORY_MANAGED)
        *place = PLACE_MANAGED;
    else
        *place = memory_is_host(allocation) ? PLACE_PINNED : PLACE_DEVICE;
    return !allocation->freed && size <= allocation->size - (size_t)((const char *)base - allocation->base);
}

static bool may_be_device(enum place place) {
    return place != PLACE_PAGEABLE;
}

static bool may_be_host(enum place place) {
    return place != PLACE_DEVICE;
}

static bool fits(enum cudaMemcpyKind kind, enum place to, enum place from) {
    switch (kind) {
    case cudaMemcpyHostToHost:
        return may_be_host(to) && may_be_host(from);
    case cudaMemcpyHostToDevice:
        return may_be_device(to) && may_be_host(from);
    case cudaMemcpyDeviceToHost:
        return may_be_host(to) && may_be_device(from);
    case cudaMemcpyDeviceToDevice:
        return may_be_device(to) && may_be_device(from);
    case cudaMemcpyDefault:
        return true;
    }
    return false;
}

/* True if both sides count as device memory, so that nobody waits. */
static bool is_device_copy(enum cudaMemcpyKind kind, enum place to, enum place from) {
    if (kind == cudaMemcpyDeviceToDevice)
        return may_be_device(to) && may_be_device(from);
    return to == PLACE_DEVICE && from == PLACE_DEVICE;
}

static bool is_host_copy(enum place to, enum place from) {
    return to <= PLACE_PINNED && from <= PLACE_PINNED;
}

static bool waits_for_copy(const struct copy_request *request, enum place to, enum place from) {
    if (is_device_copy(request->kind, to, from))
        return false;
    if (is_host_copy(to, from) || to == PLACE_PAGEABLE)
        return true;
    return from != PLACE_PAGEABLE && !request->async;
}

/* Captures pageable memory, row behind row. */
static void stage(struct op_copy *copy) {
    copy->staging = allocate(copy->height, copy->width);
    for (size_t row = 0; row < copy->height; row++)
        memcpy(copy->staging + row * copy->width, copy->from + row * copy->from_pitch, copy->width);
    copy->from = copy->staging;
    copy->from_pitch = copy->width;
}

static struct op *make(const struct copy_request *request) {
    struct op *op = op_new(OP_COPY);
    op->copy = (struct op_copy){
        .to = request->to,
        .from = request->from,
        .to_pitch = request->to_pitch,
        .from_pitch = request->from_pitch,
        .width = request->width,
        .height = request->height,
    };
    return op;
}

static void wait_for(struct op *op) {
    struct op_list list = {0};
    op_list_add(&list, op);
    order_wait(&list);
    op_list_free(&list);
}

/* Only functions with Async in their names are operations of their stream, which can be captured. */
static cudaError_t open_stream(cudaStream_t handle, bool async, struct stream **stream) {
    return async ? stream_open(handle, stream) : stream_open_to_wait(handle, stream);
}

/* A captured copy reads pageable memory whenever its graph runs. */
static bool is_staged(const struct stream *stream, enum place to, enum place from) {
    return !stream->capture && from == PLACE_PAGEABLE && to != PLACE_PAGEABLE;
}

/* The devices but the stream's, one bit each, that a copy between two devices in a legacy stream touches. */
static uint32_t other_devices(const struct copy_request *request, const struct stream *stream) {
    const struct allocation *to = memory_find(request->to), *from = memory_find(request->from);
    if (!stream->legacy || !to || !from || memory_is_host(to) || memory_is_host(from) ||
        to->device == from->device)
        return 0;
    return (1u << to->device | 1u << from->device) & ~(1u << stream->device);
}

static cudaError_t check_captures(uint32_t devices) {
    cudaError_t error = cudaSuccess;
    for (int device = 0; device < settings.devices && !error; device++) {
        if (devices >> device & 1)
            error = capture_check_legacy(device, true);
    }
    return error;
}

/*
 * Issues an op, which touches these other devices, and waits for it if asked to and it is not captured. Takes
 * over the caller's reference.
 */
static void issue(struct stream *stream, uint32_t others, struct op *op, bool waits) {
    op_retain(op);
    if (others)
        stream_issue_across(stream, others, op);
    else
        stream_issue(stream, op);
    if (waits && !stream->capture)
        wait_for(op);
    op_release(op);
}

cudaError_t copy_issue(const struct copy_request *request, cudaStream_t stream) {
    struct stream *on;
    enum place to, from;
    cudaError_t error = open_stream(stream, request->async, &on);
    if (error)
        return error;
    if ((unsigned)request->kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (!request->width || !request->height)
        return cudaSuccess;
    if (request->height > 1 && (request->width > request->to_pitch || request->width > request->from_pitch))
        return cudaErrorInvalidPitchValue;
    if (!find_place(request->to, span(request->to_pitch, request->width, request->height), &to) ||
        !find_place(request->from, span(request->from_pitch, request->width, request->height), &from) ||
        !fits(request->kind, to, from))
        return cudaErrorInvalidValue;
    const uint32_t others = other_devices(request, on);
    error = check_captures(others);
    if (error)
        return error;
    const bool staged = is_staged(on, to, from) && !is_host_copy(to, from);
    if (staged && !request->async)
        stream_synchronize(on);
    struct op *op = make(request);
    if (staged)
        stage(&op->copy);
    issue(on, others, op, waits_for_copy(request, to, from));
    return cudaSuccess;
}

cudaError_t set_issue(const struct op_set *set, cudaStream_t stream, bool async) {
    struct stream *on;
    enum place place;
    const cudaError_t error = open_stream(stream, async, &on);
    if (error)
        return error;
    if (!set->width || !set->height)
        return cudaSuccess;
    if (set->height > 1 && set->width > set->pitch)
        return cudaErrorInvalidPitchValue;
    if (!find_place(set->to, span(set->pitch, set->width, set->height), &place) || place == PLACE_PAGEABLE)
        return cudaErrorInvalidValue;
    struct op *op = op_new(OP_SET);
    op->set = *set;
    issue(on, 0, op, !async && place != PLACE_DEVICE);
    return cudaSuccess;
}

void copy_run(const struct op_copy *copy) {
    for (size_t row = 0; row < copy->height; row++) {
        char *to = copy->to + row * copy->to_pitch;
        const char *from = copy->from + row * copy->from_pitch;
        race_touch(from, copy->width, VGPU_READ);
        race_touch(to, copy->width, VGPU_WRITE);
        memmove(to, from, copy->width);
    }
}

void set_run(const struct op_set *set) {
    for (size_t row = 0; row < set->height; row++) {
        char *to = set->to + row * set->pitch;
        race_touch(to, set->width, VGPU_WRITE);
        memset(to, set->value, set->width);
    }
}
