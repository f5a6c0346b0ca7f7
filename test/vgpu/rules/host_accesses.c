/*
 * CUDA Programming Guide, "Unified Memory" and "Page-Locked Host Memory": memory that host and device share,
 * and when the host may touch it.
 */
#include "test/vgpu/device.h"
#include "test/vgpu/host_access.h"
#include "test/vgpu/rules/rules.h"

#include <string.h>

enum { SIZE = 64 };

static cudaStream_t a, b;
static char *managed;
static long result;

static void set_up(void) {
    void *memory;
    a = new_stream(cudaStreamNonBlocking);
    b = new_stream(cudaStreamNonBlocking);
    OK(cudaMallocManaged(&memory, SIZE, cudaMemAttachGlobal));
    managed = memory;
}

/* What host code does that vgpu-clang++ compiled. */
static void host_read(const void *memory, size_t size) {
    if (vgpu_host_recording)
        vgpu_host_access(memory, size, VGPU_READ);
}

static void host_write(void *memory, size_t size) {
    if (vgpu_host_recording)
        vgpu_host_access(memory, size, VGPU_WRITE);
    memset(memory, 1, size);
}

static void *pinned_memory(void) {
    void *memory;
    OK(cudaMallocHost(&memory, SIZE));
    return memory;
}

static void write_managed(void *unused) {
    (void)unused;
    host_write(managed, SIZE);
}

/* Racing */

static void reading_what_a_kernel_writes_races(void) {
    set_up();
    launch_fill(managed, SIZE, 1, a);
    host_read(managed + 3, 4);
}

static void writing_what_a_kernel_reads_races(void) {
    set_up();
    launch_sum(managed, SIZE, &result, a);
    host_write(managed, 8);
    OK(cudaDeviceSynchronize());
}

static void writing_what_a_kernel_writes_races(void) {
    set_up();
    launch_fill(managed, SIZE, 1, 0);
    host_write(managed, SIZE);
    OK(cudaStreamSynchronize(0));
}

static void reading_while_a_copy_arrives_races(void) {
    char *const memory = pinned_memory();
    set_up();
    OK(cudaMemcpyAsync(memory, new_memory(SIZE), SIZE, cudaMemcpyDeviceToHost, a));
    host_read(memory, 1);
}

static void reusing_a_buffer_while_a_copy_reads_it_races(void) {
    char *const memory = pinned_memory();
    set_up();
    host_write(memory, SIZE);
    OK(cudaMemcpyAsync(new_memory(SIZE), memory, SIZE, cudaMemcpyHostToDevice, a));
    host_write(memory + SIZE - 1, 1);
}

static void registered_memory_races(void) {
    static char memory[SIZE];
    set_up();
    OK(cudaHostRegister(memory, SIZE, cudaHostRegisterMapped));
    launch_fill(memory, SIZE, 1, a);
    host_read(memory, SIZE);
}

static void waiting_for_another_stream_does_not_help(void) {
    set_up();
    launch_fill(managed, SIZE, 1, a);
    OK(cudaStreamSynchronize(b));
    host_read(managed, SIZE);
}

static void waiting_for_an_earlier_record_does_not_help(void) {
    const cudaEvent_t event = new_event();
    set_up();
    OK(cudaEventRecord(event, a));
    launch_fill(managed, SIZE, 1, a);
    OK(cudaEventSynchronize(event));
    host_read(managed, SIZE);
}

static void waiting_too_late_does_not_help(void) {
    set_up();
    launch_fill(managed, SIZE, 1, a);
    host_read(managed, SIZE);
    OK(cudaDeviceSynchronize());
    host_read(managed, SIZE);
}

static void a_host_function_races_with_other_streams(void) {
    set_up();
    launch_sum(managed, SIZE, &result, a);
    OK(cudaLaunchHostFunc(b, write_managed, NULL));
    OK(cudaDeviceSynchronize());
}

static void the_host_races_with_a_host_function(void) {
    set_up();
    OK(cudaLaunchHostFunc(a, write_managed, NULL));
    host_read(managed, 1);
    OK(cudaDeviceSynchronize());
}

static void the_host_races_with_a_graph(void) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    set_up();
    OK(cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed));
    launch_fill(managed, SIZE, 1, a);
    OK(cudaStreamEndCapture(a, &graph));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, a));
    host_read(managed, SIZE);
}

static void a_line_races_once(void) {
    set_up();
    launch_fill(managed, SIZE, 1, a);
    for (int i = 0; i < SIZE; i++)
        host_read(managed + i, 1);
}

/* Not racing */

