/* Writes what the functions of a program of stages do, step by step. */
#include "test/fuzz/stages_text.h"

bool is_per_thread(const struct text_of *text) {
    return text->program->build.units[text->stage->unit].per_thread;
}

/* A handle that is the same stream in every unit. */
static const char *stream_name(struct generator *g, enum stage_stream stream) {
    if (stream == STREAM_GIVEN)
        return "s";
    if (stream == STREAM_LEGACY)
        return "cudaStreamLegacy";
    if (stream == STREAM_PER_THREAD)
        return "cudaStreamPerThread";
    return writer_text(&g->writer, "q%u", stream - STREAM_OWN);
}

/* What work on a stream is told; empty for a unit's default stream. */
static const char *work_stream(struct generator *g, const struct text_of *text, enum stage_stream stream) {
    bool is_default = stream == (is_per_thread(text) ? STREAM_PER_THREAD : STREAM_LEGACY);

    return is_default && (!is_per_thread(text) || random_percent(&g->random, 60)) ? ""
                                                                                  : stream_name(g, stream);
}

/* One of the buffers; NULL for none. */
static const char *buffer_among(struct generator *g, const struct text_of *text, uint32_t buffers) {
    const char *found = NULL;
    unsigned count = 0;

    for (unsigned i = 0; i < text->buffer_count; i++)
        if ((buffers & 1u << i) != 0 && random_below(&g->random, ++count) == 0)
            found = text->names[i];
    return found;
}

/* Surely one op. */
static void write_op(struct generator *g, const struct text_of *text, const struct step *step) {
    unsigned choice = random_below(&g->random, 10);
    const char *stream = work_stream(g, text, step->stream), *given = *stream != '\0' ? stream : "0";
    const char *to = buffer_among(g, text, step->buffers), *from = to;

    for (unsigned i = 0; i < 8 && from == to; i++)
        from = buffer_among(g, text, step->buffers);
    g->scope.stream.name = stream;
    if (choice == 0 && text->stage->aim != AIM_ANY)
        writer_line(&g->writer, "cudaMemsetAsync(%s, 5, SOME, %s);", to, given);
    else if (choice == 0)
        write_api_call(g, writer_text(&g->writer, "cudaMemsetAsync(%s, %u, SOME, %s)", to,
                                      1 + random_below(&g->random, 9), given));
    else if (choice <= 3 && from != to && text->stage->aim == AIM_ANY)
        write_api_call(g, writer_text(&g->writer, "cudaMemcpyAsync(%s, %s, BYTES, cudaMemcpyDefault, %s)", to,
                                      from, given));
    else
        write_launch_on(g, stream, step->buffers);
}

/* Statements that another stream may work beside, and surely one op. */
static void write_work(struct generator *g, const struct text_of *text, const struct step *step) {
    const char *stream = work_stream(g, text, step->stream);

    /* Other statements of the unit would take the stream that is not named for the legacy one. */
    g->scope.stream.name = *stream == '\0' && is_per_thread(text) ? "cudaStreamPerThread" : stream;
    g->scope.allowed = step->buffers;
    writer_line(&g->writer, "{");
    write_statements(g, step->number);
    write_launch_on(g, g->scope.stream.name, step->buffers);
    writer_line(&g->writer, "}");
}

static void write_read(struct generator *g, const struct text_of *text, const struct step *step) {
    const char *from = buffer_among(g, text, step->buffers);
    unsigned index = random_below(&g->random, 8),
             choice = text->stage->quiet ? 0 : random_below(&g->random, 4);

    switch (choice) {
    case 0:
        writer_line(&g->writer, "v0 += %s[%u];", from, index);
        break;
    case 1:
        writer_line(&g->writer, "printf(\"%%08x%%s\", folded(%s, N), \"0\\n\");", from);
        break;
    default:
        writer_line(&g->writer, "printf(\"%%u%%s%%u\\n\", %s[%u], \", \", v0);", from, index);
    }
}

