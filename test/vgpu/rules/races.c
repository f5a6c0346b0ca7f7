/* VGPU_CHECK=races: which pairs of ops race, whatever order they ran in. */
#include "test/vgpu/rules/rules.h"

#include <string.h>

enum { SIZE = 256 };

static char *memory;
static cudaStream_t a, b;
static long result;

static void set_up(unsigned flags) {
    memory = new_memory(SIZE);
    a = new_stream(flags);
    b = new_stream(flags);
}

/* Racing */

static void write_and_read_race(void) {
    set_up(0);
    launch_fill(memory, SIZE, 1, a);
    launch_sum(memory, SIZE, &result, b);
}

static void read_and_write_race(void) {
    set_up(0);
    launch_sum(memory, SIZE, &result, a);
    launch_fill(memory, SIZE, 1, b);
    OK(cudaDeviceSynchronize());
}

static void write_and_write_race(void) {
    set_up(cudaStreamNonBlocking);
    launch_fill(memory, SIZE, 1, a);
    launch_fill(memory, SIZE, 1, b);
    OK(cudaDeviceSynchronize());
}

static void atomics_race(void) {
    set_up(0);
    launch_add((int *)memory, 1, a);
    launch_add((int *)memory, 1, b);
}

static void a_partial_overlap_races(void) {
    set_up(0);
    launch_fill(memory, 100, 1, a);
    launch_fill(memory + 99, 100, 1, b);
}

static void a_copy_and_a_kernel_race(void) {
    char host[SIZE];
    set_up(0);
    launch_fill(memory, SIZE, 1, a);
    OK(cudaMemcpyAsync(host, memory, SIZE, cudaMemcpyDeviceToHost, b));
}

/* It is read at the call, after the stream's own work alone. */
static void copy_managed(enum cudaMemcpyKind kind) {
    void *from;
    OK(cudaMallocManaged(&from, SIZE, cudaMemAttachGlobal));
    set_up(cudaStreamNonBlocking);
    launch_fill(from, SIZE, 1, a);
    fork_stream(a, b);
    OK(cudaMemcpyAsync(memory, from, SIZE, kind, b));
}

static void a_copy_of_managed_memory_races_across_an_event(void) {
    copy_managed(cudaMemcpyHostToDevice);
}

static void a_copy_by_pointers_does_not_race_across_an_event(void) {
    copy_managed(cudaMemcpyDefault);
}

static void a_copy_of_managed_memory_does_not_race_with_its_stream(void) {
    void *from;
    OK(cudaMallocManaged(&from, SIZE, cudaMemAttachGlobal));
    set_up(cudaStreamNonBlocking);
    launch_fill(from, SIZE, 1, a);
    OK(cudaMemcpyAsync(memory, from, SIZE, cudaMemcpyHostToDevice, a));
    launch_fill(from, SIZE, 2, a);
}

static void a_memset_and_a_kernel_race(void) {
    set_up(0);
    OK(cudaMemsetAsync(memory, 0, SIZE, a));
    launch_sum(memory, SIZE, &result, b);
}

static void pinned_memory_races(void) {
    void *host;
    set_up(0);
    OK(cudaMallocHost(&host, SIZE));
    OK(cudaMemcpyAsync(host, memory, SIZE, cudaMemcpyDeviceToHost, a));
    launch_sum(host, SIZE, &result, b);
}

static void a_variable_races(void) {
    int value = 1;
    set_up(0);
    OK(launch(&count_stub, (void *[]){&value}, a));
    OK(launch(&count_stub, (void *[]){&value}, b));
}

static void a_free_and_a_kernel_race(void) {
    set_up(0);
    launch_sum(memory, SIZE, &result, a);
    OK(cudaFreeAsync(memory, b));
}

static void non_blocking_and_legacy_race(void) {
    set_up(cudaStreamNonBlocking);
    launch_fill(memory, SIZE, 1, a);
    launch_fill(memory, SIZE, 1, 0);
}

static void a_wait_on_an_unrecorded_event_orders_nothing(void) {
    const cudaEvent_t event = new_event();
    set_up(0);
    launch_fill(memory, SIZE, 1, a);
    OK(cudaStreamWaitEvent(b, event, 0));
    OK(cudaEventRecord(event, a));
    launch_fill(memory, SIZE, 1, b);
}

