// Objects whose managed buffers are members, which their own unit allocates, launched on by members that other source files
// call one after the other: the calls of all objects overlap, also where the host has touched their memory, and it is fetched.
// RUN: rm -rf %t && mkdir %t
// RUN: for level in 1 2; do \
// RUN:   for compiler in "%vgpu" "%vgpu-kesco"; do \
// RUN:     $compiler -O$level -c %s -o %t/main.o && $compiler -O$level -DMEMBERS -c %s -o %t/members.o && \
// RUN:     $compiler %t/main.o %t/members.o -o %t/program.new && mv %t/program.new %t/`echo "$compiler" | grep -q fplugin && echo kesco || echo serial` || exit 1; \
// RUN:   done; \
// RUN:   sh %compare 8 %t/serial %t/kesco || exit 1; \
// RUN:   for mode in auto turns graph; do KESCO_MODE=$mode sh %compare 3 %t/serial %t/kesco || exit 1; done; \
// RUN:   VGPU_CONCURRENT_MANAGED=0 sh %compare 3 %t/serial %t/kesco || exit 1; \
// RUN: done
// RUN: KESCO_STATS=1 %t/kesco 2>&1 | FileCheck %s
// RUN: for name in serial kesco; do VGPU_TIME=1 sh %S/Inputs/virtual_time.sh %t/$name || exit 1; done >%t/times
// RUN: awk 'NR == 1 { serial = $1 } NR == 2 { exit !($1 <= 0.8 * serial) }' %t/times
//
// CHECK: 320 ops placed, 240 behind others in flight

#include <cstdio>

struct Task {
    void init(int length);
    void fill(int value);
    void step();

    int *data, length;
};

#ifdef MEMBERS
__global__ void set(int *out, int n, int value) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        for (int k = 0; k < 300; k++)
            value = value * 31 + k;
        out[i] = value;
    }
}

__global__ void change(int *values, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int value = values[i];
        for (int k = 0; k < 300; k++)
            value = value * 31 + k;
        values[i] = value;
    }
}

void Task::init(int count) {
    length = count;
    cudaMallocManaged(&data, count * sizeof(int));
}

void Task::fill(int value) {
    set<<<(length + 127) / 128, 128>>>(data, length, value);
}

void Task::step() {
    change<<<(length + 127) / 128, 128>>>(data, length);
}
#else
int main() {
    Task tasks[8];
    for (Task &task : tasks)
        task.init(1000);
    for (int round = 0; round < 10; round++) {
        for (Task &task : tasks)
            task.fill(round);
        for (int step = 0; step < 3; step++)
            for (Task &task : tasks)
                task.step();
        cudaDeviceSynchronize();
        unsigned sum = 0;
        for (Task &task : tasks) {
            for (int i = 0; i < task.length; i++)
                sum = sum * 31 + task.data[i];
            task.data[round] = 0;
        }
        printf("%u\n", sum);
    }
    return 0;
}
#endif
