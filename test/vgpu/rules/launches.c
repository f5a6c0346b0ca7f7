/* What rules launch and make, on the virtual GPU as on a real device. */
#include "test/vgpu/rules/rules.h"

void launch_note(int entry, cudaStream_t stream) {
    struct journal *to = &journal;
    OK(launch(&note_stub, (void *[]){&to, &entry}, stream));
}

void launch_fill(void *memory, size_t size, char value, cudaStream_t stream) {
    OK(launch(&fill_stub, (void *[]){&memory, &size, &value}, stream));
}

void launch_sum(const void *memory, size_t size, long *result, cudaStream_t stream) {
    reach(result);
    OK(launch(&sum_stub, (void *[]){&memory, &size, &result}, stream));
}

void launch_add(int *memory, int value, cudaStream_t stream) {
    OK(launch(&add_stub, (void *[]){&memory, &value}, stream));
}

void launch_work(unsigned blocks, unsigned threads, const void *memory, size_t size, uint64_t work,
                 cudaStream_t stream) {
    const dim3 grid = {blocks, 1, 1}, block = {threads, 1, 1};
    OK(cudaLaunchKernel(&work_stub, grid, block, (void *[]){&memory, &size, &work}, 0, stream));
}

int place_of(int entry) {
    const volatile struct journal *const now = &journal;
    for (int i = 0; i < now->count; i++) {
        if (now->entries[i] == entry)
            return i;
    }
    return -1;
}

cudaStream_t new_stream(unsigned flags) {
    cudaStream_t stream = NULL;
    OK(cudaStreamCreateWithFlags(&stream, flags));
    return stream;
}

cudaEvent_t new_event(void) {
    cudaEvent_t event = NULL;
    OK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    return event;
}

void fork_stream(cudaStream_t from, cudaStream_t to) {
    const cudaEvent_t event = new_event();
    OK(cudaEventRecord(event, from));
    OK(cudaStreamWaitEvent(to, event, 0));
}

void *new_memory(size_t size) {
    void *memory = NULL;
    OK(cudaMalloc(&memory, size));
    return memory;
}
