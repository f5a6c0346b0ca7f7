#include "plugin/report/dot.h"

#include "plugin/report/picture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define OP_CELLS 32     /* of an op's name */
#define OBJECT_CELLS 28 /* of an object's name at an arrow */
#define TITLE_CELLS 120 /* of a function's name and of other lines of text */
#define MOST_LINES 3    /* edges told at an arrow */
#define MOST_LABELS 80  /* drawn arrows with labels; of more, labels hide the graph */
#define LEGEND                                                                                               \
    "An op: number in program order, name, source line, lane or place in issue order; frame dashed: no "     \
    "kernel.\\l"                                                                                             \
    "An arrow: solid read after write (RAW), dashed write after read (WAR), dotted write after write "       \
    "(WAW).\\l"                                                                                              \
    "Orange and thick: a lane waits for a record of another; blue: the order of lanes is enough; grey: "     \
    "other arrows connect the two.\\l"

static void put_defaults(struct kesco_writer *writer) {
    kesco_put(writer, "  graph [fontname=\"monospace\", fontsize=12, nodesep=0.2, ranksep=0.35];\n"
                      "  node [shape=box, style=\"rounded,filled\", fontname=\"monospace\", fontsize=11, "
                      "height=0.4, margin=\"0.1,0.04\"];\n"
                      "  edge [fontname=\"monospace\", fontsize=9, arrowsize=0.7];\n");
}

/* What all nodes of ops have: the first line of the label stays open. */
static void put_op_start(struct kesco_writer *writer, const struct kesco_report_op *op, size_t id,
                         const char *node, size_t index) {
    kesco_put(writer, "    f%zu%s%zu [id=\"f%zu%s%zu\", fillcolor=\"%s\", ", index, node, id, index, node, id,
              kesco_lane_colour(op->lane));
    if (!kesco_op_is_kernel(op))
        kesco_put(writer, "style=\"dashed,filled\", ");
    kesco_put(writer, "tooltip=\"");
    kesco_put_op_details(writer, op, kesco_put_dot_tooltip);
    kesco_put(writer, "\", label=\"%zu ", id);
    kesco_put_dot(writer, op->name, OP_CELLS);
    kesco_put(writer, "\\n");
}

static const char *style_of(const struct kesco_report_function *function, const struct kesco_arrow *arrow) {
    const char *style = "dotted";
    if (arrow->edge_count == 0)
        return "solid";
    for (size_t i = 0; i < arrow->edge_count; i++) {
        enum kesco_edge_kind kind = function->plan.edges[arrow->edges[i]].kind;
        if (kind == KESCO_RAW)
            return "solid";
        if (kind == KESCO_WAR)
            style = "dashed";
    }
    return style;
}

static void put_edges(struct kesco_writer *writer, const struct kesco_report_function *function,
                      const struct kesco_arrow *arrow, size_t most, size_t cells, kesco_put_text *put_text) {
    for (size_t i = 0; i < arrow->edge_count && i < most; i++) {
        kesco_put(writer, i ? " \\n " : "");
        kesco_put_edge(writer, &function->plan.edges[arrow->edges[i]], put_text, cells);
    }
    if (arrow->edge_count > most)
        kesco_put(writer, "\\nand %zu more", arrow->edge_count - most);
    if (arrow->edge_count == 0)
        kesco_put(writer, "wait");
    if (arrow->from >= arrow->to)
        kesco_put(writer, "\\nof the pass before");
}

/* An arrow of a loop that leads back is told to Graphviz the other way round: it finds room for the labels of
 * arrows that lead down. */
