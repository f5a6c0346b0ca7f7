// RUN: %vgpu-clang++ -O0 %s -o %t && %t
// RUN: %vgpu-clang++ -O2 %s -o %t && %t
// Votes, ballots, matches, reductions, lane masks and the mask of active lanes.
// Clang 19 takes the operands of reductions for each other.
// REQUIRES: clang-22
#include "check.h"

enum { WARP = 32 };

__global__ void vote(unsigned *out) {
    const unsigned lane = threadIdx.x;
    unsigned *mine = out + lane * 5;
    mine[0] = __ballot_sync(~0u, lane % 3 == 0);
    mine[1] = __any_sync(~0u, lane == 31);
    mine[2] = __all_sync(~0u, lane < 31);
    mine[3] = __all_sync(~0u, lane < 32);
    mine[4] = __uni_sync(~0u, lane < 5) + 2 * __uni_sync(~0u, lane > 40);
}

__global__ void match(unsigned *any, unsigned *all, int *flags) {
    const unsigned lane = threadIdx.x;
    any[lane] = __match_any_sync(~0u, lane % 4);
    all[2 * lane] = __match_all_sync(~0u, 7ull << 40, &flags[2 * lane]);
    all[2 * lane + 1] = __match_all_sync(~0u, lane / 31, &flags[2 * lane + 1]);
}

__global__ void reduce(unsigned *out) {
    const unsigned lane = threadIdx.x;
    out[0] = __reduce_add_sync(~0u, lane);
    out[1] = __reduce_max_sync(~0u, lane * 7 % 32);
    out[2] = (unsigned)__reduce_min_sync(~0u, (int)lane - 9);
    out[3] = __reduce_xor_sync(~0u, 1u << lane);
    out[4] = __reduce_and_sync(~0u, lane | 16);
}

/* The lanes of a branch are active together, and work on alone. */
__global__ void active(unsigned *out, int *sums) {
    const unsigned lane = threadIdx.x;
    if (lane % 4 == 1) {
        const unsigned mask = __activemask();
        out[lane] = mask;
        sums[lane] = __shfl_sync(mask, (int)lane * 10, 5);
    } else {
        out[lane] = __activemask();
    }
    __syncwarp();
    if (__activemask() != ~0u)
        out[lane] = 0;
}

/* Lanes wait in the same function with masks that overlap: each meets those of its own mask. */
__global__ void overlapping(unsigned *out) {
    const unsigned lane = threadIdx.x;
    if (lane == 0) {
        __shfl_sync(9u, 1, 0);
        out[0] = __ballot_sync(3u, 1);
    } else if (lane == 1) {
        out[1] = __ballot_sync(6u, 1);
        out[2] = __ballot_sync(3u, 0);
    } else if (lane == 2) {
        __syncwarp(12u);
        out[3] = __ballot_sync(6u, 0);
    } else if (lane == 3) {
        __shfl_sync(9u, 1, 0);
        __syncwarp(12u);
    }
}

__global__ void count_matches(const int *in, int n, int *count) {
    const int i = threadIdx.x;
    if (i >= n || in[i] % 2)
        return;
    const unsigned mask = __activemask();
    const int leader = __ffs(mask) - 1;
    if (i % WARP == leader)
        atomicAdd(count, __popc(mask));
}

int main(void) {
    unsigned *out = DEVICE_ZEROS(unsigned, WARP * 5), host[WARP * 5];
    vote<<<1, WARP>>>(out);
    fetch(host, out, sizeof(host));
    for (int i = 0; i < WARP; i++) {
        CHECK_EQUAL(host[5 * i], 0x49249249u);
        CHECK_EQUAL(host[5 * i + 1], 1);
        CHECK_EQUAL(host[5 * i + 2], 0);
        CHECK_EQUAL(host[5 * i + 3], 1);
        CHECK_EQUAL(host[5 * i + 4], 2);
    }

    unsigned *all = DEVICE_ZEROS(unsigned, 2 * WARP), host_all[2 * WARP];
    int *flags = DEVICE_ZEROS(int, 2 * WARP), host_flags[2 * WARP];
    match<<<1, WARP>>>(out, all, flags);
    fetch(host, out, WARP * sizeof(unsigned));
    fetch(host_all, all, sizeof(host_all));
    fetch(host_flags, flags, sizeof(host_flags));
    for (int i = 0; i < WARP; i++) {
        CHECK_EQUAL(host[i], 0x11111111u << i % 4);
        CHECK(host_all[2 * i] == ~0u && host_flags[2 * i]);
        CHECK(host_all[2 * i + 1] == 0 && !host_flags[2 * i + 1]);
    }

    reduce<<<1, WARP>>>(out);
    fetch(host, out, 5 * sizeof(unsigned));
    CHECK_EQUAL(host[0], 496);
    CHECK_EQUAL(host[1], 31);
    CHECK_EQUAL((int)host[2], -9);
    CHECK_EQUAL(host[3], ~0u);
    CHECK_EQUAL(host[4], 16);

    active<<<1, WARP>>>(out, flags);
    fetch(host, out, WARP * sizeof(unsigned));
    fetch(host_flags, flags, WARP * sizeof(int));
    for (int i = 0; i < WARP; i++) {
        CHECK_EQUAL(host[i], i % 4 == 1 ? 0x22222222u : 0xddddddddu);
        if (i % 4 == 1)
            CHECK_EQUAL(host_flags[i], 50);
    }

    overlapping<<<1, WARP>>>(out);
    fetch(host, out, 4 * sizeof(unsigned));
    CHECK_EQUAL(host[0], 1);
    CHECK_EQUAL(host[1], 2);
    CHECK_EQUAL(host[2], 1);
    CHECK_EQUAL(host[3], 2);

    int values[100], *in = DEVICE_ZEROS(int, 100), *count = DEVICE_ZEROS(int, 1), total, expected = 0;
    for (int i = 0; i < 100; i++) {
        values[i] = i * 7 % 11;
        expected += values[i] % 2 == 0;
    }
    CUDA(cudaMemcpy(in, values, sizeof(values), cudaMemcpyHostToDevice));
    count_matches<<<1, 128>>>(in, 100, count);
    fetch(&total, count, sizeof(total));
    CHECK_EQUAL(total, expected);
    return 0;
}
