// Launches whose arguments come from calls of what is not seen here: these stand before the configuration, so that a region can
// be lent them, also where they may throw. What is seen, or the library's, leaves the launch as it is.
// RUN: for o in 0 2; do \
// RUN:   %kesco-host -fplugin-arg-kesco-across-calls=on -O$o -S -emit-llvm %s -o %t.ll -Rpass-missed=kesco 2>%t.remarks && \
// RUN:   FileCheck %s --input-file=%t.ll || exit 1; \
// RUN:   FileCheck %s --input-file=%t.remarks --check-prefix=REMARK --allow-empty || exit 1; \
// RUN: done
// Where regions go through no calls, and in what stays as it is, nothing changes.
// RUN: %kesco-host -O0 -S -emit-llvm %s -o - -Rpass-missed=kesco 2>&1 | FileCheck %s --check-prefix=OFF
// RUN: echo fun:plain >%t.list
// RUN: %kesco-host -fplugin-arg-kesco-across-calls=on -fplugin-arg-kesco-exclude=%t.list -O0 -S -emit-llvm %s -o - | \
// RUN:   FileCheck %s --check-prefix=OFF
// OFF-LABEL: define {{.*}} @_Z5plainR6Buffer(
// OFF: call {{.*}} @__cudaPushCallConfiguration(
// OFF: call {{.*}} @_ZN6Buffer4dataEv(

#include <vector>

struct Buffer {
    float *data();
    int size();
};

struct Local {
    Local();
    ~Local();
};

__attribute__((kesco_outputs(1))) __global__ void scale(float *data, int n) {
    if (threadIdx.x < n)
        data[threadIdx.x] *= 2;
}

// CHECK-LABEL: define {{.*}} @_Z5plainR6Buffer(
// CHECK: {{call|invoke}} {{.*}} @_ZN6Buffer4dataEv(
// CHECK: {{call|invoke}} {{.*}} @_ZN6Buffer4sizeEv(
// CHECK: {{call|invoke}} {{.*}} @__cudaPushCallConfiguration(
void plain(Buffer &buffer) { scale<<<1, 32>>>(buffer.data(), buffer.size()); }

// CHECK-LABEL: define {{.*}} @_Z7cleanupR6Buffer(
// CHECK: invoke {{.*}} @_ZN6Buffer4dataEv(
// CHECK: {{call|invoke}} {{.*}} @__cudaPushCallConfiguration(
void cleanup(Buffer &buffer) {
    Local local;
    scale<<<1, 32>>>(buffer.data(), 32);
}

// CHECK-LABEL: define {{.*}} @_Z7pointerPFPfvE(
// CHECK: {{call|invoke}} {{.*}} %{{[^(]*}}()
// CHECK: {{call|invoke}} {{.*}} @__cudaPushCallConfiguration(
void pointer(float *(*get)()) { scale<<<1, 32>>>(get(), 32); }

// CHECK-LABEL: define {{.*}} @_Z6chosenR6BufferS0_b(
// CHECK: {{call|invoke}} {{.*}} @_ZN6Buffer4dataEv(
// CHECK: {{call|invoke}} {{.*}} @__cudaPushCallConfiguration(
void chosen(Buffer &a, Buffer &b, bool which) { scale<<<1, 32>>>(which ? a.data() : b.data(), 32); }

float *seen(float **data) {
    data[1] = data[0];
    return *data;
}

// CHECK-LABEL: define {{.*}} @_Z8ordinaryRSt6vectorIPfSaIS0_EE(
// CHECK: {{call|invoke}} {{.*}} @__cudaPushCallConfiguration(
void ordinary(std::vector<float *> &of) { scale<<<1, 32>>>(seen(of.data()), static_cast<int>(of.size())); }

static void both(Buffer &a, Buffer &b) {
    scale<<<1, 32>>>(a.data(), a.size());
    scale<<<1, 32>>>(b.data(), b.size());
}

void passes(Buffer &a, Buffer &b, int n) {
    for (int i = 0; i < n; i++)
        both(a, b);
}

// REMARK-NOT: in its arguments
// REMARK-NOT: do not overlap: call to unknown function
// REMARK-NOT: run pass after pass
