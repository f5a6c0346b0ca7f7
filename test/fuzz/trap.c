/*
 * Kernels that may trap, and a function in which one does: its program waits, is told, shows what the host
 * can see still, and ends.
 */
#include "test/fuzz/end.h"

#include <stddef.h>

const char *harmless_trap(struct generator *g) {
    static const char *const forms[] = {"assert(blockDim.z == 1);", "if (gridDim.z != 1) __trap();",
                                        "insist(gridDim.z == 1);"};

    return forms[random_below(&g->random, sizeof forms / sizeof *forms)];
}

static const char *const kernels[] = {
    "__global__ void k_fail(unsigned *a, unsigned v, bool now) {",
    "    EACH(i) { a[i] = a[i] * 3 + v; assert(i != 5 || !now); }",
    "}",
    "KESCO_OUTPUTS(1) __global__ void k_trap(unsigned *a, const unsigned *b, bool now) {",
    "    EACH(i) { insist(i != 3 || !now); a[i] = a[i] * 5 + b[i]; }",
    "}",
    "__global__ void k_refuse(bool now) { assert(!now); }",
};

/* A launch of one of these, which traps when `now` holds. */
static void write_failing_launch(struct generator *g, const char *now) {
    const char *to = pointer_argument(g, g->scope.allowed), *from = pointer_argument(g, g->scope.allowed);
    const char *value = number(g), *shape = configuration(g);

    switch (random_below(&g->random, 3)) {
    case 0:
        writer_line(&g->writer, "k_fail<<<%s>>>(%s, %s, %s);", shape, to, value, now);
        break;
    case 1:
        writer_line(&g->writer, "k_trap<<<%s>>>(%s, %s, %s);", shape, to, from, now);
        break;
    default:
        writer_line(&g->writer, "k_refuse<<<%s>>>(%s);", shape, now);
    }
}

/* A copy or a memset whose error nobody looks at. */
static void write_ignored_transfer(struct generator *g) {
    struct end to = buffer_end(g, g->scope.allowed), from = buffer_end(g, g->scope.allowed & ~to.may);

    if (to.address == NULL)
        return;
    if (from.address == NULL || random_percent(&g->random, 25))
        writer_line(&g->writer, "cudaMemsetAsync(%s, %u, %s, %s);", to.address, random_below(&g->random, 9),
                    constant_size(g, to.room), stream_argument(g));
    else
        writer_line(&g->writer, "cudaMemcpyAsync(%s, %s, %s, %s, %s);", to.address, from.address,
                    constant_size(g, from.room < to.room ? from.room : to.room), copy_kind(g, &to, &from),
                    stream_argument(g));
}

/* A buffer that only the device can touch; NULL where there is none. */
static const char *device_buffer(struct generator *g) {
    const char *found = NULL;

    for (unsigned i = 0; i < g->scope.buffer_count; i++)
        if (g->scope.memory[i] < MEMORY_SYMBOL && (found == NULL || random_percent(&g->random, 50)))
            found = g->scope.buffers[i];
    return found;
}

/* A call behind which the host knows of all that the function's stream did. */
static const char *waiting_call(struct generator *g) {
    const char *device = device_buffer(g);
    int seen = choose_buffer(g, g->scope.allowed, true);
    unsigned choice = random_below(&g->random, *g->scope.stream.name != '\0' ? 3 : 8);

    /* There, launches name the legacy default stream, too. */
    if (g->has.per_thread || device == NULL)
        return "cudaDeviceSynchronize()";
    switch (choice) {
    case 0:
        return "cudaDeviceSynchronize()";
    case 1:
        return writer_text(&g->writer, "cudaMemcpyAsync(page, %s, SOME, cudaMemcpyDeviceToHost, %s)", device,
                           stream_argument(g));
    case 2:
        return writer_text(&g->writer, "cudaStreamSynchronize(%s)", stream_argument(g));
    case 3:
        return "cudaMemcpyFromSymbol(&unused_number, unused, sizeof unused_number)";
    case 4:
        return "cudaMemcpyToSymbol(unused, &unused_number, sizeof unused_number)";
    case 5:
        if (seen >= 0)
            return writer_text(&g->writer, "cudaMemset(%s, 7, SOME)", g->scope.buffers[seen]);
        /* fallthrough */
    case 6:
        return writer_text(&g->writer, "cudaMemcpy(%s, pattern, BYTES, cudaMemcpyHostToDevice)", device);
    default:
        return writer_text(&g->writer, "cudaMemcpy(page, %s, BYTES / 2, cudaMemcpyDeviceToHost)", device);
    }
}

