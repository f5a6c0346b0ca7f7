#include "test/fuzz/index_kernels.h"

#include "test/fuzz/index_value.h"

#include <inttypes.h>

#define TEXT(...) writer_text(&g->writer, __VA_ARGS__)

/* How far an access may be from where its pointer leads, in elements: as far as 16 bits count; pointers of a
 * kernel; launches of a kernel; passes of all loops around a statement, at most. */
enum { FAR = 66000, POINTERS = 8, LAUNCHES = 3, MOST_PASSES = 128 };

/* A kernel while it is written. */
struct body {
    struct index_scope scope;
    unsigned *taken; /* accesses of the kernel so far: the first ones have a pointer of their own each */
    unsigned names;  /* variables so far */
    unsigned passes; /* of the loops around, at most */
    unsigned depth;  /* blocks around */
    bool in_loop;
};

/* What a launch gives. */
struct launch {
    unsigned grid[3], block[3];
    int n, m, h, in_struct;
    unsigned u, byte;
    int64_t l, long_in_struct;
};

static const char definitions[] =
    "#include <cstdio>\n"
    "#include <cstdlib>\n"
    "struct Item { int id; char tag; double values[3]; };\n"
    "struct Extra { int a; unsigned char b; long long c; };\n"
    "static __device__ void put(int *p, long long i, int x) { p[i] = x; }\n"
    "static __device__ __noinline__ int get(const int *p) { return *p; }\n"
    "static void check(cudaError_t error) {\n"
    "    if (error != cudaSuccess) { printf(\"%s\\n\", cudaGetErrorName(error)); exit(1); }\n"
    "}\n"
    "static int *p[8];\n"
    /* The middle of a buffer: on both sides there is room for the largest elements. */
    "static int *middle() {\n"
    "    char *memory;\n"
    "    check(cudaMalloc(&memory, 4400000));\n"
    "    check(cudaMemset(memory, 1, 4400000));\n"
    "    return (int *)(memory + 2200000);\n"
    "}\n";

static void write_statement(struct generator *g, struct body *body);

static const char *new_name(struct generator *g, struct body *body) {
    return TEXT("v%u", body->names++);
}

static bool has_room(const struct body *body) {
    return body->scope.count < MOST_VALUES - 2;
}

static void write_variable(struct generator *g, struct body *body) {
    const struct index_value value = index_expression(g, &body->scope, 2);
    const char *name = new_name(g, body);

    writer_line(&g->writer, "const %s %s = %s;", index_type_name(value.type), name, value.text);
    if (has_room(body))
        index_add(&body->scope, name, value.type, value.low, value.high);
}

static void write_access(struct generator *g, struct body *body) {
    static const char *const forms[] = {
        "%s[%s] = x;",
        "%s[%s] = x;",
        "x += %s[%s];",
        "x += %s[%s];",
        "atomicAdd(&%s[%s], x);",
        "%s[%s] += x;",
        "*(%s + (%s)) = x;",
        "put(%s, %s, x);",
        "x += get(%s + (%s));",
        "x += ((const short *)%s)[%s];",
        "((char *)%s)[%s] = 1;",
        "((float *)%s)[%s] = x;",
        "((char *)%s)[%s]++;",
        "x += ((const double *)%s)[%s];",
        "((double *)%s)[%s] = x;",
        "((int4 *)%s)[%s] = make_int4(x, 1, 2, 3);",
        "((int4 *)%s)[%s].y = x;",
        "((Item *)%s)[%s].values[x & 1] = x;",
        "((Item *)%s)[%s].tag = 'x';",
        "x += ((const Item *)%s)[%s].id;",
        "x += %s[p0[%s] & 63];",
        "x += (&%s[1])[%s];",
    };
    const bool kept = writer_begin(&g->writer);
    const struct index_value index = index_within(g, index_expression(g, &body->scope, 2), -FAR, FAR);
    const char *form = forms[random_below(&g->random, sizeof forms / sizeof *forms)];
    const char *pointer = TEXT("p%u", (*body->taken)++ % POINTERS);

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    writer_line(&g->writer, form, pointer, index.text);
#pragma GCC diagnostic pop
    writer_end(&g->writer, kept);
}

