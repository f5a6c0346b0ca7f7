/* Allocation of the memory that kernels use. */
#include "test/fuzz/end.h"

#include <stddef.h>

static void write_device_allocation(struct generator *g, const char *name) {
    switch (random_below(&g->random, 7)) {
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
    case MEMORY_POOLED:
        write_api_call(g, writer_text(&g->writer, "cudaMallocAsync(&%s, BYTES, %s)", name, any_stream(g)));
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

    switch (random_below(&g->random, 10)) {
    case 0:
        writer_line(&g->writer, "cudaMemset(%s, %u, BYTES);", name, 1 + random_below(&g->random, 9));
        break;
    case 1:
        writer_line(&g->writer, "cudaMemsetAsync(%s, %u, BYTES);", name, random_below(&g->random, 9));
        break;
    case 2:
        writer_line(&g->writer, "cudaMemcpy(%s, pattern, BYTES, cudaMemcpyHostToDevice);", name);
        break;
    case 3:
        writer_line(&g->writer, "cudaMemcpyAsync(%s, pattern, BYTES / 2, cudaMemcpyHostToDevice, 0);", name);
        writer_line(&g->writer, "cudaMemcpyAsync(%s + N / 2, pattern, BYTES / 2, cudaMemcpyDefault);", name);
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
    case MEMORY_POOLED:
        if (random_percent(&g->random, 75))
            writer_line(&g->writer, "cudaFreeAsync(%s, %s);", name, any_stream(g));
        else
            writer_line(&g->writer, "cudaDeviceSynchronize(), cudaFree(%s);", name);
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
    for (unsigned i = 0; i < g->scope.pointers.count && !leak; i++)
        if ((g->scope.pointers.items[i].may & 1u << buffer) != 0 && g->scope.pointers.items[i].variable)
            writer_line(&g->writer, "%s = %s;", g->scope.pointers.items[i].name, g->scope.buffers[buffer]);
}

/* A pointer variable gets device memory that nothing else points to; or, where there is none, has to do
 * without. None that copies may take for a pointer to host memory. */
static void write_fresh_memory(struct generator *g) {
    const struct pointer *pointer = choose_variable(g);
    const char *value = pointer ? pointer_value(g, pointer->may) : NULL;
    const struct pointer *other = choose_variable(g);

    if (value == NULL || is_on_host(g, pointer->may))
        return;
    if (random_percent(&g->random, 20) && other != NULL && !is_on_host(g, other->may)) {
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

/* Memory of a block that comes and goes in the order of a stream; nothing outside points to it. */
static void write_pooled(struct generator *g) {
    const char *name = writer_text(&g->writer, "pooled_%u", g->writer.next);
    struct scope *scope = &g->scope;
    unsigned buffers = scope->buffer_count, pointers = scope->pointers.count;
    uint32_t allowed = scope->allowed;

    if (buffers == SCOPE_BUFFERS || pointers == SCOPE_POINTERS)
        return;
    writer_line(&g->writer, "{");
    writer_line(&g->writer, "unsigned *%s = nullptr;", name);
    add_buffer(g, name, MEMORY_POOLED);
    write_allocation(g, buffers);
    if (random_percent(&g->random, 50))
        writer_line(&g->writer, "cudaMemsetAsync(%s, 3, BYTES, %s);", name, any_stream(g));
    else
        writer_line(&g->writer, "k_init<<<%s>>>(%s, %s);", configuration(g), name, variable(g));
    scope->allowed |= 1u << buffers;
    write_block(g, 4);
    write_free(g, buffers);
    scope->buffer_count = buffers;
    scope->pointers.count = pointers;
    scope->allowed = allowed;
    writer_line(&g->writer, "}");
}

const struct kind memory_kinds[] = {
    {write_reallocation, 2, NEEDS_DEFAULT | NEEDS_LIVE},
    {write_fresh_memory, 2, NEEDS_LIVE},
    {write_pooled, 4, NEEDS_LIVE},
};
const unsigned memory_kind_count = sizeof memory_kinds / sizeof *memory_kinds;
