#include "test/vgpu/texture.h"

#include "test/vgpu/device.h"
#include "test/vgpu/handle.h"
#include "test/vgpu/memory.h"
#include "test/vgpu/storage.h"

#include <stdlib.h>

enum { TEXTURE_HANDLE = 0x72, SURFACE_HANDLE = 0x73, PITCH_ALIGNMENT = 32 };

struct surface {
    struct cudaResourceDesc resource;
    struct texels texels;
};

static struct handle_table textures = {.kind = TEXTURE_HANDLE}, surfaces = {.kind = SURFACE_HANDLE};

static void *find(const struct handle_table *table, unsigned long long handle) {
    return handle_find(table, (const void *)(uintptr_t)handle);
}

const struct texture *texture_find(cudaTextureObject_t handle) {
    return find(&textures, handle);
}

const struct texels *surface_find(cudaSurfaceObject_t handle) {
    const struct surface *surface = find(&surfaces, handle);
    return surface ? &surface->texels : NULL;
}

/* What a resource's elements are; of memory: all of it lies in one allocation. */

static cudaError_t read_array(cudaArray_t handle, struct texels *texels) {
    const struct array *array = array_find(handle);
    if (!array)
        return cudaErrorInvalidValue;
    *texels = array->texels;
    return cudaSuccess;
}

static bool holds(const char *base, size_t size) {
    const struct allocation *allocation = memory_find(base);
    return allocation && size <= allocation->size - (size_t)(base - allocation->base);
}

