#include "test/fuzz/places.h"

/* Integers of an arena, of which the first and last PAD are beyond all places; passes of a loop at most;
 * integers of a place at most; places that tables lead to. */
enum { ARENA = 4096, PAD = 256, PASSES = 40, LENGTH = 48, TABLE = 16 };

static const char definitions[] =
    "struct Pair { int n; int *out; const int *in; };\n"
    "#define EACH(i) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * "
    "blockDim.x)\n"
    "static __global__ void k_fill(int *out, int n, int v) {\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n) out[i] = v + i;\n"
    "}\n"
    "static __global__ void k_change(int *out, int n) { EACH(i) out[i] = out[i] * 31 + i; }\n"
    "static __global__ void k_take(int *out, const int *in, int n) { EACH(i) out[i] = out[i] * 7 + in[n]; }\n"
    "static __global__ void k_turn(int *out, unsigned n) {\n"
    "    for (unsigned i = threadIdx.x; i < n / 2; i += blockDim.x) {\n"
    "        int a = out[i], b = out[n - 1 - i];\n"
    "        out[i] = b * 3, out[n - 1 - i] = a + 1;\n"
    "    }\n"
    "}\n"
    "static __global__ void k_before(int *out, int n) { EACH(i) out[-1 - i] += i * 5; }\n"
    "static __global__ void k_steps(int *out, int n, int step) { EACH(i) out[(size_t)i * step] += 9; }\n"
    "static __global__ void k_rows(int *out, int width, int height, int pitch) {\n"
    "    int x = threadIdx.x, y = blockIdx.y;\n"
    "    if (x < width && y < height) out[y * pitch + x] = out[y * pitch + x] * 13 + y;\n"
    "}\n"
    "static __global__ void k_column(int *out, int first, int pitch) {\n"
    "    out[blockIdx.y * pitch + first + threadIdx.x] += first;\n"
    "}\n"
    "static __global__ void k_halves(int *out, int n) {\n"
    "    for (int s = n / 2; s > 0; s /= 2) {\n"
    "        if ((int)threadIdx.x < s) out[threadIdx.x] += out[threadIdx.x + s];\n"
    "        __syncthreads();\n"
    "    }\n"
    "}\n"
    "static __global__ void k_sums(int *out, const int *in, int n) {\n"
    "    EACH(i) { int sum = out[i]; for (int j = 0; j <= i; j++) sum = sum * 3 + in[n + j]; out[i] = sum; "
    "}\n"
    "}\n"
    "static __global__ void k_index(int *out, const int *index, int n) { EACH(i) out[index[i] & 31] = n + i; "
    "}\n"
    "static __global__ void k_pair(Pair p) { int n = p.n; EACH(i) p.out[i] = p.out[i] * 11 + p.in[n]; }\n"
    "template <int N> static __global__ void k_fixed(int *out) {\n"
    "    if (threadIdx.x < N) out[threadIdx.x] = out[threadIdx.x] * 5 + N;\n"
    "}\n"
    "static void check(cudaError_t error) {\n"
    "    if (error != cudaSuccess) { printf(\"%s\\n\", cudaGetErrorName(error)); exit(1); }\n"
    "}\n";

static const char *pick(struct generator *g, const char *const *among, unsigned count) {
    return among[random_below(&g->random, count)];
}
#define PICK(g, among) pick(g, among, sizeof(among) / sizeof *(among))

/* A number of integers, 1 to LENGTH, that may be another one in each pass. */
static const char *length(struct generator *g) {
    static const char *const among[] = {"n", "n", "n", "n - i % 3", "n / 2", "n + 3", "16", "n - (i == 5)"};

    return PICK(g, among);
}

/* Where a pass works. `loop`: the loop has a pointer of its own that walks. */
static const char *place(struct generator *g, bool walks) {
    static const char *const among[] = {
        "a + i * step",
        "a + (size_t)i * step",
        "&a[i * step]",
        "a + offsets[i]",
        "b + offsets[abs(count - 1 - i)]",
        "b + i * step",
        "b + (i % 5 == 4 ? i - 1 : i) * step",
        "table[i % 16]",
        "table[(i * 7 + 3) % 16]",
        "a + offsets[i ^ 1]",
        "all.out[i % 16]",
        "a",
        "b + step",
        "a + i % 8 * 5", /* columns of rows of 40 */
    };

    return walks && random_percent(&g->random, 35) ? "walk" : PICK(g, among);
}

