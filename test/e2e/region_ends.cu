// A region is closed before what waits or looks on the way to the program's end, in helpers that come back, too; and before a
// library function calls back into code that begins with a wait.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -O1 %s -o %t/serial
// RUN: for level in 0 2; do \
// RUN:   %vgpu-kesco -O$level %s -o %t/kesco -fplugin-arg-kesco-report=%t/$level.json -fplugin-arg-kesco-sync-elision=on || exit 1; \
// RUN:   FileCheck %s --input-file=%t/$level.json || exit 1; \
// RUN:   STATUS=7 sh %compare 6 %t/serial %t/kesco dies || exit 1; \
// RUN:   STATUS=7 sh %compare 6 %t/serial %t/kesco notes || exit 1; \
// RUN:   sh %compare 6 %t/serial %t/kesco || exit 1; \
// RUN: done

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ostream>
#include <streambuf>

enum { N = 64 };

static __global__ void set(int *out, int v) { out[threadIdx.x] = v; }
static __global__ void scale(int *a, int f) { a[threadIdx.x] *= f; }

struct Context {
    cudaStream_t stream;
    int *a, *b; // managed
};

static void dump(const Context *c) {
    cudaStreamSynchronize(c->stream);
    printf("dump %d %d\n", c->a[0], c->b[N - 1]);
}

static void die(const Context *c) {
    dump(c);
    exit(7);
}

static void note(const Context *c, bool bad) {
    if (bad)
        dump(c);
}

// CHECK: "name": "work(Context*, bool, bool)", "lanes": 2,
static void work(Context *c, bool dies, bool notes) {
    cudaStream_t stream = c->stream;
    int *a = c->a, *b = c->b;
    set<<<1, N, 0, stream>>>(a, 1);
    set<<<1, N, 0, stream>>>(b, 2);
    scale<<<1, N, 0, stream>>>(a, 3);
    scale<<<1, N, 0, stream>>>(b, 2);
    if (dies)
        die(c);
    scale<<<1, N, 0, stream>>>(b, 2);
    scale<<<1, N, 0, stream>>>(a, 5);
    note(c, notes);
    if (notes)
        exit(7);
    scale<<<1, N, 0, stream>>>(a, 2);
    scale<<<1, N, 0, stream>>>(b, 2);
    cudaStreamSynchronize(stream);
}

// Writes to the device what it is given, on a stream of its own, once it has begun.
class Log : public std::streambuf {
  public:
    cudaStream_t own;
    int *c, *d, *pinned, seen = 0;
    bool begun = false;

    std::streamsize xsputn(const char *, std::streamsize n) override {
        cudaStream_t stream = own;
        int *c = this->c, *d = this->d;
        if (begun) {
            set<<<1, N, 0, stream>>>(c, 1);
            set<<<1, N, 0, stream>>>(d, 2);
        }
        cudaStreamSynchronize(stream);
        seen += pinned[3];
        scale<<<1, N, 0, stream>>>(c, 2);
        scale<<<1, N, 0, stream>>>(d, 2);
        cudaStreamSynchronize(stream);
        return n;
    }
};

// CHECK: "name": "logged(int*, int*, CUstream_st*, std::ostream&)", "lanes": 2,
__attribute__((noinline)) static void logged(int *a, int *b, cudaStream_t stream, std::ostream &out) {
    set<<<1, N, 0, stream>>>(a, 1);
    set<<<1, N, 0, stream>>>(b, 2);
    cudaStreamSynchronize(stream);
    scale<<<1, N, 0, stream>>>(a, 2);
    scale<<<1, N, 0, stream>>>(b, 2);
    out << "xy";
    scale<<<1, N, 0, stream>>>(a, 2);
    scale<<<1, N, 0, stream>>>(b, 2);
    cudaStreamSynchronize(stream);
}

static int *allocate() {
    int *p;
    cudaMalloc(&p, N * sizeof(int));
    cudaMemset(p, 0, N * sizeof(int));
    return p;
}

int main(int argc, char **argv) {
    Context context;
    cudaMallocManaged(&context.a, N * sizeof(int));
    cudaMallocManaged(&context.b, N * sizeof(int));
    cudaStreamCreateWithFlags(&context.stream, cudaStreamNonBlocking);
    work(&context, argc > 1 && strcmp(argv[1], "dies") == 0, argc > 1 && strcmp(argv[1], "notes") == 0);
    printf("%d %d\n", context.a[0], context.b[0]);

    Log log;
    std::ostream out(&log);
    log.c = allocate();
    log.d = allocate();
    int *a = allocate(), *b = allocate(), *filled = allocate();
    cudaMallocHost(&log.pinned, N * sizeof(int));
    memset(log.pinned, 0, N * sizeof(int));
    cudaDeviceSynchronize();
    cudaStreamCreateWithFlags(&log.own, cudaStreamNonBlocking);
    for (int round = 0; round < 2; round++) {
        set<<<1, N, 0, log.own>>>(filled, 9 + round);
        cudaMemcpyAsync(log.pinned, filled, N * sizeof(int), cudaMemcpyDeviceToHost, log.own);
        logged(a, b, context.stream, out);
        log.begun = true;
    }
    int host[N];
    cudaMemcpy(host, log.c, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d %d\n", log.seen, host[0]);
    cudaMemcpy(host, b, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d\n", host[0]);
}
