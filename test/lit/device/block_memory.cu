// Memory of a block's or a thread's own is nobody else's business.
// RUN: for o in 0 2; do sh %S/Inputs/rows.sh ROW %s %vgpu-kesco -std=c++17 -O$o -c %s -o %t.o || exit 1; done
#include "Inputs/row.h"

extern __shared__ float given[];
struct Pair {
    int first, second;
};

// ROW: by_shared_array: reads in; writes out
__global__ void by_shared_array(float *out, const float *in) {
    __shared__ float tile[64];
    tile[threadIdx.x] = in[own()];
    __syncthreads();
    out[own()] = tile[63 - threadIdx.x];
}

// ROW: by_dynamic_shared: reads in; writes out
__global__ void by_dynamic_shared(float *out, const float *in) {
    given[threadIdx.x] = in[own()];
    __syncthreads();
    out[own()] = given[threadIdx.x ^ 1];
}

// ROW: by_divided_shared: writes out
__global__ void by_divided_shared(int *out, int n) {
    float *floats = given;
    int *ints = (int *)&floats[n];
    floats[threadIdx.x] = 1;
    ints[threadIdx.x] = 2;
    __syncthreads();
    out[own()] = ints[0] + (int)floats[0];
}

// ROW: only_shared: touches no memory
__global__ void only_shared(int n) {
    __shared__ volatile int mine[32];
    mine[threadIdx.x] = n;
}

// ROW: shared_struct: reads in; writes out
__global__ void shared_struct(Pair *out, const Pair *in) {
    __shared__ Pair pair;
    if (threadIdx.x == 0)
        pair = in[blockIdx.x];
    __syncthreads();
    out[own()].second = pair.first;
}

// ROW: reduction: reads in; writes out
__global__ void reduction(float *out, const float *in) {
    __shared__ float sums[128];
    sums[threadIdx.x] = in[own()];
    for (int half = 64; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            sums[threadIdx.x] += sums[threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = sums[0];
}

// ROW: shared_atomics: reads in; writes out
__global__ void shared_atomics(int *out, const int *in) {
    __shared__ int bins[16];
    if (threadIdx.x < 16)
        bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[in[own()] & 15], 1);
    __syncthreads();
    if (threadIdx.x < 16)
        out[threadIdx.x] = bins[threadIdx.x];
}

static __device__ __noinline__ void store(int *p, int value) { *p = value; }
// One function is given shared memory and memory of the device.
// ROW: shared_as_argument: writes out
__global__ void shared_as_argument(int *out, int n) {
    __shared__ int mine;
    store(&mine, n);
    __syncthreads();
    store(&out[own()], mine);
}

static __device__ int *shared_in_function(void) {
    __shared__ int inside[4];
    return inside;
}
// ROW: shared_of_function: writes out
__global__ void shared_of_function(int *out, int n) {
    shared_in_function()[0] = n;
    __syncthreads();
    out[own()] = *shared_in_function();
}

// ROW: shared_or_global: reads a; writes out
__global__ void shared_or_global(int *out, int *a, int n) {
    __shared__ int mine[32];
    mine[threadIdx.x] = n;
    __syncthreads();
    int *p = n > 3 ? mine : a;
    out[own()] = p[threadIdx.x];
}

// conservative: pointers that went through shared memory may be taken for unnamed
// ROW: by_pointer_in_shared: {{touches no memory|writes memory that no argument names: [^;]*}}
__global__ void by_pointer_in_shared(int n) {
    __shared__ int values[32];
    __shared__ int *volatile p;
    p = &values[n & 31];
    __syncthreads();
    *(volatile int *)p = 1;
}

// ROW: local_array: reads in; writes out
__global__ void local_array(int *out, const int *in, int n) {
    int mine[8];
    for (int i = 0; i < 8; ++i)
        mine[i] = in[8 * own() + i];
    out[own()] = mine[n & 7];
}

// ROW: local_as_argument: writes out
__global__ void local_as_argument(int *out, int n) {
    int mine[4] = {};
    store(&mine[n & 3], n);
    out[own()] = mine[1];
}

// ROW: only_local: touches no memory
__global__ void only_local(int n) {
    volatile int mine[4];
    mine[n & 3] = 1;
}

// ROW: shuffles: reads in; writes out
__global__ void shuffles(int *out, const int *in) {
    int value = in[own()];
    for (int distance = 16; distance > 0; distance /= 2)
        value += __shfl_down_sync(0xffffffffu, value, distance);
    out[own()] = value + __shfl_xor_sync(0xffffffffu, value, 1);
}

// ROW: votes: writes out
__global__ void votes(unsigned *out, int n) {
    out[own()] = __ballot_sync(0xffffffffu, threadIdx.x < n) + __popc(__activemask()) + __any_sync(0xffffffffu, n > 0) +
                 __syncthreads_count(n);
}

// ROW: matches: reads in; writes out
__global__ void matches(unsigned *out, const int *in) {
    out[own()] = __match_any_sync(0xffffffffu, in[own()]) + __reduce_add_sync(0xffffffffu, in[own()]);
}

// ROW: only_barriers: touches no memory
__global__ void only_barriers(void) {
    __syncthreads();
    __syncwarp();
    __threadfence();
    __threadfence_block();
}

// ROW: where_it_runs: writes out
__global__ void where_it_runs(long long *out) {
    out[own()] = clock64() + clock() + threadIdx.y + gridDim.z + warpSize + __nvvm_read_ptx_sreg_laneid();
}
