/* Streams and threads of the program's own, which it orders itself; and memory that leads on to memory. */
#include "test/fuzz/generator.h"

#include <stddef.h>
#include <string.h>

const char *stream_argument(const struct generator *g) {
    return *g->scope.stream.name != '\0' ? g->scope.stream.name : "0";
}

const char *configuration(struct generator *g) {
    g->scope.work += g->scope.times;
    return *g->scope.stream.name != '\0' ? writer_text(&g->writer, "1, 1, 0, %s", g->scope.stream.name)
                                         : "1, 1";
}

bool has_blocking(const struct generator *g) {
    return g->scope.holds.has_own_stream && !g->has.per_thread && *g->scope.stream.name == '\0';
}

const char *any_stream(struct generator *g) {
    static const char *const streams[] = {"0", "cudaStreamLegacy", "nullptr", "default_stream"};
    unsigned choice = random_below(&g->random, 10), other = random_below(&g->random, 4);

    if (*g->scope.stream.name != '\0' && (!g->scope.stream.mixed || choice < 7))
        return g->scope.stream.name;
    if (choice < 2 && has_blocking(g))
        return "blocking";
    if (choice < 2 && g->has.per_thread)
        return "cudaStreamPerThread";
    return streams[other == 3 && !g->scope.holds.many_streams ? 0 : other];
}

static void write_blocking_launch(struct generator *g) {
    if (has_blocking(g))
        write_launch_on(g, "blocking", g->scope.allowed);
}

static void write_chosen_launch(struct generator *g) {
    const char *stream = writer_text(&g->writer, "(%s & 1 ? blocking : 0)", variable(g));

    if (has_blocking(g))
        write_launch_on(g, stream, g->scope.allowed);
}

/* Some of the allowed buffers, and not all. */
static uint32_t choose_part(struct generator *g) {
    uint32_t part = 0;

    for (unsigned i = 0; i < g->scope.buffer_count; i++)
        if ((g->scope.allowed & 1u << i) != 0 && random_percent(&g->random, 40))
            part |= 1u << i;
    return part;
}

void write_beside(struct generator *g, uint32_t part) {
    uint32_t allowed = g->scope.allowed;
    bool straight = g->scope.holds.straight, forked = g->scope.holds.forked;

    g->scope.allowed &= ~part;
    g->scope.holds.straight = g->scope.holds.forked = true;
    if (choose_pointer(g, g->scope.allowed) != NULL)
        write_block(g, 5);
    g->scope.allowed = allowed;
    g->scope.holds.straight = straight;
    g->scope.holds.forked = forked;
}

/* Launches and copies on the stream that runs beside. */
static void work_free_running(struct generator *g, uint32_t part) {
    struct scope *scope = &g->scope, was = *scope;

    scope->holds.straight = true;
    scope->stream.mixed = false;
    scope->stream.name = "free_running";
    scope->allowed = part;
    for (unsigned count = 1 + random_below(&g->random, 3); count > 0; count--) {
        if (random_percent(&g->random, 60))
            write_launch_on(g, scope->stream.name, part);
        else
            write_transfer(g);
    }
    scope->holds.straight = was.holds.straight;
    scope->stream.mixed = was.stream.mixed;
    scope->stream.name = was.stream.name;
    scope->allowed = was.allowed;
}

static void write_fork(struct generator *g) {
    uint32_t part = choose_part(g);
    const char *stream = stream_argument(g);

    if (choose_pointer(g, part) == NULL)
        return;
    writer_line(&g->writer, "{");
    writer_line(&g->writer, "cudaEventRecord(forked, %s);", stream);
    if (random_percent(&g->random, 30))
        write_default_launch(g);
    writer_line(&g->writer, "cudaEventRecord(forked, %s);", g->scope.stream.mixed ? "0" : stream);
    writer_line(&g->writer, "cudaStreamWaitEvent(free_running, forked, 0);");
    work_free_running(g, part);
    write_beside(g, part);
    if (g->scope.stream.captured || random_percent(&g->random, 50)) {
        writer_line(&g->writer, "cudaEventRecord(joined, free_running);");
        writer_line(&g->writer, "cudaStreamWaitEvent(%s, joined, 0);", g->scope.stream.mixed ? "0" : stream);
    } else {
        writer_line(&g->writer, "cudaStreamSynchronize(free_running);");
    }
    writer_line(&g->writer, "}");
}

