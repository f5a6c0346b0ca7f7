/* The functions of a program: helpers, scenarios, main. */
#include "test/fuzz/generator.h"

#include <stddef.h>
#include <string.h>

static void add_number(struct generator *g, const char *name) {
    strcpy(g->scope.numbers.names[g->scope.numbers.count++], name);
}

void add_pointer(struct generator *g, const char *name, uint32_t may, bool is_variable) {
    struct pointer *pointer = &g->scope.pointers.items[g->scope.pointers.count++];

    strcpy(pointer->name, name);
    pointer->may = may;
    pointer->variable = is_variable;
}

void add_buffer(struct generator *g, const char *name, enum memory memory) {
    unsigned bit = g->scope.buffer_count++;

    strcpy(g->scope.buffers[bit], name);
    g->scope.memory[bit] = memory;
    if (*name != '\0')
        add_pointer(g, name, 1u << bit, false);
}

static enum memory choose_memory(struct generator *g) {
    static const enum memory among[] = {MEMORY_DEVICE, MEMORY_DEVICE,    MEMORY_DEVICE,  MEMORY_DEVICE,
                                        MEMORY_POOLED, MEMORY_MANAGED,   MEMORY_MANAGED, MEMORY_PINNED,
                                        MEMORY_PINNED, MEMORY_REGISTERED};

    return among[random_below(&g->random, sizeof among / sizeof *among)];
}

void add_buffers(struct generator *g, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        add_buffer(g, writer_text(&g->writer, "b%u", i), choose_memory(g));
}

void begin_scope(struct generator *g) {
    memset(&g->scope, 0, sizeof g->scope);
    g->scope.times = 1;
    g->scope.stream.name = "";
    g->scenario = -1;
    for (unsigned i = 0; i < 4; i++)
        add_number(g, writer_text(&g->writer, "v%u", i));
    g->scope.numbers.variables = g->scope.numbers.count;
    choose_kinds(g);
    choose_kernels(g);
    g->chosen.tricks = random_percent(&g->random, 50) ? 0 : random_below(&g->random, 50);
}

/* A random set of the function's buffers, not empty. */
static uint32_t choose_set(struct generator *g) {
    uint32_t all = (1u << g->scope.buffer_count) - 1;
    uint32_t set = random_below(&g->random, all) + 1;

    return random_percent(&g->random, 50) ? set : set & (random_below(&g->random, all) + 1) ? set : all;
}

/* The function's pageable memory. Threads must not share it; what has no owner leaks. */
static void write_page(struct generator *g) {
    static const char *const homes[] = {"unsigned page[N] = {v0, 7};", "unsigned *page = new unsigned[N]();",
                                        "unsigned *page = (unsigned *)calloc(N, sizeof *page);",
                                        "unsigned *page = spare;",
                                        "std::vector<unsigned> list_of_page(N, v0);"};
    unsigned home = random_below(&g->random, g->has.vectors ? 5 : 4);

    if (home == 3 && (g->scope.holds.quiet || g->scenario < 0))
        home = 0;
    writer_line(&g->writer, "%s", homes[home]);
    if (home == 4)
        writer_line(&g->writer, "unsigned *page = list_of_page.data();");
}

void write_values(struct generator *g) {
    writer_line(&g->writer, "unsigned v2 = %u, v3 = v0 + %u, u = 1;", random_below(&g->random, 50), 3u);
    writer_line(&g->writer, "Small small_ = {v0, 5};");
    writer_line(&g->writer, "Large large = {{v1, 2, 3}};");
}

void write_numbers(struct generator *g) {
    write_values(g);
    write_page(g);
}

void write_buffers(struct generator *g) {
    bool in_turn = random_percent(&g->random, 40);

    for (unsigned i = 0; i < g->scope.buffer_count; i++)
        if (g->scope.buffers[i][0] != '\0')
            writer_line(&g->writer, "unsigned *%s = nullptr;", g->scope.buffers[i]);
    for (unsigned i = 0; i < g->scope.buffer_count; i++) {
        if (g->scope.buffers[i][0] == '\0')
            continue;
        write_allocation(g, i);
        if (in_turn)
            write_contents(g, i);
    }
    for (unsigned i = 0; i < g->scope.buffer_count && !in_turn; i++)
        if (g->scope.buffers[i][0] != '\0')
            write_contents(g, i);
}

