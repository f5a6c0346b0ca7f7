// RUN: %vgpu-clang++ -O0 -std=c++17 -isystem $CUDA_PATH/include/cccl %s -o %t && %t
// RUN: %vgpu-clang++ -O2 -std=c++17 -isystem $CUDA_PATH/include/cccl %s -o %t && %t
// RUN: env VGPU_CHECK=races VGPU_STATS=%t.json %t && FileCheck %s < %t.json
// CHECK: "races": 0,
// Cooperative groups within a block: tiles of less than a warp and of several warps, threads that run together,
// partitions, reductions, scans, copies, barriers.
// Clang 19 takes the operands of reductions for each other.
// REQUIRES: clang-22
#include "check.h"

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

enum { THREADS = 128 };

struct results {
    int small, large, scanned, before, running, running_rank, labelled, odd, elected, shuffled, ballot, real, copied, split;
};

__device__ int copy(const int *from, int at) {
    __shared__ int to[THREADS];
    cg::thread_block block = cg::this_thread_block();
    cg::memcpy_async(block, to, from, sizeof(to));
    cg::wait(block);
    return to[at];
}

__global__ void groups(struct results *out, const int *from) {
    cg::thread_block block = cg::this_thread_block();
    struct results r = {};
    const int own = block.thread_rank();
    auto small = cg::tiled_partition<8>(block);
    auto warp = cg::tiled_partition<32>(block);
    auto large = cg::tiled_partition<64>(block);
    r.small = cg::reduce(small, own, cg::plus<int>());
    r.large = cg::reduce(large, own, cg::greater<int>());
    large.sync();
    r.scanned = cg::inclusive_scan(warp, own, cg::plus<int>());
    r.before = cg::exclusive_scan(small, own, cg::plus<int>());
    if (own % 3 == 0) {
        cg::coalesced_group running = cg::coalesced_threads();
        r.running = cg::reduce(running, own, cg::plus<int>());
        r.running_rank = running.thread_rank();
    }
    r.labelled = cg::labeled_partition(warp, own % 4).size();
    r.odd = cg::binary_partition(warp, own % 4 == 0).size();
    cg::invoke_one(warp, [&] { r.elected = 1; });
    r.shuffled = small.shfl_down(own, 1);
    r.ballot = small.ballot(own % 2);
    r.real = (int)cg::reduce(warp, own + 0.5, cg::plus<double>());
    r.copied = copy(from, THREADS - 1 - own);
    auto token = block.barrier_arrive();
    block.barrier_wait(static_cast<decltype(token) &&>(token));
    r.split = block.num_threads();
    out[own] = r;
}

static int sum(int first, int count) {
    return count * first + count * (count - 1) / 2;
}

int main(void) {
    struct results *out = DEVICE_ZEROS(struct results, THREADS), got[THREADS];
    int *from = DEVICE_ZEROS(int, THREADS), host[THREADS];
    for (int i = 0; i < THREADS; i++)
        host[i] = 7 * i;
    CUDA(cudaMemcpy(from, host, sizeof(host), cudaMemcpyHostToDevice));
    groups<<<1, THREADS>>>(out, from);
    fetch(got, out, sizeof(got));
    for (int i = 0; i < THREADS; i++) {
        const int warp = i / 32 * 32, first = (warp + 2) / 3 * 3;
        const int running = (warp + 31 - first) / 3 + 1;
        CHECK_EQUAL(got[i].small, sum(i / 8 * 8, 8));
        CHECK_EQUAL(got[i].large, i / 64 * 64 + 63);
        CHECK_EQUAL(got[i].scanned, sum(warp, i % 32 + 1));
        CHECK_EQUAL(got[i].before, sum(i / 8 * 8, i % 8));
        CHECK_EQUAL(got[i].running, i % 3 ? 0 : running * first + 3 * running * (running - 1) / 2);
        CHECK_EQUAL(got[i].running_rank, i % 3 ? 0 : (i - first) / 3);
        CHECK_EQUAL(got[i].labelled, 8);
        CHECK_EQUAL(got[i].odd, i % 4 ? 24 : 8);
        CHECK_EQUAL(got[i].elected, i % 32 == 0);
        CHECK_EQUAL(got[i].shuffled, i % 8 == 7 ? i : i + 1);
        CHECK_EQUAL(got[i].ballot, 0xaa);
        CHECK_EQUAL(got[i].real, sum(warp, 32) + 16);
        CHECK_EQUAL(got[i].copied, 7 * (THREADS - 1 - i));
        CHECK_EQUAL(got[i].split, THREADS);
    }
    return 0;
}
