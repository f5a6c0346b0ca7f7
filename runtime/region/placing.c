#include "runtime/region/placing.h"

#include "runtime/region/touched.h"

#include <stddef.h>
#include <string.h>

/* So many waits are more than a record. */
enum { MANY_WAITS = 3 };

/* Of so many records that are made early, more than one in SERVED_OF is to serve; else it has to be missed so
 * many times as often before they are made again. */
enum { ENOUGH_EARLY = 16, SERVED_OF = 4, LESS_OFTEN = 8, MOST_PATIENCE = 1 << 16 };

void kesco_placing_clear(struct kesco_placing *placing, uint32_t lanes) {
    memset(placing, 0, offsetof(struct kesco_placing, accesses));
    placing->lanes = placing->width = lanes < KESCO_PLACED_FIRST ? lanes : (uint32_t)KESCO_PLACED_FIRST;
    placing->most = lanes;
}

void kesco_placing_set_width(struct kesco_placing *placing, uint32_t width) {
    placing->width = width;
    if (placing->lanes < width)
        placing->lanes = width;
}

static struct kesco_touched touched(const struct kesco_access *access) {
    return (struct kesco_touched){
        .begin = access->begin, .end = access->end, .distance = access->distance, .length = access->length};
}

/* The same of two accesses of which one at least is in pieces. */
static __attribute__((noinline)) bool pieces_overlap(const struct kesco_access *a,
                                                     const struct kesco_access *b) {
    const struct kesco_touched of_a = touched(a), of_b = touched(b);

    return kesco_touched_meets(&of_a, &of_b);
}

/* True if two accesses may have bytes in common. */
static bool overlap(const struct kesco_access *a, const struct kesco_access *b) {
    return a->begin < b->end && b->begin < a->end &&
           ((a->distance | b->distance) == 0 || pieces_overlap(a, b));
}

static __attribute__((noinline)) bool pieces_cover(const struct kesco_access *a,
                                                   const struct kesco_access *b) {
    const struct kesco_touched of_a = touched(a), of_b = touched(b);

    return kesco_touched_holds(&of_a, &of_b);
}

static bool covers(const struct kesco_access *a, const struct kesco_access *b) {
    return a->begin <= b->begin && b->end <= a->end && (a->distance == 0 || pieces_cover(a, b));
}

/*
 * The gaps between the op's accesses, in ascending order: gap 0 lies before all of them. Most ranges in
 * flight lie in one, and so are told apart from all accesses at once.
 */
struct gaps {
    uintptr_t begins[KESCO_PLACED_ACCESSES + 1]; /* where accesses before it end, at the furthest */
    uintptr_t ends[KESCO_PLACED_ACCESSES + 1];   /* where the next access begins, or UINTPTR_MAX */
};

/* What the op being placed comes behind. */
struct needs {
    uint32_t ops[KESCO_PLACED_LANES]; /* by lane, the last such op, or 0 */
    uint32_t lanes;                   /* those that have one, as bits */
    uint32_t covered_count;
    uint16_t covered[KESCO_PLACED_RANGES + 1]; /* ranges of which all that meets them meets the op, too */
};

/* True if what meets `old` meets `access`. */
static bool stands_for(const struct kesco_access *access, const struct kesco_access *old) {
    return (access->writes || !old->writes) && covers(access, old);
}

/* True if what meets `access` meets the op being placed. */
static bool is_covered(const struct kesco_placing *placing, const struct kesco_access *access) {
    uint32_t i;

    for (i = 0; i < placing->access_count; i++)
        if (stands_for(&placing->accesses[i], access))
            return true;
    return false;
}

