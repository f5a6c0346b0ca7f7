/* Control flow. Loops count in variables of their own, so every program ends. */
#include "test/fuzz/generator.h"

#include <stddef.h>

static void add_number(struct generator *g, const char *name) {
    if (g->scope.numbers.count == SCOPE_NUMBERS)
        return;
    snprintf(g->scope.numbers.names[g->scope.numbers.count], sizeof *g->scope.numbers.names, "%s", name);
    g->scope.numbers.count++;
}

static const char *trips(struct generator *g) {
    const char *name = variable(g);

    switch (random_below(&g->random, 5)) {
    case 0:
        return writer_text(&g->writer, "%s %% 4", name);
    case 1:
        return writer_text(&g->writer, "1 + %s %% 3", name);
    case 2:
        return "one * 2";
    default:
        return writer_text(&g->writer, "%u", 1 + random_below(&g->random, 4));
    }
}

static void write_loop_body(struct generator *g, const char *counter) {
    unsigned numbers = g->scope.numbers.count;

    add_number(g, counter);
    g->scope.loops++;
    g->scope.times *= 4;
    write_block(g, 6);
    g->scope.times /= 4;
    g->scope.loops--;
    g->scope.numbers.count = numbers;
}

static void write_for(struct generator *g) {
    const char *i = writer_text(&g->writer, "i%u", g->writer.next);
    const char *bound = trips(g);
    const char *target = random_percent(&g->random, 10) ? pointer_argument(g, g->scope.allowed) : NULL;

    if (target != NULL)
        writer_line(&g->writer, "for (unsigned %s = 0, end = %s; %s < end; ++%s, k_scale<<<%s>>>(%s, %s)) {",
                    i, bound, i, i, configuration(g), target, i);
    else
        writer_line(&g->writer, "for (unsigned %s = 0, end = %s; %s < end; ++%s) {", i, bound, i, i);
    write_loop_body(g, i);
    writer_line(&g->writer, "}");
}

static void write_while(struct generator *g) {
    const char *i = writer_text(&g->writer, "i%u", g->writer.next);
    bool first = random_percent(&g->random, 50);
    const char *bound = trips(g);

    writer_line(&g->writer, "{");
    writer_line(&g->writer, "unsigned %s = 0, end = %s;", i, bound);
    if (first)
        writer_line(&g->writer, "while (%s++ < end) {", i);
    else
        writer_line(&g->writer, "do {");
    write_loop_body(g, i);
    if (first)
        writer_line(&g->writer, "}");
    else
        writer_line(&g->writer, "} while (++%s < end);", i);
    writer_line(&g->writer, "}");
}

static void write_if(struct generator *g) {
    const char *when = variable(g);

    writer_line(&g->writer, "if (%s %% %u == %u) {", when, 2 + random_below(&g->random, 2), 0u);
    write_block(g, 4);
    if (random_percent(&g->random, 60)) {
        writer_line(&g->writer, "} else {");
        write_block(g, 4);
    }
    writer_line(&g->writer, "}");
}

static void write_switch(struct generator *g) {
    unsigned cases = 2 + random_below(&g->random, 3);

    writer_line(&g->writer, "switch (%s %% 4) {", variable(g));
    for (unsigned i = 0; i < cases; i++) {
        if (i + 1 == cases)
            writer_line(&g->writer, "default: {");
        else
            writer_line(&g->writer, "case %u: {", i);
        write_block(g, 3);
        if (random_percent(&g->random, 60))
            writer_line(&g->writer, "break;");
        writer_line(&g->writer, "}");
    }
    writer_line(&g->writer, "}");
}

static void write_goto_forward(struct generator *g) {
    const char *label = writer_text(&g->writer, "label_%u", g->writer.next);

    writer_line(&g->writer, "{");
    writer_line(&g->writer, "if (%s & 1)", variable(g));
    writer_line(&g->writer, "    goto %s;", label);
    writer_line(&g->writer, "{");
    write_block(g, 4);
    writer_line(&g->writer, "}");
    writer_line(&g->writer, "%s:;", label);
    writer_line(&g->writer, "}");
}

static void write_goto_back(struct generator *g) {
    const char *label = writer_text(&g->writer, "label_%u", g->writer.next);

    writer_line(&g->writer, "{");
    writer_line(&g->writer, "unsigned again = 0;");
    writer_line(&g->writer, "%s: {", label);
    g->scope.times *= 3;
    write_block(g, 4);
    g->scope.times /= 3;
    writer_line(&g->writer, "}");
    writer_line(&g->writer, "if (++again < 3)");
    writer_line(&g->writer, "    goto %s;", label);
    writer_line(&g->writer, "}");
}

/* Into the middle of a loop. */
static void write_goto_into(struct generator *g) {
    const char *label = writer_text(&g->writer, "label_%u", g->writer.next);
    const char *i = writer_text(&g->writer, "i%u", g->writer.next);

    writer_line(&g->writer, "{");
    writer_line(&g->writer, "unsigned %s = 0;", i);
    writer_line(&g->writer, "if (%s & 1)", variable(g));
    writer_line(&g->writer, "    goto %s;", label);
    writer_line(&g->writer, "for (; %s < %u; ++%s) {", i, 1 + random_below(&g->random, 3), i);
    writer_line(&g->writer, "{");
    write_loop_body(g, i);
    writer_line(&g->writer, "}");
    writer_line(&g->writer, "%s: {", label);
    write_loop_body(g, i);
    writer_line(&g->writer, "}");
    writer_line(&g->writer, "}");
    writer_line(&g->writer, "}");
}

