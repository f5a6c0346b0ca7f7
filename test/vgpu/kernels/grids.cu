// RUN: %vgpu-clang++ -O0 %s -o %t && %t
// RUN: %vgpu-clang++ -O2 %s -o %t && %t
// Every thread of a grid of one, two or three dimensions runs once, and sees its own place.
#include "check.h"

struct place {
    unsigned thread[3], block[3];
};

__global__ void note(struct place *places) {
    const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
    const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    struct place *p = &places[block * threads + thread];
    p->thread[0] += threadIdx.x + 1;
    p->thread[1] += threadIdx.y + 1;
    p->thread[2] += threadIdx.z + 1;
    p->block[0] += blockIdx.x + 1;
    p->block[1] += blockIdx.y + 1;
    p->block[2] += blockIdx.z + 1;
}

static void run(dim3 grid, dim3 block) {
    const unsigned count = grid.x * grid.y * grid.z * block.x * block.y * block.z;
    struct place *device = DEVICE_ZEROS(struct place, count);
    struct place *host = (struct place *)malloc(count * sizeof(*host));
    note<<<grid, block>>>(device);
    fetch(host, device, count * sizeof(*host));
    struct place *p = host;
    for (unsigned bz = 1; bz <= grid.z; bz++)
        for (unsigned by = 1; by <= grid.y; by++)
            for (unsigned bx = 1; bx <= grid.x; bx++)
                for (unsigned tz = 1; tz <= block.z; tz++)
                    for (unsigned ty = 1; ty <= block.y; ty++)
                        for (unsigned tx = 1; tx <= block.x; tx++, p++) {
                            CHECK(p->thread[0] == tx && p->thread[1] == ty && p->thread[2] == tz);
                            CHECK(p->block[0] == bx && p->block[1] == by && p->block[2] == bz);
                        }
    free(host);
    CUDA(cudaFree(device));
}

int main(void) {
    run(dim3(1), dim3(1));
    run(dim3(7), dim3(33));
    run(dim3(3, 5), dim3(8, 4));
    run(dim3(2, 3, 4), dim3(5, 3, 2));
    run(dim3(1, 1, 2), dim3(4, 4, 64));
    return 0;
}
