/*
 * CUDA arrays (CUDA Runtime API, "Memory Management"): memory whose elements have a format, and which
 * textures and surfaces access. Here the elements stand one behind the other, row behind row, layer behind
 * layer.
 */
#ifndef KESCO_TEST_VGPU_ARRAY_H
#define KESCO_TEST_VGPU_ARRAY_H

#include "test/vgpu/engine.h"

#include <stddef.h>

/* Elements of a format, as they stand in memory. */
struct texels {
    char *base;
    struct cudaChannelFormatDesc format;
    size_t element;              /* bytes */
    size_t width, height, depth; /* in elements, at least 1 each; depth: of layers, how many */
    size_t pitch, slice;         /* bytes from row to row and from layer to layer */
};

struct array {
    cudaArray_t handle;
    int device;
    unsigned flags;           /* cudaArrayLayered and its kin */
    struct cudaExtent extent; /* as it was asked for: 0 for dimensions that it does not have */
    struct texels texels;
};

/* The array of a handle, or NULL. */
struct array *array_find(cudaArray_const_t handle);

/*
 * False for a format that CUDA does not have: one, two or four channels, all of 8, 16 or 32 bits, that are
 * integers, or real numbers of 16 or 32 bits. Others, of pictures and compressed blocks, are not modelled.
 */
bool array_element(const struct cudaChannelFormatDesc *format, size_t *bytes);

/* cudaMalloc3DArray, junk in it. */
cudaError_t array_make(cudaArray_t *handle, const struct cudaChannelFormatDesc *format,
                       struct cudaExtent extent, unsigned flags);

/* cudaFreeArray: the device is idle before the memory goes. NULL does nothing. */
cudaError_t array_free(cudaArray_t handle);

/* Ends all arrays of a device, whose memory goes too. */
void array_reset(int device);

#endif
