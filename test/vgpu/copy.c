#include "test/vgpu/copy.h"

#include "test/vgpu/capture.h"
#include "test/vgpu/memory.h"
#include "test/vgpu/order.h"
#include "test/vgpu/page_record.h"
#include "test/vgpu/race.h"
#include "test/vgpu/storage.h"
#include "test/vgpu/stream.h"
#include "test/vgpu/timeline.h"

#include <string.h>

/* Bytes from the first to the last of slices of rows. */
static size_t span(size_t slice, size_t depth, size_t pitch, size_t height, size_t width) {
    return (depth - 1) * slice + (height - 1) * pitch + width;
}

size_t copy_size(const struct op_copy *copy) {
    return copy->width * copy->height * copy->depth;
}

size_t set_span(const struct op_set *set) {
    return span(0, 1, set->pitch, set->height, set->width);
}

static size_t to_span(const struct op_copy *copy) {
    return span(copy->target.slice, copy->depth, copy->target.pitch, copy->height, copy->width);
}

static size_t from_span(const struct op_copy *copy) {
    return span(copy->source.slice, copy->depth, copy->source.pitch, copy->height, copy->width);
}

/* False if the range is not all in one allocation or all outside of them. */
static bool find_place(const void *base, size_t size, enum copy_place *place) {
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

static bool may_be_device(enum copy_place place) {
    return place != PLACE_PAGEABLE;
}

static bool may_be_host(enum copy_place place) {
    return place != PLACE_DEVICE;
}

static bool fits(enum cudaMemcpyKind kind, enum copy_place to, enum copy_place from) {
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
static bool is_device_copy(enum cudaMemcpyKind kind, enum copy_place to, enum copy_place from) {
    if (kind == cudaMemcpyDeviceToDevice)
        return may_be_device(to) && may_be_device(from);
    return to == PLACE_DEVICE && from == PLACE_DEVICE;
}

static bool is_host_copy(enum copy_place to, enum copy_place from) {
    return to <= PLACE_PINNED && from <= PLACE_PINNED;
}

static bool waits_for_copy(const struct op_copy *copy, bool async) {
    const enum copy_place to = copy->target.place, from = copy->source.place;
    if (is_device_copy(copy->kind, to, from))
        return false;
    if (is_host_copy(to, from) || to == PLACE_PAGEABLE)
        return true;
    return from != PLACE_PAGEABLE && !async;
}

/* The copy's bytes into memory of its own, row behind row, from where it then goes on. */
static struct op_copy stage(struct op_copy *copy) {
    struct op_copy staged = *copy;
    copy->staging = allocate(copy->height * copy->depth, copy->width);
    staged.target =
        (struct copy_target){copy->staging, copy->width, copy->width * copy->height, PLACE_PAGEABLE};
    copy->source.at = copy->staging;
    copy->source.pitch = staged.target.pitch;
    copy->source.slice = staged.target.slice;
    return staged;
}

/* True if both sides are device memory, of different devices. */
static bool is_between_devices(const struct allocation *to, const struct allocation *from) {
    return to && from && !memory_is_host(to) && !memory_is_host(from) &&
           to->maker.device != from->maker.device;
}

static struct op_copy copy_of(const struct copy_request *request) {
    return (struct op_copy){
        .target.at = request->to,
        .source.at = request->from,
        .target.pitch = request->to_pitch,
        .source.pitch = request->from_pitch,
        .target.slice = request->to_slice,
        .source.slice = request->from_slice,
        .width = request->width,
        .height = request->height,
        .depth = request->depth,
        .kind = request->kind,
        .between_devices = is_between_devices(memory_find(request->to), memory_find(request->from)),
    };
}

/* False if an end is not where such a copy may have it. */
static bool find_places(struct op_copy *copy) {
    return find_place(copy->target.at, to_span(copy), &copy->target.place) &&
           find_place(copy->source.at, from_span(copy), &copy->source.place) &&
           fits(copy->kind, copy->target.place, copy->source.place);
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
static bool is_staged(const struct stream *stream, const struct op_copy *copy) {
    return !stream->part.by && copy->source.place == PLACE_PAGEABLE && copy->target.place > PLACE_PINNED;
}

/* The devices but the stream's, one bit each, that a copy between two devices in a legacy stream touches. */
static uint32_t other_devices(const struct op_copy *copy, const struct stream *stream) {
    if (!stream->legacy || !copy->between_devices)
        return 0;
    const struct allocation *to = memory_find(copy->target.at), *from = memory_find(copy->source.at);
    return (1u << to->maker.device | 1u << from->maker.device) & ~(1u << stream->device);
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
 * Issues an op, which touches these other devices, and waits for it if asked to and it is not captured: then
 * returns the fault that the device has by then, which no later call needs to tell. Takes over the caller's
 * reference.
 */
static cudaError_t issue(struct stream *stream, uint32_t others, struct op *op, bool waits) {
    const int device = stream->device;
    cudaError_t error = cudaSuccess;
    op_retain(op);
    if (others)
        stream_issue_across(stream, others, op);
    else
        stream_issue(stream, op);
    if (waits && !stream->part.by) {
        wait_for(op);
        error = engine.gpus[device].fault;
    }
    op_release(op);
    return error;
}

/* A copy from pageable memory to a device, whose bytes are captured here. */
static cudaError_t issue_staged(struct stream *stream, const struct op_copy *copy, bool async) {
    if (!async)
        stream_synchronize(stream);
    struct op *op = op_new(OP_COPY);
    op->copy = *copy;
    const struct op_copy staged = stage(&op->copy);
    copy_run(&staged);
    op->copy.host_stages = true;
    return issue(stream, 0, op, false);
}

/*
 * Copies that the host makes at the call, or reads for then. Managed memory that is to be copied from the
 * host "will be accessed from the host" where it is coherent there (CUDA C++ Programming Guide, "Unified
 * Memory Programming", cudaMemcpy and cudaMemset with managed memory). An H200 (driver 580.159) has it read
 * when the call returns, after the work that the stream itself has so far. Where many processes shared the
 * device, one copy had what was there before a kernel that it came after by the legacy default stream's rules
 * alone; where a stream waits for an event by itself, copies were seen to wait for that, too. CUDA promises
 * neither, so here it is the stream's own work and no more, and a program may not rely on either.
 */
static bool is_by_host(const struct stream *stream, const struct op_copy *copy, bool async) {
    if (!async || stream->part.by || !settings.concurrent_managed)
        return false;
    const bool from = copy->source.place == PLACE_MANAGED, to = copy->target.place == PLACE_MANAGED;
    return copy->kind == cudaMemcpyHostToHost ? from || to : copy->kind == cudaMemcpyHostToDevice && from;
}

/* Makes the copy after the stream's work so far, whatever else the stream's next op comes after. */
static void make_now(struct stream *stream, const struct op_copy *copy) {
    struct op *now = op_new(OP_COPY);
    struct op_list work = {0};
    op_list_add(&work, stream->work);
    order_reach(&work);
    timeline_wait(&work);
    now->copy = *copy;
    now->queue.device = stream->device;
    if (work.count)
        op_after(now, work.ops[0]);
    op_stamp(now, stream->component);
    if (!engine.gpus[stream->device].fault) {
        race_begin(now);
        copy_run(copy);
        race_end();
    }
    now->state = OP_DONE;
    op_list_free(&work);
    op_release(now);
}

static cudaError_t issue_by_host(struct stream *stream, const struct op_copy *copy) {
    struct op *op = op_new(OP_COPY);
    op->copy = *copy;
    op->copy.by_host = copy->kind == cudaMemcpyHostToHost;
    page_record_range(copy->source.at, from_span(copy), &op->managed.read);
    const struct op_copy now = op->copy.by_host ? *copy : stage(&op->copy);
    make_now(stream, &now);
    return issue(stream, 0, op, waits_for_copy(copy, true));
}

static cudaError_t issue_direct(struct stream *stream, uint32_t others, const struct op_copy *copy,
                                bool async) {
    struct op *op = op_retain(op_new(OP_COPY));
    op->copy = *copy;
    op->copy.host_stages =
        !stream->part.by && copy->target.place == PLACE_PAGEABLE && copy->source.place == PLACE_DEVICE;
    const cudaError_t error = issue(stream, others, op, waits_for_copy(copy, async));
    if (op->copy.host_stages)
        timeline_stage(op);
    op_release(op);
    return error;
}

cudaError_t copy_make(const struct copy_request *request, struct op **op) {
    struct op_copy copy = copy_of(request);
    if ((unsigned)request->kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (!request->width || !request->height || !request->depth || !find_places(&copy))
        return cudaErrorInvalidValue;
    *op = op_new(OP_COPY);
    (*op)->copy = copy;
    return cudaSuccess;
}

cudaError_t set_make(const struct op_set *set, struct op **op) {
    enum copy_place place;
    if (!set->width || !set->height || !find_place(set->to, set_span(set), &place) || place == PLACE_PAGEABLE)
        return cudaErrorInvalidValue;
    *op = op_new(OP_SET);
    (*op)->set = *set;
    (*op)->set.place = place;
    return cudaSuccess;
}

cudaError_t copy_issue(const struct copy_request *request, cudaStream_t stream) {
    struct stream *on;
    cudaError_t error = open_stream(stream, request->async, &on);
    if (error)
        return error;
    if ((unsigned)request->kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (!request->width || !request->height || !request->depth)
        return cudaSuccess;
    if (request->height > 1 && (request->width > request->to_pitch || request->width > request->from_pitch))
        return cudaErrorInvalidPitchValue;
    struct op_copy copy = copy_of(request);
    if (!find_places(&copy))
        return cudaErrorInvalidValue;
    const uint32_t others = other_devices(&copy, on);
    error = check_captures(others);
    if (error)
        return error;
    if (is_by_host(on, &copy, request->async))
        return issue_by_host(on, &copy);
    return is_staged(on, &copy) ? issue_staged(on, &copy, request->async)
                                : issue_direct(on, others, &copy, request->async);
}

cudaError_t set_issue(const struct op_set *set, cudaStream_t stream, bool async) {
    struct stream *on;
    enum copy_place place;
    const cudaError_t error = open_stream(stream, async, &on);
    if (error)
        return error;
    if (!set->width || !set->height)
        return cudaSuccess;
    if (set->height > 1 && set->width > set->pitch)
        return cudaErrorInvalidPitchValue;
    if (!find_place(set->to, set_span(set), &place) || place == PLACE_PAGEABLE)
        return cudaErrorInvalidValue;
    struct op *op = op_new(OP_SET);
    op->set = *set;
    op->set.place = place;
    return issue(on, 0, op, !async && place != PLACE_DEVICE);
}

void copy_record_pages(struct op *op) {
    page_record_range(op->copy.target.at, to_span(&op->copy), &op->managed.touched);
    page_record_range(op->copy.source.at, from_span(&op->copy), &op->managed.read);
}

static void run_slice(const struct op_copy *copy, size_t slice) {
    for (size_t row = 0; row < copy->height; row++) {
        char *to = copy->target.at + slice * copy->target.slice + row * copy->target.pitch;
        const char *from = copy->source.at + slice * copy->source.slice + row * copy->source.pitch;
        race_touch(from, copy->width, VGPU_READ);
        race_touch(to, copy->width, VGPU_WRITE);
        memmove(to, from, copy->width);
    }
}

void copy_run(const struct op_copy *copy) {
    if (copy->by_host)
        return;
    for (size_t slice = 0; slice < copy->depth; slice++)
        run_slice(copy, slice);
}

static void set_row(char *to, const struct op_set *set) {
    if (set->element <= 1)
        memset(to, (int)set->value, set->width);
    for (size_t at = 0; set->element > 1 && at < set->width; at += set->element)
        memcpy(to + at, &set->value, set->element);
}

void set_run(const struct op_set *set) {
    for (size_t row = 0; row < set->height; row++) {
        char *to = set->to + row * set->pitch;
        race_touch(to, set->width, VGPU_WRITE);
        set_row(to, set);
    }
}
