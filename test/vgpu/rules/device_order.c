/*
 * CUDA Programming Guide, "Multi-Device System": what is ordered on a device and across devices, and what of
 * one device another one accesses.
 */
#include "test/vgpu/rules/on_devices.h"

/* What is ordered */

static void legacy_streams_leave_other_devices_alone(void) {
    launch_note(1, stream_on(1, 0));
    use(0);
    launch_note(2, 0);
    OK(cudaStreamSynchronize(0));
    use(1);
    OK(cudaDeviceSynchronize());
    end_either_way(before(1, 2));
}

static void legacy_streams_are_not_ordered(void) {
    use(1);
    launch_note(1, 0);
    use(0);
    launch_note(2, 0);
    OK(cudaDeviceSynchronize());
    use(1);
    OK(cudaDeviceSynchronize());
    end_either_way(before(1, 2));
}

static void legacy_streams_order_their_own_device(void) {
    const cudaStream_t a = stream_on(1, 0), b = stream_on(1, 0);
    launch_note(1, a);
    launch_note(2, 0);
    launch_note(3, b);
    OK(cudaDeviceSynchronize());
    REQUIRE(before(1, 2) && before(2, 3));
}

static void per_thread_streams_belong_to_a_device(void) {
    int device;
    use(1);
    launch_note(1, cudaStreamPerThread);
    OK(cudaStreamGetDevice(cudaStreamPerThread, &device));
    REQUIRE(device == 1);
    use(0);
    launch_note(2, cudaStreamPerThread);
    OK(cudaStreamSynchronize(cudaStreamPerThread));
    REQUIRE(place_of(2) >= 0);
    end_either_way(place_of(1) >= 0);
}

static void synchronizing_a_device_leaves_out_others(void) {
    launch_note(1, stream_on(1, 0));
    launch_note(2, stream_on(0, 0));
    OK(cudaDeviceSynchronize());
    REQUIRE(place_of(2) >= 0);
    end_either_way(place_of(1) >= 0);
}

static void synchronizing_a_device_covers_destroyed_streams(void) {
    const cudaStream_t stream = stream_on(1, cudaStreamNonBlocking);
    launch_note(1, stream);
    OK(cudaStreamDestroy(stream));
    OK(cudaDeviceSynchronize());
    REQUIRE(place_of(1) == 0);
}

static void freeing_waits_for_the_memorys_device(void) {
    void *const memory = memory_on(1);
    launch_note(1, stream_on(1, 0));
    use(0);
    OK(cudaFree(memory));
    REQUIRE(place_of(1) == 0);
}

/* Copies between devices */

static void a_copy_between_devices_orders_both(void) {
    void *const a = memory_on(0), *const b = memory_on(1);
    launch_note(1, stream_on(0, 0));
    launch_note(2, stream_on(1, 0));
    use(0);
    launch_fill(a, SIZE, 3, 0);
    OK(cudaMemcpy(b, a, SIZE, cudaMemcpyDeviceToDevice));
    launch_note(3, stream_on(0, 0));
    launch_note(4, stream_on(1, 0));
    OK(cudaDeviceSynchronize());
    REQUIRE(before(1, 4) && before(2, 4));
    use(0);
    OK(cudaDeviceSynchronize());
    REQUIRE(before(1, 3) && before(2, 3));
}

static void a_copy_between_devices_waits_for_both(void) {
    char host[SIZE];
    void *const a = memory_on(0), *const b = memory_on(1);
    launch_fill(b, SIZE, 9, stream_on(1, 0));
    use(0);
    OK(cudaMemcpy(a, b, SIZE, cudaMemcpyDeviceToDevice));
    OK(cudaMemcpy(host, a, SIZE, cudaMemcpyDeviceToHost));
    REQUIRE(host[SIZE - 1] == 9);
}

static void a_peer_copy_copies(void) {
    char host[SIZE];
    void *const a = memory_on(0), *const b = memory_on(1);
    const cudaStream_t stream = stream_on(1, 0);
    OK(cudaMemset(b, 5, SIZE));
    use(0);
    OK(cudaMemcpyPeer(a, 0, b, 1, SIZE));
    OK(cudaMemcpy(host, a, SIZE, cudaMemcpyDeviceToHost));
    REQUIRE(host[0] == 5);
    OK(cudaMemset(a, 6, SIZE));
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpyPeerAsync(b, 1, a, 0, SIZE, stream));
    OK(cudaMemcpyAsync(host, b, SIZE, cudaMemcpyDeviceToHost, stream));
    REQUIRE(host[SIZE - 1] == 6);
    REQUIRE(cudaMemcpyPeer(a, 0, b, 2, SIZE) == cudaErrorInvalidDevice);
    REQUIRE(cudaMemcpyPeer(a, 1, b, 1, SIZE) == cudaErrorInvalidValue);
    REQUIRE(cudaMemcpyPeerAsync(a, -1, b, 1, SIZE, stream) == cudaErrorInvalidDevice);
}

