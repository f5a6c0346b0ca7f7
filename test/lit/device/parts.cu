// Kernels that go to places far from each other: their ranges have parts. What overlaps or lies side by side is one.
// RUN: %kesco -std=c++17 -O2 -c %s -o %t.o -Rpass-analysis=kesco 2>&1 | FileCheck %s --implicit-check-not="bytes)"

// CHECK: kernel 'rows': writes to[0 .. 8*min(gridDim.x*blockDim.x, width) bytes) and [8*width*height - 8*width .. {{.*}} bytes)
__global__ void rows(double *to, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x < width) {
        to[x] = 1;
        to[(height - 1) * width + x] = 2;
    }
}

// CHECK: kernel 'columns': writes to[0 .. {{.*}} bytes, 8 of each 8*width bytes) and [8*width - 8 .. {{.*}} bytes, 8 of each 8*width bytes)
__global__ void columns(double *to, int width, int height) {
    int y = blockIdx.x * blockDim.x + threadIdx.x;
    if (y < height) {
        to[y * width] = 3;
        to[y * width + width - 1] = 4;
    }
}

// The same column twice is one piece of each row.
// CHECK: kernel 'both': writes to[0 .. {{.*}} bytes, 8 of each 4*width bytes)
__global__ void both(float *to, int width, int height) {
    int y = blockIdx.x * blockDim.x + threadIdx.x;
    if (y < height) {
        to[y * width] = 3;
        to[y * width + 1] = 4;
    }
}

// CHECK: kernel 'slots': writes to[12*n .. 16*n bytes) and [0 .. 4*n bytes)
__global__ void slots(float *to, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        to[i] = to[3 * n + i] = 1;
}

// CHECK: kernel 'neighbours': writes to[min(4*n, 0) .. max(8*n, 4*n) bytes)
__global__ void neighbours(float *to, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        to[i] = to[n + i] = 1;
}

// More than four: those become one that lie next to each other.
// CHECK: kernel 'many': writes to[20000 .. 20004 bytes) and [4000 .. 4004 bytes) and [1200 .. 1204 bytes) and [0 .. 404 bytes)
__global__ void many(float *to) {
    if (threadIdx.x == 0)
        to[0] = to[100] = to[300] = to[1000] = to[5000] = 1;
}
