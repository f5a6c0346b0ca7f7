// A wait that stands in several functions, since its own is inlined, or in several passes of a loop, is told of once for each
// thing that becomes of it; what holds only where it is inlined says where that is.
// RUN: %kesco-host -O1 -S -emit-llvm %s -o /dev/null -Rpass=kesco -Rpass-missed=kesco 2>&1 | grep 'remark: ' >%t.remarks
// RUN: FileCheck %s --input-file=%t.remarks --implicit-check-not=Synchronize

__attribute__((kesco_outputs(1))) __global__ void set(int *out, int v) { *out = v; }

#define CHECK(call) \
    do { \
        if ((call) != cudaSuccess) \
            throw 1; \
    } while (0)

// CHECK: :[[@LINE+10]]:8: remark: 5 kernels run on 3 lanes
// CHECK-NEXT: :[[@LINE+5]]:{{11|5}}: remark: in 'kept_by_itself(int*, int*, int*)', where it is inlined: call to 'cudaDeviceSynchronize' is put off
// CHECK-NEXT: :[[@LINE+10]]:{{11|5}}: remark: call to 'cudaDeviceSynchronize' is put off
// CHECK-NEXT: :[[@LINE+3]]:{{11|5}}: remark: launches before and after this point do not overlap: call to 'cudaDeviceSynchronize', whose error the program does not look for again before the function ends;
static void step(int *a, int *b) {
    set<<<1, 1>>>(a, 1);
    CHECK(cudaDeviceSynchronize());
    set<<<1, 1>>>(b, 1);
}
void kept_by_itself(int *a, int *b, int *c) {
    set<<<1, 1>>>(c, 1);
    step(a, b);
    CHECK(cudaDeviceSynchronize());
    step(b, c);
    CHECK(cudaDeviceSynchronize());
}

// CHECK: remark: 6 kernels run on 3 lanes
// CHECK-NEXT: :[[@LINE+7]]:{{11|5}}: remark: in 'put_off_by_itself(int*, int*, int*)', where it is inlined: call to 'cudaDeviceSynchronize' is put off
// CHECK-NEXT: :[[@LINE+3]]:8: remark: 2 kernels run on 2 lanes
// CHECK-NEXT: :[[@LINE+3]]:{{11|5}}: remark: call to 'cudaDeviceSynchronize' is put off
static void both(int *a, int *b) {
    set<<<1, 1>>>(a, 1);
    CHECK(cudaDeviceSynchronize());
    set<<<1, 1>>>(b, 1);
    CHECK(cudaDeviceSynchronize());
}
void put_off_by_itself(int *a, int *b, int *c) {
    set<<<1, 1>>>(c, 1);
    both(a, b);
    set<<<1, 1>>>(c, 1);
    both(b, c);
}

// CHECK: remark: 6 kernels run on 2 lanes
// CHECK-NEXT: :[[@LINE+5]]:{{15|9}}: remark: call to 'cudaDeviceSynchronize' is put off
void from_pass_to_pass(int *a, int *b) {
    for (int i = 0; i < 3; i++) {
        set<<<1, 1>>>(a, i);
        set<<<1, 1>>>(b, i);
        CHECK(cudaDeviceSynchronize());
    }
}

// Launches of one kernel that keep their order for one reason are told of once in a function, at the first.
// CHECK: :[[@LINE+4]]:12: remark: kernel 'unknown' keeps its order to all others: {{.*}}; so do 2 more here [
// CHECK-NEXT: :[[@LINE+8]]:12: remark: kernel 'unknown' keeps its order to all others: {{.*}}; so does 1 more here [
__global__ void unknown(int *out);
void thrice(int *a, int *b) {
    unknown<<<1, 1>>>(a);
    unknown<<<1, 1>>>(b);
    unknown<<<1, 1>>>(a);
}
void again(int *a) {
    unknown<<<1, 1>>>(a);
    unknown<<<1, 1>>>(a);
}

// What stops regions at several points for one reason is told of at the first, with the lines of all.
// CHECK: :[[@LINE+5]]:27: remark: launches before and after this point do not overlap: call to unknown function 'note(int)', the first of 3 such in this function (lines [[@LINE+5]], [[@LINE+6]] and [[@LINE+7]]); define
// CHECK-NEXT: :[[@LINE+7]]:27: remark: launches before and after this point do not overlap: call to unknown function 'other(int)'; define
// ACROSS: :[[@LINE+3]]:8: remark: 5 ops may overlap with what other functions launch
void note(int), other(int);
void noted(int *a, int *b) {
    set<<<1, 1>>>(a, 1);  note(1);
    set<<<1, 1>>>(b, 1);  note(2);
    set<<<1, 1>>>(b, 2);  note(3);
    set<<<1, 1>>>(b, 3);  other(4);
    set<<<1, 1>>>(a, 2);
}

// So is what holds for all regions of a function.
// RUN: %kesco-host -O1 -c %s -o /dev/null -fplugin-arg-kesco-across-calls=on -Rpass=kesco 2>&1 | grep 'remark: ' \
// RUN:   | FileCheck %s --check-prefix=ACROSS
// ACROSS-NOT: may overlap

// A lambda stands where it is used; another function's launches are told of with the function that they are in.
// CHECK-NEXT: :[[@LINE+5]]:{{[0-9]+}}: remark: 2 kernels run on 2 lanes
// CHECK-NEXT: :[[@LINE+2]]:{{[0-9]+}}: remark: in 'in_a_helper(int*, int*)', where it is inlined: 2 kernels run on 2 lanes
// CHECK-NOT: remark:
static void set_it(int *p, int v) { set<<<1, 1>>>(p, v); }
void in_a_lambda(int *a, int *b) {
    const auto launch = [](int *p) { set<<<1, 1>>>(p, 1); };
    launch(a);
    launch(b);
}
void in_a_helper(int *a, int *b) {
    set_it(a, 1);
    set_it(b, 2);
}
