#include "plugin/report/page_function.h"

#include "plugin/report/picture.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define CONTEXT 2      /* lines shown before and after one that is marked */
#define MOST_LINES 400 /* shown of one function */

/* Why a line is shown. */
struct mark {
    const struct kesco_source_text *source;
    unsigned long line;
    const struct kesco_report_op *op;           /* that stands there, or NULL */
    const struct kesco_report_barrier *barrier; /* that stands there, or NULL */
};

static int by_place(const void *left, const void *right) {
    const struct mark *a = left, *b = right;
    int order = a->source == b->source ? 0 : strcmp(a->source->name, b->source->name);
    if (!order)
        order = (a->line > b->line) - (a->line < b->line);
    /* ops first, in program order */
    if (!order)
        order = (a->op == NULL) - (b->op == NULL);
    return order ? order : (a->op > b->op) - (a->op < b->op);
}

/* Adds a mark where the line can be shown. */
static void add(struct kesco_page *page, struct mark *marks, size_t *count, struct mark mark,
                const char *file, size_t length) {
    mark.source = kesco_page_source(&page->sources, file, length);
    if (!mark.source)
        page->writer.err = -ENOMEM;
    else if (mark.line > 0 && mark.line <= mark.source->count)
        marks[(*count)++] = mark;
}

static size_t find_marks(struct kesco_page *page, const struct kesco_report_function *function,
                         struct mark *marks) {
    size_t count = 0;
    for (size_t i = 0; i < function->op_count; i++) {
        const struct kesco_report_op *op = &function->ops[i];
        const char *colon = op->source ? strrchr(op->source, ':') : NULL;
        if (colon)
            add(page, marks, &count, (struct mark){.line = strtoul(colon + 1, NULL, 10), .op = op},
                op->source, (size_t)(colon - op->source));
        else
            add(page, marks, &count, (struct mark){.line = op->line, .op = op}, function->file,
                strlen(function->file));
    }
    for (size_t i = 0; i < function->stops.barrier_count; i++)
        if (!kesco_barrier_is_repeated(function, i))
            add(page, marks, &count,
                (struct mark){.line = function->stops.barriers[i].line,
                              .barrier = &function->stops.barriers[i]},
                function->file, strlen(function->file));
    qsort(marks, count, sizeof(*marks), by_place);
    return count;
}

/* The line, and `marks`, the `count` marks that it has. */
static void put_line(struct kesco_page *page, const struct kesco_report_function *function,
                     const struct kesco_source_text *source, unsigned long line, const struct mark *marks,
                     size_t count) {
    bool stops = count > 0 && marks[count - 1].barrier;
    kesco_put(&page->writer, "<tr%s><td><a href=\"%s#L%lu\">%lu</a></td><td>",
              stops   ? " class=\"stop\""
              : count ? " class=\"mark\""
                      : "",
              source->link, line, line);
    kesco_page_put_line(&page->writer, source->lines[line - 1]);
    for (size_t i = 0; i < count; i++)
        if (marks[i].op)
            kesco_put(&page->writer, "<span class=\"lane lane%u\" title=\"op %zu on lane %u\">%zu</span>",
                      marks[i].op->lane % KESCO_LANE_COLOURS, (size_t)(marks[i].op - function->ops),
                      marks[i].op->lane, (size_t)(marks[i].op - function->ops));
    for (size_t i = 0; i < count; i++)
        if (marks[i].barrier) {
            kesco_put(&page->writer, "\n<span class=\"why\">\xE2\x96\xB2 barrier: ");
            kesco_put_xml(&page->writer, marks[i].barrier->why, KESCO_UNCUT);
            kesco_put(&page->writer, "</span>");
        }
    kesco_put(&page->writer, "</td></tr>\n");
}

/* The lines of one file: those of `count` marks, and some around them. */
static void put_file(struct kesco_page *page, const struct kesco_report_function *function,
                     const struct mark *marks, size_t count) {
    const struct kesco_source_text *source = marks[0].source;
    unsigned long next = 1, shown = 0;
    kesco_put(&page->writer, "<p class=\"where\">");
    kesco_page_put_place(&page->writer, &page->sources, source, 0);
    kesco_put(&page->writer, "</p>\n<div class=\"code\" tabindex=\"0\"><table>\n");
    for (size_t i = 0, same; i < count && shown < MOST_LINES; i += same) {
        unsigned long line = marks[i].line, first = line > CONTEXT ? line - CONTEXT : 1,
                      last = line + CONTEXT;
        for (same = 1; i + same < count && marks[i + same].line == line; same++) {
        }
        if (i + same < count && last >= marks[i + same].line)
            last = marks[i + same].line - 1;
        if (first > next && next > 1)
            kesco_put(&page->writer, "<tr class=\"gap\"><td>\xE2\x8B\xAE</td><td></td></tr>\n");
        if (next < first)
            next = first;
        for (; next <= last && next <= source->count; next++, shown++)
            put_line(page, function, source, next, next == line ? &marks[i] : NULL, next == line ? same : 0);
    }
    kesco_put(&page->writer, "</table></div>\n");
    if (shown >= MOST_LINES)
        kesco_put(&page->writer, "<p class=\"note\">What follows is left out.</p>\n");
}

void kesco_page_put_code(struct kesco_page *page, const struct kesco_report_function *function) {
    struct mark *marks = calloc(function->op_count + function->stops.barrier_count + 1, sizeof(*marks));
    if (!marks) {
        page->writer.err = -ENOMEM;
        return;
    }
    size_t count = find_marks(page, function, marks);
    if (count > 0)
        kesco_put(&page->writer, "<h3>Code, with the ops by their lanes</h3>\n");
    for (size_t i = 0, same; i < count && !page->writer.err; i += same) {
        for (same = 1; i + same < count && marks[i + same].source == marks[i].source; same++) {
        }
        put_file(page, function, marks + i, same);
    }
    free(marks);
}
