__global__ void first(float *a) {
    a[threadIdx.x] = 1;
}
__global__ void second(float *a) {
    a[threadIdx.x] = 2;
}
void run(float *a, float *b) {
    first<<<1, 32>>>(a);
    second<<<1, 32>>>(b);
}
