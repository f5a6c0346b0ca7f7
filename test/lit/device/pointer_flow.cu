// Pointers that change on their way from the parameter to the access.
// RUN: for o in 0 2; do sh %S/Inputs/rows.sh ROW %s %vgpu-kesco -O$o -c %s -o %t.o || exit 1; done
#include "Inputs/row.h"

#include <stdint.h>

// ROW: chosen: writes a, b
__global__ void chosen(int *a, int *b, int n) { (n ? a : b)[own()] = 1; }

// ROW: chosen_to_read: reads a, b; writes out
__global__ void chosen_to_read(int *out, const int *a, const int *b, int n) {
    const int *p = a;
    if (n > 3)
        p = b;
    out[own()] = p[own()];
}

// ROW: chosen_of_four: writes a, b, c, d
__global__ void chosen_of_four(int *a, int *b, int *c, int *d, int n) {
    int *p;
    switch (n) {
    case 0:
        p = a;
        break;
    case 1:
        p = b;
        break;
    case 2:
        p = c + 1;
        break;
    default:
        p = d;
    }
    p[own()] = 1;
}

// ROW: by_address: writes a, b
__global__ void by_address(int *a, int *b) { *(a < b ? a : b) = 1; }

// ROW: swapped_in_loop: reads from, to; writes from, to
__global__ void swapped_in_loop(float *from, float *to, int n) {
    for (int step = 0; step < n; ++step) {
        to[own()] = from[own() + 1];
        float *t = from;
        from = to;
        to = t;
    }
}

// ROW: rotated_in_loop: reads a, b, c; writes a, b, c
__global__ void rotated_in_loop(float *a, float *b, float *c, int n) {
    while (n-- > 0) {
        a[own()] = b[own()];
        float *t = a;
        a = b;
        b = c;
        c = t;
    }
}

// ROW: swapped_once: reads to; writes from
__global__ void swapped_once(float *from, float *to) {
    float *t = from;
    from = to;
    to = t;
    to[own()] = from[own()];
}

// ROW: replaced: writes q
__global__ void replaced(int *p, int *q) {
    p = q;
    p[own()] = 1;
}

// ROW: replaced_later: writes p, q
__global__ void replaced_later(int *p, int *q) {
    p[own()] = 1;
    p = q;
    p[own()] = 2;
}

// ROW: by_reference: writes a
__global__ void by_reference(int *a, int *b) {
    int *&r = a;
    r[own()] = 1;
    int &element = r[own() + 1];
    element = 2;
}

// ROW: by_chosen_reference: writes a, b
__global__ void by_chosen_reference(int *a, int *b, int n) {
    int *&r = n ? a : b;
    r[own()] = 1;
}

// ROW: replaced_by_reference: writes b
__global__ void replaced_by_reference(int *a, int *b) {
    int *&r = a;
    r = b;
    a[own()] = 1;
}

// ROW: by_pointer_to_local: writes a
__global__ void by_pointer_to_local(int *a, int *b) {
    int *local = a, **there = &local;
    (*there)[own()] = 1;
}

// ROW: by_pointer_to_parameter: writes b
__global__ void by_pointer_to_parameter(int *a, int *b) {
    int **there = &a;
    *there = b;
    a[own()] = 1;
}

static __device__ void choose(int **result, int *a, int *b, int n) { *result = n ? a : b; }
// ROW: by_out_parameter: writes a, b
__global__ void by_out_parameter(int *a, int *b, int *c, int n) {
    int *p = c;
    choose(&p, a, b, n);
    p[own()] = 1;
}

static __device__ __noinline__ void exchange(int *&a, int *&b) {
    int *t = a;
    a = b;
    b = t;
}
// conservative: what the call leaves in p and q may be taken for either parameter
// ROW: exchanged: reads {{b|a, b}}; writes {{a|a, b}}
__global__ void exchanged(int *a, int *b) {
    int *p = a, *q = b;
    exchange(p, q);
    q[own()] = p[own()];
}

// ROW: local_array: writes a, c
__global__ void local_array(int *a, int *b, int *c) {
    int *all[2] = {a, c};
    for (int i = 0; i < 2; ++i)
        all[i][own()] = i;
}

