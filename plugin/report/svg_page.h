/*
 * A picture while it is written, from top to bottom: what the parts of svg.h have in common.
 */
#ifndef KESCO_REPORT_SVG_PAGE_H
#define KESCO_REPORT_SVG_PAGE_H

#include "plugin/report/picture.h"
#include "plugin/report/report.h"

/* Lengths in pixels. */
#define MARGIN 24
#define LINE 16 /* from a line of text to the next */

/* Width of text in a fixed-width font, whose letters are 0.61 of its size wide at most. */
#define TEXT_WIDTH(cells, size) ((unsigned)((cells) * (size) * 61 / 100))

/* What is written so far. The picture's size is known at the end only. */
struct kesco_svg_page {
    struct kesco_writer writer; /* of what the svg element holds */
    unsigned y;                 /* below all that is written */
    unsigned width;             /* of all that is written, without the right margin */
};

/* Makes room for what reaches to `width`. */
void kesco_svg_widen(struct kesco_svg_page *page, unsigned width);

/* Begins and ends a line of text at the left margin, at the page's height. */
void kesco_svg_start_text(struct kesco_svg_page *page, const char *class);
void kesco_svg_end_text(struct kesco_svg_page *page);

/* The lanes of each region, as charts (lane_chart.h) that go on below where they would be wider than `width`.
 */
void kesco_svg_put_lanes(struct kesco_svg_page *page, const struct kesco_report_function *function,
                         unsigned width);

#endif
