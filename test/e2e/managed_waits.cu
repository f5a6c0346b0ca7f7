// Waits that are put off though kernels work on managed memory: the host touches none of it before the next wait, as far as it can be
// told; where it does, the wait is made.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -O1 %s -o %t/serial
// RUN: for level in 1 2 3; do \
// RUN:   for across in off on; do \
// RUN:   %vgpu-kesco -O$level %s -o %t/kesco -fplugin-arg-kesco-across-calls=$across \
// RUN:     -fplugin-arg-kesco-report=%t/$level.$across.json || exit 1; \
// RUN:   for mode in '' plain mapped; do sh %compare 8 %t/serial %t/kesco $mode || exit 1; done; \
// RUN:   STATUS=5 sh %compare 8 %t/serial %t/kesco ends || exit 1; \
// RUN:   VGPU_CONCURRENT_MANAGED=0 sh %compare 4 %t/serial %t/kesco only || exit 1; \
// RUN:   for run in serial kesco; do VGPU_STATS=%t/$run.stats %t/$run only >%t/out || exit 1; \
// RUN:     grep -o '"cudaDeviceSynchronize": [0-9]*' %t/$run.stats; done | FileCheck %s --check-prefix=WAITS || exit 1; \
// RUN:   done; \
// RUN:   FileCheck %s --input-file=%t/$level.off.json || exit 1; \
// RUN: done
// WAITS: "cudaDeviceSynchronize": 10
// WAITS-NEXT: "cudaDeviceSynchronize": {{[67]}}

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

enum { N = 64 };

static __global__ void set(int *out, int v) { out[threadIdx.x] = v + threadIdx.x; }
static __global__ void square(int *a) { a[threadIdx.x] *= a[threadIdx.x]; }
static __global__ void add(int *out, const int *a, const int *b) { out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x]; }
static __global__ void bump(int *count) { atomicAdd(count, 1); }

static const char *mode = "";
template <typename T> static T *hide(T *p) {
    T *volatile hidden = p;
    return hidden;
}

static int *allocate(size_t bytes = N * sizeof(int)) {
    void *p = nullptr;
    if (strcmp(mode, "plain") == 0)
        cudaMalloc(&p, bytes);
    else if (strcmp(mode, "mapped") == 0)
        cudaMallocHost(&p, bytes);
    else
        cudaMallocManaged(&p, bytes);
    return (int *)p;
}

static int read(const int *p, int at) {
    int value;
    cudaMemcpy(&value, p + at, sizeof value, cudaMemcpyDefault);
    return value;
}

class Benchmark {
  public:
    virtual ~Benchmark() = default;
    virtual void alloc() = 0;
    virtual void execute(int round) = 0;
    virtual int result() = 0;

  protected:
    cudaError_t err = cudaSuccess;
    int rounds = 0;
};

// All but the last wait go: the host touches members only, and the result behind the last.
class Sums : public Benchmark {
    int *x, *y, *z;
    int sum = 0;

    void alloc() override {
        x = allocate();
        y = allocate();
        z = allocate();
        set<<<1, N>>>(x, 1);
        set<<<1, N>>>(y, 2);
        cudaDeviceSynchronize();
    }
    // CHECK-DAG: "name": "Sums::execute(int)", "lanes": 2,
    void execute(int round) override {
        square<<<1, N>>>(x);
        err = cudaDeviceSynchronize();
        rounds++;
        square<<<1, N>>>(y);
        err = cudaDeviceSynchronize();
        add<<<1, N>>>(z, x, y);
        err = cudaDeviceSynchronize();
        sum += read(z, 3);
    }
    int result() override { return sum + rounds + read(z, 5); }
};

