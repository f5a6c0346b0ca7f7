/*
 * Finds what a program of stages leaves without an order, and puts waits there.
 *
 * It goes through the program as its host threads do. Every stream and every host thread is a line: what is
 * on it happens in order. A vector clock says for each op, event and host thread how far each line has come
 * before it (Fidge 1988, Mattern 1989). Two accesses of one buffer, of which one writes, must be in each
 * other's clocks. Only what CUDA promises counts as order ("Stream synchronization behavior"), and only what
 * surely is issued.
 */
#include "test/fuzz/stages.h"

#include <string.h>

enum {
    MOST_THREADS = 24, /* of the host, in one run */
    LINES = STREAM_OWN + OWN_STREAMS + 2 * MOST_THREADS,
    MOST_ACTIONS = 6000,
    MOST_REPAIRS = 400,
    GLOBALS = ALL_BUFFERS + MOST_EVENTS /* what threads must not touch at once: buffers and events */
};

struct clock {
    unsigned short at[LINES]; /* how many actions of each line; the lines' actions count from 1 */
};

/* An op, or what the host does. */
struct action {
    struct clock clock; /* what came before it, and itself */
    unsigned short stage, step;
};

/* Who touched a buffer, or an event. */
struct use {
    unsigned short line, at; /* the last one that wrote; 0 for none */
    struct clock reads;      /* since then */
};

struct thread {
    struct clock done;   /* what is done as far as this thread knows */
    struct clock issued; /* what was issued before */
    unsigned number;
};

struct frame {
    const struct frame *caller; /* NULL for main */
    unsigned stage, step, depth;
    unsigned begin;           /* the actions that came before */
    enum stage_stream stream; /* that it was given */
    unsigned buffers[ALL_BUFFERS];
    struct thread *thread;
};

struct order {
    struct random *random;
    struct stages *program;
    struct action actions[MOST_ACTIONS];
    unsigned action_count;
    unsigned short lines[LINES][MOST_ACTIONS / 4]; /* the actions of each line */
    unsigned short lengths[LINES];
    struct use uses[GLOBALS];
    struct clock events[MOST_EVENTS];
    unsigned thread_count;
    struct step *beside; /* the two threads that run, of which this is the second */
    unsigned repairs;
    bool failed;
};

static void join(struct clock *clock, const struct clock *other) {
    for (unsigned i = 0; i < LINES; i++)
        if (clock->at[i] < other->at[i])
            clock->at[i] = other->at[i];
}

static unsigned line_of_stream(const struct frame *frame, enum stage_stream stream) {
    if (stream == STREAM_GIVEN)
        stream = frame->stream;
    return stream == STREAM_PER_THREAD ? STREAM_OWN + OWN_STREAMS + frame->thread->number : stream;
}

static unsigned line_of_host(const struct thread *thread) {
    return STREAM_OWN + OWN_STREAMS + MOST_THREADS + thread->number;
}

static bool is_stream(unsigned line) {
    return line < STREAM_OWN + OWN_STREAMS + MOST_THREADS && line != STREAM_PER_THREAD;
}

static bool is_blocking(const struct order *order, unsigned line) {
    bool own = line >= STREAM_OWN && line < STREAM_OWN + OWN_STREAMS;

    return is_stream(line) && line != STREAM_LEGACY &&
           !(own && order->program->non_blocking[line - STREAM_OWN]);
}

static const struct action *action_at(const struct order *order, unsigned line, unsigned at) {
    return &order->actions[order->lines[line][at - 1]];
}

/* Adds to *clock what `thread` has issued to `line`, and what came before it. */
static void join_line(const struct order *order, struct clock *clock, const struct thread *thread,
                      unsigned line) {
    if (thread->issued.at[line] > 0)
        join(clock, &action_at(order, line, thread->issued.at[line])->clock);
}

/* What comes before an op that `thread` issues to `line` now. */
static struct clock before_op(const struct order *order, const struct thread *thread, unsigned line) {
    struct clock clock = thread->done;

    join_line(order, &clock, thread, line);
    if (is_blocking(order, line))
        join_line(order, &clock, thread, STREAM_LEGACY);
    for (unsigned i = 0; line == STREAM_LEGACY && i < LINES; i++)
        if (is_blocking(order, i))
            join_line(order, &clock, thread, i);
    return clock;
}

/* Puts a new action on a line; *clock becomes its own. */
static void add_action(struct order *order, const struct frame *frame, unsigned line, struct clock *clock) {
    struct action *action = &order->actions[order->action_count];

    if (order->action_count == MOST_ACTIONS || order->lengths[line] == MOST_ACTIONS / 4) {
        order->failed = true;
        return;
    }
    order->lines[line][order->lengths[line]++] = (unsigned short)order->action_count++;
    clock->at[line] = order->lengths[line];
    *action = (struct action){*clock, (unsigned short)frame->stage, (unsigned short)frame->step};
    frame->thread->issued.at[line] = order->lengths[line];
}