static void write_fork_behind_sync(struct generator *g) {
    uint32_t part = choose_part(g);

    if (choose_pointer(g, part) == NULL)
        return;
    writer_line(&g->writer, "{");
    if (random_percent(&g->random, 50) && !g->scope.stream.mixed &&
        !(g->has.per_thread && *g->scope.stream.name == '\0'))
        writer_line(&g->writer, "cudaStreamSynchronize(%s);", stream_argument(g));
    else
        writer_line(&g->writer, "cudaDeviceSynchronize();");
    work_free_running(g, part);
    write_beside(g, part);
    writer_line(&g->writer, "cudaStreamSynchronize(free_running);");
    writer_line(&g->writer, "}");
}

static void write_thread(struct generator *g) {
    uint32_t part = choose_part(g);
    const struct pointer *pointer = choose_pointer(g, part);
    const char *name = writer_text(&g->writer, "thread_%u", g->writer.next);

    if (pointer == NULL || !g->has.threads)
        return;
    writer_line(&g->writer, "{");
    if (g->has.per_thread)
        writer_line(&g->writer, "cudaDeviceSynchronize();");
    writer_line(&g->writer, "std::thread %s(run_beside, %s, %s);", name, pointer->name, variable(g));
    g->scope.work += 20 * g->scope.times;
    write_beside(g, part);
    writer_line(&g->writer, "%s.join();", name);
    writer_line(&g->writer, "}");
}

static void write_event(struct generator *g) {
    if (random_percent(&g->random, 60))
        writer_line(&g->writer, "cudaEventRecord(marker, %s);", stream_argument(g));
    else
        writer_line(&g->writer, "cudaEventElapsedTime(&milliseconds, marker, marker), cudaGetLastError();");
}

/* The host function runs in the order of the stream. */
static void write_host_function(struct generator *g) {
    int buffer = choose_buffer(g, g->scope.allowed, true);

    if (buffer < 0)
        return;
    if (g->scope.stream.captured || random_percent(&g->random, 50))
        writer_line(&g->writer, "cudaLaunchHostFunc(%s, count_up, %s);", stream_argument(g),
                    g->scope.buffers[buffer]);
    else
        writer_line(&g->writer, "cudaStreamAddCallback(%s, called_back, %s, 0);", stream_argument(g),
                    g->scope.buffers[buffer]);
}

/* Launches among which some kernels reach memory that no pointer argument shows. */
static void write_behind_a_symbol(struct generator *g) {
    const char *target = pointer_argument(g, g->scope.allowed);

    if (target == NULL)
        return;
    writer_line(&g->writer, "{");
    writer_line(&g->writer, "unsigned *target = %s;", target);
    writer_line(&g->writer, "cudaMemcpyToSymbol(device_pointer, &target, sizeof target);");
    write_launches(g, 1 + random_below(&g->random, 3));
    writer_line(&g->writer, "k_through<<<%s>>>(%s);", configuration(g), number(g));
    write_launches(g, 1 + random_below(&g->random, 3));
    writer_line(&g->writer, "k_through<<<%s>>>(%s);", configuration(g), number(g));
    writer_line(&g->writer, "}");
}

static void write_behind_a_table(struct generator *g) {
    const char *one = pointer_argument(g, g->scope.allowed);
    const char *other = one ? pointer_argument(g, g->scope.allowed) : NULL;

    if (other == NULL)
        return;
    writer_line(&g->writer, "{");
    writer_line(&g->writer, "cudaDeviceSynchronize();");
    writer_line(&g->writer, "table[0] = %s;", one);
    writer_line(&g->writer, "table[1] = %s;", other);
    write_launches(g, 1 + random_below(&g->random, 3));
    writer_line(&g->writer, "k_rows<<<%s>>>(table, %s);", configuration(g), number(g));
    write_launches(g, 1 + random_below(&g->random, 3));
    writer_line(&g->writer, "k_row<<<%s>>>(%s, table, %s);", configuration(g), other, number(g));
    writer_line(&g->writer, "cudaDeviceSynchronize();");
    writer_line(&g->writer, "}");
}

