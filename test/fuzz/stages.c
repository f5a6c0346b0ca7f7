/* What the functions of a program of stages do, before anything is put in order. */
#include "test/fuzz/stages.h"

#include <string.h>

bool is_callback(const struct stage *stage) {
    return stage->form >= FORM_STREAM_BUFFER;
}

/* How many buffers a function sees: its parameters and those that all name, or all of the program's. */
static unsigned buffers_of(const struct stage *stage) {
    return is_callback(stage) || stage->form == FORM_MAIN ? ALL_BUFFERS
                                                          : PARAMETERS + ALL_BUFFERS - BUFFER_E0;
}

/* Those that the host may touch, by bit. */
static uint32_t on_host(const struct stage *stage) {
    if (buffers_of(stage) == ALL_BUFFERS)
        return 1u << BUFFER_M0 | 1u << BUFFER_M1 | 1u << BUFFER_E1 | 1u << BUFFER_E2;
    return 1u << 2 | 1u << 4 | 1u << 5;
}

/* One to `most` of the buffers `among`. */
static uint32_t some_buffers(struct generator *g, uint32_t among, unsigned most) {
    uint32_t chosen = 0;

    for (unsigned count = 1 + random_below(&g->random, most); count > 0;) {
        uint32_t bit = 1u << random_below(&g->random, ALL_BUFFERS);
        if ((among & bit) == 0)
            continue;
        chosen |= bit;
        count--;
    }
    return chosen;
}

static enum stage_stream own_stream(struct generator *g) {
    return STREAM_OWN + random_below(&g->random, OWN_STREAMS);
}

/* Where most of the work goes to one stream of the program's own, functions meet there, and need not wait. */
static enum stage_stream global_stream(struct generator *g, const struct stages *program) {
    unsigned choice = random_below(&g->random, 100);

    if (random_percent(&g->random, program->favour))
        return program->favourite;
    if (choice < 45)
        return own_stream(g);
    return choice < 75 ? STREAM_LEGACY : STREAM_PER_THREAD;
}

/* Only where streams differ, it matters whether one waits. */
static enum stage_stream stream_for(struct generator *g, const struct stages *program,
                                    const struct stage *stage) {
    return stage->aim == AIM_WAITS && random_percent(&g->random, 75) ? own_stream(g)
                                                                     : global_stream(g, program);
}

static enum stage_stream some_stream(struct generator *g, const struct stages *program,
                                     const struct stage *stage) {
    return stage->streamed && random_percent(&g->random, 60) ? STREAM_GIVEN : stream_for(g, program, stage);
}

static void add_step(struct stage *stage, const struct step *step) {
    insert_step(stage, stage->step_count, step);
}

static unsigned some_callback(struct generator *g, const struct stages *program) {
    unsigned found = 0, count = 0;

    for (unsigned i = 1; i < program->stage_count; i++)
        if (is_callback(&program->stages[i]) && program->stages[i].form != FORM_AT_EXIT &&
            random_below(&g->random, ++count) == 0)
            found = i;
    return found;
}

static void add_library(struct generator *g, const struct stages *program, struct stage *stage) {
    unsigned callback = some_callback(g, program);

    if (callback != 0 && !stage->quiet && !is_callback(stage))
        add_step(stage, &(struct step){.kind = STEP_LIBRARY, .number = callback});
}

/* Before which op of `count` of one piece of work a library may call back; not before all of them. */
static unsigned place_of_library(struct generator *g, const struct stage *stage, unsigned count) {
    switch (stage->aim) {
    case AIM_REGIONS:
        return 1 + random_below(&g->random, count);
    case AIM_WAITS:
        return random_below(&g->random, 8 * count);
    default:
        return random_below(&g->random, 2 * count);
    }
}

/* Work for one stream: some ops, most often on different buffers, so that they have lanes. */
static void add_work(struct generator *g, const struct stages *program, struct stage *stage) {
    enum stage_stream stream =
        stage->aim == AIM_ANY ? some_stream(g, program, stage) : stage->streams[random_below(&g->random, 2)];
    unsigned count = 2 + random_below(&g->random, 4), library = place_of_library(g, stage, count);
    uint32_t all = (1u << buffers_of(stage)) - 1;

    for (unsigned i = 0; i < count; i++) {
        bool more = stage->aim == AIM_ANY && random_percent(&g->random, 30);
        if (i == library)
            add_library(g, program, stage);
        add_step(stage, &(struct step){.kind = more ? STEP_STATEMENTS : STEP_LAUNCH,
                                       .stream = stream,
                                       .number = 1 + random_below(&g->random, 3),
                                       .buffers = some_buffers(g, all, more ? 3 : 2)});
    }
}