static void write_host_write(struct generator *g, const struct text_of *text, const struct step *step) {
    const char *to = buffer_among(g, text, step->buffers);
    unsigned index = random_below(&g->random, 8), choice = random_below(&g->random, 3);

    if (choice == 0)
        writer_line(&g->writer, "for (unsigned i = 0; i < N; ++i) %s[i] = %s[i] * 3 + v0;", to, to);
    else if (choice == 1)
        writer_line(&g->writer, "count_up(%s + %u);", to, index);
    else
        writer_line(&g->writer, "%s[%u] = v0 * 5 + %u;", to, index, index);
}

static void write_print(struct generator *g) {
    static const char *const lines[] = {"printf(\"%s%s%s%u\\n\", \"0\", \", \", \"\", v0 % 10);",
                                        "fputs(\", \", stdout), fputs(\"0\", stdout), fputs(\"\", stdout);",
                                        "printf(\"%u%s\", v0 % 100, \", \"), puts(\"0\");"};

    writer_line(&g->writer, "%s", lines[random_below(&g->random, 3)]);
}

static void write_wait_step(struct generator *g, const struct text_of *text, const struct step *step) {
    const char *stream = stream_name(g, step->stream);

    switch (step->kind) {
    case STEP_SYNC_DEVICE:
        if (random_percent(&g->random, text->stage->aim == AIM_WAITS ? 90 : 40))
            writer_line(&g->writer, "cudaDeviceSynchronize();");
        else if (random_percent(&g->random, 20))
            writer_line(&g->writer, "wait_for_all();");
        else
            write_api_call(g, "cudaDeviceSynchronize()");
        break;
    case STEP_SYNC_STREAM:
        write_api_call(g, writer_text(&g->writer, "cudaStreamSynchronize(%s)", stream));
        break;
    case STEP_SYNC_COPY:
        writer_line(&g->writer, "cudaMemcpyFromSymbol(&v2, unused, sizeof v2);");
        break;
    case STEP_SYNC_EVENT:
        write_api_call(g, writer_text(&g->writer, "cudaEventSynchronize(happened[%u])", step->number));
        break;
    case STEP_RECORD:
        write_api_call(g, writer_text(&g->writer, "cudaEventRecord(happened[%u], %s)", step->number, stream));
        break;
    default:
        write_api_call(
            g, writer_text(&g->writer, "cudaStreamWaitEvent(%s, happened[%u], 0)", stream, step->number));
    }
}

/* The call of a stage, with `depth` left for it to call itself. */
static void write_call(struct generator *g, const struct text_of *text, const struct stage_call *call,
                       const char *depth) {
    const struct stage *callee = &text->program->stages[call->callee];
    const char *stream =
        callee->streamed ? writer_text(&g->writer, "%s, ", stream_name(g, call->stream)) : "";
    const char *x = text->names[call->buffers[0]], *y = text->names[call->buffers[1]],
               *z = text->names[call->buffers[2]];
    unsigned value = random_below(&g->random, 100);

    writer_line(&g->writer, "{");
    switch (callee->form) {
    case FORM_VIRTUAL:
        writer_line(&g->writer, "Stage_%u object;", call->callee);
        writer_line(&g->writer, "object.s = %s, object.x = %s, object.y = %s, object.z = %s;",
                    callee->streamed ? stream_name(g, call->stream) : "nullptr", x, y, z);
        writer_line(&g->writer, "Stage *volatile stage = &object;");
        writer_line(&g->writer, "stage->run(%u, %s);", value, depth);
        break;
    case FORM_POINTER:
        writer_line(&g->writer, "decltype(&stage_%u) volatile way = stage_%u;", call->callee, call->callee);
        writer_line(&g->writer, "way(%s%s, %s, %s, %u, %s);", stream, x, y, z, value, depth);
        break;
    default:
        writer_line(&g->writer, "stage_%u(%s%s, %s, %s, %u, %s);", call->callee, stream, x, y, z, value,
                    depth);
    }
    writer_line(&g->writer, "}");
}

