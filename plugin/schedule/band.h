/*
 * Bands: which lanes the ops of a level (level.h) may use, so that none comes after one of a lower level on
 * a lane as far as the lanes suffice.
 *
 * A band is a level that has lanes of its own, together with the levels below it that have none; a lane
 * belongs to the band that opened it. From the highest level down, each gets as many lanes as it takes when
 * it is distributed alone, but leaves one to each lower level that comes too early to share: some op of it is
 * issued (along a flow: runs) before one of a higher level. Where not even one is left for such a level, it
 * has to share the lanes of the next higher one; this happens only with fewer lanes than levels.
 *
 * An op may use the lanes of its own band, and those of higher bands once no op of a higher level than its
 * own is to come: after these it holds nobody up. It never uses a lane of a lower band. So with one lane all
 * share it; with two lanes, the highest level has one for itself if others would come in between.
 */
#ifndef KESCO_SCHEDULE_BAND_H
#define KESCO_SCHEDULE_BAND_H

#include "plugin/schedule/graph.h"

#include <stdbool.h>
#include <stdint.h>

struct kesco_bands {
    const uint32_t *level; /* by op, the caller's */
    uint32_t *band;        /* by level: its band, which is the level whose lanes it uses */
    uint32_t *room;        /* by band: lanes that it may open */
    bool *early;           /* by op: one of a higher level is still to come */
};

/*
 * Shares `max_lanes` lanes, a positive number, among the `level_count` levels of the ops that are issued in
 * the order `sequence`. `demand` has for each level the lanes that it takes alone, at least one. The caller
 * frees the bands. -ENOMEM.
 */
int kesco_bands_create(const struct kesco_graph *graph, const uint32_t *sequence, const uint32_t *level,
                       uint32_t level_count, const uint32_t *demand, uint32_t max_lanes,
                       struct kesco_bands *bands);

/* Frees what the bands own. Accepts zeroed bands. */
void kesco_bands_free(struct kesco_bands *bands);

/* True if `op` may use the lanes that `band` opened. */
bool kesco_bands_allow(const struct kesco_bands *bands, uint32_t op, uint32_t band);

#endif
