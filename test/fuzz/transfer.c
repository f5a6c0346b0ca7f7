/* Copies, memsets and prefetches: in all directions, on all streams, of whole buffers and of parts. */
#include "test/fuzz/end.h"

#include <stddef.h>

/* Whether a call is one of those with Async in their names. */
struct form {
    const char *async;  /* that, or nothing */
    const char *stream; /* the last argument, with its comma, or nothing */
};

/* The default stream may not be, or not now, what copies are to be ordered with. */
static struct form choose_form(struct generator *g) {
    if ((*g->scope.stream.name != '\0' && !g->scope.stream.mixed) || random_percent(&g->random, 50))
        return (struct form){"Async", writer_text(&g->writer, ", %s", any_stream(g))};
    return (struct form){"", ""};
}

static unsigned smaller(unsigned a, unsigned b) {
    return a < b ? a : b;
}

void write_api_call(struct generator *g, const char *call) {
    const char *name = g->scope.numbers.names[random_below(&g->random, g->scope.numbers.variables)];

    switch (random_below(&g->random, 12)) {
    case 0:
    case 1:
    case 2:
        writer_line(&g->writer, "CHECK(%s);", call);
        break;
    case 3:
        writer_line(&g->writer, "if (%s != cudaSuccess)", call);
        writer_line(&g->writer, "    abort();");
        break;
    case 4:
        writer_line(&g->writer, "%s += %s;", name, call);
        break;
    case 5:
        writer_line(&g->writer, "demand(%s);", call);
        break;
    default:
        writer_line(&g->writer, "%s;", call);
    }
}

void write_copy(struct generator *g, const struct end *to, const struct end *from, const char *size) {
    const char *kind = copy_kind(g, to, from);
    struct form form = choose_form(g);

    write_api_call(g, writer_text(&g->writer, "cudaMemcpy%s(%s, %s, %s, %s%s)", form.async, to->address,
                                  from->address, size, kind, form.stream));
}

/* Rows of `width` bytes, so many that they fit in `room`. */
struct rows {
    unsigned width, height;
    unsigned to_pitch, from_pitch;
};

static unsigned rows_in(unsigned room, unsigned width, unsigned pitch) {
    return (room - width) / pitch + 1;
}

static struct rows choose_rows(struct generator *g, unsigned to_room, unsigned from_room) {
    static const unsigned widths[] = {4, 8, 5, 16, 12}, pitches[] = {32, 16, 32, 24, 19};
    struct rows rows;

    rows.width = widths[random_below(&g->random, smaller(to_room, from_room) < 16 ? 1 : 5)];
    rows.to_pitch = pitches[random_below(&g->random, 5)];
    rows.from_pitch = pitches[random_below(&g->random, 5)];
    rows.height =
        smaller(1 + random_below(&g->random, 4), smaller(rows_in(to_room, rows.width, rows.to_pitch),
                                                         rows_in(from_room, rows.width, rows.from_pitch)));
    return rows;
}

/* All rows, or as many of them as a variable says. */
static const char *height_of(struct generator *g, const struct rows *rows) {
    if (random_percent(&g->random, 20))
        return writer_text(&g->writer, "1 + %s %% %u", variable(g), rows->height);
    return writer_text(&g->writer, "%u", rows->height);
}

static void write_rows(struct generator *g, const struct end *to, const struct end *from,
                       const struct rows *rows) {
    const char *height = height_of(g, rows), *kind = copy_kind(g, to, from);
    struct form form = choose_form(g);

    write_api_call(g, writer_text(&g->writer, "cudaMemcpy2D%s(%s, %u, %s, %u, %u, %s, %s%s)", form.async,
                                  to->address, rows->to_pitch, from->address, rows->from_pitch, rows->width,
                                  height, kind, form.stream));
}

/* The same as a box of one slice, or with a slice for each row. */
static void write_box(struct generator *g, const struct end *to, const struct end *from,
                      const struct rows *rows) {
    const char *height = height_of(g, rows), *kind = copy_kind(g, to, from);
    struct form form = choose_form(g);
    bool flat = random_percent(&g->random, 50);
    unsigned slice = flat ? rows->height : 1;

    writer_line(&g->writer, "{");
    writer_line(&g->writer, "cudaMemcpy3DParms box = {};");
    writer_line(&g->writer, "box.dstPtr = make_cudaPitchedPtr(%s, %u, %u, %u);", to->address, rows->to_pitch,
                rows->width, slice);
    writer_line(&g->writer, "box.srcPtr = make_cudaPitchedPtr(%s, %u, %u, %u);", from->address,
                rows->from_pitch, rows->width, slice);
    writer_line(&g->writer, "box.extent = make_cudaExtent(%u, %s, %s);", rows->width, flat ? height : "1",
                flat ? "1" : height);
    writer_line(&g->writer, "box.kind = %s;", kind);
    write_api_call(g, writer_text(&g->writer, "cudaMemcpy3D%s(&box%s)", form.async, form.stream));
    writer_line(&g->writer, "}");
}

