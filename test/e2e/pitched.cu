// Images and volumes that know their pitch: what cudaMallocPitch and cudaMalloc3D store beside the pointer, in the same
// struct, does not hide which memory is whose. Three images and three volumes swap their buffers, ten steps each.
// RUN: for level in 0 1 2 3; do \
// RUN:   %vgpu -O$level %s -o %t.serial && %vgpu-kesco -O$level -Rpass=kesco %s -o %t.kesco 2>&1 | FileCheck %s || exit 1; \
// RUN:   env VGPU_STATS=%t.0.json %t.serial >%t.expected && FileCheck %s --check-prefix=CHAIN --input-file=%t.0.json || exit 1; \
// RUN:   for seed in 0 1 2 3 4; do \
// RUN:     env KESCO_MODE=lanes VGPU_CHECK=races VGPU_SEED=$seed VGPU_STATS=%t.1.json %t.kesco | diff %t.expected - || exit 1; \
// RUN:     FileCheck %s --check-prefix=LANES --input-file=%t.1.json || exit 1; \
// RUN:   done; \
// RUN: done
// CHECK-NOT: checked at run time
// CHECK: remark: {{.*}}30 kernels {{.*}}run on {{[36]}} lanes with
// CHECK-NOT: checked at run time
// CHECK: remark: {{.*}}30 kernels {{.*}}run on {{[36]}} lanes with
// CHECK-NOT: checked at run time
// CHAIN: "ordered_chain": 60
// LANES: "ordered_chain": 20
#include <cstdio>
#include <utility>

enum { WIDTH = 20, HEIGHT = 4, COUNT = 3, STEPS = 10 };

struct Image {
    int *data;
    size_t pitch;
    int height;
};

struct Volume {
    cudaPitchedPtr memory;
    cudaExtent extent;
};

__global__ void smooth(const Image from, Image to) {
    int x = threadIdx.x, y = blockIdx.x;
    const int *in = (const int *)((const char *)from.data + y * from.pitch);
    int *out = (int *)((char *)to.data + y * to.pitch);
    out[x] = in[x] + 2 * in[(x + 1) % WIDTH] + 1;
}

__global__ void grow(const cudaPitchedPtr from, cudaPitchedPtr to) {
    int x = threadIdx.x, y = blockIdx.x;
    const int *in = (const int *)((const char *)from.ptr + y * from.pitch);
    int *out = (int *)((char *)to.ptr + y * to.pitch);
    out[x] = 3 * in[x] + x + y;
}

static long digest(const void *data, size_t pitch) {
    static int values[HEIGHT][WIDTH];
    cudaMemcpy2D(values, sizeof *values, data, pitch, sizeof *values, HEIGHT, cudaMemcpyDeviceToHost);
    long sum = 0;
    for (auto &row : values)
        for (int value : row)
            sum = sum * 31 + value;
    return sum;
}

static long images() {
    Image from[COUNT], to[COUNT];
    for (int i = 0; i < COUNT; i++)
        for (Image *image : {&from[i], &to[i]}) {
            image->height = HEIGHT;
            cudaMallocPitch((void **)&image->data, &image->pitch, WIDTH * sizeof(int), HEIGHT);
            cudaMemset2D(image->data, image->pitch, i, WIDTH * sizeof(int), HEIGHT);
        }
    cudaDeviceSynchronize();
    for (int step = 0; step < STEPS; step++)
        for (int i = 0; i < COUNT; i++) {
            smooth<<<HEIGHT, WIDTH>>>(from[i], to[i]);
            std::swap(from[i], to[i]);
        }
    cudaDeviceSynchronize();
    long sum = 0;
    for (const Image &image : from)
        sum = sum * 7 + digest(image.data, image.pitch);
    return sum;
}

static long volumes() {
    Volume from[COUNT], to[COUNT];
    for (int i = 0; i < COUNT; i++)
        for (Volume *volume : {&from[i], &to[i]}) {
            volume->extent = make_cudaExtent(WIDTH * sizeof(int), HEIGHT / 2, 2);
            cudaMalloc3D(&volume->memory, volume->extent);
            cudaMemset(volume->memory.ptr, i, volume->memory.pitch * HEIGHT);
        }
    cudaDeviceSynchronize();
    for (int step = 0; step < STEPS; step++)
        for (int i = 0; i < COUNT; i++) {
            grow<<<HEIGHT, WIDTH>>>(from[i].memory, to[i].memory);
            std::swap(from[i], to[i]);
        }
    cudaDeviceSynchronize();
    long sum = 0;
    for (const Volume &volume : from)
        sum = sum * 7 + digest(volume.memory.ptr, volume.memory.pitch);
    return sum;
}

int main() {
    long sum = images();
    printf("%ld %ld\n", sum, volumes());
    return 0;
}
