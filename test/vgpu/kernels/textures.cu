// RUN: %vgpu-clang++ -O0 %s -o %t && %t
// RUN: %vgpu-clang++ -O2 %s -o %t
// RUN: for s in 0 1 2; do env VGPU_SEED=$s VGPU_CHECK=races VGPU_STATS=%t.json %t || exit 1; done
// RUN: FileCheck %s < %t.json
// RUN: sh -c 'VGPU_CHECK=races %t race >%t.out 2>&1; test $? = 66' && FileCheck --check-prefix=RACE %s < %t.out
// RUN: sh -c '%t stale >%t.out 2>&1; test $? = 3' && FileCheck --check-prefix=STALE %s < %t.out
// CHECK: "races": 0,
// RACE: race on bytes
// STALE: kernel {{.*}}read_line{{.*}} is no texture
// What textures read: elements and numbers, at places and between them, inside and outside, of memory, arrays, layers
// and cubes (CUDA Programming Guide, "Texture Fetching").
#include "check.h"

#include <initializer_list>

enum { WIDTH = 4, HEIGHT = 3, LAYERS = 2, OUT = 16 };

static float *out, got[OUT];

/* What stands in `got`, from the first on. */
static void expect(std::initializer_list<float> values) {
    const float *next = got;
    for (const float value : values)
        CHECK(fabsf(*next++ - value) < 1e-6f);
}

__global__ void read_line(cudaTextureObject_t t, float *to) {
    const float at[] = {0.5f, 1, 1.25f, -1, 9, 3.999f};
    for (int i = 0; i < 6; i++)
        to[i] = tex1D<float>(t, at[i]);
}

__global__ void read_relative(cudaTextureObject_t t, float *to) {
    const float at[] = {0.125f, 1.125f, -0.125f, 1.375f};
    for (int i = 0; i < 4; i++)
        to[i] = tex1D<float>(t, at[i]);
}

__global__ void read_plane(cudaTextureObject_t t, float *to) {
    to[0] = tex2D<float>(t, 1.5f, 2.5f);
    to[1] = tex2D<float>(t, 2, 1.5f);
    to[2] = tex2D<float>(t, 2, 2);
    to[3] = tex2DLod<float>(t, 3.5f, 0.5f, 0);
    const float4 four = tex2Dgather<float4>(t, 2, 2);
    to[4] = four.x;
    to[5] = four.y;
    to[6] = four.z;
    to[7] = four.w;
}

__global__ void read_volume(cudaTextureObject_t volume, cudaTextureObject_t layers, float *to) {
    to[0] = tex3D<float>(volume, 1.5f, 2.5f, 1.5f);
    to[1] = tex3D<float>(volume, 1.5f, 2.5f, 1);
    to[2] = tex2DLayered<float>(layers, 1.5f, 2.5f, 1);
    to[3] = tex2DLayered<float>(layers, 1.5f, 2.5f, 9);
}

__global__ void read_bytes(cudaTextureObject_t bytes, cudaTextureObject_t numbers, float *to) {
    const uchar4 four = tex1Dfetch<uchar4>(bytes, 1);
    const float4 parts = tex1Dfetch<float4>(numbers, 1);
    to[0] = four.x;
    to[1] = four.w;
    to[2] = parts.x;
    to[3] = parts.w;
    to[4] = tex1Dfetch<uchar4>(bytes, 2).x;
    to[5] = tex1Dfetch<uchar4>(bytes, -1).x;
}

__global__ void read_cube(cudaTextureObject_t t, float *to) {
    const float3 at[] = {{1, 0, 0}, {-1, 0, 0}, {0, 2, 0}, {0, -1, 0}, {0, 0, 1}, {0.1f, 0, -1}};
    for (int i = 0; i < 6; i++)
        to[i] = texCubemap<float>(t, at[i].x, at[i].y, at[i].z);
}

static cudaArray_t new_array(cudaChannelFormatDesc format, cudaExtent extent, unsigned flags,
                             const void *data) {
    cudaArray_t array;
    cudaMemcpy3DParms copy = {};
    const size_t element = (format.x + format.y + format.z + format.w) / 8,
                 height = extent.height ? extent.height : 1;
    CUDA(cudaMalloc3DArray(&array, &format, extent, flags));
    copy.srcPtr = make_cudaPitchedPtr((void *)data, extent.width * element, extent.width, height);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(extent.width, height, extent.depth ? extent.depth : 1);
    copy.kind = cudaMemcpyHostToDevice;
    CUDA(cudaMemcpy3D(&copy));
    return array;
}

static cudaTextureObject_t new_texture(const cudaResourceDesc &resource, cudaTextureFilterMode filter,
                                       cudaTextureAddressMode mode, bool relative,
                                       cudaTextureReadMode read = cudaReadModeElementType) {
    cudaTextureDesc sampling = {};
    cudaTextureObject_t texture;
    for (cudaTextureAddressMode &m : sampling.addressMode)
        m = mode;
    sampling.filterMode = filter;
    sampling.readMode = read;
    sampling.normalizedCoords = relative;
    CUDA(cudaCreateTextureObject(&texture, &resource, &sampling, NULL));
    return texture;
}

static cudaResourceDesc of_array(cudaArray_t array) {
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    return resource;
}

