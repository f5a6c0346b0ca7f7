/* Writes a program of classes: a header for all, a file for each unit, and how they are built. */
#include "test/fuzz/classes.h"

static const char *const includes[] = {
    "#include <algorithm>", "#include <chrono>",    "#include <cstdio>",   "#include <cstdlib>",
    "#include <cstring>",   "#include <ctime>",     "#include <iostream>", "#include <memory>",
    "#include <sstream>",   "#include <stdexcept>", "#include <string>",   "#include <vector>",
};

static const char *const definitions[] = {
    "#define N 32",
    "#define BYTES (N * sizeof(Real))",
    "#define FAR (1l << 40)",
    "#define EACH(i) if (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N)",
    "#define CHECK_EXIT(call, status) do { cudaError_t error_ = (call); if (error_ != cudaSuccess) { \\",
    "    fprintf(stderr, \"%s:%d: %s\\n\", __FILE__, __LINE__, cudaGetErrorString(error_)); exit(status); } "
    "} while (0)",
    "#define CHECK_THROW(call) do { cudaError_t error_ = (call); if (error_ != cudaSuccess) throw "
    "Failure(error_); } "
    "while (0)",
    "struct Failure : std::runtime_error {",
    "    cudaError_t error;",
    "    explicit Failure(cudaError_t e) : std::runtime_error(cudaGetErrorString(e)), error(e) {}",
    "};",
    "struct Skip { unsigned by; };",
    "struct View { Real *out; const Real *in; unsigned v; };",
    "extern unsigned one;",
    "extern bool verbose;",
    "Real *grab(unsigned kind, size_t bytes);",
    "void note(unsigned v);",
    "long inspect(const Real *p, unsigned at);",
    "inline bool is_bad(cudaError_t told) { return told != cudaSuccess; }",
    "inline bool is_bad(int told) { return told != 0; }",
    "inline bool is_bad(bool told) { return !told; }",
    "inline void require(cudaError_t error, const char *what) {",
    "    if (error != cudaSuccess) {",
    "        fprintf(stderr, \"%s: %s\\n\", what, cudaGetErrorString(error));",
    "        exit(7);",
    "    }",
    "}",
    "inline void throw_if(cudaError_t error, const std::string &what) {",
    "    if (error != cudaSuccess) {",
    "        std::cerr << what << std::endl;",
    "        throw Failure(error);",
    "    }",
    "}",
    "inline Real *allocate(unsigned kind, size_t bytes) {",
    "    Real *p = nullptr;",
    "    if (kind == 0) CHECK_THROW(cudaMalloc((void **)&p, bytes));",
    "    else if (kind == 1) CHECK_THROW(cudaMallocManaged((void **)&p, bytes));",
    "    else CHECK_THROW(cudaHostAlloc((void **)&p, bytes, cudaHostAllocMapped));",
    "    return p;",
    "}",
    "inline void release(unsigned kind, Real *p) {",
    "    if (kind == 2) cudaFreeHost(p);",
    "    else cudaFree(p);",
    "}",
    "struct Release {",
    "    unsigned kind = 0;",
    "    void operator()(Real *p) const { release(kind, p); }",
    "};",
    "using Owned = std::unique_ptr<Real, Release>;",
    "class Buffer {",
    "    Real *p_ = nullptr;",
    "    unsigned kind_ = 0;",
    "  public:",
    "    Buffer() = default;",
    "    Buffer(const Buffer &) = delete;",
    "    ~Buffer() { release(kind_, p_); }",
    "    void allocate(unsigned kind) { kind_ = kind, p_ = ::allocate(kind, BYTES); }",
    "    Real *data() const { return p_; }",
    "};",
    "struct Unified {",
    "    static void *operator new(size_t n) { void *p = nullptr; cudaMallocManaged(&p, n); return p; }",
    "    static void operator delete(void *p) { cudaFree(p); }",
    "};",
    "__host__ __device__ inline Real fold(unsigned v) { return (Real)(v % 4093); }",
};

