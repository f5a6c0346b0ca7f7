/* Buffers of the programs that replay. */
#define N 64 /* floats in each */

/* A buffer in device memory, all zero. */
static float *allocate() {
    float *made;
    cudaMalloc(&made, N * sizeof *made);
    cudaMemset(made, 0, N * sizeof *made);
    return made;
}
