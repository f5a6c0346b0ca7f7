// One array, and launches of a kernel that is given which box of it to work on, as models with absorbing sides have them: a
// loop's passes depend on each other, but not the boxes in one. Where the boxes are is known to the run alone; it tells them
// apart by the bytes of each launch, also where their bounds are 64 bits wide. Boxes that meet keep their order. Serially, and
// with races checked under many orders, the results are the same.
// RUN: for level in 1 2; do \
// RUN:   %vgpu -O$level %s -o %t.serial && %vgpu-kesco -O$level %s -o %t.kesco || exit 1; \
// RUN:   for how in row plane volume wide meeting; do \
// RUN:     sh %compare 6 %t.serial %t.kesco $how 12 10 && KESCO_MODE=auto sh %compare 2 %t.serial %t.kesco $how 12 10 || exit 1; \
// RUN:     env KESCO_MODE=lanes VGPU_STATS=%t.json %t.kesco $how 12 10 >/dev/null || exit 1; \
// RUN:     echo "$how" `cat %t.json`; \
// RUN:   done >%t.all && FileCheck %s --input-file=%t.all || exit 1; \
// RUN: done
//
// Ten passes of three boxes each.
// CHECK: row {{.*}}"ordered_chain": 10,
// CHECK: plane {{.*}}"ordered_chain": 10,
// CHECK: volume {{.*}}"ordered_chain": 10,
// CHECK: wide {{.*}}"ordered_chain": 10,
// Of three, the middle one has elements of both others, which only come behind that of the pass before.
// CHECK: meeting {{.*}}"ordered_chain": 21,

#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void add_in_row(int *all, int from, int to, int pass) {
    int x = from + blockIdx.x * blockDim.x + threadIdx.x;

    if (x < to)
        all[x] = all[x] * 3 + x + pass;
}

__global__ void add_in_plane(int *all, int pitch, int x0, int x1, int y0, int y1, int pass) {
    int x = x0 + blockIdx.x * blockDim.x + threadIdx.x, y = y0 + blockIdx.y * blockDim.y + threadIdx.y;

    if (x < x1 && y < y1)
        all[y * pitch + x] = all[y * pitch + x] * 3 + x + pass;
}

__global__ void add_in_volume(int *all, int pitch, int height, int x0, int x1, int y0, int y1, int z0, int z1, int pass) {
    int x = x0 + blockIdx.x * blockDim.x + threadIdx.x, y = y0 + blockIdx.y * blockDim.y + threadIdx.y;
    int z = z0 + blockIdx.z * blockDim.z + threadIdx.z;

    if (x < x1 && y < y1 && z < z1)
        all[(z * height + y) * pitch + x] = all[(z * height + y) * pitch + x] * 3 + x + pass;
}

// What lies around the volume, some elements wide along each axis, is not worked on.
__global__ void add_in_wide_volume(int *to, const int *from, int pitch, int height, long long x0, long long x1, long long y0,
                                   long long y1, long long z0, long long z1, long long hx, long long hy, long long hz) {
    const long long x = x0 + blockIdx.x * blockDim.x + threadIdx.x, y = y0 + blockIdx.y * blockDim.y + threadIdx.y;
    const long long z = z0 + blockIdx.z * blockDim.z + threadIdx.z;

    if (x > x1 - 1 || y > y1 - 1 || z > z1 - 1)
        return;
    const long long at = ((z + hz) * height + y + hy) * (long long)pitch + x + hx;
    to[at] = 2 * from[at] - to[at] + (int)x;
}

enum { SIDE = 4 };

static int count(int from, int to) {
    return (to - from + SIDE - 1) / SIDE;
}

static void work_in_rows(int *all, int size, int passes, int overlap) {
    int side = size / 4;

    for (int pass = 0; pass < passes; pass++) {
        add_in_row<<<count(0, side + overlap), SIDE>>>(all, 0, side + overlap, pass);
        add_in_row<<<count(side, size - side + overlap), SIDE>>>(all, side, size - side + overlap, pass);
        add_in_row<<<count(size - side, size), SIDE>>>(all, size - side, size, pass);
    }
}

static void work_in_plane(int *all, int size, int passes) {
    int side = size / 4;
    dim3 block(SIDE, SIDE);

    for (int pass = 0; pass < passes; pass++) {
        dim3 grid(count(0, side), count(0, size)), middle(count(side, size - side), count(0, size));

        add_in_plane<<<grid, block>>>(all, size, 0, side, 0, size, pass);
        add_in_plane<<<middle, block>>>(all, size, side, size - side, 0, size, pass);
        add_in_plane<<<grid, block>>>(all, size, size - side, size, 0, size, pass);
    }
}

static void work_in_volume(int *all, int size, int passes) {
    int side = size / 4;
    dim3 block(SIDE, SIDE, SIDE);

    for (int pass = 0; pass < passes; pass++) {
        dim3 grid(count(0, side), count(0, size), count(0, size)), middle(count(side, size - side), grid.y, grid.z);

        add_in_volume<<<grid, block>>>(all, size, size, 0, side, 0, size, 0, size, pass);
        add_in_volume<<<middle, block>>>(all, size, size, side, size - side, 0, size, 0, size, pass);
        add_in_volume<<<grid, block>>>(all, size, size, size - side, size, 0, size, 0, size, pass);
    }
}

static void work_in_wide_volume(int *to, int *from, int size, int passes) {
    int side = size / 4, inner = size - 2;
    dim3 block(SIDE, SIDE, SIDE);

    for (int pass = 0; pass < passes; pass++) {
        dim3 grid(count(0, side), count(0, inner), count(0, inner)), middle(count(side, inner - side), grid.y, grid.z);

        add_in_wide_volume<<<grid, block>>>(to, from, size, size, 0, side, 0, inner, 0, inner, 1, 1, 1);
        add_in_wide_volume<<<middle, block>>>(to, from, size, size, side, inner - side, 0, inner, 0, inner, 1, 1, 1);
        add_in_wide_volume<<<grid, block>>>(to, from, size, size, inner - side, inner, 0, inner, 0, inner, 1, 1, 1);
        int *last = from;
        from = to;
        to = last;
    }
}

static void show(const int *all, int size) {
    int *host = new int[size];
    unsigned sum = 0;

    cudaMemcpy(host, all, size * sizeof(int), cudaMemcpyDeviceToHost);
    for (int i = 0; i < size; i++)
        sum = sum * 31 + host[i];
    std::printf("%u\n", sum);
    delete[] host;
}

int main(int, char **argv) {
    const char *how = argv[1];
    int size = std::atoi(argv[2]), passes = std::atoi(argv[3]), cube = size * size * size, *all, *other;

    cudaMalloc(&all, cube * sizeof(int));
    cudaMalloc(&other, cube * sizeof(int));
    cudaMemset(all, 1, cube * sizeof(int));
    cudaMemset(other, 2, cube * sizeof(int));
    if (std::strcmp(how, "row") == 0)
        work_in_rows(all, size, passes, 0);
    else if (std::strcmp(how, "meeting") == 0)
        work_in_rows(all, size, passes, 1);
    else if (std::strcmp(how, "plane") == 0)
        work_in_plane(all, size, passes);
    else if (std::strcmp(how, "volume") == 0)
        work_in_volume(all, size, passes);
    else
        work_in_wide_volume(all, other, size, passes);
    show(all, cube);
    show(other, cube);
    cudaFree(all);
    cudaFree(other);
}
