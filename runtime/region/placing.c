#include "runtime/region/placing.h"

#include <stddef.h>
#include <string.h>

void kesco_placing_clear(struct kesco_placing *placing, uint32_t lanes) {
    memset(placing, 0, offsetof(struct kesco_placing, accesses));
    placing->lanes = lanes < KESCO_PLACED_FIRST ? lanes : (uint32_t)KESCO_PLACED_FIRST;
    placing->most = lanes;
}

void kesco_placing_add(struct kesco_placing *placing, uintptr_t begin, uintptr_t end, bool writes) {
    struct kesco_access *access = &placing->accesses[placing->access_count];

    if (begin >= end)
        return;
    if (placing->access_count == KESCO_PLACED_ACCESSES) {
        placing->accesses[0] = (struct kesco_access){0, UINTPTR_MAX, true};
        placing->access_count = 1;
        return;
    }
    *access = (struct kesco_access){begin, end, writes};
    placing->access_count++;
}

static bool meet(const struct kesco_access *a, const struct kesco_access *b) {
    return (a->writes || b->writes) && a->begin < b->end && b->begin < a->end;
}

static bool covers(const struct kesco_access *a, const struct kesco_access *b) {
    return a->begin <= b->begin && b->end <= a->end;
}

static bool meets_any(const struct kesco_placing *placing, const struct kesco_access *access) {
    uint32_t i;

    for (i = 0; i < placing->access_count; i++)
        if (meet(&placing->accesses[i], access))
            return true;
    return false;
}

/* From the first to the last byte that the op accesses. */
static struct kesco_access find_hull(const struct kesco_placing *placing) {
    struct kesco_access hull = {UINTPTR_MAX, 0, true};
    uint32_t i;

    for (i = 0; i < placing->access_count; i++) {
        if (hull.begin > placing->accesses[i].begin)
            hull.begin = placing->accesses[i].begin;
        if (hull.end < placing->accesses[i].end)
            hull.end = placing->accesses[i].end;
    }
    return hull;
}

/* What the op being placed comes behind. */
struct needs {
    uint32_t ops[KESCO_PLACED_LANES]; /* by lane, the last such op, or 0 */
    uint32_t lanes;                   /* those that have one, as bits */
    uint32_t near; /* ranges that the op's accesses lie around, among them all that they meet */
};

static void find_needs(const struct kesco_placing *placing, struct needs *needs) {
    const struct kesco_access hull = find_hull(placing);
    uint32_t i;

    memset(needs, 0, sizeof *needs);
    for (i = 0; i < placing->range_count; i++) {
        const struct kesco_placed_range *range = &placing->ranges[i];

        if (range->access.end <= hull.begin || hull.end <= range->access.begin)
            continue;
        needs->near++;
        if (range->op > needs->ops[range->lane] && meets_any(placing, &range->access)) {
            needs->ops[range->lane] = range->op;
            needs->lanes |= UINT32_C(1) << range->lane;
        }
    }
}

/* The lane whose last op is needed; of several, the one that comes behind most of what the others need. */
static uint32_t find_followed(const struct kesco_placing *placing, const struct needs *needs) {
    uint32_t best = KESCO_PLACED_LANES, best_count = 0, lane, other;

    for (lane = 0; lane < placing->lanes; lane++) {
        uint32_t count = 1;

        if ((needs->lanes >> lane & 1) == 0 || needs->ops[lane] != placing->ops[lane])
            continue;
        for (other = 0; other < placing->lanes; other++)
            count += placing->behind[lane][other] >= needs->ops[other];
        if (count > best_count) {
            best = lane;
            best_count = count;
        }
    }
    return best;
}

/* What is recorded of `lane` is all that it has. */
static void record(struct kesco_placing *placing, uint32_t lane, struct kesco_placement *result) {
    memcpy(placing->recorded[lane], placing->behind[lane], sizeof placing->recorded[lane]);
    result->records |= UINT32_C(1) << lane;
}

static void wait_for(struct kesco_placing *placing, uint32_t on, struct kesco_placement *result) {
    uint32_t *behind = placing->behind[result->lane], i;

    for (i = 0; i < placing->lanes; i++)
        if (behind[i] < placing->recorded[on][i])
            behind[i] = placing->recorded[on][i];
    result->waits |= UINT32_C(1) << on;
}

/* Lets the op come behind what it needs of other lanes. */
static void wait_for_needed(struct kesco_placing *placing, const struct needs *needs,
                            struct kesco_placement *result) {
    uint32_t left;

    for (left = needs->lanes; left != 0; left &= left - 1) {
        const uint32_t on = (uint32_t)__builtin_ctz(left), op = needs->ops[on];

        if (op <= placing->behind[result->lane][on])
            continue;
        if (placing->recorded[on][on] < op) {
            placing->fans_out |= op < placing->ops[on];
            record(placing, on, result);
        }
        wait_for(placing, on, result);
    }
}

/* True if what meets `access` meets the op being placed. */
static bool is_covered(const struct kesco_placing *placing, const struct kesco_access *access) {
    uint32_t i;

    for (i = 0; i < placing->access_count; i++)
        if ((placing->accesses[i].writes || !access->writes) && covers(&placing->accesses[i], access))
            return true;
    return false;
}

