#include "test/schedule/check.h"

#include "plugin/schedule/distribute.h"
#include "plugin/schedule/overlap.h"
#include "test/schedule/relation.h"

#include <string.h>

#define NONE UINT32_MAX

/* Edges. */

static bool uses_any(const struct model_op *op) {
    return op->reads_any || op->writes_any;
}

/* Whether the rule asks for an edge of a kind between two ops that touch no any. */
static bool edge_expected(const struct model *model, unsigned from, unsigned to, uint64_t object,
                          enum kesco_edge_kind kind) {
    const struct model_op *a = &model->ops[from], *b = &model->ops[to];
    bool a_reads = (a->reads & ~a->writes) & object, b_reads = (b->reads & ~b->writes) & object;
    bool a_writes = a->writes & object, b_writes = b->writes & object;
    if (kind == KESCO_RAW)
        return a_writes && b_reads && !between(model, from, to, object, false);
    if (kind == KESCO_WAR)
        return a_reads && b_writes && !between(model, from, to, object, false);
    return a_writes && b_writes && !between(model, from, to, object, true);
}

static bool edge_present(const struct kesco_graph *graph, struct kesco_edge edge) {
    for (size_t i = 0; i < graph->derived.edges.count; i++)
        if (graph->derived.edges.items[i].from == edge.from && graph->derived.edges.items[i].to == edge.to &&
            graph->derived.edges.items[i].object == edge.object &&
            graph->derived.edges.items[i].kind == edge.kind)
            return true;
    return false;
}

static const char *check_named_edges(const struct model *model, const struct kesco_graph *graph) {
    size_t expected = 0;
    for (unsigned to = 0; to < model->op_count; to++)
        for (unsigned from = 0; from < to; from++)
            for (unsigned object = 0; object < model->object_count; object++)
                for (int kind = KESCO_RAW; kind <= KESCO_WAW; kind++) {
                    struct kesco_edge edge = {.from = from, .to = to, .kind = kind, .object = object};
                    if (!edge_expected(model, from, to, bit(object), kind))
                        continue;
                    expected++;
                    if (!edge_present(graph, edge))
                        return "an edge is missing";
                }
    return graph->derived.edges.count == expected ? NULL : "there are edges that nothing asks for";
}

const char *check_edges(const struct model *model, const struct kesco_graph *graph) {
    struct relation conflicts, edges = {{0}};
    bool any = false;
    model_conflicts(model, &conflicts);
    for (size_t i = 0; i < graph->derived.edges.count; i++) {
        struct kesco_edge edge = graph->derived.edges.items[i];
        if (edge.from >= edge.to || !related(&conflicts, edge.from, edge.to))
            return "an edge joins ops that do not conflict";
        if (edge.object == KESCO_OBJECT_ANY && !uses_any(&model->ops[edge.from]) &&
            !uses_any(&model->ops[edge.to]))
            return "an edge names any object though neither op touches any";
        edges.rows[edge.from] |= bit(edge.to);
    }
    for (unsigned op = 0; op < model->op_count; op++)
        any |= uses_any(&model->ops[op]);
    relation_close(&conflicts, model->op_count);
    relation_close(&edges, model->op_count);
    if (memcmp(&conflicts, &edges, sizeof(edges)) != 0)
        return "the edges do not order all that conflicts";
    return any ? NULL : check_named_edges(model, graph);
}

/* Order. */

/* What the issue order goes by. */
struct keys {
    const struct model *model;
    enum kesco_policy policy;
    unsigned level[MODEL_OPS];        /* of the op's zone */
    unsigned predecessors[MODEL_OPS]; /* transitive ones */
    unsigned length[MODEL_OPS];       /* longest path of costs from the op on */
};

static void find_keys(struct keys *keys, const struct relation *closure) {
    const struct model *model = keys->model;
    model_levels(model, keys->level);
    for (unsigned op = model->op_count; op-- > 0;) {
        for (unsigned to = 0; to < model->op_count; to++) {
            if (!related(closure, op, to))
                continue;
            keys->predecessors[to]++;
            if (keys->length[to] > keys->length[op])
                keys->length[op] = keys->length[to];
        }
        keys->length[op] += model->ops[op].cost;
    }
}

