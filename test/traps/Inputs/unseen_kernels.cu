// Kernels whose bodies the launching unit does not see: `const` on their parameters is no promise.
__global__ void spoil(int *out, const int *in) {
    out[threadIdx.x] = in[threadIdx.x];
    ((int *)in)[threadIdx.x] = -1;
}

__global__ void spoil_all(const int *in) {
    ((int *)in)[threadIdx.x] += 7;
}

void launch_spoil(int *out, const int *in) {
    spoil<<<1, 64>>>(out, in);
}
