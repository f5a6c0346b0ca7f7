#include "test/vgpu/order.h"

#include "test/vgpu/host_thread.h"
#include "test/vgpu/settings.h"
#include "test/vgpu/stats.h"
#include "test/vgpu/storage.h"
#include "test/vgpu/sync.h"
#include "test/vgpu/timeline.h"

#include <stdlib.h>

/* What issue and wait share. Guarded by the engine's lock. */
static struct {
    struct op *first_ready, *last_ready; /* ops that may run, in the order in which they became so */
    struct op *newest;                   /* of the ops issued and not done */
    size_t pending;                      /* number of those */
    uint64_t issued;                     /* ops issued so far */
    uint64_t search;                     /* the last mark given out */
    uint64_t random;                     /* generator state */
    bool random_started;                 /* `random` is seeded */
} order;

static _Atomic size_t host_functions; /* of the ops issued and not done */

/* SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014). */
static uint64_t random_below(uint64_t limit) {
    if (!order.random_started) {
        order.random = settings.seed;
        order.random_started = true;
    }
    uint64_t z = order.random += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (z ^ (z >> 31)) % limit;
}

void order_ready(struct op *op) {
    op->order.previous = order.last_ready;
    op->order.next = NULL;
    if (order.last_ready)
        order.last_ready->order.next = op;
    else
        order.first_ready = op;
    order.last_ready = op;
}

static void remove_ready(struct op *op) {
    if (op->order.previous)
        op->order.previous->order.next = op->order.next;
    else
        order.first_ready = op->order.next;
    if (op->order.next)
        op->order.next->order.previous = op->order.previous;
    else
        order.last_ready = op->order.previous;
}

/* Marks and pushes the list's undone ops that are not yet marked. Returns the stack's new depth. */
static size_t push_undone(const struct op_list *list, uint64_t mark, struct op **stack, size_t depth) {
    for (size_t i = 0; i < list->count; i++) {
        struct op *op = list->ops[i];
        if (op->state == OP_DONE || op->order.mark == mark)
            continue;
        op->order.mark = mark;
        stack[depth++] = op;
    }
    return depth;
}

/* Marks the undone ops that the targets need, themselves among them. Returns the mark. */
static uint64_t mark_needed(const struct op_list *targets) {
    const uint64_t mark = ++order.search;
    struct op **stack = allocate(order.pending + 1, sizeof(*stack));
    size_t depth = push_undone(targets, mark, stack, 0);
    while (depth) {
        depth--;
        depth = push_undone(&stack[depth]->order.earlier, mark, stack, depth);
    }
    free(stack);
    return mark;
}

/* The oldest or newest ready op; with a mark, of those that bear it. NULL: none. */
static struct op *extreme_ready(uint64_t mark, bool newest) {
    struct op *best = NULL;
    for (struct op *op = order.first_ready; op; op = op->order.next) {
        if (mark && op->order.mark != mark)
            continue;
        if (!best || (newest ? op->order.number > best->order.number : op->order.number < best->order.number))
            best = op;
    }
    return best;
}

/* The ready op that the newest undone op needs, or is; NULL: what it needs runs in another thread. */
static struct op *needed_by_newest(void) {
    struct op *op = order.newest;
    while (op && op->order.blockers) {
        struct op *newest = NULL;
        for (size_t i = 0; i < op->order.earlier.count; i++) {
            struct op *earlier = op->order.earlier.ops[i];
            if (earlier->state != OP_DONE && (!newest || earlier->order.number > newest->order.number))
                newest = earlier;
        }
        op = newest;
    }
    return op && op->state == OP_WAITING ? op : extreme_ready(0, true);
}

static struct op *random_ready(uint64_t mark) {
    size_t count = 0;
    for (struct op *op = order.first_ready; op; op = op->order.next)
        count += !mark || op->order.mark == mark;
    if (!count)
        return NULL;
    size_t skip = random_below(count);
    for (struct op *op = order.first_ready;; op = op->order.next) {
        if ((!mark || op->order.mark == mark) && skip-- == 0)
            return op;
    }
}

/* The op to run next for a wait whose needed ops bear `mark`. NULL: none of them is ready. */
static struct op *choose(uint64_t mark) {
    struct op *needed = extreme_ready(mark, settings.seed != 0);
    if (!needed || settings.seed <= 1)
        return needed;
    if (settings.seed == 2)
        return needed_by_newest();
    return random_ready(random_below(2) ? 0 : mark);
}