static void write_goto_computed(struct generator *g) {
    unsigned n = g->writer.next;

    if (g->scope.holds.has_computed)
        return;
    g->scope.holds.has_computed = true;
    writer_line(&g->writer, "{");
    writer_line(&g->writer, "void *targets[] = {&&label_%u_0, &&label_%u_1};", n, n);
    writer_line(&g->writer, "goto *targets[%s & 1];", variable(g));
    for (unsigned i = 0; i < 2; i++) {
        writer_line(&g->writer, "label_%u_%u: {", n, i);
        write_block(g, 3);
        writer_line(&g->writer, "}");
    }
    writer_line(&g->writer, "}");
}

/* Out of two loops at once. */
static void write_goto_out(struct generator *g) {
    const char *label = writer_text(&g->writer, "label_%u", g->writer.next);
    const char *outer = writer_text(&g->writer, "i%u", g->writer.next);
    const char *inner = writer_text(&g->writer, "j%u", g->writer.next);

    writer_line(&g->writer, "{");
    writer_line(&g->writer, "for (unsigned %s = 0; %s < 3; ++%s) {", outer, outer, outer);
    writer_line(&g->writer, "for (unsigned %s = 0; %s < 2; ++%s) {", inner, inner, inner);
    g->scope.times *= 6;
    write_block(g, 3);
    writer_line(&g->writer, "if (%s %% 5 == %s)", variable(g), outer);
    writer_line(&g->writer, "    goto %s;", label);
    write_block(g, 3);
    g->scope.times /= 6;
    writer_line(&g->writer, "}");
    write_block(g, 2);
    writer_line(&g->writer, "}");
    writer_line(&g->writer, "%s:;", label);
    writer_line(&g->writer, "}");
}

static void write_break(struct generator *g) {
    writer_line(&g->writer, "if (%s %% 5 == 3)", variable(g));
    writer_line(&g->writer, "    break;");
}

static void write_continue(struct generator *g) {
    writer_line(&g->writer, "if (%s %% 5 == 2)", variable(g));
    writer_line(&g->writer, "    continue;");
}

static void write_return(struct generator *g) {
    writer_line(&g->writer, "if (%s %% 7 == 4) {", variable(g));
    write_block(g, 2);
    writer_line(&g->writer, "%s;", g->scope.holds.in_lambda ? "return" : "RETURN");
    writer_line(&g->writer, "}");
}

static void write_throw(struct generator *g) {
    const char *one = pointer_argument(g, g->scope.allowed);
    const char *when = variable(g);

    switch (random_below(&g->random, 4)) {
    case 0:
        writer_line(&g->writer, "if (%s %% 4 == 1)", when);
        writer_line(&g->writer, "    throw Failure{(int)(%s %% 50)};", when);
        break;
    case 1:
        if (one != NULL && !g->has.resets) {
            writer_line(&g->writer, "k_fill<<<%s %% 3, 1, 0, %s>>>(%s, 5);", when, stream_argument(g), one);
            writer_line(&g->writer, "demand(cudaGetLastError());");
            break;
        }
        writer_line(&g->writer, "demand(cudaPeekAtLastError());");
        break;
    default:
        writer_line(&g->writer, "maybe_throw(%s);", when);
    }
}

static void write_handler(struct generator *g, const char *head, const char *shown, bool rethrows) {
    writer_line(&g->writer, "%s", head);
    if (!g->scope.holds.quiet)
        writer_line(&g->writer, "printf(\"caught %%d\\n\", %s);", shown);
    if (random_percent(&g->random, 50))
        write_block(g, 2);
    if (rethrows)
        writer_line(&g->writer, "throw;");
}

/* Unless somebody outside catches, all is caught here. */
static void write_handlers(struct generator *g) {
    bool rethrows = g->scope.holds.may_throw && random_percent(&g->random, 30);
    unsigned choice = random_below(&g->random, g->scope.holds.may_throw ? 4 : 3);

    if (choice != 1)
        write_handler(g, "} catch (int thrown) {", "thrown", rethrows);
    if (choice == 0)
        write_handler(g, "} catch (const Failure &failure) {", "failure.code", false);
    else if (choice != 3)
        write_handler(g, "} catch (...) {", "-1", false);
    writer_line(&g->writer, "}");
}

static void write_try(struct generator *g) {
    const char *when = variable(g);
    bool was = g->scope.holds.may_throw;

    writer_line(&g->writer, "try {");
    g->scope.holds.may_throw = true;
    write_block(g, 3);
    if (random_percent(&g->random, 60))
        writer_line(&g->writer, "maybe_throw(%s);", when);
    write_block(g, 3);
    g->scope.holds.may_throw = was;
    write_handlers(g);
}

const struct kind control_kinds[] = {
    {write_for, 5, 0},
    {write_while, 3, 0},
    {write_if, 6, 0},
    {write_switch, 2, 0},
    {write_goto_forward, 2, NEEDS_WAY_OUT},
    {write_goto_back, 1, NEEDS_WAY_OUT},
    {write_break, 5, NEEDS_LOOP},
    {write_continue, 5, NEEDS_LOOP},
    {write_return, 1, NEEDS_WAY_OUT},
    {write_try, 3, NEEDS_WAY_OUT},
    {write_throw, 4, NEEDS_WAY_OUT | NEEDS_CATCH},
    {write_goto_into, 2, NEEDS_WAY_OUT},
    {write_goto_out, 2, NEEDS_WAY_OUT},
    {write_goto_computed, 1, NEEDS_WAY_OUT},
};
const unsigned control_kind_count = sizeof control_kinds / sizeof *control_kinds;
