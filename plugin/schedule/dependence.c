#include "plugin/schedule/dependence.h"

#include <errno.h>
#include <stdlib.h>

#define NONE UINT32_MAX

/* What the ops so far did to one named object. */
struct object_state {
    uint32_t writer; /* last op that wrote it, fences included; NONE before the first */
    size_t readers;  /* its readers since then: index + 1 of the latest read access; 0 for none */
    uint32_t fence;  /* fence that the two fields above are as new as */
};

/* What one op does, in sum. */
struct touch {
    bool nothing;    /* touches no object */
    bool reads_any;  /* reads any object, does not write any */
    bool writes_any; /* is a fence */
    bool writes;     /* writes a named object or any */
};

/* What is known of each op. */
struct ops {
    struct touch *touches;
    bool *has_successor;         /* has an edge to a later op */
    bool *has_writing_successor; /* has an edge to a later op that writes */
};

/* Ops that do the same to objects, one kind after the other. */
struct phases {
    uint32_t *writers;         /* ops that write, of the latest phase of writing */
    uint32_t writer_count;     /* entries in writers */
    uint32_t *any_readers;     /* ops that read any object, of the latest phase of reading any */
    uint32_t any_reader_count; /* entries in any_readers */
    bool reading_any;          /* the latest phase is one of reading any */
};

struct builder {
    const struct kesco_graph *graph;
    struct kesco_edge *edges;     /* found so far */
    size_t edge_count;            /* entries in edges */
    size_t edge_capacity;         /* room in edges */
    struct object_state *objects; /* by object id */
    size_t *next_reader;          /* by access index: the reader before, as object_state.readers */
    uint32_t fence;               /* last op that wrote any object, or NONE */
    struct ops ops;
    struct phases latest;
};

static int add_edge(struct builder *b, uint32_t from, uint32_t to, enum kesco_edge_kind kind,
                    uint32_t object) {
    if (b->edge_count == b->edge_capacity) {
        if (b->edge_capacity >= KESCO_GRAPH_MAX_EDGES)
            return -EOVERFLOW;
        size_t capacity = b->edge_capacity ? b->edge_capacity * 2 : 64;
        struct kesco_edge *edges = reallocarray(b->edges, capacity, sizeof(*edges));
        if (!edges)
            return -ENOMEM;
        b->edges = edges;
        b->edge_capacity = capacity;
    }
    b->edges[b->edge_count++] = (struct kesco_edge){.from = from, .to = to, .kind = kind, .object = object};
    b->ops.has_successor[from] = true;
    if (b->ops.touches[to].writes)
        b->ops.has_writing_successor[from] = true;
    return 0;
}

static struct touch sum_up(const struct kesco_op_access *accesses, size_t count) {
    struct touch touch = {.nothing = count == 0};
    for (size_t i = 0; i < count; i++) {
        bool any = accesses[i].object == KESCO_OBJECT_ANY;
        bool write = accesses[i].access == KESCO_WRITE;
        touch.writes |= write;
        touch.writes_any |= any && write;
        touch.reads_any |= any && !write;
    }
    return touch;
}

/* The object's state, brought up to date with the last fence. */
static struct object_state *state_of(struct builder *b, uint32_t object) {
    struct object_state *state = &b->objects[object];
    if (state->fence != b->fence)
        *state = (struct object_state){.writer = b->fence, .fence = b->fence};
    return state;
}

/* The name that an edge from `writer` on `object` goes by. */
static uint32_t edge_object(const struct builder *b, uint32_t writer, uint32_t object) {
    return writer == b->fence ? KESCO_OBJECT_ANY : object;
}

/* A fence comes after all ops that touch something; those with a successor are covered by it. */
static int add_fence(struct builder *b, uint32_t op) {
    uint32_t first = b->fence == NONE ? 0 : b->fence;
    for (uint32_t from = first; from < op; from++) {
        if (b->ops.touches[from].nothing || b->ops.has_successor[from])
            continue;
        enum kesco_edge_kind kind = b->ops.touches[from].writes ? KESCO_WAW : KESCO_WAR;
        int err = add_edge(b, from, op, kind, KESCO_OBJECT_ANY);
        if (err)
            return err;
    }
    b->fence = op;
    b->latest.writers[0] = op;
    b->latest.writer_count = 1;
    b->latest.any_reader_count = 0;
    b->latest.reading_any = false;
    return 0;
}

static int add_named_read(struct builder *b, const struct kesco_op_access *access) {
    struct object_state *state = state_of(b, access->object);
    size_t index = (size_t)(access - b->graph->accesses);
    b->next_reader[index] = state->readers;
    state->readers = index + 1;
    if (state->writer == NONE)
        return 0;
    return add_edge(b, state->writer, access->op, KESCO_RAW, edge_object(b, state->writer, access->object));
}

/* Whether an op that reads any object came after `writer`. */
static bool any_reader_after(const struct builder *b, uint32_t writer) {
    if (b->latest.any_reader_count == 0)
        return false;
    return writer == NONE || b->latest.any_readers[b->latest.any_reader_count - 1] > writer;
}

static int add_named_write(struct builder *b, const struct kesco_op_access *access) {
    struct object_state *state = state_of(b, access->object);
    int err = 0;
    for (size_t i = state->readers; i && !err; i = b->next_reader[i - 1])
        err = add_edge(b, b->graph->accesses[i - 1].op, access->op, KESCO_WAR, access->object);
    if (!err && !state->readers && state->writer != NONE && !any_reader_after(b, state->writer))
        err =
            add_edge(b, state->writer, access->op, KESCO_WAW, edge_object(b, state->writer, access->object));
    state->writer = access->op;
    state->readers = 0;
    return err;
}

