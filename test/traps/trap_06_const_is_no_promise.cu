// `const T *` promises nothing: where a kernel's body is in another unit and no annotation says what it writes, it is
// taken to write through each pointer.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -O1 %s %S/Inputs/unseen_kernels.cu -o %t/serial
// RUN: for o in 0 2; do \
// RUN:   %vgpu-kesco -O$o -c %s -o %t/main.o -fplugin-arg-kesco-report=%t/plan.json -Rpass-missed=kesco 2>%t/remarks && \
// RUN:   %vgpu-kesco -O$o -c %S/Inputs/unseen_kernels.cu -o %t/unseen.o && \
// RUN:   %vgpu-kesco -O$o %t/main.o %t/unseen.o -o %t/kesco && \
// RUN:   FileCheck %s --input-file=%t/plan.json && FileCheck %s --input-file=%t/remarks --check-prefix=WHY && \
// RUN:   sh %compare 30 %t/serial %t/kesco || exit 1; \
// RUN: done
#include "Inputs/trap.h"

__global__ void spoil(int *out, const int *in);
__global__ void spoil_all(const int *in);
void launch_spoil(int *out, const int *in);

// CHECK-LABEL: "name": "kernels_of_another_unit()", "lanes": 2,
// CHECK: {"id": 2, {{.*}}"name": "spoil", {{.*}}"writes": ["*"]
// CHECK: {"id": 3, {{.*}}"name": "spoil_all", {{.*}}"writes": ["*"]
// WHY: kernel 'spoil' keeps its order to all others: what the kernel writes is unknown: 
void kernels_of_another_unit(void) {
    int *a = allocate(), *b = allocate(), *c = allocate();
    fill<<<1, N>>>(a, 1);
    fill<<<1, N>>>(b, 2);
    spoil<<<1, N>>>(c, a);
    spoil_all<<<1, N>>>(a);
    add<<<1, N>>>(b, b, a);
    show("a", a);
    show("b", b);
    show("c", c);
}

// Where the body is in sight, it is what counts.
__global__ void spoil_here(int *out, const int *in) {
    out[threadIdx.x] = in[threadIdx.x];
    ((int *)in)[threadIdx.x] = -1;
}

// CHECK-LABEL: "name": "kernels_in_sight()", "lanes": 2,
// CHECK: {"id": 2, {{.*}}"name": "spoil_here", {{.*}}"reads": ["a"], "writes": ["c", "a"]
// CHECK: {"id": 3, {{.*}}"name": "spoil_here", {{.*}}"reads": ["a"], "writes": ["d", "a"]
void kernels_in_sight(void) {
    int *a = allocate(), *b = allocate(), *c = allocate(), *d = allocate();
    fill<<<1, N>>>(a, 1);
    fill<<<1, N>>>(b, 2);
    spoil_here<<<1, N>>>(c, a);
    spoil_here<<<1, N>>>(d, a);
    show("a", a);
    show("c", c);
    show("d", d);
}

// A host function that takes `const T *` may launch such a kernel.
// CHECK-LABEL: "name": "host_function()", "lanes": 2,
// CHECK: "why": "call to unknown function 'launch_spoil(int*, int const*)'"
void host_function(void) {
    int *a = allocate(), *b = allocate(), *c = allocate();
    fill<<<1, N>>>(a, 1);
    fill<<<1, N>>>(b, 2);
    launch_spoil(c, a);
    scale<<<1, N>>>(a, 2);
    scale<<<1, N>>>(b, 2);
    show("a", a);
    show("b", b);
    show("c", c);
}

int main(void) {
    APART(kernels_of_another_unit);
    APART(kernels_in_sight);
    APART(host_function);
    return 0;
}
