#include "plugin/schedule/band.h"

#include "plugin/schedule/flow.h"

#include <errno.h>
#include <stdlib.h>

static void find_early_in_line(const struct kesco_graph *graph, const uint32_t *sequence,
                               struct kesco_bands *bands) {
    uint32_t highest = 0; /* level among the ops after */
    for (uint32_t i = graph->op_count; i-- > 0;) {
        uint32_t level = bands->level[sequence[i]];
        bands->early[sequence[i]] = level < highest;
        highest = level > highest ? level : highest;
    }
}

static void find_early_in_flow(const struct kesco_graph *graph, struct kesco_bands *bands) {
    for (uint32_t op = 0; op < graph->op_count; op++)
        for (uint32_t other = 0; other < graph->op_count; other++)
            bands->early[op] |=
                bands->level[op] < bands->level[other] && kesco_flow_in_flight(graph->flow, op, other);
}

/* Marks the levels that have early ops; returns how many there are. */
static uint32_t find_early_levels(const struct kesco_bands *bands, uint32_t op_count, bool *early) {
    uint32_t count = 0;
    for (uint32_t op = 0; op < op_count; op++) {
        if (!bands->early[op])
            continue;
        count += !early[bands->level[op]];
        early[bands->level[op]] = true;
    }
    return count;
}

static void share(struct kesco_bands *bands, uint32_t level_count, const uint32_t *demand, const bool *early,
                  uint32_t kept, uint32_t lanes) {
    for (uint32_t level = level_count; level-- > 0;) {
        kept -= early[level];
        uint32_t room = lanes > kept ? lanes - kept : 0;
        uint32_t own = demand[level] < room ? demand[level] : room;
        bool highest = level + 1 == level_count;
        if (own == 0 && lanes > 0 && (highest || early[level]))
            own = 1;
        bands->band[level] = own ? level : bands->band[level + 1];
        bands->room[level] = own;
        lanes -= own;
    }
}

int kesco_bands_create(const struct kesco_graph *graph, const uint32_t *sequence, const uint32_t *level,
                       uint32_t level_count, const uint32_t *demand, uint32_t max_lanes,
                       struct kesco_bands *bands) {
    bool *early = calloc((size_t)level_count + 1, sizeof(*early));
    *bands = (struct kesco_bands){.level = level};
    bands->band = calloc((size_t)level_count + 1, sizeof(*bands->band));
    bands->room = calloc((size_t)level_count + 1, sizeof(*bands->room));
    bands->early = calloc((size_t)graph->op_count + 1, sizeof(*bands->early));
    if (!early || !bands->band || !bands->room || !bands->early) {
        free(early);
        kesco_bands_free(bands);
        return -ENOMEM;
    }
    if (graph->flow)
        find_early_in_flow(graph, bands);
    else
        find_early_in_line(graph, sequence, bands);
    uint32_t kept = find_early_levels(bands, graph->op_count, early);
    share(bands, level_count, demand, early, kept, max_lanes);
    free(early);
    return 0;
}

void kesco_bands_free(struct kesco_bands *bands) {
    free(bands->band);
    free(bands->room);
    free(bands->early);
    *bands = (struct kesco_bands){0};
}

bool kesco_bands_allow(const struct kesco_bands *bands, uint32_t op, uint32_t band) {
    uint32_t own = bands->band[bands->level[op]];
    return band == own || (band > own && !bands->early[op]);
}
