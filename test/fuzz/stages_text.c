/* Writes a program of stages: a header for all, a file for each unit, and how they are built. */
#include "test/fuzz/stages_text.h"

#include <string.h>

static const char *const buffer_names[ALL_BUFFERS] = {"d0", "d1", "d2", "m0", "m1", "e0", "e1", "e2"};
static const char *const parameter_names[] = {"x", "y", "z", "e0", "e1", "e2"};

/* The scope of a function. Its buffers are others', too: no statement may free them, or wait for them alone.
 */
static void begin_text(struct generator *g, const struct text_of *text) {
    const enum memory memory[] = {MEMORY_DEVICE,  MEMORY_DEVICE, MEMORY_DEVICE,  MEMORY_MANAGED,
                                  MEMORY_MANAGED, MEMORY_DEVICE, MEMORY_MANAGED, MEMORY_PINNED};
    const enum memory *kinds = text->buffer_count == ALL_BUFFERS ? memory : memory + 2;

    begin_scope(g);
    for (unsigned i = 0; i < text->buffer_count; i++) {
        add_buffer(g, "", i < 2 ? MEMORY_DEVICE : kinds[i]);
        add_pointer(g, text->names[i], 1u << i, false);
    }
    g->scope.allowed = (1u << text->buffer_count) - 1;
    g->scope.holds.quiet = g->scope.holds.straight = g->scope.holds.forked = true;
    g->has.per_thread = is_per_thread(text);
}

/* Numbers, and pointers that may lead to either of two buffers. */
static void write_locals(struct generator *g, const struct text_of *text) {
    if (text->stage->aim == AIM_WAITS)
        write_values(g); /* memory of the heap comes from a function that may be replaced */
    else
        write_numbers(g);
    for (unsigned i = 0; i < 2 && text->stage->pointers; i++) {
        unsigned one = random_below(&g->random, text->buffer_count),
                 other = random_below(&g->random, text->buffer_count);
        const char *name = writer_text(&g->writer, "p%u", i);
        writer_line(&g->writer, "unsigned *%s = %s & 1 ? %s : %s;", name, variable(g), text->names[one],
                    text->names[other]);
        add_pointer(g, name, 1u << one | 1u << other, true);
    }
}

static const char *head_of_stage(struct generator *g, const struct stage *stage, unsigned index) {
    const char *stream = stage->streamed ? "cudaStream_t s, " : "",
               *mark = stage->restricted ? "__restrict__ given_" : "";

    return writer_text(
        &g->writer,
        "void stage_%u(%sunsigned *%sx, unsigned *%sy, unsigned *%sz, unsigned v0, unsigned depth)", index,
        stream, mark, mark, mark);
}

static void write_stage(struct generator *g, const struct text_of *text) {
    bool member = text->stage->form == FORM_VIRTUAL;

    begin_text(g, text);
    if (member)
        writer_line(&g->writer, "void Stage_%u::run(unsigned v0, unsigned depth) {", text->index);
    else
        writer_line(&g->writer, "%s {", head_of_stage(g, text->stage, text->index));
    if (member && (text->stage->aim == AIM_WAITS || random_percent(&g->random, 50)))
        writer_line(&g->writer, "unsigned *x = this->x, *y = this->y, *z = this->z;");
    else if (!member && text->stage->restricted)
        writer_line(&g->writer, "unsigned *x = given_x, *y = given_y, *z = given_z;");
    if (member && text->stage->streamed && (text->stage->aim == AIM_WAITS || random_percent(&g->random, 50)))
        writer_line(&g->writer, "cudaStream_t s = this->s;");
    if (text->stage->aim ==
        AIM_WAITS) /* what reads variables of others could tell whether a wait has waited */
        writer_line(&g->writer, "unsigned one = ::one, *e0 = ::e0, *e1 = ::e1, *e2 = ::e2; cudaStream_t q0 = "
                                "::q0, q1 = ::q1, q2 = ::q2;");
    writer_line(&g->writer, "unsigned v1 = v0 * 3;");
    write_locals(g, text);
    write_steps(g, text);
    writer_line(&g->writer, "}");
}