static void find_gaps(const struct kesco_placing *placing, struct gaps *gaps) {
    uintptr_t reach = 0;
    uint32_t i, at;

    for (i = 0; i < placing->access_count; i++) {
        const struct kesco_access *access = &placing->accesses[i];

        for (at = i; at > 0 && gaps->ends[at - 1] > access->begin; at--) {
            gaps->ends[at] = gaps->ends[at - 1];
            gaps->begins[at + 1] = gaps->begins[at];
        }
        gaps->ends[at] = access->begin;
        gaps->begins[at + 1] = access->end;
    }
    gaps->begins[0] = 0;
    gaps->ends[i] = UINTPTR_MAX;
    for (i = 0; i < placing->access_count; i++) {
        reach = reach < gaps->begins[i + 1] ? gaps->begins[i + 1] : reach;
        gaps->begins[i + 1] = reach;
    }
}

/* True if no access of the op has bytes in common with the range. `gap` is the one that ranges were last
 * looked for in. */
static inline bool lies_apart(const struct gaps *gaps, const struct kesco_access *range, size_t *gap) {
    if (gaps->begins[*gap] <= range->begin && range->end <= gaps->ends[*gap])
        return true;
    while (gaps->ends[*gap] < range->end)
        ++*gap;
    while (*gap > 0 && gaps->ends[*gap - 1] >= range->end)
        --*gap;
    return gaps->begins[*gap] <= range->begin;
}

/* What a range in flight has to do with the op. */
struct relation {
    bool meets, covered;
};

static struct relation relate_to_all(const struct kesco_placing *placing, const struct kesco_access *range) {
    struct relation result = {false, false};
    uint32_t i;

    for (i = 0; i < placing->access_count && !(result.meets && result.covered); i++) {
        const struct kesco_access *access = &placing->accesses[i];

        if (!overlap(access, range))
            continue;
        result.meets = result.meets || access->writes || range->writes;
        result.covered = result.covered || stands_for(access, range);
    }
    return result;
}

/*
 * Ops often access what others did, and in the same order. So an access that says it all is looked for behind
 * the one that last did first.
 */
static inline struct relation relate(const struct kesco_placing *placing, const struct kesco_access *range,
                                     uint32_t *next) {
    const struct kesco_access *access = &placing->accesses[*next];

    if (!access->writes || !covers(access, range))
        return relate_to_all(placing, range);
    *next = *next + 1 < placing->access_count ? *next + 1 : 0;
    return (struct relation){true, true};
}

static void find_needs(const struct kesco_placing *placing, struct needs *needs) {
    const struct kesco_placed_range *first = &placing->ranges[placing->first],
                                    *end = first + placing->range_count, *range;
    struct gaps gaps;
    uint32_t next = 0;
    size_t gap = 0;

    find_gaps(placing, &gaps);
    memset(needs->ops, 0, sizeof needs->ops);
    needs->lanes = needs->covered_count = 0;
    for (range = first; range < end; range++) {
        struct relation relation;

        if (lies_apart(&gaps, &range->access, &gap))
            continue;
        relation = relate(placing, &range->access, &next);
        if (relation.meets && range->op > needs->ops[range->lane]) {
            needs->ops[range->lane] = range->op;
            needs->lanes |= UINT32_C(1) << range->lane;
        }
        needs->covered[needs->covered_count] = (uint16_t)(range - first);
        needs->covered_count += relation.covered;
    }
}

/* How much of what is needed `lane` comes behind. */
static uint32_t count_behind(const struct kesco_placing *placing, const struct needs *needs, uint32_t lane) {
    uint32_t count = 0, left;

    for (left = needs->lanes; left != 0; left &= left - 1) {
        const uint32_t other = (uint32_t)__builtin_ctz(left);
        count += placing->behind[lane][other] >= needs->ops[other];
    }
    return count;
}

/* The lane whose last op is needed; of several, the one that comes behind most of what the others need. */
static uint32_t find_followed(const struct kesco_placing *placing, const struct needs *needs) {
    uint32_t best = KESCO_PLACED_LANES, best_count = 0, left;

    for (left = needs->lanes; left != 0; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint32_t count;

        if (lane >= placing->width || needs->ops[lane] != placing->ops[lane])
            continue;
        count = count_behind(placing, needs, lane);
        if (count > best_count) {
            best = lane;
            best_count = count;
        }
    }
    return best;
}

