/*
 * A libcupti that makes up its records: the op of the external id N ran from FAKE_CUPTI_BEGIN(N) on, as a
 * kernel, copy, or memset by turns. The environment's FAKE_CUPTI may be "old", for one of another version, or
 * "refuses", for one that cannot be enabled, as beside another tool, or "others", for a process that does
 * more than ops.
 */
#include "test/runtime/fake_cupti.h"

#include <cupti.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum { OPS = 64, KINDS = 64, DEPTH = 4 };

static CUpti_BuffersCallbackRequestFunc request;
static CUpti_BuffersCallbackCompleteFunc complete;
static bool enabled[KINDS];
static uint64_t ops[OPS], open[DEPTH];
static size_t op_count, open_count;
static uint64_t now = 1000;

static bool is_asked_to(const char *what) {
    const char *value = getenv("FAKE_CUPTI");

    return value != NULL && strcmp(value, what) == 0;
}

EXPORT CUptiResult cuptiGetVersion(uint32_t *version) {
    *version = is_asked_to("old") ? 28 : CUPTI_API_VERSION;
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiGetTimestamp(uint64_t *timestamp) {
    *timestamp = now;
    now += 1000;
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc new_request,
                                                  CUpti_BuffersCallbackCompleteFunc new_complete) {
    request = new_request;
    complete = new_complete;
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
    if (is_asked_to("refuses") && kind == CUPTI_ACTIVITY_KIND_MEMSET)
        return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
    enabled[kind] = true;
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) {
    enabled[kind] = false;
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiActivityPushExternalCorrelationId(CUpti_ExternalCorrelationKind kind, uint64_t id) {
    if (kind != CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0 || open_count == DEPTH || op_count == OPS)
        return CUPTI_ERROR_INVALID_PARAMETER;
    open[open_count++] = id;
    ops[op_count++] = id;
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiActivityPopExternalCorrelationId(CUpti_ExternalCorrelationKind kind, uint64_t *last) {
    if (kind != CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0 || open_count == 0)
        return CUPTI_ERROR_QUEUE_EMPTY;
    open_count--;
    if (last != NULL)
        *last = open[open_count];
    return CUPTI_SUCCESS;
}

/* Records are one behind another, each with its size in front. */
struct buffer {
    uint8_t *begin;
    size_t used, size;
};

static void put(struct buffer *buffer, CUpti_ActivityKind kind, const void *record, size_t size) {
    if (!enabled[kind] || buffer->size - buffer->used < size + sizeof size)
        return;
    memcpy(buffer->begin + buffer->used, &size, sizeof size);
    memcpy(buffer->begin + buffer->used + sizeof size, record, size);
    buffer->used += sizeof size + (size + 7) / 8 * 8;
}

static void put_kernel(struct buffer *buffer, uint32_t correlation, uint64_t begin, uint64_t end) {
    const CUpti_ActivityKernel10 kernel = {.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                           .correlationId = correlation,
                                           .start = begin,
                                           .end = end};

    put(buffer, kernel.kind, &kernel, sizeof kernel);
}

static void put_copy(struct buffer *buffer, uint32_t correlation, uint64_t begin, uint64_t end) {
    const CUpti_ActivityMemcpy6 copy = {
        .kind = CUPTI_ACTIVITY_KIND_MEMCPY, .correlationId = correlation, .start = begin, .end = end};

    put(buffer, copy.kind, &copy, sizeof copy);
}

static void put_memset(struct buffer *buffer, uint32_t correlation, uint64_t begin, uint64_t end) {
    const CUpti_ActivityMemset4 set = {
        .kind = CUPTI_ACTIVITY_KIND_MEMSET, .correlationId = correlation, .start = begin, .end = end};

    put(buffer, set.kind, &set, sizeof set);
}

/* A kernel stands for an op of three. The record of what an op issued may come behind those
 * of what ran. */
static void put_op(struct buffer *buffer, uint64_t id) {
    const uint64_t begin = FAKE_CUPTI_BEGIN(id), end = begin + FAKE_CUPTI_DURATION;
    const uint32_t correlation = 100 + (uint32_t)id;
    const CUpti_ActivityExternalCorrelation issue = {.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
                                                     .externalKind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0,
                                                     .externalId = id,
                                                     .correlationId = correlation};

    if (id % 3 == 0) {
        put_kernel(buffer, correlation, end - 1000, end);
        put_kernel(buffer, correlation, begin, begin + 1000);
        put_kernel(buffer, correlation, begin + 1000, end - 1000);
    } else if (id % 3 == 1) {
        put_copy(buffer, correlation, begin, end);
    } else {
        put_memset(buffer, correlation, begin, end);
    }
    if (enabled[CUPTI_ACTIVITY_KIND_RUNTIME])
        put(buffer, issue.kind, &issue, sizeof issue);
}

/* A kernel and a copy beside all ops, on two streams. */
static void put_others(struct buffer *buffer) {
    const CUpti_ActivityKernel10 kernel = {.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                           .correlationId = 98,
                                           .start = FAKE_CUPTI_BEGIN(90),
                                           .end = FAKE_CUPTI_BEGIN(91),
                                           .streamId = 7,
                                           .name = "_Z5alonev"};
    const CUpti_ActivityMemcpy6 copy = {.kind = CUPTI_ACTIVITY_KIND_MEMCPY,
                                        .correlationId = 97,
                                        .start = FAKE_CUPTI_BEGIN(92),
                                        .end = FAKE_CUPTI_BEGIN(93),
                                        .streamId = 13};

    put(buffer, copy.kind, &copy, sizeof copy);
    put(buffer, kernel.kind, &kernel, sizeof kernel);
}

/* One record is of nobody's op, from before the start, and one has no times. What an op still issues is not
 * in. */
EXPORT CUptiResult cuptiActivityFlushAll(uint32_t flag) {
    struct buffer buffer = {NULL, 0, 0};
    size_t records_most, i = op_count;

    if (flag != CUPTI_ACTIVITY_FLAG_FLUSH_FORCED || open_count != 0)
        return CUPTI_ERROR_INVALID_OPERATION;
    request(&buffer.begin, &buffer.size, &records_most);
    put_memset(&buffer, 99, 1, 2);
    put_memset(&buffer, 102, 0, 0);
    if (is_asked_to("others"))
        put_others(&buffer);
    while (i-- > 0)
        put_op(&buffer, ops[i]);
    complete(NULL, 0, buffer.begin, buffer.size, buffer.used);
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid_size, CUpti_Activity **record) {
    uint8_t *next = buffer;
    size_t size;

    if (*record != NULL) {
        memcpy(&size, (uint8_t *)*record - sizeof size, sizeof size);
        next = (uint8_t *)*record + (size + 7) / 8 * 8;
    }
    if (next >= buffer + valid_size)
        return CUPTI_ERROR_MAX_LIMIT_REACHED;
    next += sizeof size;
    memcpy(record, &next, sizeof next);
    return CUPTI_SUCCESS;
}