// ROW: local_array_by_number: reads a, b; writes out
__global__ void local_array_by_number(int *out, int *a, int *b, int n) {
    int *all[] = {a, b};
    out[own()] = all[n & 1][own()];
}

// ROW: local_array_filled_by_number: writes a, b
__global__ void local_array_filled_by_number(int *a, int *b, int n) {
    int *all[4] = {a, a, a, a};
    all[n & 3] = b;
    all[threadIdx.x & 3][own()] = 1;
}

struct Pair {
    int *first, *second;
};
// ROW: local_struct: reads a; writes b
__global__ void local_struct(int *a, int *b) {
    Pair pair = {a, b};
    pair.second[own()] = pair.first[own()];
}

// ROW: local_struct_copied: reads a; writes b
__global__ void local_struct_copied(int *a, int *b) {
    Pair pair = {a, b}, copy;
    copy = pair;
    copy.second[own()] = copy.first[own()];
}

// ROW: local_structs_by_number: writes a, b
__global__ void local_structs_by_number(int *a, int *b, int *c, int n) {
    Pair pairs[2] = {{a, c}, {b, c}};
    pairs[n & 1].first[own()] = 1;
}

// ROW: by_integer: writes a
__global__ void by_integer(int *a) {
    uintptr_t address = (uintptr_t)a;
    *(int *)(address + 4 * own()) = 1;
}

// ROW: aligned: writes a
__global__ void aligned(char *a) {
    char *p = (char *)(((uintptr_t)a + 15) & ~(uintptr_t)15);
    p[own()] = 1;
}

// ROW: tagged: writes a, b
__global__ void tagged(int *a, int *b, int n) {
    uintptr_t tagged = (uintptr_t)a | (n > 0);
    if (tagged & 1)
        *(int *)(tagged & ~(uintptr_t)1) = 1;
    else
        b[own()] = 1;
}

// conservative: all that went into the integer, or memory without a name
// ROW: by_xor: {{writes (a, )?b|writes memory that no argument names: [^;]*}}
__global__ void by_xor(int *a, int *b) {
    uintptr_t both = (uintptr_t)a ^ (uintptr_t)b;
    *(int *)(both ^ (uintptr_t)a) = 1;
}

// conservative: memory without a name
// ROW: by_xor_of_either: {{writes a, b|writes memory that no argument names: [^;]*}}
__global__ void by_xor_of_either(int *a, int *b, int n) {
    uintptr_t both = (uintptr_t)a ^ (uintptr_t)b;
    *(int *)(both ^ (n ? (uintptr_t)a : (uintptr_t)b)) = 1;
}

// conservative: memory without a name
// ROW: by_halves: {{writes a|writes memory that no argument names: [^;]*}}
__global__ void by_halves(int *a) {
    unsigned low = (unsigned)(uintptr_t)a, high = (unsigned)((uintptr_t)a >> 32);
    *(int *)((uintptr_t)high << 32 | low) = 1;
}

// The number that a parameter is may be said to lead there, or the memory to have no name.
// ROW: by_number: {{writes address|writes memory that no argument names: [^;]*}}
__global__ void by_number(unsigned long address) { *(int *)address = 1; }

// ROW: by_constant: writes memory that no argument names: it makes an address of a number (line {{[0-9]+}})
__global__ void by_constant(void) { *(volatile int *)0x1000 = 1; }

// An offset is no pointer.
// ROW: by_offset: writes a
__global__ void by_offset(char *a, unsigned long offset) { *(int *)(a + offset) = 1; }

// ROW: copied_bytes: writes a
__global__ void copied_bytes(int *a, int *b) {
    int *p;
    memcpy(&p, &a, sizeof p);
    p[own()] = 1;
}

union Punned {
    int *pointer;
    uintptr_t number;
};
// ROW: by_local_union: writes a
__global__ void by_local_union(int *a) {
    Punned punned;
    punned.number = (uintptr_t)a + 16;
    punned.pointer[own()] = 1;
}

// ROW: to_global_space: writes a
__global__ void to_global_space(int *a) { *(int *)__cvta_global_to_generic(__cvta_generic_to_global(a + own())) = 1; }

// ROW: by_volatile_local: writes a
__global__ void by_volatile_local(int *a) {
    int *volatile p = a;
    p[own()] = 1;
}

