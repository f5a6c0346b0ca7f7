// Memory that is copied, set or assigned in one go.
// RUN: for o in 0 2; do sh %S/Inputs/rows.sh ROW %s %vgpu-kesco -std=c++17 -O$o -c %s -o %t.o || exit 1; done
#include "Inputs/row.h"

#include <string.h>

struct Block {
    int values[16];
};
struct View {
    int *data;
    int length;
};
struct Particle {
    float3 place, speed;
    int kind;
};

// ROW: copies: reads in; writes out
__global__ void copies(char *out, const char *in, int n) { memcpy(out, in, n); }

// ROW: copies_fixed: reads in; writes out
__global__ void copies_fixed(int *out, const int *in) { memcpy(out + own(), in + own(), 16 * sizeof(int)); }

// ROW: moves: reads a; writes a
__global__ void moves(char *a, int n) { __builtin_memmove(a, a + 1, n); }

// ROW: sets: writes a
__global__ void sets(void *a, int n) { memset(a, 0, n); }

// ROW: sets_fixed: writes a
__global__ void sets_fixed(Block *a) { memset(&a[own()], 0, sizeof(Block)); }

// ROW: by_builtin: reads in; writes out
__global__ void by_builtin(int *out, const int *in) { __builtin_memcpy(out, in, 256); }

// ROW: copies_nothing: touches no memory
__global__ void copies_nothing(char *out, const char *in) { memcpy(out, in, 0); }

// ROW: assigns: reads in; writes out
__global__ void assigns(Block *out, const Block *in) { out[own()] = in[own()]; }

// ROW: assigns_empty: writes out
__global__ void assigns_empty(Block *out) { out[own()] = Block{}; }

// ROW: assigns_parts: reads p; writes p
__global__ void assigns_parts(Particle *p) {
    p[own()].speed = p[own() + 1].place;
    p[own()].place = make_float3(0, 0, 0);
}

// ROW: into_local: reads in; writes out
__global__ void into_local(int *out, const Block *in, int n) {
    Block block;
    memcpy(&block, &in[own()], sizeof block);
    out[own()] = block.values[n & 15];
}

// ROW: out_of_local: writes out
__global__ void out_of_local(Block *out, int n) {
    Block block;
    for (int i = 0; i < 16; ++i)
        block.values[i] = n * i;
    out[own()] = block;
}

// ROW: out_of_parameter: writes out
__global__ void out_of_parameter(Block *out, Block block) { out[own()] = block; }

// ROW: into_shared: reads in; writes out
__global__ void into_shared(Block *out, const Block *in) {
    __shared__ Block block;
    memcpy(&block, in, sizeof block);
    __syncthreads();
    memcpy(out, &block, sizeof block);
}

// The pointer that is copied with the rest leads nowhere unless it is used.
// ROW: copies_views: reads in; writes out
__global__ void copies_views(View *out, const View *in) { out[own()] = in[own()]; }

// ROW: uses_length: reads in; writes out
__global__ void uses_length(int *out, const View *in) {
    View view = in[own()];
    out[own()] = view.length;
}

// ROW: stores_view: writes out
__global__ void stores_view(View *out, View view) { out[own()] = view; }

// ROW: by_loop: reads in; writes out
__global__ void by_loop(int *__restrict__ out, const int *__restrict__ in, int n) {
    for (int i = 0; i < n; ++i)
        out[i] = in[i];
}

// ROW: clears_by_loop: writes out
__global__ void clears_by_loop(int *out, int n) {
    for (int i = 0; i < n; ++i)
        out[i] = 0;
}

// ROW: among_three: reads b, c; writes a, b
__global__ void among_three(int *a, int *b, const int *c, int n) {
    memcpy(a, b, n);
    memcpy(b, c, n);
}

// ROW: copies_chosen: reads a, b; writes out
__global__ void copies_chosen(int *out, const int *a, const int *b, int n) { memcpy(out, n > 4 ? a : b, n); }
