// What kernels do beside their accesses: printing, the device heap, traps.
// RUN: for o in 0 2; do sh %S/Inputs/rows.sh ROW %s %vgpu-kesco -O$o -c %s -o %t.o || exit 1; done
#include "Inputs/row.h"

#include <assert.h>
#include <new>
#include <stdio.h>

struct Item {
    int number;
    __device__ Item(int number) : number(number) {}
};

// ROW: greets: prints
__global__ void greets(void) { printf("hello\n"); }

// ROW: prints_number: prints
__global__ void prints_number(int n, float x) { printf("%d %f\n", n, x); }

// ROW: prints_element: reads a; prints
__global__ void prints_element(const float *a) { printf("%f\n", a[own()]); }

// A pointer's value is no memory, what %s leads to is.
// ROW: prints_pointer: prints
__global__ void prints_pointer(const float *a) { printf("%p\n", a); }

// ROW: prints_text: reads text; prints
__global__ void prints_text(const char *text) { printf("%s\n", text); }

// ROW: prints_format: reads format; prints
__global__ void prints_format(const char *format, int n) { printf(format, n); }

static __device__ __noinline__ void tell(int n) { printf("%d\n", n); }
// ROW: prints_deeply: writes a; prints
__global__ void prints_deeply(int *a) {
    a[own()] = 1;
    tell(own());
}

// ROW: prints_sometimes: reads a; prints
__global__ void prints_sometimes(const int *a) {
    if (a[own()] < 0)
        printf("negative\n");
}

// ROW: own_heap: reads in; writes out; uses the device heap
__global__ void own_heap(int *out, const int *in, int n) {
    int *mine = (int *)malloc(n * sizeof(int));
    for (int i = 0; i < n; ++i)
        mine[i] = in[i];
    out[own()] = mine[n / 2];
    free(mine);
}

// ROW: keeps_heap: writes slots; uses the device heap
__global__ void keeps_heap(int **slots, int n) {
    int *mine = (int *)malloc(n);
    mine[own()] = 1;
    slots[own()] = mine;
}

// ROW: makes_new: writes slots; uses the device heap
__global__ void makes_new(Item **slots) { slots[own()] = new Item(own()); }

// ROW: makes_array: reads in; writes out; uses the device heap
__global__ void makes_array(int *out, const int *in, int n) {
    int *mine = new int[n];
    for (int i = 0; i < n; ++i)
        mine[n - i - 1] = in[i];
    out[own()] = mine[3];
    delete[] mine;
}

// ROW: frees: uses the device heap
__global__ void frees(void *p) { free(p); }

// ROW: frees_loaded: reads slots; uses the device heap
__global__ void frees_loaded(int **slots) { delete slots[own()]; }

// What an earlier kernel put on the heap is found through memory.
// ROW: finds_heap: reads slots; writes memory that no argument names: {{[^;]*}}
__global__ void finds_heap(int **slots) { slots[own()][0] = 1; }

// ROW: in_place: writes items
__global__ void in_place(Item *items) { new (&items[own()]) Item(own()); }

// ROW: traps: may trap
__global__ void traps(void) { __trap(); }

// ROW: traps_sometimes: reads a; writes b; may trap
__global__ void traps_sometimes(const int *a, int *b) {
    if (a[own()] < 0)
        __trap();
    b[own()] = 1;
}

// ROW: traps_by_builtin: reads a; may trap
__global__ void traps_by_builtin(const int *a) {
    if (a[own()])
        __builtin_trap();
}

// ROW: asserts: reads a; writes b; may trap
__global__ void asserts(const int *a, int *b) {
    assert(a[own()] >= 0 && "a is never negative");
    b[own()] = 1;
}

static __device__ __noinline__ int checked(const int *a, int n) {
    assert(n >= 0);
    return a[n];
}
// ROW: asserts_deeply: reads a; writes b; may trap
__global__ void asserts_deeply(const int *a, int *b) { b[own()] = checked(a, own() - 5); }

// ROW: all_of_it: reads a; writes b; prints; uses the device heap; may trap
__global__ void all_of_it(const int *a, int *b, int n) {
    int *mine = new int[n];
    for (int i = 0; i < n; ++i)
        mine[i] = a[i] + i;
    if (mine[n / 2] < 0)
        __trap();
    b[own()] = mine[n - 1];
    printf("%d\n", mine[0]);
    delete[] mine;
}

// A thread that ends, and code that is never reached, are no traps.
// ROW: ends_early: reads a; writes b
__global__ void ends_early(const int *a, int *b) {
    if (a[own()] < 0)
        asm volatile("exit;");
    b[own()] = 1;
}

// ROW: promises: reads a; writes b
__global__ void promises(const int *a, int *b) {
    if (a[own()] < 0)
        __builtin_unreachable();
    b[own()] = 1;
}

// ROW: sleeps: writes a
__global__ void sleeps(int *a) {
    __nanosleep(10);
    a[own()] = 1;
}

// What a program that checks nothing does not run.
#undef assert
#define NDEBUG
#include <assert.h>
// ROW: asserts_nothing: writes b
__global__ void asserts_nothing(const int *a, int *b) {
    assert(a[own()] >= 0);
    b[own()] = 1;
}
