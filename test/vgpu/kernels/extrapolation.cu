// RUN: rm -rf %t && mkdir %t && %vgpu-clang++ -O2 %s -o %t/run
// RUN: env VGPU_COUNTS=%t/1.json %t/run 4096
// RUN: env VGPU_COUNTS=%t/large.json VGPU_STATS=%t/large.stats %t/run 200704
// RUN: env VGPU_EXTRAPOLATE=%t/1.json:12 VGPU_COUNTS=%t/2.json VGPU_STATS=%t/2.stats %t/run 20480
// RUN: python3 %S/Inputs/same_counts.py %t/2.json %t/large.json
// RUN: grep virtual_time %t/large.stats >%t/large.time
// RUN: grep virtual_time %t/2.stats | diff %t/large.time -
// RUN: env VGPU_SEED=2 VGPU_EXTRAPOLATE=%t/1.json:12 VGPU_STATS=%t/2.stats %t/run 20480
// RUN: grep virtual_time %t/2.stats | diff %t/large.time -

// With 1, nothing is extrapolated; between whole numbers, counts are rounded.
// RUN: env VGPU_COUNTS=%t/plain.json %t/run 20480
// RUN: env VGPU_EXTRAPOLATE=%t/1.json:1 VGPU_COUNTS=%t/2.json %t/run 20480
// RUN: diff %t/plain.json %t/2.json
// RUN: env VGPU_EXTRAPOLATE=%t/1.json:3.0625 VGPU_COUNTS=%t/2.json %t/run 20480
// RUN: env VGPU_COUNTS=%t/large.json %t/run 54272
// RUN: python3 %S/Inputs/same_counts.py %t/2.json %t/large.json

// The runs must issue the same ops.
// RUN: env VGPU_COUNTS=%t/more.json %t/run 4096 more
// RUN: not env VGPU_EXTRAPOLATE=%t/1.json:2 %t/run 8192 more 2>&1 | FileCheck --check-prefix=MORE %s
// RUN: not env VGPU_EXTRAPOLATE=%t/more.json:2 %t/run 8192 2>&1 | FileCheck --check-prefix=LESS %s
// RUN: not env VGPU_EXTRAPOLATE=%t/1.json:9 %t/run 256 2>&1 | FileCheck --check-prefix=NEGATIVE %s
// RUN: env VGPU_COUNTS=%t/managed.json %t/run 4096 managed
// RUN: not env VGPU_EXTRAPOLATE=%t/managed.json:2 %t/run 8192 managed 2>%t/errors
// RUN: FileCheck --check-prefix=TOUCH --input-file=%t/errors %s
// RUN: env VGPU_EXTRAPOLATE_TOUCHES=0 VGPU_EXTRAPOLATE=%t/managed.json:2 %t/run 8192 managed

// Prefetches are told by what they move, in whatever order they come.
// RUN: env VGPU_COUNTS=%t/fetched.json %t/run 4096 fetched
// RUN: env VGPU_COUNTS=%t/large.json %t/run 12288 backwards
// RUN: env VGPU_EXTRAPOLATE=%t/fetched.json:2 VGPU_COUNTS=%t/2.json %t/run 8192 backwards
// RUN: python3 %S/Inputs/same_counts.py %t/2.json %t/large.json

// What decides about prefetches as it runs may make others at another size.
// RUN: env VGPU_COUNTS=%t/none.json %t/run 4096
// RUN: env VGPU_EXTRAPOLATE=%t/none.json:2 VGPU_COUNTS=%t/2.json %t/run 8192 fetched
// RUN: FileCheck --check-prefix=FETCHED --input-file=%t/2.json %s
// RUN: env VGPU_EXTRAPOLATE=%t/fetched.json:2 %t/run 8192
// FETCHED-DAG: "bytes": 65536
// FETCHED-DAG: "bytes": 327680

