#include "test/report/sample_report.h"
#include "test/cmocka.h"

#include "plugin/report/dot.h"
#include "plugin/report/svg.h"
#include "test/schedule/graph_text.h"

#include <expat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void append(struct kesco_report_builder *builder, struct kesco_graph *graph) {
    struct kesco_plan *plan = plan_of(graph);
    assert_int_equal(kesco_report_append_region(builder, graph, plan, NULL), 0);
    kesco_plan_destroy(plan);
    kesco_graph_destroy(graph);
}

static struct kesco_report_builder *begin(const char *name) {
    struct kesco_report_builder *builder = kesco_report_builder_create();
    assert_non_null(builder);
    assert_int_equal(kesco_report_begin_function(builder, name), 0);
    return builder;
}

static void finish(struct kesco_report_builder *builder, struct kesco_report *report) {
    assert_int_equal(kesco_report_end_function(builder), 0);
    assert_int_equal(kesco_report_finish(builder, "sample.cu", report), 0);
}

struct kesco_report_builder *report_of_texts(const char *name, const char *const *texts,
                                             struct kesco_report *report) {
    struct kesco_report_builder *builder = begin(name);
    for (; *texts; texts++)
        append(builder, graph_of_text(*texts));
    finish(builder, report);
    return builder;
}

struct kesco_report_builder *report_of_model(const struct model *model, struct kesco_report *report) {
    struct kesco_report_builder *builder = begin("model");
    struct kesco_graph *graph = model_graph(model);
    assert_int_equal(kesco_graph_build_edges(graph), 0);
    append(builder, graph);
    finish(builder, report);
    return builder;
}

char *chain_text(unsigned count) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    for (unsigned op = 0; op < count; op++)
        fprintf(out, "op link_%u r=o%u w=o%u\n", op, op, op + 1);
    fclose(out);
    return text;
}

char *svg_of(const struct kesco_report *report, bool drawn) {
    struct kesco_drawing none[8] = {0};
    struct kesco_drawings drawings = {.list = none};
    char message[KESCO_GRAPHVIZ_ERROR_SIZE], *text = NULL;
    size_t size;
    assert_true(report->function_count <= 8);
    if (drawn && kesco_graphviz_draw(report, &drawings, message))
        fail_msg("%s", message);
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    assert_int_equal(kesco_svg_write(report, &drawings, out), 0);
    fclose(out);
    if (drawn)
        kesco_drawings_free(&drawings);
    return text;
}

static char *text_by(int (*write)(const struct kesco_report *, FILE *), const struct kesco_report *report) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    assert_int_equal(write(report, out), 0);
    fclose(out);
    return text;
}

char *json_of(const struct kesco_report *report) {
    return text_by(kesco_report_write, report);
}

char *dot_of(const struct kesco_report *report) {
    return text_by(kesco_dot_write, report);
}

static void check_element(void *unknown, const XML_Char *name, const XML_Char **attributes) {
    static const char *const known[] = {"svg",   "style", "defs",    "marker",  "path",     "rect", "text",
                                        "title", "g",     "polygon", "ellipse", "polyline", "a"};
    (void)attributes;
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
        if (strcmp(name, known[i]) == 0)
            return;
    ++*(unsigned *)unknown;
}

void expect_svg(const char *text) {
    unsigned unknown = 0;
    XML_Parser parser = XML_ParserCreate(NULL);
    assert_non_null(parser);
    XML_SetUserData(parser, &unknown);
    XML_SetStartElementHandler(parser, check_element);
    if (XML_Parse(parser, text, (int)strlen(text), 1) != XML_STATUS_OK)
        fail_msg("line %lu: %s in:\n%s", (unsigned long)XML_GetCurrentLineNumber(parser),
                 XML_ErrorString(XML_GetErrorCode(parser)), text);
    assert_int_equal(unknown, 0);
    XML_ParserFree(parser);
}

void expect_count(const char *text, const char *part, size_t count) {
    size_t found = 0;
    for (const char *next = text; (next = strstr(next, part)); next += strlen(part))
        found++;
    if (found != count)
        fail_msg("%zu times, not %zu, '%s' in:\n%s", found, count, part, text);
}
