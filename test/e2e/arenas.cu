// Places in one allocation: ops whose bytes differ are concurrent, and right where places meet, as far as only the run
// knows. Serially, with all seeds, and with races checked, the results are the same.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -std=c++17 -O1 %s -o %t/serial
// RUN: for o in 0 2; do \
// RUN:   %vgpu-kesco -std=c++17 -O$o %s -o %t/kesco -fplugin-arg-kesco-report=%t/plan.json && \
// RUN:   FileCheck %s --input-file=%t/plan.json --check-prefix=PLAN || exit 1; \
// RUN:   for distance in 300 299 600 1 0; do sh %compare 6 %t/serial %t/kesco $distance || exit 1; done; \
// RUN:   KESCO_LOG=1 %t/kesco 300 2>&1 >/dev/null | FileCheck %s || exit 1; \
// RUN:   KESCO_LOG=1 %t/kesco 299 2>&1 >/dev/null | FileCheck %s --check-prefix=MEET || exit 1; \
// RUN: done

// CHECK-NOT: two pointers
// CHECK: kesco: region begins: 4 lanes, {{[0-9]+}} events (places(
// CHECK-NOT: two pointers
// CHECK: kesco: region begins: 2 lanes, {{[0-9]+}} events (constant_places(
// CHECK-NOT: two pointers
// CHECK: kesco: region begins: 2 lanes, {{[0-9]+}} events (bumped(
// CHECK-NEXT: kesco: region begins: 2 lanes, {{[0-9]+}} events (bumped(
// CHECK-NEXT: kesco: an op comes behind all of a region so far, and the rest behind it: two pointers may share an allocation (bumped(
// CHECK-NEXT: kesco: a region gets 2 lanes, {{[0-9]+}} events (bumped(
// CHECK-NEXT: kesco: an op comes behind all of a region so far, and the rest behind it: two pointers may share an allocation (bumped(
// CHECK-NEXT: kesco: region begins: 2 lanes, {{[0-9]+}} events (bumped(
// CHECK-NEXT: kesco: an op comes behind all of a region so far, and the rest behind it: two pointers may share an allocation (bumped(
// CHECK-NEXT: kesco: a region gets 2 lanes, {{[0-9]+}} events (bumped(
// CHECK-NEXT: kesco: an op comes behind all of a region so far, and the rest behind it: two pointers may share an allocation (bumped(
// MEET: an op comes behind all of a region so far, and the rest behind it: two pointers may share an allocation (places(

#include <cstdio>
#include <cstdlib>

enum { SIZE = 300, PLACES = 4 };

static __global__ void fill(int *out, int value, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = value + i;
}
static __global__ void turn(int *out, const int *in, int count) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        out[i] = out[i] * 31 + in[count - 1 - i];
}

static void show(const char *name, const int *arena, size_t count) {
    static int host[PLACES * 2 * SIZE];
    unsigned sum = 0;
    cudaMemcpy(host, arena, count * sizeof *host, cudaMemcpyDeviceToHost);
    for (size_t i = 0; i < count; i++)
        sum = sum * 31 + host[i];
    std::printf("%s %u\n", name, sum);
}

// Four places in one arena, at distances that only the run knows.
// PLAN-LABEL: "name": "places(
// PLAN: "lanes": 4,
// PLAN: {"a": "arena[part 0]", "b": "arena[part 1]"},
void places(int *arena, size_t distance, int count) {
    for (int round = 0; round < 3; round++) {
        fill<<<2, 150>>>(arena, round, count);
        fill<<<2, 150>>>(arena + distance, round + 1, count);
        fill<<<2, 150>>>(arena + 2 * distance, round + 2, count);
        fill<<<2, 150>>>(arena + 3 * distance, round + 3, count);
    }
}

// Places whose distances are constant are told apart by the plan, and so are those that share a byte.
// PLAN-LABEL: "name": "constant_places(
// PLAN: "lanes": 2,
// PLAN: "edges": [
// PLAN-NEXT: {"from": 0, "to": 2, "kind": "WAW", "object": "arena[1196..1200)"}],
// PLAN-NEXT: "waits": [],
// PLAN-NEXT: "records": [],
// PLAN-NEXT: "guards": [],
void constant_places(int *arena) {
    fill<<<2, 150>>>(arena, 1, SIZE);
    fill<<<2, 150>>>(arena + SIZE, 2, SIZE);
    fill<<<2, 150>>>(arena + SIZE - 1, 3, 1);
}

// An allocator of the program's own: what it gives out lies in one allocation.
struct Pool {
    char *memory;
    size_t used = 0;
    int *take(size_t count) {
        int *place = reinterpret_cast<int *>(memory + used);
        used += (count * sizeof(int) + 255) / 256 * 256;
        return place;
    }
};

void bumped(int *a, int *b, int *c, int *d, int count) {
    turn<<<2, 64>>>(a, b, count);
    turn<<<2, 64>>>(c, d, count);
    turn<<<2, 64>>>(a, b, count);
    turn<<<2, 64>>>(c, d, count);
}

/* Called through pointers, they are not seen together with main. */
static void (*volatile run_places)(int *, size_t, int) = places;
static void (*volatile run_constant_places)(int *) = constant_places;
static void (*volatile run_bumped)(int *, int *, int *, int *, int) = bumped;

int main(int, char **arguments) {
    const size_t distance = std::strtoul(arguments[1], nullptr, 10);
    int *arena;
    Pool pool;
    cudaMalloc(&arena, PLACES * 2 * SIZE * sizeof *arena);
    cudaMemset(arena, 0, PLACES * 2 * SIZE * sizeof *arena);
    run_places(arena, distance, SIZE);
    show("places", arena, PLACES * 2 * SIZE);
    run_constant_places(arena);
    show("constant places", arena, PLACES * 2 * SIZE);
    pool.memory = reinterpret_cast<char *>(arena);
    int *a = pool.take(SIZE), *b = pool.take(SIZE), *c = pool.take(SIZE), *d = pool.take(SIZE);
    run_bumped(a, b, c, d, SIZE);
    show("bumped", arena, PLACES * 2 * SIZE);
    run_bumped(a, b, a + 1, d, SIZE);
    show("bumped that meet", arena, PLACES * 2 * SIZE);
    run_bumped(a, b, b, a, SIZE);
    show("bumped that are the same", arena, PLACES * 2 * SIZE);
    cudaFree(arena);
    return 0;
}
