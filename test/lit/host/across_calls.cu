// Functions that launch go on in their callers' regions, where both are compiled with KeSCo. What launches borrows: a number
// before its code says so, and it leaves open what it is lent. Who calls lends, and closes before a barrier and where it
// ends, also by an exception.
// RUN: %kesco-host -fplugin-arg-kesco-across-calls=on -O0 -S -emit-llvm %s -o %t.ll -Rpass=kesco -fplugin-arg-kesco-show=ir 2>%t.shown
// RUN: opt -passes=verify -disable-output %t.ll
// RUN: FileCheck %s --input-file=%t.shown
// RUN: FileCheck %s --input-file=%t.shown --check-prefix=REMARK --implicit-check-not=remark:
// RUN: FileCheck %s --input-file=%t.ll --check-prefix=HARMLESS
// RUN: %kesco-host -fplugin-arg-kesco-across-calls=on -O1 -c %s -o /dev/null -Rpass-analysis=kesco 2>&1 | \
// RUN:   grep -v "remark: kernel" | FileCheck %s --check-prefix=LENDS --implicit-check-not=remark:
// RUN: clang++ -fplugin=%plugin -std=c++17 -DPLAIN -O2 -c -x c++ %s -o /dev/null -Rpass-analysis=kesco 2>&1 | \
// RUN:   FileCheck %s --check-prefix=TWICE
//
// Without, calls and what is called are the program's.
// RUN: for o in across-calls=off mode=serial max-lanes=1 only=chain; do \
// RUN:   %kesco-host -fplugin-arg-kesco-across-calls=on -fplugin-arg-kesco-$o -O1 -S -emit-llvm %s -o - | \
// RUN:     FileCheck %s --check-prefix=NONE --implicit-check-not=__kesco1_borrow --implicit-check-not="prefix i64" || exit 1; \
// RUN: done
// NONE: call {{.*}}@_Z7outsidePf(
//
// C++ that launches nothing uses the runtime that the program has, if it has one.
// RUN: clang++ -fplugin=%plugin -std=c++17 -DPLAIN -O1 -S -emit-llvm -x c++ %s -o - | FileCheck %s --check-prefix=PLAIN
// PLAIN: define {{.*}}@_Z4noneii({{.*}} prefix i64 -3211620736886435131
// PLAIN: define {{.*}}@_Z5callsPf(
// PLAIN: i64 {{.*}}-8134245556736642041
// PLAIN: invoke void @_Z7outsidePf(
// PLAIN: declare extern_weak {{.*}}@__kesco1_
//
// What is inlined there needs no mark, and is not kept for it.
// RUN: clang++ -fplugin=%plugin -std=c++17 -DPLAIN -O2 -S -emit-llvm -x c++ %s -o - | FileCheck %s --check-prefix=INLINED --implicit-check-not=in_header
// INLINED: define {{.*}}@_Z5twicePf(
// INLINED: {{invoke|call}} void @_Z7outsidePf(
// INLINED: {{invoke|call}} void @_Z7outsidePf(

void outside(float *data);
void other(float *data);

// HARMLESS: define {{.*}}@_Z4noneii({{.*}} prefix i64 -3211620736886435131
int none(int a, int b) { return a * b; }

// CHECK-LABEL: define {{.*}}@_Z5callsPf(
// CHECK-SAME: prefix i64 -8134245556736642041
// CHECK: call i32 @__kesco1_borrow()
// CHECK: call void @kesco.lend(ptr @_Z7outsidePf, ptr
// CHECK-NEXT: invoke void @_Z7outsidePf(
// CHECK: call void @kesco.lend(ptr @_Z5otherPf, ptr
// CHECK-NEXT: invoke void @_Z5otherPf(
// CHECK: call void @kesco.give.back(
// CHECK-NEXT: ret void
// CHECK: landingpad
// CHECK: call void @__kesco1_leave()
// CHECK-NEXT: resume
// LENDS: [[@LINE+3]]:{{.*}}: remark: 2 calls, the first of 'outside(float*)', may find a region open: what is launched there may overlap
void calls(float *data) {
    for (int i = 0; i < none(3, 4); i++) {
        outside(data + i);
        other(data - i);
    }
}

#ifdef PLAIN
inline void in_header(float *data) { outside(data); other(data); }
// TWICE: [[@LINE-1]]:{{.*}}: remark: 2 calls, the first of 'outside(float*)'
void twice(float *data) {
    in_header(data);
    in_header(data + 1);
}
#else
#include <cstdio>

