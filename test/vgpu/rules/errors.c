/* CUDA Runtime API, "Error Handling": bad arguments, the last error, sticky errors. */
#include "test/vgpu/rules/rules.h"

#include <string.h>

static cudaError_t launch_shaped(dim3 grid, dim3 block, size_t shared, const void *stub) {
    int entry = 1;
    struct journal *to = &journal;
    return cudaLaunchKernel(stub, grid, block, (void *[]){&to, &entry}, shared, 0);
}

/* cudaErrorInvalidConfiguration, says the manual; as driver 580 on an H100. */
static void a_launch_checks_its_shape(void) {
    const dim3 one = {1, 1, 1};
    REQUIRE(launch_shaped((dim3){0, 1, 1}, one, 0, &note_stub) == cudaErrorInvalidValue);
    REQUIRE(launch_shaped((dim3){1, 65536, 1}, one, 0, &note_stub) == cudaErrorInvalidValue);
    REQUIRE(launch_shaped(one, (dim3){1025, 1, 1}, 0, &note_stub) == cudaErrorInvalidValue);
    REQUIRE(launch_shaped(one, (dim3){32, 33, 1}, 0, &note_stub) == cudaErrorInvalidValue);
    REQUIRE(launch_shaped(one, (dim3){1, 1, 65}, 0, &note_stub) == cudaErrorInvalidValue);
    REQUIRE(launch_shaped(one, (dim3){1, 0, 1}, 0, &note_stub) == cudaErrorInvalidValue);
    OK(launch_shaped((dim3){2, 1, 1}, (dim3){4, 4, 4}, 0, &note_stub));
    OK(cudaDeviceSynchronize());
    REQUIRE(journal.count == 128);
}

static void a_launch_checks_its_shared_memory(void) {
    const dim3 one = {1, 1, 1};
    const int opt_in = cudaFuncAttributeMaxDynamicSharedMemorySize;
    OK(launch_shaped(one, one, 48 << 10, &note_stub));
    REQUIRE(launch_shaped(one, one, (48 << 10) + 1, &note_stub) == cudaErrorInvalidValue);
    OK(cudaFuncSetAttribute(&note_stub, opt_in, 227 << 10));
    OK(launch_shaped(one, one, 227 << 10, &note_stub));
    REQUIRE(cudaFuncSetAttribute(&note_stub, opt_in, (227 << 10) + 1) == cudaErrorInvalidValue);
    REQUIRE(cudaFuncSetAttribute(&share_stub, opt_in, 188 << 10) == cudaErrorInvalidValue);
    OK(cudaFuncSetAttribute(&share_stub, opt_in, 187 << 10));
}

/* cudaErrorInvalidDeviceFunction, says the manual; as driver 580 on an H100. */
static void a_launch_checks_its_function(void) {
    REQUIRE(launch(&missing_stub, NULL, 0) == cudaErrorInvalidResourceHandle);
    REQUIRE(launch(&journal, NULL, 0) == cudaErrorInvalidResourceHandle);
    OK(cudaDeviceSynchronize());
}

static void stream_functions_check_their_arguments(void) {
    cudaStream_t stream;
    unsigned flags;
    int priority;
    REQUIRE(cudaStreamDestroy(0) == cudaErrorInvalidResourceHandle);
    REQUIRE(cudaStreamDestroy(cudaStreamPerThread) == cudaErrorInvalidResourceHandle);
    REQUIRE(cudaStreamCreateWithFlags(&stream, 2) == cudaErrorInvalidValue);
    REQUIRE(cudaStreamCreate(NULL) == cudaErrorInvalidValue);
    OK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, -100));
    OK(cudaStreamGetPriority(stream, &priority));
    OK(cudaStreamGetFlags(stream, &flags));
    REQUIRE(priority == -5 && flags == cudaStreamNonBlocking);
}

static void a_second_device_does_not_exist(void) {
    struct cudaDeviceProp device;
    int count, value;
    OK(cudaGetDeviceCount(&count));
    REQUIRE(count == 1);
    OK(cudaSetDevice(0));
    REQUIRE(cudaSetDevice(1) == cudaErrorInvalidDevice);
    REQUIRE(cudaGetDeviceProperties(&device, 1) == cudaErrorInvalidDevice);
    OK(cudaGetDeviceProperties(&device, 0));
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
    REQUIRE(value == device.multiProcessorCount);
    REQUIRE(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 3) == cudaErrorInvalidDevice);
    REQUIRE(cudaDeviceGetAttribute(&value, (enum cudaDeviceAttr)5000, 0) == cudaErrorInvalidValue);
}

__attribute__((weak)) cudaError_t cudaGetDeviceProperties_v2(void *to, int device);

