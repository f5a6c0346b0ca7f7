// RUN: %vgpu-clang++ -O0 %s -o %t && %t
// RUN: %vgpu-clang++ -O2 %s -o %t && %t
// RUN: env VGPU_CHECK=races VGPU_STATS=%t.json %t && FileCheck %s < %t.json
// CHECK: "races": 0,
// PTX's instructions that threads meet in, and those for copies into shared memory and barriers in memory.
#include "check.h"

enum { THREADS = 64 };

__global__ void warps(int *out) {
    const int lane = threadIdx.x % 32;
    unsigned r[10] = {};
    asm volatile("{ .reg .s32 t; .reg .pred p; shfl.sync.up.b32 t|p, %1, 1, 0, 0xffffffff; @p add.s32 t, t, %1; mov.s32 %0, t; }"
                 : "=r"(r[0])
                 : "r"(lane));
    asm volatile("shfl.sync.idx.b32 %0, %1, 5, 0x1f, -1;" : "=r"(r[1]) : "r"(lane));
    asm volatile("{ .reg .pred p; setp.gt.s32 p, %1, 29; vote.sync.ballot.b32 %0, p, 0xffffffff; }" : "=r"(r[2]) : "r"(lane));
    asm volatile("{ .reg .pred p, q; setp.gt.s32 p, %1, 29; vote.all.sync.pred q, !p, 0xffffffff; selp.b32 %0, 1, 0, q; }"
                 : "=r"(r[3])
                 : "r"(lane));
    asm volatile("match.any.sync.b32 %0, %1, 0xffffffff;" : "=r"(r[4]) : "r"(lane / 16));
    asm volatile("{ .reg .pred p; match.all.sync.b64 %0|p, %1, 0xffffffff; @!p mov.b32 %0, 7; }" : "=r"(r[5]) : "l"((long long)lane));
    asm volatile("redux.sync.min.s32 %0, %1, 0xffffffff;" : "=r"(r[6]) : "r"(lane - 3));
    asm volatile("redux.sync.max.u32 %0, %1, 0xffffffff;" : "=r"(r[7]) : "r"(lane - 3));
    asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.b32 %0, 1, 0, p; }" : "=r"(r[8]));
    asm volatile("bar.arrive 1, %1; bar.sync 1, %1; mov.u32 %0, 3;" : "=r"(r[9]) : "r"(2 * (int)blockDim.x));
    for (int i = 0; i < 10; i++)
        out[threadIdx.x * 10 + i] = (int)r[i];
}

__global__ void fields(unsigned *out, unsigned x, unsigned long long w) {
    asm("bfe.u32 %0, %1, 8, 12;" : "=r"(out[0]) : "r"(x));
    asm("{ .reg .u64 t; bfe.u64 t, %1, 36, 20; cvt.u32.u64 %0, t; }" : "=r"(out[1]) : "l"(w));
    asm("bfi.b32 %0, %1, %2, 4, 8;" : "=r"(out[2]) : "r"(x), "r"(0xffffffffu));
    asm("bmsk.clamp.b32 %0, 4, 40;" : "=r"(out[3]));
    asm("bmsk.wrap.b32 %0, 36, 8;" : "=r"(out[4]));
    asm("prmt.b32 %0, %1, %2, 0x7531;" : "=r"(out[5]) : "r"(x), "r"((unsigned)w));
}

/* A copy fills the rest with zeros, and a barrier in memory opens when all have come, twice. */
__global__ void copies(int *out, const int *in) {
    __shared__ __align__(16) int to[THREADS];
    __shared__ __align__(8) unsigned long long barrier;
    const unsigned place = (unsigned)__cvta_generic_to_shared(to) + 4 * threadIdx.x;
    const unsigned at = (unsigned)__cvta_generic_to_shared(&barrier);
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at), "r"(THREADS));
    __syncthreads();
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(place), "l"(in + threadIdx.x), "r"(threadIdx.x % 2 ? 4 : 0)
                 : "memory");
    asm volatile("cp.async.commit_group; cp.async.wait_group 0; cp.async.wait_all;" ::: "memory");
    for (int phase = 0; phase < 2; phase++) {
        asm volatile("{ .reg .b64 state; .reg .pred p; mbarrier.arrive.shared.b64 state, [%0];\n"
                     "again: mbarrier.try_wait.shared.b64 p, [%0], state; @!p bra again; }" ::"r"(at)
                     : "memory");
        out[phase * THREADS + threadIdx.x] = to[THREADS - 1 - threadIdx.x];
        asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%0], %1; @!p trap; }" ::"r"(at), "r"(phase));
        __syncthreads();
        to[threadIdx.x] = phase ? 0 : (int)threadIdx.x;
        __syncthreads();
    }
}

