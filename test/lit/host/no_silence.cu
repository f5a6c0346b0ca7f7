// Where launches stay serial, one remark a function says why, and what to do if something works; where that is done, they
// overlap.
// RUN: %kesco-host -O0 -S -emit-llvm %s -o %t.0.ll -Rpass=kesco -Rpass-missed=kesco 2>&1 | grep remark: >%t.0.remarks
// RUN: %kesco-host -O2 -S -emit-llvm %s -o /dev/null -Rpass=kesco -Rpass-missed=kesco 2>&1 | grep remark: >%t.2.remarks
// RUN: FileCheck %s --input-file=%t.0.remarks && FileCheck %s --input-file=%t.2.remarks
// RUN: FileCheck %s --input-file=%t.0.remarks --check-prefix=UNSEEN

// Who asks for what stays serial gets the same code.
// RUN: %kesco-host -O0 -S -emit-llvm %s -o %t.ll -Rpass=kesco 2>/dev/null && cmp %t.ll %t.0.ll

#include <vector>

__attribute__((kesco_outputs(1))) __global__ void make(float *out) { out[threadIdx.x] = 1; }
__attribute__((kesco_outputs(1))) __global__ void change(float *out) { out[threadIdx.x] *= 2; }
__attribute__((kesco_outputs(1))) __global__ void use(float *out, const float *in) { out[threadIdx.x] = in[threadIdx.x]; }

// CHECK: :[[@LINE+3]]:13: remark: 1 op gets its lane when the program issues it, by the bytes that each accesses
void array(float **all, const int *which, int n) {
    for (int i = 0; i < n; i++)
        make<<<1, 64>>>(all[which[i]]);
}

// CHECK-NEXT: :[[@LINE+4]]:13: remark: 'away' runs pass after pass: in a loop whose number of passes is no constant of at most 32, each op is one, on one lane; make several passes one, by a loop inside of it with a constant number of passes, 32 at most [
__attribute__((kesco_outputs(1))) __global__ void away(float *out);
void array_for_another_unit(float **all, const int *which, int n) {
    for (int i = 0; i < n; i++)
        away<<<1, 64>>>(all[which[i]]);
}

// CHECK-NEXT: :[[@LINE+4]]:17: remark: 4 ops get their lanes when the program issues them
void array_by_four(float **all, int n) {
    for (int i = 0; i < n; i += 4)
        for (int j = 0; j < 4; j++)
            make<<<1, 64>>>(all[i + j]);
}

// CHECK-NEXT: :[[@LINE+3]]:13: remark: 1 op gets its lane when the program issues it
void elements(const std::vector<float *> &all) {
    for (float *each : all)
        make<<<1, 64>>>(each);
}

// CHECK-NEXT: :[[@LINE+6]]:13: remark: 4 ops get their lanes when the program issues them
void many() {
    float *p[40];
    for (int i = 0; i < 40; i++)
        cudaMalloc(&p[i], 256);
    for (int i = 0; i < 40; i++)
        make<<<1, 64>>>(p[i]);
}

// CHECK-NEXT: :[[@LINE+3]]:13: remark: 2 ops get their lanes when the program issues them
void two_in_a_loop(float **all, const int *which, int n) {
    for (int i = 0; i < n; i++) {
        make<<<1, 64>>>(all[which[i]]);
        change<<<1, 64>>>(all[which[i]]);
    }
}

// CHECK-NEXT: :[[@LINE+4]]:17: remark: 8 kernels run on 4 lanes
void two_in_a_loop_by_four(float **all, int n) {
    for (int i = 0; i < n; i += 4)
        for (int j = 0; j < 4; j++) {
            make<<<1, 64>>>(all[i + j]);
            change<<<1, 64>>>(all[i + j]);
        }
}

// CHECK-NEXT: :[[@LINE+3]]:15: remark: 'change' comes behind itself of the pass before: WAW on 'a' [
void over_and_over(float *a, int n) {
    for (int i = 0; i < n; i++)
        change<<<1, 64>>>(a);
}