static bool issued_before(const struct keys *keys, unsigned a, unsigned b) {
    const struct model *model = keys->model;
    if (!model->reorder)
        return a < b;
    if (model->ops[a].segment != model->ops[b].segment)
        return model->ops[a].segment < model->ops[b].segment;
    if (keys->level[a] != keys->level[b])
        return keys->level[a] > keys->level[b];
    if (keys->policy == KESCO_POLICY_CRITICAL_PATH && keys->length[a] != keys->length[b])
        return keys->length[a] > keys->length[b];
    if (keys->policy == KESCO_POLICY_FEWEST_PREDECESSORS && keys->predecessors[a] != keys->predecessors[b])
        return keys->predecessors[a] < keys->predecessors[b];
    if (keys->policy == KESCO_POLICY_PREDECESSOR_BANDS &&
        keys->predecessors[a] / 8 != keys->predecessors[b] / 8)
        return keys->predecessors[a] < keys->predecessors[b];
    return a < b;
}

const char *check_order(const struct model *model, enum kesco_policy policy, const struct kesco_plan *plan) {
    struct relation closure;
    struct keys keys = {.model = model, .policy = policy};
    uint64_t seen = 0;
    model_conflicts(model, &closure);
    relation_close(&closure, model->op_count);
    find_keys(&keys, &closure);
    for (unsigned i = 0; i < plan->op_count; i++) {
        uint32_t op = plan->sequence[i];
        if (op >= plan->op_count || (seen & bit(op)) || plan->order[op] != i)
            return "sequence and order are not a permutation and its inverse";
        seen |= bit(op);
        if (i > 0 && !issued_before(&keys, plan->sequence[i - 1], op))
            return "the issue order is not by segment, level, policy, program order";
    }
    for (unsigned from = 0; from < model->op_count; from++)
        for (unsigned to = 0; to < model->op_count; to++)
            if (related(&closure, from, to) && plan->order[from] > plan->order[to])
                return "the issue order turns a conflict round";
    for (unsigned from = 0; from < model->op_count; from++)
        for (unsigned to = from + 1; to < model->op_count; to++)
            if ((model->ops[from].blocks || model->ops[to].blocks) && plan->order[from] > plan->order[to])
                return "an op is issued across one that blocks";
    return NULL;
}

/* Overlap. */

static bool could_overlap(const struct model *model) {
    struct relation order;
    model_order(model, &order);
    for (unsigned a = 0; a < model->op_count; a++)
        for (unsigned b = a + 1; b < model->op_count; b++)
            if (!related(&order, a, b) && model_engines_share(model->ops[a].engine, model->ops[b].engine))
                return true;
    return false;
}

static bool blocks_in_vain(const struct model *model, const struct relation *order, unsigned op) {
    for (unsigned before = 0; before < op; before++)
        if (!related(order, before, op))
            return false;
    return model->ops[op].blocks;
}

const char *check_overlap(const struct model *model, const struct kesco_graph *graph) {
    struct relation order;
    bool exists, useless[MODEL_OPS];
    model_order(model, &order);
    if (kesco_overlap_exists(graph, &exists) || kesco_overlap_find_useless_blocks(graph, useless))
        return "overlap cannot be asked for";
    if (exists != could_overlap(model))
        return exists ? "no two ops could overlap" : "two ops could overlap";
    for (unsigned op = 0; op < model->op_count; op++)
        if (useless[op] != blocks_in_vain(model, &order, op))
            return useless[op] ? "an op does not block in vain" : "an op blocks in vain";
    return NULL;
}

/* The model of the ops of one level; `ops` tells which they are. */
static void take_level(const struct model *model, const unsigned *level, unsigned wanted, struct model *alone,
                       unsigned *ops) {
    *alone = *model;
    alone->op_count = 0;
    for (unsigned op = 0; op < model->op_count; op++) {
        if (level[op] != wanted)
            continue;
        ops[alone->op_count] = op;
        alone->ops[alone->op_count++] = model->ops[op];
    }
}

/* Width. */

/* How few lanes do for the ops, those of `heads` each at the head of one, if ops follow one another on a lane
 * only in the order: Kuhn's matching of each op that is no head with one before it (Dilworth's theorem). */
struct chains {
    const struct relation *order; /* closed */
    uint64_t ops;                 /* that there are */
    uint64_t heads;               /* those of them that nothing may come before */
    uint32_t before[MODEL_OPS];   /* by op: the one that it follows; NONE: none */
    uint64_t tried;               /* ops that were asked to follow another */
};

