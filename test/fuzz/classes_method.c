/* The members of a program of classes: their statements, blocks of them, and what only some members have. */
#include "test/fuzz/classes_method.h"

bool percent(const struct method_text *t, unsigned share) {
    return random_percent(&t->g->random, share);
}

unsigned below(const struct method_text *t, unsigned limit) {
    return random_below(&t->g->random, limit);
}

static uint32_t all_pending(const struct method_text *t) {
    return ((1u << t->model->buffer_count) - 1) | (t->model->managed ? 1u << TALLY : 0);
}

const char *buffer_of_class(struct generator *g, const struct class_model *model, unsigned buffer) {
    static const char *const forms[] = {"b%u_", "all_[%u]", "b%u_.data()", "b%u_.get()", "slots_[%u]"};

    return writer_text(&g->writer, forms[model->buffers[buffer].hold], buffer);
}

const char *stream_here(const struct method_text *t) {
    if (t->model->stream == CLASS_DEFAULT)
        return "0";
    return t->streamed ? "stream" : "stream_";
}

/* A pointer to a buffer's first element, for a kernel. */
const char *pointer_to(const struct method_text *t, unsigned buffer) {
    struct writer *writer = &t->g->writer;
    unsigned choice = below(t, 100);

    if ((t->buffers.local >> buffer & 1) != 0 && choice < 50)
        return writer_text(writer, "p%u", buffer);
    if (t->model->buffers[buffer].viewed && !t->style.aims && choice < 25)
        return writer_text(writer, "view%u_", buffer);
    return choice < 90 ? buffer_of_class(t->g, t->model, buffer) : writer_text(writer, "at(%u)", buffer);
}

const char *value(const struct method_text *t) {
    switch (below(t, 7)) {
    case 0:
        return "rounds_";
    case 1:
        return "n_";
    case 2:
        return t->method == METHOD_EXECUTE ? "round" : "rounds_ + 1";
    case 3:
        return "(unsigned)history_.size()";
    case 4:
        return t->program->fails ? "n_ * 3" : "(unsigned)sum_";
    default:
        return writer_text(&t->g->writer, "%u", below(t, 50));
    }
}
/* Only whether time went on is printed. */
static void write_clock(struct method_text *t, void (*inside)(struct method_text *t)) {
    struct writer *writer = &t->g->writer;
    unsigned name = t->counts.names++;
    bool wall = percent(t, 70);

    writer_line(writer,
                wall ? "const auto t%u = std::chrono::steady_clock::now();" : "const clock_t t%u = clock();",
                name);
    inside(t);
    writer_line(
        writer,
        wall ? "elapsed_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - t%u).count();"
             : "elapsed_ += (double)(clock() - t%u);",
        name);
    if (percent(t, 50))
        writer_line(writer, "fprintf(%s, \"%%d\\n\", elapsed_ >= 0);", output_of(t));
}

/* A condition that the run decides. */
static const char *condition(const struct method_text *t) {
    switch (below(t, 5)) {
    case 0:
        return t->method == METHOD_EXECUTE
                   ? writer_text(&t->g->writer, "round == %u", below(t, t->program->rounds))
                   : "verbose";
    case 1:
        return "history_.size() > 3";
    case 2:
        return t->program->fails ? "n_ > 1" : writer_text(&t->g->writer, "sum_ %% 3 == %u", below(t, 2));
    case 3:
        return "n_ > 2";
    default:
        return writer_text(&t->g->writer, "rounds_ %% 2 == %u", below(t, 2));
    }
}

static void write_steps(struct method_text *t, unsigned count);

/* Nothing may be in flight where a member of such a class ends. */
static void write_settled(struct method_text *t) {
    if (t->model->settles && t->buffers.pending != 0)
        write_class_wait(t);
}

static void write_loop(struct method_text *t) {
    struct writer *writer = &t->g->writer;
    bool ends_idle = percent(t, 80);
    uint32_t before;

    if (!ends_idle)
        t->buffers.pending = all_pending(t);
    before = t->buffers.pending;
    if (percent(t, 70))
        writer_line(writer, "for (unsigned i%u = 0; i%u < n_ %% 4; ++i%u) {", t->counts.loops,
                    t->counts.loops, t->counts.loops);
    else
        writer_line(writer, "for (int i%u = 0, count = %u * one; i%u < count; ++i%u) {", t->counts.loops,
                    1 + below(t, 3), t->counts.loops, t->counts.loops);
    t->counts.loops++;
    write_steps(t, 1 + below(t, 4));
    if (ends_idle && t->buffers.pending != 0)
        write_class_wait(t);
    t->counts.loops--;
    writer_line(writer, "}");
    t->buffers.pending |= before;
}

