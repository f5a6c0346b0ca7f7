/* Allocation, copies, and the host's own accesses to memory that kernels use. */
#include "test/fuzz/generator.h"

#include <stddef.h>

static void write_device_allocation(struct generator *g, const char *name) {
    switch (random_below(&g->random, 8)) {
    case 0:
        writer_line(&g->writer, "%s = allocate();", name);
        break;
    case 1:
        writer_line(&g->writer, "allocate_into(&%s);", name);
        break;
    case 2:
        writer_line(&g->writer, "CHECK(cudaMalloc(&%s, BYTES));", name);
        break;
    case 3:
        writer_line(&g->writer, "cudaMalloc((void **)&%s, BYTES);", name);
        break;
    case 4:
        writer_line(&g->writer, "cudaMallocAsync(&%s, BYTES, 0);", name);
        break;
    default:
        writer_line(&g->writer, "cudaMalloc(&%s, BYTES);", name);
    }
}

void write_allocation(struct generator *g, unsigned buffer) {
    const char *name = g->scope.buffers[buffer];

    switch (g->scope.memory[buffer]) {
    case MEMORY_DEVICE:
        write_device_allocation(g, name);
        break;
    case MEMORY_SYMBOL:
        writer_line(&g->writer, "cudaGetSymbolAddress((void **)&%s, area);", name);
        break;
    case MEMORY_REGISTERED:
        writer_line(&g->writer, "%s = new unsigned[N];", name);
        writer_line(&g->writer, "cudaHostRegister(%s, BYTES, 0);", name);
        break;
    case MEMORY_MANAGED:
        writer_line(&g->writer, "cudaMallocManaged(&%s, BYTES);", name);
        break;
    case MEMORY_PINNED:
        if (random_percent(&g->random, 50))
            writer_line(&g->writer, "cudaMallocHost(&%s, BYTES);", name);
        else
            writer_line(&g->writer, "cudaHostAlloc(&%s, BYTES, 0);", name);
        break;
    }
}

void write_contents(struct generator *g, unsigned buffer) {
    const char *name = g->scope.buffers[buffer];

    switch (random_below(&g->random, 6)) {
    case 0:
        writer_line(&g->writer, "cudaMemset(%s, %u, BYTES);", name, 1 + random_below(&g->random, 9));
        break;
    case 1:
        writer_line(&g->writer, "cudaMemcpy(%s, pattern, BYTES, cudaMemcpyDefault);", name);
        break;
    default:
        writer_line(&g->writer, "k_init<<<1, 1>>>(%s, %s);", name, variable(g));
    }
}

void write_free(struct generator *g, unsigned buffer) {
    const char *name = g->scope.buffers[buffer];

    switch (g->scope.memory[buffer]) {
    case MEMORY_SYMBOL:
        break;
    case MEMORY_REGISTERED:
        writer_line(&g->writer, "cudaDeviceSynchronize(), cudaHostUnregister(%s), delete[] %s;", name, name);
        break;
    case MEMORY_PINNED:
        writer_line(&g->writer, "cudaFreeHost(%s);", name);
        break;
    default:
        writer_line(&g->writer, "cudaFree(%s);", name);
    }
}

/* What pointed to the old memory points to the new one; where it is not freed, it may as well stay. */
static void write_reallocation(struct generator *g) {
    int buffer = choose_buffer(g, g->scope.allowed, false);
    bool leak = random_percent(&g->random, 30);

    if (buffer < 0)
        return;
    if (!leak)
        write_free(g, (unsigned)buffer);
    write_allocation(g, (unsigned)buffer);
    write_contents(g, (unsigned)buffer);
    for (unsigned i = 0; i < g->scope.pointer_count && !leak; i++)
        if ((g->scope.pointers[i].may & 1u << buffer) != 0 && g->scope.pointers[i].variable)
            writer_line(&g->writer, "%s = %s;", g->scope.pointers[i].name, g->scope.buffers[buffer]);
}

/* A pointer variable gets memory that nothing else points to; or, where there is none, has to do without. */
static void write_fresh_memory(struct generator *g) {
    const struct pointer *pointer = choose_variable(g);
    const char *value = pointer ? pointer_value(g, pointer->may) : NULL;
    const struct pointer *other = choose_variable(g);

    if (value == NULL)
        return;
    if (random_percent(&g->random, 20) && other != NULL) {
        writer_line(&g->writer,
                    "if (unsigned **to = %s & 1 ? &%s : &%s; cudaMalloc(to, BYTES) == cudaSuccess)",
                    variable(g), pointer->name, other->name);
        writer_line(&g->writer, "    k_init<<<%s>>>(*to, %s);", configuration(g), number(g));
        return;
    }
    if (random_percent(&g->random, 30)) {
        writer_line(&g->writer, "if (unsigned *old = %s; cudaMalloc(&%s, (size_t)1 << 60) != cudaSuccess)",
                    value, pointer->name);
        writer_line(&g->writer, "    %s = old;", pointer->name);
        return;
    }
    writer_line(&g->writer, "if (cudaMalloc(&%s, BYTES) == cudaSuccess)", pointer->name);
    writer_line(&g->writer, "    k_init<<<%s>>>(%s, %s);", configuration(g), pointer->name, number(g));
}

