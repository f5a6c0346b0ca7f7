/*
 * The plans of a report as one graph in the DOT language of Graphviz, and the part of it that graphviz.h lays
 * out for the SVG.
 */
#ifndef KESCO_REPORT_DOT_H
#define KESCO_REPORT_DOT_H

#include "plugin/report/arrows.h"
#include "plugin/report/report.h"
#include "plugin/report/writer.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Writes one digraph: for each function a cluster with its data-flow graph, its lanes and its guards and
 * barriers. Names are escaped, and bytes that are no UTF-8 come out as U+FFFD. `out` is flushed. Returns 0,
 * -ENOMEM, or -EIO when `out` refuses the text.
 */
int kesco_dot_write(const struct kesco_report *report, FILE *out);

/* Writes the data-flow graph of function number `index` as a digraph of its own. */
void kesco_dot_put_graph(struct kesco_writer *writer, const struct kesco_report_function *function,
                         size_t index, const struct kesco_arrows *arrows);

#ifdef __cplusplus
}
#endif

#endif