/* What code that CUDA 12's headers were used for calls: its struct is another. */
static void the_properties_of_cuda_12_are_the_same(void) {
    union {
        char text[1032];
        int words[1032 / sizeof(int)];
    } older = {.text = {[sizeof(older) - 1] = 1}};
    struct cudaDeviceProp device;
    int clock;
    REQUIRE(cudaGetDeviceProperties_v2(&older, 1) == cudaErrorInvalidDevice);
    REQUIRE(cudaGetDeviceProperties_v2(NULL, 0) == cudaErrorInvalidValue);
    OK(cudaGetDeviceProperties_v2(&older, 0));
    OK(cudaGetDeviceProperties(&device, 0));
    OK(cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, 0));
    REQUIRE(strcmp(older.text, device.name) == 0);
    REQUIRE(older.words[348 / sizeof(int)] == clock);
    REQUIRE(older.words[388 / sizeof(int)] == device.multiProcessorCount);
    REQUIRE(older.words[612 / sizeof(int)] == device.memoryBusWidth);
    REQUIRE(older.words[652 / sizeof(int)] == device.managedMemory);
    REQUIRE(older.words[676 / sizeof(int)] == device.concurrentManagedAccess);
    REQUIRE(older.words[744 / sizeof(int)] == device.memoryPoolsSupported);
    REQUIRE(older.text[sizeof(older) - 1] == 0);
}

static void the_other_model_says_so(void) {
    struct cudaDeviceProp device;
    int value;
    OK(cudaGetDeviceProperties(&device, 0));
    REQUIRE(strcmp(device.name, "KeSCo virtual GPU (like an A100)") == 0);
    REQUIRE(device.major == 8 && device.minor == 0 && device.multiProcessorCount == 108);
    REQUIRE(device.l2CacheSize == 40 << 20 && device.sharedMemPerBlockOptin == 163 << 10);
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrClockRate, 0));
    REQUIRE(value == 1410000);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&value, &share_stub, 32, 0));
    REQUIRE(value == 4);
}

static void occupancy_follows_the_limits(void) {
    struct cudaFuncAttributes attributes;
    int blocks;
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &note_stub, 256, 0));
    REQUIRE(blocks == 8);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &share_stub, 32, 0));
    REQUIRE(blocks == 5);
    OK(cudaFuncGetAttributes(&attributes, &share_stub));
    REQUIRE(attributes.sharedSizeBytes == 40 << 10 && attributes.maxThreadsPerBlock == 1024);
    REQUIRE(cudaFuncGetAttributes(&attributes, &missing_stub) == cudaErrorInvalidResourceHandle);
}

static void the_last_error_stays_until_it_is_taken(void) {
    OK(cudaGetLastError());
    REQUIRE(cudaEventRecord(NULL, 0) == cudaErrorInvalidResourceHandle);
    OK(cudaDeviceSynchronize());
    REQUIRE(cudaPeekAtLastError() == cudaErrorInvalidResourceHandle);
    REQUIRE(cudaPeekAtLastError() == cudaErrorInvalidResourceHandle);
    REQUIRE(cudaSetDevice(5) == cudaErrorInvalidDevice);
    REQUIRE(cudaGetLastError() == cudaErrorInvalidDevice);
    OK(cudaGetLastError());
}

static void not_ready_is_no_last_error(void) {
    const cudaStream_t stream = new_stream(0);
    launch_note(1, stream);
    const cudaError_t error = cudaStreamQuery(stream);
    OK(cudaPeekAtLastError());
    end_either_way(error == cudaSuccess);
}

