#include "runtime/region/cost.h"

#include <stdatomic.h>

/*
 * What it is taken for, at first as published figures have it (governor.c, forecast.c), and never for less or
 * more than; and the part of it that one that was measured replaces: what comes often may be off now and
 * then, and what is rare has to be learned at once.
 */
static struct {
    _Atomic uint64_t now;
    const uint64_t least, most, part;
} costs[] = {
    [KESCO_COST_LAUNCH] = {.now = 3000, .least = 100, .most = 50000, .part = 8},
    [KESCO_COST_MARK] = {.now = 800, .least = 100, .most = 50000, .part = 8},
    [KESCO_COST_STREAM] = {.now = 25000, .least = 1000, .most = 500000, .part = 2},
    [KESCO_COST_EVENT] = {.now = 500, .least = 100, .most = 50000, .part = 2},
    [KESCO_COST_GRAPH] = {.now = 5000, .least = 500, .most = 100000, .part = 8},
    [KESCO_COST_GRAPH_NODE] = {.now = 6000, .least = 500, .most = 100000, .part = 2},
    [KESCO_COST_GRAPH_BRANCH] = {.now = 75000, .least = 500, .most = 500000, .part = 2},
};

/* What takes more than so many times what is known is taken for that: the machine has other work. */
enum { OUTLIER = 4 };

uint64_t kesco_cost_learn(enum kesco_cost cost, uint64_t known, uint64_t took) {
    const uint64_t least = costs[cost].least, most = costs[cost].most, part = costs[cost].part;

    if (took > known * OUTLIER)
        took = known * OUTLIER;
    took = took < least ? least : took > most ? most : took;
    return ((part - 1) * known + took) / part;
}

uint64_t kesco_cost(enum kesco_cost cost) {
    return atomic_load_explicit(&costs[cost].now, memory_order_relaxed);
}

void kesco_cost_note(enum kesco_cost cost, uint64_t took) {
    atomic_store_explicit(&costs[cost].now, kesco_cost_learn(cost, kesco_cost(cost), took),
                          memory_order_relaxed);
}

void kesco_cost_note_some(enum kesco_cost cost, uint32_t calls, uint64_t took, uint64_t fixed) {
    if (calls > 0)
        kesco_cost_note(cost, took > fixed ? (took - fixed) / calls : 0);
}
