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

// Each round that fails means that another thread's succeeded, so nobody waits.
// ROW: swap_loop: reads a; writes a
__global__ void swap_loop(unsigned long long *a, double value) {
    unsigned long long old = *a, assumed;
    do {
        assumed = old;
        old = atomicCAS(a, assumed, __double_as_longlong(value + __longlong_as_double(assumed)));
    } while (assumed != old);
}

// ROW: float_maximum: reads a, in; writes a
__global__ void float_maximum(int *a, const float *in) {
    float value = in[own()];
    int old = *a;
    while (__int_as_float(old) < value) {
        int assumed = old;
        old = atomicCAS(a, assumed, __float_as_int(value));
        if (old == assumed)
            break;
    }
}

// A round behind one that succeeded finds what that has written, and is the last.
// ROW: float_minimum: reads a, in; writes a
__global__ void float_minimum(int *a, const float *in) {
    float value = in[own()];
    int old = *a;
    while (__int_as_float(old) > value)
        old = atomicCAS(a, old, __float_as_int(value));
}

// ROW: in_function: reads a, in; writes a
static __device__ __noinline__ void multiply(int *a, int by) {
    int assumed, old = *a;
    do
        assumed = old;
    while ((old = atomicCAS(a, assumed, by * assumed)) != assumed);
}
__global__ void in_function(int *a, const int *in, int n) {
    for (int i = own(); i < n; i += blockDim.x * gridDim.x)
        multiply(&a[i % 4], in[i]);
}

// ROW: by_fresh_load: reads a; writes a
__global__ void by_fresh_load(int *a) {
    int seen;
    do
        seen = *(volatile int *)a;
    while (atomicCAS(a, seen, seen * 3 + 1) != seen);
}

