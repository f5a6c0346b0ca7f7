#include "steps.h"

static __global__ void triple(int *out, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = out[i] * 3 + 1;
}

void plain_work(int *to) {
    triple<<<3, 128>>>(to, SIZE);
}

/* The default stream comes before and behind what is on it. */
void plain_on_stream(int *to) {
    static cudaStream_t stream;
    if (!stream)
        cudaStreamCreate(&stream);
    triple<<<3, 128, 0, stream>>>(to, SIZE);
}

unsigned plain_sum(const int *managed) {
    unsigned sum = 0;
    cudaDeviceSynchronize();
    for (int i = 0; i < SIZE; i++)
        sum = sum * 31 + managed[i];
    return sum;
}

unsigned plain_sum_of(const int *device) {
    int host[SIZE];
    cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
    unsigned sum = 0;
    for (int value : host)
        sum = sum * 31 + value;
    return sum;
}
