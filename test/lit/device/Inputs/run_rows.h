// Runs kernels of the tables with arguments made up by type: a buffer of its own for each pointer, small
// numbers. A kernel with other parameters is left out. What a kernel makes of such arguments does not matter,
// but what it touches.
#ifndef KESCO_TEST_LIT_DEVICE_RUN_ROWS_H
#define KESCO_TEST_LIT_DEVICE_RUN_ROWS_H

#include <stdio.h>
#include <string.h>
#include <type_traits>

enum { BYTES = 1 << 16 };

template <class T>
struct Made {
    static constexpr bool Possible = std::is_arithmetic<T>::value;
    static T make() {
        return (T)3;
    }
};
// A pointer to the middle of a buffer, so that offsets may be negative. In a buffer of pointers, all lead to
// another one.
template <class T>
struct Made<T *> {
    static constexpr bool possible() {
        if constexpr (std::is_pointer<T>::value)
            return Made<typename std::remove_const<T>::type>::Possible;
        return !std::is_function<T>::value;
    }
    static constexpr bool Possible = possible();
    static T *make() {
        char *buffer = 0;
        cudaMalloc(&buffer, BYTES);
        cudaMemset(buffer, 0, BYTES);
        if constexpr (std::is_pointer<T>::value) {
            static char slots[BYTES];
            const T other = Made<typename std::remove_const<T>::type>::make();
            for (int i = 0; i < BYTES; i += sizeof other)
                memcpy(slots + i, &other, sizeof other);
            cudaMemcpy(buffer, slots, BYTES, cudaMemcpyHostToDevice);
        }
        return (T *)(buffer + BYTES / 2);
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
