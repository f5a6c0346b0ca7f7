/*
 * The plans of a report as one SVG picture: for each function its data-flow graph as Graphviz drew it
 * (graphviz.h), its lanes (lane_chart.h), and its guards and barriers.
 */
#ifndef KESCO_REPORT_SVG_H
#define KESCO_REPORT_SVG_H

#include "plugin/report/graphviz.h"
#include "plugin/report/report.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Writes the picture of `report`, with the drawings that kesco_graphviz_draw made of it. Names are escaped,
 * and what XML 1.0 has no characters for comes out as U+FFFD. `out` is flushed. Returns 0, -ENOMEM, or -EIO
 * when `out` refuses the text.
 */
int kesco_svg_write(const struct kesco_report *report, const struct kesco_drawings *drawings, FILE *out);

/*
 * Writes the graph, if it is drawn, and the lanes of one function as an svg element for a page that has the
 * style of its classes (page.css) and the marker `tip`. Lanes go on below where they would be wider than
 * `width` pixels. Otherwise as kesco_svg_write.
 */
int kesco_svg_write_plan(const struct kesco_report_function *function, const struct kesco_drawing *drawing,
                         unsigned width, FILE *out);

#ifdef __cplusplus
}
#endif

#endif
