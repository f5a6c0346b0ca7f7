/*
 * PTX's mbarrier objects: barriers in memory, at which a phase ends once as many arrivals as it expects have
 * come, and as many bytes of copies. How the object uses its 64 bits is this file's own; a state, which an
 * arrival returns, is the object as it was before.
 */
#include "test/vgpu/exec.h"

enum { COUNT_BITS = 20, PHASE_BIT = 40, BYTES_SHIFT = 41 };

/* An object taken apart. */
struct mbarrier {
    uint32_t pending;  /* arrivals that the phase still waits for */
    uint32_t expected; /* arrivals of a phase */
    uint32_t phase;    /* its parity */
    int32_t bytes;     /* that the phase still waits for */
};

static struct mbarrier load(const uint64_t *object) {
    const uint32_t mask = (1u << COUNT_BITS) - 1;
    return (struct mbarrier){
        .pending = (uint32_t)*object & mask,
        .expected = (uint32_t)(*object >> COUNT_BITS) & mask,
        .phase = (uint32_t)(*object >> PHASE_BIT) & 1,
        .bytes = (int32_t)((int64_t)*object >> BYTES_SHIFT),
    };
}

/* Begins the next phase if this one is over. */
static void store(uint64_t *object, struct mbarrier barrier) {
    if (!barrier.pending && !barrier.bytes) {
        barrier.pending = barrier.expected;
        barrier.phase ^= 1;
    }
    *object = barrier.pending | (uint64_t)barrier.expected << COUNT_BITS |
              (uint64_t)barrier.phase << PHASE_BIT | (uint64_t)(int64_t)barrier.bytes << BYTES_SHIFT;
}

VGPU_DEVICE_FN(void, vgpu_mbarrier_init, uint64_t *object, uint32_t count) {
    store(object, (struct mbarrier){.pending = count, .expected = count});
}

VGPU_DEVICE_FN(uint64_t, vgpu_mbarrier_arrive, uint64_t *object, uint32_t count, uint32_t drops) {
    const uint64_t before = *object;
    struct mbarrier barrier = load(object);
    barrier.pending -= count;
    if (drops)
        barrier.expected -= count;
    store(object, barrier);
    return before;
}

VGPU_DEVICE_FN(void, vgpu_mbarrier_expect_tx, uint64_t *object, uint32_t bytes) {
    struct mbarrier barrier = load(object);
    barrier.bytes += (int32_t)bytes;
    store(object, barrier);
}

VGPU_DEVICE_FN(void, vgpu_mbarrier_complete_tx, uint64_t *object, uint32_t bytes) {
    struct mbarrier barrier = load(object);
    barrier.bytes -= (int32_t)bytes;
    store(object, barrier);
}

/* The thread's copies, which are done, arrive: as one more arrival than expected unless it is counted. */
VGPU_DEVICE_FN(void, vgpu_mbarrier_copies_arrive, uint64_t *object, uint32_t counted) {
    if (counted)
        vgpu_mbarrier_arrive(object, 1, 0);
}

/* Whoever asks in vain asks again: the others go on meanwhile. */
static uint32_t test(const uint64_t *object, uint32_t phase) {
    if (load(object).phase != phase)
        return 1;
    vgpu_thread_yield();
    return load(object).phase != phase;
}

VGPU_DEVICE_FN(uint32_t, vgpu_mbarrier_test, const uint64_t *object, uint64_t state) {
    return test(object, load(&state).phase);
}

VGPU_DEVICE_FN(uint32_t, vgpu_mbarrier_test_parity, const uint64_t *object, uint32_t phase) {
    return test(object, phase & 1);
}

/* The intrinsics */

VGPU_DEVICE_FN(uint32_t, vgpu_nvvm_mbarrier_pending_count, uint64_t state) {
    return load(&state).pending;
}

#define INTRINSICS(suffix)                                                                                   \
    VGPU_DEVICE_FN(void, vgpu_nvvm_mbarrier_init##suffix, uint64_t *object, uint32_t count) {                \
        vgpu_mbarrier_init(object, count);                                                                   \
    }                                                                                                        \
    VGPU_DEVICE_FN(void, vgpu_nvvm_mbarrier_inval##suffix, uint64_t *object) {                               \
        (void)object;                                                                                        \
    }                                                                                                        \
    VGPU_DEVICE_FN(uint64_t, vgpu_nvvm_mbarrier_arrive##suffix, uint64_t *object) {                          \
        return vgpu_mbarrier_arrive(object, 1, 0);                                                           \
    }                                                                                                        \
    VGPU_DEVICE_FN(uint64_t, vgpu_nvvm_mbarrier_arrive_drop##suffix, uint64_t *object) {                     \
        return vgpu_mbarrier_arrive(object, 1, 1);                                                           \
    }                                                                                                        \
    VGPU_DEVICE_FN(uint32_t, vgpu_nvvm_mbarrier_test_wait##suffix, const uint64_t *object, uint64_t state) { \
        return vgpu_mbarrier_test(object, state);                                                            \
    }

INTRINSICS()
INTRINSICS(_shared)
