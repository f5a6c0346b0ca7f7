// Which bytes behind a pointer a launch accesses, in words: from its arguments, its block and its grid.
// RUN: %kesco -std=c++17 -O2 -c %s -o %t.o -Rpass-analysis=kesco 2>&1 | FileCheck %s --implicit-check-not="bytes)"

// CHECK: kernel 'guarded': reads out[0 .. 4*min(gridDim.x*blockDim.x, n) bytes), in[0 .. 4*n bytes); writes out[0 .. 4*min(gridDim.x*blockDim.x, n) bytes)
__global__ void guarded(int *out, const int *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        for (int j = 0; j < n; j++)
            out[i] += in[j];
}

// CHECK: kernel 'strides': reads in[0 .. 8*n bytes); writes out[0 .. 4*n bytes)
__global__ void strides(float *out, const double *in, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = in[i];
}

// CHECK: kernel 'block': writes out[0 .. 4*blockDim.x bytes)
__global__ void block(float *out) { out[threadIdx.x] = 1; }

// CHECK: kernel 'fixed': writes out[-16 .. 4*min(blockDim.x, 64) bytes)
__global__ void fixed(float *out) {
    if (threadIdx.x < 64)
        out[threadIdx.x] = 1;
    out[-4] = 1;
}

// Halos, from before the pointer.
// CHECK: kernel 'halo': reads in[-4 .. 4*min(gridDim.x*blockDim.x - 1, n - 1) + 8 bytes); writes out[0 .. 4*min(gridDim.x*blockDim.x, n) bytes)
__global__ void halo(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i - 1] + in[i + 1];
}

// A loop may go on until a number is another, where its steps lead there.
// CHECK: kernel 'until': writes up[0 .. 4*n bytes), down[4 .. 4*n + 4 bytes)
__global__ void until(float *up, float *down, int n) {
    for (int i = 0; i != n; i++)
        up[i] = 1;
    int i = n;
    do
        down[i] = 1;
    while (--i != 0);
}

// CHECK: kernel 'fours': writes in_fours[0 .. 4*n + 4 bytes), in_threes [-Rpass
__global__ void fours(float *in_fours, float *in_threes, int n) {
    const int fours = n & ~3;
    for (int i = 0; i != fours; i += 4)
        in_fours[i] = 1;
    for (int i = 0; i != n; i += 3)
        in_threes[i] = 1;
}

// CHECK: kernel 'counts': reads up[0 .. 4 bytes), down[4 .. 8 bytes); writes up[0 .. 4 bytes), down[4 .. 8 bytes)
__global__ void counts(unsigned *up, unsigned *down) {
    atomicInc(up, 7);
    atomicDec(down + 1, 7);
}

struct Pair {
    float *out;
    int n;
};
// CHECK: kernel 'member': writes p.out[0 .. 4*min(blockDim.x, p.n) bytes)
__global__ void member(Pair p) {
    if (threadIdx.x < p.n)
        p.out[threadIdx.x] = 1;
}

struct Extent {
    int size[2];
    bool is_set;
};
// CHECK: kernel 'first_member': writes out[0 .. 4*min(blockDim.x, e.size[0]) bytes)
__global__ void first_member(float *out, Extent e) {
    if (threadIdx.x < e.size[0])
        out[threadIdx.x] = 1;
}

// An index that was loaded may be any; what is behind it is all of the memory.
// CHECK: kernel 'indexed': reads index[0 .. 4*blockDim.x bytes); writes out [-Rpass
__global__ void indexed(float *out, const int *index) { out[index[threadIdx.x]] = 1; }

// What is too long to read is left out, and the pointer named alone.
// CHECK: kernel 'long_one': writes out [-Rpass
__global__ void long_one(float *out, int first_width, int first_height, int second_width, int second_height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < first_width && y < first_height && x < second_width && y < second_height)
        out[(size_t)y * first_width * 3 + x * second_width + second_height] = 1;
}

// A quotient by what the launch gives, as of a row by its length.
// CHECK: kernel 'folded': writes out[0 .. 4*n + 16*n*min(gridDim.x*blockDim.x - 1, m*n - 1)/(n) bytes, 4*n of each 16*n bytes)
__global__ void folded(int *out, int m, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m * n)
        out[i % n + 4 * (i / n) * n] = i;
}
