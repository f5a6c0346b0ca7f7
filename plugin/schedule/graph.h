/*
 * The data-flow graph (DFG) of one region: ops in program order, the objects that they touch, and an edge for
 * every pair of ops whose order matters (paper, "KeSCo Overview": DFG constructor).
 *
 * Use: create, add objects, ops and accesses, build the edges, read. Ids are indices, counted from 0 in the
 * order of the calls. Functions return 0 or a negative errno and leave the graph as it was on an error.
 */
#ifndef KESCO_SCHEDULE_GRAPH_H
#define KESCO_SCHEDULE_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KESCO_OBJECT_ANY UINT32_MAX      /* in place of an object: every object, seen or not */
#define KESCO_GRAPH_MAX_EDGES (1u << 24) /* more edges than this are refused with -EOVERFLOW */

enum kesco_access {
    KESCO_READ,
    KESCO_WRITE, /* writing, or reading and writing */
};

enum kesco_edge_kind {
    KESCO_RAW, /* read after write */
    KESCO_WAR, /* write after read */
    KESCO_WAW, /* write after write */
};

/* What of a device an op keeps busy (CUDA Programming Guide, "Concurrent Data Transfers"). */
enum kesco_engine {
    KESCO_ENGINE_COMPUTE, /* its multiprocessors, which many ops share: kernels, memsets, copies within it */
    KESCO_ENGINE_TO_DEVICE, /* its engine for copies from the host, which run one after another */
    KESCO_ENGINE_TO_HOST,   /* its engine for copies to the host, likewise */
    KESCO_ENGINE_NONE,      /* nothing: stream-ordered allocation and free */
};

enum kesco_op_kind {
    KESCO_OP_KERNEL,
    KESCO_OP_COPY,
    KESCO_OP_MEMSET,
    KESCO_OP_PREFETCH,
    KESCO_OP_ALLOCATE, /* stream-ordered */
    KESCO_OP_FREE,     /* stream-ordered */
};

struct kesco_op {
    enum kesco_op_kind kind;
    const char *name; /* kernel's name, for people; never NULL */
    double cost;      /* expected duration in microseconds, finite and not negative; 1 where unknown */
    int priority;     /* task priority, higher runs first; 1 where nothing is said */
    uint32_t segment; /* move window: an op is never issued before an op of an earlier segment */
    bool blocks;      /* the host waits for it: what is issued later comes after it; alone in its segment */
    enum kesco_engine engine; /* what it keeps busy */
    double fill;              /* share of the multiprocessors that it fills, above 0 to 1; 0 where unknown */
    bool cost_known;          /* cost is measured or told, not assumed */
};

struct kesco_op_access {
    uint32_t op;              /* who */
    uint32_t object;          /* touches what: an object id or KESCO_OBJECT_ANY */
    enum kesco_access access; /* how */
    bool also_reads;          /* once built: it writes, and is said to read as well */
};

struct kesco_edge {
    uint32_t from;             /* op id, earlier in program order */
    uint32_t to;               /* op id, later in program order */
    enum kesco_edge_kind kind; /* what would go wrong without the edge */
    uint32_t object;           /* shared object; KESCO_OBJECT_ANY where one of the two touches any */
};

struct kesco_flow;

struct kesco_edges {
    struct kesco_edge *items; /* by (to, from, object); parallel edges differ in the object */
    size_t count;
};

/* For each op, other ops, each once, ascending. */
struct kesco_op_slices {
    size_t *start; /* op's are [start[op], start[op + 1]) */
    uint32_t *ops;
};

/* How many entries there is room for. */
struct kesco_graph_room {
    size_t ops, objects, accesses;
};

/* What is built. */
struct kesco_graph_derived {
    size_t *access_start;                /* op's accesses are [access_start[op], access_start[op + 1]) */
    struct kesco_edges edges;            /* from an earlier op to a later one */
    struct kesco_edges carried;          /* that loops carry: from is no earlier than to */
    struct kesco_op_slices predecessors; /* direct ones */
    struct kesco_op_slices successors;
};

struct kesco_graph {
    struct kesco_op *ops;             /* in program order; the names are the graph's own copies */
    uint32_t op_count;                /* entries in ops */
    uint32_t object_count;            /* entries in objects */
    char **objects;                   /* names of the objects, the graph's own copies */
    struct kesco_op_access *accesses; /* once built: by op, at most one for an op and object */
    size_t access_count;              /* entries in accesses */
    struct kesco_graph_room room;
    struct kesco_flow *flow; /* NULL: a straight line, one op after the other */
    bool built;              /* `derived` and the order of accesses are valid */
    struct kesco_graph_derived derived;
};

/* Returns an empty graph that the caller owns, or NULL without memory. */
struct kesco_graph *kesco_graph_create(void);

/* Frees the graph and all that it owns. Accepts NULL. */
void kesco_graph_destroy(struct kesco_graph *graph);

/*
 * Adds an object and stores its id. Each call adds a new object: equal names do not make equal objects.
 * -EINVAL without a name, -ENOMEM, -EOVERFLOW.
 */
int kesco_graph_add_object(struct kesco_graph *graph, const char *name, uint32_t *id);

/*
 * Adds an op after all earlier ones and stores its id. The name is copied. -EINVAL without a name, for a
 * cost that is negative or not finite, for a fill that is not from 0 to 1, and for a segment before the last
 * op's; -ENOMEM, -EOVERFLOW.
 */
int kesco_graph_add_op(struct kesco_graph *graph, const struct kesco_op *op, uint32_t *id);

/*
 * Says that `op` touches `object`. Repeating is harmless; reading and writing one object counts as writing.
 * Writing KESCO_OBJECT_ANY conflicts with every op that touches anything, reading it with every op that
 * writes. An op that touches nothing conflicts with nothing. -EINVAL for unknown ids, -ENOMEM.
 */
int kesco_graph_add_access(struct kesco_graph *graph, uint32_t op, uint32_t object, enum kesco_access access);

/*
 * Says how control comes to the ops where that is no straight line. The graph takes over `flow`, which is
 * closed and has a place for each op. -EINVAL, and the flow stays the caller's, for another number of places.
 */
int kesco_graph_set_flow(struct kesco_graph *graph, struct kesco_flow *flow);

/*
 * Derives the edges from the accesses (see dependence.h and flow_dependence.h). May be called again after
 * further additions, which invalidate what an earlier call built. -ENOMEM, -EOVERFLOW beyond
 * KESCO_GRAPH_MAX_EDGES.
 */
int kesco_graph_build_edges(struct kesco_graph *graph);

/* What reports call an op, and a dependence, of the kind: constants. */
const char *kesco_op_kind_name(enum kesco_op_kind kind);
const char *kesco_edge_kind_name(enum kesco_edge_kind kind);

/* The object's name, "*" for KESCO_OBJECT_ANY; valid as long as the graph. `object` must be a known id. */
const char *kesco_graph_object_name(const struct kesco_graph *graph, uint32_t object);

/* The accesses of `op` in a built graph, at most one per object; stores their number in `count`. */
const struct kesco_op_access *kesco_graph_accesses(const struct kesco_graph *graph, uint32_t op,
                                                   size_t *count);

/* The distinct direct predecessors of `op` in a built graph, ascending; stores their number in `count`. */
const uint32_t *kesco_graph_predecessors(const struct kesco_graph *graph, uint32_t op, size_t *count);

/* The distinct direct successors of `op` in a built graph, ascending; stores their number in `count`. */
const uint32_t *kesco_graph_successors(const struct kesco_graph *graph, uint32_t op, size_t *count);

#ifdef __cplusplus
}
#endif

#endif
