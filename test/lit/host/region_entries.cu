// Where a function first touches the device that code may enter which nobody sees, it closes the region that is open. In a
// unit with regions that is a call of the runtime; in one without, there may be no runtime.
// RUN: %kesco-host -O0 -S -emit-llvm %s -o - | FileCheck %s --check-prefixes=CHECK,WEAK
// RUN: %kesco-host -O0 -g -DREGION -Xclang -llvm-verify-each -S -emit-llvm %s -o - | FileCheck %s --check-prefixes=CHECK,CALL
// RUN: %kesco-host -O2 -fplugin-arg-kesco-off -Wno-unknown-attributes -S -emit-llvm %s -o - | FileCheck %s --check-prefix=OFF
// OFF-NOT: __kesco1

#include <cmath>
#include <cstdio>

__attribute__((kesco_outputs(1))) __global__ void set(int *out) { *out = 1; }

#ifdef REGION
// What comes back into the region that is open would else go on with it, as its next pass does.
// CALL-LABEL: define {{.*}}@_Z6regionv(
// CALL: call void @__kesco1_interrupt()
// CALL: call void @__kesco1_enter(
// CALL-NOT: @__kesco1_interrupt
// CALL-LABEL: define {{.*}}@_Z5againPiS_i(
// CALL-NOT: preds =
// CALL: call void @__kesco1_interrupt()
// CALL-NOT: @__kesco1_interrupt
// CALL: call void @__kesco1_enter(
// CALL-NOT: @__kesco1_interrupt
void region() {
    int *a, *b;
    cudaMalloc(&a, 4), cudaMalloc(&b, 4);
    set<<<1, 1>>>(a);
    set<<<1, 1>>>(b);
}
void again(int *__restrict__ a, int *__restrict__ b, int count) {
    for (int i = 0; i < count; i++) {
        if (i % 3 != 0)
            set<<<1, 1>>>(a);
        set<<<1, 1>>>(b);
    }
}
#endif

// CHECK-LABEL: define {{.*}}@_Z8launchesPi(
// WEAK: [[THERE:%.*]] = icmp ne ptr @__kesco1_interrupt, null
// WEAK-NEXT: br i1 [[THERE]], label
// WEAK: call void @__kesco1_interrupt()
// CALL: call void @__kesco1_interrupt()
// CHECK: call {{.*}}@__cudaPushCallConfiguration(
// CHECK-NOT: @__kesco1_interrupt
// CHECK-LABEL: define {{.*}}@_Z4waitv(
// CHECK: call void @__kesco1_interrupt()
// CHECK-NOT: @__kesco1_interrupt
void launches(int *p) { set<<<1, 1>>>(p); }
void wait() { cudaDeviceSynchronize(); }

// Code of other units may do anything, and so may what a pointer leads to.
// CHECK-LABEL: define {{.*}}@_Z5callsv(
// CHECK: call void @__kesco1_interrupt()
// CHECK-LABEL: define {{.*}}@_Z7throughPFvvE(
// CHECK: call void @__kesco1_interrupt()
void unseen();
void calls() { unseen(); }
void through(void (*f)()) { f(); }

// Other threads may look at what is volatile or atomic; nobody else sees a variable of the function's own.
// CHECK-LABEL: define {{.*}}@_Z8hands_onv(
// CHECK: call void @__kesco1_interrupt()
// CHECK: store atomic
// CHECK-NOT: @__kesco1_interrupt
// CHECK-LABEL: define {{.*}}@_Z5looksPVi(
// CHECK: call void @__kesco1_interrupt()
// CHECK: load volatile
// CHECK-LABEL: define {{.*}}@_Z6fencesv(
// CHECK: call void @__kesco1_interrupt()
// CHECK: fence seq_cst
// CHECK-LABEL: define {{.*}}@_Z4ownsi(
// CHECK-NOT: @__kesco1_interrupt
int word;
void hands_on() {
    __atomic_store_n(&word, 1, __ATOMIC_RELEASE);
    while (__atomic_load_n(&word, __ATOMIC_ACQUIRE) == 1)
        ;
}
int looks(volatile int *at) { return *at; }
void fences() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
int owns(int x) {
    volatile int mine = x;
    return mine;
}

// A local function is entered by way of others, or by its address.
// CHECK-LABEL: define {{.*}}@_Z6directv(
// CHECK-NOT: @__kesco1_interrupt
// CHECK-LABEL: define {{.*}}@_ZL5localv(
// CHECK: call void @_Z4waitv()
// CHECK: call void @__kesco1_interrupt()
// CHECK: call i32 @cudaDeviceSynchronize()
// CHECK-LABEL: define {{.*}}@_Z5givenv(
// CHECK-NOT: @__kesco1_interrupt
// CHECK-LABEL: define {{.*}}@_ZL5takenv(
// CHECK: call void @__kesco1_interrupt()
static void local() { wait(); cudaDeviceSynchronize(); }
static void taken() { cudaDeviceSynchronize(); }
void direct() { local(); }
void (*given())() { return taken; }

// A member that a table has.
// CHECK-LABEL: define {{.*}}@_ZN7Derived7executeEv(
// CHECK: call void @__kesco1_interrupt()
struct Base {
    virtual void execute() = 0;
};
struct Derived : Base {
    void execute() override;
};
void Derived::execute() { cudaDeviceSynchronize(); }

// Not where it returns before.
// CHECK-LABEL: define {{.*}}@_Z10on_failurei(
// CHECK: icmp ne i32
// CHECK-NEXT: br i1 {{.*}}, label %[[FAILED:[0-9]+]], label %[[END:[0-9]+]]
// CHECK: [[FAILED]]:
// CHECK: call void @__kesco1_interrupt()
// CHECK: call i32 @cudaDeviceReset()
// CHECK-NOT: @__kesco1_interrupt
// CHECK: [[END]]:
// CHECK-NOT: @__kesco1_interrupt
// CHECK: ret void
// CHECK-LABEL: define {{.*}}@_Z6in_allb(
// CHECK: call void @__kesco1_interrupt()
// CHECK: call void @__kesco1_interrupt()
// CHECK-NOT: @__kesco1_interrupt
void on_failure(int error) {
    if (error != 0) {
        cudaDeviceReset();
        cudaDeviceSynchronize();
    }
}
void in_all(bool which) {
    if (which)
        cudaDeviceSynchronize();
    else
        cudaStreamSynchronize(0);
    cudaDeviceSynchronize();
}

// From here on, no function has to: they only ask, compute or print, or call what closes the region itself.
// CHECK-NOT: @__kesco1_interrupt
int asks() {
    int device;
    return cudaGetDevice(&device) == cudaSuccess && cudaGetLastError() == cudaSuccess;
}
void makes(int **p) { cudaMalloc(p, 4); }
void prints(double x) { printf("%g\n", std::sqrt(x)); }
void by_another() { wait(); }
int main() { wait(); cudaDeviceSynchronize(); }

// CHECK: declare {{(extern_weak )?}}void @__kesco1_interrupt()
