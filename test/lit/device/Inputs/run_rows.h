// Runs kernels of the tables with arguments made up by type: a buffer of its own for each pointer, small
// numbers. A kernel with other parameters is left out. What a kernel makes of such arguments does not matter,
// but what it touches.
#ifndef KESCO_TEST_LIT_DEVICE_RUN_ROWS_H
#define KESCO_TEST_LIT_DEVICE_RUN_ROWS_H

#include <stdio.h>
#include <type_traits>

enum { BYTES = 1 << 16 };

template <class T>
struct Made {
    static constexpr bool Possible = std::is_arithmetic<T>::value;
    static T make() {
        return (T)3;
    }
};
template <class T>
struct Made<T *> {
    static constexpr bool Possible = !std::is_pointer<T>::value && !std::is_function<T>::value;
    static T *make() {
        void *buffer = 0;
        cudaMalloc(&buffer, BYTES);
        // From the middle on, so that offsets may be negative.
        cudaMemset(buffer, 0, BYTES);
        return (T *)((char *)buffer + BYTES / 2);
    }
};

template <class... Parameters>
int run(void (*kernel)(Parameters...), const char *name) {
    if constexpr ((Made<Parameters>::Possible && ...)) {
        kernel<<<2, 32, 1024>>>(Made<Parameters>::make()...);
        if (cudaDeviceSynchronize() != cudaSuccess) {
            fprintf(stderr, "%s: %s\n", name, cudaGetErrorString(cudaGetLastError()));
            cudaDeviceReset();
        }
        return 1;
    }
    return 0;
}

// Tells how many kernels ran; the exit status.
static int report(int ran) {
    printf("%d kernels\n", ran);
    return ran == 0;
}

#define RUN(kernel) ran += run(kernel, #kernel);

#endif
