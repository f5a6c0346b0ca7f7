#include "plugin/schedule/zone.h"

/* The first op of the zone that `op` is in, as far as the edges seen so far tell; halves the path on its way.
 */
static uint32_t find_first(uint32_t *parent, uint32_t op) {
    while (parent[op] != op) {
        parent[op] = parent[parent[op]];
        op = parent[op];
    }
    return op;
}

void kesco_zone_find(const struct kesco_graph *graph, uint32_t *zone, uint32_t *zone_count) {
    uint32_t zones = 0;
    for (uint32_t op = 0; op < graph->op_count; op++)
        zone[op] = op;
    for (size_t i = 0; i < graph->edge_count; i++) {
        uint32_t a = find_first(zone, graph->edges[i].from);
        uint32_t b = find_first(zone, graph->edges[i].to);
        if (a != b)
            zone[a < b ? b : a] = a < b ? a : b;
    }
    /* Parents come before their children, so each parent already holds its zone's number when read. */
    for (uint32_t op = 0; op < graph->op_count; op++)
        zone[op] = zone[op] == op ? zones++ : zone[zone[op]];
    *zone_count = zones;
}
