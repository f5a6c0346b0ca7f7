// With -fgpu-rdc, static kernels and variables have names in device code that no other unit has; people see none of it.
// RUN: %kesco-host -fgpu-rdc --offload-new-driver -cuid=abc -S -emit-llvm %s -o %t.ll
// RUN: grep -o '_ZL5localPf__intern__[0-9a-z_]*' %t.ll | head -1 >%t.name
// RUN: sed "s/LOCAL/$(cat %t.name)/" %s >%t.cu
// RUN: python3 %S/Inputs/image.py %t.cu %t.img
// RUN: $(command -v llvm-offload-binary || command -v clang-offload-packager) -o %t.package --image=file=%t.img,triple=nvptx64-nvidia-cuda,arch=sm_90,kind=cuda
// RUN: %kesco-host -fgpu-rdc --offload-new-driver -cuid=abc -c %s -o /dev/null -Xclang -fembed-offload-object=%t.package \
// RUN:   -fplugin-arg-kesco-report=%t.json
// RUN: FileCheck %s --input-file=%t.json

// SUMMARY: K LOCAL
// SUMMARY: P 0 0 w
// SUMMARY: V _ZL7counter__static__abc rw
static __device__ int counter;
static __global__ void local(float *to) { *to = counter++; }

// CHECK: "name": "local", {{.*}}"reads": ["counter"], "writes": ["a", "counter"]
void launch() {
    float *a;
    cudaMalloc(&a, 4);
    local<<<1, 1>>>(a);
}
