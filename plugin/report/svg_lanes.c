#include "plugin/report/arrows.h"
#include "plugin/report/lane_chart.h"
#include "plugin/report/svg_page.h"
#include "plugin/report/utf8.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Lengths in pixels. */
#define BOX_HEIGHT 52
#define LANE_HEAD 72 /* left of a row */
#define GUTTER 18    /* without tracks */
#define GAP 10       /* without tracks */
#define TRACK 6

#define NAME_CELLS 28 /* of an op's number and name */

#define NO_ROW UINT_MAX /* in place of the edge of a row without ops */

/* A chart and where its bands, rows and columns stand. */
struct sheet {
    const struct kesco_report_function *function;
    const struct kesco_arrows *arrows;
    struct kesco_lane_chart chart;
    unsigned box_width;
    unsigned *column; /* by op id: its column, for the region's ops */
    unsigned *left;   /* by column: left edge of its boxes */
    unsigned *top;    /* by band * rows + row: upper edge of its boxes; NO_ROW where the band has none */
};

static unsigned band_of(const struct sheet *sheet, unsigned op) {
    return sheet->column[op] / sheet->chart.band_columns;
}

static unsigned *top_of(const struct sheet *sheet, unsigned band, unsigned row) {
    return &sheet->top[(size_t)band * sheet->chart.rows + row];
}

/* Upper edge of an op's box. */
static unsigned top_of_op(const struct sheet *sheet, unsigned op) {
    return *top_of(sheet, band_of(sheet, op), sheet->function->ops[op].lane);
}

static unsigned gap_height(const struct sheet *sheet, unsigned band, unsigned gap) {
    unsigned tracks = sheet->chart.gap_tracks[(size_t)band * (sheet->chart.rows + 1) + gap];
    return tracks ? TRACK * tracks + GAP / 2 : 0;
}

static void place_columns(struct sheet *sheet) {
    const struct kesco_lane_chart *chart = &sheet->chart;
    unsigned x = 0;
    for (unsigned column = 0; column < chart->columns; column++) {
        if (column % chart->band_columns == 0)
            x = MARGIN + LANE_HEAD;
        sheet->left[column] = x;
        x += sheet->box_width + GUTTER + TRACK * chart->gutter_tracks[column];
    }
}

/* Places the rows of a band that have ops, from `y` on; returns where the band ends. */
static unsigned place_rows(struct sheet *sheet, unsigned band, unsigned y) {
    unsigned above = 0; /* the gap that lies below the row placed last */
    for (unsigned row = 0; row < sheet->chart.rows; row++) {
        unsigned *top = top_of(sheet, band, row);
        if (*top == NO_ROW)
            continue;
        if (above > 0 && above < row)
            y += gap_height(sheet, band, above);
        y += GAP + gap_height(sheet, band, row);
        *top = y;
        y += BOX_HEIGHT;
        above = row + 1;
    }
    return y + gap_height(sheet, band, above);
}

/* Places all from `y` on; returns where the chart ends. */
static unsigned place_all(struct sheet *sheet, unsigned y) {
    const struct kesco_lane_chart *chart = &sheet->chart;
    for (size_t i = 0; i < (size_t)chart->bands * chart->rows; i++)
        sheet->top[i] = NO_ROW;
    for (size_t i = 0; i < chart->op_count; i++) {
        unsigned op = chart->ops[i];
        sheet->column[op] = chart->column[i];
        *top_of(sheet, band_of(sheet, op), sheet->function->ops[op].lane) = 0;
    }
    place_columns(sheet);
    for (unsigned band = 0; band < chart->bands; band++)
        y = place_rows(sheet, band, y) + LINE;
    return y - LINE;
}

/* What `op` waits for, as text that the caller frees; "" for nothing. NULL without memory. */
static char *waits_of(const struct kesco_arrows *arrows, unsigned op) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    const char *before = "after ";
    if (!out)
        return NULL;
    for (size_t i = arrows->start[op]; i < arrows->start[op + 1]; i++) {
        const struct kesco_arrow *arrow = &arrows->list[i];
        if (!arrow->waits)
            continue;
        fprintf(out, "%s%u%s", before, arrow->from, arrow->from < op ? "" : " (pass before)");
        before = ", ";
    }
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