static void write_body(struct generator *g, struct body *body, unsigned statements) {
    body->depth++;
    for (unsigned i = 0; i < statements; i++)
        write_statement(g, body);
    write_access(g, body);
}

/* A block in a scope of its own. */
static void write_inner(struct generator *g, const struct body *around, const struct index_scope *scope,
                        unsigned statements) {
    struct body inner = *around;

    inner.scope = *scope;
    inner.names = around->names + 100 * (around->depth + 1);
    write_body(g, &inner, statements);
}

static void write_guard(struct generator *g, struct body *body) {
    struct index_scope inside, outside;
    const bool kept = writer_begin(&g->writer);

    writer_line(&g->writer, "if (%s) {", index_condition(g, &body->scope, &inside, &outside));
    write_inner(g, body, &inside, random_below(&g->random, 3));
    if (random_percent(&g->random, 30)) {
        writer_line(&g->writer, "} else {");
        write_inner(g, body, &outside, random_below(&g->random, 2));
    }
    writer_line(&g->writer, "}");
    writer_end(&g->writer, kept);
}

/* It stays whatever is left out, since what comes behind relies on it. */
static void write_exit(struct generator *g, struct body *body) {
    static const char *const exits[] = {"return", "continue", "break"};
    struct index_scope inside;
    const char *condition = index_condition(g, &body->scope, &inside, &body->scope);

    writer_line(&g->writer, "if (%s) %s;", condition, exits[body->in_loop ? random_below(&g->random, 3) : 0]);
}

/* A loop of which `head` is all that stands before its body, whose variable is as given there. */
static void write_loop(struct generator *g, struct body *body, const char *head, const char *tail,
                       const struct index_value *variable, unsigned passes) {
    struct body inner = *body;

    inner.names = body->names + 100 * (body->depth + 1);
    inner.passes *= passes;
    inner.in_loop = true;
    if (variable != NULL)
        index_add(&inner.scope, variable->text, variable->type, variable->low, variable->high);
    writer_line(&g->writer, "%s {", head);
    write_body(g, &inner, random_below(&g->random, 3));
    writer_line(&g->writer, "}%s", tail);
}

static struct index_value bound(struct generator *g, struct body *body, int64_t low, int64_t high) {
    return index_within(g, index_expression(g, &body->scope, 1), low, high);
}

static void write_rising_loop(struct generator *g, struct body *body) {
    const struct index_value from = bound(g, body, -8, 8), to = bound(g, body, -8, 24);
    const unsigned step = 1 + random_below(&g->random, 3);
    const bool included = random_percent(&g->random, 25), late = random_percent(&g->random, 20);
    const char *name = new_name(g, body), *head;
    struct index_value variable = {name, INDEX_LONG, from.low, to.high - !included};

    if (from.low >= 0 && to.low >= 0 && random_percent(&g->random, 30))
        variable.type = INDEX_UNSIGNED;
    else if (random_percent(&g->random, 60))
        variable.type = INDEX_INT;
    if (late && variable.high < from.high)
        variable.high = from.high; /* the first pass asks for nothing */
    if (variable.high < variable.low)
        variable.high = variable.low;
    if (late) {
        writer_line(&g->writer, "%s %s = %s;", index_type_name(variable.type), name, from.text);
        write_loop(g, body, "do",
                   TEXT(" while ((%s += %u) %s (%s)(%s));", name, step, included ? "<=" : "<",
                        index_type_name(variable.type), to.text),
                   &variable, 40);
        return;
    }
    head = TEXT("for (%s %s = %s; %s %s (%s)(%s); %s += %u)", index_type_name(variable.type), name, from.text,
                name, included ? "<=" : "<", index_type_name(variable.type), to.text, name, step);
    write_loop(g, body, head, "", &variable, 40);
}

