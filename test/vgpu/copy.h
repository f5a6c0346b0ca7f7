/*
 * Copies and memsets, and when they make the host wait (CUDA Runtime API, "API synchronization behavior").
 */
#ifndef KESCO_TEST_VGPU_COPY_H
#define KESCO_TEST_VGPU_COPY_H

#include "test/vgpu/op.h"

/* What is to be copied, as a program asks for it: `depth` slices of `height` rows of `width` bytes. */
struct copy_request {
    void *to;
    const void *from;
    size_t to_pitch, from_pitch; /* bytes from row to row */
    size_t to_slice, from_slice; /* bytes from slice to slice */
    size_t width, height, depth;
    enum cudaMemcpyKind kind;
    bool async; /* the function's name ends in Async */
};

/*
 * Checks and issues a copy. Host waits:
 *   pageable to device  the source is captured before the call returns; the copy itself may still be undone.
 * Not async: the host first waits for the stream's earlier work; device to pageable  until the copy is done,
 * async or not (async "might be synchronous", and here it is); host to host        until the copy is done;
 *   pinned and device   until the copy is done, or not at all if async;
 *   device to device    not at all.
 * Async, from the host: managed memory is read, and if it is copied within the host written, before the call
 * returns, after the stream's own work so far, but not after other streams' that it waits for. Ranges that
 * leave their allocation, or are of the wrong kind: cudaErrorInvalidValue.
 */
cudaError_t copy_issue(const struct copy_request *request, cudaStream_t stream);

/* Checks and issues a memset. Not async: waits only for pinned and managed memory. */
cudaError_t set_issue(const struct op_set *set, cudaStream_t stream, bool async);

/* Checks and makes the op of a graph's node, with one reference, the caller's. Nothing to do:
 * cudaErrorInvalidValue. */
cudaError_t copy_make(const struct copy_request *request, struct op **op);
cudaError_t set_make(const struct op_set *set, struct op **op);

/* What cudaMemcpy3D's parameters ask for. */
cudaError_t copy_read_3d(const struct cudaMemcpy3DParms *asked, struct copy_request *request);

/* Bytes that are copied; bytes from the first that is set to the last. */
size_t copy_size(const struct op_copy *copy);
size_t set_span(const struct op_set *set);

/* The managed memory that a copy reads and writes. */
void copy_record_pages(struct op *op);

void copy_run(const struct op_copy *copy);
void set_run(const struct op_set *set);

#endif