// The host looks, by an argument, by one that leads somewhere else in the allocation, by a pointer of its own, and by one it loads.
// CHECK-DAG: "name": "looks(int*, int*, int*, int**)", "lanes": 2,
__attribute__((noinline)) static int looks(int *x, int *y, int *inside, int **table) {
    int found = 0;
    const int *before = table[0];
    set<<<1, N>>>(x, 1);
    set<<<1, N>>>(y, 2);
    cudaDeviceSynchronize();
    found = found * 7 + x[3];
    square<<<1, N>>>(x);
    square<<<1, N>>>(y);
    cudaDeviceSynchronize();
    found = found * 7 + inside[-1];
    square<<<1, N>>>(x);
    square<<<1, N>>>(y);
    cudaDeviceSynchronize();
    found = found * 7 + before[5];
    square<<<1, N>>>(x);
    square<<<1, N>>>(y);
    cudaDeviceSynchronize();
    found = found * 7 + table[0][6];
    square<<<1, N>>>(x);
    square<<<1, N>>>(y);
    cudaDeviceSynchronize();
    return found * 7 + y[1];
}

// It looks once more before it ends the program.
// CHECK-DAG: "name": "ends(int*, int*, int*, bool)", "lanes": 2,
__attribute__((noinline)) static void ends(int *x, int *y, int *inside, bool bad) {
    set<<<1, N>>>(x, 1);
    set<<<1, N>>>(y, 2);
    cudaDeviceSynchronize();
    if (bad) {
        printf("%d\n", inside[-1]);
        exit(5);
    }
    square<<<1, N>>>(x);
    square<<<1, N>>>(y);
    cudaDeviceSynchronize();
}

// The host writes what a kernel has read, and what one works on later.
// CHECK-DAG: "name": "writes(int*, int*, int*)", "lanes": 2,
__attribute__((noinline)) static void writes(int *x, int *y, int *next) {
    for (int i = 0; i < 3; i++) {
        add<<<1, N>>>(x, y, y);
        set<<<1, N>>>(next, i);
        cudaDeviceSynchronize();
        y[i] = 100 + i;
        add<<<1, N>>>(x, x, y);
        square<<<1, N>>>(next);
        cudaDeviceSynchronize();
        next[i] = i;
    }
}

// The object that members are of is managed memory, too, and a kernel counts in it.
struct Counter {
    int *x, *y;
    int count, seen;

    void run();
};

// CHECK-DAG: "name": "Counter::run()", "lanes": 2,
__attribute__((noinline)) void Counter::run() {
    for (int i = 0; i < 3; i++) {
        bump<<<1, N>>>(&count);
        set<<<1, N>>>(x, i);
        cudaDeviceSynchronize();
        seen += count;
        square<<<1, N>>>(x);
        set<<<1, N>>>(y, i);
        cudaDeviceSynchronize();
        seen++;
    }
}

// Memory that comes and goes in between.
// CHECK-DAG: "name": "collects({{.*}})", "lanes": 2,
__attribute__((noinline)) static void collects(int *x, int *y, std::vector<int> &all) {
    for (int i = 0; i < 4; i++) {
        set<<<1, N>>>(x, i);
        set<<<1, N>>>(y, i + 1);
        cudaDeviceSynchronize();
        all.push_back(i);
        square<<<1, N>>>(x);
        square<<<1, N>>>(y);
        cudaDeviceSynchronize();
        all.push_back(*std::launder(&x[i]));
    }
}

int main(int argc, char **argv) {
    mode = argc > 1 ? argv[1] : "";
    Sums sums;
    Benchmark *benchmark = hide<Benchmark>(&sums);
    benchmark->alloc();
    for (int round = 0; round < 3; round++)
        benchmark->execute(round);
    printf("%d\n", benchmark->result());
    if (strcmp(mode, "plain") == 0 || strcmp(mode, "only") == 0)
        return 0;
    int *x = allocate(), *y = allocate();
    hide(ends)(x, y, y + N, strcmp(mode, "ends") == 0);
    int **table = new int *[1];
    table[0] = x;
    printf("%d\n", hide(looks)(x, y, y + N, table));
    hide(writes)(x, y, allocate());
    printf("%d %d %d\n", x[0], x[1], y[2]);
    Counter *counter = new (allocate(sizeof(Counter))) Counter{x, y, 0, 0};
    counter->run();
    printf("%d %d\n", counter->count, counter->seen);
    std::vector<int> all;
    hide(collects)(x, y, all);
    for (int value : all)
        printf("%d ", value);
    printf("\n");
    return 0;
}