static void put_arrow(struct kesco_writer *writer, const struct kesco_report_function *function, size_t index,
                      const struct kesco_arrow *arrow, bool labelled) {
    const char *colour = arrow->waits     ? KESCO_WAIT_COLOUR
                         : arrow->implied ? KESCO_IMPLIED_COLOUR
                                          : KESCO_KEPT_COLOUR;
    bool back = arrow->from > arrow->to;
    kesco_put(writer, "    f%zun%u -> f%zun%u [id=\"f%zue%u_%u\", style=%s, color=\"%s\", fontcolor=\"%s\"",
              index, back ? arrow->to : arrow->from, index, back ? arrow->from : arrow->to, index,
              arrow->from, arrow->to, style_of(function, arrow), colour,
              arrow->waits ? KESCO_WAIT_COLOUR : KESCO_TEXT_COLOUR);
    if (arrow->waits)
        kesco_put(writer, ", penwidth=2.2");
    if (back)
        kesco_put(writer, ", dir=back");
    kesco_put(writer, ", tooltip=\"op %u before op %u: ", arrow->from, arrow->to);
    put_edges(writer, function, arrow, SIZE_MAX, KESCO_UNCUT, kesco_put_dot_tooltip);
    if (labelled) {
        kesco_put(writer, "\", label=\" ");
        put_edges(writer, function, arrow, MOST_LINES, OBJECT_CELLS, kesco_put_dot);
        kesco_put(writer, " ");
    }
    kesco_put(writer, "\"];\n");
}

static void put_graph(struct kesco_writer *writer, const struct kesco_report_function *function, size_t index,
                      const struct kesco_arrows *arrows) {
    for (size_t id = 0; id < function->op_count; id++) {
        const struct kesco_report_op *op = &function->ops[id];
        put_op_start(writer, op, id, "n", index);
        kesco_put_line(writer, op, kesco_put_dot);
        kesco_put(writer, "lane %u\"];\n", op->lane);
    }
    for (size_t i = 0; i < arrows->count; i++)
        if (arrows->list[i].drawn)
            put_arrow(writer, function, index, &arrows->list[i], arrows->drawn_count <= MOST_LABELS);
}

void kesco_dot_put_graph(struct kesco_writer *writer, const struct kesco_report_function *function,
                         size_t index, const struct kesco_arrows *arrows) {
    kesco_put(writer, "digraph f%zu {\n  id=\"f%zu\"; bgcolor=transparent; pad=0.05;\n", index, index);
    put_defaults(writer);
    put_graph(writer, function, index, arrows);
    kesco_put(writer, "}\n");
}

static void put_lane_op(struct kesco_writer *writer, const struct kesco_report_op *op, size_t id,
                        size_t index) {
    put_op_start(writer, op, id, "l", index);
    kesco_put_line(writer, op, kesco_put_dot);
    kesco_put(writer, "issue %u\"];\n", op->order);
}

/* What the lanes start with. */
static void put_heads(struct kesco_writer *writer, size_t index, unsigned region, unsigned lanes) {
    kesco_put(writer, "    { rank=same;\n");
    for (unsigned lane = 0; lane < lanes; lane++)
        kesco_put(writer, "    f%zur%u_%u [shape=plaintext, style=\"\", label=\"lane %u\"];\n", index, region,
                  lane, lane);
    kesco_put(writer, "    }\n");
}

/*
 * The ops of a region, `sequence` in issue order, each after the one before it on its lane. `tails` has room
 * for all lanes.
 */
static void put_region(struct kesco_writer *writer, const struct kesco_report_function *function,
                       size_t index, const unsigned *sequence, size_t count, unsigned *tails) {
    unsigned region = function->ops[sequence[0]].region, lanes = 0;
    for (size_t i = 0; i < count; i++)
        if (function->ops[sequence[i]].lane >= lanes)
            lanes = function->ops[sequence[i]].lane + 1;
    kesco_put(writer, "   subgraph cluster_f%zu_region%u { label=\"lanes of region %u\"; color=\"%s\";\n",
              index, region, region, KESCO_IMPLIED_COLOUR);
    put_heads(writer, index, region, lanes);
    memset(tails, 0, function->lanes * sizeof(*tails));
    for (size_t i = 0; i < count; i++) {
        unsigned id = sequence[i], lane = function->ops[id].lane;
        put_lane_op(writer, &function->ops[id], id, index);
        if (tails[lane] == 0)
            kesco_put(writer, "    f%zur%u_%u", index, region, lane);
        else
            kesco_put(writer, "    f%zul%u", index, tails[lane] - 1);
        kesco_put(writer, " -> f%zul%u [color=\"%s\", weight=50];\n", index, id, KESCO_KEPT_COLOUR);
        tails[lane] = id + 1;
    }
    kesco_put(writer, "   }\n");
}

