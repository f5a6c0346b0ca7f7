/* Waits of a program of classes, in all the forms in which people write them. */
#include "test/fuzz/classes_method.h"

const char *result_type(enum class_result result) {
    static const char *const types[] = {"void", "cudaError_t", "int", "bool"};

    return types[result];
}

const char *good_return(enum class_result result) {
    static const char *const returns[] = {"return;", "return cudaSuccess;", "return 0;", "return true;"};

    return returns[result];
}

const char *consequence_text(struct generator *g, enum class_result result, struct consequence consequence,
                             const char *value) {
    switch (consequence.kind) {
    case CONSEQUENCE_EXIT:
        return writer_text(&g->writer, "exit(%u);", consequence.number);
    case CONSEQUENCE_THROW:
        return writer_text(&g->writer, "throw Failure(%s);", value);
    default:
        if (result == RESULT_ERROR)
            return writer_text(&g->writer, "return %s;", value);
        return result == RESULT_INT ? writer_text(&g->writer, "return %u;", consequence.number)
                                    : "return false;";
    }
}

/* The usual one, or now and then another. */
static struct consequence consequence_here(const struct method_text *t) {
    unsigned alike = !t->style.aims ? 75 : t->program->fails ? 75 : 100;

    return percent(t, alike) ? t->style.consequence : some_consequence(t->g, t->result);
}

static void write_test(const struct method_text *t, const char *call) {
    struct writer *writer = &t->g->writer;
    struct consequence consequence = consequence_here(t);

    switch (below(t, 3)) {
    case 0:
        writer_line(writer, "err = %s;", call);
        writer_line(writer, "if (err != cudaSuccess)");
        break;
    case 1:
        writer_line(writer, "if ((err = %s) != cudaSuccess) {", call);
        writer_line(writer, "fprintf(stderr, \"failed: %%s\\n\", cudaGetErrorString(err));");
        writer_line(writer, "%s", consequence_text(t->g, t->result, consequence, "err"));
        writer_line(writer, "}");
        return;
    default:
        writer_line(writer, "if (cudaError_t code = %s; code != cudaSuccess)", call);
        writer_line(writer, "    %s", consequence_text(t->g, t->result, consequence, "code"));
        return;
    }
    writer_line(writer, "    %s", consequence_text(t->g, t->result, consequence, "err"));
}

static void write_macro(const struct method_text *t, const char *call) {
    struct consequence consequence = consequence_here(t);

    switch (consequence.kind) {
    case CONSEQUENCE_EXIT:
        writer_line(&t->g->writer, "CHECK_EXIT(%s, %u);", call, consequence.number);
        break;
    case CONSEQUENCE_THROW:
        writer_line(&t->g->writer, "CHECK_THROW(%s);", call);
        break;
    default:
        writer_line(&t->g->writer, "CHECK_RETURN(%s, %u);", call, consequence.number);
    }
}

static void write_in_form(const struct method_text *t, enum wait_form form, const char *call) {
    struct writer *writer = &t->g->writer;

    switch (form) {
    case WAIT_BARE:
        writer_line(writer, "%s;", call);
        break;
    case WAIT_STORED:
        writer_line(writer, "err_ = %s;", call);
        break;
    case WAIT_MACRO:
        write_macro(t, call);
        break;
    case WAIT_FUNCTION:
        writer_line(writer,
                    t->style.consequence.kind == CONSEQUENCE_EXIT ? "require(%s, \"%s\");"
                                                                  : "throw_if(%s, \"%s\");",
                    call, percent(t, 50) ? "wait" : "call");
        break;
    case WAIT_ASKED:
        writer_line(writer, "%s;", call);
        if (percent(t, 50))
            write_test(t, "cudaGetLastError()");
        else
            write_macro(t, "cudaGetLastError()");
        break;
    case WAIT_COUNTED:
        writer_line(
            writer,
            percent(t, 50) ? "failures_ += %s != cudaSuccess;" : "if (%s != cudaSuccess) ++failures_;", call);
        break;
    default:
        write_test(t, call);
    }
}

void write_checked(struct method_text *t, const char *call) {
    write_in_form(t, percent(t, 50) ? WAIT_TESTED : WAIT_MACRO, call);
}

static const char *waiting_call(const struct method_text *t) {
    bool device = t->style.aims || percent(t, 90) ? t->model->device : !t->model->device;

    if (device)
        return "cudaDeviceSynchronize()";
    return writer_text(&t->g->writer, "cudaStreamSynchronize(%s)", stream_here(t));
}

/* By a copy of one of the buffers, which all that is in flight comes before. */
static bool write_waiting_copy(struct method_text *t) {
    unsigned buffer = below(t, t->model->buffer_count);
    const char *call;

    if (t->program->fails || t->model->stream != CLASS_DEFAULT ||
        t->model->buffers[buffer].memory == CLASS_MAPPED)
        return false;
    call = writer_text(&t->g->writer, "cudaMemcpy(found_, %s, BYTES, cudaMemcpyDefault)",
                       buffer_of_class(t->g, t->model, buffer));
    write_in_form(t, percent(t, 50) ? t->style.wait : WAIT_BARE, call);
    writer_line(&t->g->writer, "sum_ += (long)found_[%u];", below(t, 32));
    return true;
}

void write_class_wait(struct method_text *t) {
    enum wait_form form =
        t->style.aims || percent(t, 75) ? t->style.wait : (enum wait_form)below(t, WAIT_FORMS);

    /* How often an error is counted depends on when it shows. */
    if (form == WAIT_COUNTED && t->program->fails)
        form = WAIT_BARE;
    if (!t->style.aims && percent(t, 6) && write_waiting_copy(t)) {
        t->buffers.pending = 0;
        return;
    }
    if (form == WAIT_HELPER && t->result == RESULT_VOID)
        writer_line(&t->g->writer, "sync();");
    else if (form == WAIT_HELPER)
        writer_line(&t->g->writer, "if (auto told = sync(); is_bad(told)) %s",
                    t->result == RESULT_INT || t->result == RESULT_ERROR ? "return told;" : "return false;");
    else
        write_in_form(t, form, waiting_call(t));
    t->buffers.pending = 0;
}

void write_sync(struct method_text *t) {

    struct writer *writer = &t->g->writer;
    bool kept = writer_begin(writer);

    t->style.consequence = t->model->helper_consequence;
    writer_line(writer, "%s%s sync() {", percent(t, 20) ? "virtual " : "", result_type(t->result));
    writer_line(writer, "cudaError_t err = cudaSuccess;");
    write_in_form(t, t->model->helper, waiting_call(t));
    writer_line(writer, "%s", good_return(t->result));
    writer_line(writer, "}");
    writer_end(writer, kept);
}