static void errors_have_names(void) {
    REQUIRE(strcmp(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue") == 0);
    REQUIRE(strcmp(cudaGetErrorString(cudaErrorInvalidValue), "invalid argument") == 0);
    REQUIRE(strcmp(cudaGetErrorString(cudaSuccess), "no error") == 0);
    REQUIRE(strcmp(cudaGetErrorName((cudaError_t)5555), "unrecognized error code") == 0);
}

static void require_sticky(cudaError_t error) {
    void *memory;
    REQUIRE(cudaDeviceSynchronize() == error);
    REQUIRE(cudaMalloc(&memory, 1) == error);
    REQUIRE(cudaStreamCreate(&(cudaStream_t){0}) == error);
    REQUIRE(cudaGetLastError() == error);
    OK(cudaGetLastError()); /* though the device stays lost: as driver 580 on an H100 */
    REQUIRE(cudaStreamQuery(0) == error);
    int entry = 5;
    struct journal *to = &journal;
    REQUIRE(launch(&note_stub, (void *[]){&to, &entry}, 0) == error);
    OK(cudaDeviceReset());
    REQUIRE(cudaGetLastError() == error);
    OK(cudaGetLastError());
    launch_note(6, 0);
    OK(cudaDeviceSynchronize());
    REQUIRE(place_of(5) == -1 && place_of(6) >= 0);
}

static void a_trap_is_sticky(void) {
    OK(launch(&trap_stub, NULL, 0));
    require_sticky(cudaErrorLaunchFailure);
}

static void a_wild_access_is_sticky(void) {
    launch_fill((void *)16, 4, 1, 0);
    require_sticky(cudaErrorIllegalAddress);
}

static void a_large_overrun_is_sticky_unrecorded(void) {
    launch_fill(new_memory(16), 8192, 1, 0);
    require_sticky(cudaErrorIllegalAddress);
}

static void a_small_overrun_is_sticky_when_recorded(void) {
    launch_fill(new_memory(16), 17, 1, 0);
    require_sticky(cudaErrorIllegalAddress);
}

static void a_fault_drops_later_work(void) {
    const cudaStream_t stream = new_stream(0);
    int entry = 1;
    struct journal *to = &journal;
    OK(launch(&trap_stub, NULL, stream));
    const cudaError_t error = launch(&note_stub, (void *[]){&to, &entry}, stream);
    REQUIRE(error == cudaSuccess || error == cudaErrorLaunchFailure);
    REQUIRE(cudaStreamSynchronize(stream) == cudaErrorLaunchFailure);
    REQUIRE(place_of(1) == -1);
}

/* Waits for others may end before the kernel has begun, or behind its fault; the wait for it knows. */
static void a_fault_may_come_late(void) {
    const cudaStream_t stream = new_stream(cudaStreamNonBlocking), other = new_stream(cudaStreamNonBlocking);
    launch_note(1, other);
    OK(launch(&trap_stub, NULL, stream));
    const cudaError_t early = cudaStreamSynchronize(other);
    REQUIRE(early == cudaSuccess ? place_of(1) >= 0 : early == cudaErrorLaunchFailure);
    REQUIRE(cudaStreamSynchronize(stream) == cudaErrorLaunchFailure);
    REQUIRE(cudaStreamSynchronize(other) == cudaErrorLaunchFailure);
    end_either_way(early == cudaSuccess);
}

/* It returns once the copy is done, or never can be. */
static void a_copy_to_pageable_memory_tells_of_a_fault(void) {
    const cudaStream_t stream = new_stream(0);
    char host[4];
    void *memory = new_memory(sizeof(host));
    OK(launch(&trap_stub, NULL, stream));
    REQUIRE(cudaMemcpyAsync(host, memory, sizeof(host), cudaMemcpyDeviceToHost, stream) ==
            cudaErrorLaunchFailure);
}

static cudaError_t told_status = cudaErrorUnknown;

static void take_status(cudaStream_t stream, cudaError_t status, void *data) {
    (void)stream;
    (void)data;
    told_status = status;
}

static void a_callback_is_told_of_a_fault(void) {
    const cudaStream_t stream = new_stream(0);
    int entry = 1;
    struct journal *to = &journal;
    OK(launch(&note_stub, (void *[]){&to, &entry}, stream));
    if (launch(&trap_stub, NULL, stream) || cudaStreamAddCallback(stream, take_status, NULL, 0))
        return; /* the fault was seen before the callback was asked for */
    REQUIRE(cudaStreamSynchronize(stream) == cudaErrorLaunchFailure);
    OK(cudaDeviceReset()); /* until then the callback may come */
    REQUIRE(told_status == cudaErrorLaunchFailure);
}

int main(int argc, char **argv) {
    static const struct rule rules[] = {
        RULE(a_launch_checks_its_shape, EVERY_SEED),
        RULE(a_launch_checks_its_shared_memory, ONCE),
        RULE(a_launch_checks_its_function, ONCE),
        RULE(stream_functions_check_their_arguments, ONCE),
        RULE(a_second_device_does_not_exist, ONCE),
        RULE(the_properties_of_cuda_12_are_the_same, ONCE, .alone = "CUDA 13 has no such function"),
        RULE(the_other_model_says_so, ONCE, .environment = "VGPU_DEVICE_MODEL=a100"),
        RULE(occupancy_follows_the_limits, ONCE),
        RULE(the_last_error_stays_until_it_is_taken, ONCE),
        RULE(not_ready_is_no_last_error, DIFFERS),
        RULE(errors_have_names, ONCE),
        RULE(a_trap_is_sticky, EVERY_SEED, .prints = "hit a trap"),
        RULE(a_wild_access_is_sticky, EVERY_SEED,
             .prints = "kernel fill(char*, unsigned long, char) touches 0x10"),
        RULE(a_large_overrun_is_sticky_unrecorded, EVERY_SEED, .alone = "real pages are larger"),
        RULE(a_small_overrun_is_sticky_when_recorded, EVERY_SEED, .environment = "VGPU_CHECK=races",
             .prints = "which is in no allocation"),
        RULE(a_fault_drops_later_work, EVERY_SEED),
        RULE(a_fault_may_come_late, DIFFERS),
        RULE(a_copy_to_pageable_memory_tells_of_a_fault, EVERY_SEED),
        RULE(a_callback_is_told_of_a_fault, EVERY_SEED),
    };
    return RULES_MAIN(rules);
}
