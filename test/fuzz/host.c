/* Host code between launches: numbers, pointers and what hides them, prints, checks, C++. */
#include "test/fuzz/generator.h"

#include <stddef.h>

static const char *assigned(struct generator *g) {
    return g->scope.numbers.names[random_below(&g->random, g->scope.numbers.variables)];
}

static void write_arithmetic(struct generator *g) {
    const char *name = assigned(g);
    const char *value = number(g);
    unsigned choice = random_below(&g->random, 8);

    if (g->scope.holds.quiet && (choice == 4 || choice == 5))
        choice = 0;
    switch (choice) {
    case 0:
        writer_line(&g->writer, "%s = mixed(%s, %s);", name, name, value);
        break;
    case 1:
        writer_line(&g->writer, "%s += changed(&%s);", name, g->scope.numbers.names[0]);
        break;
    case 2:
        writer_line(&g->writer, "small_.x += %s;", value);
        break;
    case 3:
        writer_line(&g->writer, "large.v[%s %% 64] += %s;", name, value);
        break;
    case 4:
        writer_line(&g->writer, "global_number = %s;", value);
        break;
    case 5:
        writer_line(&g->writer, "%s ^= global_number;", name);
        break;
    default:
        writer_line(&g->writer, "%s = %s * 3 + %s;", name, name, value);
    }
}

/* A value for a pointer with the buffers `may`; sometimes into a buffer's middle. */
static const char *new_value(struct generator *g, uint32_t may) {
    int buffer = choose_buffer(g, may, false);

    if (buffer >= 0 && random_percent(&g->random, 40))
        return writer_text(&g->writer, "%s + %u", g->scope.buffers[buffer], 4 * random_below(&g->random, 3));
    return pointer_value(g, may);
}

/* Ways of a pointer that no compiler can follow, or that it should not take for a new object. */
static void write_hidden_assignment(struct generator *g, const struct pointer *pointer, const char *value) {
    int buffer = choose_buffer(g, pointer->may, true);
    unsigned choice = random_below(&g->random, 3);

    if (g->scope.holds.quiet || (choice == 1 && *g->scope.stream.name != '\0'))
        return;
    switch (choice) {
    case 0:
        if (buffer >= 0 && g->scope.memory[buffer] >= MEMORY_PINNED)
            writer_line(&g->writer, "cudaHostGetDevicePointer((void **)&%s, %s, 0);", pointer->name,
                        g->scope.buffers[buffer]);
        break;
    case 1:
        writer_line(&g->writer, "through_device(&%s, %s);", pointer->name, value);
        break;
    default:
        writer_line(&g->writer, "{");
        writer_line(&g->writer, "static unsigned *kept = nullptr;");
        writer_line(&g->writer, "kept = %s;", value);
        writer_line(&g->writer, "%s = kept;", pointer->name);
        writer_line(&g->writer, "}");
    }
}

static void write_assignment(struct generator *g) {
    const struct pointer *pointer = choose_variable(g);
    const char *value, *when;

    if (pointer == NULL)
        return;
    value = new_value(g, pointer->may);
    when = variable(g);
    switch (random_below(&g->random, 8)) {
    case 0:
        writer_line(&g->writer, "if (%s & 1)", when);
        writer_line(&g->writer, "    %s = %s;", pointer->name, value);
        break;
    case 1:
        writer_line(&g->writer, "set(&%s, %s);", pointer->name, value);
        break;
    case 2:
        writer_line(&g->writer, "*pointer_to(%s) = %s;", pointer->name, value);
        break;
    case 3:
        writer_line(&g->writer, "[&](unsigned *from) { %s = from; }(%s);", pointer->name, value);
        break;
    case 4:
        writer_line(&g->writer, "copy_bytes(&%s, %s);", pointer->name, value);
        break;
    case 5:
        write_hidden_assignment(g, pointer, value);
        break;
    default:
        writer_line(&g->writer, "%s = %s;", pointer->name, value);
    }
}

static const struct pointer *choose_twin(struct generator *g, const struct pointer *pointer) {
    const struct pointer *twin = NULL;

    for (unsigned i = 0; i < g->scope.pointers.count; i++) {
        const struct pointer *other = &g->scope.pointers.items[i];
        if (other != pointer && other->variable && other->may == pointer->may &&
            (twin == NULL || random_percent(&g->random, 40)))
            twin = other;
    }
    return twin;
}

