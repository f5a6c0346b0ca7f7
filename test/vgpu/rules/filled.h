/*
 * Memory of SIZE bytes that all have one value, for rules of what copies it.
 */
#ifndef KESCO_TEST_VGPU_RULES_FILLED_H
#define KESCO_TEST_VGPU_RULES_FILLED_H

#include "test/vgpu/rules/rules.h"

enum { SIZE = 64 };

static inline bool all(const char *memory, char value) {
    for (int i = 0; i < SIZE; i++) {
        if (memory[i] != value)
            return false;
    }
    return true;
}

/* What device memory holds in the end. */
static inline bool device_holds(const char *device, char value) {
    char host[SIZE];
    OK(cudaMemcpy(host, device, SIZE, cudaMemcpyDeviceToHost));
    return all(host, value);
}

#endif