static void what_the_host_waited_for_is_its_own(void) {
    const cudaEvent_t event = new_event();
    char *const memory = pinned_memory();
    set_up();
    host_write(managed, SIZE);
    launch_fill(managed, SIZE, 1, a);
    OK(cudaStreamSynchronize(a));
    host_write(managed, SIZE);
    launch_fill(managed, SIZE, 1, b);
    OK(cudaEventRecord(event, b));
    launch_note(1, b);
    OK(cudaEventSynchronize(event));
    host_read(managed, SIZE);
    launch_fill(managed, SIZE, 1, a);
    while (cudaStreamQuery(a) == cudaErrorNotReady) {
    }
    host_read(managed, SIZE);
    launch_fill(managed, SIZE, 1, 0);
    OK(cudaMemcpy(memory, managed, SIZE, cudaMemcpyDefault));
    host_read(memory, SIZE);
    host_write(managed, SIZE);
}

static void what_the_host_did_before_a_launch_is_over(void) {
    set_up();
    launch_note(1, a);
    for (int i = 0; i < 5; i++) {
        host_write(managed + i, 1);
        launch_sum(managed + i, 1, &result, i % 2 ? a : b);
    }
}

static void other_bytes_do_not_race(void) {
    set_up();
    launch_fill(managed, SIZE / 2, 1, a);
    host_write(managed + SIZE / 2, SIZE / 2);
}

static void two_readers_do_not_race(void) {
    set_up();
    launch_sum(managed, SIZE, &result, a);
    host_read(managed, SIZE);
}

static void a_host_function_comes_after_its_stream(void) {
    set_up();
    launch_fill(managed, SIZE, 1, a);
    OK(cudaLaunchHostFunc(a, write_managed, NULL));
    launch_sum(managed, SIZE, &result, a);
    OK(cudaStreamSynchronize(a));
    host_write(managed, SIZE);
}

/* Whatever call tells of it: the device runs nothing any more. */
static void behind_a_fault_nothing_races(void) {
    int entry = 1;
    struct journal *to = &journal;
    set_up();
    launch_fill(managed, SIZE, 1, a);
    OK(launch(&trap_stub, NULL, b));
    REQUIRE(cudaStreamSynchronize(b) == cudaErrorLaunchFailure);
    REQUIRE(launch(&note_stub, (void *[]){&to, &entry}, a) == cudaErrorLaunchFailure);
    host_write(managed, SIZE);
}

static void what_is_captured_does_not_race(void) {
    set_up();
    OK(cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed));
    launch_fill(managed, SIZE, 1, a);
    host_write(managed, SIZE);
}

static void memory_of_no_device_is_not_watched(void) {
    char memory[SIZE] = {0};
    set_up();
    OK(cudaMemcpyAsync(new_memory(SIZE), memory, SIZE, cudaMemcpyHostToDevice, a));
    host_write(memory, SIZE);
}

/* Devices without concurrent managed access */

static void a_kernel_that_does_not_use_it_keeps_the_host_away(void) {
    set_up();
    launch_note(1, a);
    host_write(managed, 1);
}

static void reading_is_kept_away_too(void) {
    set_up();
    launch_note(1, 0);
    host_read(managed + 7, 1);
    OK(cudaDeviceSynchronize());
}

static void waiting_for_one_of_two_streams_does_not_help(void) {
    set_up();
    launch_note(1, a);
    launch_note(2, b);
    OK(cudaStreamSynchronize(b));
    host_write(managed, SIZE);
    OK(cudaDeviceSynchronize());
}

static void waiting_for_an_event_before_a_kernel_does_not_help(void) {
    const cudaEvent_t event = new_event();
    set_up();
    launch_note(1, a);
    OK(cudaEventRecord(event, a));
    launch_note(2, a);
    OK(cudaEventSynchronize(event));
    host_read(managed, SIZE);
}

static void a_copy_does_not_wait_for_non_blocking_streams(void) {
    char memory[SIZE];
    set_up();
    launch_note(1, a);
    OK(cudaMemcpy(memory, new_memory(SIZE), SIZE, cudaMemcpyDeviceToHost));
    host_write(managed, SIZE);
}

static void a_kernel_of_a_graph_keeps_the_host_away(void) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    set_up();
    OK(cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed));
    launch_note(1, a);
    OK(cudaStreamEndCapture(a, &graph));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    host_write(managed, SIZE);
    OK(cudaGraphLaunch(exec, a));
    host_write(managed, SIZE);
}

static void a_kernel_of_another_stream_keeps_a_host_function_away(void) {
    set_up();
    launch_note(1, a);
    OK(cudaLaunchHostFunc(b, write_managed, NULL));
    OK(cudaDeviceSynchronize());
}

