// About how many instructions a thread of a kernel runs: constant loops count in full, others as what they look like, and
// memory for more than arithmetic. It does not depend on -O.
// RUN: for o in 0 2; do \
// RUN:   %kesco --cuda-device-only -O$o -S %s -emit-llvm -o - | sed -n 's/.*KESCO-SUMMARY//p' | sed 's/\\0A/\n/g' >%t.$o || exit 1; \
// RUN:   awk '/^K/ { sub(/^_Z[0-9]*/, "", $2); sub(/P[Pi].*/, "", $2); name = $2 } /^W/ { print name, $2 }' %t.$o >%t.works.$o; \
// RUN: done
// RUN: cmp %t.works.0 %t.works.2
// RUN: awk '{ work[$1] = $2 } END { base = work["plain"]; \
// RUN:   print "plain", (base > 20 && base < 200); \
// RUN:   print "in_block", (work["in_block"] < base); \
// RUN:   print "hundred", (work["hundred"] > 50 * base && work["hundred"] < 150 * base); \
// RUN:   print "unknown", (work["unknown"] > 8 * base && work["unknown"] < 32 * base); \
// RUN:   print "strided", (work["strided"] > base && work["strided"] < 4 * base); \
// RUN:   print "tree", (work["tree"] > 4 * base && work["tree"] < 16 * base); \
// RUN:   print "nested", (work["nested"] > 32 * base && work["nested"] < 128 * base); \
// RUN:   print "to_power", (work["to_power"] > base && work["to_power"] < 4 * base); \
// RUN:   print "called", (work["called"] > 1.5 * base && work["called"] < 3 * base); \
// RUN:   print "recursive", (work["recursive"] > 0) }' %t.works.0 | FileCheck %s
// What the arguments say of loops comes beside it: a range from 0 to it.
// RUN: awk '/^K/ { sub(/^_Z[0-9]*/, "", $2); sub(/P[Pi].*/, "", $2); name = $2 } /^W/ && NF > 2 { print name, $3 }' %t.0 | \
// RUN:   FileCheck %s --check-prefix=RANGE --implicit-check-not='{{tree|plain|called|hundred|recursive|in_block|several|to_power|to_half_power|to_loaded}} '
// RANGE-DAG: nested 0;{{[0-9]+,[0-9]+}},0,a1:0:32,M,*,+,{{[0-9]+}},0,a1:0:32,M,*,0,a1:0:32,M,*,+
// RANGE-DAG: strided 0;{{.*}},gx,bx,*,d,{{.*}}
// RANGE-DAG: shares 0;{{.*}}86400,gx,bx,*,d{{.*}}
// RANGE-DAG: shares_of 0;{{.*}}0,a1:0:32,M,gx,bx,*,d{{.*}}
// RANGE-DAG: unknown 0;{{[0-9]+,[0-9]+}},0,a1:0:32,M,*,+
// RANGE-DAG: of_member 0;{{[0-9]+,[0-9]+}},0,a1:4:32,M,*,+

// CHECK: plain 1
// CHECK-NEXT: in_block 1
// CHECK-NEXT: hundred 1
// CHECK-NEXT: unknown 1
// CHECK-NEXT: strided 1
// CHECK-NEXT: tree 1
// CHECK-NEXT: nested 1
// CHECK-NEXT: to_power 1
// CHECK-NEXT: called 1
// CHECK-NEXT: recursive 1

__global__ void plain(int *p) { p[threadIdx.x] += 1; }

__global__ void in_block(int *) {
    __shared__ int values[64];
    values[threadIdx.x] += 1;
}

__global__ void hundred(int *p) {
    for (int i = 0; i < 100; i++)
        p[threadIdx.x] += i;
}

__global__ void unknown(int *p, int n) {
    for (int i = 0; i < n; i++)
        p[threadIdx.x] += i;
}

__global__ void strided(int *p, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        p[i] += 1;
}

__global__ void tree(int *p) {
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2)
        p[threadIdx.x] += half;
}

__global__ void nested(int *p, int n) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            p[threadIdx.x] += i * j;
}

__device__ int twice(int value) { return 2 * value; }
__device__ void increment(int *p, int by) { *p += twice(by); }

__global__ void called(int *p) {
    increment(p, 1);
    increment(p + threadIdx.x, 2);
}

__device__ int sum_to(int n) { return n == 0 ? 0 : n + sum_to(n - 1); }
__global__ void recursive(int *p, int n) { p[threadIdx.x] = sum_to(n); }

struct Shape {
    int rows, columns;
};
__global__ void of_member(int *p, Shape shape) {
    for (int i = 0; i < shape.columns; i++)
        p[threadIdx.x] += i;
}

// How far it comes, nobody knows.
__global__ void several(int *p, int n) {
    for (int i = 0; i < n; i++)
        if (p[i] == 7)
            break;
}

// Each thread has its share of the passes.
__global__ void shares(int *p, int) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    for (int k = 86400 * i / threads; k < 86400 * (i + 1) / threads; k++)
        p[k] += 1;
}

__global__ void shares_of(int *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    int end = n * (i + 1) / threads;
    for (int k = n * i / threads; k < end; k++)
        p[k] += 1;
}

// All that is known of where these end is that it is an int.
__global__ void to_power(int *p, int log) {
    const int n = 1 << log;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        p[i] += 1;
}
__global__ void to_half_power(int *p, int log) {
    for (int i = threadIdx.x; i < (1 << log) / 2; i += blockDim.x)
        p[i] += 1;
}
__global__ void to_loaded(int *p, const int *count) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < *count; i += gridDim.x * blockDim.x)
        p[i] += 1;
}