static void put_box(struct kesco_svg_page *page, const struct sheet *sheet, unsigned id) {
    const struct kesco_report_op *op = &sheet->function->ops[id];
    struct kesco_writer *writer = &page->writer;
    bool kernel = kesco_op_is_kernel(op);
    unsigned x = sheet->left[sheet->column[id]], y = top_of_op(sheet, id);
    char number[16];
    size_t digits = (size_t)snprintf(number, sizeof(number), "%u ", id);
    char *waits = waits_of(sheet->arrows, id);
    kesco_put(writer, "<g><title>%s", number);
    kesco_put_op_details(writer, op, kesco_put_xml);
    if (waits && *waits)
        kesco_put(writer, "; %s", waits);
    kesco_put(writer,
              "</title><rect class=\"%s\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"%d\" %sfill=\"%s\"/>",
              kernel ? "kernel" : "other", x, y, sheet->box_width, BOX_HEIGHT, kernel ? "rx=\"8\" " : "",
              kesco_lane_colour(op->lane));
    kesco_put(writer, "<text class=\"name\" x=\"%u\" y=\"%u\">%s", x + 8, y + 17, number);
    kesco_put_xml(writer, op->name, NAME_CELLS - digits);
    kesco_put(writer, "</text><text class=\"place\" x=\"%u\" y=\"%u\">", x + 8, y + 31);
    kesco_put_line(writer, op, kesco_put_xml);
    kesco_put(writer, "issue %u</text>", op->order);
    if (!waits) {
        writer->err = -ENOMEM;
    } else if (*waits) {
        kesco_put(writer, "<text class=\"wait\" x=\"%u\" y=\"%u\">", x + 8, y + 45);
        kesco_put_xml(writer, waits, (sheet->box_width - 12) * 100 / 61 / 10);
        kesco_put(writer, "</text>");
    }
    kesco_put(writer, "</g>\n");
    free(waits);
}

/* Height of the horizontal part of an arrow, right above or below the row that it leads to. */
static unsigned way_height(const struct sheet *sheet, const struct kesco_chart_way *way) {
    unsigned row = sheet->function->ops[way->arrow->to].lane, band = band_of(sheet, way->arrow->to);
    unsigned edge = top_of_op(sheet, way->arrow->to), below = edge + BOX_HEIGHT;
    if (way->gap == row)
        return edge - 6 - TRACK * way->gap_track;
    if (way->gap < sheet->chart.rows && *top_of(sheet, band, way->gap) != NO_ROW)
        return *top_of(sheet, band, way->gap) - 6 - TRACK * way->gap_track;
    return below + 6 + TRACK * way->gap_track;
}

/* An arrow out of the middle of a box, along its tracks, and into the left edge of another. */
static void put_way(struct kesco_svg_page *page, const struct sheet *sheet,
                    const struct kesco_chart_way *way) {
    unsigned from = way->arrow->from, to = way->arrow->to;
    unsigned x = sheet->left[sheet->column[from]] + sheet->box_width;
    unsigned left = sheet->left[sheet->column[to]];
    kesco_put(&page->writer, "<path class=\"way\" d=\"M%u %uH%u", x, top_of_op(sheet, from) + BOX_HEIGHT / 2,
              x + 6 + TRACK * way->out_track);
    if (!way->direct)
        kesco_put(&page->writer, "V%uH%u", way_height(sheet, way),
                  sheet->left[sheet->column[to] - 1] + sheet->box_width + 6 + TRACK * way->in_track);
    kesco_put(&page->writer, "V%uH%u\"><title>op %u waits for op %u</title></path>\n",
              top_of_op(sheet, to) + 10 + way->entry % 5 * 8, left - 1, to, from);
}

/* The rows of a band, up to `right`. */
static void put_rows(struct kesco_svg_page *page, const struct sheet *sheet, unsigned band, unsigned right) {
    const struct kesco_report_function *function = sheet->function;
    unsigned highest = 0;
    for (unsigned lane = 0; lane < function->lanes; lane++)
        if (function->levels[lane] > highest)
            highest = function->levels[lane];
    for (unsigned row = 0; row < sheet->chart.rows; row++) {
        unsigned y = *top_of(sheet, band, row);
        if (y == NO_ROW)
            continue;
        kesco_put(&page->writer,
                  "<rect class=\"row\" x=\"%d\" y=\"%u\" width=\"%u\" height=\"%d\" fill=\"#f4f4f4\"/><text "
                  "class=\"text\" "
                  "x=\"%d\" y=\"%u\">lane %u</text>",
                  MARGIN, y, right - MARGIN, BOX_HEIGHT, MARGIN + 6, y + 23, row);
        if (highest > 0)
            kesco_put(&page->writer, "<text class=\"place\" x=\"%d\" y=\"%u\">level %u</text>", MARGIN + 6,
                      y + 38, function->levels[row]);
        kesco_put(&page->writer, "\n");
    }
}

