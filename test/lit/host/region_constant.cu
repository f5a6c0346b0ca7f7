// What the runtime is told of each region: its lanes and events, and where it stands, in the report's words.
// RUN: rm -rf %t && mkdir %t && cd %t && cp %s app.cu
// RUN: %kesco-host -O1 -S -emit-llvm app.cu -o app.ll -fplugin-arg-kesco-mode=auto && FileCheck app.cu --input-file=app.ll -DMODE=0
// RUN: %kesco-host -O1 -S -emit-llvm app.cu -o app.ll -fplugin-arg-kesco-mode=lanes
// RUN: FileCheck app.cu --input-file=app.ll -DMODE=2
// RUN: %kesco-host -O1 -c app.cu -o /dev/null -fplugin-arg-kesco-report=app.json
// RUN: FileCheck app.cu --input-file=app.json --check-prefix=REPORT

__attribute__((kesco_outputs(1))) __global__ void add(float *out, const float *in) { *out += *in; }

// CHECK-DAG: [[TEXT:@[0-9.]+]] = private unnamed_addr constant [{{[0-9]+}} x i8] c"two_regions(float*, float*, float*, float*)\00", align 1
// CHECK-DAG: [[FILE:@[0-9.]+]] = private unnamed_addr constant [7 x i8] c"app.cu\00", align 1
// CHECK-DAG: [[FIRST:@[0-9.]+]] = private constant { i32, i32, ptr, ptr, ptr, i32, i32, i32, ptr, ptr, i32, i32 } { i32 2, i32 0, ptr null, ptr [[TEXT]], ptr [[FILE]], i32 [[# @LINE + 12]], i32 [[MODE]], i32 0, ptr [[MEMORY:@[0-9.]+]], ptr [[HISTORY:@[0-9.]+]], i32 0, i32 0 }
// CHECK-DAG: [[MEMORY]] = private global ptr null
// CHECK-DAG: [[HISTORY]] = private global { i64, i32, i32, i32, ptr, ptr, i32, i32, i32, i64, i64 } zeroinitializer
// CHECK-DAG: [[SECOND:@[0-9.]+]] = private constant { i32, i32, ptr, ptr, ptr, i32, i32, i32, ptr, ptr, i32, i32 } { i32 3, i32 1, ptr null, ptr [[TEXT]], ptr [[FILE]], i32 [[# @LINE + 13]], i32 [[MODE]], i32 {{[01]}}, ptr [[OTHER:@[0-9.]+]], ptr {{@[0-9.]+}}, i32 0, i32 0 }
// CHECK-DAG: [[OTHER]] = private global ptr null
// CHECK-LABEL: define {{.*}}@_Z11two_regionsPfS_S_S_(
// CHECK: call void @__kesco1_enter(ptr null, ptr nonnull [[FIRST]])
// CHECK: call void @__kesco1_leave_behind(
// CHECK: call void @__kesco1_enter_behind(ptr null, ptr nonnull [[SECOND]], i32 
// CHECK: call void @__kesco1_leave()
// REPORT: "name": "two_regions(float*, float*, float*, float*)"
void two_regions(float *__restrict__ a, float *__restrict__ b, float *__restrict__ c, float *__restrict__ d) {
    add<<<1, 1>>>(a, a);
    add<<<1, 1>>>(b, b);
    cudaDeviceSynchronize();
    *a += 1;
    add<<<1, 1>>>(a, a);
    add<<<1, 1>>>(b, b);
    add<<<1, 1>>>(c, c);
    add<<<1, 1>>>(d, a);
    add<<<1, 1>>>(d, b);
}
