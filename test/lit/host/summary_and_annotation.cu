// An annotation beside a summary: what it adds is a write too, but a warning says so; for code that the device compile
// did not see, it is trusted; no kernel without it is, if there is such code.
// RUN: python3 %S/Inputs/image.py %s %t.img
// RUN: %kesco-host -std=c++17 -O0 -S -emit-llvm %s -o %t.ll -Xclang -fcuda-include-gpubinary -Xclang %t.img \
// RUN:   -fplugin-arg-kesco-report=%t.json -Rpass-missed=kesco -Rpass-analysis=kesco >%t.out 2>&1
// RUN: FileCheck %s --input-file=%t.json
// RUN: FileCheck %s --input-file=%t.out --check-prefix=WARNING --implicit-check-not=warning:
// RUN: FileCheck %s --input-file=%t.out --check-prefix=REMARK

// RUN: %kesco-host -std=c++17 -c %s -o /dev/null -Xclang -fcuda-include-gpubinary -Xclang %t.img \
// RUN:   -fplugin-arg-kesco-annotation-warnings=off -Werror
// RUN: not %kesco-host -std=c++17 -c %s -o /dev/null -Xclang -fcuda-include-gpubinary -Xclang %t.img -Werror 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ERROR

// SUMMARY: K _Z5exactPfS_
// SUMMARY: P 0 0 w
// SUMMARY: P 1 0 r
__attribute__((kesco_outputs(1))) __global__ void exact(float *to, float *from) { *to = *from; }

// WARNING: summary_and_annotation.cu:[[#@LINE+5]]:16: warning: kernel 'more' never writes 'from', 'unused', which 'kesco_outputs' says it does [-Wbackend-plugin]
// ERROR: error: kernel 'more' never writes 'from', 'unused', which 'kesco_outputs' says it does [-Werror,-Wbackend-plugin]
// SUMMARY: K _Z4morePfS_S_
// SUMMARY: P 0 0 w
// SUMMARY: P 1 0 r
__attribute__((kesco_outputs("to", "from", "unused"))) __global__ void more(float *to, float *from, float *unused);
__global__ void more(float *to, float *from, float *unused) { *to = *from; }

// One instance that writes is enough for the template; where none does, one warning is.
// SUMMARY: K _Z4someIfEvPT_
// SUMMARY: P 0 0 r
// SUMMARY: K _Z4someIiEvPT_
// SUMMARY: P 0 0 w
template <class T> __attribute__((kesco_outputs(1))) __global__ void some(T *data) {}
// WARNING: summary_and_annotation.cu:[[#@LINE+5]]:35: warning: kernel 'none' never writes 'data', which 'kesco_outputs' says it does
// SUMMARY: K _Z4noneIfEvPT_
// SUMMARY: P 0 0 r
// SUMMARY: K _Z4noneIiEvPT_
// SUMMARY: P 0 0 r
template <class T> __attribute__((kesco_outputs(1))) __global__ void none(T *data) {}

// A write that has no name may be to the parameter.
// SUMMARY: K _Z6hiddenPf
// SUMMARY: A w 7 a number is made a pointer
__attribute__((kesco_outputs(1))) __global__ void hidden(float *data);
__global__ void hidden(float *data) {}

// REMARK: summary_and_annotation.cu:[[#@LINE+6]]:{{.*}} remark: kernel 'trusted': reads from, variable level; runs code that is not seen: calls 'f' (line 3) [-Rpass-analysis=kesco]
// REMARK: remark: the annotation of kernel 'trusted' is trusted for code that is not seen: calls 'f' (line 3) [-Rpass-analysis=kesco]
// SUMMARY: K _Z7trustedPfS_S_
// SUMMARY: P 1 0 r
// SUMMARY: V level r
// SUMMARY: U 3 calls 'f'
__attribute__((kesco_outputs(1))) __global__ void trusted(float *to, float *from, float *other) {}
__device__ float level;
// SUMMARY: K _Z8distrustPf
// SUMMARY: P 0 0 r
// SUMMARY: U - calls 'f'
__global__ void distrust(float *data) {}
struct View {
    float *data;
};
// SUMMARY: K _Z4viewPf4View
// SUMMARY: P 0 0 r
// SUMMARY: U - calls 'f'
__attribute__((kesco_outputs(1))) __global__ void view(float *data, View v) {}

// A kernel that the device code should have, but has not, is not what was compiled there.
__attribute__((kesco_outputs(1))) __global__ void absent(float *data) {}

// CHECK: "name": "exact", {{.*}}"reads": ["b"], "writes": ["a"]
// CHECK: "name": "more", {{.*}}"reads": [], "writes": ["a", "b", "c"]
// CHECK: "name": "trusted", {{.*}}"reads": ["b", "level", "c"], "writes": ["a"]
// CHECK: "name": "distrust", {{.*}}"reads": ["a"], "writes": ["*"]
// CHECK: "name": "view", {{.*}}"reads": [], "writes": ["a", "*"]
// CHECK: "name": "hidden", {{.*}}"reads": [], "writes": ["*", "c"]
// REMARK: kernel 'distrust' keeps its order to all others: it runs code that is not seen: calls 'f'; say with kesco_outputs what the kernel writes
// REMARK: kernel 'view' keeps its order to all others: parameter 'v' may lead to memory that the annotation does not name; pass the pointers in it as parameters of their own
// REMARK: kernel 'hidden' keeps its order to all others: it writes memory that no argument names: a number is made a pointer (line 7); pass a pointer to that memory as a parameter of its own
// CHECK: "name": "absent", {{.*}}"reads": [], "writes": ["*"]
// REMARK: kernel 'absent' keeps its order to all others: what the kernel touches is unknown: the device code has access summaries, but not its; compile both sides of the program together
void all() {
    float *a, *b, *c;
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    cudaMalloc(&c, 4);
    exact<<<1, 1>>>(a, b);
    more<<<1, 1>>>(a, b, c);
    trusted<<<1, 1>>>(a, b, c);
    distrust<<<1, 1>>>(a);
    view<<<1, 1>>>(a, View{b});
    hidden<<<1, 1>>>(c);
    absent<<<1, 1>>>(a);
    some<<<1, 1>>>(a);
    some<<<1, 1>>>((int *)a);
    none<<<1, 1>>>(a);
    none<<<1, 1>>>((int *)a);
}
