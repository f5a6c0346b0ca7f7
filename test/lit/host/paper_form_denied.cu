// A launch in the paper's form that denies a write which the kernel makes is an error, where the launch stands: once,
// though the launch is analysed with each caller of the function around it, and though nothing else is launched there.
// RUN: python3 %S/Inputs/image.py %s %t.img
// RUN: not %kesco-host -c %s -o %t.o -Xclang -fcuda-include-gpubinary -Xclang %t.img 2>%t.err
// RUN: FileCheck %s --input-file=%t.err --implicit-check-not=error:
// RUN: test ! -e %t.o
// RUN: not %kesco-host -c %s -o %t.o -Xclang -fcuda-include-gpubinary -Xclang %t.img -DALONE 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ALONE
// RUN: %kesco-host -c %s -o %t.o -Xclang -fcuda-include-gpubinary -Xclang %t.img -DRIGHT -Werror \
// RUN:   -fplugin-arg-kesco-report=%t.json
// RUN: FileCheck %s --input-file=%t.json --check-prefix=RIGHT

// SUMMARY: K _Z4bothPPfS_S_ii
// SUMMARY: P 0 0 w 12
// SUMMARY: P 1 0 w kernels.h:13
// SUMMARY: P 2 0 r
__global__ void both(float **y, float *z, float *x, int outputs = 1, int priority = 1);
__global__ void both(float **y, float *z, float *x, int outputs, int priority) {}

#ifndef ALONE
static void helper(float **y, float *z, int n) {
#ifndef RIGHT
    // CHECK: paper_form_denied.cu:[[#@LINE+1]]:9: error: the launch says that 'outputs' is 1, but kernel 'both' writes 'z' too (line kernels.h:13)
    both<<<1, 1>>>(y, z, z);
#endif
    // What the launch says is no constant, or no number of parameters: then it says nothing.
    both<<<1, 1>>>(y, z, z, n);
    both<<<1, 1>>>(y, z, z, 9);
}
void launch(float **y, float *z, int n) {
    helper(y, z, n);
    helper(y, z, n + 1);
}
#endif
#ifndef RIGHT
// ALONE: paper_form_denied.cu:[[#@LINE+4]]:9: error:
// CHECK: paper_form_denied.cu:[[#@LINE+3]]:9: error: the launch says that 'outputs' is 0, but kernel 'both' writes 'y' too (line 12)
void alone(float **y, float *z) {
    const int outputs = 0;
    both<<<1, 1>>>(y, z, z, outputs, 2);
}
#endif
#ifndef ALONE
// RIGHT-LABEL: "name": "right()",
// RIGHT: "reads": ["x"], "writes": ["y", "z"], "priority": 1
// RIGHT: "reads": [], "writes": ["y", "z", "x"], "priority": 2
void right() {
    float **y, *z, *x;
    cudaMalloc(&y, 4);
    cudaMalloc(&z, 4);
    cudaMalloc(&x, 4);
    both<<<1, 1>>>(y, z, x, 2);
    both<<<1, 1>>>(y, z, x, 3, 2);
}
#endif