/* A copy of some form between two ends that do not overlap. */
static void write_some_copy(struct generator *g, const struct end *to, const struct end *from) {
    struct rows rows;

    if (random_percent(&g->random, 75)) {
        write_copy(g, to, from, size_within(g, smaller(to->room, from->room)));
        return;
    }
    rows = choose_rows(g, to->room, from->room);
    if (random_percent(&g->random, 40))
        write_box(g, to, from, &rows);
    else
        write_rows(g, to, from, &rows);
}

static void write_memset(struct generator *g) {
    struct end to = buffer_end(g, g->scope.allowed);
    struct form form = choose_form(g);
    const char *value = number(g), *extent;
    struct rows rows;

    if (to.address == NULL)
        return;
    if (random_percent(&g->random, 70)) {
        extent = size_within(g, to.room);
        write_api_call(g, writer_text(&g->writer, "cudaMemset%s(%s, %s, %s%s)", form.async, to.address, value,
                                      extent, form.stream));
        return;
    }
    rows = choose_rows(g, to.room, to.room);
    extent = height_of(g, &rows);
    write_api_call(g, writer_text(&g->writer, "cudaMemset2D%s(%s, %u, %s, %u, %s%s)", form.async, to.address,
                                  rows.to_pitch, value, rows.width, extent, form.stream));
}

static void write_copy_across(struct generator *g) {
    struct end to = buffer_end(g, g->scope.allowed);
    struct end from = buffer_end(g, g->scope.allowed & ~to.may);

    if (to.address != NULL && from.address != NULL)
        write_some_copy(g, &to, &from);
}

/* From one part of a buffer to another; of rows, each behind its source. */
static void write_copy_inside(struct generator *g) {
    static const unsigned places[][3] = {{0, 16, 16}, {16, 0, 16}, {8, 24, 8}, {4, 12, 8}, {0, 9, 8}};
    int buffer = choose_buffer(g, g->scope.allowed, false);
    const unsigned *place = places[random_below(&g->random, sizeof places / sizeof *places)];
    struct end to, from;

    if (buffer < 0)
        return;
    to = from = whole_end(g, (unsigned)buffer);
    if (random_percent(&g->random, 30)) {
        from.address = writer_text(&g->writer, "%s + 4", to.address);
        write_rows(g, &to, &from, &(struct rows){16, 1 + random_below(&g->random, 4), 32, 32});
        return;
    }
    to.address = writer_text(&g->writer, "%s + %u", to.address, place[0]);
    from.address = writer_text(&g->writer, "%s + %u", from.address, place[1]);
    write_copy(g, &to, &from, size_within(g, 4 * place[2]));
}

/* The host may write at once what it handed over. */
static void write_copy_in(struct generator *g) {
    struct end to = buffer_end(g, g->scope.allowed), from = page_end(g, false);
    const char *value = number(g);

    if (to.address == NULL)
        return;
    write_some_copy(g, &to, &from);
    if (!g->scope.stream.captured && random_percent(&g->random, 60))
        writer_line(&g->writer, "page[%u] += %s;", random_below(&g->random, 32), value);
}

/* Memory that goes as soon as its contents are on their way. */
static void write_copy_in_once(struct generator *g) {
    struct end to = buffer_end(g, g->scope.allowed);
    struct end from = {.address = "host", .room = 32, .on_host = true};
    const char *value = number(g);
    unsigned home = random_below(&g->random, 3);

    if (to.address == NULL)
        return;
    writer_line(&g->writer, "{");
    writer_line(&g->writer, home == 0   ? "unsigned host[LENGTH] = {};"
                            : home == 1 ? "unsigned *host = new unsigned[LENGTH]();"
                                        : "unsigned *host = (unsigned *)calloc(LENGTH, sizeof *host);");
    writer_line(&g->writer, "host[0] = 1, host[1] = %s, host[2] = 3;", value);
    write_some_copy(g, &to, &from);
    writer_line(&g->writer, "host[1] = 0;");
    if (home > 0)
        writer_line(&g->writer, home == 1 ? "delete[] host;" : "free(host);");
    writer_line(&g->writer, "}");
}

static void write_use_of_page(struct generator *g) {
    unsigned index = random_below(&g->random, 32),
             choice = random_below(&g->random, g->scope.holds.quiet ? 3 : 5);

    switch (choice) {
    case 0:
        writer_line(&g->writer, "v1 = folded(page, N);");
        break;
    case 1:
        writer_line(&g->writer, "v0 += page[%u];", index);
        break;
    case 3:
        writer_line(&g->writer, "printf(\"%%u\\n\", page[%u]);", index);
        break;
    case 4:
        writer_line(&g->writer, "printf(\"%%08x\\n\", folded(page, N));");
        break;
    default:
        break;
    }
}