/* Integers from a row to the next, at least 5, the width of one. */
static const char *pitch(struct generator *g) {
    static const char *const among[] = {"40", "40", "12", "5", "20 + n", "40 + i % 2"};

    return PICK(g, among);
}

/* The kernel's threads are fewer or more than what they work on. */
static const char *shape(struct generator *g) {
    static const char *const among[] = {"1, 64", "2, 32", "1, 32", "3, 16", "dim3(2), dim3(24)"};

    return PICK(g, among);
}

/* Kernels that write and read one place that is shared by two of their arguments take only what no thread of
 * theirs writes, so that one launch has no race of its own: `in` is 64 integers and more behind. */
static void write_op(struct generator *g, bool walks) {
    struct writer *writer = &g->writer;
    const char *out = place(g, walks), *in = place(g, walks), *n = length(g), *threads = shape(g);
    const bool kept = writer_begin(writer);

    switch (random_below(&g->random, 17)) {
    case 15:
        writer_line(writer, "k_rows<<<dim3(1, 4), 16, 0, s>>>(a + i %% 8 * 5, 5, 4, %s);", pitch(g));
        break;
    case 16:
        writer_line(writer, "k_column<<<dim3(1, 4), 5, 0, s>>>(%s, i %% 8 * 5, %s);", out, pitch(g));
        break;
    case 0:
    case 1:
        writer_line(writer, "k_fill<<<%s, 0, s>>>(%s, %s, i + %u);", threads, out, n,
                    random_below(&g->random, 99));
        break;
    case 2:
    case 3:
    case 4:
        writer_line(writer, "k_change<<<%s, 0, s>>>(%s, %s);", threads, out, n);
        break;
    case 5:
        writer_line(writer, "k_take<<<%s, 0, s>>>(%s, far(%s, %s), %s);", threads, out, out, in, n);
        break;
    case 6:
        writer_line(writer, "k_turn<<<1, 32, 0, s>>>(%s, %s);", out, n);
        break;
    case 7:
        writer_line(writer, "k_before<<<%s, 0, s>>>(%s, %s);", threads, out, n);
        break;
    case 8:
        writer_line(writer, "k_steps<<<%s, 0, s>>>(%s, %s, 1 + i %% 3);", threads, out, n);
        break;
    case 9:
        writer_line(writer, "k_rows<<<dim3(1, 4), 16, 0, s>>>(%s, 5, 1 + i %% 4, %s);", out, pitch(g));
        break;
    case 10:
        writer_line(writer, "k_halves<<<1, 32, 0, s>>>(%s, 32);", out);
        break;
    case 11:
        writer_line(writer, "k_sums<<<%s, 0, s>>>(%s, far(%s, %s), %s);", threads, out, out, in, n);
        break;
    case 12:
        writer_line(writer, "k_index<<<1, 1, 0, s>>>(%s, far(%s, %s), 4);", out, out, in);
        break;
    case 13:
        writer_line(writer, "k_pair<<<%s, 0, s>>>(Pair{%s, %s, far(%s, %s)});", threads, n, out, out, in);
        break;
    default:
        writer_line(writer, "k_fixed<%u><<<1, 64, 0, s>>>(%s);", 8 + random_below(&g->random, 40), out);
    }
    writer_end(writer, kept);
}