static void write_branch(struct method_text *t) {
    uint32_t before = t->buffers.pending, first;

    writer_line(&t->g->writer, "if (%s) {", condition(t));
    write_steps(t, 1 + below(t, 3));
    first = t->buffers.pending;
    if (percent(t, 40)) {
        writer_line(&t->g->writer, "}");
        writer_line(&t->g->writer, "else {");
        t->buffers.pending = before;
        write_steps(t, 1 + below(t, 3));
        before = t->buffers.pending;
    }
    writer_line(&t->g->writer, "}");
    t->buffers.pending = first | before;
}

static void write_early_return(struct method_text *t) {
    uint32_t before = t->buffers.pending;

    writer_line(&t->g->writer, "if (%s) {", condition(t));
    write_settled(t);
    writer_line(&t->g->writer, "%s",
                t->method == METHOD_GET ? "return sum_;" : good_return(t->program->result));
    writer_line(&t->g->writer, "}");
    t->buffers.pending = before;
}

/* An exception that is thrown now and then, and caught; what is in flight then may be all of it. */
static void write_try(struct method_text *t) {
    struct writer *writer = &t->g->writer;
    uint32_t thrown;

    writer_line(writer, "try {");
    write_steps(t, 1 + below(t, 2));
    if (percent(t, 60))
        write_settled(t);
    thrown = t->buffers.pending;
    writer_line(writer, "if (%s) throw Skip{n_};", condition(t));
    write_steps(t, 1 + below(t, 2));
    t->buffers.pending |= thrown;
    writer_line(writer, "}");
    writer_line(writer, "catch (const Skip &skip) {");
    writer_line(writer, "rounds_ += skip.by;");
    writer_line(writer, "}");
}

/* Where waits are to be put off: work with a wait behind it, and a host that touches only what is idle. */
static void write_aimed_step(struct method_text *t) {
    unsigned choice = below(t, 100);

    if (choice < 8 && t->counts.depth < 2) {
        t->counts.depth++;
        write_loop(t);
        t->counts.depth--;
    } else if (choice < 12 && t->counts.depth < 2) {
        t->counts.depth++;
        write_branch(t);
        t->counts.depth--;
    } else if (choice < 15 && t->style.wait == WAIT_BARE) {
        write_early_return(t);
    } else if (choice < 42) {
        write_quiet_access(t);
    } else {
        write_work(t);
    }
}

static void write_two_steps(struct method_text *t) {
    write_steps(t, 2);
}

static void write_block_step(struct method_text *t, unsigned choice) {
    t->counts.depth++;
    if (choice < 4)
        write_loop(t);
    else if (choice < 8)
        write_branch(t);
    else if (choice < 10)
        write_try(t);
    else
        write_clock(t, write_two_steps);
    t->counts.depth--;
}

static void write_step(struct method_text *t) {
    unsigned choice = below(t, 100);

    if (choice < 14 && t->counts.depth < 2) {
        write_block_step(t, choice);
    } else if (choice < 17) {
        write_early_return(t);
    } else if (choice < 20) {
        write_blocking_copy(t);
    } else if (choice < (t->method == METHOD_CHECK ? 75 : 38)) {
        write_access(t);
    } else if (choice < 45) {
        write_host_step(t);
    } else if (choice < 50) {
        write_log(t);
    } else if (choice < 52) {
        write_launch_check(t);
    } else {
        write_work(t);
    }
}

static void write_steps(struct method_text *t, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        bool kept = writer_begin(&t->g->writer);
        if (t->style.aims)
            write_aimed_step(t);
        else
            write_step(t);
        writer_end(&t->g->writer, kept);
    }
}

/* Variables that lead to some of the buffers. */
static void write_locals(struct method_text *t) {
    t->streamed = t->model->stream != CLASS_DEFAULT && percent(t, t->style.aims ? 75 : 30);
    if (t->streamed)
        writer_line(&t->g->writer, "cudaStream_t stream = stream_;");
    for (unsigned i = 0; i < t->model->buffer_count; i++)
        if (percent(t, 25)) {
            writer_line(&t->g->writer, "Real *p%u = %s;", i, buffer_of_class(t->g, t->model, i));
            t->buffers.local |= 1u << i;
        }
    for (unsigned i = 0; t->style.aims && i < t->model->buffer_count; i++)
        if ((t->model->buffers[i].viewed || t->model->buffers[i].middle) && percent(t, 80)) {
            writer_line(&t->g->writer,
                        t->model->buffers[i].viewed ? "Real *seen%u = view%u_;"
                                                    : "Real *seen%u = middle%u_ - N / 2;",
                        i, i);
            t->buffers.seen |= 1u << i;
        }
}

