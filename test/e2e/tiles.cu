// Tiles of a matrix, which lie between each other in memory: what kernels access of rows with a pitch is told apart by
// columns, too. By numbers in the plan, by the guard where only the run has them, and by the run for each launch of a loop;
// tiles that overlap keep their order. Serially, and with races checked under many orders, the results are the same.
// RUN: for level in 1 2 3; do \
// RUN:   %vgpu -O$level %s -o %t.serial && %vgpu-kesco -O$level %s -o %t.kesco || exit 1; \
// RUN:   for how in numbers guarded narrow "loop 64 16" "columns 64 16" "clamped 64 16" "bytes 64 16" "planes 64 16" "halo 64 16"; do \
// RUN:     sh %compare 6 %t.serial %t.kesco $how && KESCO_MODE=auto sh %compare 2 %t.serial %t.kesco $how || exit 1; \
// RUN:     env KESCO_MODE=lanes VGPU_STATS=%t.json %t.kesco $how >/dev/null || exit 1; \
// RUN:     echo "$how" `cat %t.json`; \
// RUN:   done >%t.all && FileCheck %s --input-file=%t.all || exit 1; \
// RUN: done
//
// Two launches for each tile, four tiles in straight lines, ten in a loop that is unrolled, and 16 in others. The first of a loop come behind what cleared the
// matrix, and each other once.
// CHECK: numbers {{.*}}"ordered_chain": 2,
// CHECK: guarded {{.*}}"ordered_chain": {{[23]}},
// CHECK: narrow {{.*}}"ordered_chain": {{[23]}},
// CHECK: loop 64 16 {{.*}}"ordered_chain": {{[2-4]}},
// CHECK: columns 64 16 {{.*}}"ordered_chain": {{[2-4]}},
// CHECK: clamped 64 16 {{.*}}"ordered_chain": {{[2-4]}},
// CHECK: bytes 64 16 {{.*}}"ordered_chain": {{[2-4]}},
// CHECK: planes 64 16 {{.*}}"ordered_chain": {{[2-4]}},
// All of them, where each tile has a column of the next.
// CHECK: halo 64 16 {{.*}}"ordered_chain": 32,

#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { TILE = 64, TILES = 4, PITCH = TILE * TILES, ROWS = 8, PLANES = 2 };

__global__ void add(int *tile, int pitch, int width, int height, int value) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < width && y < height)
        tile[y * pitch + x] += value + x;
}

__global__ void twice(int *tile, int pitch, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;

    if (x < width)
        for (int y = 0; y < height; y++)
            tile[y * pitch + x] *= 2;
}

// As few rows as the pointer goes on by.
__global__ void go_down(int *tile, size_t pitch, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int *at = tile + x;

    if (x < width)
        for (int y = 0; y < height; y++, at += pitch)
            *at *= 2;
}

__global__ void add_to_column(int *all, int first, int pitch, int value) {
    int x = blockIdx.x * blockDim.x + threadIdx.x + first, y = blockIdx.y * blockDim.y + threadIdx.y;

    all[y * pitch + x] += value + x;
}

// The guard is on all of the matrix.
__global__ void add_within(int *all, int first, int width, int height, int value) {
    int x = blockIdx.x * blockDim.x + threadIdx.x + first, y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < width && y < height)
        all[y * width + x] += value + x;
}

__global__ void add_by_bytes(char *tile, size_t pitch, int width, int height, int value) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < width && y < height)
        ((int *)(tile + y * pitch))[x] += value + x;
}

__global__ void add_in_planes(int *tile, int pitch, int rows, int width, int height, int depth, int value) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < width && y < height)
        for (int z = 0; z < depth; z++)
            tile[(z * rows + y) * pitch + x] += value + z;
}

static const dim3 block(32, 4), grid(TILE / 32, ROWS / 4);

