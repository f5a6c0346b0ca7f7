#include "test/schedule/graph_text.h"
#include "test/cmocka.h"

#include "plugin/schedule/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct kesco_graph *read_graph(FILE *in) {
    struct kesco_text text;
    struct kesco_text_error error;
    assert_non_null(in);
    if (kesco_text_read(in, &text, &error))
        fail_msg("line %u: %s", error.line, error.message);
    fclose(in);
    assert_int_equal(kesco_graph_build_edges(text.graph), 0);
    free(text.lines);
    return text.graph;
}

struct kesco_graph *graph_of_text(const char *text) {
    return read_graph(fmemopen((void *)text, strlen(text), "r"));
}

struct kesco_graph *graph_of_file(const char *name) {
    char path[4096];
    snprintf(path, sizeof(path), "%s/%s", KESCO_TEST_SOURCE, name);
    return read_graph(fopen(path, "r"));
}

struct kesco_plan *plan_of(const struct kesco_graph *graph) {
    struct kesco_plan_options options = {.policy = KESCO_POLICY_FEWEST_PREDECESSORS, .reorder = true};
    struct kesco_plan *plan;
    assert_int_equal(kesco_plan_create(graph, &options, &plan), 0);
    return plan;
}
