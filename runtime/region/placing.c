#include "runtime/region/placing.h"

#include "runtime/region/placing_flight.h"
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
    placing->among.lanes = placing->among.width =
        lanes < KESCO_PLACED_FIRST ? lanes : (uint32_t)KESCO_PLACED_FIRST;
    placing->among.most = lanes;
    placing->early.are_made = true;
}

void kesco_placing_set_width(struct kesco_placing *placing, uint32_t width) {
    placing->among.width = width;
    if (placing->among.lanes < width)
        placing->among.lanes = width;
}

static struct kesco_touched touched_of(const struct kesco_access *access) {
    struct kesco_touched touched = {
        .begin = access->begin, .end = access->end, .distance = access->distance, .length = access->length};

    if (access->planes.distance != 0)
        touched.planes = (struct kesco_places){(int64_t)(access->begin - access->planes.past),
                                               access->planes.distance, access->planes.length};
    return touched;
}

/* True if `holds` does of two accesses of which one at least is in pieces. */
static __attribute__((noinline)) bool
holds_of_pieces(bool (*holds)(const struct kesco_touched *, const struct kesco_touched *),
                const struct kesco_access *a, const struct kesco_access *b) {
    const struct kesco_touched of_a = touched_of(a), of_b = touched_of(b);

    return holds(&of_a, &of_b);
}

/* True if two accesses may have bytes in common. */
static bool overlap(const struct kesco_access *a, const struct kesco_access *b) {
    return a->begin < b->end && b->begin < a->end &&
           ((a->distance | b->distance) == 0 || holds_of_pieces(kesco_touched_meets, a, b));
}

static bool covers(const struct kesco_access *a, const struct kesco_access *b) {
    return a->begin <= b->begin && b->end <= a->end &&
           (a->distance == 0 || holds_of_pieces(kesco_touched_holds, a, b));
}

/*
 * The gaps between the op's accesses, in ascending order: gap 0 lies before all of them. Most ranges in
 * flight lie in one, and so are told apart from all accesses at once.
 */
struct gaps {
    uintptr_t begins[KESCO_PLACED_ACCESSES + 1]; /* where accesses before it end, at the furthest */
    uintptr_t ends[KESCO_PLACED_ACCESSES + 1];   /* where the next access begins, or UINTPTR_MAX */
};

/* What the op being placed comes after. */
struct needs {
    uint32_t ops[KESCO_PLACED_LANES]; /* by lane, the last such op, or 0 */
    uint32_t lanes;                   /* those that have one, as bits, */
    uint32_t parted; /* and those whose last op writes something of which the op accesses a part alone */
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
    bool meets;
    bool covered; /* what meets it meets the op */
    bool whole;   /* one access goes to all of it */
};

static struct relation relate_to_all(const struct kesco_placing *placing, const struct kesco_access *range) {
    struct relation result = {false, false, false};
    uint32_t i;

    for (i = 0; i < placing->access_count && !(result.meets && result.covered); i++) {
        const struct kesco_access *access = &placing->accesses[i];

        if (!overlap(access, range))
            continue;
        result.meets = result.meets || access->writes || range->writes;
        if (covers(access, range)) {
            result.whole = true;
            result.covered = result.covered || access->writes || !range->writes;
        }
    }
    return result;
}

/*
 * Ops often access what others did, and in the same order. So an access that says it all is looked for after
 * the one that last did first.
 */
static inline struct relation relate(const struct kesco_placing *placing, const struct kesco_access *range,
                                     uint32_t *next) {
    const struct kesco_access *access = &placing->accesses[*next];

    if (!access->writes || !covers(access, range))
        return relate_to_all(placing, range);
    *next = *next + 1 < placing->access_count ? *next + 1 : 0;
    return (struct relation){true, true, true};
}