/* What is captured: straight statements on one stream. */
static void write_captured(struct generator *g, const char *stream) {
    struct scope *scope = &g->scope;
    const char *was = scope->stream.name;
    bool straight = scope->holds.straight, mixed = scope->stream.mixed;

    scope->stream.name = stream;
    scope->holds.straight = scope->stream.captured = true;
    scope->stream.mixed = false;
    scope->times *= 3;
    write_block(g, 8);
    scope->times /= 3;
    scope->stream.name = was;
    scope->holds.straight = straight;
    scope->stream.captured = false;
    scope->stream.mixed = mixed;
}

/* A graph, captured on the function's own stream, or on another with the whole device waiting for it. */
static void write_graph(struct generator *g) {
    static const char *const modes[] = {"Global", "ThreadLocal", "Relaxed"};
    bool own = *g->scope.stream.name != '\0' && !g->scope.stream.mixed;
    const char *stream = own ? g->scope.stream.name : "recorded";

    writer_line(&g->writer, "{");
    writer_line(&g->writer, "cudaGraph_t graph;");
    writer_line(&g->writer, "cudaGraphExec_t instance;");
    writer_line(&g->writer, "cudaStreamBeginCapture(%s, cudaStreamCaptureMode%s);", stream,
                modes[random_below(&g->random, 3)]);
    writer_line(&g->writer, "{");
    write_captured(g, stream);
    writer_line(&g->writer, "}");
    writer_line(&g->writer, "CHECK(cudaStreamEndCapture(%s, &graph));", stream);
    writer_line(&g->writer, "cudaGraphInstantiate(&instance, graph, 0);");
    if (!own)
        writer_line(&g->writer, "cudaDeviceSynchronize();");
    writer_line(&g->writer, "for (unsigned run = 0; run < %u; ++run)", 1 + random_below(&g->random, 3));
    writer_line(&g->writer, "    cudaGraphLaunch(instance, %s);", stream);
    if (!own)
        writer_line(&g->writer, "cudaDeviceSynchronize();");
    writer_line(&g->writer, "cudaGraphExecDestroy(instance), cudaGraphDestroy(graph);");
    writer_line(&g->writer, "}");
}

/* A scope with nothing but the memory of one chunk. */
static void begin_chunk(struct generator *g, const char *number) {
    struct scope *scope = &g->scope;

    scope->pointers.count = scope->buffer_count = 0;
    add_buffer(g, "", MEMORY_DEVICE);
    add_buffer(g, "", MEMORY_DEVICE);
    add_pointer(g, writer_text(&g->writer, "chunk[%s]", number), 1, true);
    add_pointer(g, writer_text(&g->writer, "own[%s]", number), 2, true);
    scope->allowed = 3;
    scope->stream.name = writer_text(&g->writer, "streams[%s]", number);
    scope->stream.mixed = scope->holds.has_own_stream = false;
    scope->holds.straight = true;
    scope->times *= 4;
}

static void write_chunk_streams(struct generator *g) {
    unsigned choice = random_below(&g->random, 3);

    writer_line(&g->writer, "cudaStream_t streams[2];");
    for (unsigned i = 0; i < 2; i++)
        writer_line(&g->writer,
                    choice == 0 ? "cudaStreamCreate(&streams[%u]);"
                                : "cudaStreamCreateWithFlags(&streams[%u], cudaStreamNonBlocking);",
                    i);
}

