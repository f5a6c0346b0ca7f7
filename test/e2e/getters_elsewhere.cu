// Buffers of a class whose members are defined in another source file, as programs of several files have them: launches take
// their arguments from calls of these. Launches overlap where no byte is in common, in helpers and in main, beside launches that
// have lanes of their own, with destructors to run and where members may throw; and a member that launches, or waits, is called
// as it stands in the program. Either file may be compiled without KeSCo.
// RUN: for o in 0 2; do \
// RUN:   %vgpu -O$o %s -DMEMBERS -c -o %t.members.serial.o && %vgpu -O$o %s -c -o %t.main.serial.o && \
// RUN:   %vgpu-kesco -O$o %s -DMEMBERS -c -o %t.members.o && %vgpu-kesco -O$o %s -c -o %t.main.o && \
// RUN:   %vgpu %t.main.serial.o %t.members.serial.o -o %t.serial && %vgpu %t.main.o %t.members.o -o %t.both && \
// RUN:   %vgpu %t.main.serial.o %t.members.o -o %t.callees && %vgpu %t.main.o %t.members.serial.o -o %t.callers || exit 1; \
// RUN:   sh %compare 8 %t.serial %t.both && sh %compare 2 %t.serial %t.callees && sh %compare 2 %t.serial %t.callers || exit 1; \
// RUN:   for mode in auto turns graph; do KESCO_MODE=$mode sh %compare 3 %t.serial %t.both || exit 1; done; \
// RUN:   for what in steps main; do \
// RUN:     env VGPU_STATS=%t.json %t.both $what >/dev/null && FileCheck %s --input-file=%t.json || exit 1; \
// RUN:   done; \
// RUN: done
// CHECK: "launches": 40,
// CHECK: "ordered_chain": 20,

#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <vector>

enum { SIZE = 256 };

struct Buffer {
    explicit Buffer(float value);
    ~Buffer();
    float *data();
    int size() const;
    float *refilled(float value); // launches
    float *awaited();             // waits
    float *checked(bool bad);     // may throw
    float *device;
};

struct Logged {
    explicit Logged(const char *what);
    ~Logged();
};

struct Source {
    virtual ~Source();
    virtual float *get() = 0;
};
Source *make(Buffer &of);

extern int logged;

#ifdef MEMBERS

int logged;

__global__ void fill(float *data, float value) { data[threadIdx.x] = value + threadIdx.x; }

Buffer::Buffer(float value) {
    cudaMalloc(&device, SIZE * sizeof *device);
    std::vector<float> values(SIZE, value);
    cudaMemcpy(device, values.data(), SIZE * sizeof *device, cudaMemcpyHostToDevice);
}
Buffer::~Buffer() { cudaFree(device); }
float *Buffer::data() { return device; }
int Buffer::size() const { return SIZE; }
float *Buffer::refilled(float value) {
    fill<<<1, SIZE>>>(device, value);
    return device;
}
float *Buffer::awaited() {
    cudaDeviceSynchronize();
    return device;
}
float *Buffer::checked(bool bad) {
    if (bad)
        throw std::runtime_error("bad");
    return device;
}

Logged::Logged(const char *what) { logged += what[0]; }
Logged::~Logged() { logged *= 3; }

Source::~Source() {}
struct Of : Source {
    explicit Of(Buffer &buffer) : buffer(buffer) {}
    float *get() override { return buffer.device; }
    Buffer &buffer;
};
Source *make(Buffer &of) { return new Of(of); }

#else

__global__ void scale(float *data, int n, float by) {
    if (threadIdx.x < n)
        data[threadIdx.x] = data[threadIdx.x] * by + threadIdx.x;
}

__global__ void add(float *to, const float *from, int n) {
    if (threadIdx.x < n)
        to[threadIdx.x] = to[threadIdx.x] * 0.5f + from[threadIdx.x];
}

static void step(Buffer &a, Buffer &b) {
    scale<<<1, SIZE>>>(a.data(), a.size(), 0.5f);
    scale<<<1, SIZE>>>(b.data(), b.size(), 0.25f);
}

static void withDestructors(Buffer &a, Buffer &b, bool which) {
    Logged log("destructors");
    add<<<1, SIZE>>>(a.data(), b.data(), a.size());
    Logged again(which ? "a" : "b");
    add<<<1, SIZE>>>(which ? b.data() : b.awaited(), a.refilled(which), b.size());
}

static int throwing(Buffer &a, Buffer &b, bool bad) {
    try {
        Logged log("throwing");
        scale<<<1, SIZE>>>(a.data(), a.size(), 0.75f);
        scale<<<1, SIZE>>>(b.checked(bad), b.size(), 0.75f);
        return 0;
    } catch (const std::exception &) {
        return 1;
    }
}

static bool leavesEarly(Buffer &a, Buffer &b, int i) {
    if (i % 3 == 0)
        return false;
    scale<<<1, SIZE>>>(a.data(), a.size(), 1.5f);
    if (i % 3 == 1)
        return true;
    scale<<<1, SIZE>>>(b.data(), b.size(), 1.25f);
    return true;
}

// The three in the middle have lanes of their own.
static void mixed(Buffer &a, Buffer &b, float *p, float *q) {
    scale<<<1, SIZE>>>(a.data(), a.size(), 0.5f);
    scale<<<1, SIZE>>>(p, SIZE, 0.5f);
    scale<<<1, SIZE>>>(q, SIZE, 0.5f);
    add<<<1, SIZE>>>(p, q, SIZE);
    scale<<<1, SIZE>>>(b.data(), b.size(), 0.5f);
    add<<<1, SIZE>>>(b.data(), p, SIZE);
}

static void show(Buffer &buffer) {
    float sum = 0, values[SIZE];
    cudaMemcpy(values, buffer.data(), sizeof values, cudaMemcpyDeviceToHost);
    for (float value : values)
        sum += value;
    printf("%a\n", sum);
}

int main(int argc, char **argv) {
    Buffer a(1), b(2), c(3), d(4);
    const bool all = argc == 1;
    int thrown = 0;

    for (int i = 0; i < 10 && (all || strcmp(argv[1], "steps") == 0); i++) {
        step(a, b);
        step(c, a);
    }
    for (int i = 0; i < 20 && (all || strcmp(argv[1], "main") == 0); i++) {
        scale<<<1, SIZE>>>(c.data(), c.size(), 0.5f);
        scale<<<1, SIZE>>>(d.data(), d.size(), 0.5f);
    }
    Source *source = make(d);
    for (int i = 0; i < 6 && all; i++) {
        withDestructors(a, b, i % 2);
        thrown += throwing(c, d, i % 3 == 2);
        thrown += leavesEarly(a, c, i) + leavesEarly(d, b, i + 1);
        scale<<<1, SIZE>>>(source->get(), SIZE, 0.5f);
        mixed(a, b, c.device, d.device);
        mixed(c, b, a.device, d.device);
    }
    delete source;
    for (Buffer *each : {&a, &b, &c, &d})
        show(*each);
    printf("%d %d %s\n", logged, thrown, cudaGetErrorName(cudaGetLastError()));
    return 0;
}

#endif