/* A wait that nobody asked for. */
static void add_wait(struct generator *g, const struct stages *program, struct stage *stage) {
    struct step step = {.kind = STEP_SYNC_DEVICE, .stream = some_stream(g, program, stage)};

    if (stage->aim == AIM_ANY && random_percent(&g->random, 30))
        step.kind = STEP_SYNC_STREAM;
    add_step(stage, &step);
}

static void add_host_access(struct generator *g, struct stage *stage) {
    bool writes = random_percent(&g->random, 40);

    add_step(stage, &(struct step){.kind = writes ? STEP_WRITE : STEP_READ,
                                   .buffers = some_buffers(g, on_host(stage), 1)});
}

/* Pointers of the caller for those of a stage: two to device memory, and one that the host may touch, too. */
/* Mostly of different buffers; the two parameters that only the device touches may also be one, or another's.
 */
static struct stage_call choose_call(struct generator *g, const struct stages *program,
                                     const struct stage *caller, unsigned callee) {
    bool all = buffers_of(caller) == ALL_BUFFERS;
    unsigned first = random_below(&g->random, all ? 3 : 2);
    unsigned second = (first + 1 + random_below(&g->random, all ? 2 : 1)) % (all ? 3 : 2);
    struct stage_call call = {.callee = callee, .buffers = {first, second, 2}};

    if (program->shared && random_percent(&g->random, 40))
        call.buffers[1] = first;
    else if (program->shared && all && random_percent(&g->random, 30))
        call.buffers[random_below(&g->random, 2)] = BUFFER_E0;
    if (all)
        call.buffers[2] = BUFFER_M0 + random_below(&g->random, 2);
    if (program->stages[callee].streamed)
        call.stream = caller->streamed && random_percent(&g->random, 60)
                          ? STREAM_GIVEN
                          : stream_for(g, program, &program->stages[callee]);
    return call;
}

/* A function that `caller` may call, from `first` on; 0 for none. */
static unsigned some_callee(struct generator *g, const struct stages *program, unsigned first, bool quiet) {
    unsigned found = 0, count = 0;

    for (unsigned i = first; i < program->stage_count; i++)
        if (program->stages[i].form != FORM_MAIN && !is_callback(&program->stages[i]) &&
            (!quiet || program->stages[i].quiet) && random_below(&g->random, ++count) == 0)
            found = i;
    return found;
}

static void add_call(struct generator *g, struct stages *program, unsigned caller, unsigned callee) {
    struct stage *stage = &program->stages[caller];

    if (callee != 0)
        add_step(stage, &(struct step){.kind = STEP_CALL,
                                       .call_count = 1,
                                       .calls = {choose_call(g, program, stage, callee)}});
}

/* What functions of all kinds may have between their work. */
static void add_extra(struct generator *g, struct stages *program, unsigned index) {
    struct stage *stage = &program->stages[index];

    switch (random_below(&g->random, 10)) {
    case 0:
    case 1:
        add_wait(g, program, stage);
        break;
    case 2:
    case 3:
    case 4:
        add_host_access(g, stage);
        break;
    case 5:
        if (!stage->quiet)
            add_step(stage, &(struct step){.kind = STEP_SHOW,
                                           .buffers = some_buffers(g, (1u << buffers_of(stage)) - 1, 1)});
        break;
    case 6:
        if (!stage->quiet)
            add_step(stage, &(struct step){.kind = STEP_PRINT});
        break;
    default:
        add_work(g, program, stage);
    }
}

/* A wait for what others have done, often. One that comes behind an op could be moved before it. */
static void choose_first_steps(struct generator *g, const struct stages *program, struct stage *stage) {
    bool waits = stage->aim == AIM_WAITS;

    if (waits && random_percent(&g->random, 65))
        add_step(stage, &(struct step){.kind = STEP_LAUNCH,
                                       .stream = stage->streams[0],
                                       .buffers = some_buffers(g, (1u << buffers_of(stage)) - 1, 1)});
    if (random_percent(&g->random, waits ? 85 : stage->aim == AIM_ANY ? 20 : 0))
        add_wait(g, program, stage);
}