static void put_lanes(struct kesco_writer *writer, const struct kesco_report_function *function, size_t index,
                      const struct kesco_arrows *arrows) {
    unsigned *sequence = kesco_issue_sequence(function);
    unsigned *tails = calloc((size_t)function->lanes + 1, sizeof(*tails)); /* 0, or 1 + id of the last op */
    if (!sequence || !tails)
        writer->err = -ENOMEM;
    size_t start = 0;
    for (size_t i = 1; !writer->err && i <= function->op_count; i++)
        if (i == function->op_count ||
            function->ops[sequence[i]].region != function->ops[sequence[start]].region) {
            put_region(writer, function, index, sequence + start, i - start, tails);
            start = i;
        }
    for (size_t i = 0; i < arrows->count; i++)
        if (arrows->list[i].waits)
            kesco_put(
                writer,
                "   f%zul%u -> f%zul%u [color=\"%s\", penwidth=2.2%s, tooltip=\"op %u waits for op %u\"];\n",
                index, arrows->list[i].from, index, arrows->list[i].to, KESCO_WAIT_COLOUR,
                arrows->list[i].from < arrows->list[i].to
                    ? ""
                    : ", constraint=false, label=\"of the pass before\"",
                arrows->list[i].to, arrows->list[i].from);
    free(sequence);
    free(tails);
}

/* A note with the text, whose lines stand at the left. */
static void put_note(struct kesco_writer *writer, size_t index, const char *text) {
    kesco_put(writer, "   f%zu_limits [shape=note, style=\"\", label=\"", index);
    while (*text) {
        size_t length = strcspn(text, "\n");
        char *line = strndup(text, length);
        if (!line)
            writer->err = -ENOMEM;
        else
            kesco_put_dot(writer, line, KESCO_UNCUT);
        free(line);
        kesco_put(writer, "\\l");
        text += length + 1;
    }
    kesco_put(writer, "\"];\n");
}

static void put_function(struct kesco_writer *writer, const struct kesco_report_function *function,
                         size_t index) {
    struct kesco_arrows arrows;
    char *limits = kesco_limits_text(function, TITLE_CELLS);
    if (!limits || kesco_arrows_create(function, &arrows)) {
        writer->err = -ENOMEM;
        free(limits);
        return;
    }
    kesco_put(writer, "  subgraph cluster_f%zu { labeljust=l; color=\"%s\"; label=\"", index,
              KESCO_KEPT_COLOUR);
    kesco_put_dot(writer, function->name, TITLE_CELLS);
    kesco_put(writer, "\\l");
    kesco_put_counts(writer, function);
    kesco_put(writer, "\\l\";\n   subgraph cluster_f%zu_graph { label=\"data-flow graph", index);
    if (arrows.drawn_count < arrows.count)
        kesco_put(writer, KESCO_LEFT_OUT, arrows.count - arrows.drawn_count);
    kesco_put(writer, "\"; color=\"%s\";\n", KESCO_IMPLIED_COLOUR);
    put_graph(writer, function, index, &arrows);
    kesco_put(writer, "   }\n");
    put_lanes(writer, function, index, &arrows);
    if (*limits)
        put_note(writer, index, limits);
    kesco_put(writer, "  }\n");
    kesco_arrows_free(&arrows);
    free(limits);
}

int kesco_dot_write(const struct kesco_report *report, FILE *out) {
    struct kesco_writer writer = {.out = out};
    kesco_put(&writer, "digraph kesco {\n  labelloc=t; labeljust=l;\n  label=\"");
    kesco_put_dot(&writer, report->source, TITLE_CELLS);
    kesco_put(&writer, "\\l%s\";\n", LEGEND);
    put_defaults(&writer);
    for (size_t i = 0; i < report->function_count; i++)
        put_function(&writer, &report->functions[i], i);
    kesco_put(&writer, "}\n");
    return kesco_writer_finish(&writer);
}