static void a_place_is_kept_away_once(void) {
    set_up();
    launch_note(1, a);
    for (int i = 0; i < SIZE; i++)
        host_write(managed + i, 1);
    launch_note(2, b);
}

static void an_idle_device_leaves_it_to_the_host(void) {
    const cudaEvent_t event = new_event();
    const cudaStream_t blocking = new_stream(cudaStreamDefault);
    char memory[SIZE];
    set_up();
    host_write(managed, SIZE);
    launch_note(1, a);
    OK(cudaEventRecord(event, a));
    OK(cudaStreamWaitEvent(b, event, 0));
    launch_note(2, b);
    OK(cudaStreamSynchronize(b));
    host_write(managed, SIZE);
    launch_note(3, blocking);
    launch_note(4, 0);
    OK(cudaMemcpy(memory, new_memory(SIZE), SIZE, cudaMemcpyDeviceToHost));
    host_write(managed, SIZE);
    launch_note(5, a);
    while (cudaStreamQuery(a) == cudaErrorNotReady) {
    }
    host_write(managed, SIZE);
    launch_note(6, a);
}

static void copies_leave_other_managed_memory_to_the_host(void) {
    set_up();
    OK(cudaMemcpyAsync(pinned_memory(), new_memory(SIZE), SIZE, cudaMemcpyDeviceToHost, a));
    OK(cudaMemsetAsync(managed, 0, SIZE / 2, b));
    host_write(managed + SIZE / 2, SIZE / 2);
}

static void other_memory_is_left_to_the_host(void) {
    char *const memory = pinned_memory();
    void *attached;
    set_up();
    OK(cudaMallocManaged(&attached, SIZE, cudaMemAttachHost));
    launch_note(1, a);
    host_write(memory, SIZE);
    host_write(attached, SIZE);
}

static void attach(void *to, cudaStream_t stream, unsigned flags) {
    OK(cudaStreamAttachMemAsync(stream, to, 0, flags));
    OK(cudaStreamSynchronize(stream));
}

static void kernels_of_another_stream_leave_attached_memory_alone(void) {
    set_up();
    attach(managed, a, cudaMemAttachSingle);
    launch_note(1, b);
    host_write(managed, SIZE);
}

static void kernels_of_its_stream_keep_attached_memory(void) {
    set_up();
    attach(managed, a, cudaMemAttachSingle);
    launch_note(1, a);
    host_write(managed, SIZE);
}

static void memory_attached_to_the_host_stays_its_until_it_is_attached_again(void) {
    set_up();
    attach(managed, a, cudaMemAttachHost);
    launch_note(1, a);
    host_write(managed, SIZE);
    OK(cudaDeviceSynchronize());
    attach(managed, a, cudaMemAttachGlobal);
    launch_note(1, b);
    host_write(managed, SIZE);
}

static void an_attachment_takes_effect_once_it_is_waited_for(void) {
    set_up();
    OK(cudaStreamAttachMemAsync(a, managed, 0, cudaMemAttachHost));
    launch_note(1, b);
    host_write(managed, SIZE);
}

static void attaching_checks_its_arguments(void) {
    set_up();
    REQUIRE(cudaStreamAttachMemAsync(a, managed, SIZE - 1, cudaMemAttachHost) == cudaErrorInvalidValue);
    REQUIRE(cudaStreamAttachMemAsync(0, managed, 0, cudaMemAttachSingle) == cudaErrorInvalidValue);
    REQUIRE(cudaStreamAttachMemAsync(a, new_memory(SIZE), 0, cudaMemAttachHost) == cudaErrorInvalidValue);
    REQUIRE(cudaStreamAttachMemAsync(a, managed, 0, 3) == cudaErrorInvalidValue);
}

static void a_host_function_may_use_it_between_kernels(void) {
    set_up();
    launch_note(1, a);
    OK(cudaLaunchHostFunc(a, write_managed, NULL));
    launch_note(2, a);
    OK(cudaDeviceSynchronize());
}

/* Device memory */

static void reading_device_memory_faults(void) {
    host_read((char *)new_memory(SIZE) + 5, 1);
}

static void writing_a_variable_faults(void) {
    void *memory;
    OK(cudaGetSymbolAddress(&memory, &counter_shadow));
    host_write(memory, 1);
}

static void nothing_is_watched_unasked(void) {
    reading_what_a_kernel_writes_races();
    host_read(new_memory(SIZE), 1);
}

#define CHECKED .environment = "VGPU_CHECK=races"
#define RACES(run_, text) RULE(run_, EVERY_SEED, CHECKED, .status = 66, .prints = (text))
#define CLEAN(run_) RULE(run_, EVERY_SEED, CHECKED, .prints_not = "vgpu:")
#define EXCLUSIVE CHECKED " VGPU_CONCURRENT_MANAGED=0"
#define KEPT_AWAY(run_, text)                                                                                \
    RULE(run_, EVERY_SEED, EXCLUSIVE, .status = 66, .prints = (text), .prints_not = "race on")
