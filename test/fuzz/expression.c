/* Pointers and numbers that stand in a program's statements. */
#include "test/fuzz/generator.h"

#include <stddef.h>

const struct pointer *choose_pointer(struct generator *g, uint32_t within) {
    const struct pointer *found[SCOPE_POINTERS];
    unsigned count = 0;

    for (unsigned i = 0; i < g->scope.pointers.count; i++)
        if ((g->scope.pointers.items[i].may & ~within) == 0)
            found[count++] = &g->scope.pointers.items[i];
    return count == 0 ? NULL : found[random_below(&g->random, count)];
}

const struct pointer *choose_variable(struct generator *g) {
    const struct pointer *found[SCOPE_POINTERS];
    unsigned count = 0;

    for (unsigned i = 0; i < g->scope.pointers.count; i++)
        if ((g->scope.pointers.items[i].may & ~g->scope.allowed) == 0 && g->scope.pointers.items[i].variable)
            found[count++] = &g->scope.pointers.items[i];
    return count == 0 ? NULL : found[random_below(&g->random, count)];
}

int choose_buffer(struct generator *g, uint32_t within, bool on_host) {
    unsigned found[SCOPE_BUFFERS];
    unsigned count = 0;

    for (unsigned i = 0; i < g->scope.buffer_count; i++)
        if ((within & 1u << i) != 0 && g->scope.buffers[i][0] != '\0' &&
            (!on_host || g->scope.memory[i] >= MEMORY_MANAGED))
            found[count++] = i;
    return count == 0 ? -1 : (int)found[random_below(&g->random, count)];
}

const char *variable(struct generator *g) {
    return g->scope.numbers.names[random_below(&g->random, g->scope.numbers.count)];
}

const char *number(struct generator *g) {
    unsigned constant = 1 + random_below(&g->random, 9);
    const char *name = variable(g);

    switch (random_below(&g->random, 8)) {
    case 0:
    case 1:
        return writer_text(&g->writer, "%u", constant);
    case 2:
        return writer_text(&g->writer, "%s + %u", name, constant);
    case 3:
        return writer_text(&g->writer, "%s * %u", name, constant);
    case 4:
        return writer_text(&g->writer, "%s %% %u", name, constant);
    default:
        return name;
    }
}

/* `u` stands in no other expression, so the order of evaluation does not matter. */
const char *changing_number(struct generator *g) {
    static const char *const forms[] = {"u++", "next(&u)", "u = u * 5 + 1", "--u"};

    return forms[random_below(&g->random, sizeof forms / sizeof *forms)];
}

const char *pointer_value(struct generator *g, uint32_t within) {
    const struct pointer *one = choose_pointer(g, within);
    const struct pointer *other = one ? choose_pointer(g, within) : NULL;
    const char *when = variable(g);
    unsigned choice = random_below(&g->random, 6);

    if (one == NULL)
        return NULL;
    if (!random_percent(&g->random, g->chosen.tricks))
        return one->name;
    switch (choice) {
    case 0:
        return writer_text(&g->writer, "(%s & 1 ? %s : %s)", when, one->name, other->name);
    case 1:
        return writer_text(&g->writer, "pick(%s, %s, %s)", one->name, other->name, when);
    case 2:
        return writer_text(&g->writer, "(unsigned *)(uintptr_t)%s", one->name);
    case 3:
        return writer_text(&g->writer, "same(%s)", one->name);
    case 4:
        return writer_text(&g->writer, "(unsigned *)((uintptr_t)%s ^ (uintptr_t)%s ^ (uintptr_t)%s)",
                           one->name, other->name, other->name);
    default:
        return writer_text(&g->writer, "*(%s & 2 ? pointer_to(%s) : pointer_to(%s))", when, one->name,
                           other->name);
    }
}

const char *pointer_argument(struct generator *g, uint32_t within) {
    const char *value = pointer_value(g, within);
    unsigned offset = 4 * random_below(&g->random, 5);
    unsigned choice = random_below(&g->random, 24);
    const char *index = variable(g);

    if (value == NULL)
        return NULL;
    switch (choice) {
    case 0:
    case 1:
        return writer_text(&g->writer, "%s + %u", value, offset);
    case 2:
        return writer_text(&g->writer, "&(%s)[%u]", value, offset);
    case 3:
        return writer_text(&g->writer, "(unsigned *)((char *)(%s) + 4 * (%s %% 17))", value, index);
    case 4:
        return writer_text(&g->writer, "%s + %s %% 9", value, index);
    default:
        return value;
    }
}