bool insert_step(struct stage *stage, unsigned at, const struct step *step) {
    if (stage->step_count == MOST_STEPS)
        return false;
    memmove(&stage->steps[at + 1], &stage->steps[at], (stage->step_count - at) * sizeof *step);
    stage->steps[at] = *step;
    stage->step_count++;
    return true;
}

/* A wait of `thread` for what is on `line`, as a step of the function of `frame`. */
static struct step choose_wait(struct order *order, const struct frame *frame, unsigned line) {
    const struct stages *program = order->program;
    bool per_thread = program->build.units[program->stages[frame->stage].unit].per_thread;
    struct step step = {.kind = STEP_SYNC_DEVICE};

    if (random_percent(order->random, 50))
        return step;
    if (is_blocking(order, line) && !per_thread && random_percent(order->random, 40)) {
        step.kind = STEP_SYNC_COPY;
        return step;
    }
    if (line == line_of_stream(frame, STREAM_PER_THREAD))
        step.stream = STREAM_PER_THREAD;
    else if (line < STREAM_GIVEN)
        step.stream = line;
    else
        return step;
    if (program->stages[frame->stage].streamed && line_of_stream(frame, STREAM_GIVEN) == line)
        step.stream = STREAM_GIVEN;
    step.kind = STEP_SYNC_STREAM;
    return step;
}

/* Lets the host, or the stream of the op at `frame`, wait for an event behind the op `earlier`. False if that
 * will not do. */
static bool put_event(struct order *order, const struct action *earlier, const struct frame *frame,
                      bool is_op) {
    struct stages *program = order->program;
    const struct step *ours = &program->stages[frame->stage].steps[frame->step];
    struct step wait = {.kind = STEP_SYNC_EVENT, .number = program->event_count};
    struct step record = {.kind = STEP_RECORD, .number = program->event_count};

    if (earlier->stage == frame->stage || program->event_count == MOST_EVENTS)
        return false;
    record.stream = program->stages[earlier->stage].steps[earlier->step].stream;
    if (is_op && ours->kind != STEP_SHOW && line_of_stream(frame, ours->stream) != STREAM_LEGACY &&
        random_percent(order->random, 50)) {
        wait.kind = STEP_WAIT_EVENT;
        wait.stream = ours->stream;
    }
    program->event_count++;
    return insert_step(&program->stages[frame->stage], frame->step, &wait) &&
           insert_step(&program->stages[earlier->stage], earlier->step + 1, &record);
}

/* Whether a stage runs, or has called what runs. */
static bool is_on_the_way(const struct frame *frame, unsigned stage) {
    while (frame != NULL && frame->stage != stage)
        frame = frame->caller;
    return frame != NULL;
}

/* Puts a wait between the action at `at` of `line` and what is about to happen at `frame`. */
static void repair(struct order *order, unsigned line, unsigned at, const struct frame *frame, bool is_op) {
    const struct action *earlier = action_at(order, line, at);
    bool before = order->lines[line][at - 1] < frame->begin; /* before the function at `frame` was called */
    unsigned choice = order->repairs++ < MOST_REPAIRS / 4 ? random_below(order->random, 100) : 99;
    struct stage *stages = order->program->stages;
    struct step wait = {.kind = STEP_SYNC_DEVICE};

    if (frame->thread->issued.at[line] < at || !is_stream(line)) {
        order->failed = order->beside == NULL;
        if (order->beside != NULL)
            order->beside->early = true;
        return;
    }
    if (choice < 15 && put_event(order, earlier, frame, is_op))
        return;
    if (choice < 25 && !is_on_the_way(frame, earlier->stage)) {
        if (!insert_step(&stages[earlier->stage], stages[earlier->stage].step_count, &wait))
            order->failed = true;
        return;
    }
    if (choice < 35 && before && frame->caller != NULL)
        frame = frame->caller;
    if (choice < 99)
        wait = choose_wait(order, frame, line);
    if (!insert_step(&stages[frame->stage], choice >= 35 && choice < 80 && before ? 0 : frame->step, &wait))
        order->failed = true;
}

/* Whether what uses `global` before is in *clock; else a wait is put between. */
static bool comes_behind(struct order *order, const struct clock *clock, unsigned global, bool writes,
                         const struct frame *frame, bool is_op) {
    const struct use *use = &order->uses[global];

    if (use->at > clock->at[use->line]) {
        repair(order, use->line, use->at, frame, is_op);
        return false;
    }
    for (unsigned i = 0; writes && i < LINES; i++)
        if (use->reads.at[i] > clock->at[i]) {
            repair(order, i, use->reads.at[i], frame, is_op);
            return false;
        }
    return true;
}

