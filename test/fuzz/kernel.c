/*
 * The kernels of every program, and launches of them. Constants and the form of annotation differ from
 * program to program; some have none. One thread does all the work, so pointers of one launch may alias;
 * updates do not commute, so the order of any two launches shows.
 */
#include "test/fuzz/kernel.h"
#include "test/fuzz/assembly.h"
#include "test/fuzz/generator.h"

#include <string.h>

/*
 * Kernels that reach variables in ways that only a close look at C++ tells: by code that no expression shows,
 * and by pointers that are no parameters.
 */
static const struct kernel hidden_kernels[] = {
    {"k_dependent<unsigned>",
     "sw",
     {"template <class T> KESCO_OUTPUTS(1)"},
     "__global__ void k_dependent(T v, T *out",
     0,
     "EACH(i) out[i] = out[i] * C1 + v;",
     false},
    {"k_leave",
     "ws",
     {"KESCO_OUTPUTS(1)"},
     "__global__ void k_leave(unsigned *out, unsigned v",
     1,
     "EACH(i) { Leave l{v}; out[i] = out[i] * C1 + v; }",
     true},
    {"k_enter",
     "ws",
     {"KESCO_OUTPUTS(1)"},
     "__global__ void k_enter(unsigned *out, unsigned v",
     1,
     "EACH(i) { Enter l(v); out[i] = out[i] * C2 + l.x; }",
     true},
    {"k_delegate",
     "ws",
     {"KESCO_OUTPUTS(1)"},
     "__global__ void k_delegate(unsigned *out, unsigned v",
     0,
     "EACH(i) { Delegate l(v); out[i] = out[i] * C2 + l.x; }",
     true},
    {"k_inherit",
     "ws",
     {"KESCO_OUTPUTS(1)"},
     "__global__ void k_inherit(unsigned *out, unsigned v",
     0,
     "EACH(i) { Inherit l(v); out[i] = out[i] * C2 + l.x; }",
     true},
    {"k_member",
     "ws",
     {"KESCO_OUTPUTS(1)"},
     "__global__ void k_member(unsigned *out, unsigned v",
     0,
     "Members m; EACH(i) out[i] = m.sum = m.sum * C3 + v;",
     true},
    {"k_default",
     "w",
     {"KESCO_OUTPUTS(1)"},
     "__global__ void k_default(unsigned *out",
     0,
     "EACH(i) out[i] = out[i] * C4 + with_default(i);",
     true},
    {"k_range",
     "ws",
     {"KESCO_OUTPUTS(1)"},
     "__global__ void k_range(unsigned *out, unsigned v",
     0,
     "EACH(i) for (unsigned x : Range()) out[i] = out[i] * C4 + x + v;",
     true},
    {"k_virtual",
     "ws",
     {"KESCO_OUTPUTS(1)"},
     "__global__ void k_virtual(unsigned *out, unsigned v",
     0,
     "Derived d; EACH(i) out[i] = out[i] * C5 + through_base(d, v);",
     true},
    {"k_alias",
     "ws",
     {"KESCO_OUTPUTS(1)"},
     "__global__ void k_alias(unsigned *out, unsigned v",
     0,
     "EACH(i) out[i] = *alias_of_total = *alias_of_total * C6 + v;",
     true},
};

/* Kernels of assembly, which is another in each program. */
static const struct kernel assembly_kernels[] = {
    [ASSEMBLY_READS] = {"k_assembly",
                        "wrs",
                        {""},
                        "__global__ void k_assembly(unsigned *out, const unsigned *in, unsigned v",
                        0,
                        NULL,
                        false},
    [ASSEMBLY_WRITES] = {"k_assembly_of_two",
                         "wws",
                         {""},
                         "__global__ void k_assembly_of_two(unsigned *out, unsigned *in, unsigned v",
                         0,
                         NULL,
                         false},
    [ASSEMBLY_LOADS] = {"k_assembly_of_slot",
                        "ws",
                        {""},
                        "__global__ void k_assembly_of_slot(unsigned *out, unsigned v",
                        0,
                        NULL,
                        true},
};