static void write_swap(struct generator *g) {
    const struct pointer *one = choose_variable(g);
    const struct pointer *other = one ? choose_twin(g, one) : NULL;

    if (other == NULL)
        return;
    switch (random_below(&g->random, 4)) {
    case 0:
        writer_line(&g->writer, "std::swap(%s, %s);", one->name, other->name);
        break;
    case 1:
        writer_line(&g->writer, "exchange(&%s, &%s);", one->name, other->name);
        break;
    case 2:
        writer_line(&g->writer, "rotate(&%s, &%s, %s, %s);", one->name, other->name, variable(g),
                    stream_argument(g));
        g->scope.work += 3 * g->scope.times;
        break;
    default:
        writer_line(&g->writer, "{");
        writer_line(&g->writer, "unsigned *t = %s;", one->name);
        writer_line(&g->writer, "%s = %s;", one->name, other->name);
        writer_line(&g->writer, "%s = t;", other->name);
        writer_line(&g->writer, "}");
    }
}

static void write_print(struct generator *g) {
    const char *value = number(g);

    switch (random_below(&g->random, 6)) {
    case 0:
        writer_line(&g->writer, "fprintf(stderr, \"%%u\\n\", %s);", value);
        break;
    case 1:
        writer_line(&g->writer, "puts(\"here\");");
        break;
    case 2:
        writer_line(&g->writer, "printf(\"%%u %%u\\n\", u, small_.x);");
        break;
    case 3:
        writer_line(&g->writer, "clock();");
        break;
    default:
        writer_line(&g->writer, "printf(\"%%u\\n\", %s);", value);
    }
}

static void write_check(struct generator *g) {
    if (random_percent(&g->random, 40))
        writer_line(&g->writer, "CHECK(cudaGetLastError());");
    else if (random_percent(&g->random, 50))
        writer_line(&g->writer, "printf(\"%%s\\n\", cudaGetErrorName(cudaPeekAtLastError()));");
    else
        writer_line(&g->writer, "printf(\"%%s\\n\", cudaGetErrorName(cudaGetLastError()));");
}

/* A launch that fails: nothing runs, and the error stays until somebody asks. All fail alike: of several, the
 * last to fail tells, and launches may change places. */
static void write_bad_launch(struct generator *g) {
    static const char *const shapes[] = {"0, 1", "1, 4096", "1, 2048"};
    const char *one = pointer_argument(g, g->scope.allowed);
    const char *how = shapes[random_below(&g->random, 3)];

    if (one != NULL)
        writer_line(&g->writer, "k_fill<<<%s>>>(%s, 77);", how, one);
}

/* A block that launches when it is left, however that happens. */
static void write_finish(struct generator *g) {
    const struct pointer *pointer = choose_pointer(g, g->scope.allowed);

    if (pointer == NULL)
        return;
    writer_line(&g->writer, "{");
    if (random_percent(&g->random, 30)) {
        writer_line(&g->writer, "Finish finish_%u[2] = {{%s, %s, %s}, {%s, 7, %s}};", g->writer.next,
                    pointer->name, variable(g), stream_argument(g), pointer->name, stream_argument(g));
        g->scope.work += g->scope.times;
    } else {
        writer_line(&g->writer, "Finish finish_%u = {%s, %s, %s};", g->writer.next, pointer->name,
                    variable(g), stream_argument(g));
    }
    g->scope.work += g->scope.times;
    write_block(g, 5);
    writer_line(&g->writer, "}");
}

static void write_lambda(struct generator *g) {
    bool was = g->scope.holds.in_lambda, straight = g->scope.holds.straight;
    unsigned loops = g->scope.loops;
    const char *name = writer_text(&g->writer, "lambda_%u", g->writer.next);

    g->scope.holds.in_lambda = true;
    g->scope.loops = 0;
    writer_line(&g->writer, "{");
    writer_line(&g->writer, "auto %s = [&](unsigned times) {", name);
    writer_line(&g->writer, "%s += times;", assigned(g));
    if (random_percent(&g->random, 60))
        write_block(g, 3);
    writer_line(&g->writer, "};");
    writer_line(&g->writer, "%s(1);", name);
    if (random_percent(&g->random, 50))
        writer_line(&g->writer, "%s(%s);", name, variable(g));
    writer_line(&g->writer, "}");
    g->scope.holds.in_lambda = was;
    g->scope.holds.straight = straight;
    g->scope.loops = loops;
}