static const char *const kernels[] = {
    "static __global__ void k_fill(Real *a, unsigned v) { EACH(i) a[i] = fold(v + i); }",
    "static __global__ void k_scale(Real *a, unsigned v) { EACH(i) a[i] = fold((unsigned)a[i] * 3 + v); }",
    "static __global__ void k_add(Real *out, const Real *a, const Real *b) {",
    "    EACH(i) out[i] = fold((unsigned)a[i] + (unsigned)b[i] * 5);",
    "}",
    "static __global__ void k_shift(Real *out, const Real *in, unsigned by) { EACH(i) out[i] = in[(i + by) % "
    "N]; }",
    "static __global__ void k_view(View view) { EACH(i) view.out[i] = fold((unsigned)view.in[i] * 7 + "
    "view.v); }",
    "static __global__ void k_sum(Real *out, const Real *in) {",
    "    EACH(i) if (i == 0) {",
    "        unsigned sum = 0;",
    "        for (int j = 0; j < N; ++j) sum = sum * 3 + (unsigned)in[j];",
    "        out[0] = fold(sum);",
    "    }",
    "}",
    "static __global__ void k_mix(Real *a, const Real *b, unsigned v) {",
    "    EACH(i) a[i] = fold((unsigned)a[i] * 3 + (unsigned)b[N - 1 - i] + v);",
    "}",
    "static __global__ void k_wild(Real *a, long far) { EACH(i) a[i + far] = fold((unsigned)a[i + far] + 1); "
    "}",
    "static __global__ void k_tally(unsigned *count) { EACH(i) if (i == 0) *count += 1; }",
};

static const char *const helpers[] = {
    "Real *grab(unsigned kind, size_t bytes) { return allocate(kind, bytes); }",
    "static unsigned noted;",
    "void note(unsigned v) { noted = noted * 3 + v; }",
    "long inspect(const Real *p, unsigned at) { return (long)p[at % N]; }",
};

static const char *const members[] = {
    "virtual ~Bench() {}",
    "bool failed() const { return err_ != cudaSuccess; }",
    "std::string log() const { return log_.str(); }",
    "unsigned rounds() const { return rounds_ + failures_; }",
    "size_t known() const { return history_.size(); }",
};

static const char *const variables[] = {
    "cudaError_t err_ = cudaSuccess;", "unsigned failures_ = 0, rounds_ = 0, n_ = 2;",
    "unsigned long sum_ = 0;",         "double elapsed_ = 0;",
    "cudaStream_t stream_ = nullptr;", "dim3 grid_ = dim3(2), block_ = dim3(N / 2);",
    "std::string name_ = \"bench\";",  "std::vector<long> history_;",
    "std::ostringstream log_;",        "std::vector<Real *> all_;",
    "Real *slots_[5] = {};",           "Real found_[N] = {};",
};

static const char *const heads[METHODS] = {"alloc()", "init()", "execute(unsigned round)", "check()",
                                           "get()"};

static const char *type_of(const struct classes *program, enum method method) {
    return method == METHOD_GET ? "unsigned long" : result_type(program->result);
}

static void write_lines(struct generator *g, const char *const *lines, size_t count) {
    for (size_t i = 0; i < count; i++)
        fprintf(g->writer.out, "%s\n", lines[i]);
}

/* What a member with an error returns; none returns one where they return nothing. */
static void write_check_return(struct generator *g, enum class_result result) {
    static const char *const returns[] = {"", "error_", "(number)", "false"};

    fprintf(g->writer.out,
            "#define CHECK_RETURN(call, number) do { cudaError_t error_ = (call); if (error_ != cudaSuccess) "
            "return %s; } while (0)\n",
            returns[result]);
}

static void write_base(struct generator *g, const struct classes *program) {
    writer_line(&g->writer, "class Bench {");
    writer_line(&g->writer, "public:");
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        writer_line(&g->writer, "%s", members[i]);
    for (unsigned i = 0; i < METHODS; i++)
        writer_line(&g->writer, "virtual %s %s = 0;", type_of(program, i), heads[i]);
    writer_line(&g->writer, "protected:");
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        writer_line(&g->writer, "%s", variables[i]);
    writer_line(&g->writer, "};");
}

static void write_class_variables(struct generator *g, const struct class_model *model) {
    for (unsigned i = 0; i < model->buffer_count; i++) {
        if (model->buffers[i].hold == HOLD_POINTER)
            writer_line(&g->writer, "Real *b%u_ = nullptr;", i);
        else if (model->buffers[i].hold == HOLD_WRAPPER)
            writer_line(&g->writer, "Buffer b%u_;", i);
        else if (model->buffers[i].hold == HOLD_UNIQUE)
            writer_line(&g->writer, "Owned b%u_;", i);
        if (model->buffers[i].viewed)
            writer_line(&g->writer, "Real *view%u_ = nullptr;", i);
        if (model->buffers[i].middle)
            writer_line(&g->writer, "Real *middle%u_ = nullptr;", i);
    }
    if (model->managed)
        writer_line(&g->writer, "unsigned tally_ = 0;");
}