/* A value to begin with for a pointer into `set`. */
static const char *first_value(struct generator *g, uint32_t set) {
    int buffer = choose_buffer(g, set, false);

    if (buffer < 0)
        return "x";
    return g->scope.buffers[buffer];
}

/* Locals, an array, a struct, globals, vector elements: kinds of homes for pointers. */
void write_pointers(struct generator *g) {
    uint32_t sets[2];
    unsigned choice = random_below(&g->random, 64);

    g->scope.allowed = (1u << g->scope.buffer_count) - 1;
    sets[0] = choose_set(g);
    sets[1] = choose_set(g);
    for (unsigned i = 0; i < 3; i++) {
        const char *name = writer_text(&g->writer, "p%u", i);
        uint32_t set = sets[random_below(&g->random, 2)];
        writer_line(&g->writer, "unsigned *%s = %s;", name, first_value(g, set));
        add_pointer(g, name, set, true);
    }
    if ((choice & 3) == 0) {
        const char *first = first_value(g, sets[0]);
        const char *second = first_value(g, sets[0]);
        writer_line(&g->writer, "unsigned *many[3] = {%s, %s, %s};", first, second, first);
        add_pointer(g, "many[0]", sets[0], true);
        add_pointer(g, "many[1]", sets[0], true);
        add_pointer(g, "many[2]", sets[0], true);
        add_pointer(g, "many[v0 % 3]", sets[0], true);
    }
    if ((choice & 12) == 0) {
        writer_line(&g->writer, "Holder held;");
        writer_line(&g->writer, "held.x = %s;", first_value(g, sets[0]));
        writer_line(&g->writer, "held.y = %s;", first_value(g, sets[1]));
        add_pointer(g, "held.x", sets[0], true);
        add_pointer(g, "held.y", sets[1], true);
    }
    if ((choice & 48) == 0 && g->has.vectors) {
        writer_line(&g->writer, "std::vector<unsigned *> listed(2, %s);", first_value(g, sets[1]));
        add_pointer(g, "listed[0]", sets[1], true);
        add_pointer(g, "listed[v1 % 2]", sets[1], true);
    }
}

static void write_globals(struct generator *g) {
    uint32_t set = choose_set(g);

    writer_line(&g->writer, "g0 = %s;", first_value(g, set));
    writer_line(&g->writer, "g1 = %s;", first_value(g, set));
    if (random_percent(&g->random, 30)) {
        add_pointer(g, "g0", set, true);
        add_pointer(g, "g1", set, true);
    }
}

/* The stream that all of a function goes to: what it is called there, and what it is. */
static void write_own_stream(struct generator *g) {
    static const char *const homes[] = {"s",       "s",           "s", "global_stream", "streams.main",
                                        "list[0]", "list[v0 % 2]"};
    static const char *const calls[] = {"s = cudaStreamPerThread;", "cudaStreamCreate(&s);",
                                        "cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);",
                                        "cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, -1);"};
    unsigned kind = random_below(&g->random, 4);
    const char *home = homes[random_below(&g->random, sizeof homes / sizeof *homes)];

    writer_line(&g->writer, "cudaStream_t s;");
    writer_line(&g->writer, "%s", calls[kind]);
    if (strcmp(home, "global_stream") == 0)
        writer_line(&g->writer, "global_stream = s;");
    if (strcmp(home, "streams.main") == 0)
        writer_line(&g->writer, "Streams streams = {s, 0};");
    if (strncmp(home, "list", 4) == 0)
        writer_line(&g->writer, "cudaStream_t list[2] = {s, s};");
    g->scope.stream.name = home;
    g->scope.stream.mixed = kind < 2 && !g->has.per_thread && random_percent(&g->random, 40);
}

