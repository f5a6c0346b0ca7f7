// Functions that launch once each, in another source file, behind pointers, and as members of classes: what they launch
// overlaps where nothing between looks at the device, and keeps its order where it has a byte in common. Functions compiled
// without KeSCo, waits, exceptions and the end of those that call them come behind all of it, as in the serial program.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -std=c++17 -O2 -c %S/Inputs/across_calls/plain.cu -o %t/plain.o
// RUN: %vgpu -std=c++17 -O2 -c %S/Inputs/across_calls/steps.cu -o %t/steps.serial.o
// RUN: %vgpu -std=c++17 -O2 -c %s -o %t/main.serial.o
// RUN: %vgpu-kesco -std=c++17 -O2 -c %S/Inputs/across_calls/steps.cu -o %t/steps.o
// RUN: %vgpu-kesco -std=c++17 -O2 -c %s -o %t/main.o
// RUN: %vgpu %t/main.serial.o %t/steps.serial.o %t/plain.o -o %t/serial
// RUN: %vgpu %t/main.serial.o %t/steps.o %t/plain.o -o %t/callees && sh %compare 4 %t/serial %t/callees
// RUN: %vgpu %t/main.o %t/steps.serial.o %t/plain.o -o %t/callers && sh %compare 4 %t/serial %t/callers
// RUN: %vgpu %t/main.o %t/steps.o %t/plain.o -o %t/both && sh %compare 12 %t/serial %t/both
// RUN: for mode in auto turns graph; do KESCO_MODE=$mode sh %compare 4 %t/serial %t/both || exit 1; done
// RUN: %vgpu-kesco -std=c++17 -O0 %s %S/Inputs/across_calls/steps.cu %t/plain.o -o %t/unoptimised
// RUN: sh %compare 4 %t/serial %t/unoptimised
//
// The caller is C++ that launches nothing.
// RUN: clang++ -I$CUDA_PATH/include -fplugin=%plugin -std=c++17 -O2 -x c++ -c %s -o %t/cxx.o
// RUN: %vgpu %t/cxx.o %t/steps.o %t/plain.o -o %t/cxx && sh %compare 4 %t/serial %t/cxx
// RUN: %vgpu %t/cxx.o %t/steps.serial.o %t/plain.o -o %t/cxx.alone && sh %compare 2 %t/serial %t/cxx.alone
//
// Another number stands before functions whose types calls check.
// RUN: %vgpu-kesco -std=c++17 -O2 -fsanitize=function -fsanitize-trap=function -c %S/Inputs/across_calls/steps.cu -o %t/typed.o
// RUN: %vgpu %t/main.o %t/typed.o %t/plain.o -o %t/typed
//
// RUN: for name in both cxx typed; do KESCO_STATS=1 %t/$name 2>&1 >/dev/null | FileCheck %s || exit 1; done
//
// As parallel as lanes allow.
// RUN: for name in serial both; do VGPU_TIME=1 sh %S/Inputs/virtual_time.sh %t/$name loop 10000 || exit 1; done >%t/times
// RUN: awk 'NR == 1 { serial = $1 } NR == 2 { exit !(1.35 * $1 <= serial) }' %t/times

// CHECK: 1 12 {{.*}} fill(int*, int)
// CHECK-NEXT: 12 ops placed, 6 behind others in flight
// CHECK-NEXT: 1 ended before {{.*}} in {{.*}}

#include "Inputs/across_calls/steps.h"

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <vector>

enum { BUFFERS = 6 };

struct Buffers {
    int *all[BUFFERS];
    int *managed;
};

static Buffers buffers;

/* Two ops for each buffer, with host code of another source file between. */
static void loop() {
    for (int i = 0; i < BUFFERS; i++) {
        fill(buffers.all[next(i)], i);
        check("fill");
        work(buffers.all[next(i)]);
    }
}

/* Each reads what the one before wrote. */
static void chain() {
    for (int i = 0; i + 1 < BUFFERS; i++)
        add(buffers.all[i + 1], buffers.all[i]);
    for (int i = BUFFERS - 1; i > 0; i--)
        add(buffers.all[i - 1], buffers.all[i]);
}