static bool is_host_function(const struct op *op) {
    return op->kind == OP_HOST_FUNCTION || op->kind == OP_CALLBACK;
}

static void add_pending(struct op *op) {
    host_functions += is_host_function(op);
    if (is_host_function(op))
        sync_issued();
    op->order.older = order.newest;
    if (order.newest)
        order.newest->order.newer = op;
    order.newest = op;
    order.pending++;
}

static void remove_pending(struct op *op) {
    host_functions -= is_host_function(op);
    if (op->order.older)
        op->order.older->order.newer = op->order.newer;
    if (op->order.newer)
        op->order.newer->order.older = op->order.older;
    else
        order.newest = op->order.older;
    order.pending--;
}

static void forget(struct op *op) {
    remove_pending(op);
    op_release(op);
}

static void forget_host_function(struct op *op) {
    pthread_cond_broadcast(&engine.changed);
    forget(op);
}

static void run(struct op *op) {
    remove_ready(op);
    if (is_host_function(op) && !engine.exiting) {
        host_thread_run(op, forget_host_function);
        return;
    }
    op_run(op);
    forget(op);
}

void order_advance(void) {
    if (settings.seed == 0) {
        while (order.first_ready)
            run(extreme_ready(0, false));
    } else if (settings.seed >= 3 && random_below(4) == 0) {
        for (uint64_t count = random_below(4); count && order.first_ready; count--)
            run(random_ready(0));
    }
    while (order.pending > ORDER_PENDING_LIMIT && order.first_ready)
        run(settings.seed == 2 ? needed_by_newest() : extreme_ready(0, false));
}

void order_add(struct op *op) {
    stats_count_op(op);
    op->order.number = ++order.issued;
    timeline_issue(op);
    add_pending(op_retain(op));
    if (!op->order.blockers)
        order_ready(op);
}

static bool all_done(const struct op_list *targets) {
    for (size_t i = 0; i < targets->count; i++) {
        if (targets->ops[i]->state != OP_DONE)
            return false;
    }
    return true;
}

/* The host has waited. */
static void tell_host(const struct op_list *targets) {
    for (size_t i = 0; i < targets->count; i++)
        engine_host_knows(&targets->ops[i]->past.clock);
    timeline_wait(targets);
}

/*
 * Runs one op that the targets need, or another that the order puts before it. Marks may have gone stale
 * while a host function had the lock given away, so a fruitless look is repeated with fresh ones. Where what
 * is needed runs in another thread, waits for it.
 */
static void step(const struct op_list *targets, uint64_t *mark) {
    struct op *op = choose(*mark);
    if (!op) {
        *mark = mark_needed(targets);
        op = choose(*mark);
    }
    if (op)
        run(op);
    else
        pthread_cond_wait(&engine.changed, &engine.lock);
}

void order_reach(const struct op_list *targets) {
    uint64_t mark = mark_needed(targets);
    while (!all_done(targets))
        step(targets, &mark);
}

void order_wait(const struct op_list *targets) {
    order_reach(targets);
    tell_host(targets);
    if (settings.seed == 0)
        order_advance();
}

size_t order_host_functions(void) {
    return host_functions;
}

void order_run_host_functions(void) {
    struct op_list targets = {0};
    for (struct op *op = order.newest; op; op = op->order.older)
        if (is_host_function(op))
            op_list_add(&targets, op);
    order_reach(&targets);
    op_list_free(&targets);
}

/* Whether a query has asked for all of them; from now on, one has. */
static bool is_polled(const struct op_list *targets) {
    bool polled = true;
    for (size_t i = 0; i < targets->count; i++) {
        polled &= targets->ops[i]->order.polled;
        targets->ops[i]->order.polled = true;
    }
    return polled;
}

bool order_poll(const struct op_list *targets) {
    const bool polled = is_polled(targets);
    if (all_done(targets)) {
        if (!polled && !timeline_has_come(targets))
            return false;
        tell_host(targets);
        return true;
    }
    struct op *op = choose(mark_needed(targets));
    if (op)
        run(op);
    return false;
}

struct op_list order_pending_on(int device) {
    struct op_list list = {0};
    for (struct op *op = order.newest; op; op = op->order.older) {
        if (op->queue.device == device)
            op_list_add(&list, op);
    }
    return list;
}

void order_drain(void) {
    while (order.pending) {
        struct op *op = choose(0);
        if (op)
            run(op);
        else
            pthread_cond_wait(&engine.changed, &engine.lock);
    }
}

size_t order_pending(void) {
    return order.pending;
}
