/* What the host does in the members of a program of classes, between launches and waits. */
#include "test/fuzz/classes_method.h"

/* One element of it, for the host. */
const char *element_of(const struct method_text *t, unsigned buffer, const char *at) {
    struct writer *writer = &t->g->writer;
    const struct class_buffer *held = &t->model->buffers[buffer];
    unsigned choice = below(t, 100);

    if ((t->buffers.seen >> buffer & 1) != 0 && choice < 90)
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

/* A buffer that the host may touch, for which it waits first if need be; -1 for none. */
static int buffer_for_host(struct method_text *t) {
    int found = -1;
    unsigned count = 0, idle = 0;

    for (unsigned i = 0; i < t->model->buffer_count; i++) {
        bool busy = (t->buffers.pending >> i & 1) != 0;
        if (t->model->buffers[i].memory == CLASS_DEVICE || (busy && idle > 0 && percent(t, 80)))
            continue;
        idle += !busy;
        if (below(t, ++count) == 0)
            found = (int)i;
    }
    if (found >= 0 && (t->buffers.pending >> found & 1) != 0)
        write_class_wait(t);
    return found;
}

const char *output_of(const struct method_text *t) {
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

void write_access(struct method_text *t) {
    int buffer;

    if (t->model->managed && percent(t, 20)) {
        if ((t->buffers.pending >> TALLY & 1) != 0)
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
        if (t->model->buffers[buffer].memory != CLASS_DEVICE &&
            ((t->buffers.seen & ~t->buffers.pending) >> buffer & 1) != 0)
            break;
        buffer = below(t, t->model->buffer_count);
    }
    return buffer;
}

/* The host touches memory that is idle by now, in a way that calls nothing; or none. */
void write_quiet_access(struct method_text *t) {
    unsigned buffer = idle_buffer(t);
    const char *element = element_of(t, buffer, place(t)), *number = value(t);

    if (t->model->buffers[buffer].memory == CLASS_DEVICE || (t->buffers.pending >> buffer & 1) != 0)
        writer_line(&t->g->writer, percent(t, 50) ? "++rounds_;" : "n_ = rounds_ %% 3 + 1;");
    else if (percent(t, 60))
        writer_line(&t->g->writer, "sum_ += (unsigned long)%s;", element);
    else
        writer_line(&t->g->writer, "%s = fold(%s);", element, number);
}

/* The host goes on, and touches nothing that kernels work on. */
void write_host_step(struct method_text *t) {
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

void write_log(struct method_text *t) {
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

void write_blocking_copy(struct method_text *t) {
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
                       in ? at : "found_", in ? "found_" : at,
                       own ? writer_text(writer, ", %s", stream_here(t)) : "");
    if (t->program->fails || percent(t, 40))
        writer_line(writer, "%s;", call);
    else
        write_checked(t, call);
    t->buffers.pending |= 1u << buffer;
    if (own)
        write_class_wait(t);
    else if (!in)
        t->buffers.pending = 0;
    if (!in)
        writer_line(writer, "sum_ += (long)found_[%s];", place(t));
}