static void a_record_before_the_write_orders_nothing(void) {
    const cudaEvent_t event = new_event();
    set_up(0);
    OK(cudaEventRecord(event, a));
    launch_fill(memory, SIZE, 1, a);
    OK(cudaStreamWaitEvent(b, event, 0));
    launch_sum(memory, SIZE, &result, b);
}

static void synchronizing_another_stream_orders_nothing(void) {
    set_up(0);
    launch_fill(memory, SIZE, 1, a);
    OK(cudaStreamSynchronize(b));
    launch_sum(memory, SIZE, &result, b);
}

static void a_race_is_not_hidden_by_an_ordered_access(void) {
    const cudaStream_t c = new_stream(0);
    const cudaEvent_t event = new_event();
    set_up(0);
    launch_fill(memory, SIZE, 1, a);
    launch_sum(memory, 8, &result, a);
    OK(cudaEventRecord(event, a));
    OK(cudaStreamWaitEvent(b, event, 0));
    launch_fill(memory, SIZE, 2, b);
    launch_sum(memory + 100, 1, &result, c);
}

static void a_write_is_not_hidden_by_an_ordered_read(void) {
    set_up(0);
    launch_fill(memory, SIZE, 1, a);
    launch_sum(memory, SIZE, &result, a);
    launch_sum(memory, SIZE, &result, b);
}

static void races_in_a_destroyed_stream_count(void) {
    set_up(0);
    launch_fill(memory, SIZE, 1, a);
    OK(cudaStreamDestroy(a));
    a = new_stream(0);
    launch_fill(memory, SIZE, 1, a);
}

/* Not racing */

static void adjacent_bytes_do_not_race(void) {
    set_up(0);
    launch_fill(memory, 100, 1, a);
    launch_fill(memory + 100, 100, 1, b);
}

static void two_reads_do_not_race(void) {
    set_up(0);
    launch_sum(memory, SIZE, &result, a);
    launch_sum(memory, SIZE, &result, b);
}

static void two_allocations_do_not_race(void) {
    set_up(0);
    launch_fill(memory, SIZE, 1, a);
    launch_fill(new_memory(SIZE), SIZE, 1, b);
}

static void a_lane_orders(void) {
    set_up(0);
    launch_fill(memory, SIZE, 1, a);
    launch_sum(memory, SIZE, &result, a);
}

static void an_event_orders(void) {
    const cudaEvent_t event = new_event();
    set_up(cudaStreamNonBlocking);
    launch_fill(memory, SIZE, 1, a);
    OK(cudaEventRecord(event, a));
    OK(cudaStreamWaitEvent(b, event, 0));
    launch_sum(memory, SIZE, &result, b);
}

static void a_stream_synchronization_orders(void) {
    set_up(cudaStreamNonBlocking);
    launch_fill(memory, SIZE, 1, a);
    OK(cudaStreamSynchronize(a));
    launch_sum(memory, SIZE, &result, b);
}

static void an_event_synchronization_orders(void) {
    const cudaEvent_t event = new_event();
    set_up(cudaStreamNonBlocking);
    launch_fill(memory, SIZE, 1, a);
    OK(cudaEventRecord(event, a));
    OK(cudaEventSynchronize(event));
    launch_sum(memory, SIZE, &result, b);
}

static void a_device_synchronization_orders(void) {
    set_up(cudaStreamNonBlocking);
    launch_fill(memory, SIZE, 1, a);
    OK(cudaDeviceSynchronize());
    launch_sum(memory, SIZE, &result, b);
}

static void a_successful_query_orders(void) {
    set_up(cudaStreamNonBlocking);
    launch_fill(memory, SIZE, 1, a);
    while (cudaStreamQuery(a) == cudaErrorNotReady) {
    }
    launch_sum(memory, SIZE, &result, b);
}

static void the_legacy_stream_orders(void) {
    set_up(0);
    launch_fill(memory, SIZE, 1, a);
    OK(cudaEventRecord(new_event(), 0));
    launch_sum(memory, SIZE, &result, b);
}

static void a_synchronous_copy_orders(void) {
    char host[SIZE] = {0};
    set_up(0);
    OK(cudaMemcpy(memory, host, SIZE, cudaMemcpyHostToDevice));
    launch_fill(memory, SIZE, 1, a);
    OK(cudaMemcpy(host, memory, SIZE, cudaMemcpyDeviceToHost));
    launch_fill(memory, SIZE, 1, b);
    OK(cudaMemset(memory, 0, SIZE));
}

static void freed_memory_is_forgotten(void) {
    set_up(0);
    launch_fill(memory, SIZE, 1, a);
    OK(cudaFree(memory));
    memory = new_memory(SIZE);
    launch_fill(memory, SIZE, 1, b);
}

