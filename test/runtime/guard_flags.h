/* The guard's flags, and memory for it. */
#ifndef KESCO_TEST_RUNTIME_GUARD_FLAGS_H
#define KESCO_TEST_RUNTIME_GUARD_FLAGS_H

#include "runtime/kesco_abi.h"
#include "runtime/region/guard.h"
#include "test/cmocka.h"
#include "test/runtime/scenario.h"

#include <stdlib.h>

enum {
    CHECKED = KESCO_GUARD_CHECKED,
    WRITTEN = KESCO_GUARD_WRITTEN,
    PLAIN = KESCO_GUARD_PLAIN,
    HOST = KESCO_GUARD_HOST,
    BOTH = CHECKED | WRITTEN
};

static inline void *allocate(size_t size) {
    void *memory = NULL;

    if (cudaMalloc(&memory, size) != cudaSuccess)
        abort();
    return memory;
}

#endif