static void write_other(struct generator *g, bool walks) {
    struct writer *writer = &g->writer;
    const char *out = place(g, walks), *in = place(g, walks);
    const bool kept = writer_begin(writer);

    switch (random_below(&g->random, 8)) {
    case 7:
        writer_line(writer, "check(cudaMemset2DAsync(%s, 160, i, 20, 4, s));", out);
        break;
    case 0:
        writer_line(writer, "check(cudaMemsetAsync(%s, i, n * sizeof(int), s));", out);
        break;
    case 1:
        writer_line(writer,
                    "check(cudaMemcpyAsync(%s, far(%s, %s), n * sizeof(int), cudaMemcpyDeviceToDevice, s));",
                    out, out, in);
        break;
    case 2:
        writer_line(writer,
                    "check(cudaMemcpyAsync(%s, offsets, 16 * sizeof(int), cudaMemcpyHostToDevice, s));", out);
        break;
    case 3:
        writer_line(writer, "if (i == %u) continue;", random_below(&g->random, PASSES));
        break;
    case 4:
        writer_line(writer, "if (i == %u + n / 4) break;", random_below(&g->random, PASSES));
        break;
    case 5:
        writer_line(writer, "check(cudaGetLastError());");
        break;
    default:
        writer_line(writer, "sum = sum * 3 + i;");
    }
    writer_end(writer, kept);
}

static void write_wait_of_pass(struct generator *g) {
    static const char *const waits[] = {
        "check(cudaDeviceSynchronize());",
        "check(cudaStreamSynchronize(s));",
        "cudaDeviceSynchronize();",
        "if (i == 9) check(cudaDeviceSynchronize());",
    };
    const bool kept = writer_begin(&g->writer);

    writer_line(&g->writer, "%s", PICK(g, waits));
    writer_end(&g->writer, kept);
}

static void write_loop(struct generator *g, const char *passes, bool helper) {
    static const char *const heads[] = {
        "for (int i = 0; i < %s; i++) {",
        "for (int i = %s - 1; i >= 0; i--) {",
        "for (int i = 0; i < %s; i += 2) {",
    };
    struct writer *writer = &g->writer;
    const bool kept = writer_begin(writer), walks = random_percent(&g->random, 30);
    const unsigned ops = 1 + random_below(&g->random, 3);

    if (walks)
        writer_line(writer, "walk = %s;", random_percent(&g->random, 50) ? "a" : "b + step");
    writer_line(writer, PICK(g, heads), passes);
    for (unsigned i = 0; i < ops; i++) {
        if (random_percent(&g->random, 20))
            write_other(g, walks);
        if (helper && random_percent(&g->random, 25))
            writer_line(writer, "help(%s, n, i, s);", place(g, walks));
        else
            write_op(g, walks);
    }
    if (random_percent(&g->random, 25))
        write_wait_of_pass(g);
    if (walks)
        writer_line(writer, "walk += step;");
    writer_line(writer, "}");
    writer_end(writer, kept);
}

static void write_function(struct generator *g, unsigned number) {
    static const char *const passes[] = {"count", "count", "count", "count / 2", "20", "count - 1"};
    struct writer *writer = &g->writer;
    const unsigned loops = 1 + random_below(&g->random, 3);
    const bool around = random_percent(&g->random, 30);

    writer_line(
        writer,
        "static int loops_%u(int *a, int *b, const int *offsets, int *const *table, const Places &all, "
        "int count, int n, int step, cudaStream_t s) {",
        number);
    writer_line(writer, "int sum = 0;");
    writer_line(writer, "int *walk = a;");
    if (around)
        writer_line(writer, "for (int round = 0; round < %s; round++) {",
                    random_percent(&g->random, 50) ? "3" : "count % 4");
    for (unsigned i = 0; i < loops; i++) {
        if (random_percent(&g->random, 30)) {
            const bool kept = writer_begin(writer);
            writer_line(writer, "k_change<<<1, 64, 0, s>>>(%s, n);",
                        random_percent(&g->random, 50) ? "a" : "b");
            writer_end(writer, kept);
        }
        write_loop(g, PICK(g, passes), number > 0);
    }
    if (around)
        writer_line(writer, "}");
    writer_line(writer, "return sum + (walk != a);");
    writer_line(writer, "}");
}

