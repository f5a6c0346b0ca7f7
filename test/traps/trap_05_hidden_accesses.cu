// What a kernel touches and its signature does not show orders it: device variables, pointers in structs, in memory and
// in variables, the printf buffer, handles, what other code does. Beside memory of no concern to it, all runs at once.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -O1 %s -o %t/serial
// RUN: for o in 0 2; do \
// RUN:   %vgpu-kesco -O$o %s -o %t/kesco -fplugin-arg-kesco-report=%t/plan.json -Rpass-missed=kesco 2>%t/remarks && \
// RUN:   FileCheck %s --input-file=%t/plan.json && FileCheck %s --input-file=%t/remarks --check-prefix=WHY && \
// RUN:   sh %compare 30 %t/serial %t/kesco || exit 1; \
// RUN: done
#include "../lit/Inputs/cache_functions.h"
#include "Inputs/trap.h"

__device__ int counter;
__device__ int *hidden;

// A variable is an object of its own: what uses it is ordered, what does not is not.
KESCO_OUTPUTS(1) __global__ void take_number(int *out) {
    out[threadIdx.x] = atomicAdd(&counter, 1) >= 0 ? counter / N : 0;
}

// CHECK-LABEL: "name": "device_variable()", "lanes": 3,
// CHECK: "edges": [
// CHECK-NEXT: {"from": 0, "to": 1, "kind": "WAW", "object": "counter"},
// CHECK-NEXT: {"from": 1, "to": 3, "kind": "WAW", "object": "counter"}
void device_variable(void) {
    int *a = allocate(), *b = allocate(), *c = allocate(), *d = allocate();
    take_number<<<1, N>>>(a);
    take_number<<<1, N>>>(b);
    fill<<<1, N>>>(c, 1);
    take_number<<<1, N>>>(d);
    show("variable a", a);
    show("variable b", b);
    show("variable d", d);
}

struct view {
    int *data;
    int count;
};

KESCO_OUTPUTS(1) __global__ void store_by_view(int *out, struct view v) {
    out[threadIdx.x] = v.data[threadIdx.x]++;
}

// CHECK-LABEL: "name": "pointer_in_struct()", "lanes": 2,
void pointer_in_struct(void) {
    int *a = allocate(), *b = allocate();
    struct view v = {b, N};
    fill<<<1, N>>>(b, 1);
    store_by_view<<<1, N>>>(a, v);
    scale<<<1, N>>>(b, 3);
    show("struct a", a);
    show("struct b", b);
}

KESCO_OUTPUTS(1) __global__ void point(int **where, int *to) {
    *where = to;
}

KESCO_OUTPUTS(1) __global__ void store_by_pointer(int *out, int **where) {
    out[threadIdx.x] = (*where)[threadIdx.x]++;
}

// CHECK-LABEL: "name": "pointer_to_pointer()", "lanes": 2,
// CHECK: {"from": 2, "to": 3, "kind": "WAW", "object": "*"}
// WHY: kernel 'store_by_pointer' keeps its order to all others: it writes memory that no argument names
void pointer_to_pointer(void) {
    int *a = allocate(), *b = allocate(), **where;
    CHECK(cudaMalloc(&where, sizeof *where));
    fill<<<1, N>>>(b, 1);
    point<<<1, 1>>>(where, b);
    store_by_pointer<<<1, N>>>(a, where);
    scale<<<1, N>>>(b, 3);
    show("pointer a", a);
    show("pointer b", b);
}

KESCO_OUTPUTS(1) __global__ void store_by_variable(int *out) {
    out[threadIdx.x] = hidden[threadIdx.x]++;
}

// CHECK-LABEL: "name": "pointer_in_variable()", "lanes": 1,
// WHY: kernel 'store_by_variable' keeps its order to all others: it writes memory that no argument names
void pointer_in_variable(void) {
    int *a = allocate(), *b = allocate();
    CHECK(cudaMemcpyToSymbol(hidden, &b, sizeof b));
    fill<<<1, N>>>(b, 1);
    store_by_variable<<<1, N>>>(a);
    scale<<<1, N>>>(b, 3);
    show("global pointer a", a);
    show("global pointer b", b);
}

KESCO_OUTPUTS(1) __global__ void tell(int *out, int number) {
    *out = number;
    printf("kernel %d\n", number);
}

// CHECK-LABEL: "name": "printing()", "lanes": 1,
// CHECK: "object": "printf"
void printing(void) {
    int *a = allocate(), *b = allocate(), *c = allocate();
    tell<<<1, 1>>>(a, 1);
    tell<<<1, 1>>>(b, 2);
    tell<<<1, 1>>>(c, 3);
    CHECK(cudaDeviceSynchronize());
}

// Assembly that touches what the parameters lead to is as any code; it is here the way the headers do it.
KESCO_OUTPUTS(1) __global__ void by_assembly(int *out, const int *in) {
    __stwt(&out[threadIdx.x], __ldcg(&in[threadIdx.x]) + 1);
}

KESCO_OUTPUTS(1) __global__ void assembly_on_variable(int *out) {
    out[threadIdx.x] = threadIdx.x;
    if (threadIdx.x == 0)
        __stwt(&counter, __ldcg(&counter) * 2 + *out);
}

// CHECK-LABEL: "name": "assembly()", "lanes": 2,
// CHECK: {"from": 2, "to": 3, "kind": "WAW", "object": "counter"}
void assembly(void) {
    int *a = allocate(), *b = allocate(), *c = allocate(), *d = allocate(), got;
    fill<<<1, N>>>(a, 1);
    by_assembly<<<1, N>>>(b, a);
    assembly_on_variable<<<1, N>>>(c);
    take_number<<<1, N>>>(d);
    CHECK(cudaMemcpyFromSymbol(&got, counter, sizeof got));
    printf("counter: %d\n", got);
    show("assembly", b);
    show("assembly, after", d);
}

KESCO_OUTPUTS(1) __global__ void from_heap(int *out) {
    int *own = (int *)malloc(sizeof *own);
    *out = own != NULL;
    free(own);
}

KESCO_OUTPUTS(1) __global__ void from_texture(float *out, cudaTextureObject_t texture) {
    *out = tex1Dfetch<float>(texture, 0);
}

KESCO_OUTPUTS(0) __global__ void to_surface(cudaSurfaceObject_t surface) {
    surf1Dwrite(1.0f, surface, 0);
}

// The virtual GPU has none of these, so nobody calls this.
// CHECK-LABEL: "name": "not_run(float*, unsigned long long, unsigned long long)", "lanes": 1,
// CHECK: "name": "from_heap", {{.*}}"writes": ["a[0..4)", "device heap"]
// CHECK: "name": "from_texture", {{.*}}"reads": ["*"], "writes": ["picture"]
// CHECK: "name": "to_surface", {{.*}}"reads": [], "writes": ["*"]
// WHY: kernel 'from_texture' keeps its order to all that write: it reads memory that no argument names
// WHY: kernel 'to_surface' keeps its order to all others: it writes memory that no argument names
void not_run(float *picture, cudaTextureObject_t texture, cudaSurfaceObject_t surface) {
    int *a = allocate();
    from_heap<<<1, 1>>>(a);
    from_texture<<<1, 1>>>(picture, texture);
    to_surface<<<1, 1>>>(surface);
    fill<<<1, N>>>(a, 1);
}

int main(void) {
    APART(device_variable);
    APART(pointer_in_struct);
    APART(pointer_to_pointer);
    APART(pointer_in_variable);
    APART(printing);
    APART(assembly);
    return 0;
}
