// A function that touches the device, and that code may enter which nobody sees, first closes the region that is open. In a
// unit with regions that is a call of the runtime; in one without, there may be no runtime.
// RUN: %kesco-host -O0 -S -emit-llvm %s -o - | FileCheck %s --check-prefixes=CHECK,WEAK
// RUN: %kesco-host -O0 -g -DREGION -Xclang -llvm-verify-each -S -emit-llvm %s -o - | FileCheck %s --check-prefixes=CHECK,CALL
// RUN: %kesco-host -O2 -fplugin-arg-kesco-off -Wno-unknown-attributes -S -emit-llvm %s -o - | FileCheck %s --check-prefix=OFF
// OFF-NOT: __kesco1

#include <cmath>
#include <cstdio>

__attribute__((kesco_outputs(1))) __global__ void set(int *out) { *out = 1; }

#ifdef REGION
// CALL-LABEL: define {{.*}}@_Z6regionv(
// CALL: call void @__kesco1_interrupt()
void region() {
    int *a, *b;
    cudaMalloc(&a, 4), cudaMalloc(&b, 4);
    set<<<1, 1>>>(a);
    set<<<1, 1>>>(b);
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

// A local function is entered by way of others, or by its address.
// CHECK-LABEL: define {{.*}}@_Z6directv(
// CHECK: call void @__kesco1_interrupt()
// CHECK-LABEL: define {{.*}}@_ZL5localv(
// CHECK-NOT: @__kesco1_interrupt
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

// From here on, no function has to: they only ask, compute or print, or call what closes the region itself.
// CHECK-NOT: @__kesco1_interrupt
int asks() {
    int device;
    return cudaGetDevice(&device) == cudaSuccess && cudaGetLastError() == cudaSuccess;
}
void prints(double x) { printf("%g\n", std::sqrt(x)); }
void by_another() { wait(); }
int main() { wait(); cudaDeviceSynchronize(); }

// CHECK: declare {{(extern_weak )?}}void @__kesco1_interrupt()
