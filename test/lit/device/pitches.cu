// Rows with a pitch: of each, the same bytes are accessed. What is told of them where a launch may leave some out, and not
// where it hardly does.
// RUN: %kesco -O1 -c %s -o %t.o -Rpass-analysis=kesco 2>&1 | FileCheck %s
// RUN: %kesco -O0 -c %s -o %t.o -Rpass-analysis=kesco 2>&1 | FileCheck %s

// CHECK: kernel 'tile': writes p[0 .. {{.*}} bytes, 4*min(gridDim.x*blockDim.x, w) of each 4*pitch bytes)
__global__ void tile(float *p, int pitch, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h)
        p[y * pitch + x] = x;
}

// Its rows are as long as the pitch, unless the grid is too small for them.
// CHECK: kernel 'whole_rows': writes p[0 .. {{[^()]*(\([^()]*\)[^()]*)*}} bytes) [-R
__global__ void whole_rows(float *p, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h)
        p[y * w + x] = x;
}

// CHECK: kernel 'below': writes p[{{.*}} bytes, 4*gridDim.x*blockDim.x of each 4*pitch bytes)
__global__ void below(float *p, int x0, int y0, int pitch) {
    int x = blockIdx.x * blockDim.x + threadIdx.x + x0, y = blockIdx.y * blockDim.y + threadIdx.y + y0;
    p[y * pitch + x] = x;
}

// CHECK: kernel 'down': writes p[{{.*}} bytes, 4*min(gridDim.x*blockDim.x, w) of each 4*pitch bytes)
__global__ void down(float *p, size_t pitch, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    p += x;
    if (x < w)
        for (int y = 0; y < h; y++, p += pitch)
            *p = y;
}

// CHECK: kernel 'in_bytes': writes p[{{.*}} bytes, 4*min(gridDim.x*blockDim.x, w) of each pitch bytes)
__global__ void in_bytes(char *p, size_t pitch, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h)
        ((float *)(p + y * pitch))[x] = 1;
}

// One member of each struct; of all members together there is no gap.
// CHECK: kernel 'member': writes p[4 .. {{.*}} bytes, 4 of each 12 bytes)
__global__ void member(float3 *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].y = i;
}

// CHECK: kernel 'members': writes p[0 .. 8*min(gridDim.x*blockDim.x, n) bytes) [-R
__global__ void members(float2 *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i].x = 1;
        p[i].y = 2;
    }
}

// CHECK: kernel 'in_turn': writes p[0 .. 4*n bytes) [-R
__global__ void in_turn(float *p, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        p[i] = 1;
}

// Planes of rows are both.
// CHECK: kernel 'planes': writes p{{.*}} bytes, 4*gridDim.x*blockDim.x of each 4*nx bytes, {{.*}} of each 4*nx*ny bytes)
__global__ void planes(float *p, int nx, int ny, int depth) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    for (int z = 0; z < depth; z++)
        p[z * (nx * ny) + y * nx + x] = z;
}

// What is no sum of rows and columns has none.
// CHECK: kernel 'halved': writes p[0 .. 4*(blockDim.y*pitch - pitch + min(blockDim.x - 1, w - 1))/2 + 4 bytes) [-R
__global__ void halved(float *p, unsigned pitch, int w) {
    unsigned x = threadIdx.x, y = threadIdx.y;
    if (x < w)
        p[(y * pitch + x) / 2] = 1;
}

// CHECK: kernel 'joined': writes p[0 .. 4*blockDim.y*pitch - 4*pitch + 4*blockDim.x bytes) [-R
__global__ void joined(float *p, unsigned short pitch) {
    p[(threadIdx.y * pitch) | threadIdx.x] = 1;
}