static void numbers(int *all) {
    enum { ALL = PITCH * ROWS };
    int *p;

    cudaMalloc(&p, ALL * sizeof(int));
    cudaMemset(p, 0, ALL * sizeof(int));
    add<<<dim3(2, 2), dim3(32, 4)>>>(p, PITCH, TILE, ROWS, 1);
    add<<<dim3(2, 2), dim3(32, 4)>>>(p + TILE, PITCH, TILE, ROWS, 2);
    add<<<dim3(2, 2), dim3(32, 4)>>>(p + 2 * TILE, PITCH, TILE, ROWS, 3);
    add<<<dim3(2, 2), dim3(32, 4)>>>(p + 3 * TILE, PITCH, TILE, ROWS, 4);
    twice<<<2, 32>>>(p, PITCH, TILE, ROWS);
    twice<<<2, 32>>>(p + TILE, PITCH, TILE, ROWS);
    twice<<<2, 32>>>(p + 2 * TILE, PITCH, TILE, ROWS);
    twice<<<2, 32>>>(p + 3 * TILE, PITCH, TILE, ROWS);
    cudaMemcpy(all, p, ALL * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(p);
}

static void guarded(int *p, int pitch, int tile, int rows) {
    add<<<grid, block>>>(p, pitch, tile, rows, 1);
    add<<<grid, block>>>(p + tile, pitch, tile, rows, 2);
    add<<<grid, block>>>(p + 2 * tile, pitch, tile, rows, 3);
    add<<<grid, block>>>(p + 3 * tile, pitch, tile, rows, 4);
    go_down<<<2, 32>>>(p, pitch, tile, rows);
    go_down<<<2, 32>>>(p + tile, pitch, tile, rows);
    go_down<<<2, 32>>>(p + 2 * tile, pitch, tile, rows);
    go_down<<<2, 32>>>(p + 3 * tile, pitch, tile, rows);
}

// As near to each other as members of one object.
static void narrow(int *all, int rows) {
    enum { WIDTH = 8, COUNT = 10, PITCH = 128 };
    int *p;

    cudaMalloc(&p, PITCH * ROWS * sizeof(int));
    cudaMemset(p, 0, PITCH * ROWS * sizeof(int));
    for (int round = 0; round < 2; round++)
        for (int x = 0; x < WIDTH * COUNT; x += WIDTH)
            add<<<dim3(1, 2), dim3(WIDTH, 4)>>>(p + x, PITCH, WIDTH, rows, x + round);
    cudaMemcpy(all, p, PITCH * ROWS * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(p);
}

static void loop(int *p, int pitch, int tile, int width, int tiles, int rows) {
    for (int i = 0; i < tiles; i++) {
        add<<<grid, block>>>(p + i * tile, pitch, width, rows, i);
        twice<<<2, 32>>>(p + i * tile, pitch, width, rows);
    }
}

static void columns(int *p, int pitch, int tile, int tiles) {
    for (int i = 0; i < tiles; i++) {
        add_to_column<<<grid, block>>>(p, i * tile, pitch, i);
        add_to_column<<<grid, block>>>(p, i * tile, pitch, 2 * i);
    }
}

static void clamped(int *p, int width, int tile, int tiles, int rows) {
    for (int i = 0; i < tiles; i++) {
        add_within<<<grid, block>>>(p, i * tile, width, rows, i);
        add_within<<<grid, block>>>(p, i * tile, width, rows, 2 * i);
    }
}

static void bytes(int *p, size_t pitch, int tile, int tiles, int rows) {
    for (int i = 0; i < tiles; i++) {
        add_by_bytes<<<grid, block>>>((char *)p + i * tile * sizeof(int), pitch, tile, rows, i);
        add_by_bytes<<<grid, block>>>((char *)p + i * tile * sizeof(int), pitch, tile, rows, 2 * i);
    }
}

static void planes(int *p, int pitch, int tile, int tiles, int rows) {
    for (int i = 0; i < tiles; i++) {
        add_in_planes<<<grid, block>>>(p + i * tile, pitch, rows, tile, rows, PLANES, i);
        add_in_planes<<<grid, block>>>(p + i * tile, pitch, rows, tile, rows, PLANES, 2 * i);
    }
}

int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "loop";
    int tile = argc > 2 ? atoi(argv[2]) : TILE, tiles = argc > 3 ? atoi(argv[3]) : TILES, pitch = tile * tiles;
    int count = pitch * ROWS * PLANES, *all = (int *)calloc(count, sizeof(int)), *p;

    if (strcmp(how, "numbers") == 0) {
        numbers(all);
    } else if (strcmp(how, "narrow") == 0) {
        narrow(all, argc + ROWS - 2);
    } else {
        cudaMalloc(&p, count * sizeof(int));
        cudaMemset(p, 0, count * sizeof(int));
        if (strcmp(how, "guarded") == 0)
            guarded(p, pitch, tile, ROWS);
        else if (strcmp(how, "columns") == 0)
            columns(p, pitch, tile, tiles);
        else if (strcmp(how, "clamped") == 0)
            clamped(p, pitch, tile, tiles, ROWS);
        else if (strcmp(how, "bytes") == 0)
            bytes(p, pitch * sizeof(int), tile, tiles, ROWS);
        else if (strcmp(how, "planes") == 0)
            planes(p, pitch, tile, tiles, ROWS);
        else if (strcmp(how, "halo") == 0)
            loop(p, pitch, tile - 1, tile, tiles, ROWS);
        else
            loop(p, pitch, tile, tile, tiles, ROWS);
        cudaMemcpy(all, p, count * sizeof(int), cudaMemcpyDeviceToHost);
        cudaFree(p);
    }
    unsigned sum = 0;
    for (int i = 0; i < count; i++)
        sum = sum * 31 + all[i];
    printf("%s %u\n", how, sum);
    free(all);
    return 0;
}
