// A loop of launches on one lane is written so that the runtime may collect them: through a copy of the kernel's stub that
// leaves the launch to it, with the sizes of the arguments beside. The kernel's own stub stays.
// RUN: %kesco-host -fplugin-arg-kesco-mode=auto -O0 -S -emit-llvm %s -o %t.ll -Rpass=kesco -Rpass-missed=kesco 2>%t.err
// RUN: FileCheck %s --input-file=%t.ll && FileCheck %s --input-file=%t.err --check-prefix=TOLD --implicit-check-not=Replayed

// Without lanes and graphs to come, all stays as it is.
// RUN: for mode in lanes serial; do %kesco-host -O0 -S -emit-llvm %s -o %t.mode -fplugin-arg-kesco-mode=$mode && \
// RUN:   FileCheck %s --input-file=%t.mode --check-prefix=NONE --implicit-check-not=__kesco1_launch || exit 1; done
// NONE: define {{.*}}@_Z5chainPfS_i(

struct Pair {
    float *to;
    char tag;
};

__global__ void one(float *to, const float *from, int n) { to[n] = from[n]; }
__global__ void two(Pair pair, short by, double d) { *pair.to += by + pair.tag + d; }
__global__ void none() {}

// Sizes: a pointer, a pointer, a number; a struct with its padding, a short, a double; no argument at all.
// CHECK-DAG: [[ONE:@[0-9]+]] = private unnamed_addr constant [3 x i32] [i32 8, i32 8, i32 4]
// CHECK-DAG: [[TWO:@[0-9]+]] = private unnamed_addr constant [3 x i32] [i32 16, i32 2, i32 8]
// CHECK-DAG: { ptr, ptr, ptr, ptr, i32, i32, i32, i32, i32, i32, i32, ptr } { {{.*}}, i32 0, i32 3, ptr [[ONE]] }
// CHECK-DAG: { ptr, ptr, ptr, ptr, i32, i32, i32, i32, i32, i32, i32, ptr } { {{.*}}, i32 1, i32 3, ptr [[TWO]] }
// CHECK-DAG: { ptr, ptr, ptr, ptr, i32, i32, i32, i32, i32, i32, i32, ptr } { {{.*}}, i32 2, i32 0, ptr @{{.*}} }

// CHECK-LABEL: define {{.*}}@_Z5chainPfS_i(
// CHECK: call void @__kesco1_enter(
// CHECK: call ptr @__kesco1_lane(i32 0,
// CHECK: call void @_Z18__device_stub__onePfPKfi.kesco(
// CHECK: call void @_Z18__device_stub__two4Pairsd.kesco(
// CHECK: call void @_Z19__device_stub__nonev.kesco(
// CHECK: call void @__kesco1_leave()
// TOLD: replay.cu:[[@LINE+3]]:{{.*}} 3 launches on one stream: what comes again in the same order is launched together
void chain(float *a, float *b, int n) {
    for (int i = 0; i < n; ++i) {
        one<<<1, 1>>>(a, b, i);
        two<<<1, 1>>>(Pair{b, 'x'}, 3, 0.5);
        none<<<1, 1>>>();
        float *c = a;
        a = b;
        b = c;
    }
}

// Two launches that nothing repeats stay as they are.
// CHECK-LABEL: define {{.*}}@_Z4oncePfS_(
// CHECK-NOT: __kesco1_{{enter|lane|launch}}
// CHECK: ret void
void once(float *a, float *b) {
    one<<<1, 1>>>(a, b, 1);
    one<<<1, 1>>>(b, a, 1);
}

// CHECK: define internal void @_Z18__device_stub__onePfPKfi.kesco(
// CHECK: call i32 @__cudaPopCallConfiguration(ptr [[GRID:%[0-9a-z]+]], ptr [[BLOCK:%[0-9a-z]+]], ptr
// CHECK: call i32 @__kesco1_launch(ptr @_Z18__device_stub__onePfPKfi, ptr [[GRID]], ptr [[BLOCK]],
// CHECK-NOT: @cudaLaunchKernel
// CHECK: ret void
