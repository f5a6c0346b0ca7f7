// Copies of managed memory that say it is the host's: CUDA reads it when they are called, after the work of their own
// stream, not after what that stream waits for. So the host waits for what kernels on other lanes write there; and what
// the origin of lanes waits for in the end is followed by work, for whoever comes after that.
// RUN: for level in 0 1 2 3; do \
// RUN:   %vgpu -O$level %s -o %t.serial && %vgpu-kesco -O$level -Rpass=kesco %s -o %t.kesco 2>&1 | FileCheck %s || exit 1; \
// RUN:   for mode in lanes auto turns graph; do \
// RUN:     env KESCO_MODE=$mode sh %compare 5 %t.serial %t.kesco || exit 1; \
// RUN:   done; \
// RUN: done
// CHECK-COUNT-8: run on {{[0-9]+}} lanes
#include <cstdio>
#include <cstdlib>

enum { N = 64, COUNT = 4, WIDTH = 8, HEIGHT = N / WIDTH };
constexpr size_t BYTES = N * sizeof(unsigned), ROW = WIDTH * sizeof(unsigned);

__device__ unsigned table[N];

__global__ void fill(unsigned *out, unsigned value) {
    out[threadIdx.x] = value * 7 + threadIdx.x;
}

__global__ void scale(unsigned *out, unsigned by) {
    out[threadIdx.x] = out[threadIdx.x] * by + 1;
}

__global__ void look_up(unsigned *out) {
    out[threadIdx.x] += table[threadIdx.x];
}

struct Memory {
    unsigned *managed[COUNT], *device[COUNT], *pinned;
};

struct Stage {
    virtual void run(unsigned round) = 0;
};

struct Fill : Stage {
    unsigned *managed;
    void run(unsigned round) override {
        fill<<<1, N>>>(managed, round);
    }
};

struct Upload : Stage {
    unsigned *managed, *device;
    void run(unsigned round) override {
        cudaMemcpyAsync(device, managed, BYTES, cudaMemcpyHostToDevice);
        scale<<<1, N>>>(device, round + 3);
    }
};

struct Task {
    unsigned *from, *to;
};

static unsigned digest;

static void fold(const unsigned *device) {
    unsigned host[N];
    cudaMemcpy(host, device, BYTES, cudaMemcpyDeviceToHost);
    for (unsigned value : host)
        digest = digest * 31 + value;
}

static void show(const char *name, const Memory &m) {
    cudaDeviceSynchronize();
    digest = 0;
    for (int i = 0; i < COUNT; i++) {
        fold(m.device[i]);
        fold(m.managed[i]);
    }
    printf("%s %08x\n", name, digest);
}

static Memory allocate() {
    Memory m;
    for (int i = 0; i < COUNT; i++) {
        cudaMallocManaged(&m.managed[i], BYTES);
        cudaMalloc(&m.device[i], BYTES);
        cudaMemset(m.managed[i], i, BYTES);
        cudaMemset(m.device[i], i, BYTES);
    }
    cudaMallocHost(&m.pinned, BYTES);
    for (int i = 0; i < N; i++)
        m.pinned[i] = i;
    cudaDeviceSynchronize();
    return m;
}

static void in_turns(int rounds) {
    unsigned *a, *b, *to, *beside;
    cudaMallocManaged(&a, BYTES);
    cudaMallocManaged(&b, BYTES);
    cudaMalloc(&to, 2 * BYTES);
    cudaMalloc(&beside, BYTES);
    for (int round = 0; round < rounds; round++) {
        fill<<<1, N>>>(a, round);
        fill<<<1, N>>>(b, round + 1);
        fill<<<1, N>>>(beside, round);
        cudaMemcpyAsync(to, a, BYTES, cudaMemcpyHostToDevice);
        cudaMemcpyAsync(to + N, b, BYTES, cudaMemcpyHostToDevice);
        scale<<<1, N>>>(to, 3);
        scale<<<1, N>>>(to + N, 5);
        scale<<<1, N>>>(a, 9);
    }
    cudaDeviceSynchronize();
    digest = 0;
    fold(to);
    fold(to + N);
    fold(beside);
    fold(a);
    printf("in turns %08x\n", digest);
}