static void find_needs(const struct kesco_placing *placing, struct needs *needs) {
    const struct kesco_placed_range *first = &placing->ranges[placing->flight.first],
                                    *end = first + placing->flight.range_count, *range;
    struct gaps gaps;
    uint32_t next = 0;
    size_t gap = 0;

    find_gaps(placing, &gaps);
    memset(needs->ops, 0, sizeof needs->ops);
    needs->lanes = needs->parted = needs->covered_count = 0;
    for (range = first; range < end; range++) {
        struct relation relation;

        if (lies_apart(&gaps, &range->access, &gap))
            continue;
        relation = relate(placing, &range->access, &next);
        if (relation.meets && range->op > needs->ops[range->lane]) {
            needs->ops[range->lane] = range->op;
            needs->lanes |= UINT32_C(1) << range->lane;
        }
        if (relation.meets && range->access.writes && !relation.whole &&
            range->op == placing->had.ops[range->lane])
            needs->parted |= UINT32_C(1) << range->lane;
        needs->covered[needs->covered_count] = (uint16_t)(range - first);
        needs->covered_count += relation.covered;
    }
}

/* How much of what is needed `lane` comes after. */
static uint32_t count_after(const struct kesco_placing *placing, const struct needs *needs, uint32_t lane) {
    uint32_t count = 0, left;

    for (left = needs->lanes; left != 0; left &= left - 1) {
        const uint32_t other = (uint32_t)__builtin_ctz(left);
        count += placing->clocks.after[lane][other] >= needs->ops[other];
    }
    return count;
}

/* The lane whose last op is needed; of several, the one that comes after most of what the others need. */
static uint32_t find_followed(const struct kesco_placing *placing, const struct needs *needs) {
    uint32_t best = KESCO_PLACED_LANES, best_count = 0, left;

    for (left = needs->lanes; left != 0; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint32_t count;

        if (lane >= placing->among.width || needs->ops[lane] != placing->had.ops[lane])
            continue;
        count = count_after(placing, needs, lane);
        if (count > best_count) {
            best = lane;
            best_count = count;
        }
    }
    return best;
}

static void note_record(struct kesco_placing *placing, uint32_t lane) {
    memcpy(placing->clocks.recorded[lane], placing->clocks.after[lane],
           sizeof placing->clocks.recorded[lane]);
    placing->chains.recorded_deep[lane] = placing->chains.deep[lane];
}

/* What is recorded of `lane` is all that it has. */
static void record(struct kesco_placing *placing, uint32_t lane, struct kesco_placement *result) {
    note_record(placing, lane);
    result->records |= UINT32_C(1) << lane;
}

static void wait_for(struct kesco_placing *placing, uint32_t on, struct kesco_placement *result) {
    uint32_t *after = placing->clocks.after[result->lane], i;

    for (i = 0; i < placing->among.lanes; i++)
        if (after[i] < placing->clocks.recorded[on][i])
            after[i] = placing->clocks.recorded[on][i];
    if (placing->chains.deep[result->lane] < placing->chains.recorded_deep[on])
        placing->chains.deep[result->lane] = placing->chains.recorded_deep[on];
    result->waits |= UINT32_C(1) << on;
}

/* What the op comes after once its lane waits for `on`, which is recorded now where its latest record came
 * too soon. */
static const uint32_t *clock_of(const struct kesco_placing *placing, const struct needs *needs, uint32_t on) {
    return placing->clocks.recorded[on][on] >= needs->ops[on] ? placing->clocks.recorded[on]
                                                              : placing->clocks.after[on];
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
        count += needs->ops[on] <= placing->had.joined[on];
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
        if (early->are_tried) {
            early->parts_are_whole = true;
            early->patience =
                early->patience < MOST_PATIENCE ? (early->patience + 1) * LESS_OFTEN : MOST_PATIENCE;
        }
    }
    early->are_tried = true;
    early->made = early->served = 0;
}