/* A bulk copy counts the bytes that are to come. */
__global__ void bulk(int *out, const int *in) {
    __shared__ __align__(16) int to[THREADS];
    __shared__ __align__(8) unsigned long long barrier;
    const unsigned place = (unsigned)__cvta_generic_to_shared(to), at = (unsigned)__cvta_generic_to_shared(&barrier);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1; fence.mbarrier_init.release.cluster;" ::"r"(at));
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(place), "l"(in),
                     "r"(4 * THREADS), "r"(at)
                     : "memory");
        asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], %1;" ::"r"(at), "r"(4 * THREADS) : "memory");
    }
    __syncthreads();
    asm volatile("{ .reg .pred p;\nagain: mbarrier.try_wait.parity.shared.b64 p, [%0], 0; @!p bra again; }" ::"r"(at) : "memory");
    out[threadIdx.x] = to[THREADS - 1 - threadIdx.x];
}

static void check_warps(void) {
    int *out = DEVICE_ZEROS(int, 10 * THREADS), got[10 * THREADS];
    warps<<<1, THREADS>>>(out);
    fetch(got, out, sizeof(got));
    for (int i = 0; i < THREADS; i++) {
        const int *of = got + 10 * i, lane = i % 32;
        CHECK_EQUAL(of[0], lane ? 2 * lane - 1 : 0);
        CHECK_EQUAL(of[1], 5);
        CHECK_EQUAL((unsigned)of[2], 0xc0000000u);
        CHECK_EQUAL(of[3], 0);
        CHECK_EQUAL(of[4], lane < 16 ? 0xffff : (int)0xffff0000);
        CHECK_EQUAL(of[5], 7);
        CHECK_EQUAL(of[6], -3);
        CHECK_EQUAL(of[7], -1);
        CHECK_EQUAL(of[8], lane == 0);
        CHECK_EQUAL(of[9], 3);
    }
}

static void check_fields(void) {
    unsigned *out = DEVICE_ZEROS(unsigned, 6), got[6];
    fields<<<1, 1>>>(out, 0x12345678u, 0xfedcba9876543210ull);
    fetch(got, out, sizeof(got));
    CHECK_EQUAL(got[0], 0x456);
    CHECK_EQUAL(got[1], 0xdcba9);
    CHECK_EQUAL(got[2], 0xfffff78f);
    CHECK_EQUAL(got[3], 0xfffffff0);
    CHECK_EQUAL(got[4], 0xff0);
    CHECK_EQUAL(got[5], 0x76321256);
}

static void check_copies(void) {
    int *out = DEVICE_ZEROS(int, 2 * THREADS), *in = DEVICE_ZEROS(int, THREADS), got[2 * THREADS], host[THREADS];
    for (int i = 0; i < THREADS; i++)
        host[i] = 3 * i + 1;
    CUDA(cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice));
    copies<<<1, THREADS>>>(out, in);
    fetch(got, out, sizeof(got));
    for (int i = 0; i < THREADS; i++) {
        const int other = THREADS - 1 - i;
        CHECK_EQUAL(got[i], other % 2 ? host[other] : 0);
        CHECK_EQUAL(got[THREADS + i], other);
    }
    bulk<<<1, THREADS>>>(out, in);
    fetch(got, out, sizeof(got));
    for (int i = 0; i < THREADS; i++)
        CHECK_EQUAL(got[i], host[THREADS - 1 - i]);
}

int main(void) {
    check_warps();
    check_fields();
    check_copies();
    return 0;
}
