/* Streams and threads of the program's own, which it orders itself; and memory that leads on to memory. */
#include "test/fuzz/generator.h"

#include <stddef.h>

static void write_blocking_launch(struct generator *g) {
    write_launch_on(g, "blocking", g->scope.allowed);
}

static void write_chosen_launch(struct generator *g) {
    write_launch_on(g, writer_text(&g->writer, "(%s & 1 ? blocking : 0)", variable(g)), g->scope.allowed);
}

/* Some of the allowed buffers, and not all. */
static uint32_t choose_part(struct generator *g) {
    uint32_t part = 0;

    for (unsigned i = 0; i < g->scope.buffer_count; i++)
        if ((g->scope.allowed & 1u << i) != 0 && random_percent(&g->random, 40))
            part |= 1u << i;
    return part;
}

/* Statements that touch no buffer of `part`, and run through. */
static void write_beside(struct generator *g, uint32_t part) {
    uint32_t allowed = g->scope.allowed;
    bool straight = g->scope.straight;

    g->scope.allowed &= ~part;
    g->scope.straight = true;
    if (choose_pointer(g, g->scope.allowed) != NULL)
        write_block(g, 5);
    g->scope.allowed = allowed;
    g->scope.straight = straight;
}

static void launch_free_running(struct generator *g, uint32_t part) {
    bool straight = g->scope.straight;

    g->scope.straight = true;
    for (unsigned count = 1 + random_below(&g->random, 2); count > 0; count--)
        write_launch_on(g, "free_running", part);
    g->scope.straight = straight;
}

static void write_fork(struct generator *g) {
    uint32_t part = choose_part(g);

    if (choose_pointer(g, part) == NULL)
        return;
    writer_line(&g->writer, "{");
    writer_line(&g->writer, "cudaEventRecord(forked, 0);");
    if (random_percent(&g->random, 30))
        write_default_launch(g);
    writer_line(&g->writer, "cudaEventRecord(forked, 0);");
    writer_line(&g->writer, "cudaStreamWaitEvent(free_running, forked, 0);");
    launch_free_running(g, part);
    write_beside(g, part);
    if (random_percent(&g->random, 50)) {
        writer_line(&g->writer, "cudaEventRecord(joined, free_running);");
        writer_line(&g->writer, "cudaStreamWaitEvent(0, joined, 0);");
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
    writer_line(&g->writer,
                random_percent(&g->random, 50) ? "cudaStreamSynchronize(0);" : "cudaDeviceSynchronize();");
    launch_free_running(g, part);
    write_beside(g, part);
    writer_line(&g->writer, "cudaStreamSynchronize(free_running);");
    writer_line(&g->writer, "}");
}

static void write_thread(struct generator *g) {
    uint32_t part = choose_part(g);
    const struct pointer *pointer = choose_pointer(g, part);
    const char *name = writer_text(&g->writer, "thread_%u", g->writer.next);

    if (pointer == NULL || !g->threads)
        return;
    writer_line(&g->writer, "{");
    writer_line(&g->writer, "std::thread %s(run_beside, %s, %s);", name, pointer->name, variable(g));
    write_beside(g, part);
    writer_line(&g->writer, "%s.join();", name);
    writer_line(&g->writer, "}");
}

static void write_event(struct generator *g) {
    if (random_percent(&g->random, 60))
        writer_line(&g->writer, "cudaEventRecord(marker%s);", random_percent(&g->random, 50) ? ", 0" : "");
    else
        writer_line(&g->writer, "cudaEventElapsedTime(&milliseconds, marker, marker), cudaGetLastError();");
}

/* The host function runs in the order of the default stream. */
static void write_host_function(struct generator *g) {
    int buffer = choose_buffer(g, g->scope.allowed, true);

    if (buffer < 0)
        return;
    if (random_percent(&g->random, 50))
        writer_line(&g->writer, "cudaLaunchHostFunc(0, count_up, %s);", g->scope.buffers[buffer]);
    else
        writer_line(&g->writer, "cudaStreamAddCallback(0, called_back, %s, 0);", g->scope.buffers[buffer]);
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
    writer_line(&g->writer, "k_through<<<1, 1>>>(%s);", number(g));
    write_launches(g, 1 + random_below(&g->random, 3));
    writer_line(&g->writer, "k_through<<<1, 1>>>(%s);", number(g));
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
    writer_line(&g->writer, "k_rows<<<1, 1>>>(table, %s);", number(g));
    write_launches(g, 1 + random_below(&g->random, 3));
    writer_line(&g->writer, "k_row<<<1, 1>>>(%s, table, %s);", other, number(g));
    writer_line(&g->writer, "cudaDeviceSynchronize();");
    writer_line(&g->writer, "}");
}

const struct kind stream_kinds[] = {
    {write_blocking_launch, 5, NEEDS_SCENARIO},
    {write_chosen_launch, 2, NEEDS_SCENARIO},
    {write_fork, 4, NEEDS_SCENARIO | NEEDS_WAY_OUT},
    {write_fork_behind_sync, 3, NEEDS_SCENARIO | NEEDS_WAY_OUT},
    {write_thread, 3, NEEDS_SCENARIO | NEEDS_WAY_OUT},
    {write_event, 2, 0},
    {write_host_function, 2, 0},
    {write_behind_a_symbol, 2, NEEDS_WAY_OUT},
    {write_behind_a_table, 2, NEEDS_WAY_OUT},
};
const unsigned stream_kind_count = sizeof stream_kinds / sizeof *stream_kinds;
