/* Waits, and what the host does behind them with memory that devices use. */
#include "test/fuzz/end.h"

#include <stddef.h>

/* True where all of the function's work is ordered with the thread's default stream. */
static bool is_on_default(const struct generator *g) {
    return *g->scope.stream.name == '\0' || g->scope.stream.mixed;
}

/* True where that is the legacy default stream, which waits for all that came before. */
static bool is_on_legacy(const struct generator *g) {
    return is_on_default(g) && !g->has.per_thread && !g->scope.holds.quiet;
}

/* A query may leave cudaErrorNotReady behind, or not. */
static void write_polling(struct generator *g, const char *query) {
    writer_line(&g->writer, "while (%s == cudaErrorNotReady)", query);
    writer_line(&g->writer, "    ;");
    writer_line(&g->writer, "cudaGetLastError();");
}

static void write_event_wait(struct generator *g, const char *stream) {
    if (g->scope.holds.quiet || random_percent(&g->random, 20)) {
        writer_line(&g->writer, "cudaEvent_t event;");
        writer_line(&g->writer, "cudaEventCreate(&event), cudaEventRecord(event, %s);", stream);
        writer_line(&g->writer, "cudaEventSynchronize(event), cudaEventDestroy(event);");
        return;
    }
    writer_line(&g->writer, "cudaEventRecord(marker, %s);", stream);
    if (random_percent(&g->random, 60))
        writer_line(&g->writer, "cudaEventSynchronize(marker);");
    else
        write_polling(g, "cudaEventQuery(marker)");
}

/*
 * Copies and memsets that return when all that came before is done (CUDA Runtime API, "API synchronization
 * behavior"). To pageable memory, from the stream's own work on; false where there is nothing to copy.
 */
static bool write_copy_that_waits(struct generator *g) {
    struct end from = buffer_end(g, g->scope.allowed), to = page_end(g, true);
    const char *kind = random_percent(&g->random, 80) ? "cudaMemcpyDeviceToHost" : "cudaMemcpyDefault";
    const char *size = constant_size(g, from.room < to.room ? from.room : to.room);
    unsigned choice = is_on_default(g) ? random_below(&g->random, 10) : 0;

    if (from.address == NULL)
        return false;
    if (choice < 3)
        writer_line(&g->writer, "cudaMemcpyAsync(%s, %s, %s, %s, %s);", to.address, from.address, size, kind,
                    stream_argument(g));
    else if (choice < 4)
        writer_line(&g->writer, "cudaMemcpy2D(%s, 16, %s, 16, 5, 2, %s);", to.address, from.address, kind);
    else
        write_api_call(
            g, writer_text(&g->writer, "cudaMemcpy(%s, %s, %s, %s)", to.address, from.address, size, kind));
    return true;
}

/* In the legacy default stream, from host memory to device memory. */
static bool write_copy_in_that_waits(struct generator *g) {
    int to = choose_buffer(g, g->scope.allowed, false);
    int pinned = choose_buffer(g, g->scope.allowed, true);

    if (to < 0 || g->scope.memory[to] >= MEMORY_MANAGED)
        return false;
    if (pinned >= 0 && g->scope.memory[pinned] >= MEMORY_PINNED && random_percent(&g->random, 50))
        writer_line(&g->writer, "cudaMemcpy(%s, %s, BYTES / 2, cudaMemcpyHostToDevice);",
                    g->scope.buffers[to], g->scope.buffers[pinned]);
    else
        writer_line(&g->writer, "cudaMemcpy(%s, page, SOME, cudaMemcpyHostToDevice);", g->scope.buffers[to]);
    return true;
}

/* There, of memory that the host sees, too. */
static bool write_memset_that_waits(struct generator *g) {
    int to = choose_buffer(g, g->scope.allowed, true);

    if (to < 0)
        return false;
    writer_line(&g->writer, "cudaMemset(%s + N / 2, 7, SOME);", g->scope.buffers[to]);
    return true;
}

