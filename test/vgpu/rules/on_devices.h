/* What rules of several devices share. */
#ifndef KESCO_TEST_VGPU_RULES_ON_DEVICES_H
#define KESCO_TEST_VGPU_RULES_ON_DEVICES_H

#include "test/vgpu/rules/rules.h"

#define TWO "VGPU_DEVICES=2"
#define ON_TWO(run_, kind_) RULE(run_, kind_, .environment = TWO)
#define CHECKED .environment = TWO " VGPU_CHECK=races"

enum { SIZE = 64 };

static inline bool before(int a, int b) {
    return place_of(a) >= 0 && place_of(a) < place_of(b);
}

/* From now on the calling thread's calls mean this device. */
static inline void use(int device) {
    int got;
    OK(cudaSetDevice(device));
    OK(cudaGetDevice(&got));
    REQUIRE(got == device);
}

static inline cudaStream_t stream_on(int device, unsigned flags) {
    use(device);
    return new_stream(flags);
}

static inline void *memory_on(int device) {
    use(device);
    return new_memory(SIZE);
}

static inline int device_of(const void *memory) {
    struct cudaPointerAttributes attributes;
    OK(cudaPointerGetAttributes(&attributes, memory));
    return attributes.device;
}

#endif