/* Lets the op come after what it needs of other lanes. */
static void wait_for_needed(struct kesco_placing *placing, const struct needs *needs,
                            struct kesco_placement *result) {
    const uint32_t *after = placing->clocks.after[result->lane];
    uint32_t left = needs->lanes & ~find_implied(needs, needs->lanes, after);

    while (left != 0) {
        const uint32_t on = find_next_wait(placing, needs, left), op = needs->ops[on];

        if (placing->clocks.recorded[on][on] >= op) {
            placing->early.served++;
        } else {
            if (op < placing->had.ops[on])
                note_late(&placing->early);
            record(placing, on, result);
        }
        wait_for(placing, on, result);
        left &= ~find_implied(needs, left, after);
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

    for (i = 0; i < placing->flight.range_count; i++) {
        const struct kesco_placed_range *range = &placing->ranges[placing->flight.first + i];

        if (range->lane == lane && range->op == placing->had.ops[lane] && range->access.writes &&
            !is_covered(placing, &range->access))
            return true;
    }
    return false;
}

static uint32_t next_lane(struct kesco_placing *placing) {
    if (placing->among.next >= placing->among.width && placing->among.width == placing->among.lanes)
        kesco_placing_set_width(placing, placing->among.most);
    if (placing->among.next >= placing->among.width)
        placing->among.next = 0;
    return placing->among.next++;
}

/* True if others may have to wait for the lane's last op, and not for what is put after it. */
static bool is_shared(const struct kesco_placing *placing, const struct needs *needs, uint32_t lane) {
    if (placing->clocks.recorded[lane][lane] >= placing->had.ops[lane])
        return false;
    return placing->early.are_made ? stays_needed(placing, lane)
                                   : !placing->early.parts_are_whole && (needs->parted >> lane & 1) != 0;
}

static uint32_t choose_lane(struct kesco_placing *placing, const struct needs *needs,
                            struct kesco_placement *result) {
    uint32_t lane = needs->lanes == 0 ? KESCO_PLACED_LANES : find_followed(placing, needs);

    if (lane == KESCO_PLACED_LANES) {
        lane = next_lane(placing);
    } else if (is_shared(placing, needs, lane)) {
        record(placing, lane, result);
        note_early(&placing->early);
    }
    return lane;
}

/* What the lanes in use were after is in no range any more: one that was not in use comes after it now. */
static void need_dropped(const struct kesco_placing *placing, uint32_t lane, struct needs *needs) {
    uint32_t on;

    for (on = 0; on < placing->among.lanes; on++)
        if (placing->had.dropped[on] > placing->clocks.after[lane][on] &&
            placing->had.dropped[on] > needs->ops[on]) {
            needs->ops[on] = placing->had.dropped[on];
            needs->lanes |= UINT32_C(1) << on;
        }
}

/*
 * Ranges that the op covers need not be known any more where it comes after them: what meets them meets the
 * op. Most often they are the first, and then no other has to be moved; else they are marked.
 */
static void forget_replaced(struct kesco_placing *placing, const struct needs *needs, uint32_t lane) {
    const uint32_t *after = placing->clocks.after[lane];
    struct kesco_placed_range *const ranges = &placing->ranges[placing->flight.first];
    uint32_t dropped = 0, i;

    for (i = 0; i < needs->covered_count; i++) {
        struct kesco_placed_range *range = &ranges[needs->covered[i]];

        if (after[range->lane] < range->op)
            continue;
        if (needs->covered[i] == dropped) {
            dropped++;
            continue;
        }
        range->access.begin = range->access.end = 0;
        range->op = 0;
        placing->flight.forgotten++;
    }
    placing->flight.first += dropped;
    placing->flight.range_count -= dropped;
    if (placing->flight.forgotten > 0)
        kesco_placing_drop_forgotten(placing);
}

static void note_op(struct kesco_placing *placing, uint32_t lane) {
    struct kesco_placed_range *ranges = &placing->ranges[placing->flight.first + placing->flight.range_count];
    const uint32_t op = ++placing->had.ops[lane], count = placing->access_count;
    uint32_t i;

    placing->clocks.after[lane][lane] = op;
    for (i = 0; i < count; i++)
        ranges[i] = (struct kesco_placed_range){placing->accesses[i], lane, op};
    placing->flight.range_count += count;
}

static void count_op(struct kesco_placing *placing, uint32_t lane, bool is_ordered) {
    const uint32_t depth = ++placing->chains.deep[lane];

    placing->placed++;
    placing->ordered += is_ordered;
    if (placing->chains.depth < depth)
        placing->chains.depth = depth;
}

struct kesco_placement kesco_placing_end(struct kesco_placing *placing) {
    struct kesco_placement result = {0};
    struct needs needs;

    kesco_placing_make_room(placing);
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
