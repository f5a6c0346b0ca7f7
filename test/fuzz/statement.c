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
static const unsigned launch_kind_count = sizeof launch_kinds / sizeof *launch_kinds;

/* The kinds of all files. */
static const struct {
    const struct kind *kinds;
    const unsigned *count;
    enum { LAUNCHES, OPS, STREAMS } does; /* what they have at most, beside all that is before it */
} groups[] = {
    {launch_kinds, &launch_kind_count, LAUNCHES},
    {host_kinds, &host_kind_count, LAUNCHES},
    {control_kinds, &control_kind_count, LAUNCHES},
    {launcher_kinds, &launcher_kind_count, LAUNCHES},
    {transfer_kinds, &transfer_kind_count, OPS},
    {pipeline_kinds, &pipeline_kind_count, OPS},
    {memory_kinds, &memory_kind_count, OPS},
    {sync_kinds, &sync_kind_count, OPS},
    {wait_kinds, &wait_kind_count, OPS},
    {stream_kinds, &stream_kind_count, STREAMS},
};
enum { GROUPS = sizeof groups / sizeof *groups };

static const struct kind *kind_at(unsigned index) {
    for (unsigned i = 0; i < GROUPS; i++) {
        if (index < *groups[i].count)
            return &groups[i].kinds[index];
        index -= *groups[i].count;
    }
    return NULL;
}

/* Some functions only launch; some copy and wait, too; and some have streams and threads of their own. */
void choose_kinds(struct generator *g) {
    static const unsigned most[] = {LAUNCHES, LAUNCHES, LAUNCHES, OPS,     OPS,
                                    OPS,      STREAMS,  STREAMS,  STREAMS, STREAMS};
    unsigned share = 10 + random_below(&g->random, 60), kind = 0;
    unsigned does = most[random_below(&g->random, sizeof most / sizeof *most)];

    for (unsigned i = 0; i < GROUPS; i++)
        for (unsigned j = 0; j < *groups[i].count; j++)
            g->chosen.weights[kind++] =
                random_percent(&g->random, share) && groups[i].does <= does ? groups[i].kinds[j].weight : 0;
    g->chosen.weights[0] = 10 + random_below(&g->random, does == LAUNCHES ? 90 : 45);
    g->scope.holds.many_streams = does == STREAMS && random_percent(&g->random, 40);
}

/* What cannot be had here. */
static unsigned missing(const struct generator *g) {
    const struct scope *scope = &g->scope;

    return (scope->loops == 0 || scope->holds.straight ? NEEDS_LOOP : 0) |
           (scope->holds.straight ? NEEDS_WAY_OUT : 0) | (scope->holds.has_own_stream ? 0 : NEEDS_SCENARIO) |
           (g->has.resets ? NEEDS_NO_RESET : 0) |
           (*scope->stream.name != '\0' && !scope->stream.mixed ? NEEDS_DEFAULT : 0) |
           (scope->holds.quiet ? NEEDS_LOUD : 0) | (scope->stream.captured ? NEEDS_LIVE : 0) |
           (scope->holds.may_throw ? 0 : NEEDS_CATCH) | (scope->holds.forked ? NEEDS_NO_FORK : 0);
}

static bool is_possible(const struct generator *g, const struct kind *kind) {
    return (kind->needs & missing(g)) == 0;
}

static const struct kind *choose_kind(struct generator *g) {
    unsigned sum = 0, choice;

    for (unsigned i = 0; kind_at(i) != NULL; i++)
        sum += is_possible(g, kind_at(i)) ? g->chosen.weights[i] : 0;
    choice = random_below(&g->random, sum);
    for (unsigned i = 0;; i++) {
        unsigned weight = is_possible(g, kind_at(i)) ? g->chosen.weights[i] : 0;
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
