/* Ops placed by what they access: each comes behind all that it meets, and, with room, behind nothing else.
 */
#include "runtime/region/placing.h"
#include "test/cmocka.h"

#include <stdlib.h>
#include <string.h>

enum { OPS = 400, MOST = 6 };

/* What a lane, or a record, comes behind: ops as bits. */
struct past {
    uint64_t ops[OPS / 64 + 1];
};

struct op {
    struct kesco_access accesses[MOST];
    uint32_t count;
    struct past past; /* what it really comes behind */
};

static void add_op(struct past *past, uint32_t op) {
    past->ops[op / 64] |= UINT64_C(1) << op % 64;
}

static bool has_op(const struct past *past, uint32_t op) {
    return (past->ops[op / 64] >> op % 64 & 1) != 0;
}

static void add_past(struct past *past, const struct past *other) {
    size_t i;

    for (i = 0; i < sizeof past->ops / sizeof *past->ops; i++)
        past->ops[i] |= other->ops[i];
}

struct machine {
    struct kesco_placing placing;
    struct past lanes[KESCO_PLACED_LANES], records[KESCO_PLACED_LANES];
    struct op ops[OPS];
    uint32_t count;
    uint32_t waits; /* that ops have needed, */
    uint32_t made;  /* and records */
};

static struct machine *begin(uint32_t lanes) {
    struct machine *machine = calloc(1, sizeof *machine);

    assert_non_null(machine);
    kesco_placing_clear(&machine->placing, lanes);
    return machine;
}

/* Places an op that accesses this, and does with lanes and records what it is told. */
static uint32_t place(struct machine *machine, const struct kesco_access *accesses, uint32_t count) {
    struct op *op = &machine->ops[machine->count];
    struct kesco_placement placement;
    uint32_t i;

    kesco_placing_begin(&machine->placing);
    for (i = 0; i < count; i++)
        kesco_placing_add(&machine->placing, accesses[i]);
    placement = kesco_placing_end(&machine->placing);
    assert_true(placement.lane < machine->placing.among.lanes);
    machine->waits += (uint32_t)__builtin_popcount(placement.waits);
    machine->made += (uint32_t)__builtin_popcount(placement.records) + placement.gathers;
    for (i = 0; i < KESCO_PLACED_LANES; i++)
        if ((placement.records >> i & 1) != 0)
            machine->records[i] = machine->lanes[i];
    for (i = 0; i < KESCO_PLACED_LANES; i++)
        if ((placement.waits >> i & 1) != 0)
            add_past(&machine->lanes[placement.lane], &machine->records[i]);
    if (placement.gathers)
        machine->records[placement.lane] = machine->lanes[placement.lane];
    op->past = machine->lanes[placement.lane];
    if (count <= MOST) {
        memcpy(op->accesses, accesses, count * sizeof *accesses);
        op->count = count;
    }
    add_op(&machine->lanes[placement.lane], machine->count++);
    return placement.lane;
}

static bool has_byte(const struct kesco_access *access, uintptr_t at) {
    return access->begin <= at && at < access->end &&
           (access->distance == 0 || (at - access->begin) % access->distance < access->length) &&
           (access->planes.distance == 0 ||
            (at - access->begin + access->planes.past) % access->planes.distance < access->planes.length);
}

static bool overlap(const struct kesco_access *a, const struct kesco_access *b) {
    uintptr_t at;

    if (a->distance == 0 && b->distance == 0)
        return a->begin < b->end && b->begin < a->end;
    for (at = a->begin; at < a->end; at++)
        if (has_byte(a, at) && has_byte(b, at))
            return true;
    return false;
}

static bool meet(const struct op *a, const struct op *b) {
    uint32_t i, j;

    for (i = 0; i < a->count; i++)
        for (j = 0; j < b->count; j++)
            if ((a->accesses[i].writes || b->accesses[j].writes) && overlap(&a->accesses[i], &b->accesses[j]))
                return true;
    return false;
}

static void assert_ordered(const struct machine *machine) {
    uint32_t op, before;

    for (op = 0; op < machine->count; op++)
        for (before = 0; before < op; before++)
            if (meet(&machine->ops[op], &machine->ops[before]))
                assert_true(has_op(&machine->ops[op].past, before));
}