static void note_record(struct kesco_placing *placing, uint32_t lane) {
    memcpy(placing->recorded[lane], placing->behind[lane], sizeof placing->recorded[lane]);
    placing->recorded_deep[lane] = placing->deep[lane];
}

/* What is recorded of `lane` is all that it has. */
static void record(struct kesco_placing *placing, uint32_t lane, struct kesco_placement *result) {
    note_record(placing, lane);
    result->records |= UINT32_C(1) << lane;
}

static void wait_for(struct kesco_placing *placing, uint32_t on, struct kesco_placement *result) {
    uint32_t *behind = placing->behind[result->lane], i;

    for (i = 0; i < placing->lanes; i++)
        if (behind[i] < placing->recorded[on][i])
            behind[i] = placing->recorded[on][i];
    if (placing->deep[result->lane] < placing->recorded_deep[on])
        placing->deep[result->lane] = placing->recorded_deep[on];
    result->waits |= UINT32_C(1) << on;
}

/* What the op comes behind once its lane waits for `on`, which is recorded now where its latest record came
 * too soon. */
static const uint32_t *clock_of(const struct kesco_placing *placing, const struct needs *needs, uint32_t on) {
    return placing->recorded[on][on] >= needs->ops[on] ? placing->recorded[on] : placing->behind[on];
}

/* Of the lanes in `left`, those of which what the op needs comes before what `clock` stands for. */
static uint32_t find_implied(const struct needs *needs, uint32_t left, const uint32_t *clock) {
    uint32_t implied = 0;

    for (; left != 0; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        if (clock[lane] >= needs->ops[lane])
            implied |= UINT32_C(1) << lane;
    }
    return implied;
}

/* Of the lanes in `left`, of which there is one, that which spares most of the waits for the others. */
static uint32_t find_next_wait(const struct kesco_placing *placing, const struct needs *needs,
                               uint32_t left) {
    uint32_t best = (uint32_t)__builtin_ctz(left), best_count = 1, others;

    for (others = (left & (left - 1)) != 0 ? left : 0; others != 0; others &= others - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(others);
        const uint32_t implied = find_implied(needs, left, clock_of(placing, needs, lane));
        const uint32_t count = (uint32_t)__builtin_popcount(implied);

        if (count > best_count) {
            best = lane;
            best_count = count;
        }
    }
    return best;
}

/* Others that meet what was joined have as many lanes to wait for: a record says that this one has waited. */
static bool is_worth_recording(const struct kesco_placing *placing, const struct needs *needs,
                               uint32_t waited_for) {
    uint32_t count = 0;

    for (; waited_for != 0; waited_for &= waited_for - 1) {
        const uint32_t on = (uint32_t)__builtin_ctz(waited_for);
        count += needs->ops[on] <= placing->joined[on];
    }
    return count >= MANY_WAITS;
}

static void note_late(struct kesco_early_records *early) {
    if (early->are_made || early->late++ < early->patience)
        return;
    early->are_made = true;
    early->made = early->served = 0;
}

static void note_early(struct kesco_early_records *early) {
    if (++early->made < ENOUGH_EARLY)
        return;
    if (early->served <= early->made / SERVED_OF) {
        early->are_made = false;
        early->late = 0;
        early->patience =
            early->patience < MOST_PATIENCE ? (early->patience + 1) * LESS_OFTEN : MOST_PATIENCE;
    }
    early->made = early->served = 0;
}