static void write_streams(struct generator *g) {
    writer_line(&g->writer, "cudaStream_t blocking, free_running, recorded;");
    if (random_percent(&g->random, 50))
        writer_line(&g->writer, "cudaStreamCreate(&recorded);");
    else
        writer_line(&g->writer, "cudaStreamCreateWithFlags(&recorded, cudaStreamNonBlocking);");
    writer_line(&g->writer, "cudaEvent_t forked, joined;");
    if (random_percent(&g->random, 20))
        writer_line(&g->writer, "blocking = cudaStreamPerThread;");
    else
        writer_line(&g->writer, "cudaStreamCreate(&blocking);");
    writer_line(&g->writer, "cudaStreamCreateWithFlags(&free_running, cudaStreamNonBlocking);");
    writer_line(&g->writer, "cudaEventCreate(&forked);");
    writer_line(&g->writer, "cudaEventCreateWithFlags(&joined, cudaEventDisableTiming);");
    g->scope.holds.has_own_stream = true;
}

void write_ways_out(struct generator *g, bool show) {
    writer_line(&g->writer, "#undef RETURN");
    writer_line(&g->writer, "#undef SHOW");
    if (show) {
        const char *all = *g->scope.stream.name != '\0' ? "cudaDeviceSynchronize(), " : "";
        for (unsigned i = 0; i < g->scope.buffer_count; i++)
            if (g->scope.buffers[i][0] != '\0')
                all = writer_text(&g->writer, "%sshow_all(%s), ", all, g->scope.buffers[i]);
        writer_line(&g->writer, "#define SHOW (%sprintf(\"%%u %%u %%u\\n\", v0, v1, u))", all);
    } else {
        writer_line(&g->writer, "#define SHOW (void)0");
    }
    if (random_percent(&g->random, 50))
        writer_line(&g->writer, "#define RETURN goto done");
    else
        writer_line(&g->writer, "#define RETURN do { SHOW; return; } while (0)");
}

void write_end(struct generator *g) {
    writer_line(&g->writer, "goto done;");
    writer_line(&g->writer, "done:");
    writer_line(&g->writer, "SHOW;");
    for (unsigned i = 0; i < g->scope.buffer_count; i++)
        if (g->scope.buffers[i][0] != '\0')
            write_free(g, i);
    if (g->scope.holds.has_own_stream) {
        writer_line(&g->writer, "if (blocking != cudaStreamPerThread)");
        writer_line(&g->writer, "    cudaStreamDestroy(blocking);");
        writer_line(&g->writer, "cudaStreamDestroy(free_running), cudaStreamDestroy(recorded);");
        writer_line(&g->writer, "cudaEventDestroy(forked);");
        writer_line(&g->writer, "cudaEventDestroy(joined);");
    }
    writer_line(&g->writer, "}");
    writer_line(&g->writer, "%s", "");
}

static void write_helper(struct generator *g, unsigned index) {
    static const char *const specifiers[] = {"static", "__attribute__((noinline))", "static inline",
                                             "extern \"C\""};
    bool kept = writer_begin(&g->writer);

    begin_scope(g);
    add_buffer(g, "", MEMORY_DEVICE);
    add_buffers(g, 2);
    add_pointer(g, "x", 1, true);
    add_pointer(g, "y", 1, true);
    write_ways_out(g, false);
    writer_line(&g->writer, "%s void helper_%u(unsigned *x, unsigned *y, unsigned v0) {",
                specifiers[random_below(&g->random, 4)], index);
    writer_line(&g->writer, "unsigned v1 = v0 * 3;");
    write_numbers(g);
    write_buffers(g);
    write_pointers(g);
    if (random_percent(&g->random, 20))
        add_pointer(g, "g0", 1, false);
    write_statements(g, 2 + random_below(&g->random, 8));
    write_end(g);
    writer_end(&g->writer, kept);
    g->work[index] = g->scope.work + 4;
    g->helpers = index + 1;
}

