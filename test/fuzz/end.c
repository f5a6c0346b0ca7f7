#include "test/fuzz/end.h"

#include <stddef.h>
#include <string.h>

enum { ALL = 128, SOME = 32 }; /* BYTES and SOME of the programs */

bool is_on_host(const struct generator *g, uint32_t may) {
    for (unsigned i = 0; i < g->scope.buffer_count; i++)
        if ((may & 1u << i) != 0 && g->scope.memory[i] < MEMORY_MANAGED)
            return false;
    return true;
}

/* Halves, quarters, and places that are no number's. */
static const char *place_within(struct generator *g, const char *name, unsigned *room) {
    static const unsigned offsets[] = {0, 0, 0, 32, 64, 64, 96, 16, 3, 7, 33};
    unsigned offset = offsets[random_below(&g->random, sizeof offsets / sizeof *offsets)];

    *room = ALL - offset;
    if (offset == 0)
        return name;
    if (offset % 4 != 0)
        return writer_text(&g->writer, "(char *)%s + %u", name, offset);
    if (random_percent(&g->random, 30))
        return writer_text(&g->writer, "&%s[%u]", name, offset / 4);
    return writer_text(&g->writer, "%s + %u", name, offset / 4);
}

static const char *computed_place(struct generator *g, const char *name, unsigned *room) {
    *room = SOME;
    return writer_text(&g->writer, "%s + %s %% 4 * LENGTH", name, variable(g));
}

struct end whole_end(const struct generator *g, unsigned buffer) {
    return (struct end){.address = g->scope.buffers[buffer],
                        .may = 1u << buffer,
                        .room = ALL,
                        .on_host = is_on_host(g, 1u << buffer),
                        .on_device = true};
}

struct end buffer_end(struct generator *g, uint32_t within) {
    int buffer = choose_buffer(g, within, false);
    const struct pointer *pointer = choose_pointer(g, within);
    struct end end = {0};

    if (buffer >= 0 && random_percent(&g->random, 60)) {
        end = whole_end(g, (unsigned)buffer);
        end.address = random_percent(&g->random, 75) ? place_within(g, end.address, &end.room)
                                                     : computed_place(g, end.address, &end.room);
    } else if (pointer != NULL) {
        end.may = pointer->may;
        end.address = pointer_argument(g, pointer->may);
        end.room = SOME;
        end.on_host = is_on_host(g, pointer->may);
        end.on_device = true;
    }
    return end;
}

struct end page_end(struct generator *g, bool written) {
    const char *name = "page";
    struct end end = {.on_host = true};

    if (g->scope.stream.captured || (!written && random_percent(&g->random, 20)))
        name = "pattern";
    if (g->scope.stream.captured && written)
        return end;
    end.address = random_percent(&g->random, 80) ? place_within(g, name, &end.room)
                                                 : computed_place(g, name, &end.room);
    return end;
}

struct end number_end(struct generator *g) {
    const char *name = g->scope.numbers.names[random_below(&g->random, g->scope.numbers.variables)];

    return (struct end){
        .address = writer_text(&g->writer, "&%s", name), .room = sizeof(unsigned), .on_host = true};
}

const char *constant_size(struct generator *g, unsigned room) {
    static const struct {
        const char *text;
        unsigned bytes;
    } sizes[] = {{"sizeof(unsigned)", 4},
                 {"5", 5},
                 {"13", 13},
                 {"SOME / 2", 16},
                 {"24", 24},
                 {"SOME", 32},
                 {"SOME", 32},
                 {"SOME", 32},
                 {"BYTES / 4", 32},
                 {"BYTES / 2", 64},
                 {"BYTES / 2", 64},
                 {"3 * SOME", 96},
                 {"BYTES", 128},
                 {"BYTES", 128}};
    unsigned count = 0;

    if (room < sizes[0].bytes)
        return "0";
    while (count < sizeof sizes / sizeof *sizes && sizes[count].bytes <= room)
        count++;
    return sizes[random_below(&g->random, count)].text;
}

const char *size_within(struct generator *g, unsigned room) {
    if (room >= SOME && random_percent(&g->random, 10))
        return writer_text(&g->writer, "%s %% 9 * sizeof(unsigned)", variable(g));
    return constant_size(g, room);
}

static bool may_be_managed(const struct end *end) {
    return end->on_host && end->on_device;
}

/* True if CUDA reads or writes managed memory on the host at the call, where it does not wait for all that
 * the copy comes after (test/vgpu/rules/managed_copies.c), so that programs with one would have races. */
static bool is_by_host(const char *kind, const struct end *to, const struct end *from) {
    const bool within = strcmp(kind, "cudaMemcpyHostToHost") == 0;

    return (within && may_be_managed(to)) ||
           ((within || strcmp(kind, "cudaMemcpyHostToDevice") == 0) && may_be_managed(from));
}

const char *copy_kind(struct generator *g, const struct end *to, const struct end *from) {
    const char *kinds[5] = {"cudaMemcpyDefault"}, *kind;
    unsigned count = 1;

    if (to->on_device && from->on_host)
        kinds[count++] = "cudaMemcpyHostToDevice";
    if (to->on_host && from->on_device)
        kinds[count++] = "cudaMemcpyDeviceToHost";
    if (to->on_device && from->on_device)
        kinds[count++] = "cudaMemcpyDeviceToDevice";
    if (to->on_host && from->on_host)
        kinds[count++] = "cudaMemcpyHostToHost";
    kind = random_percent(&g->random, 15) ? kinds[0] : kinds[1 + random_below(&g->random, count - 1)];
    return is_by_host(kind, to, from) ? kinds[0] : kind;
}
