// Threads that launch on the default stream have one for all of them: told where they are started, whoever starts them.
// RUN: for level in 0 2; do \
// RUN:   %kesco-host -O$level -S -emit-llvm %s -o %t.ll -Rpass-missed=kesco 2>&1 | grep threads >%t.remarks; \
// RUN:   FileCheck %s --implicit-check-not=remark: --input-file=%t.remarks || exit 1; \
// RUN: done
// RUN: %kesco-host -O2 -S -emit-llvm %s -o %t.ll -Rpass-missed=kesco -Xclang -fgpu-default-stream=per-thread 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OWN --implicit-check-not=threads
// RUN: %kesco-host -O2 -fopenmp -DOPENMP -S -emit-llvm %s -o %t.ll -Rpass-missed=kesco 2>&1 | FileCheck %s --check-prefix=OPENMP

#include <pthread.h>
#include <thread>
#include <vector>

static __global__ void set(float *out, float v) { *out = v; }

static void work(float *out, int n) {
    set<<<1, 1>>>(out, n);
    set<<<1, 1>>>(out + 1, n);
}

static void work_apart(float *out, cudaStream_t stream) { set<<<1, 1, 0, stream>>>(out, 1); }
static void wait(int n) { cudaSetDevice(n); }

static void *routine(void *out) {
    work(static_cast<float *>(out), 1);
    return nullptr;
}

// CHECK: :[[# @LINE + 4]]:{{[0-9]+}}: remark: what these threads launch on the default stream (line {{16|17}}) does not overlap, as that is one stream for all of them; if the program allows, give each its own, as -Xclang -fgpu-default-stream=per-thread does
void many(float **out) {
    std::vector<std::thread> all;
    for (int i = 0; i < 4; i++)
        all.emplace_back(work, out[i], i);
    for (std::thread &t : all)
        t.join();
}

// CHECK: :[[# @LINE + 3]]:{{[0-9]+}}: remark: what these threads launch
// OWN: remark:
void two(float *out) {
    std::thread one([=] { set<<<1, 1>>>(out, 1); }), other(&work, out + 1, 2);
    one.join();
    other.join();
}

// CHECK: :[[# @LINE + 4]]:{{[0-9]+}}: remark: what these threads launch
void posix(float **out, int n) {
    std::vector<pthread_t> all(n);
    for (int i = 0; i < n; i++)
        pthread_create(&all[i], nullptr, routine, out[i]);
    for (pthread_t t : all)
        pthread_join(t, nullptr);
}

// One has nobody to share with; streams of their own, and threads that launch nothing, are no matter.
void others(float *out, cudaStream_t *streams) {
    std::thread one(work, out, 1);
    std::vector<std::thread> all;
    for (int i = 0; i < 4; i++)
        all.emplace_back(work_apart, out + i, streams[i]);
    for (int i = 0; i < 4; i++)
        all.emplace_back(wait, 0);
    for (std::thread &t : all)
        t.join();
    one.join();
}

// Nor are threads of which one is waited for before the next begins.
void one_by_one(float *out) {
    for (int i = 0; i < 4; i++) {
        std::thread one(&work, out, i), idle(&wait, 0);
        one.join();
        idle.join();
    }
}

#ifdef OPENMP
// OPENMP: :[[# @LINE + 2]]:{{[0-9]+}}: remark: what these threads launch
void team(float **out, int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        work(out[i], i);
}
#endif
