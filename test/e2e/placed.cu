// Loops whose passes only the run can tell apart: their ops get lanes when they are issued. Passes that have no byte in
// common overlap, and those that have one keep their order. Serially, with all seeds, and with races checked, the results
// are the same.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -std=c++17 -O1 %s -o %t/serial
// RUN: for o in 1 2; do \
// RUN:   %vgpu-kesco -std=c++17 -O$o %s -o %t/kesco -Rpass=kesco 2>%t/remarks && \
// RUN:   FileCheck %s --input-file=%t/remarks --check-prefix=REMARK --implicit-check-not="ops get" || exit 1; \
// RUN:   for count in 1 7 64; do sh %compare 6 %t/serial %t/kesco $count || exit 1; done; \
// RUN:   for mode in auto turns; do KESCO_MODE=$mode sh %compare 4 %t/serial %t/kesco 64 || exit 1; done; \
// RUN:   KESCO_LOG=1 %t/kesco 64 2>&1 >/dev/null | FileCheck %s || exit 1; \
// RUN: done
// RUN: KESCO_STATS=1 %t/kesco 64 2>&1 >/dev/null | FileCheck %s --check-prefix=STATS
//
// As parallel as lanes allow, also where each pass waits.
// RUN: for name in serial kesco; do VGPU_TIME=1 sh %S/Inputs/virtual_time.sh %t/$name 64 || exit 1; done >%t/times
// RUN: awk 'NR == 1 { serial = $1 } NR == 2 { exit !(1.6 * $1 <= serial) }' %t/times

// CHECK: kesco: region begins: 16 lanes, 16 events (by_offset(
// CHECK-NOT: runs serially
// CHECK: kesco: region begins: 16 lanes, 16 events (by_step(
// CHECK-NOT: runs serially
// CHECK: kesco: region begins: 16 lanes, 16 events (with_checks(
// CHECK-NOT: runs serially
// CHECK: kesco: region begins: 16 lanes, 16 events (twice_now_and_then(
// CHECK-NOT: runs serially
// CHECK: kesco: region begins: 16 lanes, 16 events (neighbours(
// CHECK: its ops have to wait for each other (neighbours(
// CHECK: kesco: region begins: 16 lanes, 16 events (halos(
// CHECK: kesco: region begins: 16 lanes, 16 events (stages(
// CHECK-NOT: {{begins|serially}}{{.*}}(stages(
// CHECK: kesco: region begins: 16 lanes, 16 events (nested(
// CHECK: kesco: region begins: 16 lanes, 16 events (between_copies(
// CHECK-NOT: runs serially
// CHECK: kesco: region begins: 16 lanes, 16 events (by_number(
// CHECK-NOT: runs serially
// CHECK: kesco: region begins: 16 lanes, 16 events (from_the_row_before(
// CHECK: its ops have to wait for each other (from_the_row_before(

// STATS: 16/16 {{.*}} by_number(
// STATS-NEXT: 64 ops placed, 0 behind others in flight
// STATS: 16/16 {{.*}} by_offset(
// STATS-NEXT: 64 ops placed, 0 behind others in flight
// STATS: 16/16 {{.*}} twice_now_and_then(
// STATS-NEXT: 64 ops placed, 12 behind others in flight

#include <cstdio>
#include <cstdlib>
#include <vector>

enum { SIZE = 150 };

static void check(cudaError_t error) {
    if (error != cudaSuccess) {
        std::printf("%s\n", cudaGetErrorString(error));
        std::exit(1);
    }
}

static __device__ int mix(int value) {
    for (int i = 0; i < 200; i++)
        value = value * 31 + 7;
    return value;
}

static __global__ void fill(int *out, int count, int value) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = mix(value + i);
}
static __global__ void work(int *out, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = mix(out[i]);
}
static __global__ void blur(int *out, const int *in, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = mix(in[i - 1] + in[i] * 3 + in[i + 1]);
}

static __global__ void fill_row(int *rows, int count, int row) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        rows[row * count + i] = mix(row - i);
}
static __global__ void next_row(int *rows, int count, int row) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        rows[row * count + i] = mix(rows[(row - 1) * count + i]);
}

// REMARK: remark: 1 op gets its lane when the program issues it, by the bytes that each accesses
static void by_offset(int *buffer, const int *offsets, int count) {
    for (int i = 0; i < count; i++)
        fill<<<2, 128>>>(buffer + offsets[i], SIZE, i);
}

// REMARK: remark: 1 op gets its lane
static void by_step(int *buffer, int count) {
    for (int *place = buffer; place < buffer + count * SIZE; place += SIZE)
        work<<<2, 128>>>(place, SIZE);
}

// REMARK: remark: 1 op gets its lane
static void with_checks(int *buffer, const int *offsets, int count) {
    for (int i = 0; i < count; i++) {
        work<<<2, 128>>>(buffer + offsets[i], SIZE);
        check(cudaGetLastError());
        check(cudaDeviceSynchronize());
    }
    check(cudaDeviceSynchronize());
}

// REMARK: remark: 1 op gets its lane
static void twice_now_and_then(int *buffer, int count) {
    for (int i = 0; i < count; i++)
        work<<<2, 128>>>(buffer + (i % 5 == 4 ? i - 1 : i) * SIZE, SIZE);
}

