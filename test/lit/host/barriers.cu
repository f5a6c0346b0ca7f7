// What KeSCo does not understand ends a region; the report says what it was and where. Order across it is the
// runtime's: a region opens and closes with an action on the default stream.
// RUN: %kesco-host -O0 -S -emit-llvm %s -o - -fplugin-arg-kesco-report=%t.json | opt -passes=verify -S | FileCheck %s
// RUN: FileCheck %s --input-file=%t.json --check-prefix=PLAN
// RUN: %kesco-host -O2 -c %s -o /dev/null -Rpass-missed=kesco 2>&1 | FileCheck %s --check-prefix=REMARK

__attribute__((kesco_outputs(1))) __global__ void known(float *out) { *out = 1; }
void unknown_function();
extern volatile int flag;

// PLAN: "name": "stops(
// CHECK-LABEL: define {{.*}}@_Z5stopsP11CUstream_stiPFvvE(
// CHECK: call void @__kesco1_enter(ptr null, ptr {{.*}})
// CHECK: call void @__kesco1_leave(
// CHECK: call {{.*}}i32 @cudaFree(
// CHECK: call void @__kesco1_enter(ptr null, ptr {{.*}})
// CHECK: call void @__kesco1_leave(
// CHECK: call void @_Z16unknown_functionv(
// CHECK-NOT: __kesco1
// CHECK: call void @__kesco1_enter(ptr null, ptr {{.*}})
// CHECK: call void @__kesco1_leave(
// CHECK-NEXT: ret void
// CHECK-NOT: __kesco1
// CHECK: {{^}}}
extern "C" int pthread_getconcurrency();
void stops(cudaStream_t stream, int n, void (*callback)()) {
    float *a, *b;
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    known<<<1, 1>>>(a);
    known<<<1, 1>>>(b);
    // PLAN: {"line": [[#@LINE+2]], "why": "call to 'cudaFree'"}
    // REMARK: barriers.cu:[[#@LINE+1]]:5: remark: launches before and after this point do not overlap: call to 'cudaFree'; if the program allows, move it before or behind the launches
    cudaFree(nullptr);
    known<<<1, 1>>>(a);
    known<<<1, 1>>>(b);
    // PLAN: {"line": [[#@LINE+2]], "why": "call to unknown function 'unknown_function()'"}
    // REMARK: barriers.cu:[[#@LINE+1]]:5: remark: launches {{.*}}: call to unknown function 'unknown_function()'; define that function in this source file, or move the call before or behind the launches if the program allows
    unknown_function();
    known<<<1, 1>>>(a);
    // PLAN: {"line": [[#@LINE+2]], "why": "call to unknown function 'pthread_getconcurrency'"}
    // REMARK: barriers.cu:[[#@LINE+1]]:5: remark: launches {{.*}}: call to unknown function 'pthread_getconcurrency'; if the program allows, move it before or behind the launches
    pthread_getconcurrency();
    known<<<1, 1>>>(b);
    // PLAN: {"line": [[#@LINE+1]], "why": "volatile or atomic access to host memory"}
    flag = 1;
    known<<<1, 1>>>(b);
    // PLAN: {"line": [[#@LINE+1]], "why": "call through a function pointer"}
    callback();
    known<<<1, 1>>>(a);
    // PLAN: {"line": [[#@LINE+1]], "why": "inline assembly"}
    asm volatile("" ::: "memory");
    known<<<1, 1>>>(b);
    // PLAN: {"line": [[#@LINE+2]], "why": "launch on another stream"}
    // REMARK: barriers.cu:[[#@LINE+1]]:{{[0-9]+}}: remark: launches {{.*}}: launch on another stream, the first of 2 such in this function (lines [[#@LINE+1]] and [[#@LINE+3]]); if the program allows, issue it on the stream of the others
    known<<<1, 1, 0, stream>>>(a);
    // PLAN: {"line": [[#@LINE+1]], "why": "launch on another stream"}
    known<<<1, 1>>>(a);
    if (n)
        known<<<1, 1>>>(b);
    known<<<1, 1>>>(a);
    for (int i = 0; i < n; ++i)
        known<<<1, 1>>>(b);
}
