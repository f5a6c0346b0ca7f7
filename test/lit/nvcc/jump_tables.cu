// A jump table of PTX leads to each of its labels: what any of them does is known. Clang 19 makes none.
// REQUIRES: clang-22
// RUN: %cuda -O2 --cuda-device-only -S %s -o %t.ptx && grep -q 'brx.idx' %t.ptx
// RUN: $CUDA_PATH/bin/ptxas -arch=sm_90 %t.ptx -o %t.cubin
// RUN: $CUDA_PATH/bin/fatbinary --create=%t.fatbin -64 --image3=kind=ptx,sm=90,file=%t.ptx --image3=kind=elf,sm=90,file=%t.cubin
// RUN: %kesco-host -Xclang -fcuda-include-gpubinary -Xclang %t.fatbin -Rpass-analysis=kesco -S -emit-llvm %s -o /dev/null 2>&1 | FileCheck %s
// CHECK: kernel 'choose': reads which[0 .. 4 bytes); writes a[0 .. 4 bytes), b[4 .. 8 bytes), c[8 .. 12 bytes), d[12 .. 16 bytes)

__global__ void choose(const int *which, float *a, float *b, float *c, float *d) {
    switch (*which) {
    case 0:
        a[0] = 1;
        __syncthreads();
        break;
    case 1:
        b[1] = 2;
        __threadfence();
        break;
    case 2:
        c[2] = 3;
        break;
    case 3:
        d[3] = 4;
        __syncwarp();
        break;
    }
}

void run(const int *which, float *a) {
    choose<<<1, 32>>>(which, a, a, a, a);
}