/* Threads of C++ or POSIX, that are joined. Only main has some, so all that they use is global. */
static void write_threads(struct generator *g, const struct text_of *text, const struct step *step) {
    bool posix = random_percent(&g->random, 40);

    writer_line(&g->writer, "{");
    for (unsigned i = 0; i < step->call_count; i++) {
        writer_line(&g->writer, posix ? "auto work%u = [](void *) -> void * {" : "std::thread thread%u([] {",
                    i);
        write_call(g, text, &step->calls[i], "2");
        if (posix) {
            writer_line(&g->writer, "return nullptr;");
            writer_line(&g->writer, "};");
            writer_line(&g->writer, "pthread_t thread%u;", i);
            writer_line(&g->writer, "pthread_create(&thread%u, nullptr, work%u, nullptr);", i, i);
        } else {
            writer_line(&g->writer, "});");
        }
        for (unsigned j = step->early ? i : 0; j <= i && (step->early || i + 1 == step->call_count); j++)
            writer_line(&g->writer, posix ? "pthread_join(thread%u, nullptr);" : "thread%u.join();", j);
    }
    writer_line(&g->writer, "}");
}

static void write_library_call(struct generator *g, const struct text_of *text, unsigned callback) {
    static const char *const outputs[] = {"*out_%u << \"x\";", "out_%u->put('0');",
                                          "out_%u->write(\", \", 2);"};
    static const char *const files[] = {"fputs(\", \", file_%u);", "fputc('0', file_%u);",
                                        "fprintf(file_%u, \"0\");"};
    unsigned choice = random_below(&g->random, 3);

    switch (text->program->stages[callback].form) {
    case FORM_STREAM_BUFFER:
        writer_line(&g->writer, outputs[choice], callback);
        break;
    case FORM_FILE:
        writer_line(&g->writer, files[choice], callback);
        break;
    case FORM_COMPARATOR:
        writer_line(&g->writer, "{");
        writer_line(&g->writer, "unsigned pair[] = {v0, v1};");
        writer_line(&g->writer, "qsort(pair, 2, sizeof *pair, compare_%u);", callback);
        writer_line(&g->writer, "v1 = pair[0];");
        writer_line(&g->writer, "}");
        break;
    case FORM_NEW:
        writer_line(&g->writer, choice == 0 ? "fresh = new char[24], armed = 2, delete[] fresh;"
                                            : "armed = 1, fresh = new char[24], delete[] fresh;");
        break;
    default:
        writer_line(&g->writer, "{");
        writer_line(&g->writer, "std::shared_ptr<unsigned> held(&v1, release_%u);", callback);
        if (choice > 0)
            writer_line(&g->writer,
                        choice == 1 ? "held.reset();" : "std::shared_ptr<unsigned> other = std::move(held);");
        writer_line(&g->writer, "}");
    }
}

static void write_step(struct generator *g, const struct text_of *text, const struct step *step) {
    switch (step->kind) {
    case STEP_LAUNCH:
        write_op(g, text, step);
        break;
    case STEP_STATEMENTS:
        write_work(g, text, step);
        break;
    case STEP_READ:
        write_read(g, text, step);
        break;
    case STEP_WRITE:
        write_host_write(g, text, step);
        break;
    case STEP_SHOW:
        writer_line(&g->writer, random_percent(&g->random, 50) ? "show(%s);" : "show_all(%s);",
                    buffer_among(g, text, step->buffers));
        break;
    case STEP_CALL:
        write_call(g, text, &step->calls[0], text->index == 0 ? "2" : "0");
        break;
    case STEP_RECURSE:
        writer_line(&g->writer, "if (depth > 0) {");
        write_call(g, text, &step->calls[0], "depth - 1");
        writer_line(&g->writer, "}");
        break;
    case STEP_THREADS:
        write_threads(g, text, step);
        break;
    case STEP_LIBRARY:
        write_library_call(g, text, step->number);
        break;
    case STEP_PRINT:
        write_print(g);
        break;
    default:
        write_wait_step(g, text, step);
    }
}

void write_steps(struct generator *g, const struct text_of *text) {
    for (unsigned i = 0; i < text->stage->step_count; i++) {
        const struct step *step = &text->stage->steps[i];
        if (step->kind == STEP_LOOP) {
            const char *times = random_percent(&g->random, 50) ? "%u" : "%u * one";
            writer_line(&g->writer, "for (unsigned pass = 0, passes = %s; pass < passes; ++pass) {",
                        writer_text(&g->writer, times, step->number));
        } else if (step->kind == STEP_END) {
            writer_line(&g->writer, "}");
        } else {
            bool kept = writer_begin(&g->writer);
            write_step(g, text, step);
            writer_end(&g->writer, kept);
        }
    }
}
