#include "runtime/region/cost.h"

#include <stdatomic.h>

/*
 * What it is taken for at first, as published figures have it (governor.c, forecast.c), and never for less or
 * more than; and the part of it that one that was measured replaces: what comes often may be off now and
 * then, and what is rare has to be learned at once.
 */
static const struct {
    uint64_t first, least, most, part;
} bounds[KESCO_COSTS] = {
    [KESCO_COST_LAUNCH] = {.first = 2000, .least = 100, .most = 50000, .part = 8},
    [KESCO_COST_MARK] = {.first = 800, .least = 100, .most = 50000, .part = 8},
    [KESCO_COST_MAKE] = {.first = 1000, .least = 100, .most = 50000, .part = 2},
    [KESCO_COST_GRAPH] = {.first = 5000, .least = 500, .most = 100000, .part = 8},
    [KESCO_COST_GRAPH_NODE] = {.first = 6000, .least = 500, .most = 100000, .part = 2},
};

/* 0: not measured. */
static _Atomic uint64_t costs[KESCO_COSTS];

/* What takes more than so many times what is known is taken for that: the machine has other work. */
enum { OUTLIER = 4 };

static uint64_t lesser(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static uint64_t greater(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

uint64_t kesco_cost_expected(enum kesco_cost cost) {
    return bounds[cost].first;
}

uint64_t kesco_cost_learn(enum kesco_cost cost, uint64_t known, uint64_t took) {
    const uint64_t part = bounds[cost].part;

    if (known == 0)
        known = kesco_cost_expected(cost);
    took = greater(lesser(lesser(took, known * OUTLIER), bounds[cost].most), bounds[cost].least);
    return ((part - 1) * known + took) / part;
}

uint64_t kesco_cost(enum kesco_cost cost) {
    const uint64_t known = atomic_load_explicit(&costs[cost], memory_order_relaxed);

    return known != 0 ? known : kesco_cost_expected(cost);
}

void kesco_cost_note(enum kesco_cost cost, uint64_t took) {
    atomic_store_explicit(&costs[cost], kesco_cost_learn(cost, kesco_cost(cost), took), memory_order_relaxed);
}

void kesco_cost_note_some(enum kesco_cost cost, uint32_t calls, uint64_t took, uint64_t fixed) {
    if (calls > 0)
        kesco_cost_note(cost, took > fixed ? (took - fixed) / calls : 0);
}