static void peer_access_is_switched(void) {
    REQUIRE(cudaDeviceEnablePeerAccess(0, 0) == cudaErrorInvalidDevice);
    REQUIRE(cudaDeviceEnablePeerAccess(2, 0) == cudaErrorInvalidDevice);
    REQUIRE(cudaDeviceEnablePeerAccess(1, 1) == cudaErrorInvalidValue);
    REQUIRE(cudaDeviceDisablePeerAccess(1) == cudaErrorPeerAccessNotEnabled);
    OK(cudaDeviceEnablePeerAccess(1, 0));
    REQUIRE(cudaDeviceEnablePeerAccess(1, 0) == cudaErrorPeerAccessAlreadyEnabled);
    OK(cudaDeviceDisablePeerAccess(1));
    OK(cudaDeviceEnablePeerAccess(1, 0));
    use(1);
    OK(cudaDeviceReset());
    use(0);
    OK(cudaDeviceEnablePeerAccess(1, 0));
    OK(cudaDeviceReset());
    OK(cudaDeviceEnablePeerAccess(1, 0));
}

static void a_kernel_without_peer_access_faults(void) {
    void *const memory = memory_on(1);
    use(0);
    launch_fill(memory, SIZE, 1, 0);
    REQUIRE(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    REQUIRE(cudaStreamSynchronize(0) == cudaErrorIllegalAddress);
    use(1);
    OK(cudaDeviceSynchronize());
}

static void a_kernel_with_peer_access_does_not(void) {
    void *const memory = memory_on(1);
    use(0);
    OK(cudaDeviceEnablePeerAccess(1, 0));
    launch_fill(memory, SIZE, 1, 0);
    OK(cudaDeviceSynchronize());
}

/* Races */

static void devices_race(void) {
    void *memory;
    OK(cudaMallocHost(&memory, SIZE));
    use(1);
    launch_fill(memory, SIZE, 1, 0);
    use(0);
    launch_fill(memory, SIZE, 2, 0);
}

static void waiting_for_a_device_orders(void) {
    void *memory;
    OK(cudaMallocHost(&memory, SIZE));
    use(1);
    launch_fill(memory, SIZE, 1, new_stream(cudaStreamNonBlocking));
    OK(cudaDeviceSynchronize());
    use(0);
    launch_fill(memory, SIZE, 2, 0);
    OK(cudaDeviceSynchronize());
}

static void waiting_for_the_other_device_does_not(void) {
    void *memory;
    OK(cudaMallocHost(&memory, SIZE));
    use(1);
    launch_fill(memory, SIZE, 1, 0);
    use(0);
    OK(cudaDeviceSynchronize());
    launch_fill(memory, SIZE, 2, 0);
}

static void waiting_covers_what_a_device_waited_for(void) {
    void *memory;
    OK(cudaMallocHost(&memory, SIZE));
    use(1);
    const cudaEvent_t event = new_event();
    launch_fill(memory, SIZE, 1, 0);
    OK(cudaEventRecord(event, 0));
    use(0);
    OK(cudaStreamWaitEvent(new_stream(0), event, 0));
    OK(cudaDeviceSynchronize());
    launch_fill(memory, SIZE, 2, 0);
}

int main(int argc, char **argv) {
    static const struct rule rules[] = {
        ON_TWO(legacy_streams_leave_other_devices_alone, DIFFERS),
        ON_TWO(legacy_streams_are_not_ordered, DIFFERS),
        ON_TWO(legacy_streams_order_their_own_device, EVERY_SEED),
        ON_TWO(per_thread_streams_belong_to_a_device, DIFFERS),
        ON_TWO(synchronizing_a_device_leaves_out_others, DIFFERS),
        ON_TWO(synchronizing_a_device_covers_destroyed_streams, EVERY_SEED),
        ON_TWO(freeing_waits_for_the_memorys_device, EVERY_SEED),
        ON_TWO(a_copy_between_devices_orders_both, EVERY_SEED),
        ON_TWO(a_copy_between_devices_waits_for_both, EVERY_SEED),
        ON_TWO(a_peer_copy_copies, EVERY_SEED),
        ON_TWO(peer_access_is_switched, ONCE),
        RULE(a_kernel_without_peer_access_faults, EVERY_SEED, CHECKED,
             .prints = "on device 0, touches memory of device 1 without peer access"),
        RULE(a_kernel_with_peer_access_does_not, EVERY_SEED, CHECKED, .prints_not = "vgpu:"),
        RULE(devices_race, EVERY_SEED, CHECKED, .status = 66, .prints = "race on bytes 0 to 63"),
        RULE(waiting_for_a_device_orders, EVERY_SEED, CHECKED, .prints_not = "vgpu:"),
        RULE(waiting_for_the_other_device_does_not, EVERY_SEED, CHECKED, .status = 66,
             .prints = "race on bytes 0 to 63"),
        RULE(waiting_covers_what_a_device_waited_for, EVERY_SEED, CHECKED, .prints_not = "vgpu:"),
    };
    return RULES_MAIN(rules);
}
