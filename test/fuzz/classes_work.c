/* Work of the members of a program of classes: launches, copies within the device, and a kernel that fails.
 */
#include "test/fuzz/classes_method.h"

const char *shape(const struct method_text *t) {
    static const char *const shapes[] = {"1, N", "2, N / 2", "grid_, block_"};
    const char *chosen = shapes[below(t, 3)];

    if (t->model->stream == CLASS_DEFAULT && percent(t, 80))
        return chosen;
    return writer_text(&t->g->writer, "%s, 0, %s", chosen, stream_here(t));
}

static unsigned other_buffer(const struct method_text *t, unsigned than) {
    return (than + 1 + below(t, t->model->buffer_count - 1)) % t->model->buffer_count;
}

/* A memset or a copy within the device, as an op. */
static bool write_transfer_op(struct method_text *t, unsigned to, unsigned from) {
    const char *stream = stream_here(t), *target = pointer_to(t, to);

    if (t->model->buffers[to].memory == CLASS_MAPPED || t->model->buffers[from].memory == CLASS_MAPPED)
        return false;
    if (percent(t, 40))
        writer_line(&t->g->writer, "cudaMemsetAsync(%s, 0, BYTES, %s);", target, stream);
    else
        writer_line(&t->g->writer, "cudaMemcpyAsync(%s, %s, BYTES, cudaMemcpyDeviceToDevice, %s);", target,
                    pointer_to(t, from), stream);
    t->buffers.pending |= 1u << to | 1u << from;
    return true;
}

void write_launch(struct method_text *t) {
    struct writer *writer = &t->g->writer;
    unsigned out = below(t, t->model->buffer_count), in = other_buffer(t, out), other = other_buffer(t, out);
    const char *to = pointer_to(t, out), *from = pointer_to(t, in), *more = pointer_to(t, other);
    const char *with = shape(t), *number = value(t);

    if (t->model->managed && percent(t, 15)) {
        writer_line(writer, "k_tally<<<%s>>>(&tally_);", with);
        t->buffers.pending |= 1u << TALLY;
        return;
    }
    if (percent(t, 8) && write_transfer_op(t, out, in))
        return;
    t->buffers.pending |= 1u << out;
    switch (t->style.aims && percent(t, 50) ? below(t, 3) : below(t, 8)) { /* the first work on one buffer */
    case 0:
        writer_line(writer, "k_fill<<<%s>>>(%s, %s);", with, to, number);
        return;
    case 1:
    case 2:
        writer_line(writer, "k_scale<<<%s>>>(%s, %s);", with, to, number);
        return;
    case 3:
        writer_line(writer, "k_add<<<%s>>>(%s, %s, %s);", with, to, from, more);
        t->buffers.pending |= 1u << other;
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
    t->buffers.pending |= 1u << in;
}

/* Whether the launch itself succeeded. */
void write_launch_check(struct method_text *t) {
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

/* One that the program can tell from the usual one. */
static struct consequence other_consequence(const struct method_text *t) {
    struct consequence other;

    do
        other = some_consequence(t->g, t->result);
    while (other.kind == t->style.consequence.kind &&
           (other.number == t->style.consequence.number || other.kind == CONSEQUENCE_THROW ||
            (other.kind == CONSEQUENCE_RETURN && t->result != RESULT_INT)));
    return other;
}

/* The kernel that fails, in one of the calls; nothing but its wait comes behind it. Most often there is
 * another wait soon, to which the first must not be put off if something else follows from its error. */
static void write_failing(struct method_text *t) {
    unsigned buffer = below(t, t->model->buffer_count);
    const char *with = shape(t), *to = pointer_to(t, buffer);

    if (percent(t, 50))
        writer_line(&t->g->writer, "k_wild<<<%s>>>(%s, far);", with, to);
    else
        writer_line(&t->g->writer, "k_scale<<<%s>>>(far ? nullptr : %s, 3);", with, to);
    t->buffers.pending |= 1u << buffer;
    write_class_wait(t);
    if (t->style.aims && percent(t, 75)) {
        struct consequence usual = t->style.consequence;
        write_launch(t);
        t->style.consequence = other_consequence(t);
        write_class_wait(t);
        t->style.consequence = usual;
    }
}

/* One or two ops and, most often, a wait. */
void write_work(struct method_text *t) {
    unsigned count = 1 + percent(t, 25);

    if (t->counts.failing > 0 && --t->counts.failing == 0 && t->model->fails == (int)t->method) {
        write_failing(t);
        return;
    }
    for (unsigned i = 0; i < count; i++) {
        bool kept = writer_begin(&t->g->writer);
        write_launch(t);
        if (!t->style.aims && percent(t, 12))
            write_launch_check(t);
        writer_end(&t->g->writer, kept);
    }
    if (percent(t, t->style.aims ? 92 : t->style.lazy ? 85 : 40)) {
        bool kept = writer_begin(&t->g->writer);
        write_class_wait(t);
        writer_end(&t->g->writer, kept);
    }
}
