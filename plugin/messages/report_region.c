#include "plugin/messages/report_region.h"

#include <errno.h>

static int find_sites(struct kesco_arena *memory, const struct kesco_op_region *region,
                      struct kesco_report_site *sites) {
    for (uint32_t op = 0; op < region->ops.count; op++) {
        const struct kesco_op_source *source = &region->ops.items[op].source;
        sites[op].line = source->line;
        if (!kesco_op_is_elsewhere(source))
            continue;
        sites[op].source =
            kesco_arena_print(memory, "%s:%u", source->own_path ? source->own_path : "", source->own_line);
        if (sites[op].source == NULL)
            return -ENOMEM;
    }
    return 0;
}

int kesco_report_region(struct kesco_report_builder *builder, const struct kesco_op_region *region,
                        const struct kesco_scheduled_region *scheduled) {
    struct kesco_arena memory = {0};
    struct kesco_report_site *sites = kesco_arena_alloc(&memory, (region->ops.count + 1) * sizeof(*sites));
    int status = sites ? find_sites(&memory, region, sites) : -ENOMEM;
    if (status == 0)
        status = kesco_report_append_region(builder, scheduled->graph, scheduled->plan, sites);
    if (status == 0 && scheduled->placed_lanes > 0 && !scheduled->only_joins)
        status = kesco_report_note_placed(builder);
    if (status == 0 && scheduled->joins)
        status = kesco_report_note_joins(builder);
    kesco_arena_free(&memory);
    return status;
}

int kesco_report_guards(struct kesco_report_builder *builder, const struct kesco_op_region *region,
                        const struct kesco_scheduled_region *scheduled) {
    const struct kesco_object *objects = region->objects.items;
    int status = 0;
    if (scheduled->plan->lane_count == 1)
        return 0;
    for (uint32_t i = 0; status == 0 && i < region->guards.checked.count; i++) {
        struct kesco_pair pair = region->guards.checked.items[i];
        status = kesco_report_add_guard(builder, objects[pair.a].name, objects[pair.b].name);
    }
    return status;
}

int kesco_report_claims(struct kesco_report_builder *builder, const struct kesco_op_region *region,
                        const struct kesco_scheduled_region *scheduled) {
    int status = 0;
    if (!kesco_scheduled_has_lanes(scheduled))
        return 0;
    for (uint32_t i = 0; status == 0 && i < region->claims.relied.count; i++) {
        const struct kesco_distinct *claim = &region->claims.relied.items[i];
        status = kesco_report_add_claim(builder, claim->line, claim->first, claim->second);
    }
    return status;
}