/* A launch or two for one stream, or calls of others that have them. */
static void choose_small_steps(struct generator *g, struct stages *program, unsigned index) {
    struct stage *stage = &program->stages[index];
    unsigned callee = random_percent(&g->random, 40) ? some_callee(g, program, index + 1, stage->quiet) : 0;

    if (callee == 0 || random_percent(&g->random, 50))
        for (unsigned count = random_percent(&g->random, 80) ? 1 : 2; count > 0; count--)
            add_step(stage, &(struct step){.kind = STEP_LAUNCH,
                                           .stream = stage->streams[0],
                                           .buffers = some_buffers(g, (1u << buffers_of(stage)) - 1, 2)});
    add_call(g, program, index, callee);
    if (callee != 0 && random_percent(&g->random, 50))
        add_call(g, program, index, callee);
    if (random_percent(&g->random, 10))
        add_extra(g, program, index);
}

/* The body of a stage: work, with calls of the library amid it, sometimes in a loop. */
static void choose_stage_steps(struct generator *g, struct stages *program, unsigned index) {
    struct stage *stage = &program->stages[index];
    bool loop = random_percent(&g->random, 30);

    if (stage->aim == AIM_CALLS) {
        choose_small_steps(g, program, index);
        return;
    }
    choose_first_steps(g, program, stage);
    if (loop)
        add_step(stage, &(struct step){.kind = STEP_LOOP, .number = 2 + random_below(&g->random, 2)});
    for (unsigned count = (stage->aim == AIM_WAITS ? 2 : 1) + random_below(&g->random, 3); count > 0;
         count--) {
        add_work(g, program, stage);
        if (stage->aim == AIM_WAITS && random_percent(&g->random, count > 1 ? 95 : 15))
            add_wait(g, program, stage);
        if (random_percent(&g->random, stage->aim == AIM_ANY ? 50 : 15))
            add_extra(g, program, index);
    }
    if (loop)
        add_step(stage, &(struct step){.kind = STEP_END});
    if (random_percent(&g->random, 20))
        add_call(g, program, index, some_callee(g, program, index + 1, stage->quiet));
    if (stage->recursive) {
        add_step(stage, &(struct step){.kind = STEP_RECURSE,
                                       .call_count = 1,
                                       .calls = {choose_call(g, program, stage, index)}});
        if (random_percent(&g->random, 60))
            add_work(g, program, stage);
    }
    if (random_percent(&g->random, 30))
        add_extra(g, program, index);
}

static void choose_callback_steps(struct generator *g, struct stages *program, unsigned index) {
    struct stage *stage = &program->stages[index];

    /* One op alone has no region, which would close another that is open. */
    if (random_percent(&g->random, 50)) {
        add_step(stage, &(struct step){.kind = STEP_LAUNCH,
                                       .stream = some_stream(g, program, stage),
                                       .buffers = some_buffers(g, (1u << buffers_of(stage)) - 1, 2)});
        return;
    }
    if (random_percent(&g->random, 70))
        add_work(g, program, stage);
    if (random_percent(&g->random, 60) || stage->step_count == 0)
        add_host_access(g, stage);
    if (random_percent(&g->random, 30))
        add_extra(g, program, index);
}

static void add_threads(struct generator *g, struct stages *program) {
    bool two = random_percent(&g->random, 60);
    struct step step = {.kind = STEP_THREADS};

    for (unsigned i = 0; i < (two ? 2 : 1); i++) {
        unsigned callee = some_callee(g, program, 1, two);
        if (callee == 0)
            return;
        step.calls[step.call_count++] = choose_call(g, program, &program->stages[0], callee);
    }
    add_step(&program->stages[0], &step);
}