static void write_allocation_of(struct method_text *t, unsigned index) {
    static const char *const calls[] = {"cudaMalloc((void **)&fresh, %s)",
                                        "cudaMallocManaged((void **)&fresh, %s)",
                                        "cudaHostAlloc((void **)&fresh, %s, cudaHostAllocMapped)"};
    const struct class_buffer *buffer = &t->model->buffers[index];
    struct writer *writer = &t->g->writer;
    bool twice = index + 1 < t->model->buffer_count && t->model->buffers[index + 1].inside;
    const char *bytes = twice ? "2 * BYTES" : "BYTES";

    if (buffer->inside) {
        writer_line(writer, "b%u_ = b%u_ + N;", index, index - 1);
        return;
    }
    switch (buffer->hold) {
    case HOLD_WRAPPER:
        writer_line(writer, "b%u_.allocate(%u);", index, buffer->memory);
        return;
    case HOLD_UNIQUE:
        writer_line(writer, "b%u_ = Owned(%s(%u, BYTES), Release{%u});", index,
                    percent(t, 50) ? "allocate" : "grab", buffer->memory, buffer->memory);
        return;
    default:
        if (percent(t, 40)) {
            write_checked(t, writer_text(writer, calls[buffer->memory], bytes));
            writer_line(writer, "%s = fresh;", buffer_of_class(t->g, t->model, index));
        } else {
            writer_line(writer, "%s = %s(%u, %s);", buffer_of_class(t->g, t->model, index),
                        percent(t, 50) ? "allocate" : "grab", buffer->memory, bytes);
        }
    }
}

static void write_alloc(struct method_text *t) {
    struct writer *writer = &t->g->writer;

    writer_line(writer, "Real *fresh = nullptr;");
    writer_line(writer, "all_.resize(%u);", t->model->buffer_count);
    if (t->model->stream != CLASS_DEFAULT)
        writer_line(writer, t->model->stream == CLASS_BLOCKING
                                ? "cudaStreamCreate(&stream_);"
                                : "cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);");
    for (unsigned i = 0; i < t->model->buffer_count; i++) {
        write_allocation_of(t, i);
        if (t->model->buffers[i].viewed)
            writer_line(writer, "view%u_ = %s;", i, buffer_of_class(t->g, t->model, i));
        if (t->model->buffers[i].middle)
            writer_line(writer, "middle%u_ = %s + N / 2;", i, buffer_of_class(t->g, t->model, i));
    }
    t->buffers.pending = 0;
    for (unsigned i = 0; i < t->model->buffer_count; i++) {
        const char *name = buffer_of_class(t->g, t->model, i);
        if (t->model->buffers[i].memory != CLASS_DEVICE && percent(t, 30)) {
            writer_line(writer, "for (int j = 0; j < N; ++j)");
            writer_line(writer, "    %s[j] = fold(j * %u);", name, 1 + below(t, 9));
        } else {
            writer_line(writer, "k_fill<<<%s>>>(%s, %u);", shape(t), name, below(t, 50));
            t->buffers.pending |= 1u << i;
            if (percent(t, 30))
                write_class_wait(t);
        }
    }
    t->buffers.local = 0;
}

/* What the parent class does of it. */
static void write_parent_call(struct method_text *t) {
    struct writer *writer = &t->g->writer;

    if (t->program->result == RESULT_VOID)
        writer_line(writer, "Class_%u::execute(round);", t->index - 1);
    else
        writer_line(writer, "if (auto told = Class_%u::execute(round); is_bad(told)) return told;",
                    t->index - 1);
    t->buffers.pending = t->model->settles ? 0 : all_pending(t);
}

static void write_execute(struct method_text *t) {
    write_steps(t, t->model->child ? below(t, 4) : 0);
    if (t->model->child)
        write_parent_call(t);
    if (t->style.aims && t->model->fails == METHOD_EXECUTE && percent(t, 60)) {
        t->counts.failing = 1;
        write_work(t);
    }
    write_steps(t, 4 + below(t, 8));
    if (percent(t, 25))
        writer_line(&t->g->writer, "if (err_ != cudaSuccess) %s",
                    consequence_text(t->g, t->result, t->style.consequence, "err_"));
}

/* All memory, added up. */
static void write_sums(struct method_text *t) {
    struct writer *writer = &t->g->writer;

    for (unsigned i = 0; i < t->model->buffer_count; i++) {
        bool visible = t->model->buffers[i].memory != CLASS_DEVICE, kept = writer_begin(writer);
        if (visible && (t->model->buffers[i].memory == CLASS_MAPPED || percent(t, 70))) {
            if ((t->buffers.pending >> i & 1) != 0)
                write_class_wait(t);
            writer_line(writer, "for (int j = 0; j < N; ++j)");
            writer_line(writer, "    sum_ = sum_ * 3 + (long)%s;", element_of(t, i, "j"));
        } else {
            const char *call;
            bool own = t->model->stream != CLASS_DEFAULT;
            call = writer_text(writer, "cudaMemcpy%s(found_, %s, BYTES, cudaMemcpyDefault%s)",
                               own ? "Async" : "", pointer_to(t, i),
                               own ? writer_text(writer, ", %s", stream_here(t)) : "");
            if (percent(t, 50))
                write_checked(t, call);
            else
                writer_line(writer, "%s;", call);
            if (own)
                write_class_wait(t);
            else
                t->buffers.pending = 0;
            writer_line(writer, "for (int j = 0; j < N; ++j)");
            writer_line(writer, "    sum_ = sum_ * 3 + (long)found_[j];");
        }
        writer_end(writer, kept);
    }
}