/* The layers work on two buffers in turn. */
static void layers() {
    std::vector<std::unique_ptr<Layer>> all;
    for (int i = 0; i < BUFFERS; i++)
        all.push_back(make_layer(i));
    for (auto &layer : all)
        layer->run(buffers.all[0], buffers.all[1]);
    for (auto &layer : all)
        layer->run(buffers.all[2], buffers.all[3]);
}

static void pointers() {
    for (int i = 0; i < 12; i++)
        steps[i % 2](buffers.all[i % BUFFERS]);
}

/* What is compiled without KeSCo comes between, on the default stream and on one of its own. */
static void others() {
    for (int i = 0; i < BUFFERS; i++) {
        work(buffers.all[i]);
        if (i % 2 == 0)
            plain_work(buffers.all[i]);
        else
            plain_on_stream(buffers.all[i]);
        work(buffers.all[i]);
    }
}

static void waits() {
    for (int i = 0; i < 3; i++) {
        work(buffers.managed);
        work(buffers.all[i]);
        std::printf("managed %u\n", plain_sum(buffers.managed));
        add(buffers.managed, buffers.all[i]);
        cudaDeviceSynchronize();
        std::printf("managed %u\n", sum_on_host(buffers.managed));
    }
}

static void exceptions() {
    for (int i = 0; i < BUFFERS; i++)
        try {
            work(buffers.all[i]);
            work_or_throw(buffers.all[(i + 1) % BUFFERS], i % 3 == 2);
            work(buffers.all[(i + 2) % BUFFERS]);
        } catch (const std::runtime_error &error) {
            std::printf("%s %u\n", error.what(), plain_sum_of(buffers.all[i]));
        }
}

/* They call what launches, and each other. */
static void nested() {
    step_of_steps(buffers.all, BUFFERS, 2);
    work(buffers.all[0]);
    step_of_steps(buffers.all, BUFFERS, 1);
}

static void streams() {
    cudaStream_t stream, other;
    cudaStreamCreate(&stream);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    for (int i = 0; i < BUFFERS; i++) {
        work_on(buffers.all[i], i % 3 == 2 ? nullptr : stream);
        work_on(buffers.all[(i + 1) % BUFFERS], stream);
    }
    cudaStreamSynchronize(stream);
    cudaDeviceSynchronize();
    for (int i = 0; i < BUFFERS; i++)
        work_on(buffers.all[i], other);
    cudaStreamSynchronize(other);
    cudaStreamDestroy(stream);
    cudaStreamDestroy(other);
}

static void copies() {
    for (int i = 0; i + 1 < BUFFERS; i++) {
        clear(buffers.all[i]);
        copy(buffers.all[i], buffers.all[i + 1]);
        work(buffers.all[i + 1]);
    }
}

static const struct {
    const char *name;
    void (*run)();
} parts[] = {{"loop", loop},         {"chain", chain},       {"layers", layers}, {"pointers", pointers},
             {"others", others},     {"waits", waits},       {"nested", nested}, {"exceptions", exceptions},
             {"streams", streams},   {"copies", copies}};

int main(int argc, char **argv) {
    if (argc > 2)
        rounds = std::atoi(argv[2]);
    for (int *&buffer : buffers.all)
        cudaMalloc(&buffer, SIZE * sizeof(int));
    cudaMallocManaged(&buffers.managed, SIZE * sizeof(int));
    for (int *buffer : buffers.all)
        cudaMemset(buffer, 1, SIZE * sizeof(int));
    cudaMemset(buffers.managed, 2, SIZE * sizeof(int));
    cudaDeviceSynchronize();
    for (const auto &part : parts) {
        if (argc > 1 && std::strcmp(argv[1], part.name) != 0)
            continue;
        part.run();
        for (int *buffer : buffers.all)
            std::printf("%s %u\n", part.name, plain_sum_of(buffer));
    }
    std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    return 0;
}