static void pool_memory_is_ordered_by_its_stream(void) {
    void *pool;
    set_up(0);
    OK(cudaMallocAsync(&pool, SIZE, a));
    launch_fill(pool, SIZE, 1, a);
    OK(cudaFreeAsync(pool, a));
    OK(cudaStreamSynchronize(a));
    REQUIRE(cudaFree(pool) == cudaErrorInvalidValue);
}

static void many_streams_in_turn_do_not_race(void) {
    set_up(0);
    for (int i = 0; i < 200; i++) {
        const cudaStream_t stream = new_stream(0);
        launch_fill(memory, SIZE, 1, stream);
        OK(cudaStreamSynchronize(stream));
        OK(cudaStreamDestroy(stream));
    }
}

static void images_may_touch_their_constants(void) {
    int value = 1;
    OK(launch(&count_stub, (void *[]){&value}, 0));
    OK(cudaDeviceSynchronize());
}

static void an_access_after_an_ordered_free_is_illegal(void) {
    set_up(0);
    OK(cudaFreeAsync(memory, a));
    launch_sum(memory, SIZE, &result, a);
    REQUIRE(cudaStreamSynchronize(a) == cudaErrorIllegalAddress);
}

static void nothing_is_found_unasked(void) {
    write_and_write_race();
}

#define CHECKED .environment = "VGPU_CHECK=races"
#define RACES(run_, text) RULE(run_, EVERY_SEED, CHECKED, .status = 66, .prints = text)
#define CLEAN(run_) RULE(run_, EVERY_SEED, CHECKED, .prints_not = "vgpu: race")

int main(int argc, char **argv) {
    static const struct rule rules[] = {
        RACES(write_and_read_race, "vgpu: race on bytes 0 to 255 of the allocation of 256 bytes"),
        RACES(read_and_write_race, "kernel sum(char const*, unsigned long, long*), launched at"),
        RACES(write_and_write_race, "made by cudaMalloc at"),
        RACES(atomics_race, "race on bytes 0 to 3"),
        RACES(a_partial_overlap_races, "race on bytes 99 to 99"),
        RACES(a_copy_and_a_kernel_race, "cudaMemcpyAsync, called at"),
        RACES(a_copy_of_managed_memory_races_across_an_event, "cudaMemcpyAsync, called at"),
        RACES(a_memset_and_a_kernel_race, "cudaMemsetAsync, called at"),
        RACES(pinned_memory_races, "made by cudaMallocHost"),
        RACES(a_variable_races, "variable counter of 4 bytes"),
        RACES(a_free_and_a_kernel_race, "cudaFreeAsync, called at"),
        RACES(non_blocking_and_legacy_race, "race on"),
        RACES(a_wait_on_an_unrecorded_event_orders_nothing, "race on"),
        RACES(a_record_before_the_write_orders_nothing, "race on"),
        RACES(synchronizing_another_stream_orders_nothing, "race on"),
        RACES(a_race_is_not_hidden_by_an_ordered_access, "race on bytes 100 to 100"),
        RACES(a_write_is_not_hidden_by_an_ordered_read, "race on bytes 0 to 255"),
        RACES(races_in_a_destroyed_stream_count, "race on"),
        CLEAN(adjacent_bytes_do_not_race),
        CLEAN(two_reads_do_not_race),
        CLEAN(two_allocations_do_not_race),
        CLEAN(a_lane_orders),
        CLEAN(an_event_orders),
        CLEAN(a_stream_synchronization_orders),
        CLEAN(an_event_synchronization_orders),
        CLEAN(a_device_synchronization_orders),
        CLEAN(a_successful_query_orders),
        CLEAN(the_legacy_stream_orders),
        CLEAN(a_synchronous_copy_orders),
        CLEAN(a_copy_by_pointers_does_not_race_across_an_event),
        CLEAN(a_copy_of_managed_memory_does_not_race_with_its_stream),
        CLEAN(freed_memory_is_forgotten),
        CLEAN(pool_memory_is_ordered_by_its_stream),
        CLEAN(many_streams_in_turn_do_not_race),
        CLEAN(images_may_touch_their_constants),
        CLEAN(an_access_after_an_ordered_free_is_illegal),
        RULE(nothing_is_found_unasked, EVERY_SEED, .prints_not = "vgpu: race"),
    };
    return RULES_MAIN(rules);
}
