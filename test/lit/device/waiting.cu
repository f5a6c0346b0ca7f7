// Loops that may wait for what other blocks do, and loops that look like it.
// RUN: for o in 0 2; do sh %S/Inputs/rows.sh ROW %s %vgpu-kesco -O$o -c %s -o %t.o || exit 1; done
#include "../Inputs/cache_functions.h"
#include "Inputs/row.h"

__device__ unsigned next_ticket, serving;

// ROW: for_flag: reads flag; may wait for other blocks
__global__ void for_flag(const volatile int *flag) {
    while (*flag == 0)
        ;
}

// ROW: in_do: reads flag; may wait for other blocks
__global__ void in_do(int *flag) {
    do {
    } while (*(volatile int *)flag == 0);
}

// ROW: in_for: reads flag; writes flag; may wait for other blocks
__global__ void in_for(int *flag) {
    for (; atomicAdd(flag, 0) == 0;)
        ;
}

// ROW: first_thread_only: reads flag, a; writes a; may wait for other blocks
__global__ void first_thread_only(volatile int *flag, int *a) {
    if (threadIdx.x == 0)
        while (*flag < 5)
            ;
    __syncthreads();
    a[own()] *= 2;
}

// ROW: takes_lock: reads lock, data; writes lock, data; may wait for other blocks
__global__ void takes_lock(int *lock, int *data) {
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0)
            ;
        __threadfence();
        *data += 1;
        __threadfence();
        atomicExch(lock, 0);
    }
}

// ROW: tries_lock_again: reads lock, data; writes lock, data; may wait for other blocks
__global__ void tries_lock_again(int *lock, int *data) {
    bool done = false;
    while (!done)
        if (atomicCAS(lock, 0, 1) == 0) {
            *(volatile int *)data += 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
}

// ROW: grid_barrier: reads count, a; writes count, a; may wait for other blocks
__global__ void grid_barrier(unsigned *count, int *a) {
    a[own()] += 1;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(count, 1);
        while (atomicAdd(count, 0) < gridDim.x)
            ;
    }
    __syncthreads();
    a[own() + 1] += 1;
}

// ROW: takes_ticket: reads variable next_ticket, variable serving; writes variable next_ticket, variable serving; may wait for other blocks
__global__ void takes_ticket(void) {
    unsigned mine = atomicAdd(&next_ticket, 1);
    while (*(volatile unsigned *)&serving != mine)
        ;
    __threadfence();
    atomicAdd(&serving, 1);
}

static __device__ bool is_set(volatile int *flag) { return *flag != 0; }
// ROW: in_call: reads flag; may wait for other blocks
__global__ void in_call(int *flag) {
    while (!is_set(flag))
        ;
}

static __device__ __noinline__ void wait_deeply(int *flag) {
    while (atomicOr(flag, 0) == 0)
        __nanosleep(100);
}
// ROW: deeply: reads flag; writes flag, a; may wait for other blocks
__global__ void deeply(int *flag, int *a) {
    wait_deeply(flag);
    a[own()] = 1;
}

static __device__ void again(int *flag) {
    if (atomicAdd(flag, 0) == 0)
        again(flag);
}
// ROW: by_recursion: reads flag; writes flag; may wait for other blocks
__global__ void by_recursion(int *flag) { again(flag); }

// ROW: by_jump: reads flag; writes flag; may wait for other blocks
__global__ void by_jump(int *flag) {
again:
    if (atomicAdd(flag, 0) == 0)
        goto again;
}

// ROW: counting: reads flag; writes flag, tries; may wait for other blocks
__global__ void counting(int *flag, int *tries) {
    int i = 0;
    for (; atomicAdd(flag, 0) == 0; ++i)
        ;
    tries[own()] = i;
}

// ROW: until_break: reads flag; may wait for other blocks
__global__ void until_break(volatile int *flag) {
    for (int i = 0; true; ++i)
        if (*flag)
            break;
}

// ROW: starting_over: reads flag; writes flag; may wait for other blocks
__global__ void starting_over(int *flag) {
    for (int i = 0; i < 10; ++i)
        if (atomicAdd(flag, 0) == 0)
            i = 0;
}

// ROW: two_deep: reads flags, a; writes a; may wait for other blocks
__global__ void two_deep(volatile int *flags, int *a, int n) {
    for (int i = 0; i < n; ++i) {
        while (flags[i] == 0)
            ;
        a[i] += 1;
    }
}