/* The host only looks at what there is. */
static void write_looks(struct method_text *t) {
    for (unsigned i = 1 + below(t, 4); i > 0; i--) {
        bool kept = writer_begin(&t->g->writer);
        write_access(t);
        writer_end(&t->g->writer, kept);
    }
}

static void write_body(struct method_text *t) {
    if (t->method != METHOD_ALLOC)
        write_locals(t);
    switch (t->method) {
    case METHOD_ALLOC:
        write_alloc(t);
        break;
    case METHOD_EXECUTE:
        write_execute(t);
        break;
    case METHOD_GET:
        write_sums(t);
        break;
    case METHOD_CHECK:
        if (percent(t, 70)) {
            write_looks(t);
            break;
        }
        /* fallthrough */
    default:
        write_steps(t, 2 + below(t, 5));
    }
}

/* Ops that may overlap, and a wait. */
static void write_launches_and_wait(struct method_text *t) {
    write_launch(t);
    write_launch(t);
    write_class_wait(t);
}

/* What may be left to wait for where a member ends: on some way, no work comes behind the last wait. */
static void write_lazy_end(struct method_text *t) {
    if (percent(t, 30)) {
        write_loop(t);
        return;
    }
    write_launches_and_wait(t);
    writer_line(&t->g->writer, "if (%s) {", condition(t));
    write_launches_and_wait(t);
    writer_line(&t->g->writer, "}");
}

/* A member that aims at waits that are put off ends with one, if their errors are looked at. */
static void choose_aim(struct method_text *t) {
    static const enum wait_form forms[] = {WAIT_BARE,   WAIT_BARE,  WAIT_BARE,     WAIT_BARE,  WAIT_STORED,
                                           WAIT_TESTED, WAIT_MACRO, WAIT_FUNCTION, WAIT_HELPER};
    bool fails = t->model->fails == (int)t->method;
    bool settles = t->model->settles && t->method == METHOD_EXECUTE && !t->program->fails;

    t->style.aims =
        t->method != METHOD_ALLOC && t->method != METHOD_GET && percent(t, fails || settles ? 85 : 65);
    if (!t->style.aims)
        return;
    t->style.wait = forms[below(t, sizeof forms / sizeof *forms)];
    if (settles && percent(t, 60))
        t->style.wait = WAIT_BARE;
    if (fails && percent(t, 75))
        t->style.wait = percent(t, 50) ? WAIT_TESTED : WAIT_MACRO;
}

void write_method(struct method_text *t) {
    static const char *const heads[] = {"alloc()", "init()", "execute(unsigned round)", "check()", "get()"};
    struct writer *writer = &t->g->writer;
    bool kept = writer_begin(writer), get = t->method == METHOD_GET;

    t->result = get ? RESULT_VOID : t->program->result;
    t->style.wait = below(t, WAIT_FORMS);
    t->style.consequence = some_consequence(t->g, t->result);
    t->style.lazy = percent(t, 80);
    t->counts.failing = 1 + below(t, 2);
    choose_aim(t);
    t->buffers.pending = t->model->settles ? 0 : all_pending(t);
    writer_line(writer, "%s Class_%u::%s {", get ? "unsigned long" : result_type(t->result), t->index,
                heads[t->method]);
    writer_line(writer, "cudaError_t err = cudaSuccess;");
    if (t->model->fails == (int)t->method)
        writer_line(writer, "const long far = %s ? FAR : 0;",
                    t->method == METHOD_EXECUTE
                        ? writer_text(writer, "round == %u", below(t, t->program->rounds))
                        : "one == 1");
    write_body(t);
    if (t->style.aims && t->style.wait == WAIT_BARE && t->method != METHOD_CHECK && percent(t, 85))
        write_lazy_end(t);
    else if (t->style.aims && t->style.wait != WAIT_BARE && t->method != METHOD_CHECK)
        write_class_wait(t);
    write_settled(t);
    writer_line(writer, "%s", get ? "return sum_;" : good_return(t->result));
    writer_line(writer, "}");
    writer_end(writer, kept);
}