/* What the library is given, and calls. */
static void write_callback(struct generator *g, const struct text_of *text) {
    static const char *const around[][3] = {
        {"struct Buffer_%u : std::streambuf {",
         "    int overflow(int c) override { callback_%u(); return c; }",
         "    std::streamsize xsputn(const char *, std::streamsize n) override { callback_%u(); return n; }"},
        {"static ssize_t write_%u(void *, const char *, size_t n) {", "    callback_%u();",
         "    return (ssize_t)n;"},
        {"int compare_%u(const void *a, const void *b) {", "    callback_%u();",
         "    return in_order(a, b);"},
        {"void *operator new[](size_t bytes) {", "    if (armed == 1) armed = 0, callback_%u();",
         "    return malloc(bytes);"},
        {"void release_%u(unsigned *p) {", "    callback_%u();", "    ++*p;"},
        {"void at_exit_%u() {", "    callback_%u();", "    fputs(\"0\\n\", stdout);"}};
    const char *const *lines = around[text->stage->form - FORM_STREAM_BUFFER];

    begin_text(g, text);
    writer_line(&g->writer, "static void callback_%u() {", text->index);
    writer_line(&g->writer, "unsigned v0 = %u, v1 = 5;", random_below(&g->random, 100));
    write_locals(g, text);
    write_steps(g, text);
    writer_line(&g->writer, "}");
    for (unsigned i = 0; i < 3; i++)
        fprintf(g->writer.out, lines[i], text->index), fputc('\n', g->writer.out);
    if (text->stage->form == FORM_STREAM_BUFFER)
        fprintf(
            g->writer.out,
            "};\nvoid prepare_%u() { out_%u = new std::ostream(new Buffer_%u); }\nstd::ostream *out_%u;\n",
            text->index, text->index, text->index, text->index);
    else
        fputs("}\n", g->writer.out);
    if (text->stage->form == FORM_FILE)
        fprintf(g->writer.out,
                "FILE *file_%u;\nvoid prepare_%u() {\n    file_%u = fopencookie(nullptr, \"w\", {nullptr, "
                "write_%u, nullptr, nullptr});\n    setvbuf(file_%u, nullptr, _IONBF, 0);\n}\n",
                text->index, text->index, text->index, text->index, text->index);
    else if (text->stage->form == FORM_NEW)
        fprintf(g->writer.out,
                "void operator delete[](void *p) noexcept {\n    if (armed == 2) armed = 0, callback_%u();\n "
                "   free(p);\n}\n"
                "void operator delete[](void *p, size_t) noexcept { operator delete[](p); }\nvolatile "
                "unsigned armed;\nchar *volatile fresh;\n",
                text->index);
}

static void write_preparations(struct generator *g, const struct text_of *text) {
    const struct stages *program = text->program;

    for (unsigned i = 0; i < OWN_STREAMS; i++)
        writer_line(&g->writer,
                    program->non_blocking[i] ? "cudaStreamCreateWithFlags(&q%u, cudaStreamNonBlocking);"
                                             : "cudaStreamCreate(&q%u);",
                    i);
    for (unsigned i = 0; i < program->event_count; i++)
        writer_line(&g->writer, "cudaEventCreateWithFlags(&happened[%u], cudaEventDisableTiming);", i);
    for (unsigned i = 1; i < program->stage_count; i++)
        if (program->stages[i].form == FORM_STREAM_BUFFER || program->stages[i].form == FORM_FILE)
            writer_line(&g->writer, "prepare_%u();", i);
        else if (program->stages[i].form == FORM_AT_EXIT)
            writer_line(&g->writer, "atexit(at_exit_%u);", i);
}

/* The memory, each piece with some contents. Only here it has names for statements that allocate. */
static void write_memory(struct generator *g, const struct text_of *text) {
    for (unsigned i = 0; i < ALL_BUFFERS; i++) {
        strcpy(g->scope.buffers[i], text->names[i]);
        write_allocation(g, i);
        write_contents(g, i);
    }
    for (unsigned i = 0; i < ALL_BUFFERS; i++)
        g->scope.buffers[i][0] = '\0';
    writer_line(&g->writer, "cudaDeviceSynchronize();");
}