// ROW: by_fence: reads flag; may wait for other blocks
__global__ void by_fence(const int *flag) {
    while (*flag == 0)
        __threadfence();
}

// ROW: by_cache: reads flag; may wait for other blocks
__global__ void by_cache(const int *flag) {
    while (__ldcv(flag) == 0)
        ;
}

// ROW: by_assembly: reads flag; may wait for other blocks
__global__ void by_assembly(const int *flag) {
    int value;
    do
        asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
    while (value == 0);
}

// Assembly that is volatile looks again each time.
// ROW: by_cached_assembly: reads flag; may wait for other blocks
__global__ void by_cached_assembly(const int *flag) {
    int value;
    do
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(flag));
    while (value == 0);
}

// ROW: by_builtin: reads flag; may wait for other blocks
__global__ void by_builtin(int *flag) {
    while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) == 0)
        ;
}

// ROW: on_loaded_pointer: reads flags; may wait for other blocks; reads memory that no argument names: {{[^;]*}}
__global__ void on_loaded_pointer(volatile int *const *flags) {
    volatile int *flag = flags[own()];
    while (*flag == 0)
        ;
}

struct Sync {
    int *arrived;
    volatile int *flag;
};
// ROW: in_struct: reads s.arrived, s.flag; writes s.arrived, s.flag; may wait for other blocks
__global__ void in_struct(Sync s) {
    if (atomicAdd(s.arrived, 1) == gridDim.x - 1)
        *s.flag = 1;
    else
        while (!*s.flag)
            ;
}

// ROW: look_back: reads status; writes status; may wait for other blocks
__global__ void look_back(int *status) {
    int seen, sum = 0;
    for (int i = blockIdx.x - 1; i >= 0; --i) {
        do
            seen = *(volatile int *)&status[i];
        while (seen < 0);
        sum += seen;
    }
    *(volatile int *)&status[blockIdx.x] = sum;
}

// What ends by itself does not wait.
// ROW: counted: reads a; writes a
__global__ void counted(int *a, int n) {
    for (int i = 0; i < n; ++i)
        atomicAdd(&a[i], 1);
}

// ROW: counted_volatile: reads a; writes out
__global__ void counted_volatile(int *out, const volatile int *a) {
    int sum = 0;
    for (int i = 0; i < 100; ++i)
        sum += a[i];
    out[own()] = sum;
}

// ROW: counted_by_pointer: reads a; writes a
__global__ void counted_by_pointer(int *a, int n) {
    for (int *p = a; p != a + n; ++p)
        atomicMax(p, 1);
}

// ROW: halving: reads a; writes a
__global__ void halving(int *a, int n) {
    for (int half = n; half > 0; half /= 2) {
        a[own()] += a[own() + half];
        __syncthreads();
    }
}

// ROW: on_own_data: reads a; writes a
__global__ void on_own_data(int *a) {
    while (a[own()] > 0)
        --a[own()];
}

// ROW: search: reads a; writes out
__global__ void search(int *out, const int *a) {
    int i = 0;
    while (a[i] != 0)
        ++i;
    out[own()] = i;
}

// conservative: a loop that a flag may end early may count as waiting, though it ends in any case
// ROW: few_tries: reads flag; writes out{{(; may wait for other blocks)?}}
__global__ void few_tries(int *out, const volatile int *flag) {
    int seen = 0;
    for (int i = 0; i < 100 && !seen; ++i)
        seen = *flag;
    out[own()] = seen;
}

// Other blocks have no part in shared memory.
// ROW: on_shared_flag: writes out
__global__ void on_shared_flag(int *out) {
    __shared__ volatile int ready;
    if (threadIdx.x == 0)
        ready = 1;
    while (ready == 0)
        ;
    out[own()] = 1;
}

// ROW: on_shared_lock: reads a; writes a
__global__ void on_shared_lock(int *a) {
    __shared__ int lock;
    while (atomicCAS(&lock, 0, 1) != 0)
        ;
    a[0] += 1;
    __threadfence_block();
    atomicExch(&lock, 0);
}

// ROW: on_local: writes out
__global__ void on_local(int *out, int n) {
    volatile int left = n;
    while (left > 0)
        left = left - 1;
    out[own()] = left;
}