static void note_use(struct order *order, unsigned global, bool writes, unsigned line) {
    struct use *use = &order->uses[global];

    if (writes)
        *use = (struct use){.line = (unsigned short)line, .at = order->lengths[line]};
    else
        use->reads.at[line] = order->lengths[line];
}

/* An action on a line: an op, or what the host does, by its clock of what comes before. */
static bool act(struct order *order, const struct frame *frame, unsigned line, struct clock clock,
                uint32_t globals, bool writes) {
    for (unsigned i = 0; i < GLOBALS; i++)
        if ((globals & 1u << i) != 0 && !comes_behind(order, &clock, i, writes, frame, is_stream(line)))
            return false;
    add_action(order, frame, line, &clock);
    for (unsigned i = 0; i < GLOBALS && !order->failed; i++)
        if ((globals & 1u << i) != 0)
            note_use(order, i, writes, line);
    return !order->failed;
}

static bool act_on_host(struct order *order, const struct frame *frame, uint32_t globals, bool writes) {
    struct thread *thread = frame->thread;
    unsigned line = line_of_host(thread);

    if (!act(order, frame, line, thread->done, globals, writes))
        return false;
    thread->done.at[line] = order->lengths[line];
    return true;
}

/* False where another thread is at the stream of the line: which of the two comes first is open. */
static bool is_alone(struct order *order, const struct frame *frame, unsigned line) {
    if (order->lengths[line] <= frame->thread->issued.at[line])
        return true;
    repair(order, line, order->lengths[line], frame, true);
    return false;
}

static bool issue(struct order *order, const struct frame *frame, unsigned line, uint32_t globals,
                  bool writes) {
    return is_alone(order, frame, line) &&
           act(order, frame, line, before_op(order, frame->thread, line), globals, writes);
}

/* The buffers of a step, by the program's numbers. */
static uint32_t globals_of(const struct frame *frame, uint32_t buffers) {
    uint32_t globals = 0;

    for (unsigned i = 0; i < ALL_BUFFERS; i++)
        if ((buffers & 1u << i) != 0)
            globals |= 1u << frame->buffers[i];
    return globals;
}

/* What is done when the stream of a line is. Only the legacy default stream answers for others. */
static struct clock behind_line(const struct order *order, const struct thread *thread, unsigned line) {
    struct clock clock = thread->done;

    if (line == STREAM_LEGACY)
        return before_op(order, thread, line);
    join_line(order, &clock, thread, line);
    return clock;
}

static void wait_for_line(const struct order *order, struct thread *thread, unsigned line) {
    struct clock clock = behind_line(order, thread, line);

    join(&thread->done, &clock);
}

static void wait_for_all(const struct order *order, struct thread *thread) {
    for (unsigned i = 0; i < LINES; i++)
        if (is_stream(i))
            join_line(order, &thread->done, thread, i);
}

static unsigned default_line(const struct order *order, const struct frame *frame) {
    const struct stages *program = order->program;
    bool per_thread = program->build.units[program->stages[frame->stage].unit].per_thread;

    return line_of_stream(frame, per_thread ? STREAM_PER_THREAD : STREAM_LEGACY);
}

/* Steps with events. A thread that records is seen by those that wait. */
static bool run_event(struct order *order, const struct frame *frame, const struct step *step) {
    struct thread *thread = frame->thread;
    unsigned line = line_of_stream(frame, step->stream);
    struct clock clock;

    if (!act_on_host(order, frame, 1u << (ALL_BUFFERS + step->number), step->kind == STEP_RECORD))
        return false;
    if (step->kind == STEP_RECORD) {
        order->events[step->number] = behind_line(order, thread, line);
    } else if (step->kind == STEP_SYNC_EVENT) {
        join(&thread->done, &order->events[step->number]);
    } else if (is_alone(order, frame, line)) {
        clock = behind_line(order, thread, line);
        join(&clock, &order->events[step->number]);
        add_action(order, frame, line, &clock);
    } else {
        return false;
    }
    return !order->failed;
}

static bool run_stage(struct order *order, struct frame *frame);

static bool run_call(struct order *order, const struct frame *frame, const struct stage_call *call,
                     unsigned depth, struct thread *thread) {
    struct frame called = {
        .caller = thread == frame->thread ? frame : NULL, .stage = call->callee, .depth = depth};

    called.stream = call->stream == STREAM_GIVEN ? frame->stream : call->stream;
    for (unsigned i = 0; i < PARAMETERS; i++)
        called.buffers[i] = frame->buffers[call->buffers[i]];
    for (unsigned i = PARAMETERS; i < ALL_BUFFERS; i++)
        called.buffers[i] = i - PARAMETERS + BUFFER_E0;
    called.thread = thread;
    return run_stage(order, &called);
}