/* What waits for a stream, in whatever kind of function. */
static void write_stream_wait(struct generator *g, const char *stream) {
    switch (random_below(&g->random, 6)) {
    case 0:
        write_event_wait(g, stream);
        break;
    case 1:
        if (!g->scope.holds.quiet) {
            write_polling(g, writer_text(&g->writer, "cudaStreamQuery(%s)", stream));
            break;
        }
        /* fallthrough */
    case 2:
        writer_line(&g->writer, "cudaDeviceSynchronize();");
        break;
    case 3:
        if (write_copy_that_waits(g))
            break;
        /* fallthrough */
    default:
        writer_line(&g->writer, "cudaStreamSynchronize(%s);", stream);
    }
}

/* What waits for the legacy default stream only, in ways that do not look like a wait. */
static bool write_legacy_wait(struct generator *g) {
    switch (random_below(&g->random, 7)) {
    case 0:
    case 1:
        return write_copy_in_that_waits(g);
    case 2:
    case 3:
        return write_memset_that_waits(g);
    case 4:
        writer_line(&g->writer, "cudaMemcpyFromSymbol(&unused_number, unused, sizeof unused_number);");
        return true;
    case 5:
        writer_line(&g->writer, "wait_for_all();");
        return true;
    default:
        if (!has_blocking(g))
            return false;
        writer_line(&g->writer, "k_none<<<1, 1, 0, blocking>>>();");
        writer_line(&g->writer, "cudaStreamSynchronize(blocking);");
        return true;
    }
}

void write_wait(struct generator *g) {
    unsigned choice = random_below(&g->random, 10);

    if (is_on_default(g) && choice < 3 && write_copy_that_waits(g))
        return;
    if (is_on_legacy(g) && choice >= 5 && write_legacy_wait(g))
        return;
    /* The per-thread default stream is a thread's own; launches name the legacy one, too. */
    if (is_on_default(g) && g->has.per_thread)
        writer_line(&g->writer, "cudaDeviceSynchronize();");
    else
        write_stream_wait(g, is_on_legacy(g) ? "0" : stream_argument(g));
}

static void write_access(struct generator *g, unsigned buffer) {
    const char *name = g->scope.buffers[buffer], *value = number(g);
    unsigned index = random_below(&g->random, 32);

    if (random_percent(&g->random, 60))
        writer_line(&g->writer, "v0 += %s[%u];", name, index);
    if (random_percent(&g->random, 50))
        writer_line(&g->writer, "%s[%u] = %s;", name, index, value);
    if (random_percent(&g->random, 20))
        writer_line(&g->writer, "count_up(%s + %u);", name, index);
    if (random_percent(&g->random, 20) && !g->scope.holds.quiet)
        writer_line(&g->writer, "printf(\"%%08x\\n\", folded(%s, N));", name);
    if (random_percent(&g->random, 20))
        writer_line(&g->writer, "for (unsigned i = 0; i < N; ++i) %s[i] = %s[i] * 3 + i;", name, name);
}

/* The kernel's output is what the host is to see. */
static void write_launch_before(struct generator *g, unsigned buffer) {
    unsigned offset = 8 * random_below(&g->random, 4);

    if (random_percent(&g->random, 75))
        writer_line(&g->writer, "k_scale<<<%s>>>(%s + %u, %s);", configuration(g), g->scope.buffers[buffer],
                    offset, number(g));
}

/* Behind a wait, and as long as only other buffers are touched, the host may read and write. */
static void write_host_access(struct generator *g) {
    int buffer = choose_buffer(g, g->scope.allowed, true);
    uint32_t was = g->scope.allowed;

    if (buffer < 0)
        return;
    writer_line(&g->writer, "{");
    write_launch_before(g, (unsigned)buffer);
    write_wait(g);
    g->scope.allowed &= ~(1u << buffer);
    if (random_percent(&g->random, 20))
        write_block(g, 3);
    else
        write_launches(g, random_below(&g->random, 3));
    g->scope.allowed = was;
    write_access(g, (unsigned)buffer);
    writer_line(&g->writer, "}");
}

/*
 * The host touches an end of a copy right behind it: in the legacy default stream, the copy between pinned
 * and device memory returns when it is done, and with it all that came before.
 */