/* True where the default stream is not, or not now, what copies are to be ordered with. */
static bool is_asynchronous(struct generator *g) {
    return (*g->scope.stream != '\0' && !g->scope.mixed) || random_percent(&g->random, 50);
}

static void write_memset(struct generator *g) {
    const char *to = pointer_argument(g, g->scope.allowed);
    const char *value = number(g);

    if (to == NULL)
        return;
    if (is_asynchronous(g))
        writer_line(&g->writer, "cudaMemsetAsync(%s, %s, SOME, %s);", to, value, stream_argument(g));
    else
        writer_line(&g->writer, "cudaMemset(%s, %s, SOME);", to, value);
}

static void write_copy_within(struct generator *g) {
    int to = choose_buffer(g, g->scope.allowed, false);
    const char *from = to < 0 ? NULL : pointer_argument(g, g->scope.allowed & ~(1u << to));

    if (from == NULL)
        return;
    if (is_asynchronous(g))
        writer_line(&g->writer, "cudaMemcpyAsync(%s, %s, SOME, cudaMemcpyDefault, %s);", g->scope.buffers[to],
                    from, stream_argument(g));
    else
        writer_line(&g->writer, "cudaMemcpy(%s, %s, SOME, cudaMemcpyDefault);", g->scope.buffers[to], from);
}

static void write_copy_from_host(struct generator *g) {
    const char *to = pointer_argument(g, g->scope.allowed);
    const char *value = number(g);

    if (to == NULL)
        return;
    writer_line(&g->writer, "{");
    writer_line(&g->writer, "unsigned host[LENGTH] = {1, %s, 3};", value);
    if (is_asynchronous(g))
        writer_line(&g->writer, "cudaMemcpyAsync(%s, host, SOME, cudaMemcpyDefault, %s);", to,
                    stream_argument(g));
    else
        writer_line(&g->writer, "cudaMemcpy(%s, host, SOME, cudaMemcpyDefault);", to);
    writer_line(&g->writer, "host[1] = 0;");
    writer_line(&g->writer, "}");
}

/* What kernels computed decides what the host does next. */
static void write_copy_to_host(struct generator *g) {
    const char *from = pointer_argument(g, g->scope.allowed);
    const char *to = g->scope.numbers[random_below(&g->random, g->scope.variable_count)];

    if (from == NULL)
        return;
    if (is_asynchronous(g))
        writer_line(&g->writer, "CHECK(cudaMemcpyAsync(&%s, %s, sizeof %s, cudaMemcpyDefault, %s));", to,
                    from, to, stream_argument(g));
    else
        writer_line(&g->writer, "cudaMemcpy(&%s, %s, sizeof %s, cudaMemcpyDefault);", to, from, to);
}

static void write_show(struct generator *g) {
    const char *from = pointer_argument(g, g->scope.allowed);

    if (from == NULL)
        return;
    if (*g->scope.stream != '\0' && !g->scope.mixed)
        writer_line(&g->writer, "cudaStreamSynchronize(%s), show(%s);", g->scope.stream, from);
    else
        writer_line(&g->writer, "show(%s);", from);
}

static void write_symbol(struct generator *g) {
    const char *name = g->scope.numbers[random_below(&g->random, g->scope.variable_count)];

    switch (random_below(&g->random, 4)) {
    case 0:
        writer_line(&g->writer, "cudaMemcpyToSymbol(total, &%s, sizeof %s);", name, name);
        break;
    case 1:
        writer_line(&g->writer, "cudaMemcpyToSymbol(constants, &%s, sizeof %s);", name, name);
        break;
    case 2:
        writer_line(&g->writer, "cudaMemcpyFromSymbol(&%s, bumped, sizeof %s);", name, name);
        break;
    default:
        writer_line(&g->writer, "cudaMemcpyFromSymbol(&%s, total, sizeof %s);", name, name);
    }
}

static void write_wait_for(struct generator *g, const char *stream) {
    switch (random_below(&g->random, g->scope.quiet ? 2 : 4)) {
    case 0:
        writer_line(&g->writer, "cudaDeviceSynchronize();");
        break;
    case 1:
        writer_line(&g->writer, "cudaStreamSynchronize(%s);", stream);
        break;
    case 2:
        writer_line(&g->writer, "cudaEventRecord(marker, %s);", stream);
        writer_line(&g->writer, "cudaEventSynchronize(marker);");
        break;
    default:
        writer_line(&g->writer, "while (cudaStreamQuery(%s) == cudaErrorNotReady)", stream);
        writer_line(&g->writer, "    ;");
        writer_line(&g->writer, "cudaGetLastError();");
    }
}