static bool run_callback(struct order *order, const struct frame *frame, unsigned stage) {
    struct frame called = {.caller = frame, .stage = stage, .thread = frame->thread};

    for (unsigned i = 0; i < ALL_BUFFERS; i++)
        called.buffers[i] = i;
    return run_stage(order, &called);
}

static bool run_threads(struct order *order, const struct frame *frame, struct step *step) {
    struct thread threads[2];
    bool good = true;

    for (unsigned i = 0; good && i < step->call_count; i++) {
        if (order->thread_count == MOST_THREADS) {
            order->failed = true;
            return false;
        }
        threads[i] = *frame->thread;
        threads[i].number = order->thread_count++;
        if (i == 1 && !step->early)
            order->beside = step;
        good = run_call(order, frame, &step->calls[i], 2, &threads[i]);
        order->beside = NULL;
        if (step->early || i + 1 == step->call_count) {
            for (unsigned j = step->early ? i : 0; j <= i; j++) {
                join(&frame->thread->done, &threads[j].done);
                join(&frame->thread->issued, &threads[j].issued);
            }
        }
    }
    return good;
}

static bool run_step(struct order *order, struct frame *frame, struct step *step) {
    struct thread *thread = frame->thread;
    unsigned line = line_of_stream(frame, step->stream);

    switch (step->kind) {
    case STEP_LAUNCH:
    case STEP_STATEMENTS:
        return issue(order, frame, line, globals_of(frame, step->buffers), true);
    case STEP_READ:
    case STEP_WRITE:
        return act_on_host(order, frame, globals_of(frame, step->buffers), step->kind == STEP_WRITE);
    case STEP_SHOW:
        line = default_line(order, frame);
        if (!issue(order, frame, line, globals_of(frame, step->buffers), false))
            return false;
        wait_for_line(order, thread, line);
        return true;
    case STEP_SYNC_COPY:
        if (!issue(order, frame, default_line(order, frame), 0, false))
            return false;
        wait_for_line(order, thread, default_line(order, frame));
        return true;
    case STEP_SYNC_DEVICE:
        wait_for_all(order, thread);
        return true;
    case STEP_SYNC_STREAM:
        wait_for_line(order, thread, line);
        return true;
    case STEP_SYNC_EVENT:
    case STEP_RECORD:
    case STEP_WAIT_EVENT:
        return run_event(order, frame, step);
    case STEP_CALL:
        return run_call(order, frame, &step->calls[0], frame->stage == 0 ? 2 : 0, thread);
    case STEP_RECURSE:
        return frame->depth == 0 || run_call(order, frame, &step->calls[0], frame->depth - 1, thread);
    case STEP_LIBRARY:
        return run_callback(order, frame, step->number);
    case STEP_THREADS:
        return run_threads(order, frame, step);
    default:
        return true;
    }
}

/* False where a step is not in order: then a wait has been put in, or the program is to be given up. */
static bool run_stage(struct order *order, struct frame *frame) {
    struct stage *stage = &order->program->stages[frame->stage];
    unsigned loop = 0, left = 0;

    frame->begin = order->action_count;
    for (frame->step = 0; frame->step < stage->step_count; frame->step++) {
        struct step *step = &stage->steps[frame->step];
        if (step->kind == STEP_LOOP) {
            loop = frame->step;
            left = step->number - 1;
        } else if (step->kind == STEP_END) {
            if (left > 0) {
                left--;
                frame->step = loop;
            }
        } else if (!run_step(order, frame, step)) {
            return false;
        }
    }
    return true;
}

/* The whole program: main, and what runs as it ends. */
static bool run_program(struct order *order) {
    struct thread thread = {.number = 0};
    struct frame frame = {.thread = &thread};

    memset(order->lengths, 0, sizeof order->lengths);
    memset(order->uses, 0, sizeof order->uses);
    memset(order->events, 0, sizeof order->events);
    order->action_count = 0;
    order->thread_count = 1;
    for (unsigned i = 0; i < ALL_BUFFERS; i++)
        frame.buffers[i] = i;
    if (!run_stage(order, &frame))
        return false;
    for (unsigned i = 1; i < order->program->stage_count; i++)
        if (order->program->stages[i].form == FORM_AT_EXIT && !run_callback(order, &frame, i))
            return false;
    return true;
}

bool order_stages(struct random *random, struct stages *program) {
    static struct order order;

    order.random = random;
    order.program = program;
    order.repairs = 0;
    order.failed = false;
    while (!run_program(&order))
        if (order.failed || order.repairs == MOST_REPAIRS)
            return false;
    return true;
}