static void write_scenario(struct generator *g, unsigned index) {
    unsigned buffers = 3 + random_below(&g->random, 4);
    bool streamed = random_percent(&g->random, 40), kept = writer_begin(&g->writer);

    begin_scope(g);
    g->scenario = (int)index;
    add_buffers(g, buffers);
    if (random_percent(&g->random, 20))
        add_buffer(g, "symbol", MEMORY_SYMBOL);
    g->scope.stream.name = streamed ? "s" : "";
    write_ways_out(g, true);
    g->scope.stream.name = "";
    writer_line(&g->writer, "static void scenario_%u(unsigned v0, unsigned v1) {", index);
    write_numbers(g);
    write_streams(g);
    write_buffers(g);
    write_pointers(g);
    write_globals(g);
    if (streamed) {
        write_own_stream(g);
        writer_line(&g->writer, "cudaDeviceSynchronize();");
    }
    write_statements(g, 6 + random_below(&g->random, 16));
    write_end(g);
    writer_end(&g->writer, kept);
}

/* The call of a function, on some device. */
static void write_call(struct generator *g, const char *name) {
    bool kept = writer_begin(&g->writer);
    unsigned first = random_below(&g->random, 100);
    unsigned second = random_below(&g->random, 100);

    if (g->has.devices) {
        writer_line(&g->writer, "cudaSetDevice(%u);", first % 2);
        writer_line(&g->writer, "prepare();");
    }
    writer_line(&g->writer, "%s(%u, %u);", name, first, second);
    writer_end(&g->writer, kept);
}

static void write_calls(struct generator *g, unsigned scenarios) {
    for (unsigned i = 0; i < scenarios; i++) {
        write_call(g, writer_text(&g->writer, "scenario_%u", i));
        if (g->has.resets && random_percent(&g->random, 50)) {
            writer_line(&g->writer, "cudaDeviceReset();");
            writer_line(&g->writer, "prepare();");
        }
    }
    if (g->has.traps)
        write_call(g, "trapping");
}

void write_program(struct generator *g, unsigned scenarios) {
    unsigned helpers = random_below(&g->random, MOST_HELPERS + 1);

    g->has.threads = random_percent(&g->random, 20);
    g->has.resets = random_percent(&g->random, 20);
    g->has.vectors = random_percent(&g->random, 25);
    g->has.devices = !g->has.threads && random_percent(&g->random, 10);
    g->has.per_thread = random_percent(&g->random, 15);
    g->has.bare = random_percent(&g->random, 60) ? 0 : 50 * (1 + random_below(&g->random, 2));
    g->has.asserts = random_percent(&g->random, 30);
    g->has.traps = random_percent(&g->random, 40);
    write_prelude(g);
    write_launchers(g);
    for (unsigned i = 0; i < helpers; i++)
        write_helper(g, i);
    for (unsigned i = 0; i < scenarios; i++)
        write_scenario(g, i);
    if (g->has.traps)
        write_trapping_function(g);
    writer_line(&g->writer, "static void prepare() {");
    writer_line(&g->writer, "cudaEventCreate(&marker);");
    writer_line(&g->writer, "cudaMallocManaged(&table, 2 * sizeof *table);");
    writer_line(&g->writer, "cudaMallocManaged(&notes, BYTES);");
    writer_line(&g->writer, "for (unsigned i = 0; i < N; ++i)");
    writer_line(&g->writer, "    notes[i] = i;");
    writer_line(&g->writer, "cudaEventRecord(marker, 0);");
    writer_line(&g->writer, "}");
    writer_line(&g->writer, "%s", "");
    writer_line(&g->writer, "int main() {");
    writer_line(&g->writer, "for (unsigned i = 0; i < N; ++i)");
    writer_line(&g->writer, "    pattern[i] = i * i + 1;");
    writer_line(&g->writer, "prepare();");
    write_calls(g, scenarios);
    writer_line(&g->writer, "printf(\"%%s\\n\", cudaGetErrorName(cudaGetLastError()));");
    writer_line(&g->writer, "return 0;");
    writer_line(&g->writer, "}");
}
