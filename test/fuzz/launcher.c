/*
 * Functions that launch and are called in many ways: they take two pointers as arguments, references,
 * members, elements; they call each other, and themselves. What a call looks like is a shape.
 */
#include "test/fuzz/generator.h"

#include <string.h>

/*
 * In the texts, $n is the function's number, $x and $y are the two pointers, $v a number, $c the
 * configuration of a launch, $p what a parameter list has at its end for the stream, $s the same of an
 * argument list.
 */
struct shape {
    const char *before; /* a line before the function; NULL for none */
    const char *head;
    const char *x, *y; /* what the pointers are called in it */
    const char *extra; /* in the middle of the body; NULL for nothing */
    unsigned extra_work;
    const char *call;
    unsigned calls; /* how many runs of the body a call makes */
    enum { TAKES_VALUES, TAKES_VARIABLES, TAKES_VECTOR } takes;
};

static const struct shape shapes[] = {
    {NULL, "$qvoid call_$n(unsigned *x, unsigned *y, unsigned v0$p) {", "x", "y", NULL, 0,
     "call_$n($x, $y, $v$s);", 1, TAKES_VALUES},
    {NULL, "$qvoid call_$n(unsigned *&x, unsigned *&y, unsigned v0$p) {", "x", "y", NULL, 0,
     "call_$n($x, $y, $v$s);", 1, TAKES_VARIABLES},
    {NULL, "$qvoid call_$n(unsigned **a, unsigned **b, unsigned v0$p) {", "*a", "*b", NULL, 0,
     "call_$n(&$x, &$y, $v$s);", 1, TAKES_VARIABLES},
    {NULL, "$qvoid call_$n(Holder h, unsigned v0$p) {", "h.x", "h.y", NULL, 0,
     "call_$n(Holder{$x, $y}, $v$s);", 1, TAKES_VALUES},
    {NULL, "$qvoid call_$n(Holder &h, unsigned v0$p) {", "h.x", "h.y", NULL, 0,
     "{ Holder pair = {$x, $y}; call_$n(pair, $v$s); k_mix<<<$c>>>(pair.x, pair.y); call_$n(pair, 5$s); }", 2,
     TAKES_VALUES},
    {"struct Worker_$n { unsigned *x, *y; void run(unsigned v0$p); };",
     "void Worker_$n::run(unsigned v0$p) {", "x", "y", NULL, 0,
     "{ Worker_$n worker = {$x, $y}; worker.run($v$s); worker.run(7$s); }", 2, TAKES_VALUES},
    {"struct Worker_$n { unsigned *parts[2]; void run(unsigned v0$p); };",
     "void Worker_$n::run(unsigned v0$p) {", "parts[0]", "this->parts[v0 % 2]", NULL, 0,
     "{ Worker_$n worker; worker.parts[0] = $x; worker.parts[1] = $y; worker.run($v$s); }", 1, TAKES_VALUES},
    {"struct Worker_$n { unsigned *x; virtual void run(unsigned *y, unsigned v0$p); };",
     "void Worker_$n::run(unsigned *y, unsigned v0$p) {", "x", "y", NULL, 0,
     "{ Worker_$n worker; Worker_$n *base = &worker; worker.x = $x; base->run($y, $v$s); "
     "worker.run(base->x, 2$s); }",
     2, TAKES_VALUES},
    {NULL, "$qvoid call_$n(unsigned **list, unsigned v0$p) {", "list[0]", "list[1]", NULL, 0,
     "{ unsigned *pair[] = {$x, $y}; call_$n(pair, $v$s); k_mix<<<$c>>>(pair[1], pair[0]); }", 1,
     TAKES_VALUES},
    {NULL, "$qvoid call_$n(std::vector<unsigned *> &list, unsigned v0$p) {", "list[0]", "list.back()", NULL,
     0, "{ std::vector<unsigned *> pair = {$x, $y}; call_$n(pair, $v$s); }", 1, TAKES_VECTOR},
    {"template <unsigned K>", "$qvoid call_$n(unsigned *x, unsigned *y, unsigned v0$p) {", "x", "y",
     "k_scale<<<$c>>>(y, K);", 1, "call_$n<3>($x, $y, $v$s), call_$n<4>($y, $x, $v$s);", 2, TAKES_VALUES},
    {"template <class T>", "$qvoid call_$n(T *x, T *y, T v0$p) {", "x", "y", NULL, 0,
     "call_$n<unsigned>($x, $y, $v$s);", 1, TAKES_VALUES},
    {"template <class F>", "$qvoid call_$n(F launch, unsigned *x, unsigned *y, unsigned v0$p) {", "x", "y",
     "launch(x, v0), launch(y, 2);", 2,
     "call_$n([&](unsigned *p, unsigned v) { k_scale<<<$c>>>(p, v); }, $x, $y, $v$s);", 1, TAKES_VALUES},
    {NULL, "static void call_$n(unsigned *x, unsigned *y, unsigned v0$p, unsigned depth = 0) {", "x", "y",
     "if (depth < 2) call_$n(y, x, v0 + 1$s, depth + 1);", 0, "call_$n($x, $y, $v$s);", 3, TAKES_VALUES},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

struct words {
    const char *x, *y, *v;
    const char *qualifiers;
    const char *stream; /* argument; NULL where the function takes none */
    const char *configuration;
    unsigned number;
};

static const char *word(struct generator *g, const struct words *words, char letter) {
    switch (letter) {
    case 'n':
        return writer_text(&g->writer, "%u", words->number);
    case 'x':
        return words->x;
    case 'y':
        return words->y;
    case 'v':
        return words->v;
    case 'q':
        return words->qualifiers;
    case 'c':
        return words->configuration;
    case 'p':
        return words->stream == NULL ? "" : ", cudaStream_t s";
    default:
        return words->stream == NULL ? "" : writer_text(&g->writer, ", %s", words->stream);
    }
}

static void write_filled(struct generator *g, const char *text, const struct words *words) {
    char line[1000] = "";

    for (; *text != '\0'; text++) {
        size_t length = strlen(line);
        if (*text == '$')
            snprintf(line + length, sizeof line - length, "%s", word(g, words, *++text));
        else
            snprintf(line + length, sizeof line - length, "%c", *text);
    }
    writer_line(&g->writer, "%s", line);
}

/* A body: statements on the two pointers, the shape's own line among them. */
static void write_body(struct generator *g, const struct shape *shape, const struct words *words) {
    unsigned first = random_below(&g->random, 4);

    writer_line(&g->writer, "unsigned v1 = v0 * 3;");
    write_numbers(g);
    write_statements(g, first);
    if (shape->extra != NULL)
        write_filled(g, shape->extra, words);
    g->scope.work += shape->extra_work;
    write_statements(g, 2 + random_below(&g->random, 5 - first));
    write_end(g);
}

static void begin_launcher(struct generator *g, const struct shape *shape, const struct launcher *launcher) {
    begin_scope(g);
    add_buffer(g, "", MEMORY_DEVICE);
    add_pointer(g, shape->x, 1, true);
    add_pointer(g, shape->y, 1, true);
    g->scope.allowed = 1;
    g->scope.stream.name = launcher->streamed ? "s" : "";
    g->scope.holds.may_throw = launcher->may_throw;
    g->scope.holds.straight = launcher->straight;
    g->scope.holds.quiet = launcher->quiet;
    g->scope.stream.captured = launcher->captured;
}

static struct launcher choose_launcher(struct generator *g) {
    struct launcher launcher = {0};
    unsigned choice = random_below(&g->random, 8);

    do
        launcher.shape = random_below(&g->random, SHAPES);
    while (shapes[launcher.shape].takes == TAKES_VECTOR && !g->has.vectors);
    launcher.captured = choice == 0;
    launcher.quiet = choice == 0 || choice == 1;
    launcher.straight = choice <= 2;
    launcher.streamed = launcher.captured || random_percent(&g->random, 50);
    launcher.may_throw = !launcher.straight && random_percent(&g->random, 40);
    return launcher;
}

static void write_launcher(struct generator *g, unsigned index) {
    static const char *const qualifiers[] = {"static ", "__attribute__((noinline)) static ",
                                             "static inline "};
    struct launcher launcher = choose_launcher(g);
    const struct shape *shape = &shapes[launcher.shape];
    struct words words = {.number = index, .stream = launcher.streamed ? "s" : NULL};
    bool kept = writer_begin(&g->writer);

    words.qualifiers = qualifiers[random_below(&g->random, 3)];
    words.configuration = launcher.streamed ? "1, 1, 0, s" : "1, 1";
    begin_launcher(g, shape, &launcher);
    write_ways_out(g, false);
    if (shape->before != NULL)
        write_filled(g, shape->before, &words);
    write_filled(g, shape->head, &words);
    write_body(g, shape, &words);
    writer_end(&g->writer, kept);
    launcher.work = g->scope.work * shape->calls + 4;
    g->launchers[index] = launcher;
    g->launcher_count = index + 1;
}

void write_launchers(struct generator *g) {
    unsigned count = random_below(&g->random, MOST_LAUNCHERS + 1);

    for (unsigned i = 0; i < count; i++)
        write_launcher(g, i);
}

/* True if `launcher` may be called where the scope is. */
static bool fits(const struct generator *g, const struct launcher *launcher) {
    const struct scope *scope = &g->scope;

    if (*scope->stream.name != '\0' && !scope->stream.mixed && !launcher->streamed)
        return false;
    return (launcher->straight || !scope->holds.straight) && (launcher->quiet || !scope->holds.quiet) &&
           (launcher->captured || !scope->stream.captured) && launcher->work * scope->times < MOST_WORK;
}

static const char *stream_for_call(struct generator *g) {
    static const char *const streams[] = {"0", "cudaStreamLegacy", "default_stream", "blocking"};

    if (*g->scope.stream.name != '\0')
        return g->scope.stream.name;
    if (!g->scope.holds.many_streams)
        return streams[random_below(&g->random, 2)];
    return streams[random_below(&g->random, has_blocking(g) ? 4 : 3)];
}

static const struct pointer *choose_like(struct generator *g, const struct pointer *pointer) {
    const struct pointer *found = pointer;

    for (unsigned i = 0; i < g->scope.pointers.count; i++) {
        const struct pointer *other = &g->scope.pointers.items[i];
        if (other->variable && other->may == pointer->may && random_percent(&g->random, 50))
            found = other;
    }
    return found;
}

/* False where there are no pointers for the call. */
static bool choose_pointers(struct generator *g, const struct shape *shape, struct words *words) {
    const struct pointer *one;

    if (shape->takes != TAKES_VARIABLES) {
        words->x = pointer_value(g, g->scope.allowed);
        words->y = words->x ? pointer_value(g, g->scope.allowed) : NULL;
        return words->y != NULL;
    }
    one = choose_variable(g);
    if (one == NULL)
        return false;
    words->x = one->name;
    words->y = choose_like(g, one)->name;
    return true;
}

static void write_call_of(struct generator *g, unsigned index) {
    const struct launcher *launcher = &g->launchers[index];
    const struct shape *shape = &shapes[launcher->shape];
    struct words words = {.number = index};
    bool catches = launcher->may_throw && (!g->scope.holds.may_throw || g->scope.holds.in_lambda);

    words.stream = launcher->streamed ? stream_for_call(g) : NULL;
    words.v = number(g);
    if (!choose_pointers(g, shape, &words))
        return;
    words.configuration = launcher->streamed ? writer_text(&g->writer, "1, 1, 0, %s", words.stream) : "1, 1";
    g->scope.work += launcher->work * g->scope.times;
    if (catches)
        writer_line(&g->writer, "try {");
    write_filled(g, shape->call, &words);
    if (catches) {
        writer_line(&g->writer, "} catch (...) {");
        if (random_percent(&g->random, 50))
            write_launches(g, 1);
        writer_line(&g->writer, "}");
    }
}

static void write_launcher_call(struct generator *g) {
    unsigned fitting[MOST_LAUNCHERS], count = 0;

    for (unsigned i = 0; i < g->launcher_count; i++)
        if (fits(g, &g->launchers[i]))
            fitting[count++] = i;
    if (count > 0)
        write_call_of(g, fitting[random_below(&g->random, count)]);
}

static void write_thread_body(struct generator *g, const struct launcher *launcher, unsigned number) {
    struct words words = {.number = number, .x = "p", .y = "q", .v = "v", .configuration = "1, 1"};

    if (launcher->streamed) {
        words.stream = random_percent(&g->random, 50) ? "cudaStreamPerThread" : "0";
        words.configuration = writer_text(&g->writer, "1, 1, 0, %s", words.stream);
    }
    writer_line(&g->writer, "auto run = [](unsigned *p, unsigned *q, unsigned v) {");
    write_filled(g, shapes[launcher->shape].call, &words);
    write_filled(g, shapes[launcher->shape].call, &words);
    writer_line(&g->writer, "cudaDeviceSynchronize();");
    writer_line(&g->writer, "};");
}

/* A function on two threads at once, each with memory of its own, and this one beside them. */
static void write_threads_of(struct generator *g, unsigned number) {
    const struct launcher *launcher = &g->launchers[number];

    g->scope.work += 4 * launcher->work * g->scope.times;
    writer_line(&g->writer, "{");
    writer_line(&g->writer, "Buffer buffers[4];");
    writer_line(&g->writer, "for (Buffer &b : buffers) k_init<<<1, 1>>>(b.data, 5);");
    writer_line(&g->writer, "cudaDeviceSynchronize();");
    write_thread_body(g, launcher, number);
    writer_line(&g->writer, "std::thread thread_one(run, buffers[0].data, buffers[1].data, %s);",
                variable(g));
    writer_line(&g->writer, "std::thread thread_other(run, buffers[2].data, buffers[3].data, 6);");
    write_beside(g, 0);
    writer_line(&g->writer, "thread_one.join(), thread_other.join();");
    writer_line(&g->writer, "for (Buffer &b : buffers) show_all(b.data);");
    writer_line(&g->writer, "}");
}

static void write_threads(struct generator *g) {
    for (unsigned i = 0; i < g->launcher_count && g->has.threads; i++) {
        const struct launcher *launcher = &g->launchers[i];
        if (launcher->quiet && 4 * launcher->work * g->scope.times < MOST_WORK) {
            write_threads_of(g, i);
            return;
        }
    }
}

/* The function calls itself, once. Its globals are as before behind the call; the symbol they share is in
 * use. */
static void write_recursion(struct generator *g) {
    const char *first, *second;

    if (g->scenario < 0 || g->scope.work > MOST_WORK / 3)
        return;
    writer_line(&g->writer, "if (scenario_depth == 0) {");
    writer_line(&g->writer, "unsigned *kept[] = {g0, g1};");
    writer_line(&g->writer, "cudaStream_t kept_stream = global_stream;");
    writer_line(&g->writer, "++scenario_depth;");
    if (*g->scope.stream.name != '\0')
        writer_line(&g->writer, "cudaDeviceSynchronize();");
    first = variable(g);
    second = number(g);
    writer_line(&g->writer, "scenario_%d(%s, %s);", g->scenario, first, second);
    writer_line(&g->writer, "--scenario_depth;");
    writer_line(&g->writer, "g0 = kept[0], g1 = kept[1], global_stream = kept_stream;");
    writer_line(&g->writer, "}");
}

const struct kind launcher_kinds[] = {
    {write_launcher_call, 14, 0},
    {write_threads, 3, NEEDS_SCENARIO | NEEDS_WAY_OUT | NEEDS_DEFAULT},
    {write_recursion, 2, NEEDS_SCENARIO | NEEDS_WAY_OUT | NEEDS_LIVE | NEEDS_NO_FORK},
};
const unsigned launcher_kind_count = sizeof launcher_kinds / sizeof *launcher_kinds;