// MORE: VGPU_EXTRAPOLATE: {{.*}}1.json has no kernel {{.*}}square{{.*}} of occurrence 2
// LESS: VGPU_EXTRAPOLATE: {{.*}}more.json has 7 ops, but the program issued 6
// NEGATIVE: VGPU_EXTRAPOLATE: {{.*}} of occurrence 0 would have -{{[0-9]+ (bytes|blocks)}}
// TOUCH: VGPU_EXTRAPOLATE: host code touches managed memory that lives on a device

// Files that are none.
// RUN: echo '{"version": 2, "ops": []}' >%t/bad.json
// RUN: not env VGPU_EXTRAPOLATE=%t/bad.json:2 %t/run 256 2>&1 | FileCheck --check-prefix=VERSION %s
// RUN: echo '{"version": 1, "ops": [{"kind": "set", "name": "x", "occurrence": -1}]}' >%t/bad.json
// RUN: not env VGPU_EXTRAPOLATE=%t/bad.json:2 %t/run 256 2>&1 | FileCheck --check-prefix=MEMBER %s
// RUN: head -c 100 %t/1.json >%t/bad.json
// RUN: not env VGPU_EXTRAPOLATE=%t/bad.json:2 %t/run 256 2>&1 | FileCheck --check-prefix=CUT %s
// VERSION: VGPU_EXTRAPOLATE: {{.*}}bad.json is no file of VGPU_COUNTS: it must have "version": 1 and "ops"
// MEMBER: VGPU_EXTRAPOLATE: {{.*}}bad.json is no file of VGPU_COUNTS: its op 0 has no valid 'occurrence'
// CUT: VGPU_EXTRAPOLATE: {{.*}}bad.json, line {{[0-9]+}}:

// A run at a small and one at a middle size give what a run at a large size gives, where counts grow as a
// straight line.
#include "check.h"

enum { BLOCK = 256 };

__global__ void square(float *out, const float *in) {
    const size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    out[i] = in[i] * in[i];
}

static float read_first(const float *memory) {
    return memory[0];
}

static void fetch(const float *first, size_t size, const float *second, size_t second_size) {
    const cudaMemLocation device = {cudaMemLocationTypeDevice, 0};
    CUDA(cudaMemPrefetchAsync(first, size, device, 0, 0));
    CUDA(cudaMemPrefetchAsync(second, second_size, device, 0, 0));
}

int main(int argc, char **argv) {
    const size_t count = (size_t)atoi(argv[1]), bytes = count * sizeof(float);
    const char *extra = argc > 2 ? argv[2] : "";
    float *host = (float *)calloc(count, sizeof(float)), *pinned, *in, *out, *first, *second;
    CUDA(cudaMallocHost(&pinned, bytes));
    CUDA(cudaMalloc(&in, bytes));
    if (strcmp(extra, "managed") == 0)
        CUDA(cudaMallocManaged(&out, bytes));
    else
        CUDA(cudaMalloc(&out, bytes));
    CUDA(cudaMemcpy(in, host, bytes, cudaMemcpyHostToDevice));
    CUDA(cudaMemset(out, 0, bytes));
    CUDA(cudaMallocManaged(&first, bytes));
    CUDA(cudaMallocManaged(&second, 5 * bytes));
    if (strcmp(extra, "fetched") == 0)
        fetch(first, bytes, second, 5 * bytes);
    else if (strcmp(extra, "backwards") == 0)
        fetch(second, 5 * bytes, first, bytes);
    square<<<count / BLOCK, BLOCK>>>(out, in);
    CUDA(cudaMemcpyAsync(pinned, out, bytes, cudaMemcpyDeviceToHost));
    square<<<count / BLOCK, BLOCK>>>(in, out);
    if (strcmp(extra, "more") == 0)
        square<<<count / BLOCK, BLOCK>>>(out, in);
    CUDA(cudaMemcpy(host, in, bytes, cudaMemcpyDeviceToHost));
    CUDA(cudaDeviceSynchronize());
    if (strcmp(extra, "managed") == 0)
        CHECK(read_first(out) == 0);
    return 0;
}