static void on_a_stream(const Memory &m, cudaStream_t stream) {
    for (int i = 0; i < COUNT; i++) {
        fill<<<1, N, 0, stream>>>(m.managed[i], i + 3);
        scale<<<1, N, 0, stream>>>(m.managed[(i + 1) % COUNT], 2);
        cudaMemcpyAsync(m.device[i], m.managed[i], BYTES, cudaMemcpyHostToDevice, stream);
        scale<<<1, N, 0, stream>>>(m.device[i], i);
    }
}

static void in_rows(const Memory &m) {
    for (int i = 0; i < COUNT; i++) {
        fill<<<1, N>>>(m.managed[i], i + 5);
        fill<<<1, N>>>(m.device[i], i);
        cudaMemcpy2DAsync(m.device[i], ROW, m.managed[i], ROW, ROW / 2, HEIGHT, cudaMemcpyHostToDevice);
        scale<<<1, N>>>(m.device[i], 3);
    }
}

static void in_slices(const Memory &m) {
    cudaMemcpy3DParms asked = {};
    fill<<<1, N>>>(m.managed[0], 11);
    fill<<<1, N>>>(m.device[0], 12);
    fill<<<1, N>>>(m.device[1], 13);
    asked.srcPtr = {m.managed[0], ROW, ROW, HEIGHT / 2};
    asked.dstPtr = {m.device[0], ROW, ROW, HEIGHT / 2};
    asked.extent = {ROW / 2, HEIGHT / 2, 2};
    asked.kind = cudaMemcpyHostToDevice;
    cudaMemcpy3DAsync(&asked);
    scale<<<1, N>>>(m.device[0], 3);
}

static void to_a_symbol(const Memory &m) {
    fill<<<1, N>>>(m.managed[1], 21);
    fill<<<1, N>>>(m.device[1], 22);
    fill<<<1, N>>>(m.device[2], 23);
    cudaMemcpyToSymbolAsync(table, m.managed[1], BYTES, 0, cudaMemcpyHostToDevice);
    look_up<<<1, N>>>(m.device[2]);
    scale<<<1, N>>>(m.device[1], 2);
}

// What is written may be managed, too: it is at the call.
static void within_the_host(const Memory &m, cudaStream_t stream) {
    fill<<<1, N, 0, stream>>>(m.managed[2], 31);
    scale<<<1, N, 0, stream>>>(m.managed[3], 3);
    cudaMemcpyAsync(m.device[3], m.managed[3], BYTES, cudaMemcpyDeviceToDevice, stream);
    cudaMemcpyAsync(m.managed[3], m.pinned, BYTES / 2, cudaMemcpyHostToHost, stream);
    scale<<<1, N, 0, stream>>>(m.managed[2], 7);
    scale<<<1, N, 0, stream>>>(m.managed[3], 5);
    cudaMemcpyAsync(m.managed[3], m.managed[2], BYTES / 4, cudaMemcpyHostToHost, stream);
    scale<<<1, N, 0, stream>>>(m.managed[3], 3);
}

// Which kind it is, the run tells.
static void as_asked(const Memory &m, cudaMemcpyKind kind) {
    fill<<<1, N>>>(m.managed[0], 41);
    fill<<<1, N>>>(m.managed[1], 42);
    cudaMemcpyAsync(m.managed[1], m.managed[0], BYTES, kind);
    scale<<<1, N>>>(m.managed[1], 7);
    scale<<<1, N>>>(m.managed[0], 9);
}

// The host waits in the serial program as well: before this, and for it.
static void at_once(const Memory &m) {
    fill<<<1, N>>>(m.managed[2], 51);
    scale<<<1, N>>>(m.managed[2], 3);
    fill<<<1, N>>>(m.device[0], 52);
    cudaMemcpy(m.device[1], m.managed[2], BYTES, cudaMemcpyHostToDevice);
    scale<<<1, N>>>(m.device[0], 2);
    scale<<<1, N>>>(m.device[1], 2);
}

static void placed(Task *tasks, int count, int rounds) {
    for (int round = 0; round < rounds; round++)
        for (int k = 0; k < count; k++) {
            fill<<<1, N>>>(tasks[k].from, k + round);
            scale<<<1, N>>>(tasks[(k + 1) % count].from, 3);
            cudaMemcpyAsync(tasks[k].to, tasks[k].from, BYTES, cudaMemcpyHostToDevice);
            scale<<<1, N>>>(tasks[k].to, 3);
        }
}