static cudaError_t check_memory(struct texels *texels) {
    texels->slice = texels->pitch * texels->height;
    const size_t size = texels->slice - texels->pitch + texels->width * texels->element;
    if (!texels->width || !texels->height || texels->width * texels->element > texels->pitch)
        return cudaErrorInvalidValue;
    return holds(texels->base, size) ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t read_linear(const struct cudaResourceDesc *resource, struct texels *texels) {
    *texels =
        (struct texels){.base = resource->res.linear.devPtr, .format = resource->res.linear.desc, .depth = 1};
    if (!array_element(&texels->format, &texels->element) || !texels->element)
        return cudaErrorInvalidChannelDescriptor;
    texels->width = resource->res.linear.sizeInBytes / texels->element;
    texels->height = 1;
    texels->pitch = resource->res.linear.sizeInBytes;
    return check_memory(texels);
}

static cudaError_t read_pitched(const struct cudaResourceDesc *resource, struct texels *texels) {
    *texels = (struct texels){.base = resource->res.pitch2D.devPtr,
                              .format = resource->res.pitch2D.desc,
                              .width = resource->res.pitch2D.width,
                              .height = resource->res.pitch2D.height,
                              .depth = 1,
                              .pitch = resource->res.pitch2D.pitchInBytes};
    if (!array_element(&texels->format, &texels->element))
        return cudaErrorInvalidChannelDescriptor;
    return texels->pitch % PITCH_ALIGNMENT ? cudaErrorInvalidValue : check_memory(texels);
}

static cudaError_t read_resource(const struct cudaResourceDesc *resource, struct texels *texels) {
    switch (resource->resType) {
    case cudaResourceTypeArray:
        return read_array(resource->res.array.array, texels);
    case cudaResourceTypeLinear:
        return read_linear(resource, texels);
    case cudaResourceTypePitch2D:
        return read_pitched(resource, texels);
    case cudaResourceTypeMipmappedArray:
        vgpu_unmodelled(thread_state.api, "mipmapped arrays");
    }
    return cudaErrorInvalidValue;
}

/* Textures */

/* "If filterMode is cudaFilterModeLinear, elements are read as real numbers"; of linear memory there are no
 * such. */
static cudaError_t check_sampling(const struct texture *texture) {
    const struct cudaTextureDesc *sampling = &texture->sampling;
    const struct cudaChannelFormatDesc *format = &texture->texels.format;
    const bool integers = format->f != cudaChannelFormatKindFloat;
    const bool normalized = sampling->readMode == cudaReadModeNormalizedFloat;
    if (sampling->sRGB)
        vgpu_unmodelled(thread_state.api, "sRGB");
    if (integers && normalized && format->x == 32)
        return cudaErrorInvalidNormSetting;
    if (texture->resource.resType != cudaResourceTypeLinear && sampling->filterMode == cudaFilterModeLinear &&
        integers && !normalized)
        return cudaErrorInvalidFilterSetting;
    return cudaSuccess;
}

/* "Wrap and mirror are only supported for normalized coordinates, else they are switched to clamp." */
static enum cudaTextureAddressMode mode_of(const struct texture *texture, int dimension) {
    const enum cudaTextureAddressMode asked = texture->sampling.addressMode[dimension];
    if (texture->resource.resType == cudaResourceTypeLinear)
        return cudaAddressModeBorder;
    if (!texture->sampling.normalizedCoords && asked != cudaAddressModeBorder)
        return cudaAddressModeClamp;
    return asked;
}

cudaError_t texture_make(cudaTextureObject_t *handle, const struct cudaResourceDesc *resource,
                         const struct cudaTextureDesc *sampling, const struct cudaResourceViewDesc *view) {
    if (!handle || !resource || !sampling)
        return cudaErrorInvalidValue;
    if (view)
        vgpu_unmodelled(thread_state.api, "views of a resource");
    struct texture made = {.resource = *resource, .sampling = *sampling};
    cudaError_t error = read_resource(resource, &made.texels);
    if (!error)
        error = check_sampling(&made);
    if (error)
        return error;
    for (int dimension = 0; dimension < 3; dimension++)
        made.modes[dimension] = mode_of(&made, dimension);
    struct texture *texture = allocate(1, sizeof(*texture));
    *texture = made;
    *handle = (uintptr_t)handle_new(&textures, texture);
    return cudaSuccess;
}

/* Destroying nothing is no error, nor what is no handle. */
static cudaError_t destroy(struct handle_table *table, unsigned long long handle) {
    void *object = find(table, handle);
    if (object)
        handle_free(table, (const void *)(uintptr_t)handle);
    free(object);
    return object || !handle ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t texture_destroy(cudaTextureObject_t handle) {
    return destroy(&textures, handle);
}

cudaError_t texture_get_resource(struct cudaResourceDesc *resource, cudaTextureObject_t handle) {
    const struct texture *texture = texture_find(handle);
    if (!resource || !texture)
        return cudaErrorInvalidValue;
    *resource = texture->resource;
    return cudaSuccess;
}

cudaError_t texture_get_sampling(struct cudaTextureDesc *sampling, cudaTextureObject_t handle) {
    const struct texture *texture = texture_find(handle);
    if (!sampling || !texture)
        return cudaErrorInvalidValue;
    *sampling = texture->sampling;
    return cudaSuccess;
}

/* Surfaces: "must be an array that was made with cudaArraySurfaceLoadStore" */

cudaError_t surface_make(cudaSurfaceObject_t *handle, const struct cudaResourceDesc *resource) {
    if (!handle || !resource || resource->resType != cudaResourceTypeArray)
        return cudaErrorInvalidValue;
    const struct array *array = array_find(resource->res.array.array);
    if (!array || !(array->flags & cudaArraySurfaceLoadStore))
        return cudaErrorInvalidValue;
    struct surface *surface = allocate(1, sizeof(*surface));
    *surface = (struct surface){*resource, array->texels};
    *handle = (uintptr_t)handle_new(&surfaces, surface);
    return cudaSuccess;
}

cudaError_t surface_destroy(cudaSurfaceObject_t handle) {
    return destroy(&surfaces, handle);
}

cudaError_t surface_get_resource(struct cudaResourceDesc *resource, cudaSurfaceObject_t handle) {
    const struct surface *surface = find(&surfaces, handle);
    if (!resource || !surface)
        return cudaErrorInvalidValue;
    *resource = surface->resource;
    return cudaSuccess;
}
