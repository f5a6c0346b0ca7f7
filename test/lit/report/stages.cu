// The option show prints, with one compile, what each stage finds: summaries, regions, and the rewritten functions.
// DEFINE: %{flags} = -c -o %t.o -fplugin-arg-kesco-runtime=shared -fplugin-arg-kesco-mode=lanes
// DEFINE: %{show} = %kesco -O2 %s %{flags} -fplugin-arg-kesco-show
// RUN: %{show}=summaries -fplugin-arg-kesco-show=regions 2>%t.text
// RUN: FileCheck %s --input-file=%t.text --match-full-lines --implicit-check-not={{.}}
// RUN: %{show}=ir -fplugin-arg-kesco-across-calls=off 2>%t.ir && FileCheck %s --check-prefix=IR --input-file=%t.ir

// CHECK: kernels of {{.*}}stages.cu:
// CHECK-NEXT:   add ({{.*}}stages.cu:[[#@LINE+4]]): reads a[0 .. 4*blockDim.x bytes); writes out[0 .. 4*blockDim.x bytes); about {{[0-9]+}} instructions a thread
// CHECK-NEXT:   touch ({{.*}}stages.cu:[[#@LINE+4]]): writes a[0 .. 4 bytes); about {{[0-9]+}} instructions a thread
// CHECK-NEXT:   unseen: no summary

__global__ void add(float *out, const float *a) { out[threadIdx.x] = a[threadIdx.x]; }
__global__ void touch(float *a) { *a = 1; }
__global__ void unseen(float *a);

// CHECK-NEXT: regions of run(float*, float*) ({{.*}}stages.cu:[[#@LINE+21]]):
// CHECK-NEXT:   region 0, on the legacy default stream:
// CHECK-NEXT:     -- no op changes places
// CHECK-NEXT:     op 0, line [[#@LINE+19]]: kernel add; reads b[0..4), b[4..128); writes a[0..4), a[4..128); then op 1 or 2
// CHECK-NEXT:     op 1, line [[#@LINE+20]]: kernel touch; writes b[0..4); then op 1 or 2
// CHECK-NEXT:     op 2, line [[#@LINE+21]]: kernel touch; writes a[0..4)
// CHECK-NEXT:     object a: any memory, written
// CHECK-NEXT:     object b: any memory, written
// CHECK-NEXT:     guard: serial where a and b lead to the same memory
// CHECK-NEXT:     call of cudaDeviceSynchronize, line [[#@LINE+16]]: may be put off by the run
// CHECK-NEXT:   region 1, on the legacy default stream:
// CHECK-NEXT:     op 0, line [[#@LINE+17]]: kernel touch; writes a
// CHECK-NEXT:     object a: any memory, written
// CHECK-NEXT:   barrier, line [[#@LINE+14]]: call to 'cudaStreamQuery'
// CHECK-NEXT: regions of other(float*) ({{.*}}stages.cu:[[#@LINE+16]]):
// CHECK-NEXT:   region 0, on the legacy default stream:
// CHECK-NEXT:     op 0, line [[#@LINE+14]]: kernel unseen; writes anything; what the kernel writes is unknown: {{.*}}
// IR: ; {{.*}}stages.cu: 2 functions call the runtime
// IR: @{{[0-9]+}} = private {{.*}}
// IR-NOT: define
// IR: ; run(float*, float*){{$}}
void run(float *a, float *b) {
    add<<<1, 32>>>(a, b);
    for (int i = 0; i < 100; ++i)
        touch<<<1, 1>>>(b);
    cudaDeviceSynchronize();
    touch<<<1, 1>>>(a);
    cudaStreamQuery(nullptr);
    touch<<<1, 1>>>(a);
}
void other(float *a) { unseen<<<1, 1>>>(a); }
// IR: call void @__kesco1_enter(
// IR: call ptr @__kesco1_lane(i32 {{[0-9]+}},
// IR: ; other(float*){{$}}
// IR-NOT: {{^}}define
// IR: define {{.*}} @_Z5otherPf(
// IR-NOT: {{^}}define

// What holds between all ops is said once, and of whose pairs one pointer is the same, too.
// RUN: echo '__global__ void set(float *a) { *a = 1; } void three(float *a, float *b, float *c) { set<<<1, 1>>>(a); set<<<1, 1>>>(b); set<<<1, 1>>>(c); }' >%t.cu
// RUN: echo 'void part(int n) { float *a, *b; cudaMalloc(&a, 4); cudaMalloc(&b, 4); set<<<1, 1>>>(a); set<<<1, 1>>>(b); while (n--) set<<<1, 1>>>(a); }' >>%t.cu
// RUN: %kesco %t.cu %{flags} -fplugin-arg-kesco-show=regions 2>&1 | FileCheck %s --check-prefix=THREE
// THREE:      region 0
// THREE-NEXT: -- no op changes places{{$}}
// THREE-NEXT: op 0, {{.*}} writes a; {{.*}}
// THREE-NEXT: op 1, line
// THREE-NEXT: op 2, line
// THREE-NEXT: object a
// THREE-NEXT: object b
// THREE-NEXT: object c
// THREE-NEXT: guard: serial where a and one of b, c lead to the same memory
// THREE-NEXT: guard: serial where b and c lead to the same memory
// THREE:      region 0
// THREE-NEXT: op 0, line
// THREE-NEXT: op 1, line
// THREE-NEXT: -- no op changes places across this line{{$}}
// THREE-NEXT: op 2, line

// What there is not is said.
// RUN: echo 'void nothing() {}' >%t.cu
// RUN: %kesco %t.cu %{flags} -fplugin-arg-kesco-show=regions,ir -fplugin-arg-kesco-show=summaries 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NONE
// NONE-NOT: {{.}}
// NONE: kernels of {{.*}}.cu:
// NONE-NEXT: none
// NONE-NEXT: no regions: no function issues an op to the device
// NONE-NEXT: ; {{.*}}.cu: 0 functions call the runtime
// NONE-NOT: {{.}}
