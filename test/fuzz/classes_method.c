/* The members of a program of classes: work, waits, and what the host does in between. */
#include "test/fuzz/classes.h"

enum { LENGTH = 32 };

static bool percent(const struct method_text *t, unsigned share) {
    return random_percent(&t->g->random, share);
}

static unsigned below(const struct method_text *t, unsigned limit) {
    return random_below(&t->g->random, limit);
}

static uint32_t all_pending(const struct method_text *t) {
    return ((1u << t->model->buffer_count) - 1) | (t->model->managed ? 1u << TALLY : 0);
}

const char *buffer_of_class(struct generator *g, const struct class_model *model, unsigned buffer) {
    static const char *const forms[] = {"b%u_", "all_[%u]", "b%u_.data()", "b%u_.get()", "slots_[%u]"};

    return writer_text(&g->writer, forms[model->buffers[buffer].hold], buffer);
}

const char *stream_of_class(const struct class_model *model) {
    return model->stream == CLASS_DEFAULT ? "0" : "stream_";
}

/* A pointer to a buffer's first element, for a kernel. */
static const char *pointer_to(const struct method_text *t, unsigned buffer) {
    struct writer *writer = &t->g->writer;
    unsigned choice = below(t, 100);

    if ((t->local >> buffer & 1) != 0 && choice < 50)
        return writer_text(writer, "p%u", buffer);
    if (t->model->buffers[buffer].viewed && !t->aims && choice < 25)
        return writer_text(writer, "view%u_", buffer);
    return choice < 90 ? buffer_of_class(t->g, t->model, buffer) : writer_text(writer, "at(%u)", buffer);
}

/* One element of it, for the host. */
static const char *element_of(const struct method_text *t, unsigned buffer, const char *at) {
    struct writer *writer = &t->g->writer;
    const struct class_buffer *held = &t->model->buffers[buffer];
    unsigned choice = below(t, 100);

    if ((t->seen >> buffer & 1) != 0 && choice < 90)
        return writer_text(writer, "seen%u[%s]", buffer, at);
    if (held->middle && choice < 50)
        return writer_text(writer, "middle%u_[(int)(%s) - %u]", buffer, at, LENGTH / 2);
    if (held->viewed && choice < 75)
        return writer_text(writer, "view%u_[%s]", buffer, at);
    return writer_text(writer, "%s[%s]", pointer_to(t, buffer), at);
}

/* A place in a buffer: fixed, or one that the run computes. */
static const char *place(const struct method_text *t) {
    switch (below(t, 4)) {
    case 0:
        return writer_text(&t->g->writer, "(rounds_ + %u) %% N", below(t, LENGTH));
    case 1:
        return "n_";
    default:
        return writer_text(&t->g->writer, "%u", below(t, LENGTH));
    }
}

