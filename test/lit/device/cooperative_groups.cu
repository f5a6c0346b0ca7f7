// Cooperative groups and libcu++.
// RUN: for o in 0 2; do \
// RUN:   sh %S/Inputs/rows.sh ROW %s %kesco -std=c++17 -isystem $CUDA_PATH/include/cccl -O$o -c %s -o %t.o || exit 1; \
// RUN: done
#include "Inputs/row.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda/atomic>
#include <cuda/std/array>
#include <cuda/std/tuple>

namespace cg = cooperative_groups;

// ROW: tiles: reads in; writes out
__global__ void tiles(int *out, const int *in) {
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<32>(block);
    int value = in[own()];
    for (int distance = tile.size() / 2; distance > 0; distance /= 2)
        value += tile.shfl_down(value, distance);
    tile.sync();
    if (tile.thread_rank() == 0)
        out[own()] = value;
}

// ROW: block_of_threads: reads in; writes out
__global__ void block_of_threads(int *out, const int *in) {
    __shared__ int all[64];
    cg::thread_block block = cg::this_thread_block();
    all[block.thread_rank() & 63] = in[own()];
    block.sync();
    out[own()] = all[(block.thread_rank() + 1) & 63];
}

// ROW: reduces: reads in; writes out
__global__ void reduces(int *out, const int *in) {
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    out[own()] = cg::reduce(tile, in[own()], cg::plus<int>());
}

// ROW: coalesced: reads count, in; writes count
__global__ void coalesced(int *count, const int *in) {
    if (in[own()] > 0) {
        cg::coalesced_group active = cg::coalesced_threads();
        if (active.thread_rank() == 0)
            atomicAdd(count, active.size());
    }
}

// Whatever the barrier itself is seen as, it waits for other blocks.
// conservative: the memory of the barrier has no name, or its code may count as unseen
// ROW: whole_grid: {{(.*; )?(may wait for other blocks(; .*)?|runs code that is not seen: .*)}}
__global__ void whole_grid(int *a) {
    a[own()] += 1;
    cg::this_grid().sync();
    a[own() + 1] += 1;
}

// conservative: the instructions that libcu++ uses may count as not understood
// ROW: atomic_load: {{reads a; writes out|(.*; )?runs code that is not seen: .*}}
__global__ void atomic_load(int *out, int *a) {
    out[own()] = cuda::atomic_ref<int, cuda::thread_scope_device>(*a).load(cuda::memory_order_relaxed);
}

// conservative: as above
// ROW: atomic_store: {{writes a|(.*; )?runs code that is not seen: .*}}
__global__ void atomic_store(int *a) {
    cuda::atomic_ref<int, cuda::thread_scope_device>(*a).store(1, cuda::memory_order_release);
}

// conservative: as above
// ROW: atomic_add: {{reads a; writes a|(.*; )?runs code that is not seen: .*}}
__global__ void atomic_add(int *a) {
    cuda::atomic_ref<int, cuda::thread_scope_device>(*a).fetch_add(1, cuda::memory_order_relaxed);
}

// conservative: as above
// ROW: atomic_wait: {{(.*; )?(may wait for other blocks|runs code that is not seen: .*)}}
__global__ void atomic_wait(int *flag) {
    cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
    while (ready.load(cuda::memory_order_acquire) == 0)
        ;
}

// conservative: the names of members in a library's classes are the library's
// ROW: array_of_pointers: reads p.{{[^ ;,]+}}; writes out
__global__ void array_of_pointers(int *out, cuda::std::array<int *, 2> p) { out[own()] = p[1][own()]; }

// ROW: pair_of_pointers: reads p.{{[^ ;,]+}}; writes p.{{[^ ;,]+}}
__global__ void pair_of_pointers(cuda::std::pair<int *, const int *> p) { p.first[own()] = p.second[own()]; }