static void write_falling_loop(struct generator *g, struct body *body) {
    const struct index_value from = bound(g, body, 0, 24), to = bound(g, body, -8, 8);
    const char *name = new_name(g, body);
    struct index_value variable = {name, random_percent(&g->random, 70) ? INDEX_INT : INDEX_LONG, to.low,
                                   from.high};

    if (random_percent(&g->random, 50)) { /* down to 0 */
        if (from.low >= 0 && random_percent(&g->random, 50))
            variable.type = INDEX_UNSIGNED;
        variable.low = 0;
        variable.high = from.high > 0 ? from.high - 1 : 0;
        write_loop(
            g, body,
            TEXT("for (%s %s = %s; %s-- > 0;)", index_type_name(variable.type), name,
                 from.low >= 0 ? from.text : TEXT("max(%s, (%s)0)", from.text, index_type_name(from.type)),
                 name),
            "", &variable, 32);
        return;
    }
    if (variable.high < variable.low)
        variable.high = variable.low;
    write_loop(g, body,
               TEXT("for (%s %s = %s; %s >= (%s)(%s); %s -= %u)", index_type_name(variable.type), name,
                    from.text, name, index_type_name(variable.type), to.text, name,
                    1 + random_below(&g->random, 2)),
               "", &variable, 32);
}

/* As trees of reductions have them. */
static void write_doubling_loop(struct generator *g, struct body *body) {
    const struct index_value most = bound(g, body, 0, 63);
    const char *name = new_name(g, body);
    const bool halves = random_percent(&g->random, 60);
    struct index_value variable = {name, random_percent(&g->random, 50) ? INDEX_INT : INDEX_UNSIGNED, 1,
                                   most.high - !halves};
    const char *type = index_type_name(variable.type);

    if (variable.high < 1)
        variable.high = 1;
    if (most.low < 0)
        variable.type = INDEX_INT, type = "int";
    write_loop(g, body,
               halves
                   ? TEXT("for (%s %s = %s; %s > 0; %s)", type, name, most.text, name,
                          random_percent(&g->random, 50) ? TEXT("%s /= 2", name) : TEXT("%s >>= 1", name))
                   : TEXT("for (%s %s = 1; %s < (%s)(%s); %s *= 2)", type, name, name, type, most.text, name),
               "", &variable, 7);
}

static void write_stride_loop(struct generator *g, struct body *body) {
    static const char axes[] = "xyz";
    const char axis = axes[random_below(&g->random, 3)];
    const struct index_value most = bound(g, body, -8, 500);
    const char *name = new_name(g, body);
    struct index_value variable = {name, random_percent(&g->random, 60) ? INDEX_INT : INDEX_LONG, 0,
                                   most.high > 0 ? most.high - 1 : 0};
    const char *type = index_type_name(variable.type);

    write_loop(
        g, body,
        TEXT("for (%s %s = blockIdx.%c * blockDim.%c + threadIdx.%c; %s < (%s)(%s); %s += gridDim.%c * "
             "blockDim.%c)",
             type, name, axis, axis, axis, name, type, most.text, name, axis, axis),
        "", &variable, 100);
}

/* A value, or a pointer, that passes carry from one to the next. */
static void write_carried(struct generator *g, struct body *body) {
    const struct index_value from = bound(g, body, -64, 64), step = bound(g, body, -6, 6),
                             passes = bound(g, body, -2, 12);
    const char *name = new_name(g, body), *counter = new_name(g, body);
    const int64_t most = passes.high > 0 ? passes.high : 0;
    struct index_value variable = {name, INDEX_INT, from.low + most * (step.low < 0 ? step.low : 0),
                                   from.high + most * (step.high > 0 ? step.high : 0)};
    struct body inner = *body;

    if (random_percent(&g->random, 40)) {
        const char *pointer = new_name(g, body);
        writer_line(&g->writer, "int *%s = p%u + (%s);", pointer, (*body->taken)++ % POINTERS, from.text);
        writer_line(&g->writer, "for (int %s = 0; %s < (int)(%s); %s++) {", counter, counter, passes.text,
                    counter);
        writer_line(&g->writer, "%s[%u] = x;", pointer, random_below(&g->random, 4));
        writer_line(&g->writer, "%s += (int)(%s);", pointer, step.text);
        writer_line(&g->writer, "}");
        return;
    }
    index_add(&inner.scope, name, variable.type, variable.low, variable.high);
    inner.names += 100 * (inner.depth + 1);
    inner.passes *= 12;
    inner.in_loop = true;
    writer_line(&g->writer, "int %s = (int)(%s);", name, from.text);
    writer_line(&g->writer, "for (int %s = 0; %s < (int)(%s); %s++) {", counter, counter, passes.text,
                counter);
    write_body(g, &inner, random_below(&g->random, 2));
    writer_line(&g->writer, "%s%s += (int)(%s);", random_percent(&g->random, 30) ? "if (x & 1) " : "", name,
                step.text);
    writer_line(&g->writer, "}");
}