static void test_lines(bool stale) {
    const float data[WIDTH] = {10, 20, 30, 40};
    const cudaResourceDesc line =
        of_array(new_array(cudaCreateChannelDesc<float>(), make_cudaExtent(WIDTH, 0, 0), 0, data));
    const cudaTextureObject_t nearest = new_texture(line, cudaFilterModePoint, cudaAddressModeClamp, false);
    if (stale)
        CUDA(cudaDestroyTextureObject(nearest));
    read_line<<<1, 1>>>(nearest, out);
    if (stale)
        exit(cudaDeviceSynchronize() == cudaErrorLaunchFailure ? 3 : 1);
    fetch(got, out, sizeof(got));
    expect({10, 20, 20, 10, 40, 40});
    read_line<<<1, 1>>>(new_texture(line, cudaFilterModeLinear, cudaAddressModeBorder, false), out);
    fetch(got, out, sizeof(got));
    expect({10, 15, 17.5, 0, 0, 20});
    read_relative<<<1, 1>>>(new_texture(line, cudaFilterModePoint, cudaAddressModeWrap, true), out);
    fetch(got, out, sizeof(got));
    expect({10, 10, 40, 20});
    read_relative<<<1, 1>>>(new_texture(line, cudaFilterModeLinear, cudaAddressModeMirror, true), out);
    fetch(got, out, sizeof(got));
    expect({10, 40, 10, 30});
}

static void test_planes(void) {
    float data[LAYERS][HEIGHT][WIDTH];
    for (int i = 0; i < LAYERS * HEIGHT * WIDTH; i++)
        data[0][0][i] = i;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    const cudaResourceDesc plane = of_array(new_array(format, make_cudaExtent(WIDTH, HEIGHT, 0), 0, data));
    read_plane<<<1, 1>>>(new_texture(plane, cudaFilterModeLinear, cudaAddressModeClamp, false), out);
    fetch(got, out, sizeof(got));
    expect({data[0][2][1], (data[0][1][1] + data[0][1][2]) / 2, 7.5, data[0][0][3], data[0][2][1], data[0][2][2], data[0][1][2], data[0][1][1]});
    const cudaExtent both = make_cudaExtent(WIDTH, HEIGHT, LAYERS);
    read_volume<<<1, 1>>>(new_texture(of_array(new_array(format, both, 0, data)), cudaFilterModeLinear,
                                      cudaAddressModeClamp, false),
                          new_texture(of_array(new_array(format, both, cudaArrayLayered, data)),
                                      cudaFilterModeLinear, cudaAddressModeClamp, false),
                          out);
    fetch(got, out, sizeof(got));
    expect({data[1][2][1], (data[0][2][1] + data[1][2][1]) / 2, data[1][2][1], data[1][2][1]});
}

static void test_memory(void) {
    const unsigned char data[] = {0, 1, 2, 3, 255, 4, 5, 51};
    cudaResourceDesc linear = {};
    linear.resType = cudaResourceTypeLinear;
    linear.res.linear.desc = cudaCreateChannelDesc<uchar4>();
    linear.res.linear.sizeInBytes = sizeof(data);
    linear.res.linear.devPtr = DEVICE_ZEROS(unsigned char, sizeof(data));
    CUDA(cudaMemcpy(linear.res.linear.devPtr, data, sizeof(data), cudaMemcpyHostToDevice));
    read_bytes<<<1, 1>>>(
        new_texture(linear, cudaFilterModePoint, cudaAddressModeClamp, false),
        new_texture(linear, cudaFilterModePoint, cudaAddressModeClamp, false, cudaReadModeNormalizedFloat),
        out);
    fetch(got, out, sizeof(got));
    expect({255, 51, 1, 0.2f, 0, 0});
    linear.res.linear.sizeInBytes *= 2;
    cudaTextureObject_t none;
    const cudaTextureDesc sampling = {};
    CHECK_EQUAL(cudaCreateTextureObject(&none, &linear, &sampling, NULL), cudaErrorInvalidValue);
    (void)cudaGetLastError();
}

static void test_cubes(void) {
    const float data[6] = {0, 1, 2, 3, 4, 5};
    const cudaArray_t cube =
        new_array(cudaCreateChannelDesc<float>(), make_cudaExtent(1, 1, 6), cudaArrayCubemap, data);
    read_cube<<<1, 1>>>(new_texture(of_array(cube), cudaFilterModePoint, cudaAddressModeClamp, true), out);
    fetch(got, out, sizeof(got));
    for (int face = 0; face < 6; face++)
        CHECK(got[face] == face);
}

/* A copy into an array beside a kernel that reads it through a texture. */
static void race(void) {
    const float data[WIDTH] = {1};
    cudaStream_t a, b;
    CUDA(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    CUDA(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    const cudaArray_t array =
        new_array(cudaCreateChannelDesc<float>(), make_cudaExtent(WIDTH, 0, 0), 0, data);
    const cudaTextureObject_t texture =
        new_texture(of_array(array), cudaFilterModePoint, cudaAddressModeClamp, false);
    CUDA(cudaDeviceSynchronize());
    read_line<<<1, 1, 0, a>>>(texture, out);
    CUDA(cudaMemcpy2DToArrayAsync(array, 0, 0, data, sizeof(data), sizeof(data), 1, cudaMemcpyHostToDevice,
                                  b));
    CUDA(cudaDeviceSynchronize());
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    out = DEVICE_ZEROS(float, OUT);
    if (!strcmp(what, "race")) {
        race();
        return 0;
    }
    test_lines(!strcmp(what, "stale"));
    test_planes();
    test_memory();
    test_cubes();
    return 0;
}