// ROW: found_by_search: reads a; writes a
__global__ void found_by_search(int *a, int n) {
    int *found = nullptr;
    for (int i = 0; i < n; ++i)
        if (a[i] > 10)
            found = &a[i];
    if (found)
        *found = 0;
}

// conservative: pointers that went through shared memory may be taken for unnamed
// ROW: by_shared: {{writes a|writes memory that no argument names: [^;]*}}
__global__ void by_shared(int *a) {
    __shared__ int *p;
    if (threadIdx.x == 0)
        p = a;
    __syncthreads();
    p[threadIdx.x] = 1;
}

// conservative: as above, but not b alone
// ROW: by_shared_array: {{writes a, b|writes memory that no argument names: [^;]*}}
__global__ void by_shared_array(int *a, int *b, int n) {
    __shared__ int *all[2];
    all[0] = a;
    all[1] = b;
    __syncthreads();
    all[n & 1][threadIdx.x] = 1;
}

// conservative: another lane's pointer may be taken for unnamed
// ROW: by_shuffle: {{writes a|writes memory that no argument names: [^;]*}}
__global__ void by_shuffle(int *a) {
    int *mine = a + threadIdx.x;
    int *theirs = (int *)__shfl_sync(0xffffffffu, (unsigned long long)mine, 0);
    *theirs = 1;
}

extern __shared__ int *given[];
// An array without bounds has any element.
// ROW: by_dynamic_shared: writes a, b
__global__ void by_dynamic_shared(int *a, int *b, int n) {
    if (threadIdx.x == 0)
        given[0] = a;
    __syncthreads();
    if (threadIdx.x == 0)
        given[n - 3] = b;
    __syncthreads();
    given[0][own()] = 1;
}

struct List {
    int count;
    int *items[];
};
struct OldList {
    int count;
    int *items[1];
};
// ROW: by_flexible_array: writes a, b
__global__ void by_flexible_array(int *a, int *b, int n) {
    __shared__ __align__(8) char room[128];
    List *list = (List *)room;
    list->items[0] = a;
    list->items[n - 3] = b;
    list->items[0][own()] = 1;
}

// ROW: by_old_flexible_array: writes a, b
__global__ void by_old_flexible_array(int *a, int *b, int n) {
    __shared__ __align__(8) char room[128];
    OldList *list = (OldList *)room;
    ((int **)room)[4] = a;
    list->items[n] = b;
    ((int **)room)[4][own()] = 1;
}

// A number that may be an address, and then moves on.
// ROW: by_either: writes a; writes memory that no argument names: {{[^;]*}}
__global__ void by_either(int *a, uintptr_t address, int n) {
    uintptr_t either = n ? (uintptr_t)a : address;
    *(int *)(either + 4) = 1;
}

// ROW: by_halves_of_number: writes a; writes memory that no argument names: {{[^;]*}}
__global__ void by_halves_of_number(int *a, unsigned low, unsigned high, int n) {
    *(int *)(n ? (uintptr_t)a : (uintptr_t)high << 32 | low) = 1;
}

// The distance between two pointers is no address.
// ROW: by_distance: writes {{(a, b; writes )?}}memory that no argument names: {{[^;]*}}
__global__ void by_distance(int *a, int *b, uintptr_t address) { *(int *)(address + ((uintptr_t)b - (uintptr_t)a)) = 1; }

// ROW: by_distance_later: writes {{(a, b; writes )?}}memory that no argument names: {{[^;]*}}
__global__ void by_distance_later(int *a, int *b, uintptr_t address) {
    *(int *)(address + (uintptr_t)b - (uintptr_t)a) = 1;
}

// ROW: by_misalignment: writes {{(a; writes )?}}memory that no argument names: {{[^;]*}}
__global__ void by_misalignment(int *a, uintptr_t address) { *(int *)(address + ((uintptr_t)a & 15)) = 1; }

// ROW: by_padding: writes a
__global__ void by_padding(char *a) {
    uintptr_t address = (uintptr_t)a;
    address += -address & 15;
    *(int *)address = 1;
}

// ROW: by_number_of_bytes: writes a
__global__ void by_number_of_bytes(char *a, size_t rows, size_t pitch) {
    *(int *)(((uintptr_t)a + rows * pitch + 15) & ~(uintptr_t)15) = 1;
}