// ROW: by_atomic: reads a; writes a
__global__ void by_atomic(int *a) {
    int seen = *a;
    while (!__atomic_compare_exchange_n(a, &seen, seen ^ 5, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

// ROW: int_minimum: reads a, in; writes a
__global__ void int_minimum(int *a, const int *in) {
    int value = in[own()], old = *a;
    while (old > value)
        old = atomicCAS(a, old, value);
}

// The loop around it ends by itself, too; this one does not.
// ROW: in_waiting_loop: reads a, flag; writes a; may wait for other blocks
__global__ void in_waiting_loop(int *a, volatile int *flag) {
    for (int i = 0; i < 10;) {
        int seen = *a;
        while (!__atomic_compare_exchange_n(a, &seen, seen ^ 5, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            ;
        if (*flag)
            ++i;
    }
}

// ROW: gives_up: reads a; writes a
__global__ void gives_up(int *a, int most) {
    int old = *a, assumed;
    do {
        assumed = old;
        if (assumed >= most)
            break;
        old = atomicCAS(a, assumed, assumed + 1);
    } while (assumed != old);
}

// A lock by what was seen last: as long as it is taken, the loop goes on without a try.
// ROW: lock_by_look: reads lock, data; writes lock, data; may wait for other blocks
__global__ void lock_by_look(int *lock, int *data) {
    int seen;
    do
        seen = *(volatile int *)lock;
    while (seen != 0 || atomicCAS(lock, seen, 1) != seen);
    *data += 1;
    atomicExch(lock, 0);
}

// Each try expects what was there long ago.
// ROW: expects_old: reads a; writes a; may wait for other blocks
__global__ void expects_old(int *a) {
    int seen = *a;
    while (atomicCAS(a, seen, seen + 1) != seen)
        ;
}

// It looks by a swap that changes nothing.
// ROW: looks_by_swap: reads flag; writes flag; may wait for other blocks
__global__ void looks_by_swap(int *flag) {
    int seen = 0;
    while (seen != 7)
        seen = atomicCAS(flag, seen, seen);
}

// ROW: swaps_until_flag: reads a, flag; writes a; may wait for other blocks
__global__ void swaps_until_flag(int *a, volatile int *flag) {
    int old = *a, assumed;
    do {
        assumed = old;
        old = atomicCAS(a, assumed, assumed + 1);
    } while (assumed != old || *flag == 0);
}

// ROW: swaps_other: reads a, b; writes a, b; may wait for other blocks
__global__ void swaps_other(int *a, int *b) {
    int old = *a, assumed;
    do {
        assumed = old;
        old = atomicCAS(b, assumed, assumed + 1);
        old = atomicAdd(a, 0);
    } while (assumed != old);
}

// ROW: not_each_time: reads a, flag; writes a; may wait for other blocks
__global__ void not_each_time(int *a, volatile int *flag) {
    int old = *a, assumed;
    do {
        assumed = old;
        if (*flag)
            old = atomicCAS(a, assumed, assumed + 1);
        else
            old = assumed + 1;
    } while (assumed != old);
}

// The count only grows, so nobody waits.
// ROW: work_queue: reads next, in; writes next, out
__global__ void work_queue(int *next, int n, int *out, const int *in) {
    for (int i; (i = atomicAdd(next, 1)) < n;)
        out[i] = in[i];
}

// One thread of a warp takes the next rows, and hands them to the others.
// ROW: takes_rows: reads next, in; writes next, out
__global__ void takes_rows(int *next, int n, int *out, const int *in) {
    int row = 0;
    if (threadIdx.x % 32 == 0)
        row = atomicAdd(next, 8);
    row = __shfl_sync(0xffffffff, row, 0) + threadIdx.x % 8;
    while (row < n) {
        int sum = 0;
        for (int i = in[row]; i < in[row + 1]; i++)
            sum += i;
        out[row] = sum;
        if (threadIdx.x % 32 == 0)
            row = atomicAdd(next, 8);
        row = __shfl_sync(0xffffffff, row, 0) + threadIdx.x % 8;
    }
}

// ROW: takes_until: reads next, in; writes next, out
__global__ void takes_until(int *next, int n, int *out, const int *in) {
    for (;;) {
        int i = atomicAdd(next, 1);
        if (n <= i)
            break;
        out[i] = in[i];
    }
}

// Here nobody takes more as long as the flag is not set.
// ROW: takes_rows_by_flag: reads next, flag; writes next; may wait for other blocks
__global__ void takes_rows_by_flag(int *next, int n, volatile int *flag) {
    int row = 0;
    while (row < n) {
        if (*flag)
            row = atomicAdd(next, 8);
        row = __shfl_sync(0xffffffff, row, 0);
    }
}

// ROW: hands_out_flag: reads flag; may wait for other blocks
__global__ void hands_out_flag(volatile int *flag) {
    int seen = 0;
    while (seen < 5) {
        if (threadIdx.x % 32 == 0)
            seen = *flag;
        seen = __shfl_sync(0xffffffff, seen, 0);
    }
}

// ROW: less_by_counter: reads next, n; writes next; may wait for other blocks
__global__ void less_by_counter(int *next, volatile int *n) {
    while (atomicAdd(next, 1) < *n)
        ;
}

// Whether control comes to the way out may be up to others, too.
// ROW: takes_if_flag: reads next, flag; writes next, flag; may wait for other blocks
__global__ void takes_if_flag(int *next, int n, int *flag) {
    for (;;) {
        if (atomicOr(flag, 0) == 0)
            continue;
        if (atomicAdd(next, 1) >= n)
            break;
    }
}

// ROW: round_robin: reads ready; writes out; may wait for other blocks
__global__ void round_robin(int *out, volatile int *ready, int n, int last) {
    for (int k = 0; true; k = (k + 1) % n)
        if (ready[k]) {
            out[k] = 1;
            __threadfence();
            if (k == last)
                break;
        }
}

// Each pass takes back what it has counted.
// ROW: locks_for_reading: reads lock, data; writes lock, out; may wait for other blocks
__global__ void locks_for_reading(int *lock, int *out, const int *data) {
    while (atomicAdd(lock, 1) < 0)
        atomicSub(lock, 1);
    out[own()] = data[own()];
    atomicSub(lock, 1);
}

static __device__ __noinline__ void take_back(int *lock) { atomicExch(lock, 0); }
// ROW: takes_back_in_call: reads lock; writes lock; may wait for other blocks
__global__ void takes_back_in_call(int *lock, int n) {
    while (atomicAdd(lock, 1) < n)
        take_back(lock);
}

// ROW: leaves_out_its_own: reads count; writes count; may wait for other blocks
__global__ void leaves_out_its_own(int *count, int n) {
    int mine = 0;
    while (atomicAdd(count, 1) + mine < n)
        --mine;
}

// What is written besides is something else.
// ROW: counts_done: reads next, done; writes next, done, out
__global__ void counts_done(int *next, int n, int *done, int *out) {
    for (int i; (i = atomicAdd(next, 1)) < n;) {
        out[i] = 1;
        atomicSub(done, 1);
    }
}

// Its own addition spoils each swap, unless somebody takes that back.
// ROW: spoils_its_swap: reads a; writes a; may wait for other blocks
__global__ void spoils_its_swap(int *a) {
    int seen;
    do {
        seen = *(volatile int *)a;
        atomicAdd(a, 1);
    } while (atomicCAS(a, seen, 7) != seen);
}

// ROW: minus_counter: reads next; writes next; may wait for other blocks
__global__ void minus_counter(int *next, int n) {
    while (n - atomicAdd(next, 1) < 0)
        ;
}

// ROW: until_others_count: reads next; writes next; may wait for other blocks
__global__ void until_others_count(int *next, int n) {
    while (atomicAdd(next, 0) < n)
        ;
}

// ROW: while_beyond: reads next; writes next; may wait for other blocks
__global__ void while_beyond(int *next, int n) {
    while (atomicAdd(next, 1) > n)
        ;
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
