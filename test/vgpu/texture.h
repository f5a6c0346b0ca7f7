/* Texture and surface objects: handles by which kernels access elements that have a format. */
#ifndef KESCO_TEST_VGPU_TEXTURE_H
#define KESCO_TEST_VGPU_TEXTURE_H

#include "test/vgpu/array.h"

struct texture {
    struct cudaResourceDesc resource;
    struct cudaTextureDesc sampling; /* as asked for */
    struct texels texels;
    enum cudaTextureAddressMode modes[3]; /* by dimension: what is meant by places outside */
};

/* The texture or surface of a handle, or NULL. */
const struct texture *texture_find(cudaTextureObject_t handle);
const struct texels *surface_find(cudaSurfaceObject_t handle);

/*
 * The API's; see CUDA Runtime API, "Texture Object Management" and "Surface Object Management". Mipmapped
 * arrays, views of other formats and sRGB are not modelled.
 */
cudaError_t texture_make(cudaTextureObject_t *handle, const struct cudaResourceDesc *resource,
                         const struct cudaTextureDesc *sampling, const struct cudaResourceViewDesc *view);
cudaError_t texture_destroy(cudaTextureObject_t handle);
cudaError_t texture_get_resource(struct cudaResourceDesc *resource, cudaTextureObject_t handle);
cudaError_t texture_get_sampling(struct cudaTextureDesc *sampling, cudaTextureObject_t handle);
cudaError_t surface_make(cudaSurfaceObject_t *handle, const struct cudaResourceDesc *resource);
cudaError_t surface_destroy(cudaSurfaceObject_t handle);
cudaError_t surface_get_resource(struct cudaResourceDesc *resource, cudaSurfaceObject_t handle);

#endif
