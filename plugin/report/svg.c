#include "plugin/report/svg.h"

#include "plugin/report/same_plans.h"
#include "plugin/report/svg_page.h"
#include "plugin/report/utf8.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_WIDTH 1000
#define BAND_WIDTH 1500 /* of the columns of a chart at least */
#define TITLE_CELLS 120 /* of a line of text */

/* A name as a line of its own, whole where one points at it. */
static void put_title(struct kesco_svg_page *page, const char *class, const char *name) {
    kesco_svg_start_text(page, class);
    kesco_put(&page->writer, "<title>");
    kesco_put_xml(&page->writer, name, KESCO_UNCUT);
    kesco_put(&page->writer, "</title>");
    kesco_put_xml(&page->writer, name, TITLE_CELLS);
    kesco_svg_end_text(page);
}

/* One sample of the legend, and the text beside it; moves `x` past the text. */
static void put_legend_frame(struct kesco_svg_page *page, unsigned *x, const char *class, const char *text) {
    kesco_put(&page->writer,
              "<rect class=\"%s\" x=\"%u\" y=\"%u\" width=\"28\" height=\"14\" %sfill=\"%s\"/>", class, *x,
              page->y - 11, strcmp(class, "kernel") == 0 ? "rx=\"5\" " : "", kesco_lane_colour(0));
    kesco_put(&page->writer, "<text class=\"text\" x=\"%u\" y=\"%u\">%s</text>\n", *x + 34, page->y, text);
    *x += 54 + TEXT_WIDTH(strlen(text), 12);
}

static void put_legend_line(struct kesco_svg_page *page, unsigned *x, const char *dashes, const char *colour,
                            const char *width, const char *text) {
    kesco_put(
        &page->writer,
        "<path d=\"M%u %uh34\" stroke=\"%s\" stroke-width=\"%s\" stroke-dasharray=\"%s\" fill=\"none\"/>", *x,
        page->y - 4, colour, width, dashes);
    kesco_put(&page->writer, "<text class=\"text\" x=\"%u\" y=\"%u\">%s</text>\n", *x + 40, page->y, text);
    *x += 60 + TEXT_WIDTH(strlen(text), 12);
}

static void put_legend(struct kesco_svg_page *page) {
    unsigned x = MARGIN;
    page->y += LINE + 10;
    put_legend_frame(page, &x, "kernel", "kernel");
    put_legend_frame(page, &x, "other", "other op");
    kesco_put(&page->writer,
              "<text class=\"text\" x=\"%u\" y=\"%u\">colour: lane &#160; number before a name: place in the "
              "program &#160; "
              "issue: "
              "place in the order of issue</text>\n",
              x, page->y);
    x = MARGIN;
    page->y += LINE + 6;
    put_legend_line(page, &x, "none", KESCO_TEXT_COLOUR, "1", "read after write (RAW)");
    put_legend_line(page, &x, "5 2", KESCO_TEXT_COLOUR, "1", "write after read (WAR)");
    put_legend_line(page, &x, "1 3", KESCO_TEXT_COLOUR, "1", "write after write (WAW)");
    x = MARGIN;
    page->y += LINE + 6;
    put_legend_line(page, &x, "none", KESCO_WAIT_COLOUR, "2.2",
                    "orange: a lane waits for a record of another");
    put_legend_line(page, &x, "none", KESCO_KEPT_COLOUR, "1.4", "blue: the order on a lane is enough");
    put_legend_line(page, &x, "none", KESCO_IMPLIED_COLOUR, "1", "grey: other arrows connect the two");
    page->y += 6;
}

/* The graph, or why there is none. */
static void put_graph(struct kesco_svg_page *page, const struct kesco_drawing *drawing) {
    page->y += LINE + 8;
    kesco_svg_start_text(page, "part");
    kesco_put(&page->writer, "Data-flow graph");
    if (!drawing->view)
        kesco_put(&page->writer, ": too large to be drawn; dot=FILE and report=FILE have all of it");
    else if (drawing->left_out)
        kesco_put(&page->writer, KESCO_LEFT_OUT, drawing->left_out);
    kesco_svg_end_text(page);
    page->y += 6;
    if (!drawing->view)
        return;
    kesco_put(&page->writer, "<svg x=\"%d\" y=\"%u\" width=\"%u\" height=\"%u\" viewBox=\"%s\">%s</svg>\n",
              MARGIN, page->y, drawing->width, drawing->height, drawing->view, drawing->body);
    page->y += drawing->height;
    kesco_svg_widen(page, MARGIN + drawing->width);
}

/* Guards and barriers, one line of text each. */
static void put_limits(struct kesco_svg_page *page, const struct kesco_report_function *function) {
    char *text = kesco_limits_text(function, TITLE_CELLS);
    if (!text)
        page->writer.err = -ENOMEM;
    page->y += text && *text ? 8 : 0;
    for (char *line = text, *end; line && *line; line = end + 1) {
        end = strchr(line, '\n');
        *end = '\0';
        page->y += LINE;
        kesco_svg_start_text(page, "limit");
        kesco_put_xml(&page->writer, line, KESCO_UNCUT);
        kesco_svg_end_text(page);
        kesco_svg_widen(page, MARGIN + TEXT_WIDTH(kesco_utf8_cells(line), 12));
    }
    free(text);
}

