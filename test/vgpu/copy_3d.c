/* What cudaMemcpy3D's parameters ask for. */
#include "test/vgpu/array.h"
#include "test/vgpu/copy.h"

/* Where a copy takes from or brings to. */
struct end {
    char *at;            /* the region's first byte */
    size_t pitch, slice; /* bytes */
};

/* The region leaves the object's rows, or its slices; where it ends, only the allocation knows. */
static cudaError_t find_in_memory(const struct cudaPitchedPtr *memory, const struct cudaPos *position,
                                  const struct cudaExtent *bytes, struct end *end) {
    if (bytes->width && position->x + bytes->width > memory->pitch)
        return cudaErrorInvalidValue;
    if ((bytes->depth > 1 || position->z) && position->y + bytes->height > memory->ysize)
        return cudaErrorInvalidValue;
    const size_t slice = memory->pitch * memory->ysize;
    *end = (struct end){(char *)memory->ptr + position->z * slice + position->y * memory->pitch + position->x,
                        memory->pitch, slice};
    return cudaSuccess;
}

static cudaError_t find_in_array(const struct texels *texels, const struct cudaPos *position,
                                 const struct cudaExtent *bytes, struct end *end) {
    const size_t x = position->x * texels->element;
    if (x + bytes->width > texels->pitch || position->y + bytes->height > texels->height ||
        position->z + bytes->depth > texels->depth)
        return cudaErrorInvalidValue;
    *end = (struct end){texels->base + position->z * texels->slice + position->y * texels->pitch + x,
                        texels->pitch, texels->slice};
    return cudaSuccess;
}

/* "If a CUDA array is participating in the copy, the extent is defined in terms of that array's elements." */
static cudaError_t bytes_of(const struct cudaMemcpy3DParms *asked, const struct array *from,
                            const struct array *to, struct cudaExtent *bytes) {
    if ((asked->srcArray && !from) || (asked->dstArray && !to))
        return cudaErrorInvalidValue;
    if (from && to && from->texels.element != to->texels.element)
        return cudaErrorInvalidValue;
    *bytes = asked->extent;
    bytes->width *= from ? from->texels.element : to ? to->texels.element : 1;
    return cudaSuccess;
}

cudaError_t copy_read_3d(const struct cudaMemcpy3DParms *asked, struct copy_request *request) {
    struct cudaExtent bytes;
    struct end from, to;
    if (!asked || !asked->srcArray == !asked->srcPtr.ptr || !asked->dstArray == !asked->dstPtr.ptr)
        return cudaErrorInvalidValue;
    const struct array *from_array = array_find(asked->srcArray), *to_array = array_find(asked->dstArray);
    cudaError_t error = bytes_of(asked, from_array, to_array, &bytes);
    if (!error)
        error = from_array ? find_in_array(&from_array->texels, &asked->srcPos, &bytes, &from)
                           : find_in_memory(&asked->srcPtr, &asked->srcPos, &bytes, &from);
    if (!error)
        error = to_array ? find_in_array(&to_array->texels, &asked->dstPos, &bytes, &to)
                         : find_in_memory(&asked->dstPtr, &asked->dstPos, &bytes, &to);
    if (error)
        return error;
    *request = (struct copy_request){
        .to = to.at,
        .from = from.at,
        .to_pitch = to.pitch,
        .from_pitch = from.pitch,
        .to_slice = to.slice,
        .from_slice = from.slice,
        .width = bytes.width,
        .height = bytes.height,
        .depth = bytes.depth,
        .kind = asked->kind,
    };
    return cudaSuccess;
}