/* Annotated ones, bare ones, those of assembly, hidden ones. */
enum {
    READABLE = ANNOTATED_KERNELS + BARE_KERNELS,
    PLAIN = READABLE + sizeof assembly_kernels / sizeof *assembly_kernels,
    KERNELS = PLAIN + sizeof hidden_kernels / sizeof *hidden_kernels
};
_Static_assert((int)KERNELS <= (int)MOST_KERNELS, "the generator has room for each kernel");

static const struct kernel *kernel_at(unsigned index) {
    if (index < ANNOTATED_KERNELS)
        return &annotated_kernels[index];
    if (index < READABLE)
        return &bare_kernels[index - ANNOTATED_KERNELS];
    return index < PLAIN ? &assembly_kernels[index - READABLE] : &hidden_kernels[index - PLAIN];
}

static unsigned form_count(const struct kernel *kernel) {
    unsigned count = 0;

    while (count < 4 && kernel->forms[count] != NULL)
        count++;
    return count;
}

/* The form without its annotations of outputs. */
static const char *without_outputs(struct generator *g, const char *form) {
    static const char *const begins[] = {"KESCO_OUTPUTS(", "__attribute__((kesco_outputs("};
    static const char *const ends[] = {")", ")))"};

    for (unsigned i = 0; i < 2; i++) {
        const char *begin = strstr(form, begins[i]);
        const char *end = begin ? strstr(begin, ends[i]) : NULL;
        if (end != NULL)
            return writer_text(&g->writer, "%.*s%s", (int)(begin - form), form, end + strlen(ends[i]));
    }
    return form;
}

static void write_kernel(struct generator *g, const struct kernel *kernel) {
    const char *form = kernel->forms[random_below(&g->random, form_count(kernel))];
    bool bare = random_percent(&g->random, g->has.bare);
    bool paper = kernel->paper != 0 && random_percent(&g->random, 25) && !bare;
    bool nested = strncmp(kernel->name, "deep::", 6) == 0;

    if (bare)
        form = without_outputs(g, form);
    if (nested)
        writer_line(&g->writer, "namespace deep {");
    if (strcmp(kernel->name, "k_init") == 0)
        writer_line(&g->writer, "#undef LENGTH");
    if (strcmp(kernel->name, "k_init") == 0)
        writer_line(&g->writer, "#define LENGTH N");
    if (paper)
        writer_line(&g->writer, "%s, int outputs = %d, int priority = 1) {", kernel->head, kernel->paper);
    else
        writer_line(&g->writer, "%s%s%s) {", form, *form ? "\n" : "", kernel->head);
    if (g->has.asserts && random_percent(&g->random, 25))
        writer_line(&g->writer, "%s", harmless_trap(g));
    if (kernel->body != NULL)
        writer_line(&g->writer, "%s", kernel->body);
    else
        write_assembly(g, (enum assembly_shape)(kernel - assembly_kernels));
    writer_line(&g->writer, "}");
    if (nested)
        writer_line(&g->writer, "}");
    if (strcmp(kernel->name, "k_init") == 0)
        writer_line(&g->writer, "#undef LENGTH");
    if (strcmp(kernel->name, "k_init") == 0)
        writer_line(&g->writer, "#define LENGTH 8");
}

void write_kernels(struct generator *g) {
    for (unsigned i = 0; i < 8; i++) {
        unsigned constant = random_below(&g->random, 1u << 30);
        writer_line(&g->writer, "#define C%u %uu", i, constant | 1);
    }
    for (unsigned i = 0; i < KERNELS; i++)
        if (g->all_kernels[i]) {
            bool kept = writer_begin(&g->writer);
            write_kernel(g, kernel_at(i));
            writer_end(&g->writer, kept);
        }
}