/* Each stage at least once, some with other streams and memory again, in threads, in loops. */
static void choose_main_steps(struct generator *g, struct stages *program) {
    unsigned calls = program->stage_count + random_below(&g->random, program->small ? 16 : 4);
    unsigned loop = random_percent(&g->random, 40) ? random_below(&g->random, calls) : calls;
    struct stage *stage = &program->stages[0];

    for (unsigned i = 0; i < calls; i++) {
        if (i == loop)
            add_step(stage, &(struct step){.kind = STEP_LOOP, .number = 2});
        if (random_percent(&g->random, program->small ? 5 : 20))
            add_threads(g, program);
        else if (i > 0 && i < program->stage_count && !is_callback(&program->stages[i]))
            add_call(g, program, 0, i);
        else
            add_call(g, program, 0, some_callee(g, program, 1, false));
        if (random_percent(&g->random, program->small ? 8 : 25))
            add_extra(g, program, 0);
        if (random_percent(&g->random, program->small ? 5 : 15))
            add_library(g, program, stage);
        if (i == loop + 1 || (i == loop && i + 1 == calls))
            add_step(stage, &(struct step){.kind = STEP_END});
    }
    for (unsigned i = 0; i < ALL_BUFFERS; i++)
        add_step(stage, &(struct step){.kind = STEP_SHOW, .buffers = 1u << i});
}

/* A unit with KeSCo: what libraries call in the middle of a region must be in one (doc/exceptions.md). */
static unsigned some_unit_with_kesco(struct generator *g, const struct stages *program) {
    unsigned count = program->build.unit_count;

    return random_below(&g->random, program->build.units[count - 1].plain ? count - 1 : count);
}

static void choose_aim(struct generator *g, const struct stages *program, struct stage *stage) {
    unsigned choice = random_below(&g->random, 100);

    stage->aim = is_callback(stage) || choice < 20 ? AIM_ANY : choice < 60 ? AIM_WAITS : AIM_REGIONS;
    if (program->small && !is_callback(stage) && choice >= 15)
        stage->aim = AIM_CALLS;
    stage->quiet &= stage->aim != AIM_REGIONS;
    for (unsigned i = 0; i < 2; i++)
        stage->streams[i] = some_stream(g, program, stage);
    if (stage->aim >= AIM_REGIONS || random_percent(&g->random, 50))
        stage->streams[1] = stage->streams[0];
}

static void choose_function(struct generator *g, struct stages *program, enum stage_form form) {
    struct stage *stage = &program->stages[program->stage_count++];
    bool callback;

    stage->form = form;
    callback = is_callback(stage);
    stage->unit =
        callback ? some_unit_with_kesco(g, program) : random_below(&g->random, program->build.unit_count);
    stage->streamed = !callback && random_percent(&g->random, 65);
    stage->quiet = !callback && random_percent(&g->random, 40);
    stage->recursive = !callback && random_percent(&g->random, 12);
    choose_aim(g, program, stage);
    stage->restricted = !program->shared && stage->quiet && random_percent(&g->random, 60);
    stage->pointers = random_percent(&g->random, 30);
}

/* What the streams are, and which one most functions use. */
static void choose_streams(struct generator *g, struct stages *program) {
    program->favourite = own_stream(g);
    program->favour = 50 + 20 * random_below(&g->random, 3);
    for (unsigned i = 0; i < OWN_STREAMS; i++)
        program->non_blocking[i] = random_percent(&g->random, 60);
    program->shared = random_percent(&g->random, 40);
    program->small = random_percent(&g->random, 30);
    if (!program->small)
        return;
    program->favour = 95;
    if (random_percent(&g->random, 50))
        program->favourite = STREAM_LEGACY;
}

void choose_stages(struct generator *g, struct stages *program) {
    unsigned stages = 2 + random_below(&g->random, 3), callbacks = 1 + random_below(&g->random, 3);
    bool has_form[FORM_AT_EXIT + 1] = {false};

    choose_build(&g->random, &program->build);
    choose_streams(g, program);
    if (program->small)
        stages = MOST_STAGES - 1 - callbacks;
    program->stages[program->stage_count++].form = FORM_MAIN;
    for (unsigned i = 0; i < stages; i++)
        choose_function(g, program, FORM_PLAIN + random_below(&g->random, 3));
    for (unsigned i = 0; i < callbacks; i++) {
        enum stage_form form =
            FORM_STREAM_BUFFER + random_below(&g->random, FORM_AT_EXIT + 1 - FORM_STREAM_BUFFER);
        if (!has_form[form])
            choose_function(g, program, form);
        has_form[form] = true;
    }
    program->traps = !has_form[FORM_AT_EXIT] && random_percent(&g->random, 20);
    for (unsigned i = 1; i < program->stage_count; i++) {
        if (is_callback(&program->stages[i]))
            choose_callback_steps(g, program, i);
        else
            choose_stage_steps(g, program, i);
    }
    choose_main_steps(g, program);
}
