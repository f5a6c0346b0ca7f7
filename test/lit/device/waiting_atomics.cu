// Rounds that atomic operations end: compare-and-swap loops, and counters of work, that wait for other blocks or do not.
// RUN: for o in 0 2; do sh %S/Inputs/rows.sh ROW %s %vgpu-kesco -O$o -c %s -o %t.o || exit 1; done
#include "Inputs/row.h"

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

// The rows of a sparse matrix: where the next begins is loaded anew in each pass, as the swap may have changed it.
// ROW: claims_neighbours: reads rows, columns, level; writes level
__global__ void claims_neighbours(const int *rows, const int *columns, int *level, int n) {
    int row = own();
    if (row < n)
        for (int e = rows[row]; e < rows[row + 1]; e++)
            atomicCAS(&level[columns[e]], -1, row);
}

// ROW: claims_by_long: reads rows, level; writes level
__global__ void claims_by_long(const unsigned *rows, int *level) {
    for (size_t e = rows[own()]; rows[own() + 1] > e; ++e)
        atomicCAS(&level[e], -1, 1);
}

// The bound is looked at with a purpose, or the count is not this thread's.
// ROW: counts_below_flag: reads flag, a; writes a; may wait for other blocks
__global__ void counts_below_flag(volatile int *flag, int *a) {
    for (int i = 0; i < *flag; i++)
        atomicCAS(a, i, 1);
}

// ROW: stays_below: reads bound, a; writes a; may wait for other blocks
__global__ void stays_below(const int *bound, int *a, int step) {
    for (int i = 0; i < *bound; i += step)
        atomicCAS(a, i, 1);
}

// ROW: until_equal: reads bound, a; writes a; may wait for other blocks
__global__ void until_equal(const int *bound, int *a) {
    for (int i = 0; i != *bound; i++)
        atomicCAS(a, i, 1);
}