// CHECK-NEXT: :[[@LINE+5]]:11: remark: 'change' comes behind 'make' (line [[@LINE+4]]): WAW on 'p'; if they touch different parts of it, allocate each by itself, or store their pointers in two variables and claim that by KESCO_DISTINCT of these [
void halves(int n) {
    float *p;
    cudaMalloc(&p, n * 4);
    make<<<1, 64>>>(p);
    change<<<1, 64>>>(p + n / 2);
}

// CHECK-NEXT: :[[@LINE+5]]:9: remark: 2 kernels run on 2 lanes
void halves_by_themselves(int n) {
    float *p, *q;
    cudaMalloc(&p, n * 2);
    cudaMalloc(&q, n * 2);
    make<<<1, 64>>>(p);
    change<<<1, 64>>>(q);
}

// CHECK-NEXT: :[[@LINE+6]]:8: remark: 'use' comes behind 'make' (line [[@LINE+5]]): RAW on 'a' [
void chain() {
    float *a, *b;
    cudaMalloc(&a, 256);
    cudaMalloc(&b, 256);
    make<<<1, 64>>>(a);
    use<<<1, 64>>>(b, a);
    change<<<1, 64>>>(b);
}

// CHECK-NEXT: :[[@LINE+3]]:5: remark: this launch stays serial: it is made by 'cudaLaunchKernel'; write it as kernel<<<...>>>(...) [
void one_by_the_api(float *a, float *b) {
    void *arguments[] = {&a};
    cudaLaunchKernel((void *)make, dim3(1), dim3(64), arguments, 0, 0);
    make<<<1, 64>>>(b);
}

// CHECK-NEXT: :[[@LINE+3]]:13: remark: no way leads from one of these launches to another, so that none can overlap in one call [
void either(float *a, float *b, bool which) {
    if (which)
        make<<<1, 64>>>(a);
    else
        make<<<1, 64>>>(b);
}

// UNSEEN: :[[@LINE+2]]:11: remark: this launch stays serial: it is made by a pointer to its kernel; name the kernel there, or make it a template parameter as in template <void (*KERNEL)(float *)>; else it is left to the run, with what other functions launch [
void by_pointer(float *a, float *b, void (*kernel)(float *)) {
    kernel<<<1, 64>>>(a);
    kernel<<<1, 64>>>(b);
}

// UNSEEN-NEXT: :[[@LINE+3]]:5: remark: this launch stays serial: it is made by 'cudaLaunchKernel'; write it as kernel<<<...>>>(...) [
void by_the_api(float *a, float *b) {
    void *one[] = {&a}, *other[] = {&b};
    cudaLaunchKernel((void *)make, dim3(1), dim3(64), one, 0, 0);
    cudaLaunchKernel((void *)make, dim3(1), dim3(64), other, 0, 0);
}

template <class Kernel> static void launch(Kernel kernel, float *p) { kernel<<<1, 64>>>(p); }
// UNSEEN-NEXT: :[[@LINE+2]]:5: remark: this launch stays serial: it is made by a pointer to its kernel in line [[@LINE-1]]; name the kernel
void by_helper(float *a, float *b) {
    launch(make, a);
    launch(change, b);
}

// CHECK-NEXT: :[[@LINE+3]]:9: remark: 2 kernels run on 2 lanes
// CHECK-NEXT: :[[@LINE+4]]:11: remark: this launch stays serial: it is made by a pointer to its kernel; name
void behind_lanes(float *a, float *b, void (*kernel)(float *)) {
    make<<<1, 64>>>(a);
    make<<<1, 64>>>(b);
    kernel<<<1, 64>>>(a);
}

// CHECK-NEXT: :[[@LINE+4]]:5: remark: this launch stays serial: it is made by 'cudaLaunchKernel'; write
void between_others(float *a, float *b) {
    void *arguments[] = {&a};
    make<<<1, 64>>>(b);
    cudaLaunchKernel((void *)make, dim3(1), dim3(64), arguments, 0, 0);
    make<<<1, 64>>>(b);
}