/* One of the structs with pointers that letters stand for; NULL where no pointer is allowed. */
static const char *structure_of_pointers(struct generator *g, char letter, uint32_t within) {
    const char *p = pointer_argument(g, within);
    const char *q = p ? pointer_argument(g, within) : NULL;
    const char *r = p ? pointer_argument(g, within) : NULL;
    const char *v = number(g);

    if (p == NULL)
        return NULL;
    switch (letter) {
    case 'I':
        return writer_text(&g->writer, "Indexed{%s, %s}", v, p);
    case 'T':
        return writer_text(&g->writer, "Triple{%s, %s, %s}", p, q, v);
    case 'M':
        return writer_text(&g->writer, "Many{{%s, %s, %s}, %s}", p, q, r, v);
    case 'N':
        return writer_text(&g->writer, "Nested{%s, {%s, %s}, %s}", v, p, q, r);
    case 'V':
        return writer_text(&g->writer, "View{{%s, %s}, %s}", p, q, v);
    case 'A':
        return writer_text(&g->writer, "Either{%s}", p);
    case 'R':
        return writer_text(&g->writer, "Reference{*(%s)}", p);
    case 'f':
        return writer_text(&g->writer, "Scaler{%s, %s, %s}", p, q, v);
    default:
        return writer_text(&g->writer,
                           "[p = %s, q = %s, v = %s] __device__ (int i) { p[i] = p[i] * 3 + q[i] + v; }", p,
                           q, v);
    }
}

/* A pointer and, behind it, one that it does not reach with all of LENGTH. */
static const char *separate_pointers(struct generator *g, uint32_t within) {
    const struct pointer *pointer = choose_pointer(g, within);

    if (pointer == NULL)
        return NULL;
    if (random_percent(&g->random, 50))
        return writer_text(&g->writer, "%s + LENGTH, %s", pointer->name, pointer->name);
    return writer_text(&g->writer, "%s, %s + LENGTH", pointer->name, pointer->name);
}

static const char *holder(struct generator *g, uint32_t within) {
    const char *x = pointer_argument(g, within);
    const char *y = x ? pointer_argument(g, within) : NULL;

    if (x == NULL || random_percent(&g->random, 30))
        return x ? writer_text(&g->writer, "make_holder(%s, %s)", x, y) : NULL;
    return writer_text(&g->writer, "Holder{%s, %s}", x, y);
}

static const char *outputs(struct generator *g) {
    static const char *const forms[] = {"2", "3", "v0 ? 2 : 3", "2, 2", "number_of_outputs"};

    return forms[random_below(&g->random, sizeof forms / sizeof *forms)];
}

static const char *structure(struct generator *g, char letter) {
    if (letter == 'L')
        return random_percent(&g->random, 80) ? "large" : "make_large(v1)";
    if (random_percent(&g->random, 60))
        return "small_";
    return writer_text(&g->writer, "Small{%s, 3}", number(g));
}

/* One that another unit may give. */
static const char *pointer_of_unit(struct generator *g, uint32_t within) {
    const char *pointer = pointer_argument(g, within);
    const bool is_given = pointer != NULL && g->has.several_units && random_percent(&g->random, 15);

    return is_given ? writer_text(&g->writer, "given(%s)", pointer) : pointer;
}

static const char *argument(struct generator *g, char letter, bool *effects, uint32_t within) {
    switch (letter) {
    case 'O':
        return "Odd{1, 2, 3}, Empty{}";
    case 's':
        if (*effects && random_percent(&g->random, 20)) {
            *effects = false;
            return changing_number(g);
        }
        return number(g);
    case 'S':
    case 'L':
        return structure(g, letter);
    case 'H':
        return holder(g, within);
    case 'o':
        return outputs(g);
    case 'v':
        return pointer_value(g, within);
    case 'u':
        return separate_pointers(g, within);
    case 'a': {
        const char *pointer = pointer_argument(g, within);
        return pointer ? writer_text(&g->writer, "(uintptr_t)(%s)", pointer) : NULL;
    }
    case 'I':
    case 'T':
    case 'M':
    case 'N':
    case 'V':
    case 'A':
    case 'R':
    case 'f':
    case 'l':
        return structure_of_pointers(g, letter, within);
    case 'n':
        if (random_percent(&g->random, 30))
            return "nullptr";
        break;
    default:
        break;
    }
    return pointer_of_unit(g, within);
}