static unsigned right_of_band(const struct sheet *sheet, unsigned band) {
    unsigned after = (band + 1) * sheet->chart.band_columns;
    unsigned last = (after < sheet->chart.columns ? after : sheet->chart.columns) - 1;
    return sheet->left[last] + sheet->box_width + 8;
}

static void put_sheet(struct kesco_svg_page *page, struct sheet *sheet) {
    const struct kesco_lane_chart *chart = &sheet->chart;
    sheet->column = calloc(sheet->function->op_count + 1, sizeof(*sheet->column));
    sheet->left = calloc((size_t)chart->columns + 1, sizeof(*sheet->left));
    sheet->top = calloc((size_t)chart->bands * chart->rows + 1, sizeof(*sheet->top));
    if (sheet->column && sheet->left && sheet->top) {
        page->y = place_all(sheet, page->y);
        for (unsigned band = 0; band < chart->bands; band++) {
            put_rows(page, sheet, band, right_of_band(sheet, band));
            kesco_svg_widen(page, right_of_band(sheet, band));
        }
        for (size_t i = 0; i < chart->op_count; i++)
            put_box(page, sheet, chart->ops[i]);
        for (size_t i = 0; i < chart->way_count; i++)
            put_way(page, sheet, &chart->ways[i]);
    } else {
        page->writer.err = -ENOMEM;
    }
    free(sheet->column);
    free(sheet->left);
    free(sheet->top);
}

/* Width of a box that has room for each op's number, name and place. */
static unsigned box_width_of(const struct kesco_report_function *function) {
    size_t widest = 0, place = strlen("line 10000, issue 100");
    for (size_t i = 0; i < function->op_count; i++) {
        if (function->ops[i].source)
            place = KESCO_FILE_CELLS + strlen(":10000, issue 100");
        char *name = kesco_utf8_line(function->ops[i].name, NAME_CELLS);
        size_t cells = (size_t)snprintf(NULL, 0, "%zu ", i) + (name ? kesco_utf8_cells(name) : 0);
        free(name);
        if (cells > widest)
            widest = cells;
    }
    unsigned name_width = TEXT_WIDTH(widest < NAME_CELLS ? widest : NAME_CELLS, 12);
    unsigned place_width = TEXT_WIDTH(place, 10);
    return 16 + (name_width > place_width ? name_width : place_width);
}

static void put_region(struct kesco_svg_page *page, const struct kesco_report_function *function,
                       const struct kesco_arrows *arrows, const unsigned *ops, size_t count, unsigned width) {
    struct sheet sheet = {.function = function, .arrows = arrows, .box_width = box_width_of(function)};
    if (kesco_lane_chart_create(function, arrows, ops, count, width / (sheet.box_width + 2 * GUTTER),
                                &sheet.chart)) {
        page->writer.err = -ENOMEM;
        return;
    }
    page->y += LINE + 8;
    kesco_svg_start_text(page, "part");
    kesco_put(&page->writer, "Lanes");
    if (sheet.chart.region > 0 || count < function->op_count)
        kesco_put(&page->writer, " of region %u", sheet.chart.region);
    if (sheet.chart.bands > 1)
        kesco_put(&page->writer, ", in %u parts, one below the other", sheet.chart.bands);
    kesco_svg_end_text(page);
    page->y += 4;
    put_sheet(page, &sheet);
    kesco_lane_chart_free(&sheet.chart);
}

void kesco_svg_put_lanes(struct kesco_svg_page *page, const struct kesco_report_function *function,
                         unsigned width) {
    struct kesco_arrows arrows;
    unsigned *sequence = kesco_issue_sequence(function);
    if (!sequence || kesco_arrows_create(function, &arrows)) {
        page->writer.err = -ENOMEM;
        free(sequence);
        return;
    }
    size_t start = 0;
    for (size_t i = 1; i <= function->op_count && !page->writer.err; i++)
        if (i == function->op_count ||
            function->ops[sequence[i]].region != function->ops[sequence[start]].region) {
            put_region(page, function, &arrows, sequence + start, i - start, width);
            start = i;
        }
    kesco_arrows_free(&arrows);
    free(sequence);
}
