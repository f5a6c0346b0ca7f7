/* Chooses among the kinds of statements. Each function of a program has its own selection of kinds. */
#include "test/fuzz/generator.h"

#include <stddef.h>

static void write_macro_launch(struct generator *g) {
    const char *one = pointer_argument(g, g->scope.allowed);
    const char *value = number(g);

    if (one != NULL)
        writer_line(&g->writer, "TWICE(%s, %s, %s);", one, value, stream_argument(g));
}

static void write_launch_under_condition(struct generator *g) {
    const char *one = pointer_argument(g, g->scope.allowed);
    const char *when = variable(g);

    if (one == NULL)
        return;
    switch (random_below(&g->random, 3)) {
    case 0:
        writer_line(&g->writer, "%s & 1 ? k_fill<<<%s>>>(%s, 3) : (void)0;", when, configuration(g), one);
        break;
    case 1:
        writer_line(&g->writer, "k_fill<<<%s>>>(%s, 4), k_scale<<<%s>>>(%s, %s);", configuration(g), one,
                    configuration(g), one, when);
        break;
    default:
        writer_line(&g->writer, "if (%s %% 3)", when);
        write_default_launch(g);
    }
}

static void write_indirect_launch(struct generator *g) {
    const char *one = pointer_argument(g, g->scope.allowed);
    const char *when = variable(g);

    if (one == NULL)
        return;
    writer_line(&g->writer, "{");
    writer_line(&g->writer, "void (*kernel)(unsigned *, unsigned) = %s & 1 ? chosen_a : chosen_b;", when);
    writer_line(&g->writer, "kernel<<<%s>>>(%s, %s);", configuration(g), one, when);
    writer_line(&g->writer, "}");
}

static void write_direct_launch(struct generator *g) {
    const char *one = pointer_argument(g, g->scope.allowed);
    const char *value = number(g);

    if (one == NULL)
        return;
    writer_line(&g->writer, "{");
    writer_line(&g->writer, "unsigned *target = %s, value = %s;", one, value);
    writer_line(&g->writer, "void *arguments[] = {&target, &value};");
    writer_line(&g->writer, "cudaLaunchKernel((const void *)chosen_a, 1, 1, arguments, 0, %s);",
                stream_argument(g));
    writer_line(&g->writer, "}");
}

/* Launches while another one's arguments, or configuration, are evaluated, and as its temporaries go. */
static void write_nested_launch(struct generator *g) {
    const struct pointer *one = choose_pointer(g, g->scope.allowed);
    const char *stream = stream_argument(g), *value = number(g);
    const char *outer = configuration(g);

    if (one == NULL)
        return;
    g->scope.work += g->scope.times;
    switch (random_below(&g->random, 3)) {
    case 0:
        writer_line(&g->writer, "k_scale<<<%s>>>(touched(%s, %s), %s);", outer, one->name, stream, value);
        break;
    case 1:
        writer_line(&g->writer, "k_scale<<<*touched_number(%s, %s), 1, 0, %s>>>(%s, %s);", one->name, stream,
                    stream, one->name, value);
        break;
    default:
        writer_line(&g->writer, "k_scale<<<%s>>>(Finish{%s, 3, %s}.p, %s);", outer, one->name, stream, value);
    }
}

/* Launches the first time only. */
static void write_launch_once(struct generator *g) {
    const char *one = pointer_argument(g, g->scope.allowed);

    if (one != NULL)
        writer_line(&g->writer, "static unsigned once_%u = (k_scale<<<%s>>>(%s, 3), 1);", g->writer.next,
                    configuration(g), one);
}

static const struct kind launch_kinds[] = {
    {write_default_launch, 0, 0},
    {write_macro_launch, 2, 0},
    {write_launch_under_condition, 2, 0},
    {write_indirect_launch, 1, 0},
    {write_direct_launch, 1, 0},
    {write_nested_launch, 2, 0},
    {write_launch_once, 1, NEEDS_LOUD | NEEDS_LIVE},
};
enum { LAUNCH_KINDS = sizeof launch_kinds / sizeof *launch_kinds };

static const struct kind *kind_at(unsigned index) {
    if (index < LAUNCH_KINDS)
        return &launch_kinds[index];
    index -= LAUNCH_KINDS;
    if (index < host_kind_count)
        return &host_kinds[index];
    index -= host_kind_count;
    if (index < control_kind_count)
        return &control_kinds[index];
    index -= control_kind_count;
    if (index < memory_kind_count)
        return &memory_kinds[index];
    index -= memory_kind_count;
    if (index < stream_kind_count)
        return &stream_kinds[index];
    index -= stream_kind_count;
    return index < launcher_kind_count ? &launcher_kinds[index] : NULL;
}

void choose_kinds(struct generator *g) {
    unsigned share = 10 + random_below(&g->random, 60);

    for (unsigned i = 0; kind_at(i) != NULL; i++) {
        g->weights[i] = 0;
        if (random_percent(&g->random, share))
            g->weights[i] = kind_at(i)->weight;
    }
    g->weights[0] = 10 + random_below(&g->random, 90);
}

/* What cannot be had here. */
static unsigned missing(const struct generator *g) {
    const struct scope *scope = &g->scope;

    return (scope->loops == 0 || scope->straight ? NEEDS_LOOP : 0) | (scope->straight ? NEEDS_WAY_OUT : 0) |
           (scope->has_own_stream ? 0 : NEEDS_SCENARIO) | (g->resets ? NEEDS_NO_RESET : 0) |
           (*scope->stream != '\0' && !scope->mixed ? NEEDS_DEFAULT : 0) | (scope->quiet ? NEEDS_LOUD : 0) |
           (scope->captured ? NEEDS_LIVE : 0) | (scope->may_throw ? 0 : NEEDS_CATCH) |
           (scope->forked ? NEEDS_NO_FORK : 0);
}

static bool is_possible(const struct generator *g, const struct kind *kind) {
    return (kind->needs & missing(g)) == 0;
}

static const struct kind *choose_kind(struct generator *g) {
    unsigned sum = 0, choice;

    for (unsigned i = 0; kind_at(i) != NULL; i++)
        sum += is_possible(g, kind_at(i)) ? g->weights[i] : 0;
    choice = random_below(&g->random, sum);
    for (unsigned i = 0;; i++) {
        unsigned weight = is_possible(g, kind_at(i)) ? g->weights[i] : 0;
        if (choice < weight)
            return kind_at(i);
        choice -= weight;
    }
}

static void write_one(struct generator *g, const struct kind *kind) {
    bool kept = writer_begin(&g->writer);

    kind->write(g);
    writer_end(&g->writer, kept);
}

void write_statements(struct generator *g, unsigned count) {
    while (count-- > 0)
        write_one(g, choose_kind(g));
}

void write_block(struct generator *g, unsigned most) {
    unsigned count = 1 + random_below(&g->random, most);

    g->scope.depth++;
    if (g->scope.depth < 4)
        write_statements(g, count);
    else
        write_launches(g, count);
    g->scope.depth--;
}

void write_launches(struct generator *g, unsigned count) {
    while (count-- > 0)
        write_one(g, &launch_kinds[0]);
}
