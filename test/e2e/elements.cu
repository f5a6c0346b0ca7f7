// Loops that take pointers out of arrays and vectors: passes are concurrent as long as their memory differs,
// and right however many there are, wherever the loop ends, and where some get what others have.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -std=c++17 -O1 %s -o %t/serial
// RUN: for o in 0 2; do \
// RUN:   %vgpu-kesco -std=c++17 -O$o %s -o %t/kesco -fplugin-arg-kesco-report=%t/plan.json && \
// RUN:   FileCheck %s --input-file=%t/plan.json --check-prefix=PLAN && sh %compare 20 %t/serial %t/kesco && \
// RUN:   KESCO_LOG=1 %t/kesco 2>&1 >/dev/null | FileCheck %s || exit 1; \
// RUN: done

#include <cstdio>
#include <vector>

enum { SIZE = 300, BUFFERS = 11 };

static __global__ void fill(int *out, int value) {
    for (int i = threadIdx.x; i < SIZE; i += blockDim.x)
        out[i] = value + i;
}
static __global__ void mix(int *out, const int *in) {
    for (int i = threadIdx.x; i < SIZE; i += blockDim.x)
        out[i] = out[i] * 31 + in[SIZE - 1 - i];
}

struct Task {
    int *out, *in;
};

static void show(const char *name, int *const *buffers) {
    unsigned sum = 0;
    for (int i = 0; i < BUFFERS; i++) {
        int host[SIZE];
        cudaMemcpy(host, buffers[i], sizeof host, cudaMemcpyDeviceToHost);
        for (int each : host)
            sum = sum * 31 + each;
    }
    std::printf("%s %u\n", name, sum);
}

// Two loops over one array: the second goes on with what the first left, each pass behind its like.
// PLAN-LABEL: "name": "arrays(int**, int**, int, CUstream_st*)", "lanes": 1,
// PLAN: {"id": 7,
// PLAN: "placed": [0]
static void arrays(int **out, int **in, int count, cudaStream_t stream) {
    for (int i = 0; i < count; i++)
        fill<<<1, 64, 0, stream>>>(in[i], i);
    for (int i = 0; i < count; i++)
        mix<<<1, 64, 0, stream>>>(out[i], in[i]);
}

// PLAN-LABEL: "name": "vectors(std::vector<{{.*}}"lanes": 1,
// PLAN: "placed": [0]
static void vectors(const std::vector<int *> &out, const std::vector<int *> &in, size_t last,
                    cudaStream_t stream) {
    for (size_t i = 0; i < out.size(); i++) {
        mix<<<1, 64, 0, stream>>>(out[i], in[i]);
        if (i == last)
            break;
    }
}

// PLAN-LABEL: "name": "tasks(Task*, int, CUstream_st*)", "lanes": 1,
// PLAN: "placed": [0]
static void tasks(Task *all, int count, cudaStream_t stream) {
    for (Task *each = all; each != all + count; each++)
        for (int round = 0; round < count; round++)
            mix<<<1, 64, 0, stream>>>(each->out, each->in);
}

// Copies of the elements, by loops of their own and beside the kernels.
// PLAN-LABEL: "name": "copies(int**, int**, int*, int, CUstream_st*)", "lanes": 4,
static void copies(int **out, int **in, int *host, int count, cudaStream_t stream) {
    for (int i = 0; i < count; i++)
        cudaMemcpyAsync(in[i], host + i * SIZE, SIZE * sizeof(int), cudaMemcpyHostToDevice, stream);
    for (int i = 0; i < count; i++) {
        mix<<<1, 64, 0, stream>>>(out[i], in[i]);
        cudaMemcpyAsync(host + i * SIZE, out[i], SIZE * sizeof(int), cudaMemcpyDeviceToHost, stream);
    }
}

// Each pass reads what the one before wrote, and a kernel beside them goes on.
// PLAN-LABEL: "name": "chain(int**, int*, int, CUstream_st*)", "lanes": 2,
static void chain(int **buffers, int *other, int count, cudaStream_t stream) {
    for (int i = 0; i + 1 < count; i++) {
        mix<<<1, 64, 0, stream>>>(buffers[i + 1], buffers[i]);
        fill<<<1, 64, 0, stream>>>(other, i);
    }
}

static void (*volatile run_arrays)(int **, int **, int, cudaStream_t) = arrays;
static void (*volatile run_vectors)(const std::vector<int *> &, const std::vector<int *> &, size_t,
                                    cudaStream_t) = vectors;
static void (*volatile run_tasks)(Task *, int, cudaStream_t) = tasks;
static void (*volatile run_copies)(int **, int **, int *, int, cudaStream_t) = copies;
static void (*volatile run_chain)(int **, int *, int, cudaStream_t) = chain;

static void run(int **out, int **in, cudaStream_t stream) {
    int *spare, *host;
    Task all[BUFFERS];
    cudaMallocHost(&host, BUFFERS * SIZE * sizeof(int));
    for (int i = 0; i < BUFFERS * SIZE; i++)
        host[i] = i;
    cudaMalloc(&spare, SIZE * sizeof(int));
    for (int count = 0; count <= BUFFERS; count += count < 5 ? 1 : 3) {
        run_arrays(out, in, count, stream);
        cudaStreamSynchronize(stream);
        show("arrays", out);
        run_vectors({out, out + count}, {in, in + count}, 6, stream);
        cudaStreamSynchronize(stream);
        show("vectors", out);
        for (int i = 0; i < count; i++)
            all[i] = {out[i], in[i]};
        run_tasks(all, count, stream);
        cudaStreamSynchronize(stream);
        show("tasks", out);
        run_copies(out, in, host, count, stream);
        cudaStreamSynchronize(stream);
        show("copies", out);
        std::printf("%d\n", host[count * SIZE / 2]);
        run_chain(out, spare, count, stream);
        cudaStreamSynchronize(stream);
        show("chain", out);
    }
}

// CHECK: apart
// CHECK-NOT: serially
// CHECK: together
// CHECK: the rest behind it: two pointers may share an allocation
int main() {
    int *out[BUFFERS], *in[BUFFERS];
    cudaStream_t own;
    cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
    for (int i = 0; i < BUFFERS; i++) {
        cudaMalloc(&out[i], SIZE * sizeof(int));
        cudaMalloc(&in[i], SIZE * sizeof(int));
        cudaMemset(out[i], i, SIZE * sizeof(int));
        cudaMemset(in[i], i, SIZE * sizeof(int));
    }
    std::fprintf(stderr, "apart\n");
    run(out, in, 0);
    run(out, in, own);
    std::fprintf(stderr, "together\n");
    out[5] = in[2];
    out[7] = out[3];
    run(out, in, 0);
    run(out, in, own);
}