/* True if something that the lane's last op writes stays when the op is placed: others may have to wait for
 * it. */
static bool stays_needed(const struct kesco_placing *placing, uint32_t lane) {
    uint32_t i;

    for (i = 0; i < placing->range_count; i++) {
        const struct kesco_placed_range *range = &placing->ranges[i];

        if (range->lane == lane && range->op == placing->ops[lane] && range->access.writes &&
            !is_covered(placing, &range->access))
            return true;
    }
    return false;
}

static uint32_t next_lane(struct kesco_placing *placing) {
    if (placing->next == placing->lanes)
        placing->lanes = placing->most;
    if (placing->next == placing->lanes)
        placing->next = 0;
    return placing->next++;
}

static uint32_t choose_lane(struct kesco_placing *placing, const struct needs *needs,
                            struct kesco_placement *result) {
    uint32_t lane = needs->lanes == 0 ? KESCO_PLACED_LANES : find_followed(placing, needs);

    if (lane == KESCO_PLACED_LANES) {
        lane = next_lane(placing);
    } else if (placing->fans_out && placing->recorded[lane][lane] < placing->ops[lane] &&
               stays_needed(placing, lane)) {
        record(placing, lane, result);
    }
    return lane;
}

/* True if a range needs not be known any more behind the op on `lane`: what meets it meets the op, which
 * comes behind it. */
static bool is_replaced(const struct kesco_placing *placing, const struct kesco_placed_range *range,
                        uint32_t lane) {
    return placing->behind[lane][range->lane] >= range->op && is_covered(placing, &range->access);
}

static void forget_replaced(struct kesco_placing *placing, uint32_t lane) {
    uint32_t kept = 0, i;

    while (kept < placing->range_count && !is_replaced(placing, &placing->ranges[kept], lane))
        kept++;
    for (i = kept; i < placing->range_count; i++)
        if (!is_replaced(placing, &placing->ranges[i], lane))
            placing->ranges[kept++] = placing->ranges[i];
    placing->range_count = kept;
}

static bool is_behind_on_all(const struct kesco_placing *placing, const struct kesco_placed_range *range) {
    uint32_t lane;

    for (lane = 0; lane < placing->lanes; lane++)
        if (placing->behind[lane][range->lane] < range->op)
            return false;
    return true;
}

static void join(struct kesco_placed_range *all, const struct kesco_placed_range *range) {
    if (all->op == 0) {
        *all = *range;
        return;
    }
    if (all->access.begin > range->access.begin)
        all->access.begin = range->access.begin;
    if (all->access.end < range->access.end)
        all->access.end = range->access.end;
    if (all->op < range->op)
        all->op = range->op;
}

/* The first `count` ranges become one for each lane and kind of access. */
static void join_older(struct kesco_placing *placing, uint32_t count) {
    struct kesco_placed_range joined[KESCO_PLACED_LANES][2] = {0};
    uint32_t kept = 0, i;

    for (i = 0; i < count; i++)
        join(&joined[placing->ranges[i].lane][placing->ranges[i].access.writes], &placing->ranges[i]);
    for (i = 0; i < placing->lanes * 2; i++)
        if (joined[i / 2][i % 2].op != 0)
            placing->ranges[kept++] = joined[i / 2][i % 2];
    memmove(placing->ranges + kept, placing->ranges + count,
            (placing->range_count - count) * sizeof *placing->ranges);
    placing->range_count -= count - kept;
}

static void make_room(struct kesco_placing *placing) {
    uint32_t kept = 0, i;

    if (placing->range_count + placing->access_count <= KESCO_PLACED_RANGES)
        return;
    for (i = 0; i < placing->range_count; i++)
        if (!is_behind_on_all(placing, &placing->ranges[i]))
            placing->ranges[kept++] = placing->ranges[i];
    if (kept < placing->range_count)
        placing->most = placing->lanes; /* another lane would not be behind what is forgotten */
    placing->range_count = kept;
    if (kept <= KESCO_PLACED_RANGES / 2)
        return;
    join_older(placing, kept - KESCO_PLACED_RANGES / 4);
}

static void note_op(struct kesco_placing *placing, uint32_t lane) {
    uint32_t i;

    placing->behind[lane][lane] = ++placing->ops[lane];
    for (i = 0; i < placing->access_count; i++)
        placing->ranges[placing->range_count++] =
            (struct kesco_placed_range){placing->accesses[i], lane, placing->ops[lane]};
}

static void count_op(struct kesco_placing *placing, uint32_t lane, bool is_ordered) {
    const uint32_t last = placing->last;

    placing->placed++;
    placing->ordered += is_ordered;
    placing->apart += placing->behind[lane][last] < placing->ops[last];
    placing->last = lane;
}

struct kesco_placement kesco_placing_end(struct kesco_placing *placing) {
    struct kesco_placement result = {0};
    struct needs needs;

    make_room(placing);
    find_needs(placing, &needs);
    result.lane = choose_lane(placing, &needs, &result);
    wait_for_needed(placing, &needs, &result);
    count_op(placing, result.lane, needs.lanes != 0);
    if (needs.near > 0)
        forget_replaced(placing, result.lane);
    note_op(placing, result.lane);
    return result;
}