static void write_main(struct generator *g, const struct text_of *text) {
    g->has.per_thread = is_per_thread(text);
    if (text->program->traps)
        write_trapping_function(g);
    fputs("unsigned *d0, *d1, *d2, *m0, *m1, *e0, *e1, *e2;\ncudaStream_t q0, q1, q2;\ncudaEvent_t "
          "happened[6];\n",
          g->writer.out);
    begin_text(g, text);
    writer_line(&g->writer, "int main() {");
    writer_line(&g->writer, "unsigned v0 = %u, v1 = %u;", random_below(&g->random, 100),
                random_below(&g->random, 100));
    writer_line(&g->writer, "for (unsigned i = 0; i < N; ++i)");
    writer_line(&g->writer, "    pattern[i] = i * i + 1;");
    write_numbers(g);
    write_memory(g, text);
    write_preparations(g, text);
    write_steps(g, text);
    if (text->program->traps)
        writer_line(&g->writer, "trapping(%u, v0);", random_below(&g->random, 100));
    writer_line(&g->writer, "printf(\"%%s\\n\", cudaGetErrorName(cudaGetLastError()));");
    writer_line(&g->writer, "return 0;");
    writer_line(&g->writer, "}");
}

static void write_unit(struct generator *g, const void *data, unsigned unit) {
    const struct stages *program = data;

    /* Names in C are the program's, in whatever namespace they stand. */
    fprintf(g->writer.out, "#define k_exchange k_exchange_%u\n#include \"stages.h\"\n\n", unit);
    if (unit == program->build.unit_count - 1)
        fputs("unsigned *given(unsigned *p) { return p; }\n\n", g->writer.out);
    for (unsigned i = program->stage_count; i-- > 0;) {
        const struct stage *stage = &program->stages[i];
        bool all = stage->form == FORM_MAIN || is_callback(stage);
        struct text_of text = {program, stage, i, all ? buffer_names : parameter_names,
                               all ? ALL_BUFFERS : PARAMETERS + ALL_BUFFERS - BUFFER_E0};
        if (stage->unit != unit)
            continue;
        if (stage->form == FORM_MAIN)
            write_main(g, &text);
        else if (is_callback(stage))
            write_callback(g, &text);
        else
            write_stage(g, &text);
        fputc('\n', g->writer.out);
    }
}

static void write_declaration(struct generator *g, const struct stage *stage, unsigned index) {
    FILE *out = g->writer.out;

    switch (stage->form) {
    case FORM_PLAIN:
    case FORM_POINTER:
        fprintf(out, "%s;\n", head_of_stage(g, stage, index));
        break;
    case FORM_VIRTUAL:
        fprintf(out, "struct Stage_%u : Stage { void run(unsigned v0, unsigned depth) override; };\n", index);
        break;
    case FORM_STREAM_BUFFER:
        fprintf(out, "extern std::ostream *out_%u;\nvoid prepare_%u();\n", index, index);
        break;
    case FORM_FILE:
        fprintf(out, "extern FILE *file_%u;\nvoid prepare_%u();\n", index, index);
        break;
    case FORM_COMPARATOR:
        fprintf(out, "int compare_%u(const void *a, const void *b);\n", index);
        break;
    case FORM_NEW:
        fputs("extern volatile unsigned armed;\nextern char *volatile fresh;\n", out);
        break;
    case FORM_DELETER:
        fprintf(out, "void release_%u(unsigned *p);\n", index);
        break;
    case FORM_AT_EXIT:
        fprintf(out, "void at_exit_%u();\n", index);
        break;
    case FORM_MAIN:
        break;
    }
}

/* What all units have: the kernels, each unit its own. */
static void write_header(struct generator *g, const void *data) {
    const struct stages *program = data;

    write_includes(g);
    fputs("#include <memory>\n#include <new>\n#include <ostream>\n#include <pthread.h>\n#include "
          "<streambuf>\n#include <thread>\n\n"
          "extern unsigned *d0, *d1, *d2, *m0, *m1, *e0, *e1, *e2;\nextern cudaStream_t q0, q1, q2;\nextern "
          "cudaEvent_t happened[6];\n"
          "struct Stage {\n    cudaStream_t s;\n    unsigned *x, *y, *z;\n    virtual void run(unsigned v0, "
          "unsigned depth) = 0;\n};\nunsigned *given(unsigned *p);\n",
          g->writer.out);
    for (unsigned i = 1; i < program->stage_count; i++)
        write_declaration(g, &program->stages[i], i);
    fputs("\nnamespace {\n", g->writer.out);
    write_definitions(g);
    fputs("}\n", g->writer.out);
}

static const struct program_parts parts = {
    .header = "stages.h", .write_header = write_header, .write_unit = write_unit};

bool write_stages(struct generator *g, const struct stages *program, const char *folder) {
    g->has.several_units = g->has.resets = true; /* no launch may fail */
    g->has.asserts = random_percent(&g->random, 20);
    return write_program_files(g, &parts, program, &program->build, folder);
}