/* Calls a function with places, distances and streams that it knows nothing of. */
static void write_call(struct generator *g, unsigned number) {
    static const char *const seconds[] = {"other", "other", "arena", "arena + 700", "arena + 20", "managed"};
    static const char *const steps[] = {"n", "n", "64", "n - 1", "n + 5", "0", "60", "7"};
    static const char *const streams[] = {"0", "0", "blocking", "own", "cudaStreamPerThread"};
    struct writer *writer = &g->writer;
    const bool kept = writer_begin(writer);

    writer_line(writer, "n = %u;", 20 + random_below(&g->random, LENGTH - 20 - 3));
    writer_line(writer, "sum += run[%u](%s + %u, %s + %u, offsets, table, all, %u, n, %s, %s);", number,
                random_percent(&g->random, 85) ? "arena" : "managed", PAD, PICK(g, seconds), PAD,
                random_percent(&g->random, 20) ? random_below(&g->random, 2)
                                               : 2 + random_below(&g->random, PASSES - 2),
                PICK(g, steps), PICK(g, streams));
    writer_line(writer, "show(arena), show(other), show(managed);");
    writer_end(writer, kept);
}

static void write_main(struct generator *g, unsigned functions) {
    struct writer *writer = &g->writer;

    writer_line(writer, "static decltype(&loops_0) volatile run[] = {");
    for (unsigned i = 0; i < functions; i++)
        writer_line(writer, "loops_%u,", i);
    writer_line(writer, "};");
    writer_line(writer, "int main() {");
    writer_line(writer, "static int offsets[%d];", PASSES + 2);
    writer_line(writer, "static int *table[%d];", TABLE);
    writer_line(writer, "Places all;");
    writer_line(writer, "int n, sum = 0;");
    writer_line(writer, "cudaStream_t blocking, own;");
    writer_line(writer, "check(cudaStreamCreate(&blocking));");
    writer_line(writer, "check(cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking));");
    writer_line(writer, "check(cudaMalloc(&arena, %d * sizeof(int)));", ARENA);
    writer_line(writer, "check(cudaMalloc(&other, %d * sizeof(int)));", ARENA);
    writer_line(writer, "check(cudaMallocManaged(&managed, %d * sizeof(int)));", ARENA);
    writer_line(writer,
                "for (int *each : {arena, other, managed}) check(cudaMemset(each, 3, %d * sizeof(int)));",
                ARENA);
    writer_line(writer, "for (int i = 0; i < %d; i++) offsets[i] = i * %u %% 2500;", PASSES + 2,
                16 + random_below(&g->random, 900));
    writer_line(writer,
                "for (int i = 0; i < %d; i++) table[i] = (i %% 3 ? arena : other) + %d + i * %u %% 2000;",
                TABLE, PAD, 20 + random_below(&g->random, 300));
    writer_line(writer, "for (int i = 0; i < %d; i++) all.out.push_back(table[%d - 1 - i]);", TABLE, TABLE);
    writer_line(writer, "check(cudaDeviceSynchronize());");
    for (unsigned i = 0; i < functions * 3; i++)
        write_call(g, random_below(&g->random, functions));
    writer_line(writer, "printf(\"%%d\\n\", sum);");
    writer_line(writer, "return 0;");
    writer_line(writer, "}");
}

void write_places(struct generator *g, unsigned functions) {
    struct writer *writer = &g->writer;

    writer_line(writer, "// flags: -std=c++17");
    writer_line(writer, "#include <cstdio>\n#include <cstdlib>\n#include <vector>");
    writer_line(writer, "static int *arena, *other, *managed;");
    writer_line(writer, "struct Places { std::vector<int *> out; };");
    fputs(definitions, writer->out);
    fprintf(writer->out,
            "/* `in`, or, if that is near, another place in the first arena. */\n"
            "static const int *far(const int *out, const int *in) {\n"
            "    return in - out > 300 || out - in > 300 ? in : out >= arena && out < arena + %d ? other + "
            "500 : arena + 500;\n"
            "}\n"
            "static void help(int *p, int n, int i, cudaStream_t s) { k_fill<<<1, 64, 0, s>>>(p, n, i); }\n"
            "static void show(const int *from) {\n"
            "    static int host[%d];\n"
            "    unsigned sum = 0;\n"
            "    check(cudaDeviceSynchronize());\n"
            "    check(cudaMemcpy(host, from, sizeof host, cudaMemcpyDeviceToHost));\n"
            "    for (int each : host) sum = sum * 31 + each;\n"
            "    printf(\"%%u\\n\", sum);\n"
            "}\n",
            ARENA, ARENA);
    for (unsigned i = 0; i < functions; i++)
        write_function(g, i);
    write_main(g, functions);
}
