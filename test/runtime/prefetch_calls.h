/*
 * The calls that hints which move managed memory come to, watched on their way to the virtual GPU. To be part
 * of the test program itself.
 */
#ifndef KESCO_TEST_RUNTIME_PREFETCH_CALLS_H
#define KESCO_TEST_RUNTIME_PREFETCH_CALLS_H

#include "runtime/region/prefetch.h"

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>

enum { LARGE = KESCO_PREFETCH_LEAST, MOST_CALLS = 256 };

/* One call of cudaMemPrefetchAsync. */
struct call {
    const void *memory;
    size_t size;
    enum cudaMemLocationType type;
    int device;
    void *stream;
};

/* What was called so far. */
extern struct call calls[MOST_CALLS];
extern unsigned call_count;
extern unsigned questions;        /* asked about pointers */
extern unsigned room_questions;   /* asked about the device's memory */
extern unsigned device_questions; /* asked about devices */
extern unsigned stream_questions; /* asked about streams: whether they have something to do */
extern unsigned errors_taken;     /* asked for CUDA's last error, which is none from then on */

/* What the calls say. */
extern size_t room;           /* what the device has left */
extern int concurrent_access; /* what devices say of it; -1: what they have */
extern int runtime_version;

char *managed(size_t size);

/* True if call `number` moved so much memory there, on that stream. */
bool is_call(unsigned number, const void *memory, size_t size, enum cudaMemLocationType type, void *stream);

#endif