/* `same` is the function whose plan is this one's, and is shown there; NULL to show it here. */
static void put_function(struct kesco_svg_page *page, const struct kesco_report_function *function,
                         const struct kesco_drawing *drawing, const struct kesco_report_function *same) {
    page->y += 40;
    put_title(page, "function", function->name);
    page->y += LINE + 2;
    kesco_svg_start_text(page, "counts");
    kesco_put_counts(&page->writer, function);
    kesco_svg_end_text(page);
    if (same) {
        page->y += LINE;
        kesco_svg_start_text(page, "counts");
        kesco_put(&page->writer, "The plan is that of ");
        kesco_put_xml(&page->writer, same->name, TITLE_CELLS);
        kesco_svg_end_text(page);
    } else if (function->op_count > 0) {
        put_graph(page, drawing);
        kesco_svg_put_lanes(page, function, drawing->width > BAND_WIDTH ? drawing->width : BAND_WIDTH);
    }
    put_limits(page, function);
}

static void put_functions(struct kesco_svg_page *page, const struct kesco_report *report,
                          const struct kesco_drawings *drawings) {
    size_t *shown = calloc(report->function_count + 1, sizeof(*shown));
    if (!shown) {
        page->writer.err = -ENOMEM;
        return;
    }
    kesco_same_plans(report->functions, report->function_count, report->source, shown);
    for (size_t i = 0; i < report->function_count; i++)
        put_function(page, &report->functions[i], &drawings->list[i],
                     shown[i] == i ? NULL : &report->functions[shown[i]]);
    free(shown);
}

static void put_report(struct kesco_svg_page *page, const struct kesco_report *report,
                       const struct kesco_drawings *drawings) {
    put_title(page, "source", report->source);
    if (report->function_count == 0) {
        page->y += LINE + 10;
        kesco_svg_start_text(page, "counts");
        kesco_put(&page->writer, "No function here launches kernels.");
        kesco_svg_end_text(page);
        return;
    }
    put_legend(page);
    put_functions(page, report, drawings);
}

static const char style[] =
    "<style>.text,.name,.place,.wait,.counts,.limit{font:12px monospace;fill:#000}"
    ".source{font:bold 18px sans-serif}.function{font:bold 14px monospace}"
    ".part{font:bold 12px sans-serif;fill:#404040}.name{font-weight:bold}"
    ".place,.wait{font-size:10px}.wait{fill:#a03000;font-weight:bold}"
    ".kernel,.other{stroke:#202020;stroke-width:1}.other{stroke-dasharray:4 2}"
    ".way{fill:none;stroke:" KESCO_WAIT_COLOUR
    ";stroke-width:2;stroke-linejoin:round;marker-end:url(#tip)}</style>\n"
    "<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"4\" "
    "markerHeight=\"4\" orient=\"auto\"><path d=\"M0 0L8 4L0 8Z\" fill=\"" KESCO_WAIT_COLOUR
    "\"/></marker></defs>\n";

static void put_picture(struct kesco_writer *writer, const struct kesco_svg_page *page, const char *body) {
    unsigned width = (page->width > LEAST_WIDTH ? page->width : LEAST_WIDTH) + MARGIN;
    unsigned height = page->y + MARGIN;
    kesco_put(
        writer,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
        "xmlns:xlink=\"http://www.w3.org/1999/xlink\" width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\">\n%s"
        "<rect width=\"%u\" height=\"%u\" fill=\"#ffffff\"/>\n%s</svg>\n",
        width, height, width, height, style, width, height, body);
}

int kesco_svg_write(const struct kesco_report *report, const struct kesco_drawings *drawings, FILE *out) {
    struct kesco_writer writer = {.out = out};
    char *body = NULL;
    size_t size;
    struct kesco_svg_page page = {.writer.out = open_memstream(&body, &size), .y = MARGIN + 14};
    if (!page.writer.out)
        return -ENOMEM;
    put_report(&page, report, drawings);
    if (fclose(page.writer.out) || page.writer.err)
        writer.err = -ENOMEM;
    else
        put_picture(&writer, &page, body);
    free(body);
    return kesco_writer_finish(&writer);
}

int kesco_svg_write_plan(const struct kesco_report_function *function, const struct kesco_drawing *drawing,
                         unsigned width, FILE *out) {
    struct kesco_writer writer = {.out = out};
    char *body = NULL;
    size_t size;
    struct kesco_svg_page page = {.writer.out = open_memstream(&body, &size)};
    if (!page.writer.out)
        return -ENOMEM;
    if (drawing->view)
        put_graph(&page, drawing);
    kesco_svg_put_lanes(&page, function, width);
    if (fclose(page.writer.out) || page.writer.err)
        writer.err = -ENOMEM;
    else
        kesco_put(&writer,
                  "<svg class=\"plan\" role=\"img\" xmlns=\"http://www.w3.org/2000/svg\" "
                  "xmlns:xlink=\"http://www.w3.org/1999/xlink\" width=\"%u\" "
                  "height=\"%u\">\n%s</svg>\n",
                  page.width + MARGIN, page.y + MARGIN, body);
    free(body);
    return kesco_writer_finish(&writer);
}