static const char *value(const struct method_text *t) {
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

static const char *shape(const struct method_text *t) {
    static const char *const shapes[] = {"1, N", "2, N / 2", "grid_, block_"};
    const char *chosen = shapes[below(t, 3)];

    if (t->model->stream == CLASS_DEFAULT && percent(t, 80))
        return chosen;
    return writer_text(&t->g->writer, "%s, 0, %s", chosen, stream_of_class(t->model));
}

static unsigned other_buffer(const struct method_text *t, unsigned than) {
    return (than + 1 + below(t, t->model->buffer_count - 1)) % t->model->buffer_count;
}

/* A memset or a copy within the device, as an op. */
static bool write_transfer_op(struct method_text *t, unsigned to, unsigned from) {
    const char *stream = stream_of_class(t->model), *target = pointer_to(t, to);

    if (t->model->buffers[to].memory == CLASS_MAPPED || t->model->buffers[from].memory == CLASS_MAPPED)
        return false;
    if (percent(t, 40))
        writer_line(&t->g->writer, "cudaMemsetAsync(%s, 0, BYTES, %s);", target, stream);
    else
        writer_line(&t->g->writer, "cudaMemcpyAsync(%s, %s, BYTES, cudaMemcpyDeviceToDevice, %s);", target,
                    pointer_to(t, from), stream);
    t->pending |= 1u << to | 1u << from;
    return true;
}

static void write_launch(struct method_text *t) {
    struct writer *writer = &t->g->writer;
    unsigned out = below(t, t->model->buffer_count), in = other_buffer(t, out), other = other_buffer(t, out);
    const char *to = pointer_to(t, out), *from = pointer_to(t, in), *more = pointer_to(t, other);
    const char *with = shape(t), *number = value(t);

    if (t->model->managed && percent(t, 15)) {
        writer_line(writer, "k_tally<<<%s>>>(&tally_);", with);
        t->pending |= 1u << TALLY;
        return;
    }
    if (percent(t, 8) && write_transfer_op(t, out, in))
        return;
    t->pending |= 1u << out;
    switch (below(t, 8)) {
    case 0:
        writer_line(writer, "k_fill<<<%s>>>(%s, %s);", with, to, number);
        return;
    case 1:
    case 2:
        writer_line(writer, "k_scale<<<%s>>>(%s, %s);", with, to, number);
        return;
    case 3:
        writer_line(writer, "k_add<<<%s>>>(%s, %s, %s);", with, to, from, more);
        t->pending |= 1u << other;
        break;
    case 4:
        writer_line(writer, "k_shift<<<%s>>>(%s, %s, %u);", with, to, from, 1 + below(t, LENGTH - 1));
        break;
    case 5:
        writer_line(writer, "k_view<<<%s>>>(View{%s, %s, %u});", with, to, from, below(t, 9));
        break;
    case 6:
        writer_line(writer, "k_sum<<<%s>>>(%s, %s);", with, to, from);
        break;
    default:
        writer_line(writer, "k_mix<<<%s>>>(%s, %s, %s);", with, to, from, number);
    }
    t->pending |= 1u << in;
}

/* Whether the launch itself succeeded. */
static void write_launch_check(struct method_text *t) {
    switch (below(t, 3)) {
    case 0:
        write_checked(t, "cudaGetLastError()");
        break;
    case 1:
        writer_line(&t->g->writer,
                    "if (cudaPeekAtLastError() != cudaSuccess) fprintf(stderr, \"launch\\n\");");
        break;
    default:
        writer_line(&t->g->writer, "err = cudaGetLastError();");
    }
}

/* The kernel that fails, in one of the calls; nothing but its wait comes behind it. */
static void write_failing(struct method_text *t) {
    unsigned buffer = below(t, t->model->buffer_count);
    const char *with = shape(t), *to = pointer_to(t, buffer);

    if (percent(t, 50))
        writer_line(&t->g->writer, "k_wild<<<%s>>>(%s, far);", with, to);
    else
        writer_line(&t->g->writer, "k_scale<<<%s>>>(far ? nullptr : %s, 3);", with, to);
    t->pending |= 1u << buffer;
    write_class_wait(t);
}

/* One or two ops and, most often, a wait. */
static void write_work(struct method_text *t) {
    unsigned count = 1 + percent(t, 25);

    if (t->failing > 0 && --t->failing == 0 && t->model->fails == (int)t->method) {
        write_failing(t);
        return;
    }
    for (unsigned i = 0; i < count; i++) {
        bool kept = writer_begin(&t->g->writer);
        write_launch(t);
        if (!t->aims && percent(t, 12))
            write_launch_check(t);
        writer_end(&t->g->writer, kept);
    }
    if (percent(t, t->aims ? 92 : t->lazy ? 85 : 40)) {
        bool kept = writer_begin(&t->g->writer);
        write_class_wait(t);
        writer_end(&t->g->writer, kept);
    }
}

/* A buffer that the host may touch, for which it waits first if need be; -1 for none. */
static int buffer_for_host(struct method_text *t) {
    int found = -1;
    unsigned count = 0, idle = 0;

    for (unsigned i = 0; i < t->model->buffer_count; i++) {
        bool busy = (t->pending >> i & 1) != 0;
        if (t->model->buffers[i].memory == CLASS_DEVICE || (busy && idle > 0 && percent(t, 80)))
            continue;
        idle += !busy;
        if (below(t, ++count) == 0)
            found = (int)i;
    }
    if (found >= 0 && (t->pending >> found & 1) != 0)
        write_class_wait(t);
    return found;
}

static const char *output_of(const struct method_text *t) {
    return t->program->fails ? "stderr" : "stdout";
}

/* The host reads; what it reads is added up, kept, printed, or decides on what comes. */
static void write_read(struct method_text *t, unsigned buffer) {
    struct writer *writer = &t->g->writer;
    const char *element = element_of(t, buffer, place(t));

    switch (below(t, 9)) {
    case 0:
        writer_line(writer, "history_.push_back((long)%s);", element);
        break;
    case 1:
        writer_line(writer, t->program->fails ? "sum_ += (long)%s;" : "n_ = (unsigned)%s %% 3 + 1;", element);
        break;
    case 2:
        writer_line(writer, "fprintf(%s, \"%%ld\\n\", (long)%s);", output_of(t), element);
        break;
    case 3:
        writer_line(writer, "%s << \"at \" << (long)%s << \"\\n\";",
                    t->program->fails ? "std::cerr" : "std::cout", element);
        break;
    case 4:
        writer_line(writer, "for (int j = 0; j < N; ++j)");
        writer_line(writer, "    sum_ += (long)%s * (j + 1);", element_of(t, buffer, "j"));
        break;
    case 5:
        writer_line(writer, "sum_ += inspect(%s, %s);", pointer_to(t, buffer), place(t));
        break;
    case 6:
        writer_line(writer, "memcpy(found_, %s, BYTES);", pointer_to(t, buffer));
        writer_line(writer, "sum_ += (long)found_[%s];", place(t));
        break;
    default:
        writer_line(writer, "sum_ += (long)%s;", element);
    }
}

static void write_host_write(struct method_text *t, unsigned buffer) {
    struct writer *writer = &t->g->writer;
    const char *element = element_of(t, buffer, place(t)), *number = value(t);

    switch (below(t, 4)) {
    case 0:
        writer_line(writer, "for (int j = 0; j < N; ++j)");
        writer_line(writer, "    %s = fold(%s + j);", element_of(t, buffer, "j"), number);
        break;
    case 1:
        writer_line(writer, "%s = fold((unsigned)%s * 3 + %s);", element, element, number);
        break;
    default:
        writer_line(writer, "%s = fold(%s);", element, number);
    }
}

static void write_access(struct method_text *t) {
    int buffer;

    if (t->model->managed && percent(t, 20)) {
        if ((t->pending >> TALLY & 1) != 0)
            write_class_wait(t);
        writer_line(&t->g->writer, percent(t, 70) ? "sum_ += tally_;" : "tally_ += 1;");
        return;
    }
    buffer = buffer_for_host(t);
    if (buffer < 0)
        writer_line(&t->g->writer, "++rounds_;");
    else if (percent(t, 65))
        write_read(t, (unsigned)buffer);
    else
        write_host_write(t, (unsigned)buffer);
}

/* One that is idle, and that the host has a pointer to, if a few tries find it. */
static unsigned idle_buffer(const struct method_text *t) {
    unsigned buffer = below(t, t->model->buffer_count);

    for (unsigned tries = 0; tries < 4; tries++) {
        if (t->model->buffers[buffer].memory != CLASS_DEVICE && ((t->seen & ~t->pending) >> buffer & 1) != 0)
            break;
        buffer = below(t, t->model->buffer_count);
    }
    return buffer;
}

/* The host touches memory that is idle by now, in a way that calls nothing; or none. */
static void write_quiet_access(struct method_text *t) {
    unsigned buffer = idle_buffer(t);
    const char *element = element_of(t, buffer, place(t)), *number = value(t);

    if (t->model->buffers[buffer].memory == CLASS_DEVICE || (t->pending >> buffer & 1) != 0)
        writer_line(&t->g->writer, percent(t, 50) ? "++rounds_;" : "n_ = rounds_ %% 3 + 1;");
    else if (percent(t, 60))
        writer_line(&t->g->writer, "sum_ += (unsigned long)%s;", element);
    else
        writer_line(&t->g->writer, "%s = fold(%s);", element, number);
}

/* The host goes on, and touches nothing that kernels work on. */
static void write_host_step(struct method_text *t) {
    static const char *const steps[] = {
        "++rounds_;",
        "this->n_ = rounds_ % 3 + 1;",
        "history_.push_back((long)rounds_);",
        "if (history_.size() > 8) history_.clear();",
        "log_ << \"round \" << rounds_ << \"\\n\";",
        "name_ = name_ + 'x';",
        "std::sort(history_.begin(), history_.end());",
        "found_[rounds_ % N] = fold(n_);",
        "note(n_);",
    };

    writer_line(&t->g->writer, "%s", steps[below(t, sizeof steps / sizeof *steps)]);
}

static void write_log(struct method_text *t) {
    struct writer *writer = &t->g->writer;

    switch (below(t, 5)) {
    case 0:
        writer_line(writer, "%s << name_ << \" \" << rounds_ << std::endl;",
                    t->program->fails ? "std::cerr" : "std::cout");
        break;
    case 1:
        writer_line(writer, "log_ << sum_ << \" \";");
        break;
    case 2:
        writer_line(writer, "if (verbose) fprintf(%s, \"step %%u\\n\", n_);", output_of(t));
        break;
    default:
        writer_line(writer, "fprintf(%s, \"%%s %%u %%zu\\n\", name_.c_str(), rounds_, history_.size());",
                    output_of(t));
    }
}

/* Only whether time went on is printed. */
static void write_clock(struct method_text *t, void (*inside)(struct method_text *t)) {
    struct writer *writer = &t->g->writer;
    unsigned name = t->names++;
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

/* A blocking copy; objects with a stream of their own use that. */
static void write_copy(struct method_text *t) {
    struct writer *writer = &t->g->writer;
    unsigned buffer = below(t, t->model->buffer_count);
    bool own = t->model->stream != CLASS_DEFAULT, in = percent(t, 40);
    const char *at = pointer_to(t, buffer), *number = value(t), *call;

    if (t->model->buffers[buffer].memory == CLASS_MAPPED)
        return;
    if (in) {
        writer_line(writer, "for (int j = 0; j < N; ++j)");
        writer_line(writer, "    found_[j] = fold(%s * j);", number);
    }
    call = writer_text(writer, "cudaMemcpy%s(%s, %s, BYTES, cudaMemcpyDefault%s)", own ? "Async" : "",
                       in ? at : "found_", in ? "found_" : at, own ? ", stream_" : "");
    if (t->program->fails || percent(t, 40))
        writer_line(writer, "%s;", call);
    else
        write_checked(t, call);
    t->pending |= 1u << buffer;
    if (own)
        write_class_wait(t);
    else if (!in)
        t->pending = 0;
    if (!in)
        writer_line(writer, "sum_ += (long)found_[%s];", place(t));
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
    if (t->model->settles && t->pending != 0)
        write_class_wait(t);
}

static void write_loop(struct method_text *t) {
    struct writer *writer = &t->g->writer;
    bool ends_idle = percent(t, 80);
    uint32_t before;

    if (!ends_idle)
        t->pending = all_pending(t);
    before = t->pending;
    if (percent(t, 70))
        writer_line(writer, "for (unsigned i%u = 0; i%u < n_ %% 4; ++i%u) {", t->loops, t->loops, t->loops);
    else
        writer_line(writer, "for (int i%u = 0, count = %u * one; i%u < count; ++i%u) {", t->loops,
                    1 + below(t, 3), t->loops, t->loops);
    t->loops++;
    write_steps(t, 1 + below(t, 4));
    if (ends_idle && t->pending != 0)
        write_class_wait(t);
    t->loops--;
    writer_line(writer, "}");
    t->pending |= before;
}

static void write_branch(struct method_text *t) {
    uint32_t before = t->pending, first;

    writer_line(&t->g->writer, "if (%s) {", condition(t));
    write_steps(t, 1 + below(t, 3));
    first = t->pending;
    if (percent(t, 40)) {
        writer_line(&t->g->writer, "}");
        writer_line(&t->g->writer, "else {");
        t->pending = before;
        write_steps(t, 1 + below(t, 3));
        before = t->pending;
    }
    writer_line(&t->g->writer, "}");
    t->pending = first | before;
}

static void write_early_return(struct method_text *t) {
    uint32_t before = t->pending;

    writer_line(&t->g->writer, "if (%s) {", condition(t));
    write_settled(t);
    writer_line(&t->g->writer, "%s",
                t->method == METHOD_GET ? "return sum_;" : good_return(t->program->result));
    writer_line(&t->g->writer, "}");
    t->pending = before;
}

/* An exception that is thrown now and then, and caught; what is in flight then may be all of it. */
static void write_try(struct method_text *t) {
    struct writer *writer = &t->g->writer;
    uint32_t thrown;

    writer_line(writer, "try {");
    write_steps(t, 1 + below(t, 2));
    if (percent(t, 60))
        write_settled(t);
    thrown = t->pending;
    writer_line(writer, "if (%s) throw Skip{n_};", condition(t));
    write_steps(t, 1 + below(t, 2));
    t->pending |= thrown;
    writer_line(writer, "}");
    writer_line(writer, "catch (const Skip &skip) {");
    writer_line(writer, "rounds_ += skip.by;");
    writer_line(writer, "}");
}

/* Where waits are to be put off: work with a wait behind it, and a host that touches only what is idle. */
static void write_aimed_step(struct method_text *t) {
    unsigned choice = below(t, 100);

    if (choice < 8 && t->depth < 2) {
        t->depth++;
        write_loop(t);
        t->depth--;
    } else if (choice < 12 && t->depth < 2) {
        t->depth++;
        write_branch(t);
        t->depth--;
    } else if (choice < 15 && t->usual_wait == WAIT_BARE) {
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
    t->depth++;
    if (choice < 4)
        write_loop(t);
    else if (choice < 8)
        write_branch(t);
    else if (choice < 10)
        write_try(t);
    else
        write_clock(t, write_two_steps);
    t->depth--;
}

static void write_step(struct method_text *t) {
    unsigned choice = below(t, 100);

    if (choice < 14 && t->depth < 2) {
        write_block_step(t, choice);
    } else if (choice < 17) {
        write_early_return(t);
    } else if (choice < 20) {
        write_copy(t);
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
        if (t->aims)
            write_aimed_step(t);
        else
            write_step(t);
        writer_end(&t->g->writer, kept);
    }
}

/* Variables that lead to some of the buffers. */
static void write_locals(struct method_text *t) {
    for (unsigned i = 0; i < t->model->buffer_count; i++)
        if (percent(t, 25)) {
            writer_line(&t->g->writer, "Real *p%u = %s;", i, buffer_of_class(t->g, t->model, i));
            t->local |= 1u << i;
        }
    for (unsigned i = 0; t->aims && i < t->model->buffer_count; i++)
        if ((t->model->buffers[i].viewed || t->model->buffers[i].middle) && percent(t, 80)) {
            writer_line(&t->g->writer,
                        t->model->buffers[i].viewed ? "Real *seen%u = view%u_;"
                                                    : "Real *seen%u = middle%u_ - N / 2;",
                        i, i);
            t->seen |= 1u << i;
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
    t->pending = 0;
    for (unsigned i = 0; i < t->model->buffer_count; i++) {
        const char *name = buffer_of_class(t->g, t->model, i);
        if (t->model->buffers[i].memory != CLASS_DEVICE && percent(t, 30)) {
            writer_line(writer, "for (int j = 0; j < N; ++j)");
            writer_line(writer, "    %s[j] = fold(j * %u);", name, 1 + below(t, 9));
        } else {
            writer_line(writer, "k_fill<<<%s>>>(%s, %u);", shape(t), name, below(t, 50));
            t->pending |= 1u << i;
            if (percent(t, 30))
                write_class_wait(t);
        }
    }
    t->local = 0;
}

/* What the parent class does of it. */
static void write_parent_call(struct method_text *t) {
    struct writer *writer = &t->g->writer;

    if (t->program->result == RESULT_VOID)
        writer_line(writer, "Class_%u::execute(round);", t->index - 1);
    else
        writer_line(writer, "if (auto told = Class_%u::execute(round); is_bad(told)) return told;",
                    t->index - 1);
    t->pending = t->model->settles ? 0 : all_pending(t);
}

static void write_execute(struct method_text *t) {
    write_steps(t, t->model->child ? below(t, 4) : 0);
    if (t->model->child)
        write_parent_call(t);
    write_steps(t, 4 + below(t, 8));
    if (percent(t, 25))
        writer_line(&t->g->writer, "if (err_ != cudaSuccess) %s",
                    consequence_text(t->g, t->result, t->usual, "err_"));
}

/* All memory, added up. */
static void write_sums(struct method_text *t) {
    struct writer *writer = &t->g->writer;

    for (unsigned i = 0; i < t->model->buffer_count; i++) {
        bool visible = t->model->buffers[i].memory != CLASS_DEVICE, kept = writer_begin(writer);
        if (visible && (t->model->buffers[i].memory == CLASS_MAPPED || percent(t, 70))) {
            if ((t->pending >> i & 1) != 0)
                write_class_wait(t);
            writer_line(writer, "for (int j = 0; j < N; ++j)");
            writer_line(writer, "    sum_ = sum_ * 3 + (long)%s;", element_of(t, i, "j"));
        } else {
            const char *call;
            bool own = t->model->stream != CLASS_DEFAULT;
            call = writer_text(writer, "cudaMemcpy%s(found_, %s, BYTES, cudaMemcpyDefault%s)",
                               own ? "Async" : "", pointer_to(t, i), own ? ", stream_" : "");
            if (percent(t, 50))
                write_checked(t, call);
            else
                writer_line(writer, "%s;", call);
            if (own)
                write_class_wait(t);
            else
                t->pending = 0;
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
        if (percent(t, 60)) {
            write_looks(t);
            break;
        }
        /* fallthrough */
    default:
        write_steps(t, 2 + below(t, 5));
    }
}

/* A member that aims at waits that are put off ends with one, if their errors are looked at. */
static void choose_aim(struct method_text *t) {
    static const enum wait_form forms[] = {WAIT_BARE,  WAIT_BARE,     WAIT_STORED, WAIT_TESTED,
                                           WAIT_MACRO, WAIT_FUNCTION, WAIT_HELPER};

    bool fails = t->model->fails == (int)t->method;

    t->aims = t->method != METHOD_ALLOC && t->method != METHOD_GET && percent(t, fails ? 85 : 65);
    if (!t->aims)
        return;
    t->usual_wait = forms[below(t, sizeof forms / sizeof *forms)];
    if (fails && percent(t, 75))
        t->usual_wait = percent(t, 50) ? WAIT_TESTED : WAIT_MACRO;
}

void write_method(struct method_text *t) {
    static const char *const heads[] = {"alloc()", "init()", "execute(unsigned round)", "check()", "get()"};
    struct writer *writer = &t->g->writer;
    bool kept = writer_begin(writer), get = t->method == METHOD_GET;

    t->result = get ? RESULT_VOID : t->program->result;
    t->usual_wait = below(t, WAIT_FORMS);
    t->usual = some_consequence(t->g, t->result);
    t->lazy = percent(t, 80);
    t->failing = 1 + below(t, 2);
    choose_aim(t);
    t->pending = t->model->settles ? 0 : all_pending(t);
    writer_line(writer, "%s Class_%u::%s {", get ? "unsigned long" : result_type(t->result), t->index,
                heads[t->method]);
    writer_line(writer, "cudaError_t err = cudaSuccess;");
    if (t->model->fails == (int)t->method)
        writer_line(writer, "const long far = %s ? FAR : 0;",
                    t->method == METHOD_EXECUTE
                        ? writer_text(writer, "round == %u", below(t, t->program->rounds))
                        : "one == 1");
    write_body(t);
    if (t->aims && t->usual_wait == WAIT_BARE && t->method != METHOD_CHECK && percent(t, 60))
        write_loop(t);
    else if (t->aims && t->usual_wait != WAIT_BARE && t->method != METHOD_CHECK)
        write_class_wait(t);
    write_settled(t);
    writer_line(writer, "%s", get ? "return sum_;" : good_return(t->result));
    writer_line(writer, "}");
    writer_end(writer, kept);
}
