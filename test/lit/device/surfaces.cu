// Surfaces: the memory behind a handle has no name here (textures.cu).
// Clang 19 has no functions for them.
// REQUIRES: clang-22
// RUN: for o in 0 2; do sh %S/Inputs/rows.sh ROW %s %kesco -O$o -c %s -o %t.o || exit 1; done
#include "Inputs/row.h"

struct Pictures {
    cudaTextureObject_t in;
    cudaSurfaceObject_t out;
    float *sums;
};

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