enum { BY_SIGSEGV = 128 + 11 };

int main(int argc, char **argv) {
    static const struct rule rules[] = {
        RACES(reading_what_a_kernel_writes_races, "vgpu: race on bytes 3 to 6 of the allocation of 64 bytes"),
        RACES(writing_what_a_kernel_reads_races, "race on bytes 0 to 7"),
        RACES(writing_what_a_kernel_writes_races, "race on bytes 0 to 63"),
        RACES(reading_while_a_copy_arrives_races, "made by cudaMallocHost at"),
        RACES(reusing_a_buffer_while_a_copy_reads_it_races, "race on bytes 63 to 63"),
        RACES(registered_memory_races, "made by cudaHostRegister at"),
        RACES(waiting_for_another_stream_does_not_help, "the host, at"),
        RACES(waiting_for_an_earlier_record_does_not_help, "race on"),
        RACES(waiting_too_late_does_not_help, "race on"),
        RACES(a_host_function_races_with_other_streams, "cudaLaunchHostFunc, called at"),
        RACES(the_host_races_with_a_host_function, "race on"),
        RACES(the_host_races_with_a_graph, "race on"),
        RULE(a_line_races_once, ONCE, CHECKED, .status = 66, .prints = "race on bytes 0 to 0",
             .prints_not = "race on bytes 1 to 1"),
        CLEAN(what_the_host_waited_for_is_its_own),
        CLEAN(what_the_host_did_before_a_launch_is_over),
        CLEAN(other_bytes_do_not_race),
        CLEAN(two_readers_do_not_race),
        CLEAN(a_host_function_comes_after_its_stream),
        RULE(behind_a_fault_nothing_races, EVERY_SEED, CHECKED, .prints_not = "vgpu: race"),
        CLEAN(what_is_captured_does_not_race),
        CLEAN(memory_of_no_device_is_not_watched),
        KEPT_AWAY(a_kernel_that_does_not_use_it_keeps_the_host_away, "kernel note"),
        KEPT_AWAY(reading_is_kept_away_too, "reads it"),
        KEPT_AWAY(waiting_for_one_of_two_streams_does_not_help, "the host, at"),
        KEPT_AWAY(waiting_for_an_event_before_a_kernel_does_not_help, "which is not waited for"),
        KEPT_AWAY(a_copy_does_not_wait_for_non_blocking_streams, "made by cudaMallocManaged at"),
        KEPT_AWAY(a_kernel_of_a_graph_keeps_the_host_away, "writes it"),
        KEPT_AWAY(a_kernel_of_another_stream_keeps_a_host_function_away, "cudaLaunchHostFunc, called at"),
        RULE(a_place_is_kept_away_once, EVERY_SEED, EXCLUSIVE " VGPU_STATS=/dev/stdout", .status = 66,
             .prints = "\"races\": 1,"),
        RULE(an_idle_device_leaves_it_to_the_host, EVERY_SEED, EXCLUSIVE, .prints_not = "vgpu:"),
        RULE(kernels_of_another_stream_leave_attached_memory_alone, EVERY_SEED, EXCLUSIVE,
             .prints_not = "vgpu:"),
        KEPT_AWAY(kernels_of_its_stream_keep_attached_memory, "writes it"),
        KEPT_AWAY(memory_attached_to_the_host_stays_its_until_it_is_attached_again, "writes it"),
        KEPT_AWAY(an_attachment_takes_effect_once_it_is_waited_for, "writes it"),
        RULE(attaching_checks_its_arguments, ONCE),
        RULE(copies_leave_other_managed_memory_to_the_host, EVERY_SEED, EXCLUSIVE, .prints_not = "vgpu:"),
        RULE(other_memory_is_left_to_the_host, EVERY_SEED, EXCLUSIVE, .prints_not = "vgpu:"),
        RULE(a_host_function_may_use_it_between_kernels, EVERY_SEED, EXCLUSIVE, .prints_not = "vgpu:"),
        CLEAN(a_kernel_that_does_not_use_it_keeps_the_host_away),
        RULE(reading_device_memory_faults, ONCE, CHECKED, .status = BY_SIGSEGV,
             .prints = "reads device memory"),
        RULE(writing_a_variable_faults, ONCE, CHECKED, .status = BY_SIGSEGV,
             .prints = "writes device memory: the variable counter"),
        RULE(nothing_is_watched_unasked, EVERY_SEED, .prints_not = "vgpu:"),
    };
    return RULES_MAIN(rules);
}