// REMARK: remark: 3 ops get their lanes
static void neighbours(int *buffer, const int *offsets, int count) {
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < count; i++)
            work<<<2, 128>>>(buffer + offsets[i], SIZE + (i + 1 < count));
}

// REMARK: remark: 2 ops get their lanes
static void halos(int *to, int *from, const int *offsets, int count) {
    for (int i = 0; i < count; i++) {
        blur<<<2, 128>>>(to + offsets[i], from + offsets[i], SIZE);
        work<<<2, 128>>>(to + offsets[i], SIZE);
    }
}

// REMARK: remark: 2 ops get their lanes
static void stages(int *to, int *from, const int *offsets, int count) {
    for (int i = 0; i < count; i++)
        work<<<2, 128>>>(from + offsets[i], SIZE);
    for (int i = 0; i < count; i++)
        blur<<<2, 128>>>(to + offsets[i], from + offsets[i], SIZE);
}

// REMARK: remark: {{[0-9]+}} op{{.*}} when the program issues
static void nested(int *buffer, int count) {
    for (int i = 0; i < count; i += 8)
        for (int j = i; j < i + 8 && j < count; j++)
            work<<<2, 128>>>(buffer + (count - 1 - j) * SIZE, SIZE);
}

// REMARK: remark: 3 ops get their lanes
static void between_copies(int *to, int *from, const int *offsets, int count) {
    for (int i = 0; i < count; i++) {
        check(cudaMemsetAsync(to + offsets[i], 0, SIZE * sizeof *to));
        check(cudaMemcpyAsync(to + offsets[i], from + offsets[count - 1 - i], SIZE * sizeof *to,
                              cudaMemcpyDeviceToDevice));
        work<<<2, 128>>>(to + offsets[i], SIZE);
    }
}

// REMARK: remark: 1 op gets its lane
static void by_number(int *buffer, int count) {
    for (int i = 0; i < count; i++)
        fill_row<<<2, 128>>>(buffer, SIZE, i);
}

// REMARK: remark: 3 ops get their lanes
static void from_the_row_before(int *buffer, int count) {
    for (int round = 0; round < 3; round++)
        for (int i = 1; i < count; i++)
            next_row<<<2, 128>>>(buffer, SIZE, i);
}

static void show(const char *name, const int *buffer, size_t count) {
    std::vector<int> host(count);
    unsigned sum = 0;
    check(cudaMemcpy(host.data(), buffer, count * sizeof(int), cudaMemcpyDeviceToHost));
    for (int value : host)
        sum = sum * 31 + value;
    std::printf("%s %u\n", name, sum);
}

/* Called through pointers, they are not seen together with main. */
static void (*volatile run_by_offset)(int *, const int *, int) = by_offset;
static void (*volatile run_by_step)(int *, int) = by_step;
static void (*volatile run_with_checks)(int *, const int *, int) = with_checks;
static void (*volatile run_twice)(int *, int) = twice_now_and_then;
static void (*volatile run_neighbours)(int *, const int *, int) = neighbours;
static void (*volatile run_halos)(int *, int *, const int *, int) = halos;
static void (*volatile run_stages)(int *, int *, const int *, int) = stages;
static void (*volatile run_nested)(int *, int) = nested;
static void (*volatile run_between_copies)(int *, int *, const int *, int) = between_copies;
static void (*volatile run_by_number)(int *, int) = by_number;
static void (*volatile run_from_the_row_before)(int *, int) = from_the_row_before;

int main(int, char **arguments) {
    const int count = std::atoi(arguments[1]);
    const size_t all = static_cast<size_t>(count + 2) * SIZE;
    std::vector<int> offsets(count);
    int *buffers[2];
    for (int i = 0; i < count; i++)
        offsets[i] = (i ^ 1) < count ? (i ^ 1) * SIZE : i * SIZE;
    for (int *&buffer : buffers) {
        check(cudaMalloc(&buffer, all * sizeof(int)));
        check(cudaMemset(buffer, 1, all * sizeof(int)));
        buffer += SIZE;
    }
    int *a = buffers[0], *b = buffers[1];
    run_by_offset(a, offsets.data(), count);
    show("by offset", a, count * SIZE);
    run_by_step(a, count);
    show("by step", a, count * SIZE);
    run_with_checks(a, offsets.data(), count);
    show("with checks", a, count * SIZE);
    run_twice(a, count);
    show("twice now and then", a, count * SIZE);
    for (int i = 0; i < count; i++)
        offsets[i] = i * SIZE;
    run_neighbours(a, offsets.data(), count);
    show("neighbours", a, count * SIZE);
    run_halos(b, a, offsets.data(), count);
    show("halos", b, count * SIZE);
    run_stages(b, a, offsets.data(), count);
    show("stages", b, count * SIZE);
    run_halos(a, a, offsets.data(), count);
    show("halos in place", a, count * SIZE);
    run_nested(a, count);
    show("nested", a, count * SIZE);
    run_between_copies(b, a, offsets.data(), count);
    show("between copies", b, count * SIZE);
    run_by_number(b, count);
    show("by number", b, count * SIZE);
    run_from_the_row_before(b, count);
    show("from the row before", b, count * SIZE);
    return 0;
}
