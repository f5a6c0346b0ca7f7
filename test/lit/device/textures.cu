// Textures: the memory behind a handle has no name here.
// RUN: for o in 0 2; do sh %S/Inputs/rows.sh ROW %s %kesco -O$o -c %s -o %t.o || exit 1; done
#include "Inputs/row.h"

__constant__ cudaTextureObject_t bound;

// ROW: fetches: writes out; reads memory that no argument names: it reads through a texture (line {{[0-9]+}})
__global__ void fetches(float *out, cudaTextureObject_t picture) { out[own()] = tex1Dfetch<float>(picture, own()); }

// ROW: filters: writes out; reads memory that no argument names: it reads through a texture (line {{[0-9]+}})
__global__ void filters(float4 *out, cudaTextureObject_t picture) {
    out[own()] = tex2D<float4>(picture, threadIdx.x + 0.5f, threadIdx.y + 0.5f);
}

// ROW: fetches_volume: writes out; reads memory that no argument names: it reads through a texture (line {{[0-9]+}})
__global__ void fetches_volume(float *out, cudaTextureObject_t picture, float z) {
    out[own()] =
        tex3D<float>(picture, 1, 2, z) + tex2DLod<float>(picture, 1, 2, 0) + tex2DLayered<float>(picture, 1, 2, 3);
}

// ROW: gathers: writes out; reads memory that no argument names: it reads through a texture (line {{[0-9]+}})
__global__ void gathers(float4 *out, cudaTextureObject_t picture) { out[own()] = tex2Dgather<float4>(picture, 1, 2); }

static __device__ __noinline__ float sample(cudaTextureObject_t picture, int i) { return tex1D<float>(picture, i); }
// ROW: fetches_deeply: writes out; reads memory that no argument names: it reads through a texture (line {{[0-9]+}})
__global__ void fetches_deeply(float *out, cudaTextureObject_t picture) { out[own()] = sample(picture, own()); }

// ROW: fetches_bound: reads variable bound; writes out; reads memory that no argument names: it reads through a texture (line {{[0-9]+}})
__global__ void fetches_bound(float *out) { out[own()] = tex1Dfetch<float>(bound, own()); }

// ROW: handle_only: writes out
__global__ void handle_only(unsigned long long *out, cudaTextureObject_t picture) { out[own()] = picture; }
