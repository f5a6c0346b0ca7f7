// What the user wants of waits: only those whose errors nobody looks for, or none; and clocks that do not look at the
// device.
// RUN: %kesco-host -O1 -S -emit-llvm %s -o %t.ll -fplugin-arg-kesco-sync-elision=unchecked -Rpass=kesco -Rpass-missed=kesco 2>%t.unchecked
// RUN: FileCheck %s --input-file=%t.unchecked --check-prefix=UNCHECKED --implicit-check-not="is left out" --implicit-check-not="is put off"
// RUN: FileCheck %s --input-file=%t.ll
// RUN: %kesco-host -O1 -S -emit-llvm %s -o %t.clocks.ll -fplugin-arg-kesco-clocks=ignore -Rpass=kesco -Rpass-missed=kesco 2>%t.clocks
// RUN: FileCheck %s --input-file=%t.clocks --check-prefix=CLOCKS
// RUN: FileCheck %s --input-file=%t.clocks.ll --check-prefix=IGNORE
// RUN: %kesco-host -O1 -S -emit-llvm %s -o %t.observe.ll -fplugin-arg-kesco-clocks=observe
// RUN: %kesco-host -O1 -S -emit-llvm %s -o %t.default.ll && cmp %t.observe.ll %t.default.ll
// RUN: %kesco-host -O0 -S -emit-llvm %s -o /dev/null -fplugin-arg-kesco-sync-elision=unchecked -Rpass=kesco 2>&1 | FileCheck %s --check-prefix=LEVEL

#include <cstdio>
#include <cstdlib>
#include <ctime>

__attribute__((kesco_outputs(1))) __global__ void set(int *out, int v) { *out = v; }

#define CHECK(call) \
    do { \
        if ((call) != cudaSuccess) \
            exit(1); \
    } while (0)

// The place is that of the call, or of the macro around it.
// UNCHECKED: :[[@LINE+9]]:{{11|5}}: remark: {{.*}}: call to 'cudaDeviceSynchronize', whose error the program looks for, and -fplugin-arg-kesco-sync-elision=unchecked keeps it;
// CLOCKS: :[[@LINE+8]]:{{11|5}}: remark: call to 'cudaDeviceSynchronize' is put off
// CHECK-LABEL: define {{.*}}7checked
// CHECK-NOT: @__kesco1_synchronize
// CHECK: call i32 @cudaDeviceSynchronize()
// CHECK-NOT: @__kesco1_synchronize
// CHECK: call i32 @cudaDeviceSynchronize()
void checked(int *a, int *b) {
    set<<<1, 1>>>(a, 1);
    CHECK(cudaDeviceSynchronize());
    set<<<1, 1>>>(b, 1);
    CHECK(cudaDeviceSynchronize());
}

// UNCHECKED: :[[@LINE+5]]:5: remark: {{.*}}: call to 'cudaDeviceSynchronize', whose error the program looks for, and -fplugin-arg-kesco-sync-elision=unchecked keeps it;
// CHECK-LABEL: define {{.*}}5asked
// CHECK-NOT: @__kesco1_synchronize
void asked(int *a, int *b) {
    set<<<1, 1>>>(a, 1);
    cudaDeviceSynchronize();
    CHECK(cudaGetLastError());
    set<<<1, 1>>>(b, 1);
    CHECK(cudaDeviceSynchronize());
}

// LEVEL: :[[@LINE+6]]:5: remark: call to 'cudaDeviceSynchronize' is put off
// UNCHECKED: :[[@LINE+5]]:5: remark: call to 'cudaDeviceSynchronize' is put off
// CHECK-LABEL: define {{.*}}9unchecked
// CHECK: call i32 @__kesco1_synchronize
void unchecked(int *a, int *b, int *host) {
    set<<<1, 1>>>(a, 1);
    cudaDeviceSynchronize();
    *host = 1;
    set<<<1, 1>>>(b, 1);
    CHECK(cudaDeviceSynchronize());
}

// UNCHECKED: :[[@LINE+8]]:5: remark: call to 'cudaDeviceSynchronize' is left out
// CLOCKS: :[[@LINE+7]]:5: remark: call to 'cudaDeviceSynchronize' is left out
// CHECK-LABEL: define {{.*}}5twice
// CHECK-COUNT-2: call i32 @cudaDeviceSynchronize()
// CHECK-NOT: call i32 @cudaDeviceSynchronize()
void twice(int *a, int *b) {
    cudaDeviceSynchronize();
    set<<<1, 1>>>(a, 1);
    cudaDeviceSynchronize();
    set<<<1, 1>>>(b, 1);
    cudaDeviceSynchronize();
}

// UNCHECKED: :[[@LINE+9]]:5: remark: {{.*}}: call to 'cudaDeviceSynchronize', behind which the host reads a clock in line [[@LINE+10]];
// CLOCKS: :[[@LINE+8]]:5: remark: call to 'cudaDeviceSynchronize' is put off
// CHECK-LABEL: define {{.*}}5timed
// IGNORE-LABEL: define {{.*}}5timed
// IGNORE: call i32 @__kesco1_synchronize
// IGNORE-NOT: @__kesco1_settle()
// IGNORE: call {{.*}}@clock()
void timed(int *a, int *b) {
    set<<<1, 1>>>(a, 1);
    cudaDeviceSynchronize();
    printf("%ld\n", (long)clock());
    set<<<1, 1>>>(b, 1);
    CHECK(cudaDeviceSynchronize());
}

// CLOCKS: :[[@LINE+4]]:5: remark: call to 'cudaDeviceSynchronize' is left out
long between(int *a, int *b) {
    cudaDeviceSynchronize();
    set<<<1, 1>>>(a, 1);
    cudaDeviceSynchronize();
    long t = clock();
    set<<<1, 1>>>(b, 1);
    cudaDeviceSynchronize();
    return t;
}
