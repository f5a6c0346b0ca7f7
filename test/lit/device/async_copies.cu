// Copies that the device does on the side, from memory to shared memory and back, and matrices for tensor cores.
// RUN: for o in 0 2; do sh %S/Inputs/rows.sh ROW %s %kesco -std=c++17 -O$o -c %s -o %t.o || exit 1; done
#include "Inputs/row.h"

#include <cuda_pipeline.h>
#include <mma.h>
#include <stdint.h>

using namespace nvcuda;

static __device__ unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

// ROW: by_pipeline: reads in; writes out
__global__ void by_pipeline(int4 *out, const int4 *in) {
    __shared__ int4 tile[32];
    __pipeline_memcpy_async(&tile[threadIdx.x], &in[own()], sizeof(int4));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[own()] = tile[31 - threadIdx.x];
}

// ROW: by_pipeline_partly: reads in; writes out
__global__ void by_pipeline_partly(int *out, const int *in, int n) {
    __shared__ int tile[32];
    __pipeline_memcpy_async(&tile[threadIdx.x], &in[own()], 4, own() < n ? 0 : 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[own()] = tile[threadIdx.x];
}

// ROW: by_assembly: reads in; writes out
__global__ void by_assembly(int *out, const int *in) {
    __shared__ int tile[32];
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(&tile[threadIdx.x])), "l"(in + own())
                 : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    out[own()] = tile[threadIdx.x];
}

// ROW: by_assembly_with_hint: reads in; writes out
__global__ void by_assembly_with_hint(int4 *out, const int4 *in) {
    __shared__ int4 tile[32];
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], %2, %3;" ::"r"(shared_address(&tile[threadIdx.x])),
                 "l"(in + own()), "n"(16), "r"(16)
                 : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    out[own()] = tile[threadIdx.x];
}

// What the copy brings may lead anywhere.
// ROW: pointers_by_pipeline: reads slots; writes {{a|a, slots}}; writes memory that no argument names: {{[^;]*}}
__global__ void pointers_by_pipeline(int *a, int *const *slots) {
    __shared__ int *all[32];
    all[threadIdx.x] = a;
    __syncthreads();
    __pipeline_memcpy_async(&all[0], &slots[0], sizeof(int *));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    all[0][own()] = 1;
}

// conservative: copies in bulk may count as not understood
// ROW: in_bulk: {{reads in; writes out|(.*; )?runs code that is not seen: .*}}
__global__ void in_bulk(int *out, const int *in) {
    __shared__ __align__(128) int tile[32];
    __shared__ __align__(8) uint64_t barrier;
    unsigned at = shared_address(&barrier);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at) : "memory");
        asm volatile("fence.proxy.async;" ::: "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 128, [%2];" ::"r"(
                         shared_address(tile)),
                     "l"(in), "r"(at)
                     : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 128;" ::"r"(at) : "memory");
    }
    __syncthreads();
    for (unsigned done = 0; !done;)
        asm volatile(
            "{\n\t.reg .pred p;\n\tmbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\n\tselp.u32 %0, 1, 0, p;\n\t}"
            : "=r"(done)
            : "r"(at)
            : "memory");
    out[own()] = tile[threadIdx.x];
}

// conservative: as above
// ROW: in_bulk_back: {{writes out|(.*; )?runs code that is not seen: .*}}
__global__ void in_bulk_back(int *out, int n) {
    __shared__ __align__(128) int tile[32];
    tile[threadIdx.x] = n;
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 128;" ::"l"(out),
                     "r"(shared_address(tile))
                     : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

struct __align__(64) Map {
    uint64_t words[16];
};
// The memory that a tensor map describes has no name.
// conservative: as above
// ROW: by_tensor_map: {{(.*; )?(writes memory that no argument names: [^;]*|reads and writes memory that no argument names: [^;]*|runs code that is not seen: .*)}}
__global__ void by_tensor_map(const __grid_constant__ Map map, int n) {
    __shared__ __align__(128) int tile[32];
    tile[threadIdx.x] = n;
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        asm volatile("cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%0, {%1}], [%2];" ::"l"(&map), "r"(0),
                     "r"(shared_address(tile))
                     : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

// ROW: multiplies_matrices: reads a, b; writes c
__global__ void multiplies_matrices(float *c, const half *a, const half *b) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> y;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> z;
    wmma::fill_fragment(z, 0.0f);
    wmma::load_matrix_sync(x, a, 16);
    wmma::load_matrix_sync(y, b, 16);
    wmma::mma_sync(z, x, y, z);
    wmma::store_matrix_sync(c, z, 16, wmma::mem_row_major);
}

// ROW: adds_to_matrix: reads c, a; writes c
__global__ void adds_to_matrix(half *c, const half *a) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> y;
    wmma::fragment<wmma::accumulator, 16, 16, 16, half> z;
    wmma::load_matrix_sync(x, a, 16);
    wmma::load_matrix_sync(y, a + 256, 16);
    wmma::load_matrix_sync(z, c, 16, wmma::mem_row_major);
    wmma::mma_sync(z, x, y, z);
    wmma::store_matrix_sync(c, z, 16, wmma::mem_row_major);
}

// ROW: multiplies_shared: reads a; writes c
__global__ void multiplies_shared(half *c, const half *a) {
    __shared__ __align__(32) half tile[256], sums[256];
    for (int i = threadIdx.x; i < 256; i += 32)
        tile[i] = a[i];
    __syncthreads();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> y;
    wmma::fragment<wmma::accumulator, 16, 16, 16, half> z;
    wmma::fill_fragment(z, __float2half(0));
    wmma::load_matrix_sync(x, tile, 16);
    wmma::load_matrix_sync(y, tile, 16);
    wmma::mma_sync(z, x, y, z);
    wmma::store_matrix_sync(sums, z, 16, wmma::mem_row_major);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += 32)
        c[i] = sums[i];
}

// ROW: multiplies_by_assembly: reads a; writes c
__global__ void multiplies_by_assembly(float *c, const unsigned *a) {
    float d[4];
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %7, %7, %7};"
                 : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "f"(0.0f));
    c[own()] = d[0] + d[1] + d[2] + d[3];
}

// Programmatic dependent launch: the earlier grid's memory is that of other rows.
// conservative: as above
// ROW: waits_for_grid: {{reads in; writes out(; may wait for other blocks)?|(.*; )?runs code that is not seen: .*}}
__global__ void waits_for_grid(int *out, const int *in) {
    asm volatile("griddepcontrol.wait;" ::: "memory");
    out[own()] = in[own()];
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}
