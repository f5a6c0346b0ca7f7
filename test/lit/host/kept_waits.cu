// For each call that waits and stays a barrier, the remark and the report say what keeps it there.
// RUN: %kesco-host -O1 -S -emit-llvm %s -o /dev/null -Rpass-missed=kesco -fplugin-arg-kesco-report=%t.json 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=REPORT --input-file=%t.json

#include <cstdio>
#include <cstdlib>
#include <ctime>

__attribute__((kesco_outputs(1))) __global__ void set(int *out, int v) { *out = v; }
__global__ void guess(int *out);

#define CHECK(call) \
    do { \
        if ((call) != cudaSuccess) \
            exit(1); \
    } while (0)

#define RETURN(call, value) \
    do { \
        if ((call) != cudaSuccess) \
            return value; \
    } while (0)

// CHECK: :[[@LINE+6]]:9: remark: launches before and after this point do not overlap: call to 'cudaDeviceSynchronize', whose error has other consequences than that of the call in line [[@LINE+9]]; if the program allows, move it
// REPORT: "name": "asked(int*, int*, int)"
// REPORT: "barriers": [
// REPORT-NEXT: "why": "call to 'cudaDeviceSynchronize', whose error the program does not look for again before the function ends
int differs(int *a, int *b) {
    set<<<1, 1>>>(a, 1);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 1;
    set<<<1, 1>>>(b, 1);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 2;
    return 0;
}

// The place is that of the call, or of the macro around it.
// CHECK: :[[@LINE+3]]:{{12|5}}: remark: {{.*}} call to 'cudaDeviceSynchronize', whose error the program does not look for again before the function ends;
int asked(int *a, int *b, int place) {
    set<<<1, 1>>>(a, 1);
    RETURN(cudaDeviceSynchronize(), place);
    set<<<1, 1>>>(b, 1);
    cudaDeviceSynchronize();
    return 0;
}

// CHECK: :[[@LINE+3]]:5: remark: {{.*}} call to 'cudaDeviceSynchronize', behind which the host reads a clock in line [[@LINE+4]];
void timed(int *a, int *b) {
    set<<<1, 1>>>(a, 1);
    cudaDeviceSynchronize();
    printf("%ld\n", (long)clock());
    set<<<1, 1>>>(b, 1);
}

// CHECK: :[[@LINE+3]]:5: remark: {{.*}} call to 'cudaDeviceSynchronize', which tells of the kernel 'guess', of which nothing is known;
void unknown(int *a, int *b) {
    guess<<<1, 1>>>(a);
    cudaDeviceSynchronize();
    set<<<1, 1>>>(b, 1);
}

// CHECK: :[[@LINE+4]]:{{11|5}}: remark: {{.*}} call to 'cudaDeviceSynchronize', which may wait for work of other code;
void others(int *a, int *b) {
    set<<<1, 1>>>(a, 1);
    puts("go");
    CHECK(cudaDeviceSynchronize());
    set<<<1, 1>>>(b, 1);
    CHECK(cudaDeviceSynchronize());
}

// CHECK: :[[@LINE+6]]:5: remark: {{.*}} call to 'cudaDeviceSynchronize', behind which the host may touch memory in line [[@LINE+7]], and 'set' may still be at work on 'a';
void reads() {
    int *a, *b;
    cudaMallocManaged(&a, 4);
    cudaMallocManaged(&b, 4);
    set<<<1, 1>>>(a, 1);
    cudaDeviceSynchronize();
    set<<<1, 1>>>(b, *a);
    cudaDeviceSynchronize();
}
