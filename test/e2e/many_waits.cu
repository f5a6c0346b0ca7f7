// Loops of short kernels that wait for each other so often that the host is busy with that: over tiles of a matrix, each of
// which many others read, more of them than the run keeps apart; and over buffers, where lanes save nothing. Fewer lanes, or
// none, serve better; and where it is not known how short kernels are, the device is asked. Where many short ones come first,
// the long ones behind them get lanes all the same.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -O2 %s -o %t/serial && %vgpu-kesco -O2 %s -o %t/kesco
// RUN: for how in "tiles 5" "tiles 12" "tiles 18" "buffers 50" "buffers 1500" "phases 700" "phases 3000"; do \
// RUN:   VGPU_TIME=1 VGPU_STATS=%t/0.json %t/serial $how >%t/expected || exit 1; \
// RUN:   KESCO_MODE=auto VGPU_TIME=1 VGPU_STATS=%t/1.json %t/kesco $how | diff %t/expected - || exit 1; \
// RUN:   echo $how `sed -n 's/.*"virtual_time_us": \([0-9.]*\),/\1/p' %t/0.json %t/1.json`; \
// RUN: done | tee %t/times | awk '{ most = $1 == "tiles" ? ($2 > 5 ? 0.6 : 1.01) : $1 == "phases" ? 0.7 : $2 > 50 ? 0.98 : 1.01; bad += $4 > most * $3 } END { exit bad > 0 || NR < 7 }'
// RUN: sh %compare 4 %t/serial %t/kesco tiles 12
// RUN: for mode in auto turns; do KESCO_MODE=$mode sh %compare 3 %t/serial %t/kesco tiles 12 || exit 1; done
// RUN: KESCO_MODE=auto sh %compare 2 %t/serial %t/kesco buffers 300
// RUN: KESCO_MODE=auto sh %compare 3 %t/serial %t/kesco phases 700

#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { TILE = 24, LENGTH = 64, BUFFERS = 3 };

// Tiles lie in a matrix whose rows are `pitch` long.
__global__ void combine(float *first, float *pivot, float *weights, int pitch, int size) {
    const int column = threadIdx.x;
    if (column >= size) return;
    for (int row = 0; row < size; row++) {
        first[row * pitch + column] = first[row * pitch + column] * 0.75f + pivot[row * pitch + column];
        pivot[row * pitch + column] -= first[row * pitch + column] * 0.1f;
    }
    weights[column] = column;
}
__global__ void update(float *first, float *other, const float *pivot, const float *weights, int pitch, int size) {
    const int column = threadIdx.x;
    if (column >= size) return;
    for (int row = 0; row < size; row++) {
        const float a = first[row * pitch + column], b = other[row * pitch + column];
        first[row * pitch + column] = a * 0.9f + b * 0.1f * pivot[row * pitch + column];
        other[row * pitch + column] = b * 0.9f - a * 0.1f + weights[row] * 0.001f;
    }
}

static float *make(int count) {
    float *device, *host = (float *)malloc(count * sizeof *host);
    for (int i = 0; i < count; i++)
        host[i] = i * 7 % 13 * 0.1f;
    if (cudaMalloc(&device, count * sizeof *device) != cudaSuccess) exit(1);
    cudaMemcpy(device, host, count * sizeof *device, cudaMemcpyHostToDevice);
    free(host);
    return device;
}

static void print(const char *what, const float *device, int count) {
    float *host = (float *)malloc(count * sizeof *host);
    double sum = 0;
    cudaMemcpy(host, device, count * sizeof *host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < count; i++)
        sum = sum * 0.99 + host[i];
    printf("%s %.9g\n", what, sum);
    free(host);
}

static void tiles(int count) {
    const int pitch = count * TILE;
    float *matrix = make(pitch * pitch), *weights = make(count * TILE);
    for (int step = 0; step < count; step++)
        for (int row = 1; row < count; row++) {
            float *tiles = matrix + row * TILE * pitch;
            combine<<<1, 32>>>(matrix, tiles, weights + row * TILE, pitch, TILE);
            for (int column = 1; column < count; column++)
                update<<<1, 32>>>(matrix + column * TILE, tiles + column * TILE, tiles, weights + row * TILE, pitch, TILE);
        }
    print("tiles", matrix, pitch * pitch);
}

// The remainders are not what they seem to take long for.
__global__ void push(float *ring, int space, int head, int count, float value) {
    const int i = threadIdx.x;
    if (i < count) ring[(head + i) % space] = value + i;
}
__global__ void pop(float *to, const float *ring, unsigned space, unsigned tail, int count) {
    const int i = threadIdx.x;
    if (i < count) to[i] += ring[(tail + i) % space % space];
}

static void buffers(int passes) {
    float *rings[BUFFERS], *sums = make(LENGTH);
    for (int i = 0; i < BUFFERS; i++)
        rings[i] = make(4 * LENGTH);
    for (int pass = 0; pass < passes; pass++) {
        push<<<1, LENGTH>>>(rings[0], 4 * LENGTH, pass * 40, LENGTH, pass);
        pop<<<1, LENGTH>>>(sums, rings[0], 4 * LENGTH, pass, LENGTH);
        push<<<1, LENGTH>>>(rings[1], 4 * LENGTH, pass * 24, LENGTH, pass);
        pop<<<1, LENGTH>>>(rings[2], rings[1], 4 * LENGTH, pass, LENGTH);
    }
    print("sums", sums, LENGTH);
    for (int i = 0; i < BUFFERS; i++)
        print("ring", rings[i], 4 * LENGTH);
}

__global__ void fill(float *values, float value) { values[threadIdx.x] = value; }
__global__ void relax(float *values, int steps) {
    float value = values[threadIdx.x];
    for (int i = 0; i < steps; i++)
        value = value * 0.999f + i;
    values[threadIdx.x] = value;
}

static void phases(int count) {
    float *all = make(count * LENGTH);
    for (int i = 0; i < count; i++)
        fill<<<1, LENGTH>>>(all + i * LENGTH, i);
    for (int pass = 0; pass < 4; pass++)
        for (int i = 0; i < 400; i++)
            relax<<<1, LENGTH>>>(all + i * LENGTH, 2000);
    print("all", all, count * LENGTH);
}

int main(int count, char **arguments) {
    if (count < 3) return 2;
    (strcmp(arguments[1], "tiles") == 0     ? tiles
     : strcmp(arguments[1], "phases") == 0 ? phases
                                           : buffers)(atoi(arguments[2]));
}
