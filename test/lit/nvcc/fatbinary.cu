// A device image that was compiled without the plugin has no summaries, but PTX: where that is all of it, it says what the
// kernels access.
// RUN: %nvcc -ccbin clang++-%llvm-version -allow-unsupported-compiler -arch=sm_90 -fatbin %s -o %t.fatbin
// RUN: %kesco-host -Xclang -fcuda-include-gpubinary -Xclang %t.fatbin -Rpass-analysis=kesco -S -emit-llvm %s -o /dev/null 2>&1 | FileCheck %s
// CHECK: kernel 'add': reads a[0 .. 4*blockDim.x bytes), b[0 .. 4*blockDim.x bytes); writes a[0 .. 4*blockDim.x bytes)
// RUN: %nvcc -ccbin clang++-%llvm-version -allow-unsupported-compiler -gencode arch=compute_90,code=sm_90 -fatbin %s -o %t.fatbin
// RUN: %kesco-host -Xclang -fcuda-include-gpubinary -Xclang %t.fatbin -Rpass-analysis=kesco -S -emit-llvm %s -o /dev/null 2>&1 | count 0

__global__ void add(float *a, const float *b) {
    a[threadIdx.x] += b[threadIdx.x];
}

void run(float *a, float *b) {
    add<<<1, 32>>>(a, b);
}