static void write_any_loop(struct generator *g, struct body *body) {
    static void (*const loops[])(struct generator *g, struct body *body) = {
        write_rising_loop, write_rising_loop,   write_falling_loop,
        write_carried,     write_doubling_loop, write_stride_loop,
    };
    const bool kept = writer_begin(&g->writer);

    /* Names of a loop are no one else's. */
    writer_line(&g->writer, "{");
    loops[random_below(&g->random, sizeof loops / sizeof *loops)](g, body);
    writer_line(&g->writer, "}");
    writer_end(&g->writer, kept);
}

static void write_statement(struct generator *g, struct body *body) {
    const unsigned which = random_below(&g->random, 100);

    if (which < 35 || !has_room(body))
        write_variable(g, body);
    else if (which < 55)
        write_access(g, body);
    else if (which < 62)
        write_exit(g, body);
    else if (which < 80 && body->depth < 4)
        write_guard(g, body);
    else if (body->depth < 4 && body->passes * 40 <= MOST_PASSES)
        write_any_loop(g, body);
    else
        write_variable(g, body);
}

static void choose_shape(struct random *random, unsigned shape[3], unsigned most) {
    static const unsigned sizes[] = {1, 1, 2, 3, 4, 5, 8, 16, 32, 33, 64};

    shape[0] = shape[1] = shape[2] = 1;
    for (unsigned axis = 0; axis < 3; axis++) {
        const unsigned size = sizes[random_below(random, sizeof sizes / sizeof *sizes)];
        if (shape[0] * shape[1] * size <= most)
            shape[axis] = size;
    }
}

static struct launch choose_launch(struct random *random) {
    static const int64_t longs[] = {0, 1, 7, 64, -3, 100000, -70000, INT64_C(5000000000)};
    struct launch launch;

    choose_shape(random, launch.block, 64);
    choose_shape(random, launch.grid, 8);
    launch.n = (int)random_below(random, 90) - 4;
    launch.m = random_percent(random, 85) ? (int)random_below(random, 40) : -(int)random_below(random, 40);
    launch.h = (int)random_below(random, 300) - 100;
    launch.in_struct = (int)random_below(random, 70) - 2;
    launch.u =
        random_percent(random, 85) ? random_below(random, 100) : UINT32_MAX - random_below(random, 100);
    launch.byte = random_below(random, 256);
    launch.l = longs[random_below(random, sizeof longs / sizeof *longs)];
    launch.long_in_struct = longs[random_below(random, 5)];
    return launch;
}

/* One name for all launches: its bounds hold what each gives. */
static void add_given(struct index_scope *scope, const char *name, enum index_type type,
                      const int64_t *given) {
    int64_t low = given[0], high = given[0];

    for (unsigned i = 1; i < LAUNCHES; i++) {
        low = given[i] < low ? given[i] : low;
        high = given[i] > high ? given[i] : high;
    }
    index_add(scope, name, type, low, high);
}

#define ADD_GIVEN(scope, name, type, member)                                                                 \
    add_given(scope, name, type,                                                                             \
              (const int64_t[LAUNCHES]){launches[0].member, launches[1].member, launches[2].member})

static void add_arguments(struct index_scope *scope, const struct launch *launches) {
    ADD_GIVEN(scope, "n", INDEX_INT, n);
    ADD_GIVEN(scope, "m", INDEX_INT, m);
    ADD_GIVEN(scope, "u", INDEX_UNSIGNED, u);
    ADD_GIVEN(scope, "l", INDEX_LONG, l);
    ADD_GIVEN(scope, "h", INDEX_INT, h);
    ADD_GIVEN(scope, "e.a", INDEX_INT, in_struct);
    ADD_GIVEN(scope, "e.b", INDEX_INT, byte);
    ADD_GIVEN(scope, "e.c", INDEX_LONG, long_in_struct);
}

