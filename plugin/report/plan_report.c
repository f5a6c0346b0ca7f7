#include "plugin/report/plan_report.h"

#include "plugin/schedule/arena.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

/* A growing array: the report's structures point at the entries only once nothing is appended any more. */
struct list {
    void *entries;
    size_t count;    /* entries in use */
    size_t capacity; /* room in entries */
};

/* The function that is begun and not ended. */
struct open_function {
    bool is_there;
    const char *name;
    const char *file; /* NULL: the source */
    struct kesco_report_barrier *serial;
    unsigned lanes;   /* the most lanes of a region so far */
    unsigned regions; /* regions so far */
    unsigned zones;   /* zones so far */
};

/* What the open function has so far. */
struct lists {
    struct list levels;   /* unsigned, as many as lanes */
    struct list ops;      /* struct kesco_report_op */
    struct list edges;    /* struct kesco_report_edge */
    struct list waits;    /* struct kesco_report_wait */
    struct list records;  /* unsigned */
    struct list guards;   /* struct kesco_report_guard */
    struct list barriers; /* struct kesco_report_barrier */
    struct list claims;   /* struct kesco_report_claim */
    struct list placed;   /* unsigned */
    struct list joins;    /* unsigned */
    struct list lends;    /* struct kesco_report_call */
};

struct kesco_report_builder {
    struct kesco_arena arena; /* all strings and lists of names */
    struct list functions;    /* struct kesco_report_function, ended ones */
    struct open_function open;
    struct lists of;
};

/* Makes room for `count` more entries, which may be 0, and returns the first of them, or NULL without memory.
 */
static void *extend(struct list *list, size_t count, size_t size) {
    if (!list->entries || list->capacity - list->count < count) {
        size_t capacity = list->capacity * 2 + count + 8;
        void *entries = reallocarray(list->entries, capacity, size);
        if (!entries)
            return NULL;
        list->entries = entries;
        list->capacity = capacity;
    }
    void *first = (char *)list->entries + list->count * size;
    list->count += count;
    return first;
}

struct kesco_report_builder *kesco_report_builder_create(void) {
    return calloc(1, sizeof(struct kesco_report_builder));
}

static void free_function(struct kesco_report_function *function) {
    free((void *)function->levels);
    free((void *)function->ops);
    free((void *)function->plan.edges);
    free((void *)function->plan.waits);
    free((void *)function->plan.records);
    free((void *)function->assumed.guards);
    free((void *)function->stops.barriers);
    free((void *)function->assumed.claims);
    free((void *)function->regions.placed);
    free((void *)function->regions.joins);
    free((void *)function->lends);
}

void kesco_report_builder_destroy(struct kesco_report_builder *builder) {
    if (!builder)
        return;
    struct kesco_report_function *functions = builder->functions.entries;
    for (size_t i = 0; i < builder->functions.count; i++)
        free_function(&functions[i]);
    free(builder->functions.entries);
    free(builder->of.levels.entries);
    free(builder->of.ops.entries);
    free(builder->of.edges.entries);
    free(builder->of.waits.entries);
    free(builder->of.records.entries);
    free(builder->of.guards.entries);
    free(builder->of.barriers.entries);
    free(builder->of.claims.entries);
    free(builder->of.placed.entries);
    free(builder->of.joins.entries);
    free(builder->of.lends.entries);
    kesco_arena_free(&builder->arena);
    free(builder);
}

int kesco_report_begin_function(struct kesco_report_builder *builder, const char *name) {
    if (builder->open.is_there)
        return -EINVAL;
    builder->open.name = kesco_arena_strdup(&builder->arena, name);
    if (!builder->open.name)
        return -ENOMEM;
    builder->open.file = NULL;
    builder->open.serial = NULL;
    builder->open.lanes = builder->open.regions = builder->open.zones = 0;
    builder->open.is_there = true;
    return 0;
}

int kesco_report_set_file(struct kesco_report_builder *builder, const char *file) {
    if (!builder->open.is_there)
        return -EINVAL;
    builder->open.file = kesco_arena_strdup(&builder->arena, file);
    return builder->open.file ? 0 : -ENOMEM;
}

/* Copies of the names of the graph's objects; the last one stands for any object. NULL without memory. */
static const char **copy_object_names(struct kesco_report_builder *builder, const struct kesco_graph *graph) {
    size_t count = (size_t)graph->object_count + 1;
    const char **names = kesco_arena_alloc(&builder->arena, count * sizeof(*names));
    if (!names)
        return NULL;
    for (uint32_t object = 0; object < graph->object_count; object++) {
        names[object] = kesco_arena_strdup(&builder->arena, graph->objects[object]);
        if (!names[object])
            return NULL;
    }
    names[graph->object_count] = kesco_graph_object_name(graph, KESCO_OBJECT_ANY);
    return names;
}

static const char *name_of(const struct kesco_graph *graph, const char **names, uint32_t object) {
    return names[object == KESCO_OBJECT_ANY ? graph->object_count : object];
}