/* A reader of any object comes after all writers; those with a writing successor are covered by it. */
static int add_reads_of_any(struct builder *b, uint32_t op) {
    for (uint32_t i = 0; i < b->latest.writer_count; i++) {
        if (b->ops.has_writing_successor[b->latest.writers[i]])
            continue;
        int err = add_edge(b, b->latest.writers[i], op, KESCO_RAW, KESCO_OBJECT_ANY);
        if (err)
            return err;
    }
    return 0;
}

/* Whether one of the edges into `op`, from index `first` on, covers the latest readers of any object. */
static bool any_readers_covered(const struct builder *b, size_t first) {
    for (size_t i = first; i < b->edge_count; i++) {
        uint32_t from = b->edges[i].from;
        if (b->ops.touches[from].writes && !any_reader_after(b, from))
            return true;
    }
    return false;
}

static int add_writes_against_any(struct builder *b, uint32_t op, size_t first) {
    if (any_readers_covered(b, first))
        return 0;
    for (uint32_t i = 0; i < b->latest.any_reader_count; i++) {
        int err = add_edge(b, b->latest.any_readers[i], op, KESCO_WAR, KESCO_OBJECT_ANY);
        if (err)
            return err;
    }
    return 0;
}

/* Enters the op into the phases: reading any object and writing take turns. */
static void enter_phase(struct builder *b, uint32_t op) {
    const struct touch *touch = &b->ops.touches[op];
    if (touch->writes) {
        if (b->latest.reading_any || touch->reads_any)
            b->latest.writer_count = 0;
        b->latest.writers[b->latest.writer_count++] = op;
        b->latest.reading_any = false;
    }
    if (touch->reads_any) {
        if (!b->latest.reading_any)
            b->latest.any_reader_count = 0;
        b->latest.any_readers[b->latest.any_reader_count++] = op;
        b->latest.reading_any = true;
    }
}

static int compare_edges(const void *left, const void *right) {
    const struct kesco_edge *a = left, *b = right;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->object != b->object)
        return a->object < b->object ? -1 : 1;
    return (a->kind > b->kind) - (a->kind < b->kind);
}

/* Sorts the edges from index `first` on, which lead to one op, and leaves one per predecessor and object. */
static void sort_edges(struct builder *b, size_t first) {
    struct kesco_edge *edges = b->edges;
    size_t kept = first;
    if (b->edge_count - first < 2)
        return;
    qsort(edges + first, b->edge_count - first, sizeof(*edges), compare_edges);
    for (size_t i = first; i < b->edge_count; i++)
        if (i == first || edges[i].from != edges[kept - 1].from || edges[i].object != edges[kept - 1].object)
            edges[kept++] = edges[i];
    b->edge_count = kept;
}

static int add_op(struct builder *b, uint32_t op, const struct kesco_op_access *accesses, size_t count) {
    size_t first = b->edge_count;
    int err = 0;
    b->ops.touches[op] = sum_up(accesses, count);
    const struct touch *touch = &b->ops.touches[op];
    if (touch->writes_any) {
        err = add_fence(b, op);
    } else {
        if (touch->reads_any)
            err = add_reads_of_any(b, op);
        for (size_t i = 0; i < count && !err; i++) {
            if (accesses[i].access == KESCO_WRITE)
                err = add_named_write(b, &accesses[i]);
            else if (!touch->reads_any)
                err = add_named_read(b, &accesses[i]);
        }
        if (touch->writes && !err)
            err = add_writes_against_any(b, op, first);
        enter_phase(b, op);
    }
    sort_edges(b, first);
    return err;
}

static int allocate(struct builder *b) {
    const struct kesco_graph *graph = b->graph;
    size_t ops = (size_t)graph->op_count + 1;
    b->objects = calloc((size_t)graph->object_count + 1, sizeof(*b->objects));
    b->next_reader = calloc(graph->access_count + 1, sizeof(*b->next_reader));
    b->ops.touches = calloc(ops, sizeof(*b->ops.touches));
    b->ops.has_successor = calloc(ops, sizeof(*b->ops.has_successor));
    b->ops.has_writing_successor = calloc(ops, sizeof(*b->ops.has_writing_successor));
    b->latest.writers = calloc(ops, sizeof(*b->latest.writers));
    b->latest.any_readers = calloc(ops, sizeof(*b->latest.any_readers));
    if (!b->objects || !b->next_reader || !b->ops.touches || !b->ops.has_successor ||
        !b->ops.has_writing_successor || !b->latest.writers || !b->latest.any_readers)
        return -ENOMEM;
    for (uint32_t i = 0; i < graph->object_count; i++)
        b->objects[i] = (struct object_state){.writer = NONE, .fence = NONE};
    return 0;
}

static void release(struct builder *b) {
    free(b->objects);
    free(b->next_reader);
    free(b->ops.touches);
    free(b->ops.has_successor);
    free(b->ops.has_writing_successor);
    free(b->latest.writers);
    free(b->latest.any_readers);
}

int kesco_dependence_edges(const struct kesco_graph *graph, struct kesco_edge **edges, size_t *count) {
    struct builder b = {.graph = graph, .fence = NONE};
    int err = allocate(&b);
    size_t access = 0;
    for (uint32_t op = 0; op < graph->op_count && !err; op++) {
        size_t first = access;
        while (access < graph->access_count && graph->accesses[access].op == op)
            access++;
        err = add_op(&b, op, graph->accesses + first, access - first);
    }
    release(&b);
    if (err) {
        free(b.edges);
        return err;
    }
    *edges = b.edges;
    *count = b.edge_count;
    return 0;
}