static void write_vector(struct generator *g) {
    const char *name = writer_text(&g->writer, "vector_%u", g->writer.next);

    if (!g->has.vectors)
        return;
    writer_line(&g->writer, "{");
    writer_line(&g->writer, "std::vector<unsigned> %s(3, %s);", name, variable(g));
    write_block(g, 4);
    writer_line(&g->writer, "%s.push_back(%s);", name, number(g));
    write_block(g, 3);
    writer_line(&g->writer, "%s += %s.back();", assigned(g), name);
    writer_line(&g->writer, "}");
}

/* Memory of a block that its destructor frees; nothing outside points to it. */
static void write_scoped_buffer(struct generator *g) {
    const char *other = pointer_argument(g, g->scope.allowed);
    const char *name = writer_text(&g->writer, "buffer_%u", g->writer.next);

    if (other == NULL)
        return;
    writer_line(&g->writer, "{");
    writer_line(&g->writer, "Buffer %s;", name);
    writer_line(&g->writer, "k_init<<<%s>>>(%s.data, %s);", configuration(g), name, number(g));
    write_launches(g, 1 + random_below(&g->random, 2));
    writer_line(&g->writer, "k_mix<<<%s>>>(%s.data, %s);", configuration(g), name, other);
    write_launches(g, random_below(&g->random, 3));
    writer_line(&g->writer, "k_add<<<%s>>>(%s, %s.data, %s.data + 8);", configuration(g), other, name, name);
    write_launches(g, random_below(&g->random, 2));
    writer_line(&g->writer, "}");
}

static void write_call(struct generator *g) {
    const char *one = pointer_value(g, g->scope.allowed);
    const char *other = one ? pointer_value(g, g->scope.allowed) : NULL;
    const char *value = number(g);
    unsigned helper = g->helpers > 0 ? random_below(&g->random, g->helpers) : 0;
    unsigned depth = random_below(&g->random, 3);

    if (one == NULL)
        return;
    if (g->helpers > 0 && g->work[helper] * g->scope.times < MOST_WORK && random_percent(&g->random, 70)) {
        g->scope.work += g->work[helper] * g->scope.times;
        writer_line(&g->writer, "helper_%u(%s, %s, %s);", helper, one, other, value);
    } else {
        g->scope.work += (8 * depth + 1) * g->scope.times;
        if (random_percent(&g->random, 30))
            writer_line(&g->writer, "(%s & 1 ? launching<0> : launching<%u>)(%s, %s, %s);", variable(g),
                        depth, one, other, value);
        else
            writer_line(&g->writer, "launching<%u>(%s, %s, %s);", depth, one, other, value);
    }
}

static void write_array_of_any_size(struct generator *g) {
    writer_line(&g->writer, "{");
    writer_line(&g->writer, "unsigned sizes[%s %% 3 + 1];", variable(g));
    writer_line(&g->writer, "sizes[0] = %s;", number(g));
    write_block(g, 4);
    writer_line(&g->writer, "%s += sizes[0];", assigned(g));
    writer_line(&g->writer, "}");
}

static void write_volatile(struct generator *g) {
    writer_line(&g->writer, "global_volatile = %s;", number(g));
}

static void write_library_call(struct generator *g) {
    const char *name = assigned(g);

    switch (random_below(&g->random, 3)) {
    case 0:
        writer_line(&g->writer, "%s += strlen(getenv(\"PATH\") ? \"yes\" : \"no\");", name);
        break;
    case 1:
        writer_line(&g->writer, "%s += abs((int)%s) & 7;", name, variable(g));
        break;
    default:
        writer_line(&g->writer, "sort_numbers(large.v, 64);");
    }
}

const struct kind host_kinds[] = {
    {write_arithmetic, 10, 0},
    {write_assignment, 12, 0},
    {write_swap, 6, 0},
    {write_print, 3, NEEDS_LOUD},
    {write_check, 3, NEEDS_LOUD},
    {write_bad_launch, 2, NEEDS_NO_RESET | NEEDS_LOUD | NEEDS_DEFAULT},
    {write_finish, 3, 0},
    {write_lambda, 3, 0},
    {write_vector, 2, 0},
    {write_scoped_buffer, 2, NEEDS_LIVE},
    {write_call, 3, NEEDS_WAY_OUT | NEEDS_DEFAULT},
    {write_volatile, 1, NEEDS_LOUD},
    {write_library_call, 1, 0},
    {write_array_of_any_size, 1, 0},
};
const unsigned host_kind_count = sizeof host_kinds / sizeof *host_kinds;
