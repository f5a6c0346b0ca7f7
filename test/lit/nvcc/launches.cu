// Kernels of all kinds of names, as nvcc hands them to its host compiler: what they access is read from PTX, also where
// machine code alone becomes part of the program, and of all architectures. Remarks name the source's lines.
// RUN: sh %S/Inputs/stage.sh %build %include %t
// RUN: %t/bin/kesco-nvcc -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 -O1 -c %s -o %t/launches.o \
// RUN:   -fplugin-arg-kesco-report=%t/report.json -Rpass=kesco -Rpass-analysis=kesco 2>&1 | tee %t/remarks | FileCheck %s
// RUN: grep "kernel 'replaced'.*it is weak, so another may take its place" %t/remarks
// RUN: %check-report %t/report.json
// RUN: FileCheck %s --check-prefix=REPORT --input-file=%t/report.json
// RUN: llvm-nm %t/launches.o | FileCheck %s --check-prefix=RUNTIME
// RUNTIME: W __kesco1_enter

static __device__ float table[32];

struct Pair {
    const float *in;
    float *out;
};

// CHECK: launches.cu:[[#@LINE+1]]:{{.*}}kernel 'fixed': reads variable table; writes a[0 .. 4*blockDim.x bytes)
static __global__ void fixed(float *a) {
    a[threadIdx.x] = table[threadIdx.x % 32];
}

namespace {
// CHECK: launches.cu:[[#@LINE+1]]:{{.*}}kernel 'hidden': reads b[0 .. 4*min(gridDim.x*blockDim.x, n) bytes); writes a[0 .. 4*min(gridDim.x*blockDim.x, n) bytes)
__global__ void hidden(float *a, const float *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] = b[i];
}
} // namespace

// CHECK: launches.cu:[[#@LINE+2]]:{{.*}}kernel 'scale<float>': reads a[0 .. 4*blockDim.x bytes); writes a[0 .. 4*blockDim.x bytes)
template <typename T>
__global__ void scale(T *a, T by) {
    a[threadIdx.x] *= by;
}

// CHECK: launches.cu:[[#@LINE+1]]:{{.*}}kernel 'packed': reads p.in[0 .. 4*blockDim.x bytes); writes p.out[0 .. 4*blockDim.x bytes)
__global__ void packed(Pair p) {
    p.out[threadIdx.x] = p.in[threadIdx.x];
}

// What one architecture does, is done.
// CHECK: launches.cu:[[#@LINE+1]]:{{.*}}kernel 'by_target': reads b[0 .. 4 bytes); writes a[0 .. 4 bytes), b[0 .. 4 bytes)
__global__ void by_target(float *a, float *b) {
#if __CUDA_ARCH__ >= 900
    a[0] = 1;
#else
    b[0] = b[0] + 1;
#endif
}

// CHECK: launches.cu:[[#@LINE+1]]:{{.*}}kernel 'indirect': reads p[0 .. 8 bytes); writes memory that no argument names: it follows a pointer that it loads from memory
__global__ void indirect(float **p) { p[0][0] = 1; }

__managed__ int shared_by_all;
// CHECK: launches.cu:[[#@LINE+1]]:{{.*}}kernel 'managed': reads variable shared_by_all; writes a[0 .. 4 bytes); reads memory that no argument names: it follows a pointer that it loads from memory [
__global__ void managed(int *a) {
    a[0] = shared_by_all;
}

void run(const float *host) {
    float *a, *b, *c;
    cudaMalloc(&a, 128);
    cudaMalloc(&b, 128);
    cudaMalloc(&c, 128);
    // CHECK: launches.cu:[[#@LINE+1]]:{{.*}}remark: 5 kernels and 1 other op run on 2 lanes with 1 wait
    cudaMemcpyToSymbolAsync(table, host, 128);
    fixed<<<1, 32>>>(a);
    hidden<<<1, 32>>>(b, c, 32);
    scale<<<1, 32>>>(a, 2.0f);
    packed<<<1, 32>>>(Pair{a, b});
    by_target<<<1, 1>>>(a, b);
    cudaDeviceSynchronize();
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
}

// Another unit's may run in place of a weak one.
__attribute__((weak)) __global__ void replaced(float *out) { out[threadIdx.x] = 1; }

void other(float **given, int *number) {
    replaced<<<1, 32>>>(*given);
    indirect<<<1, 1>>>(given);
    managed<<<1, 1>>>(number);
}

// A loop that the run places, as with clang: the runtime makes nvcc's launches.
// RUN: grep 'launches.cu:.* 4 ops get their lanes when the program issues them' %t/remarks
void passes(float *const *begin, float *const *end) {
    for (float *const *at = begin; at != end; ++at)
        hidden<<<1, 32>>>(*at, nullptr, 32);
}

// The report is of the source, not of what nvcc makes of it.
// REPORT: "source": "{{.*}}nvcc/launches.cu"
// A copy to a variable and the kernel that reads it name the same object.
// REPORT: "RAW", "object": "table"