/* Lets some op follow `op`, and what that one followed be followed by another. */
static bool find_follower(struct chains *chains, unsigned op) {
    for (unsigned to = 0; to < MODEL_OPS; to++) {
        uint64_t follower = bit(to) & chains->order->rows[op] & chains->ops & ~chains->heads & ~chains->tried;
        if (!follower)
            continue;
        chains->tried |= follower;
        if (chains->before[to] == NONE || find_follower(chains, chains->before[to])) {
            chains->before[to] = op;
            return true;
        }
    }
    return false;
}

static unsigned fewest_chains(const struct relation *order, uint64_t ops, uint64_t heads) {
    struct chains chains = {.order = order, .ops = ops, .heads = heads};
    unsigned count = size(ops);
    memset(chains.before, 0xff, sizeof(chains.before));
    for (unsigned op = 0; op < MODEL_OPS; op++) {
        chains.tried = 0;
        count -= (ops & bit(op)) && find_follower(&chains, op);
    }
    return count;
}

static uint64_t all_ops(const struct model *model) {
    return model->op_count == MODEL_OPS ? UINT64_MAX : bit(model->op_count) - 1;
}

static unsigned lanes_at_most(const struct model *model) {
    return model->max_lanes ? model->max_lanes : KESCO_PLAN_DEFAULT_LANES;
}

const char *check_width(const struct model *model, const struct kesco_plan *plan) {
    unsigned level[MODEL_OPS], levels = model_levels(model, level), lanes = 0;
    for (unsigned wanted = 0; wanted < levels; wanted++) {
        struct model alone;
        struct relation order;
        unsigned ops[MODEL_OPS];
        take_level(model, level, wanted, &alone, ops);
        model_order(&alone, &order);
        lanes += fewest_chains(&order, all_ops(&alone), 0);
    }
    if (lanes > lanes_at_most(model))
        lanes = lanes_at_most(model);
    if (lanes > 1 && !could_overlap(model))
        lanes = 1;
    if (plan->lane_count > lanes)
        return "there are more lanes than ops that could run at once";
    return plan->lane_count == lanes ? NULL : "there are fewer lanes than ops that could run at once";
}

static bool may_all_run_at_once(const struct relation *order, uint64_t ops) {
    for (unsigned op = 0; op < MODEL_OPS; op++)
        if ((ops & bit(op)) && (order->rows[op] & ops))
            return false;
    return true;
}

const char *check_widest_set(const struct model *model, const struct kesco_plan *plan) {
    struct relation order;
    unsigned widest = 0;
    model_order(model, &order);
    for (uint64_t ops = 0; ops < bit(model->op_count); ops++)
        if (size(ops) > widest && may_all_run_at_once(&order, ops))
            widest = size(ops);
    return plan->lane_count > widest ? "there are more lanes than ops in any set that could run at once"
                                     : NULL;
}

/* Lanes. */

struct lanes {
    const struct model *model;
    const struct kesco_plan *plan;
    uint64_t direct[MODEL_OPS]; /* by op: its direct predecessors */
    struct relation order;      /* closed: what comes before what, whatever the lanes */
    unsigned width;             /* ops at most that could run at once */
    struct relation ordered;    /* closed: edges, lane and host order among the ops issued so far */
    uint64_t issued;            /* those ops */
    uint64_t blocked;           /* those of them that block */
    uint32_t tail[MODEL_OPS];   /* by lane: last op */
    unsigned load[MODEL_OPS];   /* by lane: sum of costs */
    unsigned used;              /* lanes */
};

/* How many waits `op` itself would need when issued next on the lane. */
static unsigned waits_left(const struct lanes *lanes, unsigned op, unsigned lane) {
    uint64_t before = lanes->direct[op] | lanes->blocked | bit(lanes->tail[lane]);
    unsigned waits = 0;
    for (unsigned p = 0; p < lanes->plan->op_count; p++) {
        if (!(lanes->direct[op] & bit(p)) || lanes->plan->lane[p] == lane)
            continue;
        bool implied = lanes->blocked & bit(p);
        for (unsigned q = 0; q < lanes->plan->op_count; q++)
            implied |= (before & bit(q)) && q != p && related(&lanes->ordered, p, q);
        waits += !implied;
    }
    return waits;
}

static bool is_idle(const struct lanes *lanes, unsigned lane) {
    return (bit(lanes->tail[lane]) | lanes->ordered.rows[lanes->tail[lane]]) & lanes->blocked;
}

