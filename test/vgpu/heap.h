/*
 * Each device's heap, which malloc and free of kernels manage (CUDA Programming Guide, "Dynamic Global Memory
 * Allocation and Operations"). It is one allocation. To the race check, memory that is given out is new: that
 * malloc gives out what free gave back orders the kernels that had it.
 */
#ifndef KESCO_TEST_VGPU_HEAP_H
#define KESCO_TEST_VGPU_HEAP_H

#include "test/vgpu/engine.h"

enum { HEAP_DEFAULT_SIZE = 8 << 20 }; /* bytes */

/* Sets the heap's size, in bytes: cudaErrorInvalidValue once it is in use. */
cudaError_t heap_resize(int device, size_t size);

/* Kernels that run from now on are of `device`. */
void heap_select(int device);

/* The device was reset, and its memory is gone. */
void heap_reset(int device);

#endif