/* Lets the op come behind what it needs of other lanes. */
static void wait_for_needed(struct kesco_placing *placing, const struct needs *needs,
                            struct kesco_placement *result) {
    const uint32_t *behind = placing->behind[result->lane];
    uint32_t left = needs->lanes & ~find_implied(needs, needs->lanes, behind);

    while (left != 0) {
        const uint32_t on = find_next_wait(placing, needs, left), op = needs->ops[on];

        if (placing->recorded[on][on] >= op) {
            placing->early.served++;
        } else {
            if (op < placing->ops[on])
                note_late(&placing->early);
            record(placing, on, result);
        }
        wait_for(placing, on, result);
        left &= ~find_implied(needs, left, behind);
    }
    if (is_worth_recording(placing, needs, result->waits)) {
        note_record(placing, result->lane);
        result->gathers = true;
    }
}

/* True if something that the lane's last op writes stays when the op is placed: others may have to wait for
 * it. */
static bool stays_needed(const struct kesco_placing *placing, uint32_t lane) {
    uint32_t i;

    for (i = 0; i < placing->range_count; i++) {
        const struct kesco_placed_range *range = &placing->ranges[placing->first + i];

        if (range->lane == lane && range->op == placing->ops[lane] && range->access.writes &&
            !is_covered(placing, &range->access))
            return true;
    }
    return false;
}

static uint32_t next_lane(struct kesco_placing *placing) {
    if (placing->next >= placing->width && placing->width == placing->lanes)
        kesco_placing_set_width(placing, placing->most);
    if (placing->next >= placing->width)
        placing->next = 0;
    return placing->next++;
}

static uint32_t choose_lane(struct kesco_placing *placing, const struct needs *needs,
                            struct kesco_placement *result) {
    uint32_t lane = needs->lanes == 0 ? KESCO_PLACED_LANES : find_followed(placing, needs);

    if (lane == KESCO_PLACED_LANES) {
        lane = next_lane(placing);
    } else if (placing->early.are_made && placing->recorded[lane][lane] < placing->ops[lane] &&
               stays_needed(placing, lane)) {
        record(placing, lane, result);
        note_early(&placing->early);
    }
    return lane;
}

/* What the lanes in use were behind is in no range any more: one that was not in use comes behind it now. */
static void need_dropped(const struct kesco_placing *placing, uint32_t lane, struct needs *needs) {
    uint32_t on;

    for (on = 0; on < placing->lanes; on++)
        if (placing->dropped[on] > placing->behind[lane][on] && placing->dropped[on] > needs->ops[on]) {
            needs->ops[on] = placing->dropped[on];
            needs->lanes |= UINT32_C(1) << on;
        }
}

/* Moves the ranges that are not forgotten to the first slots. */
static void pack(struct kesco_placing *placing) {
    uint32_t kept = 0, i;

    for (i = 0; i < placing->range_count; i++)
        if (placing->ranges[placing->first + i].op != 0)
            placing->ranges[kept++] = placing->ranges[placing->first + i];
    placing->first = placing->forgotten = 0;
    placing->range_count = kept;
}

/* The first ranges are not known any more if they are forgotten. */
static void drop_forgotten(struct kesco_placing *placing) {
    while (placing->forgotten > 0 && placing->ranges[placing->first].op == 0) {
        placing->first++;
        placing->range_count--;
        placing->forgotten--;
    }
    if (placing->forgotten > placing->range_count / 2)
        pack(placing);
}

/*
 * Ranges that the op covers need not be known any more where it comes behind them: what meets them meets the
 * op. Most often they are the first, and then no other has to be moved; else they are marked.
 */
static void forget_replaced(struct kesco_placing *placing, const struct needs *needs, uint32_t lane) {
    const uint32_t *behind = placing->behind[lane];
    struct kesco_placed_range *const ranges = &placing->ranges[placing->first];
    uint32_t dropped = 0, i;

    for (i = 0; i < needs->covered_count; i++) {
        struct kesco_placed_range *range = &ranges[needs->covered[i]];

        if (behind[range->lane] < range->op)
            continue;
        if (needs->covered[i] == dropped) {
            dropped++;
            continue;
        }
        range->access.begin = range->access.end = 0;
        range->op = 0;
        placing->forgotten++;
    }
    placing->first += dropped;
    placing->range_count -= dropped;
    if (placing->forgotten > 0)
        drop_forgotten(placing);
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
    all->access.distance = 0;
    if (all->op < range->op)
        all->op = range->op;
}