/* How many ops behind the lane's tail, by an edge, are still to come. */
static unsigned pending(const struct lanes *lanes, unsigned lane) {
    unsigned count = 0;
    for (unsigned op = 0; op < lanes->plan->op_count; op++)
        count += !(lanes->issued & bit(op)) && (lanes->direct[op] & bit(lanes->tail[lane]));
    return count;
}

/* Whether the tail of a lane is a direct predecessor of the op, or comes before one without the host's
 * waiting. */
static bool is_behind(const struct lanes *lanes, unsigned lane, unsigned op) {
    uint64_t tail = bit(lanes->tail[lane]), after = lanes->ordered.rows[lanes->tail[lane]];
    return lanes->direct[op] & (is_idle(lanes, lane) ? tail : tail | after);
}

/* Whether the lanes that the plan may have still do for what is left when the op is issued next on the lane,
 * all else being in order behind what it has to be. */
static bool leaves_room(const struct lanes *lanes, unsigned op, unsigned lane, unsigned max_lanes) {
    if (lanes->width > max_lanes)
        return true;
    uint64_t heads = bit(op), ops = all_ops(lanes->model) & ~lanes->issued;
    for (unsigned other = 0; other < lanes->used; other++)
        heads |= other == lane ? 0 : bit(lanes->tail[other]);
    return fewest_chains(&lanes->order, ops | heads, heads) <= lanes->width;
}

/* The lane behind a predecessor by the rule; NONE: there is none. */
static unsigned lane_behind(const struct lanes *lanes, unsigned op, unsigned max_lanes) {
    unsigned best = NONE, best_waits = 0, best_pending = 0;
    for (unsigned lane = 0; lane < lanes->used; lane++) {
        if (!is_behind(lanes, lane, op) || !leaves_room(lanes, op, lane, max_lanes))
            continue;
        unsigned waits = waits_left(lanes, op, lane), left = pending(lanes, lane);
        if (best == NONE || waits < best_waits || (waits == best_waits && left < best_pending)) {
            best = lane;
            best_waits = waits;
            best_pending = left;
        }
    }
    return best;
}

static unsigned lane_by_rule(const struct lanes *lanes, unsigned op, unsigned max_lanes) {
    unsigned best = lane_behind(lanes, op, max_lanes);
    for (unsigned lane = 0; lane < lanes->used && best == NONE; lane++)
        if (is_idle(lanes, lane) && leaves_room(lanes, op, lane, max_lanes))
            best = lane;
    if (best != NONE || lanes->used < max_lanes)
        return best != NONE ? best : lanes->used;
    best = 0;
    for (unsigned lane = 1; lane < lanes->used; lane++)
        if (lanes->load[lane] < lanes->load[best])
            best = lane;
    return best;
}

static void issue(struct lanes *lanes, unsigned op, unsigned lane) {
    if (lane == lanes->used)
        lanes->used++;
    else
        lanes->ordered.rows[lanes->tail[lane]] |= bit(op);
    for (unsigned p = 0; p < lanes->plan->op_count; p++)
        if ((lanes->direct[op] | lanes->blocked) & bit(p))
            lanes->ordered.rows[p] |= bit(op);
    relation_close(&lanes->ordered, lanes->plan->op_count);
    lanes->tail[lane] = op;
    lanes->load[lane] += lanes->model->ops[op].cost;
    lanes->issued |= bit(op);
    if (lanes->model->ops[op].blocks)
        lanes->blocked |= bit(op);
}

const char *check_lanes(const struct model *model, const struct kesco_graph *graph,
                        const struct kesco_plan *plan) {
    struct lanes lanes = {.model = model, .plan = plan};
    unsigned max_lanes = could_overlap(model) ? lanes_at_most(model) : 1;
    model_order(model, &lanes.order);
    lanes.width = fewest_chains(&lanes.order, all_ops(model), 0);
    for (size_t i = 0; i < graph->derived.edges.count; i++)
        lanes.direct[graph->derived.edges.items[i].to] |= bit(graph->derived.edges.items[i].from);
    for (unsigned i = 0; i < plan->op_count; i++) {
        unsigned op = plan->sequence[i];
        if (plan->lane[op] != lane_by_rule(&lanes, op, max_lanes))
            return "an op is not on the lane of the rule";
        issue(&lanes, op, plan->lane[op]);
    }
    return lanes.used == plan->lane_count ? NULL : "lane_count is not the number of lanes in use";
}

/* Zones. */