static void write_access_behind_copy(struct generator *g) {
    int buffer = choose_buffer(g, g->scope.allowed, true), device = choose_buffer(g, g->scope.allowed, false);
    struct end host, other;
    const char *size;

    if (!is_on_legacy(g) || buffer < 0 || g->scope.memory[buffer] < MEMORY_PINNED ||
        g->scope.memory[device] >= MEMORY_SYMBOL)
        return;
    host = whole_end(g, (unsigned)buffer);
    other = whole_end(g, (unsigned)device);
    size = constant_size(g, host.room);
    writer_line(&g->writer, "{");
    if (random_percent(&g->random, 60))
        write_launch_before(g, (unsigned)(random_percent(&g->random, 50) ? buffer : device));
    if (random_percent(&g->random, 50))
        write_api_call(g, writer_text(&g->writer, "cudaMemcpy(%s, %s, %s, cudaMemcpyDeviceToHost)",
                                      host.address, other.address, size));
    else
        write_api_call(g, writer_text(&g->writer, "cudaMemcpy(%s, %s, %s, cudaMemcpyHostToDevice)",
                                      other.address, host.address, size));
    write_access(g, (unsigned)buffer);
    writer_line(&g->writer, "}");
}

/* The host works on one half of a buffer while the other is on its way. */
static void write_half_beside(struct generator *g) {
    int buffer = choose_buffer(g, g->scope.allowed, true);
    struct end half = buffer < 0 ? (struct end){0} : whole_end(g, (unsigned)buffer);
    struct end other = buffer_end(g, g->scope.allowed & ~half.may);
    const char *size = constant_size(g, other.room < 64 ? other.room : 64), *value = number(g);
    unsigned index = 16 + random_below(&g->random, 16);

    if (buffer < 0 || other.address == NULL)
        return;
    writer_line(&g->writer, "{");
    write_wait(g);
    if (random_percent(&g->random, 60))
        write_copy(g, &other, &half, size);
    else
        write_copy(g, &half, &other, size);
    writer_line(&g->writer, "%s[%u] += %s;", half.address, index, value);
    writer_line(&g->writer, "}");
}

/* The buffers that may be touched here and that the host cannot touch. */
static uint32_t plain_buffers(const struct generator *g) {
    uint32_t plain = 0;

    for (unsigned i = 0; i < g->scope.buffer_count; i++)
        if (g->scope.buffers[i][0] != '\0' && g->scope.memory[i] < MEMORY_MANAGED)
            plain |= 1u << i;
    return plain & g->scope.allowed;
}

/*
 * Managed memory that no op uses is the host's behind a wait for all that may run, also on a device without
 * concurrent managed access.
 */
static void write_note(struct generator *g) {
    unsigned index = random_below(&g->random, 32);
    const char *value = number(g);
    uint32_t was = g->scope.allowed;

    writer_line(&g->writer, "{");
    if (random_percent(&g->random, 60))
        writer_line(&g->writer, "cudaDeviceSynchronize();");
    if (random_percent(&g->random, 80))
        g->scope.allowed = plain_buffers(g);
    write_launches(g, 1 + random_below(&g->random, 4));
    if (random_percent(&g->random, 30) || !write_copy_that_waits(g))
        write_wait(g);
    g->scope.allowed = was;
    writer_line(&g->writer, "v0 += notes[%u]++;", index);
    writer_line(&g->writer, "notes[%u] ^= %s;", (index + 1) % 32, value);
    writer_line(&g->writer, "}");
}

static void write_show(struct generator *g) {
    const char *from = pointer_argument(g, g->scope.allowed);

    if (from == NULL)
        return;
    if (!is_on_default(g))
        writer_line(&g->writer, "cudaStreamSynchronize(%s), show(%s);", g->scope.stream.name, from);
    else
        writer_line(&g->writer, "show(%s);", from);
}

const struct kind wait_kinds[] = {
    {write_host_access, 6, NEEDS_LIVE},       {write_access_behind_copy, 6, NEEDS_LIVE | NEEDS_DEFAULT},
    {write_half_beside, 2, NEEDS_LIVE},       {write_note, 6, NEEDS_LIVE | NEEDS_LOUD | NEEDS_NO_FORK},
    {write_show, 2, NEEDS_LIVE | NEEDS_LOUD},
};
const unsigned wait_kind_count = sizeof wait_kinds / sizeof *wait_kinds;