/* What kernels computed is there at once, and may decide what the host does next. */
static void write_copy_out(struct generator *g) {
    struct end from = buffer_end(g, g->scope.allowed);
    struct end to = random_percent(&g->random, 30) ? number_end(g) : page_end(g, true);

    if (from.address == NULL || to.address == NULL)
        return;
    writer_line(&g->writer, "{");
    write_some_copy(g, &to, &from);
    if (random_percent(&g->random, 30))
        write_launches(g, 1);
    write_use_of_page(g);
    writer_line(&g->writer, "}");
}

struct symbol {
    const char *name;
    unsigned size;
};

/* False where none may be touched. `area` may be a buffer, too. */
static bool choose_symbol(struct generator *g, struct symbol *symbol) {
    static const struct symbol symbols[] = {{"total", 4}, {"bumped", 4}, {"constants", 16}, {"area", 128}};
    unsigned first = g->scope.holds.straight ? 3 : 0;
    bool is_buffer = false;

    for (unsigned i = 0; i < g->scope.buffer_count; i++)
        if (g->scope.memory[i] == MEMORY_SYMBOL) {
            is_buffer = true;
            if ((g->scope.allowed & 1u << i) == 0)
                return false;
        }
    *symbol = symbols[first + random_below(&g->random, 4 - first)];
    return is_buffer || !g->scope.holds.straight;
}

/* The buffers that are surely not `area`. */
static uint32_t other_than_symbols(const struct generator *g) {
    uint32_t within = g->scope.allowed;

    for (unsigned i = 0; i < g->scope.buffer_count; i++)
        if (g->scope.memory[i] == MEMORY_SYMBOL || g->scope.buffers[i][0] == '\0')
            within &= ~(1u << i);
    return within;
}

static struct end other_end(struct generator *g, bool written) {
    unsigned choice = g->scope.stream.captured ? 0 : random_below(&g->random, 3);

    if (choice == 0)
        return buffer_end(g, other_than_symbols(g));
    return choice == 1 ? number_end(g) : page_end(g, written);
}

static void write_symbol(struct generator *g) {
    bool into = random_percent(&g->random, 50);
    struct form form = choose_form(g);
    struct end other = other_end(g, !into), range = {.on_device = true};
    struct symbol symbol;
    unsigned offset;
    const char *size, *kind;

    if (!choose_symbol(g, &symbol) || other.address == NULL)
        return;
    offset = 4 * random_below(&g->random, symbol.size / 4);
    size = size_within(g, smaller(symbol.size - offset, other.room));
    kind = into ? copy_kind(g, &range, &other) : copy_kind(g, &other, &range);
    write_api_call(g, writer_text(&g->writer, "cudaMemcpy%sSymbol%s(%s, %s, %s, %u, %s%s)",
                                  into ? "To" : "From", form.async, into ? symbol.name : other.address,
                                  into ? other.address : symbol.name, size, offset, kind, form.stream));
}

static void write_prefetch(struct generator *g) {
    static const char *const ranges[] = {", BYTES", ", BYTES / 2", " + N / 2, BYTES / 2", " + 5, 13"};
    int buffer = choose_buffer(g, g->scope.allowed, true);
    const char *range = ranges[random_below(&g->random, 4)], *stream = any_stream(g);
    const char *place = random_percent(&g->random, 50) ? "Device" : "Host";

    if (buffer >= 0 && g->scope.memory[buffer] == MEMORY_MANAGED)
        write_api_call(g, writer_text(&g->writer,
                                      "cudaMemPrefetchAsync(%s%s, cudaMemLocation{cudaMemLocationType%s, 0}, "
                                      "0, %s)",
                                      g->scope.buffers[buffer], range, place, stream));
}

/* A kernel on all of one or two buffers, between copies of their parts. */
static void write_whole_launch(struct generator *g) {
    int one = choose_buffer(g, g->scope.allowed, false), other = choose_buffer(g, g->scope.allowed, false);
    const char *kernel = random_percent(&g->random, 50) ? "k_blend" : "k_spread";

    if (one >= 0)
        writer_line(&g->writer, "%s<<<%s>>>(%s, %s, %s);", kernel, configuration(g), g->scope.buffers[one],
                    g->scope.buffers[other], number(g));
}

void write_transfer(struct generator *g) {
    unsigned choice = random_below(&g->random, 5);

    if (choice == 0)
        write_memset(g);
    else if (choice == 1)
        write_copy_in(g);
    else if (choice == 2 && !g->scope.stream.captured) /* what a graph writes is not there at once */
        write_copy_out(g);
    else
        write_copy_across(g);
}

const struct kind transfer_kinds[] = {
    {write_memset, 5, 0},  {write_copy_across, 5, 0},           {write_copy_inside, 3, 0},
    {write_copy_in, 5, 0}, {write_copy_in_once, 3, NEEDS_LIVE}, {write_copy_out, 5, NEEDS_LIVE},
    {write_symbol, 4, 0},  {write_prefetch, 2, NEEDS_LIVE},     {write_whole_launch, 5, 0},
};
const unsigned transfer_kind_count = sizeof transfer_kinds / sizeof *transfer_kinds;
