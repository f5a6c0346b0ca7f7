#include "test/schedule/model.h"
#include "test/cmocka.h"

#include <stdio.h>
#include <string.h>

/* splitmix64. */
static uint64_t next_random(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static unsigned below(uint64_t *state, unsigned limit) {
    return (unsigned)(next_random(state) % limit);
}

static uint64_t bit(unsigned index) {
    return UINT64_C(1) << index;
}

/* Each op touches a few of few objects: dense conflicts, updates in place. */
static void fill_shared(struct model *model, uint64_t *state) {
    model->object_count = 1 + below(state, 8);
    for (unsigned op = 0; op < model->op_count; op++) {
        for (unsigned i = below(state, 4); i > 0; i--)
            model->ops[op].reads |= bit(below(state, model->object_count));
        for (unsigned i = below(state, 3); i > 0; i--)
            model->ops[op].writes |= bit(below(state, model->object_count));
    }
}

/* Each op writes an object of its own and reads those of up to 3 earlier ones within `window`. */
static void fill_dag(struct model *model, uint64_t *state, unsigned window) {
    model->object_count = model->op_count;
    for (unsigned op = 0; op < model->op_count; op++) {
        unsigned reach = op < window ? op : window;
        model->ops[op].writes = bit(op);
        for (unsigned i = reach ? below(state, 4) : 0; i > 0; i--)
            model->ops[op].reads |= bit(op - 1 - below(state, reach));
    }
}

/* One op, a wide layer behind it, one op that joins the layer, and so on. */
static void fill_fork_join(struct model *model, uint64_t *state) {
    unsigned width = 2 + below(state, 8), fork = 0;
    model->object_count = model->op_count;
    for (unsigned op = 0; op < model->op_count; op++) {
        model->ops[op].writes = bit(op);
        if (op == 0)
            continue;
        if ((op - fork) <= width) {
            model->ops[op].reads = bit(fork);
        } else {
            for (unsigned leaf = fork + 1; leaf < op; leaf++)
                model->ops[op].reads |= bit(leaf);
            fork = op;
        }
    }
}

/* Chains beside one another that now and then read from each other. */
static void fill_chains(struct model *model, uint64_t *state) {
    unsigned chains = 1 + below(state, 6);
    model->object_count = chains;
    for (unsigned op = 0; op < model->op_count; op++) {
        model->ops[op].writes = bit(below(state, chains));
        if (below(state, 4) == 0)
            model->ops[op].reads = bit(below(state, chains));
    }
}

static void fill_accesses(struct model *model, uint64_t *state) {
    switch (below(state, 5)) {
    case 0:
        fill_shared(model, state);
        break;
    case 1:
        fill_dag(model, state, 6);
        break;
    case 2:
        fill_dag(model, state, MODEL_OPS);
        break;
    case 3:
        fill_fork_join(model, state);
        break;
    default:
        fill_chains(model, state);
        break;
    }
}

/* Turns some ops into ones that touch any object, and some into ones that touch nothing. */
static void sprinkle(struct model *model, uint64_t *state) {
    unsigned one_in = 2 + below(state, 12);
    for (unsigned op = 0; op < model->op_count; op++) {
        if (below(state, one_in))
            continue;
        model->ops[op].reads_any = below(state, 3) > 0;
        model->ops[op].writes_any = below(state, 4) == 0;
        if (below(state, 2))
            model->ops[op].writes = 0;
        if (below(state, 8) == 0)
            model->ops[op] = (struct model_op){0};
    }
}

static void choose_engines(struct model *model, uint64_t *state) {
    unsigned engines = 1 + below(state, 4);
    for (unsigned op = 0; op < model->op_count; op++)
        model->ops[op].engine = (enum kesco_engine)below(state, engines);
}

/* Lets some ops block, each in a segment of its own. */
static void choose_blocks(struct model *model, uint64_t *state) {
    unsigned one_in = 1 + below(state, 6), shift = 0;
    for (unsigned op = 0; op < model->op_count; op++) {
        model->ops[op].blocks = below(state, one_in) == 0;
        shift += model->ops[op].blocks;
        model->ops[op].segment += shift;
        shift += model->ops[op].blocks;
    }
}

void model_random(struct model *model, uint64_t seed, unsigned max_ops) {
    uint64_t state = seed;
    memset(model, 0, sizeof(*model));
    model->op_count = below(&state, max_ops + 1);
    fill_accesses(model, &state);
    if (below(&state, 3) == 0)
        sprinkle(model, &state);
    unsigned segments = below(&state, 2) ? 1 : 1 + below(&state, 6);
    for (unsigned op = 0; op < model->op_count; op++) {
        model->ops[op].segment = op * segments / model->op_count;
        model->ops[op].cost = below(&state, 5);
        model->ops[op].priority = 1;
    }
    if (below(&state, 2))
        choose_engines(model, &state);
    if (below(&state, 2))
        choose_blocks(model, &state);
    model->max_lanes = below(&state, 4) ? 1 + below(&state, max_ops) : 0;
    model->reorder = below(&state, 5) != 0;
}

/* The objects of one task of several. */
static uint64_t objects_of(unsigned task, unsigned tasks) {
    uint64_t objects = 0;
    for (unsigned object = task; object < MODEL_OBJECTS; object += tasks)
        objects |= bit(object);
    return objects;
}

void model_random_tasks(struct model *model, uint64_t seed, unsigned max_ops) {
    model_random(model, seed, max_ops);
    uint64_t state = ~seed;
    unsigned tasks = 1 + below(&state, 8), priorities = 1 + below(&state, 5);
    bool any = below(&state, 8) == 0;
    for (unsigned i = 0; i < model->op_count; i++) {
        struct model_op *op = &model->ops[i];
        unsigned task = below(&state, tasks);
        op->reads &= objects_of(task, tasks);
        op->writes &= objects_of(task, tasks);
        op->reads_any &= any;
        op->writes_any &= any;
        op->priority = (int)(task % priorities) - (below(&state, 4) == 0);
    }
}

static void add_accesses(struct kesco_graph *graph, unsigned op, uint64_t objects, enum kesco_access access) {
    for (unsigned object = 0; object < MODEL_OBJECTS; object++)
        if (objects & bit(object))
            assert_int_equal(kesco_graph_add_access(graph, op, object, access), 0);
}

struct kesco_graph *model_graph(const struct model *model) {
    struct kesco_graph *graph = kesco_graph_create();
    uint32_t id;
    assert_non_null(graph);
    for (unsigned object = 0; object < model->object_count; object++)
        assert_int_equal(kesco_graph_add_object(graph, "object", &id), 0);
    for (unsigned i = 0; i < model->op_count; i++) {
        const struct model_op *op = &model->ops[i];
        struct kesco_op desc = {.name = "op", .cost = op->cost, .segment = op->segment};
        desc.priority = op->priority;
        desc.blocks = op->blocks;
        desc.engine = op->engine;
        desc.kind = op->engine == KESCO_ENGINE_COMPUTE ? KESCO_OP_KERNEL : KESCO_OP_COPY;
        assert_int_equal(kesco_graph_add_op(graph, &desc, &id), 0);
        assert_int_equal(id, i);
        add_accesses(graph, i, op->reads, KESCO_READ);
        add_accesses(graph, i, op->writes, KESCO_WRITE);
        if (op->reads_any)
            assert_int_equal(kesco_graph_add_access(graph, i, KESCO_OBJECT_ANY, KESCO_READ), 0);
        if (op->writes_any)
            assert_int_equal(kesco_graph_add_access(graph, i, KESCO_OBJECT_ANY, KESCO_WRITE), 0);
    }
    return graph;
}

static bool touches(const struct model_op *op) {
    return op->reads || op->writes || op->reads_any || op->writes_any;
}

static bool conflict(const struct model_op *a, const struct model_op *b) {
    if ((a->writes_any && touches(b)) || (b->writes_any && touches(a)))
        return true;
    if ((a->reads_any && b->writes) || (b->reads_any && a->writes))
        return true;
    return (a->writes & (b->reads | b->writes)) || (b->writes & a->reads);
}

void model_conflicts(const struct model *model, struct relation *conflicts) {
    memset(conflicts, 0, sizeof(*conflicts));
    for (unsigned i = 0; i < model->op_count; i++)
        for (unsigned j = i + 1; j < model->op_count; j++)
            if (conflict(&model->ops[i], &model->ops[j]))
                conflicts->rows[i] |= bit(j);
}

unsigned model_zones(const struct model *model, unsigned zone[MODEL_OPS]) {
    struct relation joined;
    unsigned zones = 0;
    model_conflicts(model, &joined);
    for (unsigned from = 0; from < model->op_count; from++)
        for (unsigned to = 0; to < model->op_count; to++)
            if (joined.rows[from] & bit(to))
                joined.rows[to] |= bit(from);
    relation_close(&joined, model->op_count);
    for (unsigned op = 0; op < model->op_count; op++) {
        zone[op] = zones;
        for (unsigned other = 0; other < op; other++)
            if (joined.rows[op] & bit(other))
                zone[op] = zone[other];
        zones += zone[op] == zones;
    }
    return zones;
}

/* The highest priority in the zone of an op. */
static int zone_priority(const struct model *model, const unsigned zone[MODEL_OPS], unsigned op) {
    int priority = model->ops[op].priority;
    for (unsigned other = 0; other < model->op_count; other++)
        if (zone[other] == zone[op] && model->ops[other].priority > priority)
            priority = model->ops[other].priority;
    return priority;
}

unsigned model_levels(const struct model *model, unsigned level[MODEL_OPS]) {
    unsigned zone[MODEL_OPS], levels = 0;
    int priority[MODEL_OPS];
    model_zones(model, zone);
    for (unsigned op = 0; op < model->op_count; op++)
        priority[op] = zone_priority(model, zone, op);
    for (unsigned op = 0; op < model->op_count; op++) {
        level[op] = 0;
        for (unsigned other = 0; other < model->op_count; other++) {
            bool first = true; /* with its priority */
            for (unsigned before = 0; before < other; before++)
                first &= priority[before] != priority[other];
            level[op] += first && priority[other] < priority[op];
        }
        levels = level[op] + 1 > levels ? level[op] + 1 : levels;
    }
    return levels;
}

void model_add_host_order(const struct model *model, struct relation *relation) {
    for (unsigned i = 0; i < model->op_count; i++)
        for (unsigned j = i + 1; j < model->op_count && model->ops[i].blocks; j++)
            relation->rows[i] |= bit(j);
}

void model_order(const struct model *model, struct relation *order) {
    model_conflicts(model, order);
    model_add_host_order(model, order);
    relation_close(order, model->op_count);
}

bool model_engines_share(enum kesco_engine a, enum kesco_engine b) {
    switch (a) {
    case KESCO_ENGINE_COMPUTE:
        return b != KESCO_ENGINE_NONE;
    case KESCO_ENGINE_TO_DEVICE:
        return b == KESCO_ENGINE_COMPUTE || b == KESCO_ENGINE_TO_HOST;
    case KESCO_ENGINE_TO_HOST:
        return b == KESCO_ENGINE_COMPUTE || b == KESCO_ENGINE_TO_DEVICE;
    default:
        return false;
    }
}

void relation_close(struct relation *relation, unsigned op_count) {
    for (unsigned via = 0; via < op_count; via++)
        for (unsigned from = 0; from < op_count; from++)
            if (relation->rows[from] & bit(via))
                relation->rows[from] |= relation->rows[via];
}

static void print_list(const char *key, uint64_t objects, bool any) {
    const char *separator = key;
    for (unsigned object = 0; object < MODEL_OBJECTS; object++) {
        if (objects & bit(object)) {
            print_message("%so%u", separator, object);
            separator = ",";
        }
    }
    if (any)
        print_message("%s*", separator);
}

void model_print(const struct model *model) {
    static const char *const engines[] = {"compute", "to-device", "to-host", "none"};
    print_message("# max_lanes=%u reorder=%d\n", model->max_lanes, model->reorder);
    for (unsigned i = 0; i < model->op_count; i++) {
        const struct model_op *op = &model->ops[i];
        print_message("op n%u cost=%u priority=%d", i, op->cost, op->priority);
        print_list(" r=", op->reads, op->reads_any);
        print_list(" w=", op->writes, op->writes_any);
        print_message(" engine=%s%s", engines[op->engine], op->blocks ? " blocks" : "");
        print_message(" # segment %u\n", op->segment);
    }
}
