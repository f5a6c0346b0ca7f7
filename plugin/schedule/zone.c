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

static void unite(uint32_t *parent, const struct kesco_edge *edges, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint32_t a = find_first(parent, edges[i].from);
        uint32_t b = find_first(parent, edges[i].to);
        if (a != b)
            parent[a < b ? b : a] = a < b ? a : b;
    }
}

void kesco_zone_find(const struct kesco_graph *graph, uint32_t *zone, uint32_t *zone_count) {
    uint32_t zones = 0;
    for (uint32_t op = 0; op < graph->op_count; op++)
        zone[op] = op;
    unite(zone, graph->derived.edges.items, graph->derived.edges.count);
    unite(zone, graph->derived.carried.items, graph->derived.carried.count);
    /* Parents come before their children, so each parent already holds its zone's number when read. */
    for (uint32_t op = 0; op < graph->op_count; op++)
        zone[op] = zone[op] == op ? zones++ : zone[zone[op]];
    *zone_count = zones;
}
