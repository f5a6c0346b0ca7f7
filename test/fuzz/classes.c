/* What the classes of a program are, before their members are written. */
#include "test/fuzz/classes.h"

struct consequence some_consequence(struct generator *g, enum class_result result) {
    struct consequence chosen = {.kind = CONSEQUENCE_RETURN, .number = 1 + random_below(&g->random, 3)};
    unsigned choice = random_below(&g->random, 100);

    if (result == RESULT_VOID)
        chosen.kind = choice < 50 ? CONSEQUENCE_EXIT : CONSEQUENCE_THROW;
    else if (choice >= 60)
        chosen.kind = choice < 80 ? CONSEQUENCE_EXIT : CONSEQUENCE_THROW;
    if (chosen.kind == CONSEQUENCE_EXIT)
        chosen.number += 7;
    return chosen;
}

static enum class_memory some_memory(struct generator *g) {
    unsigned choice = random_below(&g->random, 100);

    return choice < 40 ? CLASS_DEVICE : choice < 90 ? CLASS_MANAGED : CLASS_MAPPED;
}

/* Many classes have all their memory of one kind, held in one way. */
static void choose_buffers(struct generator *g, struct class_model *model) {
    enum class_memory memory = some_memory(g);
    enum class_hold hold = random_below(&g->random, HOLD_ARRAY + 1);
    bool mixed_memory = random_percent(&g->random, 40), mixed_holds = random_percent(&g->random, 40);

    model->buffer_count = 3 + random_below(&g->random, MOST_MEMBERS - 2);
    for (unsigned i = 0; i < model->buffer_count; i++) {
        struct class_buffer *buffer = &model->buffers[i];
        buffer->memory = mixed_memory ? some_memory(g) : memory;
        buffer->hold = mixed_holds ? random_below(&g->random, HOLD_ARRAY + 1) : hold;
        buffer->viewed = random_percent(&g->random, 60);
        buffer->middle = random_percent(&g->random, 20);
    }
    if (random_percent(&g->random, 10)) {
        model->buffers[0].hold = model->buffers[1].hold = HOLD_POINTER;
        model->buffers[1].memory = model->buffers[0].memory;
        model->buffers[1].inside = true;
    }
}

static void choose_class(struct generator *g, struct classes *program, unsigned index) {
    struct class_model *model = &program->classes[index];
    unsigned stream = random_below(&g->random, 100);

    model->child = index > 0 && random_percent(&g->random, 35);
    if (model->child)
        *model = program->classes[index - 1], model->child = true;
    model->unit = random_below(&g->random, program->build.unit_count);
    model->object = random_below(&g->random, OBJECT_NEW + 1);
    model->fails = -1;
    if (model->child)
        return;
    choose_buffers(g, model);
    model->stream = stream < 60 ? CLASS_DEFAULT : stream < 80 ? CLASS_BLOCKING : CLASS_NON_BLOCKING;
    model->helper = random_percent(&g->random, 50) ? WAIT_TESTED : random_below(&g->random, WAIT_HELPER);
    model->helper_consequence = some_consequence(g, program->result);
    model->managed = random_percent(&g->random, 25);
    model->settles = random_percent(&g->random, 70);
    model->device =
        model->stream == CLASS_DEFAULT ? random_percent(&g->random, 80) : random_percent(&g->random, 40);
}

/* In which class a kernel fails: in what main calls more than once, most often. */
static void choose_failure(struct generator *g, struct classes *program) {
    struct class_model *model = &program->classes[random_below(&g->random, program->class_count)];

    program->fails = true;
    model->fails = model->child || random_percent(&g->random, 85) ? METHOD_EXECUTE : METHOD_INIT;
}

static void choose_class_build(struct generator *g, struct build *build) {
    bool per_thread = random_percent(&g->random, 8);

    choose_build(&g->random, build);
    for (unsigned i = 0; i < build->unit_count; i++)
        build->units[i].per_thread = per_thread;
}

void choose_classes(struct generator *g, struct classes *program) {
    static const char *const elements[] = {"float", "unsigned", "double", "int"};

    choose_class_build(g, &program->build);
    program->result = random_below(&g->random, RESULT_BOOL + 1);
    program->rounds = 2 + random_below(&g->random, 3);
    program->element = elements[random_below(&g->random, sizeof elements / sizeof *elements)];
    program->class_count = 1 + random_below(&g->random, MOST_CLASSES);
    for (unsigned i = 0; i < program->class_count; i++)
        choose_class(g, program, i);
    if (random_percent(&g->random, 35))
        choose_failure(g, program);
}
