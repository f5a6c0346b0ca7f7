// The runtime becomes part of a module that calls it, and of no other, at every level of optimisation, and as a whole:
// assembly, which no pass looks into, in one group, of which the program keeps one. Link-time optimisation gets it without
// the group, and without the sizes of what it may leave out.
// RUN: rm -rf %t && mkdir %t
// RUN: for flags in -O0 -O2 "-O0 -g" "-O2 -fPIC -fshort-wchar -fsanitize=address" "-O2 -fgpu-rdc" "-O2 -masm=intel"; do \
// RUN:   %cuda-host -fplugin=%plugin $flags -Xclang -llvm-verify-each -S -emit-llvm %s -o %t/module.ll || exit 1; \
// RUN:   FileCheck %s --check-prefixes=CHECK,GROUP --input-file=%t/module.ll || { echo "$flags"; exit 1; }; \
// RUN: done
// RUN: for flags in "-O2 -flto" "-O1 -flto=thin"; do \
// RUN:   %cuda-host -fplugin=%plugin $flags -Xclang -llvm-verify-each -S -emit-llvm %s -o %t/module.ll || exit 1; \
// RUN:   FileCheck %s --check-prefixes=CHECK,LINK --input-file=%t/module.ll || { echo "$flags"; exit 1; }; \
// RUN: done
// CHECK: module asm "# x86_64-{{.*}}-linux-gnu e-
// CHECK: module asm "\09.att_syntax"
// CHECK-NEXT: module asm "\09.ifndef .L__kesco1_runtime"
// LINK-NOT: __kesco1_runtime,comdat
// LINK-NOT: module asm "\09.size\09__kesco1_e
// GROUP: module asm "\09.section\09.text.__kesco1_enter,\22axG\22,@progbits,__kesco1_runtime,comdat"
// LINK: module asm "\09.section\09.text.__kesco1_enter,\22ax\22,@progbits"
// CHECK: module asm "\09.weak\09__kesco1_enter"
// CHECK: module asm "\09.endif"
// CHECK: define {{.*}} @main(
// CHECK: call void @__kesco1_enter(
// CHECK: call ptr @__kesco1_lane(
// CHECK: declare void @__kesco1_enter(

// All of the group is in sections of its own, but for constants that the linker puts together.
// RUN: grep '[.]section' %build/plugin/kesco_rt.s | grep -v '__kesco1_runtime,comdat$' >%t/sections
// RUN: not grep -v '[.]rodata[.]cst' %t/sections

// After it, assembly is in the syntax that the program's is.
// RUN: %cuda-host -fplugin=%plugin -O2 -masm=intel -S %s -o %t/intel.s && llvm-mc -filetype=obj %t/intel.s -o %t/intel.o
// RUN: %cuda-host -fplugin=%plugin -O2 -fno-integrated-as -c %s -o %t/gnu.o

// Only libraries' names are open.
// RUN: %cuda-host -fplugin=%plugin -O2 -c %s -o %t/module.o
// RUN: llvm-nm -u %t/module.o | FileCheck %s --check-prefix=OPEN
// OPEN-NOT: kesco

// There are no constructors, of which each module would run its own.
// RUN: llvm-dis %build/plugin/kesco_rt.bc -o - | not grep 'llvm[.]global_[cd]tors'

// Asked for, the calls stay calls, as they do for a target of another C library: with a warning, once.
// RUN: %cuda-host -fplugin=%plugin -fplugin-arg-kesco-runtime=shared -S -emit-llvm %s -o - | FileCheck %s --check-prefix=CALLS
// RUN: %cuda-host -fplugin=%plugin --target=x86_64-linux-musl -DALONE -nogpuinc -S -emit-llvm %s -o - 2>%t/warnings \
// RUN:   | FileCheck %s --check-prefix=CALLS
// RUN: FileCheck %s --check-prefix=WARNING --input-file=%t/warnings
// RUN: not %cuda-host -fplugin=%plugin --target=x86_64-linux-musl -DALONE -nogpuinc -Werror -c %s -o %t/none.o
// RUN: %cuda-host -fplugin=%plugin --target=x86_64-unknown-linux-gnu -DALONE -nogpuinc -Werror -c %s -o %t/gnu.o
// CALLS-NOT: module asm
// CALLS: declare ptr @__kesco1_lane(
// WARNING: warning: kesco: there is no runtime for 'x86_64-unknown-linux-musl' in the plugin, only for '{{.*}}'; the program needs -lkesco_rt, built for its target [-Wbackend-plugin]
// WARNING-NOT: no runtime

// Where nothing is scheduled, there is nothing to call.
// RUN: %cuda-host -fplugin=%plugin -DONE -O2 -c %s -o %t/one.o
// RUN: llvm-nm %t/one.o | FileCheck %s --check-prefix=NONE
// NONE-NOT: {{[^w] .*}}kesco

#ifdef ALONE // headers of the target's own may not be there
#define __global__ __attribute__((global))
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
typedef struct CUstream_st *cudaStream_t;
struct dim3 {
    unsigned x, y = 1, z = 1;
    __host__ __device__ dim3(unsigned x) : x(x) {}
};
extern "C" int __cudaPushCallConfiguration(dim3 grid, dim3 block, unsigned long shared = 0, void *stream = nullptr);
extern "C" int cudaLaunchKernel(const void *, dim3, dim3, void **, unsigned long, cudaStream_t);
extern "C" int cudaMalloc(void **, unsigned long);
#endif

__attribute__((kesco_outputs(1))) __global__ void set(void *p) { *(int *)p = 1; }

static int two() {
    void *a, *b;
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    set<<<1, 1>>>(a);
#ifndef ONE
    set<<<1, 1>>>(b);
#endif
    return 0;
}

int main() { return two(); }