/* An object's memory goes with it. Its members that have memory of their own let it go. */
static void write_destructor(struct generator *g, const struct class_model *model, unsigned index) {
    writer_line(&g->writer, "~Class_%u() override {", index);
    for (unsigned i = 0; i < model->buffer_count; i++) {
        const struct class_buffer *buffer = &model->buffers[i];
        const char *name = buffer_of_class(g, model, i);
        if (buffer->hold == HOLD_WRAPPER || buffer->hold == HOLD_UNIQUE || buffer->inside)
            continue;
        if (buffer->hold == HOLD_VECTOR)
            writer_line(&g->writer, "if (!all_.empty()) release(%u, %s);", buffer->memory, name);
        else
            writer_line(&g->writer, "release(%u, %s);", buffer->memory, name);
    }
    if (model->stream != CLASS_DEFAULT)
        writer_line(&g->writer, "if (stream_ != nullptr) cudaStreamDestroy(stream_);");
    writer_line(&g->writer, "}");
}

static bool has_method(const struct class_model *model, enum method method) {
    return !model->child || method == METHOD_EXECUTE || method == METHOD_CHECK;
}

static void write_class(struct generator *g, const struct classes *program, unsigned index) {
    const struct class_model *model = &program->classes[index];
    struct writer *writer = &g->writer;

    if (model->child)
        writer_line(writer, "class Class_%u : public Class_%u {", index, index - 1);
    else
        writer_line(writer, "class Class_%u : public Bench%s {", index,
                    model->managed ? ", public Unified" : "");
    writer_line(writer, "public:");
    for (unsigned i = 0; i < METHODS; i++)
        if (has_method(model, i))
            writer_line(writer, "%s %s override;", type_of(program, i), heads[i]);
    if (!model->child) {
        struct method_text sync = {
            .g = g, .program = program, .model = model, .index = index, .result = program->result};
        write_destructor(g, model, index);
        writer_line(writer, "protected:");
        write_class_variables(g, model);
        writer_line(writer, "Real *at(unsigned j) {");
        for (unsigned i = 1; i < model->buffer_count; i++)
            writer_line(writer, "if (j == %u) return %s;", i, buffer_of_class(g, model, i));
        writer_line(writer, "return %s;", buffer_of_class(g, model, 0));
        writer_line(writer, "}");
        write_sync(&sync);
    }
    writer_line(writer, "};");
    writer_line(writer, "Bench *make_%u();", index);
}

static void write_header(struct generator *g, const void *data) {
    const struct classes *program = data;

    write_lines(g, includes, sizeof includes / sizeof *includes);
    fprintf(g->writer.out, "typedef %s Real;\n", program->element);
    write_lines(g, definitions, sizeof definitions / sizeof *definitions);
    write_check_return(g, program->result);
    write_lines(g, kernels, sizeof kernels / sizeof *kernels);
    write_base(g, program);
    for (unsigned i = 0; i < program->class_count; i++)
        write_class(g, program, i);
}

/* One call of main's, and what main does where it tells of an error. */
static void write_call(struct generator *g, const struct classes *program, unsigned object,
                       enum method method, const char *round) {
    static const char *const names[] = {"alloc", "init", "execute", "check", "get"};
    struct writer *writer = &g->writer;
    const char *call = writer_text(writer, "o%u->%s(%s)", object, names[method], round);
    bool kept = writer_begin(writer);

    if (method == METHOD_GET)
        writer_line(writer, "fprintf(%s, \"%%lu\\n\", %s);", program->fails ? "stderr" : "stdout", call);
    else if (program->result != RESULT_VOID && (program->fails || random_percent(&g->random, 92)))
        writer_line(writer, "if (auto told = %s; is_bad(told)) return end(\"%s\", (int)told);", call,
                    names[method]);
    else
        writer_line(writer, "%s;", call);
    if (random_percent(&g->random, 40))
        writer_line(writer, "if (o%u->failed()) return end(\"%s: stored\", 0);", object, names[method]);
    writer_end(writer, kept);
}

