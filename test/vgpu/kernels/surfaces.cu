// RUN: %vgpu-clang++ -O1 -Wno-deprecated-declarations %s -o %t
// RUN: for s in 0 1; do env VGPU_SEED=$s VGPU_CHECK=races %t || exit 1; done
// RUN: sh -c 'VGPU_CHECK=races %t race >%t.out 2>&1; test $? = 66' && FileCheck --check-prefix=RACE %s < %t.out
// RUN: sh -c '%t outside >%t.out 2>&1; test $? = 3' && FileCheck --check-prefix=OUTSIDE %s < %t.out
// RACE: race on bytes
// OUTSIDE: kernel {{.*}}write_outside{{.*}}: surface 0x{{.*}}: access outside
// What surfaces read and write: elements by the byte of their row, and what becomes of places outside. Clang 19 has
// no functions for them.
// REQUIRES: clang-22
#include "check.h"

enum { WIDTH = 4, HEIGHT = 2, LAYERS = 2 };

__global__ void turn(cudaSurfaceObject_t from, cudaSurfaceObject_t to) {
    const int x = threadIdx.x, y = threadIdx.y;
    ushort2 both = surf2Dread<ushort2>(from, x * sizeof(both), y);
    both.x += 100;
    surf2Dwrite(both, to, (WIDTH - 1 - x) * (int)sizeof(both), y);
}

__global__ void read_outside(cudaSurfaceObject_t from, int *out) {
    out[0] = surf2Dread<ushort2>(from, -400, 1, cudaBoundaryModeZero).y;
    out[1] = surf2Dread<ushort2>(from, -400, 9, cudaBoundaryModeClamp).y;
    surf2Dwrite(make_ushort2(9, 9), from, 0, -1, cudaBoundaryModeZero);
}

__global__ void write_outside(cudaSurfaceObject_t to) {
    surf2Dwrite(make_ushort2(9, 9), to, 0, HEIGHT);
}

__global__ void write_layer(cudaSurfaceObject_t to, int layer) {
    surf2DLayeredwrite(layer + 0.5f, to, threadIdx.x * (int)sizeof(float), threadIdx.y, layer);
}

static cudaSurfaceObject_t new_surface(cudaArray_t array) {
    cudaResourceDesc resource = {};
    cudaSurfaceObject_t surface;
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    CUDA(cudaCreateSurfaceObject(&surface, &resource));
    return surface;
}

static cudaArray_t new_array(unsigned flags) {
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<ushort2>();
    cudaArray_t array;
    CUDA(cudaMallocArray(&array, &format, WIDTH, HEIGHT, flags));
    return array;
}

static void test_layers(bool race) {
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    float got[LAYERS][HEIGHT][WIDTH];
    cudaArray_t array;
    cudaStream_t streams[LAYERS];
    CUDA(cudaMalloc3DArray(&array, &format, make_cudaExtent(WIDTH, HEIGHT, LAYERS),
                           cudaArrayLayered | cudaArraySurfaceLoadStore));
    for (int layer = 0; layer < LAYERS; layer++) {
        CUDA(cudaStreamCreateWithFlags(&streams[layer], cudaStreamNonBlocking));
        write_layer<<<1, dim3(WIDTH, HEIGHT), 0, streams[layer]>>>(new_surface(array), race ? 0 : layer);
    }
    CUDA(cudaDeviceSynchronize());
    cudaMemcpy3DParms copy = {};
    copy.srcArray = array;
    copy.dstPtr = make_cudaPitchedPtr(got, sizeof(got[0][0]), WIDTH, HEIGHT);
    copy.extent = make_cudaExtent(WIDTH, HEIGHT, LAYERS);
    copy.kind = cudaMemcpyDeviceToHost;
    CUDA(cudaMemcpy3D(&copy));
    CHECK(race || (got[0][1][3] == 0.5f && got[1][0][0] == 1.5f));
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    const cudaArray_t from = new_array(cudaArraySurfaceLoadStore), to = new_array(cudaArraySurfaceLoadStore);
    ushort2 data[HEIGHT][WIDTH], got[HEIGHT][WIDTH];
    int *out = DEVICE_ZEROS(int, 2), outside[2];
    for (int i = 0; i < HEIGHT * WIDTH; i++)
        data[0][i] = make_ushort2(i, 10 * i);
    CUDA(cudaMemcpy2DToArray(from, 0, 0, data, sizeof(data[0]), sizeof(data[0]), HEIGHT,
                             cudaMemcpyHostToDevice));
    turn<<<1, dim3(WIDTH, HEIGHT)>>>(new_surface(from), new_surface(to));
    CUDA(
        cudaMemcpy2DFromArray(got, sizeof(got[0]), to, 0, 0, sizeof(got[0]), HEIGHT, cudaMemcpyDeviceToHost));
    for (int i = 0; i < WIDTH; i++)
        CHECK(got[1][i].x == data[1][WIDTH - 1 - i].x + 100 && got[1][i].y == data[1][WIDTH - 1 - i].y);
    read_outside<<<1, 1>>>(new_surface(from), out);
    fetch(outside, out, sizeof(outside));
    CHECK(outside[0] == 0 && outside[1] == data[1][0].y);
    test_layers(!strcmp(what, "race"));
    if (!strcmp(what, "outside")) {
        write_outside<<<1, 1>>>(new_surface(to));
        return cudaDeviceSynchronize() == cudaErrorLaunchFailure ? 3 : 1;
    }
    cudaResourceDesc plain = {};
    cudaSurfaceObject_t none;
    plain.res.array.array = new_array(0);
    CHECK_EQUAL(cudaCreateSurfaceObject(&none, &plain), cudaErrorInvalidValue);
    CHECK_EQUAL(cudaMemcpyToArray(to, WIDTH * sizeof(got[0][0]), 0, data, 2 * sizeof(data[0]), cudaMemcpyHostToDevice),
                cudaErrorInvalidValue);
    CUDA(cudaMemcpyToArray(to, 8, 0, data, sizeof(data[0]), cudaMemcpyHostToDevice)); /* goes on in the next row */
    CUDA(cudaMemcpyFromArray(got, to, 0, 1, sizeof(got[0]), cudaMemcpyDeviceToHost));
    CHECK(got[0][1].y == data[0][3].y);
    CUDA(cudaFreeArray(from));
    return 0;
}