/*
 * Whatever the function's stream, and the default stream where that may be used, did is done behind this. A
 * query may leave cudaErrorNotReady behind, or not.
 */
static void write_wait(struct generator *g) {
    if (g->per_thread && *g->scope.stream == '\0') {
        /* The default stream is the thread's own; launches name the legacy one, too. */
        writer_line(&g->writer, "%s;",
                    random_percent(&g->random, 80) ? "cudaDeviceSynchronize()" : "wait_for_all()");
        return;
    }
    if (g->scope.quiet || (*g->scope.stream != '\0' && !g->scope.mixed)) {
        write_wait_for(g, stream_argument(g));
        return;
    }
    switch (random_below(&g->random, 9)) {
    case 0:
        writer_line(&g->writer, "cudaStreamSynchronize(0);");
        break;
    case 1:
        writer_line(&g->writer, "cudaEventRecord(marker, 0);");
        writer_line(&g->writer, "cudaEventSynchronize(marker);");
        break;
    case 2:
        writer_line(&g->writer, "while (cudaStreamQuery(0) == cudaErrorNotReady)");
        writer_line(&g->writer, "    ;");
        writer_line(&g->writer, "cudaGetLastError();");
        break;
    case 3:
        writer_line(&g->writer, "cudaEventRecord(marker);");
        writer_line(&g->writer, "while (cudaEventQuery(marker) == cudaErrorNotReady)");
        writer_line(&g->writer, "    ;");
        writer_line(&g->writer, "cudaGetLastError();");
        break;
    case 4:
        writer_line(&g->writer, "cudaMemcpyFromSymbol(&unused_number, unused, sizeof unused_number);");
        break;
    case 5:
        if (has_blocking(g)) {
            writer_line(&g->writer, "k_none<<<1, 1, 0, blocking>>>();");
            writer_line(&g->writer, "cudaStreamSynchronize(blocking);");
            break;
        }
        writer_line(&g->writer, "wait_for_all();");
        break;
    default:
        writer_line(&g->writer, "cudaDeviceSynchronize();");
    }
}

/* Behind a wait, and as long as only other buffers are touched, the host may read and write. */
static void write_host_access(struct generator *g) {
    int buffer = choose_buffer(g, g->scope.allowed, true);
    uint32_t was = g->scope.allowed;
    const char *name, *value = number(g);
    unsigned index = random_below(&g->random, 8);

    if (buffer < 0)
        return;
    name = g->scope.buffers[buffer];
    writer_line(&g->writer, "{");
    write_wait(g);
    g->scope.allowed &= ~(1u << buffer);
    write_launches(g, random_below(&g->random, 3));
    g->scope.allowed = was;
    if (random_percent(&g->random, 60))
        writer_line(&g->writer, "v0 += %s[%u];", name, index);
    if (random_percent(&g->random, 60))
        writer_line(&g->writer, "%s[%u] = %s;", name, index, value);
    if (random_percent(&g->random, 30))
        writer_line(&g->writer, "count_up(%s + %u);", name, index);
    writer_line(&g->writer, "}");
}

static void write_prefetch(struct generator *g) {
    int buffer = choose_buffer(g, g->scope.allowed, true);

    if (buffer >= 0 && g->scope.memory[buffer] == MEMORY_MANAGED)
        writer_line(&g->writer,
                    "cudaMemPrefetchAsync(%s, BYTES, cudaMemLocation{cudaMemLocationTypeDevice, 0}, 0, %s);",
                    g->scope.buffers[buffer], stream_argument(g));
}

static void write_plain_wait(struct generator *g) {
    writer_line(&g->writer, "{");
    write_wait(g);
    writer_line(&g->writer, "}");
}

const struct kind memory_kinds[] = {
    {write_reallocation, 2, NEEDS_DEFAULT | NEEDS_LIVE},
    {write_fresh_memory, 2, NEEDS_LIVE},
    {write_memset, 3, 0},
    {write_copy_within, 4, 0},
    {write_copy_from_host, 3, NEEDS_LIVE},
    {write_copy_to_host, 3, NEEDS_LIVE},
    {write_show, 2, NEEDS_LIVE | NEEDS_LOUD},
    {write_symbol, 2, NEEDS_WAY_OUT | NEEDS_DEFAULT},
    {write_host_access, 5, NEEDS_LIVE},
    {write_prefetch, 1, NEEDS_LIVE},
    {write_plain_wait, 2, NEEDS_LIVE},
};
const unsigned memory_kind_count = sizeof memory_kinds / sizeof *memory_kinds;