static void write_object(struct generator *g, const struct classes *program, unsigned index) {
    const struct class_model *model = &program->classes[index];

    if (model->object == OBJECT_LOCAL && !model->managed) {
        writer_line(&g->writer, "Class_%u object%u;", index, index);
        writer_line(&g->writer, "Bench *o%u = &object%u;", index, index);
    } else if (model->object == OBJECT_NEW && !model->managed) {
        writer_line(&g->writer, "%s *o%u = new Class_%u;",
                    random_percent(&g->random, 50) ? "Bench" : writer_text(&g->writer, "Class_%u", index),
                    index, index);
    } else {
        writer_line(&g->writer, "std::unique_ptr<Bench> o%u(make_%u());", index, index);
    }
}

static void write_rounds(struct generator *g, const struct classes *program, unsigned object) {
    if (random_percent(&g->random, 60)) {
        writer_line(&g->writer, "for (unsigned round = 0; round < %u * one; ++round) {", program->rounds);
        write_call(g, program, object, METHOD_EXECUTE, "round");
        writer_line(&g->writer, "}");
        return;
    }
    for (unsigned i = 0; i < program->rounds; i++)
        write_call(g, program, object, METHOD_EXECUTE, writer_text(&g->writer, "%u", i));
}

/* All members of all objects, in order, those of one between those of the other. */
static void write_calls(struct generator *g, const struct classes *program) {
    unsigned next[MOST_CLASSES] = {0}, left = program->class_count * METHODS;

    while (left > 0) {
        unsigned object = random_below(&g->random, program->class_count);
        if (next[object] == METHODS)
            continue;
        if (next[object] == METHOD_EXECUTE)
            write_rounds(g, program, object);
        else
            write_call(g, program, object, next[object], "");
        next[object]++;
        left--;
    }
}

static void write_main(struct generator *g, const struct classes *program) {
    struct writer *writer = &g->writer;
    const char *output = program->fails ? "stderr" : "stdout";

    writer_line(writer, "unsigned one = 1;");
    writer_line(writer, "bool verbose = true;");
    writer_line(writer, "static int end(const char *where, int told) {");
    writer_line(writer,
                "printf(\"failed: %%s %%d %%s\\n\", where, told, cudaGetErrorName(cudaGetLastError()));");
    writer_line(writer, "return 10;");
    writer_line(writer, "}");
    writer_line(writer, "static int run() {");
    for (unsigned i = 0; i < program->class_count; i++)
        write_object(g, program, i);
    write_calls(g, program);
    for (unsigned i = 0; i < program->class_count; i++)
        writer_line(writer,
                    "fprintf(%s, \"%%u %%zu %%s\\n\", o%u->rounds(), o%u->known(), o%u->log().c_str());",
                    output, i, i, i);
    writer_line(writer, "cudaDeviceSynchronize();");
    writer_line(writer, "printf(\"%%s\\n\", cudaGetErrorName(cudaGetLastError()));");
    writer_line(writer, "return 0;");
    writer_line(writer, "}");
    writer_line(writer, "int main() {");
    writer_line(writer, "try {");
    writer_line(writer, "return run();");
    writer_line(writer, "}");
    writer_line(writer, "catch (const Failure &failure) {");
    writer_line(writer, "printf(\"thrown: %%s\\n\", cudaGetErrorName(failure.error));");
    writer_line(writer, "return 11;");
    writer_line(writer, "}");
    writer_line(writer, "}");
}

static void write_unit(struct generator *g, const void *data, unsigned unit) {
    const struct classes *program = data;

    fputs("#include \"classes.h\"\n\n", g->writer.out);
    for (unsigned i = 0; i < program->class_count; i++) {
        if (program->classes[i].unit != unit)
            continue;
        for (unsigned method = 0; method < METHODS; method++) {
            struct method_text text = {
                .g = g, .program = program, .model = &program->classes[i], .index = i, .method = method};
            if (has_method(text.model, method))
                write_method(&text);
        }
        writer_line(&g->writer, "Bench *make_%u() { return new Class_%u; }", i, i);
    }
    if (unit + 1 == program->build.unit_count)
        write_lines(g, helpers, sizeof helpers / sizeof *helpers);
    if (unit == 0)
        write_main(g, program);
}

static const struct program_parts parts = {
    .header = "classes.h", .write_header = write_header, .write_unit = write_unit};

bool write_classes(struct generator *g, const struct classes *program, const char *folder) {
    return write_program_files(g, &parts, program, &program->build, folder);
}
