/* CUDA Runtime API, "Stream Ordered Memory Allocator": pools, what they count, and who reaches their memory.
 */
#include "test/vgpu/rules/rules.h"

enum { SIZE = 64 };

static uint64_t bytes(cudaMemPool_t pool, enum cudaMemPoolAttr attribute) {
    uint64_t value = 1;
    OK(cudaMemPoolGetAttribute(pool, attribute, &value));
    return value;
}

static cudaMemPool_t default_pool(void) {
    cudaMemPool_t pool;
    OK(cudaDeviceGetDefaultMemPool(&pool, 0));
    return pool;
}

static cudaMemPool_t new_pool(int device) {
    const struct cudaMemPoolProps properties = {.allocType = cudaMemAllocationTypePinned,
                                                .location = {cudaMemLocationTypeDevice, device}};
    cudaMemPool_t pool;
    OK(cudaMemPoolCreate(&pool, &properties));
    return pool;
}

static void pools_count_what_they_have(void) {
    const cudaMemPool_t pool = default_pool();
    const cudaStream_t stream = new_stream(cudaStreamNonBlocking);
    uint64_t threshold = UINT64_MAX, nothing = 0;
    void *memory;
    REQUIRE(bytes(pool, cudaMemPoolAttrReleaseThreshold) == 0);
    OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    REQUIRE(bytes(pool, cudaMemPoolAttrReleaseThreshold) == UINT64_MAX);
    OK(cudaMallocAsync(&memory, SIZE, stream));
    REQUIRE(bytes(pool, cudaMemPoolAttrUsedMemCurrent) == SIZE);
    OK(cudaFreeAsync(memory, stream));
    OK(cudaStreamSynchronize(stream));
    REQUIRE(bytes(pool, cudaMemPoolAttrUsedMemCurrent) == 0);
    REQUIRE(bytes(pool, cudaMemPoolAttrUsedMemHigh) == SIZE);
    REQUIRE(bytes(pool, cudaMemPoolAttrReservedMemCurrent) >= SIZE);
    OK(cudaMemPoolTrimTo(pool, 0));
    REQUIRE(bytes(pool, cudaMemPoolAttrReservedMemCurrent) == 0);
    OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &nothing));
    REQUIRE(bytes(pool, cudaMemPoolAttrUsedMemHigh) == 0);
}

static void pools_check_their_arguments(void) {
    const struct cudaMemPoolProps wrong = {.allocType = cudaMemAllocationTypePinned,
                                           .location = {cudaMemLocationTypeDevice, 9}};
    const cudaMemPool_t pool = default_pool(), mine = new_pool(0);
    cudaMemPool_t found;
    uint64_t one = 1;
    int reuse = 0;
    REQUIRE(cudaDeviceGetDefaultMemPool(&found, 9) == cudaErrorInvalidDevice);
    REQUIRE(cudaMemPoolCreate(&found, &wrong) == cudaErrorInvalidValue);
    REQUIRE(cudaMemPoolDestroy(pool) == cudaErrorInvalidValue);
    REQUIRE(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &one) == cudaErrorInvalidValue);
    REQUIRE(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &one) == cudaErrorInvalidValue);
    OK(cudaMemPoolSetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &reuse));
    reuse = 1;
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &reuse));
    REQUIRE(reuse == 0);
    OK(cudaMemPoolDestroy(mine));
    REQUIRE(cudaMemPoolDestroy(NULL) == cudaErrorInvalidValue);
}

/* Its memory outlives a pool that is destroyed. */
static void a_device_has_a_current_pool(void) {
    const cudaMemPool_t mine = new_pool(0);
    cudaMemPool_t found;
    char *memory;
    OK(cudaDeviceGetMemPool(&found, 0));
    REQUIRE(found == default_pool());
    OK(cudaDeviceSetMemPool(0, mine));
    OK(cudaDeviceGetMemPool(&found, 0));
    REQUIRE(found == mine);
    OK(cudaMallocAsync((void **)&memory, SIZE, 0));
    REQUIRE(bytes(mine, cudaMemPoolAttrUsedMemCurrent) == SIZE);
    REQUIRE(bytes(default_pool(), cudaMemPoolAttrUsedMemCurrent) == 0);
    OK(cudaMemPoolDestroy(mine));
    OK(cudaDeviceGetMemPool(&found, 0));
    REQUIRE(found == default_pool());
    launch_fill(memory, SIZE, 1, 0);
    OK(cudaFreeAsync(memory, 0));
    OK(cudaDeviceSynchronize());
}

static void memory_of_a_pool_is_ordered_in_its_stream(void) {
    const cudaStream_t first = new_stream(cudaStreamNonBlocking), second = new_stream(cudaStreamNonBlocking);
    char *memory;
    OK(cudaMallocFromPoolAsync((void **)&memory, SIZE, new_pool(0), first));
    launch_fill(memory, SIZE, 1, second);
    OK(cudaDeviceSynchronize());
}

static void use_elsewhere(enum cudaMemAccessFlags flags) {
    const cudaMemPool_t pool = new_pool(1);
    const struct cudaMemAccessDesc access = {{cudaMemLocationTypeDevice, 0}, flags};
    struct cudaMemLocation place = {cudaMemLocationTypeDevice, 0};
    enum cudaMemAccessFlags found;
    char *memory;
    OK(cudaMemPoolSetAccess(pool, &access, 1));
    OK(cudaMemPoolGetAccess(&found, pool, &place));
    REQUIRE(found == flags);
    place.id = 1;
    OK(cudaMemPoolGetAccess(&found, pool, &place));
    REQUIRE(found == cudaMemAccessFlagsProtReadWrite);
    OK(cudaMallocFromPoolAsync((void **)&memory, SIZE, pool, 0));
    launch_fill(memory, SIZE, 1, 0);
    REQUIRE((cudaDeviceSynchronize() == cudaSuccess) == (flags == cudaMemAccessFlagsProtReadWrite));
}

static void other_devices_reach_a_pool_with_access(void) {
    use_elsewhere(cudaMemAccessFlagsProtReadWrite);
}

static void other_devices_reach_no_pool_without(void) {
    use_elsewhere(cudaMemAccessFlagsProtNone);
}

int main(int argc, char **argv) {
    static const struct rule rules[] = {
        RULE(pools_count_what_they_have, EVERY_SEED),
        RULE(pools_check_their_arguments, ONCE),
        RULE(a_device_has_a_current_pool, EVERY_SEED),
        RULE(memory_of_a_pool_is_ordered_in_its_stream, EVERY_SEED, .environment = "VGPU_CHECK=races",
             .status = 66, .prints = "cudaMallocFromPoolAsync"),
        RULE(other_devices_reach_a_pool_with_access, EVERY_SEED,
             .environment = "VGPU_DEVICES=2 VGPU_CHECK=races"),
        RULE(other_devices_reach_no_pool_without, ONCE, .environment = "VGPU_DEVICES=2 VGPU_CHECK=races",
             .prints = "without peer access"),
    };
    return RULES_MAIN(rules);
}