template <void (*Kernel)(float *)> static void run(float *p) { Kernel<<<1, 64>>>(p); }
// CHECK-NEXT: :[[@LINE-1]]:70: remark: in 'by_parameter(float*, float*)', where it is inlined: 2 kernels run on 2 lanes
void by_parameter(float *a, float *b) {
    run<make>(a);
    run<change>(b);
}

static void help(float *p) { make<<<1, 64>>>(p); }
// CHECK-NEXT: :[[@LINE-1]]:34: remark: in 'helped(float**, int const*, int)', where it is inlined: 1 op gets its lane when the program issues it
void helped(float **all, const int *which, int n) {
    for (int i = 0; i < n; i++)
        help(all[which[i]]);
}

// CHECK-NEXT: :[[@LINE-7]]:34: remark: in 'helped_by_four(float**, int)', where it is inlined: 4 ops get their lanes when the program issues them
void helped_by_four(float **all, int n) {
    for (int i = 0; i < n; i += 4)
        for (int j = 0; j < 4; j++)
            help(all[i + j]);
}

// One launch, and one behind a copy, are no loss.
void single(float *a, const float *host) {
    cudaMemcpy(a, host, 256, cudaMemcpyHostToDevice);
    make<<<1, 64>>>(a);
}


// Copies and memsets alone are not scheduled, in helpers and loops either; and one of them ends what goes through calls.
// RUN: FileCheck %s --input-file=%t.2.remarks --check-prefix=TRANSFERS
// RUN: FileCheck %s --input-file=%t.0.remarks --check-prefix=TRANSFERS
// RUN: %kesco-host -O2 -c %s -o /dev/null -fplugin-arg-kesco-across-calls=on -Rpass-missed=kesco 2>&1 | FileCheck %s --check-prefix=ACROSS
// TRANSFERS-NOT: regions that go through calls
// ACROSS: :[[@LINE+1]]:{{[0-9]+}}: remark: regions that go through calls end before this function, as it copies from or to the host and launches no kernel; call it
void fetch(float *to, const float *a) { cudaMemcpyAsync(to, a, 256, cudaMemcpyDeviceToHost); }
// ACROSS-NOT: regions that go through calls
void clear(float *a) { cudaMemsetAsync(a, 0, 256); }
// TRANSFERS: :[[@LINE+2]]:{{[0-9]+}}: remark: copies and memsets stay as they are in a function that launches no kernel [
void copies(float *a, float *b) {
    cudaMemcpyAsync(a, b, 256, cudaMemcpyDeviceToDevice);
    cudaMemsetAsync(b, 0, 256);
}
// TRANSFERS: :[[@LINE+3]]:{{[0-9]+}}: remark: copies and memsets stay as they are
void clears(float **all, int n) {
    for (int i = 0; i < n; i++)
        clear(all[i]);
}
// TRANSFERS: :[[@LINE+2]]:{{[0-9]+}}: remark: copies and memsets stay as they are
void by_wrappers(float *a, float *b) {
    clear(a);
    clear(b);
}
// TRANSFERS-NOT: remark
void one_copy(float *a, float *b) { cudaMemcpyAsync(a, b, 256, cudaMemcpyDeviceToDevice); }

// A function that calls itself, be it on another way than that of its launch.
// RUN: FileCheck %s --input-file=%t.2.remarks --check-prefix=ITSELF
// RUN: FileCheck %s --input-file=%t.0.remarks --check-prefix=ITSELF
// ITSELF: :[[@LINE+3]]:{{[0-9]+}}: remark: launches before and after this point do not overlap: call to function 'halve(float*, int)', which calls itself and launches a kernel (line [[@LINE+7]]){{.*}}; make it a loop, or move the call before or behind the launches if the program allows
void halve(float *a, int n) {
    if (n > 1) {
        halve(a, n / 2);
        halve(a + n / 2, n / 2);
        return;
    }
    make<<<1, 64>>>(a);
}
