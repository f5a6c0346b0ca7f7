#include "plugin/report/lane_chart.h"

#include <errno.h>
#include <stdlib.h>

#define NOWHERE ((unsigned)-1)

/* What laying out needs beside the chart. */
struct layout {
    const struct kesco_report_function *function;
    const struct kesco_arrows *arrows;
    struct kesco_lane_chart *chart;
    unsigned *column_of;    /* by op id; NOWHERE for ops of other regions and ones issued later */
    unsigned *row_end;      /* by lane: the column after its last op */
    unsigned char *gutters; /* by column and row: set of the tracks of the gutter that run past the row */
    unsigned char *gaps;    /* by gap and column: set of the tracks of the gap that run past the column */
};

/* The waits of `op` that the chart can have reached: issued before, in the same region. */
static bool comes_before(const struct layout *layout, const struct kesco_arrow *arrow) {
    return arrow->waits && layout->column_of[arrow->from] != NOWHERE;
}

static void place_op(struct layout *layout, size_t place) {
    struct kesco_lane_chart *chart = layout->chart;
    unsigned op = chart->ops[place], lane = layout->function->ops[op].lane;
    unsigned column = layout->row_end[lane];
    for (size_t i = layout->arrows->start[op]; i < layout->arrows->start[op + 1]; i++) {
        const struct kesco_arrow *arrow = &layout->arrows->list[i];
        if (comes_before(layout, arrow) && layout->column_of[arrow->from] >= column)
            column = layout->column_of[arrow->from] + 1;
    }
    chart->way_count += layout->arrows->start[op + 1] - layout->arrows->start[op];
    chart->column[place] = layout->column_of[op] = column;
    layout->row_end[lane] = column + 1;
    if (column >= chart->columns)
        chart->columns = column + 1;
    if (lane >= chart->rows)
        chart->rows = lane + 1;
}

/*
 * Takes the first track that is free from `first` to `last`, in either order, of the sets at `taken`, or
 * shares the last one. Raises `tracks` to what is in use.
 */
static unsigned take_track(unsigned char *taken, unsigned first, unsigned last, unsigned *tracks) {
    unsigned low = first < last ? first : last, high = first < last ? last : first;
    unsigned used = 0, track = 0;
    for (unsigned i = low; i <= high; i++)
        used |= taken[i];
    while (track + 1 < KESCO_CHART_TRACKS && (used >> track & 1))
        track++;
    for (unsigned i = low; i <= high; i++)
        taken[i] |= (unsigned char)(1u << track);
    if (track >= *tracks)
        *tracks = track + 1;
    return track;
}

static unsigned take_in_gutter(struct layout *layout, unsigned column, unsigned first, unsigned last) {
    struct kesco_lane_chart *chart = layout->chart;
    return take_track(layout->gutters + (size_t)column * chart->rows, first, last,
                      &chart->gutter_tracks[column]);
}

static void route(struct layout *layout, const struct kesco_arrow *arrow, unsigned entry) {
    struct kesco_lane_chart *chart = layout->chart;
    unsigned from = layout->column_of[arrow->from], to = layout->column_of[arrow->to];
    unsigned from_row = layout->function->ops[arrow->from].lane;
    unsigned to_row = layout->function->ops[arrow->to].lane;
    struct kesco_chart_way *way = &chart->ways[chart->way_count++];
    *way = (struct kesco_chart_way){.arrow = arrow, .direct = to == from + 1, .entry = entry};
    way->out_track = take_in_gutter(layout, from, from_row, to_row);
    if (way->direct)
        return;
    way->gap = from_row < to_row ? to_row : to_row + 1;
    way->gap_track =
        take_track(layout->gaps + (size_t)way->gap * chart->columns, from, to - 1,
                   &chart->gap_tracks[(size_t)(from / chart->band_columns) * (chart->rows + 1) + way->gap]);
    way->in_track = take_in_gutter(layout, to - 1, to_row, to_row);
}

static void route_all(struct layout *layout) {
    struct kesco_lane_chart *chart = layout->chart;
    chart->way_count = 0;
    for (size_t place = 0; place < chart->op_count; place++) {
        unsigned op = chart->ops[place], entry = 0;
        for (size_t i = layout->arrows->start[op]; i < layout->arrows->start[op + 1]; i++) {
            const struct kesco_arrow *arrow = &layout->arrows->list[i];
            unsigned from = layout->column_of[arrow->from];
            if (comes_before(layout, arrow) && from < layout->column_of[op] &&
                from / chart->band_columns == layout->column_of[op] / chart->band_columns)
                route(layout, arrow, entry++);
        }
    }
}

static int lay_out(struct layout *layout) {
    struct kesco_lane_chart *chart = layout->chart;
    for (size_t i = 0; i < layout->function->op_count; i++)
        layout->column_of[i] = NOWHERE;
    for (size_t place = 0; place < chart->op_count; place++)
        place_op(layout, place);
    layout->gutters = calloc((size_t)chart->columns * chart->rows + 1, 1);
    layout->gaps = calloc(((size_t)chart->rows + 1) * chart->columns + 1, 1);
    chart->gutter_tracks = calloc((size_t)chart->columns + 1, sizeof(*chart->gutter_tracks));
    chart->bands = (chart->columns + chart->band_columns - 1) / chart->band_columns;
    chart->gap_tracks = calloc(((size_t)chart->rows + 1) * chart->bands + 1, sizeof(*chart->gap_tracks));
    chart->ways = calloc(chart->way_count + 1, sizeof(*chart->ways));
    if (!layout->gutters || !layout->gaps || !chart->gutter_tracks || !chart->gap_tracks || !chart->ways)
        return -ENOMEM;
    route_all(layout);
    return 0;
}

int kesco_lane_chart_create(const struct kesco_report_function *function, const struct kesco_arrows *arrows,
                            const unsigned *ops, size_t op_count, unsigned band_columns,
                            struct kesco_lane_chart *chart) {
    *chart = (struct kesco_lane_chart){
        .region = op_count ? function->ops[ops[0]].region : 0,
        .ops = ops,
        .op_count = op_count,
        .band_columns = band_columns,
        .column = calloc(op_count + 1, sizeof(*chart->column)),
    };
    struct layout layout = {
        .function = function,
        .arrows = arrows,
        .chart = chart,
        .column_of = calloc(function->op_count + 1, sizeof(*layout.column_of)),
        .row_end = calloc((size_t)function->lanes + 1, sizeof(*layout.row_end)),
    };
    int err = chart->column && layout.column_of && layout.row_end ? lay_out(&layout) : -ENOMEM;
    free(layout.column_of);
    free(layout.row_end);
    free(layout.gutters);
    free(layout.gaps);
    if (err)
        kesco_lane_chart_free(chart);
    return err;
}

void kesco_lane_chart_free(struct kesco_lane_chart *chart) {
    free(chart->column);
    free(chart->gutter_tracks);
    free(chart->gap_tracks);
    free(chart->ways);
    *chart = (struct kesco_lane_chart){0};
}