__attribute__((kesco_outputs(1))) __global__ void k(float *out) { *out = 1; }
__attribute__((kesco_outputs(1))) __global__ void next(float *out, const float *in) { *out = *in; }
__device__ int counter;
__global__ void counts(float *out) { *out = counter++; }

// CHECK-LABEL: define {{.*}}@_Z4stepPf(
// CHECK-SAME: prefix i64 -8134245556736642041
// CHECK: %[[TAKEN:.*]] = call i32 @__kesco1_borrow()
// CHECK: call void @__kesco1_join(i32 %[[TAKEN]], ptr
// CHECK: call ptr @__kesco1_op(
// CHECK: call void @__kesco1_guard{{.*}}(i32 0, i32 384,
// CHECK-NOT: __kesco1_leave
// CHECK: call void @kesco.give.back(
// REMARK: [[@LINE+1]]:{{.*}}: remark: 1 op may overlap with what other functions launch that are called before and behind
void step(float *data) { k<<<1, 1>>>(data); }

// Where a barrier stands behind it, nothing could come behind, and no region is opened for it: not to the end, and not in a
// further pass.
// CHECK-LABEL: define {{.*}}@_Z8one_eachPfS_i(
// CHECK: call i32 @__kesco1_borrow()
// CHECK: call void @__kesco1_join(i32 0, ptr
// REMARK: [[@LINE+3]]:{{.*}}: remark: 1 op may overlap
void one_each(float *data, float *host, int passes) {
    for (int i = 0; i < passes; i++) {
        k<<<1, 1>>>(data);
        cudaMemcpy(host + i, data, 4, cudaMemcpyDefault);
    }
}

// But for where there is a way around the barrier.
// CHECK-LABEL: define {{.*}}@_Z9sometimesPfS_b(
// CHECK: %[[LENT:.*]] = call i32 @__kesco1_borrow()
// CHECK: call void @__kesco1_join(i32 %[[LENT]], ptr
// REMARK: [[@LINE+2]]:{{.*}}: remark: 1 op may overlap
void sometimes(float *data, float *host, bool copies) {
    k<<<1, 1>>>(data);
    if (copies)
        cudaMemcpy(host, data, 4, cudaMemcpyDefault);
}

// Also what is only read is told.
// CHECK-LABEL: define {{.*}}@_Z5chainPfPKf(
// CHECK: call void @__kesco1_guard{{.*}}(i32 {{[01]}}, i32 384,
// CHECK: call void @__kesco1_guard{{.*}}(i32 {{[01]}}, i32 128,
// REMARK: [[@LINE+1]]:{{.*}}: remark: 1 op may overlap
void chain(float *out, const float *in) { next<<<1, 1>>>(out, in); }

// A variable of the device's that others may use keeps its order.
// CHECK-LABEL: define {{.*}}@_Z5countPf(
// CHECK-NOT: prefix
// CHECK-NOT: __kesco1_join
// CHECK: call void @__kesco1_interrupt()
void count(float *data) { counts<<<1, 1>>>(data); }

// CHECK-LABEL: define {{.*}}@_Z5waitsPf(
// CHECK: call void @kesco.lend(ptr @_Z5otherPf, ptr
// CHECK: invoke void @_Z5otherPf(
// CHECK-NOT: __kesco1_leave
// CHECK: call {{.*}}@cudaGetLastError()
// CHECK-NOT: __kesco1_leave
// CHECK: call void @kesco.close(
// CHECK-NEXT: {{.*}}@cudaDeviceSynchronize()
// CHECK: call void @kesco.lend(ptr %
// LENDS: [[@LINE+3]]:{{.*}}: remark: 2 calls, the first of 'other(float*)'
void waits(float *data) {
    static void (*volatile pointer)(float *) = other;
    other(data);
    printf("%d\n", cudaGetLastError());
    cudaDeviceSynchronize();
    pointer(data);
}

// No region of the program's goes through a call that it does not come back from, or out of `main`.
// CHECK-LABEL: define {{.*}}@main(
// CHECK-NOT: prefix
// CHECK-NOT: __kesco1_borrow
// CHECK: call void @kesco.lend(
// CHECK: call void @kesco.give.back(ptr {{.*}}, i32 0, ptr
// LENDS: [[@LINE+4]]:{{.*}}: remark: 2 calls, the first of 'waits(float*)'
int main() {
    float *data;
    cudaMalloc(&data, 100);
    waits(data);
    calls(data);
    return 0;
}
#endif
