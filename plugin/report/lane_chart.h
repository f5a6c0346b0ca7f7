/*
 * Lane chart: where the ops of one region stand in a picture of its lanes, and which way the arrows go that
 * say what waits for what.
 *
 * A row for each lane. An op's column is the first one after the op before it on its lane and after the ops
 * that it waits for, so what stands in one column may run at once. Arrows lead through the gutters between
 * columns and the gaps between rows, on tracks, and cross no op. A wide chart is folded into bands of
 * columns, one below the other; no arrow leads from band to band.
 */
#ifndef KESCO_REPORT_LANE_CHART_H
#define KESCO_REPORT_LANE_CHART_H

#include "plugin/report/arrows.h"
#include "plugin/report/report.h"

#include <stdbool.h>
#include <stddef.h>

#define KESCO_CHART_TRACKS 8 /* in a gutter or gap at most; more arrows share them */

/* The way of one arrow within a band: out of an op, down or up a gutter, and into the next column's op; or
 * from the gutter along a gap to the gutter before a later column. */
struct kesco_chart_way {
    const struct kesco_arrow *arrow;
    bool direct;        /* `to` stands in the column after `from`'s: one gutter and no gap */
    unsigned out_track; /* track in the gutter after from's column */
    unsigned gap; /* right above or below the row of `to`: gap above the row of this number, or below all */
    unsigned gap_track; /* track in the gap */
    unsigned in_track;  /* track in the gutter before to's column */
    unsigned entry;     /* which of the arrows into `to` it is, from above */
};

struct kesco_lane_chart {
    unsigned region;              /* whose chart it is */
    const unsigned *ops;          /* ids of the region's ops, in issue order; the caller's */
    size_t op_count;              /* entries in ops */
    unsigned rows;                /* lanes of the region */
    unsigned columns;             /* in all bands */
    unsigned band_columns;        /* in one band at most */
    unsigned bands;               /* 0 without ops */
    unsigned *column;             /* by place in ops */
    unsigned *gutter_tracks;      /* by column: tracks in the gutter after it */
    unsigned *gap_tracks;         /* tracks in gap of band at band * (rows + 1) + gap */
    struct kesco_chart_way *ways; /* the arrows to draw */
    size_t way_count;             /* entries in ways */
};

/*
 * Lays out the chart of the region that `ops`, `op_count` ids in issue order, are. `function`, `arrows` and
 * `ops` outlive the chart. `band_columns` is above 0. Returns 0 or -ENOMEM.
 */
int kesco_lane_chart_create(const struct kesco_report_function *function, const struct kesco_arrows *arrows,
                            const unsigned *ops, size_t op_count, unsigned band_columns,
                            struct kesco_lane_chart *chart);

/* Frees what the chart owns. Accepts a zeroed one. */
void kesco_lane_chart_free(struct kesco_lane_chart *chart);

#endif