/* The arguments for `kernel`, with commas; NULL where no pointer is allowed. */
static const char *arguments(struct generator *g, const struct kernel *kernel, bool effects,
                             uint32_t within) {
    const char *all = "";

    for (const char *letter = kernel->parameters; *letter != '\0'; letter++) {
        if (*letter == 'U')
            continue; /* came with its 'u' */
        const char *one = argument(g, *letter, &effects, within);
        if (one == NULL)
            return NULL;
        all = writer_text(&g->writer, "%s%s%s", all, *all ? ", " : "", one);
    }
    return all;
}

/* Some of the first `count` of `all`; always the first six: their annotations tell all, as long as there is
 * one. */
static void choose_among(struct generator *g, bool *chosen, const bool *all, unsigned count, unsigned share) {
    for (unsigned i = 0; i < KERNELS; i++)
        chosen[i] = i < 6 || (random_percent(&g->random, share) && i < count && (all == NULL || all[i]));
}

void choose_program_kernels(struct generator *g) {
    choose_among(g, g->all_kernels, NULL, g->has.hidden ? (unsigned)KERNELS : (unsigned)PLAIN,
                 g->has.several_units ? 8 : 20 + random_below(&g->random, 40));
}

void choose_kernels(struct generator *g) {
    choose_among(g, g->chosen.kernels, g->all_kernels, KERNELS, random_below(&g->random, 100));
}

static const struct kernel *choose_kernel(struct generator *g) {
    const struct kernel *kernel;
    unsigned choice;

    do {
        choice = random_below(&g->random, KERNELS);
        kernel = kernel_at(choice);
    } while (!g->chosen.kernels[choice] || strcmp(kernel->name, "k_init") == 0 ||
             (kernel->symbol && g->scope.holds.straight));
    return kernel;
}

/* Grid and block of a launch; *effects is set if evaluating them changes something. */
static const char *shape(struct generator *g, bool *effects) {
    unsigned choice = random_below(&g->random, 40);

    *effects = choice == 0;
    switch (choice) {
    case 0:
        return "blocks(&u), 1";
    case 1:
        return "dim3(1), dim3(1, 1)";
    case 2:
        return writer_text(&g->writer, "1 + %s %% 2, 2", variable(g));
    case 3:
        return "one, one";
    case 4:
        return "dim3(one, 2, 1), 2";
    case 5:
        return random_percent(&g->random, 30) && !g->has.resets && !g->scope.stream.captured
                   ? writer_text(&g->writer, "%s %% 4 ? 1 : 0, 1", variable(g))
                   : "1, 1";
    default:
        return "1, 1";
    }
}

void write_launch_on(struct generator *g, const char *stream, uint32_t within) {
    const struct kernel *kernel = choose_kernel(g);
    bool effects;
    const char *grid = shape(g, &effects);
    const char *given = arguments(g, kernel, !effects, within);

    g->scope.work += g->scope.times;
    if (given == NULL)
        writer_line(&g->writer, ";");
    else if (*stream != '\0')
        writer_line(&g->writer, "%s<<<%s, 0, %s>>>(%s);", kernel->name, grid, stream, given);
    else
        writer_line(&g->writer, "%s<<<%s>>>(%s);", kernel->name, grid, given);
}

void write_default_launch(struct generator *g) {
    static const char *const streams[] = {
        "", "", "", "", "", "", "0", "cudaStreamLegacy", "nullptr", "default_stream"};
    const char *stream = streams[random_below(&g->random, g->scope.holds.many_streams ? 10 : 9)];

    write_launch_on(g, *g->scope.stream.name != '\0' ? g->scope.stream.name : stream, g->scope.allowed);
}