const char *check_zones(const struct model *model, const struct kesco_plan *plan) {
    unsigned zone[MODEL_OPS], zones = model_zones(model, zone);
    for (unsigned op = 0; op < model->op_count; op++)
        if (plan->zone[op] != zone[op])
            return "a zone is not a component of the conflicts, numbered by first op";
    return zones == plan->zone_count ? NULL : "zone_count is not the number of zones";
}

/* Levels. */

static const char *check_lane_levels(const struct model *model, const unsigned *level,
                                     const struct kesco_plan *plan) {
    unsigned highest[MODEL_OPS] = {0};
    for (unsigned op = 0; op < model->op_count; op++)
        if (level[op] > highest[plan->lane[op]])
            highest[plan->lane[op]] = level[op];
    for (unsigned lane = 0; lane < plan->lane_count; lane++)
        if (plan->lane_level[lane] != highest[lane])
            return "a lane's level is not the highest of its ops";
    return NULL;
}

const char *check_levels(const struct model *model, const struct kesco_plan *plan) {
    unsigned level[MODEL_OPS], levels = model_levels(model, level);
    unsigned max_lanes = lanes_at_most(model);
    if (levels != plan->level_count)
        return "level_count is not the number of levels";
    for (size_t i = 0; i < plan->sync.wait_count; i++)
        if (plan->zone[plan->sync.waits[i].op] != plan->zone[plan->sync.waits[i].on])
            return "a zone waits for another";
    for (unsigned a = 0; a < model->op_count && could_overlap(model); a++)
        for (unsigned b = 0; b < model->op_count; b++) {
            bool behind = plan->lane[a] == plan->lane[b] && plan->order[a] < plan->order[b];
            if (behind && level[a] < level[b] && (max_lanes >= levels || level[b] + max_lanes > levels))
                return "an op is behind one of a lower level";
        }
    return check_lane_levels(model, level, plan);
}

/* The lanes of the ops of a model that is distributed in the given order; returns how many there are. */
static unsigned distribute_alone(const struct model *alone, const uint32_t *sequence, uint32_t *lane) {
    struct kesco_graph *graph = model_graph(alone);
    struct kesco_distribution how = {.sequence = sequence, .level_count = 1};
    uint32_t lanes = NONE;
    how.max_lanes = lanes_at_most(alone);
    if (kesco_graph_build_edges(graph) || kesco_distribute(graph, &how, lane, &lanes))
        lanes = NONE;
    kesco_graph_destroy(graph);
    return lanes;
}

static void sort_by_order(const struct kesco_plan *plan, const unsigned *ops, unsigned count,
                          uint32_t *sequence) {
    unsigned next = 0;
    for (unsigned place = 0; place < plan->op_count; place++)
        for (unsigned i = 0; i < count; i++)
            if (plan->sequence[place] == ops[i])
                sequence[next++] = i;
}

static bool same_lanes(const struct kesco_plan *plan, const unsigned *ops, unsigned count,
                       const uint32_t *lane) {
    for (unsigned i = 0; i < count; i++)
        for (unsigned j = 0; j < i; j++)
            if ((plan->lane[ops[i]] == plan->lane[ops[j]]) != (lane[i] == lane[j]))
                return false;
    return true;
}

const char *check_levels_alone(const struct model *model, const struct kesco_plan *plan) {
    unsigned level[MODEL_OPS], levels = model_levels(model, level), sum = 0;
    unsigned max_lanes = lanes_at_most(model);
    bool same = true;
    for (unsigned wanted = 0; wanted < levels; wanted++) {
        struct model alone;
        unsigned ops[MODEL_OPS];
        uint32_t sequence[MODEL_OPS], lane[MODEL_OPS];
        take_level(model, level, wanted, &alone, ops);
        sort_by_order(plan, ops, alone.op_count, sequence);
        sum += distribute_alone(&alone, sequence, lane);
        same &= same_lanes(plan, ops, alone.op_count, lane);
    }
    if (!could_overlap(model))
        return plan->lane_count <= 1 ? NULL : "there are lanes though no two ops could overlap";
    if (plan->lane_count != (sum < max_lanes ? sum : max_lanes))
        return "the levels do not take as many lanes as they take alone, or all";
    if (sum > max_lanes)
        return NULL;
    for (unsigned a = 0; a < model->op_count; a++)
        for (unsigned b = 0; b < a; b++)
            if (plan->lane[a] == plan->lane[b] && level[a] != level[b])
                return "levels share a lane though there are enough";
    return same ? NULL : "a level's lanes are not those that it has alone";
}
