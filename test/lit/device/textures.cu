// Textures and surfaces: the memory behind a handle has no name here.
// RUN: for o in 0 2; do sh %S/Inputs/rows.sh ROW %s %kesco -O$o -c %s -o %t.o || exit 1; done
#include "Inputs/row.h"

struct Pictures {
    cudaTextureObject_t in;
    cudaSurfaceObject_t out;
    float *sums;
};
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

// ROW: reads_surface: writes out; reads memory that no argument names: it reads through a surface (line {{[0-9]+}})
__global__ void reads_surface(float *out, cudaSurfaceObject_t picture) {
    out[own()] = surf2Dread<float>(picture, threadIdx.x * 4, threadIdx.y);
}

// ROW: writes_surface: reads in; writes memory that no argument names: it writes through a surface (line {{[0-9]+}})
__global__ void writes_surface(cudaSurfaceObject_t picture, const float *in) {
    surf2Dwrite(in[own()], picture, threadIdx.x * 4, threadIdx.y);
}

// ROW: changes_surface: reads and writes memory that no argument names: it writes through a surface (line {{[0-9]+}})
__global__ void changes_surface(cudaSurfaceObject_t picture) {
    float old = surf1Dread<float>(picture, threadIdx.x * 4);
    surf1Dwrite(old + 1, picture, threadIdx.x * 4);
}

// ROW: texture_to_surface: writes p.sums; reads and writes memory that no argument names: it writes through a surface (line {{[0-9]+}})
__global__ void texture_to_surface(Pictures p) {
    float value = tex2D<float>(p.in, threadIdx.x, threadIdx.y);
    surf2Dwrite(value, p.out, threadIdx.x * 4, threadIdx.y);
    p.sums[own()] = value;
}
