// How often a region will be opened again, its loops say where they count up or down to a bound: before each opening, so many are
// left, those of the loops around included. Ways out for errors that end the program do not matter; where a loop may end by
// anything else, or counts in steps that are not known, nothing is said.
// RUN: for o in 0 2; do %kesco-host -O$o -fplugin-arg-kesco-mode=auto -fplugin-arg-kesco-show=ir -fplugin-arg-kesco-runtime=shared %s -S -o /dev/null 2>%t.ll || exit 1; \
// RUN:   FileCheck %s --input-file=%t.ll || exit 1; done

#include <cstdlib>

__attribute__((kesco_outputs(1))) __global__ void scale(int *data, int by) { *data *= by; }

#define PASS(data)                                                                                                                         \
    scale<<<1, 1>>>(data, 2);                                                                                                              \
    scale<<<1, 1>>>(data, 3);                                                                                                              \
    scale<<<1, 1>>>(data, 4);                                                                                                              \
    scale<<<1, 1>>>(data, 5);                                                                                                              \
    cudaDeviceSynchronize()

// CHECK-LABEL: define {{.*}}@_Z2upPii(
// CHECK: [[LEFT:%.*]] = sub i64 {{.*}}
// CHECK: call void @__kesco1_expect(ptr [[REGION:@[0-9]+]], i64 {{%.*}})
// CHECK-NEXT: call void @__kesco1_enter(ptr null, ptr [[REGION]])
void up(int *data, int count) {
    for (int i = 0; i < count; i++) {
        PASS(data);
    }
}

// CHECK-LABEL: define {{.*}}@_Z4downPii(
// CHECK: call void @__kesco1_expect(
void down(int *data, int count) {
    for (int i = count; i > 0; i -= 2) {
        PASS(data);
    }
}

// CHECK-LABEL: define {{.*}}@_Z6nestedPiii(
// CHECK: mul i64
// CHECK: call void @__kesco1_expect(
void nested(int *data, int count, int steps) {
    for (int i = 0; i < count; i++)
        for (int step = 0; step < steps; step++) {
            PASS(data);
        }
}

// CHECK-LABEL: define {{.*}}@_Z7checkedPii(
// CHECK: call void @__kesco1_expect(
void checked(int *data, int count) {
    for (int i = 0; i < count; i++) {
        PASS(data);
        if (cudaGetLastError() != cudaSuccess)
            exit(1);
    }
}

// The program has failed where `main` returns from within.
// CHECK-LABEL: define {{.*}}@main(
// CHECK: call void @__kesco1_expect(ptr [[FIRST:@[0-9]+]], i64
// CHECK-NEXT: call void @__kesco1_enter(ptr null, ptr [[FIRST]])
// CHECK-NOT: call void @__kesco1_expect(
int main(int argc, char **argv) {
    int *data, found, count = atoi(argv[1]);
    cudaMalloc(&data, sizeof *data);
    for (int i = 0; i < count; i++) {
        PASS(data);
        cudaMemcpy(&found, data, sizeof found, cudaMemcpyDeviceToHost);
        if (found < 0)
            return 1;
    }
    system("true");
    for (int i = 0; i < count; i++) {
        int last;
        PASS(data);
        cudaMemcpy(&last, data, sizeof last, cudaMemcpyDeviceToHost);
        if (last > 100)
            break;
    }
    system("true");
    for (int i = 0; i < count; i++) {
        int last;
        PASS(data);
        cudaMemcpy(&last, data, sizeof last, cudaMemcpyDeviceToHost);
        if (last > 200)
            return 0;
        if (last > 100)
            exit(0);
    }
    return 0;
}

// CHECK-LABEL: define {{.*}}@_Z9convergesPii(
// CHECK-NOT: call void @__kesco1_expect(
// CHECK-LABEL: define {{.*}}@_Z7doublesPii(
// CHECK-NOT: call void @__kesco1_expect(
// CHECK-LABEL: define {{.*}}@_Z6insidePii(
// CHECK-NOT: call void @__kesco1_expect(
// CHECK-LABEL: define {{.*}}@_Z4oncePi(
// CHECK-NOT: call void @__kesco1_expect(
void converges(int *data, int most) {
    for (int i = 0; i < most; i++) {
        PASS(data);
        int found;
        cudaMemcpy(&found, data, sizeof found, cudaMemcpyDeviceToHost);
        if (found > 100)
            break;
    }
}
void doubles(int *data, int count) {
    for (int i = 1; i < count; i *= 2) {
        PASS(data);
    }
}
void inside(int *data, int count) {
    do {
        for (int i = 0; i < count; i++) {
            PASS(data);
        }
        count--;
    } while (rand() % 4);
}
void once(int *data) {
    PASS(data);
}