/* What no error stops, as statements: launches, copies, output, now and then a wait. */
static void write_regardless(struct generator *g, unsigned most) {
    for (unsigned count = random_below(&g->random, most + 1); count > 0; count--) {
        unsigned choice = random_below(&g->random, 100);
        bool kept;

        if (choice < 60) {
            write_launches(g, 1);
            continue;
        }
        kept = writer_begin(&g->writer);
        if (choice < 70)
            writer_line(&g->writer, "k_tell<<<%s>>>(%s);", configuration(g), number(g));
        else if (choice < 95)
            write_ignored_transfer(g);
        else
            writer_line(&g->writer, "%s;", waiting_call(g));
        writer_end(&g->writer, kept);
    }
}

/* At once, in some pass of a loop, or on either way. */
static void write_failure(struct generator *g) {
    bool kept = writer_begin(&g->writer);

    switch (random_below(&g->random, 4)) {
    case 0:
        writer_line(&g->writer, "for (unsigned round = 0; round < 3; ++round) {");
        write_regardless(g, 3);
        write_failing_launch(g, writer_text(&g->writer, "round == %u", random_below(&g->random, 3)));
        write_regardless(g, 3);
        writer_line(&g->writer, "}");
        break;
    case 1:
        writer_line(&g->writer, "if (%s & 1) {", variable(g));
        write_failing_launch(g, "true");
        writer_line(&g->writer, "} else {");
        write_regardless(g, 2);
        write_failing_launch(g, "true");
        writer_line(&g->writer, "}");
        break;
    default:
        write_failing_launch(g, random_percent(&g->random, 50) ? "true" : "one == 1");
    }
    writer_end(&g->writer, kept);
}

/* The program's own check. */
static void write_rejection(struct generator *g) {
    writer_line(&g->writer, "if (cudaError_t error = %s; error != cudaSuccess) {", waiting_call(g));
    writer_line(&g->writer, "printf(\"rejected: %%s, %%s\\n\", cudaGetErrorName(error), "
                            "cudaGetErrorName(cudaGetLastError()));");
    for (unsigned i = 0; i < g->scope.buffer_count; i++)
        if (g->scope.memory[i] >= MEMORY_MANAGED)
            writer_line(&g->writer, "printf(\"%%08x\\n\", folded(%s, N));", g->scope.buffers[i]);
    writer_line(&g->writer, "printf(\"%%08x\\n\", folded(page, N));");
    writer_line(&g->writer, "exit(7);");
    writer_line(&g->writer, "}");
}

static void write_own_stream(struct generator *g) {
    writer_line(&g->writer, "cudaStream_t s;");
    writer_line(&g->writer, "cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);");
    writer_line(&g->writer, "cudaDeviceSynchronize();");
    g->scope.stream.name = "s";
}

void write_trapping_function(struct generator *g) {
    bool kept = writer_begin(&g->writer);

    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        writer_line(&g->writer, "%s", kernels[i]);
    begin_scope(g);
    add_buffers(g, 3 + random_below(&g->random, 4));
    writer_line(&g->writer, "static void trapping(unsigned v0, unsigned v1) {");
    write_numbers(g);
    write_buffers(g);
    write_pointers(g);
    if (random_percent(&g->random, 40))
        write_own_stream(g);
    g->scope.holds.straight = true;
    g->scope.holds.quiet = g->scope.holds.forked = g->has.several_units; /* what they share is not there */
    write_statements(g, random_below(&g->random, 6));
    write_regardless(g, 5);
    for (unsigned count = 1 + random_percent(&g->random, 30); count > 0; count--) {
        write_failure(g);
        write_regardless(g, 5);
    }
    write_rejection(g);
    writer_line(&g->writer, "printf(\"accepted\\n\");");
    writer_line(&g->writer, "}");
    writer_end(&g->writer, kept);
}