// One region goes through the calls.
static void through_calls(const Memory &m, unsigned rounds) {
    Fill fills[COUNT];
    Upload uploads[COUNT];
    Stage *stages[2 * COUNT];
    for (int i = 0; i < COUNT; i++) {
        fills[i].managed = uploads[i].managed = m.managed[i];
        uploads[i].device = m.device[i];
        stages[2 * i] = &fills[i];
        stages[2 * i + 1] = &uploads[i];
    }
    for (unsigned round = 0; round < rounds; round++)
        for (Stage *stage : stages)
            stage->run(round);
}

// Functions that know nothing of lanes.
__attribute__((noinline)) static void upload(unsigned *to, const unsigned *from, cudaStream_t stream) {
    cudaMemcpyAsync(to, from, BYTES, cudaMemcpyHostToDevice, stream);
}

__attribute__((noinline)) static void compute(const Memory &m, cudaStream_t stream) {
    for (int i = 0; i < COUNT; i++) {
        fill<<<1, N, 0, stream>>>(m.device[i], i + 61);
        fill<<<1, N, 0, stream>>>(m.managed[i], i + 62);
        scale<<<1, N, 0, stream>>>(m.managed[i], 3);
    }
}

static void elsewhere(const Memory &m, cudaStream_t stream) {
    compute(m, stream);
    upload(m.device[1], m.managed[2], stream);
    compute(m, stream);
    upload(m.device[3], m.managed[3], stream);
}

// Waits that are left out or put off are waited for here.
static void with_waits(const Memory &m, int rounds) {
    for (int round = 0; round < rounds; round++) {
        fill<<<1, N>>>(m.managed[0], round + 71);
        fill<<<1, N>>>(m.device[0], round + 72);
        cudaDeviceSynchronize();
        cudaMemcpyAsync(m.device[1], m.managed[0], BYTES, cudaMemcpyHostToDevice);
        scale<<<1, N>>>(m.device[0], 3);
        cudaDeviceSynchronize();
        scale<<<1, N>>>(m.device[1], 5);
        scale<<<1, N>>>(m.managed[0], 5);
        cudaStreamSynchronize(0);
    }
}

// The graph has the copy, and the host waits for nothing.
static void captured(const Memory &m, cudaStream_t stream) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    on_a_stream(m, stream);
    if (cudaStreamEndCapture(stream, &graph) != cudaSuccess)
        abort();
    cudaGraphInstantiate(&exec, graph, 0);
    for (int round = 0; round < 2; round++)
        cudaGraphLaunch(exec, stream);
    cudaStreamSynchronize(stream);
}

// The legacy default stream, on which the copy is, comes after what the per-thread one had.
static void across_default_streams(const Memory &m) {
    for (int i = 0; i < COUNT; i++) {
        compute(m, cudaStreamPerThread);
        cudaMemcpyAsync(m.device[i], m.device[(i + 1) % COUNT], BYTES, cudaMemcpyDeviceToDevice, cudaStreamLegacy);
        scale<<<1, N, 0, cudaStreamPerThread>>>(m.device[i], 3);
    }
}

int main(int argc, char **) {
    cudaStream_t blocking, other;
    Memory m = allocate();
    Task tasks[COUNT];
    cudaStreamCreate(&blocking);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    for (int i = 0; i < COUNT; i++)
        tasks[i] = {m.managed[i], m.device[i]};
    in_turns(3 * argc);
    for (cudaStream_t stream : {cudaStream_t{}, cudaStreamPerThread, blocking, other}) {
        on_a_stream(m, stream);
        show("on a stream", m);
        within_the_host(m, stream);
        show("within the host", m);
        elsewhere(m, stream);
        show("elsewhere", m);
    }
    in_rows(m);
    show("in rows", m);
    in_slices(m);
    show("in slices", m);
    to_a_symbol(m);
    show("to a symbol", m);
    for (int kind = cudaMemcpyHostToHost; kind <= cudaMemcpyDefault; kind++) {
        as_asked(m, (cudaMemcpyKind)kind);
        show("as asked", m);
    }
    at_once(m);
    show("at once", m);
    placed(tasks, COUNT, 2 * argc);
    show("placed", m);
    through_calls(m, 5 * argc);
    show("through calls", m);
    with_waits(m, 2 * argc);
    show("with waits", m);
    captured(m, blocking);
    captured(m, other);
    show("captured", m);
    across_default_streams(m);
    show("across default streams", m);
    return cudaGetLastError();
}
