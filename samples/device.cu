/*
 * device: prints the name and compute capability of the GPU that programs run on. Exit status: 0, 1 with a
 * line on stderr when there is none.
 */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    struct cudaDeviceProp properties;
    cudaError_t error = cudaGetDeviceProperties(&properties, 0);
    if (error != cudaSuccess) {
        fprintf(stderr, "device: %s\n", cudaGetErrorString(error));
        return EXIT_FAILURE;
    }
    printf("%s (compute capability %d.%d)\n", properties.name, properties.major, properties.minor);
    return EXIT_SUCCESS;
}