/* Chunks of work, each on a stream and on memory of its own, in turn. */
static void write_chunks(struct generator *g) {
    int one = choose_buffer(g, g->scope.allowed, false);
    int other = one < 0 ? -1 : choose_buffer(g, g->scope.allowed & ~(1u << one), false);
    const char *i = writer_text(&g->writer, "i%u", g->writer.next);
    struct scope scope = g->scope;

    if (other < 0)
        return;
    writer_line(&g->writer, "{");
    write_chunk_streams(g);
    writer_line(&g->writer, "Buffer first, second;");
    writer_line(&g->writer, "unsigned *chunk[2] = {%s, %s};", scope.buffers[one], scope.buffers[other]);
    writer_line(&g->writer, "unsigned *own[2] = {first.data, second.data};");
    writer_line(&g->writer, "k_init<<<1, 1>>>(own[0], %s), k_init<<<1, 1>>>(own[1], 3);", variable(g));
    writer_line(&g->writer, "cudaDeviceSynchronize();");
    writer_line(&g->writer, "for (unsigned %s = 0; %s < %u; ++%s) {", i, i, 2 + random_below(&g->random, 3),
                i);
    begin_chunk(g, writer_text(&g->writer, "%s %% 2", i));
    write_statements(g, 3 + random_below(&g->random, 6));
    scope.work = g->scope.work;
    g->scope = scope;
    writer_line(&g->writer, "}");
    writer_line(&g->writer, "cudaDeviceSynchronize();");
    writer_line(&g->writer, "cudaStreamDestroy(streams[0]), cudaStreamDestroy(streams[1]);");
    writer_line(&g->writer, "}");
}

/* Work on the other device, with memory of its own. */
static void write_other_device(struct generator *g) {
    if (!g->has.devices)
        return;
    writer_line(&g->writer, "{");
    writer_line(&g->writer, "int device;");
    writer_line(&g->writer, "unsigned *far, *away;");
    writer_line(&g->writer, "cudaGetDevice(&device);");
    writer_line(&g->writer, "cudaSetDevice(1 - device);");
    writer_line(&g->writer, "cudaMalloc(&far, BYTES), cudaMalloc(&away, BYTES);");
    writer_line(&g->writer, "k_init<<<1, 1>>>(far, %s);", variable(g));
    writer_line(&g->writer, "k_init<<<1, 1>>>(away, 3);");
    writer_line(&g->writer, "k_scale<<<1, 1>>>(far, 7), k_mix<<<1, 1>>>(away, far);");
    if (random_percent(&g->random, 50))
        writer_line(&g->writer, "show(far), show(away), cudaFree(far), cudaFree(away);");
    writer_line(&g->writer, "cudaSetDevice(device);");
    writer_line(&g->writer, "}");
    g->scope.work += 4 * g->scope.times;
}

const struct kind stream_kinds[] = {
    {write_blocking_launch, 5, NEEDS_SCENARIO | NEEDS_DEFAULT},
    {write_chosen_launch, 2, NEEDS_SCENARIO | NEEDS_DEFAULT},
    {write_fork, 4, NEEDS_SCENARIO | NEEDS_NO_FORK},
    {write_fork_behind_sync, 3, NEEDS_SCENARIO | NEEDS_NO_FORK | NEEDS_LIVE},
    {write_thread, 3, NEEDS_SCENARIO | NEEDS_WAY_OUT | NEEDS_DEFAULT},
    {write_event, 2, NEEDS_LIVE | NEEDS_LOUD},
    {write_host_function, 2, 0},
    {write_behind_a_symbol, 2, NEEDS_WAY_OUT | NEEDS_DEFAULT},
    {write_behind_a_table, 2, NEEDS_WAY_OUT | NEEDS_LIVE | NEEDS_LOUD},
    {write_graph, 4, NEEDS_SCENARIO | NEEDS_WAY_OUT | NEEDS_LIVE},
    {write_chunks, 3, NEEDS_SCENARIO | NEEDS_WAY_OUT | NEEDS_LIVE},
    {write_other_device, 1, NEEDS_WAY_OUT | NEEDS_LIVE},
};
const unsigned stream_kind_count = sizeof stream_kinds / sizeof *stream_kinds;