static void add_shape(struct generator *g, struct index_scope *scope, const struct launch *launches) {
    for (unsigned axis = 0; axis < 3; axis++) {
        unsigned block = 1, grid = 1;
        for (unsigned i = 0; i < LAUNCHES; i++) {
            block = launches[i].block[axis] > block ? launches[i].block[axis] : block;
            grid = launches[i].grid[axis] > grid ? launches[i].grid[axis] : grid;
        }
        index_add(scope, TEXT("gridDim.%c", 'x' + axis), INDEX_UNSIGNED, 1, grid);
        index_add(scope, TEXT("blockDim.%c", 'x' + axis), INDEX_UNSIGNED, 1, block);
        index_add(scope, TEXT("blockIdx.%c", 'x' + axis), INDEX_UNSIGNED, 0, grid - 1);
        index_add(scope, TEXT("threadIdx.%c", 'x' + axis), INDEX_UNSIGNED, 0, block - 1);
    }
}

/* The place in the grid that most kernels begin with. */
static void write_place(struct generator *g, struct body *body, const struct launch *launches) {
    unsigned threads = 1;

    for (unsigned i = 0; i < LAUNCHES; i++)
        if (launches[i].grid[0] * launches[i].block[0] > threads)
            threads = launches[i].grid[0] * launches[i].block[0];
    writer_line(&g->writer, "unsigned x = 1;");
    writer_line(&g->writer, "const int i = blockIdx.x * blockDim.x + threadIdx.x;");
    index_add(&body->scope, "i", INDEX_INT, 0, threads - 1);
}

static void write_kernel(struct generator *g, unsigned number, const struct launch *launches) {
    unsigned taken = 0;
    struct body body = {.taken = &taken, .passes = 1};

    add_shape(g, &body.scope, launches);
    add_arguments(&body.scope, launches);
    writer_line(&g->writer,
                "static __global__ void k_%u(int *p0, int *p1, int *p2, int *p3, int *p4, int *p5, int *p6, "
                "int *p7, int n, "
                "int m, unsigned u, long long l, short h, Extra e) {",
                number);
    write_place(g, &body, launches);
    write_body(g, &body, 1 + random_below(&g->random, 5));
    writer_line(&g->writer, "}");
}

static void write_launch(struct generator *g, unsigned number, const struct launch *launch) {
    const bool kept = writer_begin(&g->writer);

    writer_line(&g->writer,
                "k_%u<<<dim3(%u, %u, %u), dim3(%u, %u, %u)>>>(p[0], p[1], p[2], p[3], p[4], p[5], p[6], "
                "p[7], %d, %d, %uu, %" PRId64 "ll, %d, Extra{%d, %u, %" PRId64 "ll});",
                number, launch->grid[0], launch->grid[1], launch->grid[2], launch->block[0], launch->block[1],
                launch->block[2], launch->n, launch->m, launch->u, launch->l, launch->h, launch->in_struct,
                launch->byte, launch->long_in_struct);
    writer_line(&g->writer, "check(cudaDeviceSynchronize());");
    writer_end(&g->writer, kept);
}

static void write_kernel_and_launches(struct generator *g, unsigned number) {
    struct launch launches[LAUNCHES];

    for (unsigned i = 0; i < LAUNCHES; i++)
        launches[i] = choose_launch(&g->random);
    write_kernel(g, number, launches);
    writer_line(&g->writer, "static void run_%u() {", number);
    for (unsigned i = 0; i < LAUNCHES; i++)
        write_launch(g, number, &launches[i]);
    writer_line(&g->writer, "}");
}

void write_index_kernels(struct generator *g, unsigned kernels) {
    writer_line(&g->writer, "// flags: -std=c++17");
    fputs(definitions, g->writer.out);
    for (unsigned i = 0; i < kernels; i++)
        write_kernel_and_launches(g, i);
    writer_line(&g->writer, "int main() {");
    writer_line(&g->writer, "for (int *&each : p) each = middle();");
    for (unsigned i = 0; i < kernels; i++)
        writer_line(&g->writer, "run_%u();", i);
    writer_line(&g->writer, "}");
}
