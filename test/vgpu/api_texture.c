/* API functions: arrays, and the textures and surfaces by which kernels access them. */
#include "test/vgpu/api.h"
#include "test/vgpu/array.h"
#include "test/vgpu/copy.h"
#include "test/vgpu/texture.h"

VGPU_EXPORT struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                               enum cudaChannelFormatKind kind) {
    return (struct cudaChannelFormatDesc){x, y, z, w, kind};
}

static cudaError_t get_info(struct cudaChannelFormatDesc *format, struct cudaExtent *extent, unsigned *flags,
                            cudaArray_const_t handle) {
    const struct array *array = array_find(handle);
    if (!array)
        return cudaErrorInvalidValue;
    if (format)
        *format = array->texels.format;
    if (extent)
        *extent = array->extent;
    if (flags)
        *flags = array->flags;
    return cudaSuccess;
}

static cudaError_t get_format(struct cudaChannelFormatDesc *format, cudaArray_const_t handle) {
    return format ? get_info(format, NULL, NULL, handle) : cudaErrorInvalidValue;
}

/* Copies of `height` rows of `width` bytes */

/* Where a region of an array begins, whose first byte is at `x` of its row; NULL: it is not all in the array.
 */
static char *place_in(const struct texels *texels, size_t x, size_t y, size_t width, size_t height) {
    if (x > texels->pitch || width > texels->pitch - x || y > texels->height || height > texels->height - y)
        return NULL;
    return texels->base + y * texels->pitch + x;
}

/* The same of bytes that go on in the next row. */
static char *bytes_in(const struct texels *texels, size_t x, size_t y, size_t size) {
    char *first = place_in(texels, x, y, 0, 0);
    return first && size <= (size_t)(texels->base + texels->slice - first) ? first : NULL;
}

static cudaError_t issue(struct copy_request request, cudaStream_t stream) {
    request.depth = 1;
    return request.to && request.from ? copy_issue(&request, stream) : cudaErrorInvalidValue;
}

static cudaError_t copy_to(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                           size_t height, enum cudaMemcpyKind kind, bool async, cudaStream_t stream) {
    const struct array *array = array_find(to);
    if (!array)
        return cudaErrorInvalidValue;
    return issue((struct copy_request){.to = place_in(&array->texels, x, y, width, height),
                                       .from = from,
                                       .to_pitch = array->texels.pitch,
                                       .from_pitch = pitch,
                                       .width = width,
                                       .height = height,
                                       .kind = kind,
                                       .async = async},
                 stream);
}

static cudaError_t copy_from(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
                             size_t height, enum cudaMemcpyKind kind, bool async, cudaStream_t stream) {
    const struct array *array = array_find(from);
    if (!array)
        return cudaErrorInvalidValue;
    return issue((struct copy_request){.to = to,
                                       .from = place_in(&array->texels, x, y, width, height),
                                       .to_pitch = pitch,
                                       .from_pitch = array->texels.pitch,
                                       .width = width,
                                       .height = height,
                                       .kind = kind,
                                       .async = async},
                 stream);
}

static cudaError_t copy_between(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from,
                                size_t from_x, size_t from_y, size_t width, size_t height,
                                enum cudaMemcpyKind kind, cudaStream_t stream) {
    const struct array *array = array_find(from);
    if (!array)
        return cudaErrorInvalidValue;
    return copy_to(to, to_x, to_y, place_in(&array->texels, from_x, from_y, width, height),
                   array->texels.pitch, width, height, kind, false, stream);
}

static cudaError_t copy_bytes_to(cudaArray_t to, size_t x, size_t y, const void *from, size_t size,
                                 enum cudaMemcpyKind kind, bool async, cudaStream_t stream) {
    const struct array *array = array_find(to);
    if (!array)
        return cudaErrorInvalidValue;
    return issue((struct copy_request){.to = bytes_in(&array->texels, x, y, size),
                                       .from = from,
                                       .width = size,
                                       .height = 1,
                                       .kind = kind,
                                       .async = async},
                 stream);
}

static cudaError_t copy_bytes_from(void *to, cudaArray_const_t from, size_t x, size_t y, size_t size,
                                   enum cudaMemcpyKind kind, bool async, cudaStream_t stream) {
    const struct array *array = array_find(from);
    if (!array)
        return cudaErrorInvalidValue;
    return issue((struct copy_request){.to = to,
                                       .from = bytes_in(&array->texels, x, y, size),
                                       .width = size,
                                       .height = 1,
                                       .kind = kind,
                                       .async = async},
                 stream);
}

static cudaError_t copy_bytes_between(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from,
                                      size_t from_x, size_t from_y, size_t size, enum cudaMemcpyKind kind,
                                      cudaStream_t stream) {
    const struct array *array = array_find(from);
    if (!array)
        return cudaErrorInvalidValue;
    return copy_bytes_to(to, to_x, to_y, bytes_in(&array->texels, from_x, from_y, size), size, kind, false,
                         stream);
}