/* Fills reads and writes of one op. */
static int append_accesses(struct kesco_report_builder *builder, const struct kesco_graph *graph,
                           const char **names, uint32_t op, struct kesco_report_op *entry) {
    size_t count;
    const struct kesco_op_access *accesses = kesco_graph_accesses(graph, op, &count);
    const char **lists = kesco_arena_alloc(&builder->arena, (2 * count + 1) * sizeof(*lists));
    if (!lists)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        if (accesses[i].access == KESCO_READ || accesses[i].also_reads)
            lists[entry->touched.read_count++] = name_of(graph, names, accesses[i].object);
    entry->touched.reads = lists;
    entry->touched.writes = lists + entry->touched.read_count;
    for (size_t i = 0; i < count; i++)
        if (accesses[i].access == KESCO_WRITE)
            lists[entry->touched.read_count + entry->touched.write_count++] =
                name_of(graph, names, accesses[i].object);
    return 0;
}

static int append_ops(struct kesco_report_builder *builder, const struct kesco_graph *graph,
                      const struct kesco_plan *plan, const struct kesco_report_site *sites,
                      const char **names) {
    unsigned offset = (unsigned)builder->of.ops.count;
    struct kesco_report_op *ops = extend(&builder->of.ops, graph->op_count, sizeof(*ops));
    if (!ops)
        return -ENOMEM;
    for (uint32_t op = 0; op < graph->op_count; op++) {
        const char *name = kesco_arena_strdup(&builder->arena, graph->ops[op].name);
        const char *source = sites ? sites[op].source : NULL;
        if (source)
            source = kesco_arena_strdup(&builder->arena, source);
        if (!name || (!source && sites && sites[op].source))
            return -ENOMEM;
        ops[op] = (struct kesco_report_op){
            .kind = graph->ops[op].kind,
            .name = name,
            .line = sites ? sites[op].line : 0,
            .source = source,
            .region = builder->open.regions,
            .lane = plan->lane[op],
            .order = offset + plan->order[op],
            .zone = builder->open.zones + plan->zone[op],
            .priority = graph->ops[op].priority,
        };
        int err = append_accesses(builder, graph, names, op, &ops[op]);
        if (err)
            return err;
    }
    return 0;
}

static int append_edges(struct kesco_report_builder *builder, const struct kesco_graph *graph,
                        const struct kesco_edge *list, size_t count, unsigned offset, const char **names) {
    struct kesco_report_edge *edges = extend(&builder->of.edges, count, sizeof(*edges));
    if (!edges)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        edges[i] = (struct kesco_report_edge){
            .from = offset + list[i].from,
            .to = offset + list[i].to,
            .kind = list[i].kind,
            .object = name_of(graph, names, list[i].object),
        };
    return 0;
}

static int append_sync(struct kesco_report_builder *builder, const struct kesco_plan *plan, unsigned offset) {
    struct kesco_report_wait *waits = extend(&builder->of.waits, plan->sync.wait_count, sizeof(*waits));
    unsigned *records = extend(&builder->of.records, plan->sync.record_count, sizeof(*records));
    if (!waits || !records)
        return -ENOMEM;
    for (size_t i = 0; i < plan->sync.wait_count; i++)
        waits[i] = (struct kesco_report_wait){.op = offset + plan->sync.waits[i].op,
                                              .on = offset + plan->sync.waits[i].on};
    for (size_t i = 0; i < plan->sync.record_count; i++)
        records[i] = offset + plan->sync.records[i];
    return 0;
}

/* Takes in how many lanes the plan has and their levels. */
static int merge_lanes(struct kesco_report_builder *builder, const struct kesco_plan *plan) {
    unsigned more = plan->lane_count > builder->open.lanes ? plan->lane_count - builder->open.lanes : 0;
    unsigned *added = extend(&builder->of.levels, more, sizeof(*added)), *levels = builder->of.levels.entries;
    if (!added)
        return -ENOMEM;
    for (unsigned i = 0; i < more; i++)
        added[i] = 0;
    builder->open.lanes += more;
    for (uint32_t lane = 0; lane < plan->lane_count; lane++)
        if (plan->lane_level[lane] > levels[lane])
            levels[lane] = plan->lane_level[lane];
    return 0;
}

int kesco_report_append_region(struct kesco_report_builder *builder, const struct kesco_graph *graph,
                               const struct kesco_plan *plan, const struct kesco_report_site *sites) {
    unsigned offset = (unsigned)builder->of.ops.count;
    if (!builder->open.is_there || !graph->built || graph->op_count != plan->op_count)
        return -EINVAL;
    const char **names = copy_object_names(builder, graph);
    if (!names)
        return -ENOMEM;
    int err = append_ops(builder, graph, plan, sites, names);
    if (!err)
        err = append_edges(builder, graph, graph->derived.edges.items, graph->derived.edges.count, offset,
                           names);
    if (!err)
        err = append_edges(builder, graph, graph->derived.carried.items, graph->derived.carried.count, offset,
                           names);
    if (!err)
        err = append_sync(builder, plan, offset);
    if (err)
        return err;
    builder->open.regions++;
    builder->open.zones += plan->zone_count;
    return merge_lanes(builder, plan);
}

