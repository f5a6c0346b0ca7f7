#include "test/vgpu/array.h"

#include "test/vgpu/device.h"
#include "test/vgpu/handle.h"
#include "test/vgpu/memory.h"
#include "test/vgpu/storage.h"

#include <stdlib.h>

enum { ARRAY_HANDLE = 0x71, CUBE_FACES = 6 };

static struct handle_table handles = {.name = "array", .kind = ARRAY_HANDLE};

struct array *array_find(cudaArray_const_t handle) {
    return handle_get(&handles, handle);
}

static bool has_kind(const struct cudaChannelFormatDesc *format) {
    const bool real = format->f == cudaChannelFormatKindFloat;
    if (!real && format->f != cudaChannelFormatKindSigned && format->f != cudaChannelFormatKindUnsigned)
        vgpu_unmodelled("an array", "of a format that is none of integers or real numbers");
    return format->x == 32 || format->x == 16 || (format->x == 8 && !real);
}

bool array_element(const struct cudaChannelFormatDesc *format, size_t *bytes) {
    const int channels[] = {format->x, format->y, format->z, format->w};
    size_t count = 0;
    for (size_t i = 0; i < 4; i++) {
        if (channels[i] && (channels[i] != format->x || count != i))
            return false;
        count += channels[i] != 0;
    }
    *bytes = count * (size_t)format->x / 8;
    return count != 3 && has_kind(format);
}

/* CUDA Runtime API, cudaMalloc3DArray: which extents an array of these flags may have. */
static bool is_extent(struct cudaExtent extent, unsigned flags) {
    const bool layered = flags & cudaArrayLayered, cube = flags & cudaArrayCubemap;
    if (!extent.width || (!extent.height && extent.depth && !layered))
        return false;
    if (cube)
        return extent.width == extent.height && extent.depth &&
               (layered ? extent.depth % CUBE_FACES == 0 : extent.depth == CUBE_FACES);
    return !layered || extent.depth;
}

static struct texels texels_of(const struct cudaChannelFormatDesc *format, size_t element,
                               struct cudaExtent extent) {
    struct texels texels = {.format = *format,
                            .element = element,
                            .width = extent.width,
                            .height = extent.height ? extent.height : 1,
                            .depth = extent.depth ? extent.depth : 1};
    texels.pitch = texels.width * element;
    texels.slice = texels.height * texels.pitch;
    return texels;
}

cudaError_t array_make(cudaArray_t *handle, const struct cudaChannelFormatDesc *format,
                       struct cudaExtent extent, unsigned flags) {
    const unsigned known =
        cudaArrayLayered | cudaArrayCubemap | cudaArraySurfaceLoadStore | cudaArrayTextureGather;
    size_t element;
    if (!handle || !format)
        return cudaErrorInvalidValue;
    *handle = NULL;
    if (flags & ~known)
        vgpu_unmodelled(thread_state.api, "with flags for sparse, deferred or colour arrays");
    if (!array_element(format, &element))
        return cudaErrorInvalidChannelDescriptor;
    if (!is_extent(extent, flags))
        return cudaErrorInvalidValue;
    struct texels texels = texels_of(format, element, extent);
    void *base;
    const cudaError_t error = memory_allocate(&base, texels.slice * texels.depth, MEMORY_DEVICE, 0);
    if (error)
        return error;
    texels.base = base;
    struct array *array = allocate(1, sizeof(*array));
    *array = (struct array){handle_new(&handles, array), thread_state.device, flags, extent, texels};
    *handle = array->handle;
    return cudaSuccess;
}

static void forget(struct array *array) {
    handle_free(&handles, array->handle);
    free(array);
}

cudaError_t array_free(cudaArray_t handle) {
    struct array *array = array_find(handle);
    if (!handle)
        return cudaSuccess;
    if (!array)
        return cudaErrorInvalidValue;
    const cudaError_t error = memory_free(array->texels.base);
    forget(array);
    return error;
}

void array_reset(int device) {
    for (uint32_t i = 0; i < handles.count; i++) {
        struct array *array = handles.objects[i];
        if (array && array->device == device)
            forget(array);
    }
}
