// Behind the last launch of a function with an early return stands the block that both come to: it is a launch all the same.
// RUN: %kesco-host -O1 -S -emit-llvm %s -o %t.ll -fplugin-arg-kesco-report=%t.json -Rpass-missed=kesco 2>&1 | \
// RUN:   FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --input-file=%t.json

__attribute__((kesco_outputs(1))) __global__ void make(float *out, int n) { out[threadIdx.x] = n; }

// CHECK-LABEL: "name": "early(float*, float*, int)", "lanes": 2,
void early(float *__restrict__ a, float *__restrict__ b, int n) {
    if (n == 0)
        return;
    make<<<1, 64>>>(a, n);
    make<<<1, 64>>>(b, n);
}

// REMARK: :[[# @LINE+5]]:5: remark: launches before and after this point do not overlap: call to function 'recursive(float*, int)', which calls itself and launches a kernel (line [[# @LINE+4]])
void recursive(float *p, int n) {
    if (n == 0)
        return;
    make<<<1, 64>>>(p, n);
    recursive(p, n / 2);
    make<<<1, 64>>>(p, n);
}