/* Adds the region that was appended last to the list. */
static int note_region(struct kesco_report_builder *builder, struct list *list) {
    if (!builder->open.is_there || builder->open.regions == 0)
        return -EINVAL;
    unsigned *region = extend(list, 1, sizeof(*region));
    if (!region)
        return -ENOMEM;
    *region = builder->open.regions - 1;
    return 0;
}

int kesco_report_note_placed(struct kesco_report_builder *builder) {
    return note_region(builder, &builder->of.placed);
}

int kesco_report_note_joins(struct kesco_report_builder *builder) {
    return note_region(builder, &builder->of.joins);
}

int kesco_report_add_lend(struct kesco_report_builder *builder, unsigned line, const char *callee) {
    if (!builder->open.is_there)
        return -EINVAL;
    struct kesco_report_call *call = extend(&builder->of.lends, 1, sizeof(*call));
    if (!call)
        return -ENOMEM;
    call->line = line;
    call->callee = kesco_arena_strdup(&builder->arena, callee);
    return call->callee ? 0 : -ENOMEM;
}

int kesco_report_add_guard(struct kesco_report_builder *builder, const char *a, const char *b) {
    if (!builder->open.is_there)
        return -EINVAL;
    struct kesco_report_guard *guard = extend(&builder->of.guards, 1, sizeof(*guard));
    if (!guard)
        return -ENOMEM;
    guard->a = kesco_arena_strdup(&builder->arena, a);
    guard->b = kesco_arena_strdup(&builder->arena, b);
    return guard->a && guard->b ? 0 : -ENOMEM;
}

int kesco_report_add_claim(struct kesco_report_builder *builder, unsigned line, const char *a,
                           const char *b) {
    if (!builder->open.is_there)
        return -EINVAL;
    struct kesco_report_claim *claim = extend(&builder->of.claims, 1, sizeof(*claim));
    if (!claim)
        return -ENOMEM;
    claim->line = line;
    claim->a = kesco_arena_strdup(&builder->arena, a);
    claim->b = kesco_arena_strdup(&builder->arena, b);
    return claim->a && claim->b ? 0 : -ENOMEM;
}

int kesco_report_set_serial(struct kesco_report_builder *builder, unsigned line, const char *why) {
    if (!builder->open.is_there)
        return -EINVAL;
    builder->open.serial = kesco_arena_alloc(&builder->arena, sizeof(*builder->open.serial));
    if (!builder->open.serial)
        return -ENOMEM;
    builder->open.serial->line = line;
    builder->open.serial->why = kesco_arena_strdup(&builder->arena, why);
    return builder->open.serial->why ? 0 : -ENOMEM;
}

int kesco_report_add_barrier(struct kesco_report_builder *builder, unsigned line, const char *why) {
    if (!builder->open.is_there)
        return -EINVAL;
    struct kesco_report_barrier *barrier = extend(&builder->of.barriers, 1, sizeof(*barrier));
    if (!barrier)
        return -ENOMEM;
    barrier->line = line;
    barrier->why = kesco_arena_strdup(&builder->arena, why);
    return barrier->why ? 0 : -ENOMEM;
}

/* Hands the entries over and leaves the list empty. */
static const void *take(struct list *list, size_t *count) {
    const void *entries = list->entries;
    *count = list->count;
    *list = (struct list){0};
    return entries;
}

int kesco_report_end_function(struct kesco_report_builder *builder) {
    if (!builder->open.is_there)
        return -EINVAL;
    struct kesco_report_function *function = extend(&builder->functions, 1, sizeof(*function));
    if (!function)
        return -ENOMEM;
    function->name = builder->open.name;
    function->file = builder->open.file;
    size_t lanes;
    function->lanes = builder->open.lanes;
    function->levels = take(&builder->of.levels, &lanes);
    function->ops = take(&builder->of.ops, &function->op_count);
    function->plan.edges = take(&builder->of.edges, &function->plan.edge_count);
    function->plan.waits = take(&builder->of.waits, &function->plan.wait_count);
    function->plan.records = take(&builder->of.records, &function->plan.record_count);
    function->assumed.guards = take(&builder->of.guards, &function->assumed.guard_count);
    function->stops.barriers = take(&builder->of.barriers, &function->stops.barrier_count);
    function->stops.serial = builder->open.serial;
    function->assumed.claims = take(&builder->of.claims, &function->assumed.claim_count);
    function->regions.placed = take(&builder->of.placed, &function->regions.placed_count);
    function->regions.joins = take(&builder->of.joins, &function->regions.join_count);
    function->lends = take(&builder->of.lends, &function->lend_count);
    builder->open.is_there = false;
    return 0;
}

int kesco_report_finish(struct kesco_report_builder *builder, const char *source,
                        struct kesco_report *report) {
    if (builder->open.is_there)
        return -EINVAL;
    const char *copy = kesco_arena_strdup(&builder->arena, source);
    if (!copy)
        return -ENOMEM;
    *report = (struct kesco_report){
        .source = copy,
        .functions = builder->functions.entries,
        .function_count = builder->functions.count,
    };
    return 0;
}