/* The first `count` ranges become one for each lane and kind of access. */
static void join_older(struct kesco_placing *placing, uint32_t count) {
    struct kesco_placed_range joined[KESCO_PLACED_LANES][2] = {0};
    uint32_t kept = 0, i;

    for (i = 0; i < count; i++) {
        const struct kesco_placed_range *range = &placing->ranges[i];

        join(&joined[range->lane][range->access.writes], range);
        if (placing->joined[range->lane] < range->op)
            placing->joined[range->lane] = range->op;
    }
    for (i = 0; i < placing->lanes * 2; i++)
        if (joined[i / 2][i % 2].op != 0)
            placing->ranges[kept++] = joined[i / 2][i % 2];
    for (i = count; i < placing->range_count; i++)
        placing->ranges[kept++] = placing->ranges[i];
    placing->range_count = kept;
}

/* By lane, the last of its ops that what the lanes in use have next comes behind. */
static void find_behind_on_all(const struct kesco_placing *placing, uint32_t result[KESCO_PLACED_LANES]) {
    uint32_t lane, on;

    memcpy(result, placing->behind[0], sizeof placing->behind[0]);
    for (lane = 1; lane < placing->width; lane++)
        for (on = 0; on < KESCO_PLACED_LANES; on++)
            if (result[on] > placing->behind[lane][on])
                result[on] = placing->behind[lane][on];
}

static void make_room(struct kesco_placing *placing) {
    uint32_t behind[KESCO_PLACED_LANES], kept = 0, i;

    if (placing->first + placing->range_count + placing->access_count > KESCO_PLACED_SLOTS)
        pack(placing);
    if (placing->range_count - placing->forgotten + placing->access_count <= KESCO_PLACED_RANGES)
        return;
    pack(placing);
    find_behind_on_all(placing, behind);
    for (i = 0; i < placing->range_count; i++) {
        const struct kesco_placed_range *range = &placing->ranges[i];

        if (range->op > behind[range->lane])
            placing->ranges[kept++] = *range;
        else if (placing->dropped[range->lane] < range->op)
            placing->dropped[range->lane] = range->op;
    }
    placing->range_count = kept;
    if (kept <= KESCO_PLACED_RANGES / 2)
        return;
    join_older(placing, kept - KESCO_PLACED_RANGES / 4);
}

static void note_op(struct kesco_placing *placing, uint32_t lane) {
    struct kesco_placed_range *ranges = &placing->ranges[placing->first + placing->range_count];
    const uint32_t op = ++placing->ops[lane], count = placing->access_count;
    uint32_t i;

    placing->behind[lane][lane] = op;
    for (i = 0; i < count; i++)
        ranges[i] = (struct kesco_placed_range){placing->accesses[i], lane, op};
    placing->range_count += count;
}

static void count_op(struct kesco_placing *placing, uint32_t lane, bool is_ordered) {
    const uint32_t depth = ++placing->deep[lane];

    placing->placed++;
    placing->ordered += is_ordered;
    if (placing->depth < depth)
        placing->depth = depth;
}

struct kesco_placement kesco_placing_end(struct kesco_placing *placing) {
    struct kesco_placement result = {0};
    struct needs needs;

    make_room(placing);
    find_needs(placing, &needs);
    result.lane = choose_lane(placing, &needs, &result);
    need_dropped(placing, result.lane, &needs);
    wait_for_needed(placing, &needs, &result);
    count_op(placing, result.lane, needs.lanes != 0);
    if (needs.covered_count > 0)
        forget_replaced(placing, &needs, result.lane);
    note_op(placing, result.lane);
    return result;
}
