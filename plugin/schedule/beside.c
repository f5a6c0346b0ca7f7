#include "plugin/schedule/beside.h"

#include "plugin/schedule/bits.h"

#include <errno.h>
#include <stdlib.h>

/* By op, those that come before it and it itself, as the sequence goes. */
static void find_past(const struct kesco_plan *plan, uint64_t *past, size_t words) {
    uint32_t last[KESCO_PLAN_MAX_LANES];
    for (uint32_t lane = 0; lane < plan->lane_count; lane++)
        last[lane] = UINT32_MAX;
    size_t wait = 0;
    for (uint32_t place = 0; place < plan->op_count; place++) {
        const uint32_t op = plan->sequence[place], lane = plan->lane[op];
        kesco_bits_add(past + op * words, op);
        if (last[lane] != UINT32_MAX)
            kesco_bits_unite(past + op * words, past + last[lane] * words, words);
        for (; wait < plan->sync.wait_count && plan->sync.waits[wait].op == op; wait++)
            if (plan->order[plan->sync.waits[wait].on] < place)
                kesco_bits_unite(past + op * words, past + plan->sync.waits[wait].on * words, words);
        last[lane] = op;
    }
}

static void add(uint32_t *sum, uint32_t work) {
    *sum = work > UINT32_MAX - *sum ? UINT32_MAX : *sum + work;
}

int kesco_beside_find(const struct kesco_plan *plan, const uint32_t *work, uint32_t *beside) {
    const uint32_t count = plan->op_count;
    const size_t words = kesco_bits_words(count);
    for (uint32_t op = 0; op < count; op++)
        beside[op] = count > KESCO_BESIDE_MOST ? UINT32_MAX : 0;
    if (count > KESCO_BESIDE_MOST)
        return 0;
    uint64_t *past = calloc(count * words + 1, sizeof *past);
    if (!past)
        return -ENOMEM;
    find_past(plan, past, words);
    for (uint32_t a = 0; a < count; a++)
        for (uint32_t b = 0; b < a; b++)
            if (!kesco_bits_has(past + a * words, b) && !kesco_bits_has(past + b * words, a)) {
                add(&beside[a], work[b]);
                add(&beside[b], work[a]);
            }
    free(past);
    return 0;
}