static uint32_t next_random(uint32_t *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static void test_random(void **state) {
    uint32_t seed = 1, run, i, j;

    (void)state;
    for (run = 0; run < 200; run++) {
        struct machine *machine = begin(1 + next_random(&seed) % KESCO_PLACED_LANES);
        const uint32_t space = 1 + next_random(&seed) % 4000, length = 1 + next_random(&seed) % 200;
        const uint32_t written = 1 + next_random(&seed) % 4;

        for (i = 0; i < OPS; i++) {
            struct kesco_access accesses[MOST] = {0};
            const uint32_t count = next_random(&seed) % (MOST + 1);

            for (j = 0; j < count; j++) {
                accesses[j].begin = next_random(&seed) % space;
                accesses[j].end = accesses[j].begin + 1 + next_random(&seed) % length;
                accesses[j].writes = next_random(&seed) % written == 0;
            }
            if (next_random(&seed) % 16 == 0)
                kesco_placing_set_width(&machine->placing,
                                        1 + next_random(&seed) % machine->placing.among.most);
            place(machine, accesses, count);
        }
        assert_ordered(machine);
        free(machine);
    }
}

/* Some in pieces, at one distance or at another, or at two. */
static void test_random_pieces(void **state) {
    enum { SOME_OPS = 120, SOME = 3 };
    uint32_t seed = 2, run, i, j;

    (void)state;
    for (run = 0; run < 100; run++) {
        struct machine *machine = begin(1 + next_random(&seed) % KESCO_PLACED_LANES);
        const uint32_t space = 1 + next_random(&seed) % 1000, size = 1 + next_random(&seed) % 200;
        const uint32_t distance = 2 + next_random(&seed) % 60;

        for (i = 0; i < SOME_OPS; i++) {
            struct kesco_access accesses[SOME] = {0};
            const uint32_t count = next_random(&seed) % (SOME + 1);

            for (j = 0; j < count; j++) {
                accesses[j].begin = next_random(&seed) % space;
                accesses[j].end = accesses[j].begin + 1 + next_random(&seed) % size;
                accesses[j].writes = next_random(&seed) % 2 == 0;
                if (next_random(&seed) % 4 == 0)
                    continue;
                accesses[j].distance = next_random(&seed) % 8 == 0 ? distance + 1 : distance;
                accesses[j].length = 1 + next_random(&seed) % (accesses[j].distance - 1);
                if (next_random(&seed) % 2 == 0)
                    accesses[j].planes = (struct kesco_access_planes){
                        3 * distance, 1 + next_random(&seed) % (2 * distance), next_random(&seed) % distance};
            }
            place(machine, accesses, count);
        }
        assert_ordered(machine);
        free(machine);
    }
}

/* The longest chain of ops of which each comes behind the one before. */
static uint32_t depth(const struct machine *machine) {
    uint32_t depths[OPS], most = 0, op, before;

    for (op = 0; op < machine->count; op++) {
        depths[op] = 1;
        for (before = 0; before < op; before++)
            if (has_op(&machine->ops[op].past, before) && depths[before] >= depths[op])
                depths[op] = depths[before] + 1;
        if (depths[op] > most)
            most = depths[op];
    }
    return most;
}

static struct kesco_access from_to(uintptr_t begin, uintptr_t end, bool writes) {
    return (struct kesco_access){.begin = begin, .end = end, .writes = writes};
}

static struct kesco_access part(uint32_t number, bool writes) {
    return from_to(1000 + number * 100, 1100 + number * 100, writes);
}

static void test_apart(void **state) {
    struct machine *machine = begin(8);
    uint32_t i;

    (void)state;
    for (i = 0; i < OPS; i++) {
        const struct kesco_access accesses[] = {part(i, true), part(OPS + i, false)};
        place(machine, accesses, 2);
    }
    assert_int_equal(depth(machine), OPS / 8);
    assert_int_equal(machine->placing.ordered, 0);
    assert_int_equal(machine->placing.chains.depth, OPS / 8);
    free(machine);
}

/* What is worked on time and again does not push out of the table what is not. */
static void test_idle(void **state) {
    enum { IDLE = 60 };
    struct machine *machine = begin(8);
    uint32_t i;

    (void)state;
    for (i = 0; i < OPS - IDLE; i++) {
        const struct kesco_access accesses[] = {part(IDLE + i % 2, true), part(IDLE + 2, false)};
        const struct kesco_access idle = part(i, true);
        place(machine, i < IDLE ? &idle : accesses, i < IDLE ? 1 : 2);
    }
    assert_in_range(machine->placing.flight.range_count - machine->placing.flight.forgotten, IDLE + 4,
                    IDLE + 8);
    assert_in_range(machine->placing.flight.range_count, IDLE + 4, 2 * (IDLE + 8));
    for (i = 0; i < IDLE; i++) {
        const struct kesco_access access = part(IDLE - 1 - i, true);
        place(machine, &access, 1);
    }
    assert_ordered(machine);
    free(machine);
}

/* What all the first lanes come behind is forgotten, and others come behind it, too. */
static void test_late_width(void **state) {
    const struct kesco_access all = from_to(1000, 1000 + 100 * KESCO_PLACED_FIRST, false);
    struct machine *machine = begin(KESCO_PLACED_LANES);
    uint32_t i, round, first = 0; /* lane of the last op */

    (void)state;
    for (round = 0; round < 20; round++) {
        for (i = 0; i < KESCO_PLACED_FIRST; i++) {
            const uint32_t lane = (first + i) % KESCO_PLACED_FIRST;
            const struct kesco_access accesses[] = {part(lane, true), part(100 + round * 8 + i, true)};
            place(machine, accesses, 2);
        }
        first = place(machine, &all, 1);
    }
    for (i = 0; i < 8; i++) {
        const struct kesco_access access = part(100 + i, true);
        place(machine, &access, 1);
    }
    assert_ordered(machine);
    free(machine);
}

/* More are taken behind the first ones. */
static void test_wide(void **state) {
    struct machine *machine = begin(KESCO_PLACED_LANES);
    uint32_t i;

    (void)state;
    for (i = 0; i < 2 * KESCO_PLACED_LANES; i++) {
        const struct kesco_access access = part(i, true);
        assert_int_equal(place(machine, &access, 1), i % KESCO_PLACED_LANES);
    }
    free(machine);
}

/* Each works on what one of eight before left behind. */
static void test_chains(void **state) {
    struct machine *machine = begin(8);
    uint32_t i;

    (void)state;
    for (i = 0; i < OPS; i++) {
        const struct kesco_access access = part(i % 8, true);
        assert_int_equal(place(machine, &access, 1), i % 8);
    }
    assert_int_equal(depth(machine), OPS / 8);
    free(machine);
}

/* A wait for a lane stands for those for all that it comes behind. */
static void test_implied(void **state) {
    const struct kesco_access first[] = {part(0, true)}, second[] = {part(1, true)},
                              third[] = {part(2, true)}, behind_first[] = {part(0, false), part(3, true)},
                              behind_second[] = {part(1, false), part(4, true)},
                              behind_both[] = {part(0, false), part(1, false), part(2, true)},
                              behind_third[] = {part(2, false), part(5, true)},
                              last[] = {part(0, false), part(1, false), part(2, false)};
    struct machine *machine = begin(4);

    (void)state;
    assert_int_equal(place(machine, first, 1), 0);
    assert_int_equal(place(machine, second, 1), 1);
    assert_int_equal(place(machine, third, 1), 2);
    assert_int_equal(place(machine, behind_first, 2), 0);
    assert_int_equal(place(machine, behind_second, 2), 1);
    assert_int_equal(place(machine, behind_both, 3), 2);
    assert_int_equal(place(machine, behind_third, 2), 2);
    machine->waits = 0;
    assert_int_equal(place(machine, last, 3), 3);
    assert_int_equal(machine->waits, 1);
    assert_ordered(machine);
    free(machine);
}

/* Steps of a factorisation by tiles: more ranges in flight than the table has, on all lanes. */
static void test_tiles(void **state) {
    enum { TILES = 14 };
    struct machine *machine = begin(KESCO_PLACED_LANES);
    uint32_t step, row, column;

    (void)state;
    for (step = 0; step < 2; step++)
        for (row = 1; row < TILES; row++) {
            const struct kesco_access pivot[] = {part(0, true), part(row * TILES, true),
                                                 part(500 + row, true)};

            place(machine, pivot, 3);
            for (column = 1; column < TILES; column++) {
                const struct kesco_access accesses[] = {part(column, true), part(row * TILES + column, true),
                                                        part(row * TILES, false), part(500 + row, false)};
                place(machine, accesses, 4);
            }
        }
    assert_ordered(machine);
    assert_in_range(machine->waits, 0, 450);
    assert_in_range(depth(machine), 2 * TILES - 1, 40);
    assert_int_equal(machine->placing.chains.depth, depth(machine));
    free(machine);
}

/* Halves of neighbours are shared, so each comes behind the one before. */
static void test_neighbours(void **state) {
    struct machine *machine = begin(8);
    uint32_t i;

    (void)state;
    for (i = 0; i < OPS; i++) {
        const struct kesco_access access = from_to(1000 + i * 50, 1100 + i * 50, true);
        place(machine, &access, 1);
    }
    assert_ordered(machine);
    assert_int_equal(depth(machine), OPS);
    assert_int_equal(machine->placing.chains.depth, OPS);
    free(machine);
}

/* One is read by all that follow, time and again: at first those behind it wait for one reader too many. */
static void test_fan(void **state) {
    struct machine *machine = begin(8);
    uint32_t i, j;

    (void)state;
    for (i = 0; i < 20; i++)
        for (j = 0; j < 9; j++) {
            const struct kesco_access accesses[] = {part(j, true), part(0, false)};
            place(machine, accesses, 2);
        }
    assert_ordered(machine);
    assert_in_range(depth(machine), 40, 62);
    free(machine);
}

/* Now and then somebody waits for something old, else nobody for anything: records are not made all the time.
 */
static void test_seldom(void **state) {
    struct machine *machine = begin(8);
    uint32_t i;

    (void)state;
    for (i = 0; i < OPS; i++) {
        const struct kesco_access accesses[] = {part(i % 8, true), part(100 + i, true),
                                                part(100 + (i > 80 && i % 67 == 0 ? i - 17 : i), false)};
        place(machine, accesses, 3);
    }
    assert_ordered(machine);
    assert_in_range(machine->waits, 3, 5);
    assert_in_range(machine->made, machine->waits, 60);
    free(machine);
}

/* Of what one op fills, others divide: each is behind that alone, from the first on. */
static void test_divided(void **state) {
    struct machine *machine = begin(8);
    uint32_t i;

    (void)state;
    for (i = 0; i < 24; i++) {
        const struct kesco_access all = from_to(1000, 1800, true), own = part(i % 8, true);
        place(machine, i == 0 ? &all : &own, 1);
    }
    assert_ordered(machine);
    assert_int_equal(depth(machine), 4);
    assert_int_equal(machine->made, 1);
    free(machine);
}

/* Where nobody asks for the rest, it is not recorded for long. */
static void test_rest(void **state) {
    struct machine *machine = begin(8);
    uint32_t i;

    (void)state;
    for (i = 0; i < OPS; i++) {
        const struct kesco_access accesses[] = {{.begin = 200 * i, .end = 200 * i + 200, .writes = true},
                                                {.begin = 200 * i - 100, .end = 200 * i - 50}};
        place(machine, accesses, i == 0 ? 1 : 2);
    }
    assert_ordered(machine);
    assert_int_equal(depth(machine), OPS);
    assert_int_equal(machine->waits, 0);
    assert_int_equal(machine->made, 32); /* as the first ones, and as parts */
    free(machine);
}

/* More accesses than an op may have are all memory. */
static void test_many_accesses(void **state) {
    struct machine *machine = begin(4);
    struct kesco_access accesses[KESCO_PLACED_ACCESSES + 1];
    const struct kesco_access other = part(1000, true);
    uint32_t i;

    (void)state;
    place(machine, &other, 1);
    for (i = 0; i < KESCO_PLACED_ACCESSES + 1; i++)
        accesses[i] = part(i, false);
    place(machine, accesses, KESCO_PLACED_ACCESSES);
    assert_false(has_op(&machine->ops[1].past, 0));
    place(machine, accesses, KESCO_PLACED_ACCESSES + 1);
    assert_true(has_op(&machine->ops[2].past, 0));
    place(machine, &other, 1);
    assert_true(has_op(&machine->ops[3].past, 2));
    free(machine);
}

/* No access is no order. */
static void test_no_access(void **state) {
    struct machine *machine = begin(2);
    const struct kesco_access none = from_to(5000, 5000, true), all = from_to(0, UINTPTR_MAX, true);

    (void)state;
    place(machine, &all, 1);
    place(machine, &none, 1);
    assert_false(has_op(&machine->ops[1].past, 0));
    free(machine);
}

/* Columns of one matrix, each written twice, and a row across all of them. */
static void test_columns(void **state) {
    enum { COLUMNS = 8, WIDTH = 16, PITCH = COLUMNS * WIDTH, ROWS = 10 };
    struct machine *machine = begin(COLUMNS);
    const struct kesco_access row = from_to(1000 + PITCH, 1000 + 2 * PITCH, true);
    uint32_t i;

    (void)state;
    for (i = 0; i < 2 * COLUMNS; i++) {
        const uintptr_t first = 1000 + i % COLUMNS * WIDTH, last = first + (ROWS - 1) * PITCH;
        const struct kesco_access column = {first, last + WIDTH, PITCH, WIDTH, .writes = true};
        place(machine, &column, 1);
    }
    assert_int_equal(depth(machine), 2);
    place(machine, &row, 1);
    assert_int_equal(depth(machine), 3);
    assert_ordered(machine);
    free(machine);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),        cmocka_unit_test(test_random_pieces),
        cmocka_unit_test(test_columns),       cmocka_unit_test(test_apart),
        cmocka_unit_test(test_chains),        cmocka_unit_test(test_neighbours),
        cmocka_unit_test(test_implied),       cmocka_unit_test(test_tiles),
        cmocka_unit_test(test_fan),           cmocka_unit_test(test_seldom),
        cmocka_unit_test(test_divided),       cmocka_unit_test(test_rest),
        cmocka_unit_test(test_many_accesses), cmocka_unit_test(test_no_access),
        cmocka_unit_test(test_late_width),    cmocka_unit_test(test_wide),
        cmocka_unit_test(test_idle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