API(cudaMallocArray,
    (cudaArray_t * array, const struct cudaChannelFormatDesc *format, size_t width, size_t height,
     unsigned flags),
    array_make(array, format, (struct cudaExtent){width, height, 0}, flags))
API(cudaMalloc3DArray,
    (cudaArray_t * array, const struct cudaChannelFormatDesc *format, struct cudaExtent extent,
     unsigned flags),
    array_make(array, format, extent, flags))
API(cudaFreeArray, (cudaArray_t array), array_free(array))
API(cudaArrayGetInfo,
    (struct cudaChannelFormatDesc * format, struct cudaExtent *extent, unsigned *flags, cudaArray_t array),
    get_info(format, extent, flags, array))
API(cudaGetChannelDesc, (struct cudaChannelFormatDesc * format, cudaArray_const_t array),
    get_format(format, array))

API_ON_DEFAULT_STREAM(cudaMemcpy2DToArray,
                      (cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                       size_t height, enum cudaMemcpyKind kind),
                      copy_to(to, x, y, from, pitch, width, height, kind, false, stream))
API_ON_STREAM(cudaMemcpy2DToArrayAsync,
              (cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
               size_t height, enum cudaMemcpyKind kind, cudaStream_t stream),
              copy_to(to, x, y, from, pitch, width, height, kind, true, stream))
API_ON_DEFAULT_STREAM(cudaMemcpy2DFromArray,
                      (void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
                       size_t height, enum cudaMemcpyKind kind),
                      copy_from(to, pitch, from, x, y, width, height, kind, false, stream))
API_ON_STREAM(cudaMemcpy2DFromArrayAsync,
              (void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
               size_t height, enum cudaMemcpyKind kind, cudaStream_t stream),
              copy_from(to, pitch, from, x, y, width, height, kind, true, stream))
API_ON_DEFAULT_STREAM(cudaMemcpy2DArrayToArray,
                      (cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x,
                       size_t from_y, size_t width, size_t height, enum cudaMemcpyKind kind),
                      copy_between(to, to_x, to_y, from, from_x, from_y, width, height, kind, stream))
API_ON_DEFAULT_STREAM(cudaMemcpyToArray,
                      (cudaArray_t to, size_t x, size_t y, const void *from, size_t size,
                       enum cudaMemcpyKind kind),
                      copy_bytes_to(to, x, y, from, size, kind, false, stream))
API_ON_STREAM(cudaMemcpyToArrayAsync,
              (cudaArray_t to, size_t x, size_t y, const void *from, size_t size, enum cudaMemcpyKind kind,
               cudaStream_t stream),
              copy_bytes_to(to, x, y, from, size, kind, true, stream))
API_ON_DEFAULT_STREAM(cudaMemcpyFromArray,
                      (void *to, cudaArray_const_t from, size_t x, size_t y, size_t size,
                       enum cudaMemcpyKind kind),
                      copy_bytes_from(to, from, x, y, size, kind, false, stream))
API_ON_STREAM(cudaMemcpyFromArrayAsync,
              (void *to, cudaArray_const_t from, size_t x, size_t y, size_t size, enum cudaMemcpyKind kind,
               cudaStream_t stream),
              copy_bytes_from(to, from, x, y, size, kind, true, stream))
API_ON_DEFAULT_STREAM(cudaMemcpyArrayToArray,
                      (cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x,
                       size_t from_y, size_t size, enum cudaMemcpyKind kind),
                      copy_bytes_between(to, to_x, to_y, from, from_x, from_y, size, kind, stream))

API(cudaCreateTextureObject,
    (cudaTextureObject_t * texture, const struct cudaResourceDesc *resource,
     const struct cudaTextureDesc *sampling, const struct cudaResourceViewDesc *view),
    texture_make(texture, resource, sampling, view))
API(cudaDestroyTextureObject, (cudaTextureObject_t texture), texture_destroy(texture))
API(cudaGetTextureObjectResourceDesc, (struct cudaResourceDesc * resource, cudaTextureObject_t texture),
    texture_get_resource(resource, texture))
API(cudaGetTextureObjectTextureDesc, (struct cudaTextureDesc * sampling, cudaTextureObject_t texture),
    texture_get_sampling(sampling, texture))
API(cudaCreateSurfaceObject, (cudaSurfaceObject_t * surface, const struct cudaResourceDesc *resource),
    surface_make(surface, resource))
API(cudaDestroySurfaceObject, (cudaSurfaceObject_t surface), surface_destroy(surface))
API(cudaGetSurfaceObjectResourceDesc, (struct cudaResourceDesc * resource, cudaSurfaceObject_t surface),
    surface_get_resource(resource, surface))
