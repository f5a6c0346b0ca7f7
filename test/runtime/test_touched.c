/* What was touched of an object, against a map of the bytes. */
#include "runtime/region/touched.h"
#include "test/cmocka.h"

#include <stdlib.h>
#include <string.h>

enum { BASE = 1000, SPACE = 400, CASES = 20000 };

static struct kesco_touched at(uintptr_t begin, uintptr_t end) {
    return kesco_touched_bytes(BASE + begin, BASE + end);
}

static uint32_t next_random(uint32_t *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

/* Pieces of the distance, up to four of them; notes the bytes in `map`. */
static struct kesco_touched pieces(uint32_t *seed, uint32_t begin, uint32_t distance, bool map[SPACE]) {
    const uint32_t length = 1 + next_random(seed) % (distance - 1), count = 1 + next_random(seed) % 4;
    const uint32_t last = 1 + next_random(seed) % length;
    struct kesco_touched touched = at(begin, begin + (count - 1) * distance + last);
    uint32_t i;

    for (i = 0; i < count; i++)
        memset(map + begin + i * distance, true, i + 1 < count ? length : last);
    touched.distance = distance;
    touched.length = length;
    return touched;
}

/* Steps like those of a loop, most of them, or pieces; notes the bytes in `map`. */
static struct kesco_touched touch_some(uint32_t *seed, bool map[SPACE]) {
    const uint32_t length = 1 + next_random(seed) % 12, first = next_random(seed) % 60;
    const uint32_t step = next_random(seed) % 40, count = 1 + next_random(seed) % 6;
    const bool in_pieces = next_random(seed) % 2 == 0;
    struct kesco_touched touched = {0};
    uint32_t i;

    for (i = 0; i < count; i++) {
        const uint32_t stray = next_random(seed) % 8 == 0 ? next_random(seed) % 20 : 0;
        const uint32_t begin = first + (next_random(seed) % 2 ? i : count - i) * step + stray;
        struct kesco_touched bytes = at(begin, begin + length);

        if (in_pieces && next_random(seed) % 4 != 0)
            bytes = pieces(seed, begin % 80, next_random(seed) % 8 != 0 ? 24 : 30, map);
        else
            memset(map + begin, true, length);
        if (i == 0)
            touched = bytes;
        else
            kesco_touched_add(&touched, &bytes);
        assert_true(kesco_touched_holds(&touched, &bytes));
    }
    return touched;
}

static bool have_one_in_common(const bool a[SPACE], const bool b[SPACE]) {
    int i;

    for (i = 0; i < SPACE; i++)
        if (a[i] && b[i])
            return true;
    return false;
}

/* Bytes in common are never missed; of those who have none, many are told apart though their hulls meet. */
static void test_nothing_is_missed(void **state) {
    uint32_t seed = 1, case_number, told_apart = 0;

    (void)state;
    for (case_number = 0; case_number < CASES; case_number++) {
        bool a_map[SPACE] = {false}, b_map[SPACE] = {false};
        const struct kesco_touched a = touch_some(&seed, a_map), b = touch_some(&seed, b_map);
        int i;

        for (i = 0; i < SPACE; i++) {
            const struct kesco_touched byte = at((uintptr_t)i, (uintptr_t)i + 1);

            assert_true(!a_map[i] || kesco_touched_holds(&a, &byte));
            assert_true(!a_map[i] || kesco_touched_meets(&a, &byte));
            assert_true(!a_map[i] || kesco_touched_meets(&byte, &a));
        }
        assert_int_equal(kesco_touched_meets(&a, &b), kesco_touched_meets(&b, &a));
        assert_true(kesco_touched_meets(&a, &b) || !have_one_in_common(a_map, b_map));
        told_apart += !kesco_touched_meets(&a, &b) && a.begin < b.end && b.begin < a.end;
    }
    assert_true(told_apart > CASES / 100);
}

/* Four passes in turns over one buffer, a piece each: none meets another, however many there are. */
static void test_turns_are_told_apart(void **state) {
    enum { PIECE = 16, TURNS = 4, ROUNDS = 5 };
    struct kesco_touched touched[TURNS];
    uintptr_t turn, round, other;

    (void)state;
    for (round = 0; round < ROUNDS; round++)
        for (turn = 0; turn < TURNS; turn++) {
            const uintptr_t begin = (round * TURNS + turn) * PIECE;
            const struct kesco_touched bytes = at(begin, begin + PIECE);

            if (round == 0)
                touched[turn] = bytes;
            else
                kesco_touched_add(&touched[turn], &bytes);
            for (other = 0; other < (round == 0 ? turn : TURNS); other++)
                assert_int_equal(kesco_touched_meets(&touched[turn], &touched[other]), other == turn);
        }
    kesco_touched_add(&touched[1], &(struct kesco_touched){.begin = BASE + PIECE - 1, .end = BASE + PIECE});
    assert_true(kesco_touched_meets(&touched[0], &touched[1]));
}

/* Tiles of a matrix that stand beside each other, and one across two of them. */
static void test_columns_are_told_apart(void **state) {
    enum { PITCH = 64, COLUMN = 16, COLUMNS = PITCH / COLUMN, ROWS = 4 };
    struct kesco_touched columns[COLUMNS], across = at(COLUMN / 2, (ROWS - 1) * PITCH + COLUMN + COLUMN / 2);
    uintptr_t i, j;

    (void)state;
    for (i = 0; i < COLUMNS; i++) {
        columns[i] = at(i * COLUMN, (ROWS - 1) * PITCH + (i + 1) * COLUMN);
        columns[i].distance = PITCH;
        columns[i].length = COLUMN;
    }
    across.distance = PITCH;
    across.length = COLUMN;
    for (i = 0; i < COLUMNS; i++) {
        for (j = 0; j < COLUMNS; j++)
            assert_int_equal(kesco_touched_meets(&columns[i], &columns[j]), i == j);
        assert_int_equal(kesco_touched_meets(&columns[i], &across), i < 2);
        assert_false(kesco_touched_holds(&columns[i], &across));
    }
    kesco_touched_add(&columns[0], &columns[1]);
    assert_int_equal(columns[0].length, 2 * COLUMN);
    assert_true(kesco_touched_holds(&columns[0], &across));
    assert_false(kesco_touched_meets(&columns[0], &columns[2]));
    kesco_touched_add(&columns[3], &columns[2]);
    assert_false(kesco_touched_meets(&columns[0], &columns[3]));

    /* Of another distance they may be anywhere. */
    across.distance = PITCH + 1;
    assert_true(kesco_touched_meets(&columns[3], &across));
    kesco_touched_add(&columns[3], &across);
    assert_int_equal(columns[3].distance, 0);
}

enum { WIDTH = 10, HEIGHT = 6, DEPTH = 5, PLANE = WIDTH * HEIGHT };

/* A box of a volume, by its rows and by its planes, or not by one of them; notes the bytes in `map`. */
static struct kesco_touched box(uint32_t *seed, bool map[SPACE]) {
    const uint32_t x = next_random(seed) % WIDTH, y = next_random(seed) % HEIGHT,
                   z = next_random(seed) % DEPTH;
    const uint32_t width = 1 + next_random(seed) % (WIDTH - x), height = 1 + next_random(seed) % (HEIGHT - y),
                   depth = 1 + next_random(seed) % (DEPTH - z);
    const uint32_t first = (z * HEIGHT + y) * WIDTH + x, plane = (height - 1) * WIDTH + width;
    struct kesco_touched touched = at(first, first + (depth - 1) * PLANE + plane);
    uint32_t i, j;

    for (i = 0; i < depth; i++)
        for (j = 0; j < height; j++)
            memset(map + first + i * PLANE + j * WIDTH, true, width);
    if (width < WIDTH && next_random(seed) % 8 != 0) {
        touched.distance = WIDTH;
        touched.length = width;
    }
    if (plane < PLANE && next_random(seed) % 8 != 0)
        touched.planes = (struct kesco_places){BASE + first, PLANE, plane};
    return touched;
}

/* The same of boxes, of which most that have no bytes in common are told apart where they are alone. */
static void test_boxes(void **state) {
    uint32_t seed = 3, case_number, apart[2] = {0}, told[2] = {0};

    (void)state;
    for (case_number = 0; case_number < CASES; case_number++) {
        const bool are_alone = case_number % 2 == 0;
        bool a_map[SPACE] = {false}, b_map[SPACE] = {false};
        struct kesco_touched a = box(&seed, a_map), b = box(&seed, b_map);
        uint32_t i;

        for (i = are_alone ? 0 : 1 + next_random(&seed) % 2; i > 0; i--) {
            const struct kesco_touched more = box(&seed, a_map);

            kesco_touched_add(&a, &more);
            assert_true(kesco_touched_holds(&a, &more));
        }
        for (i = 0; i < SPACE; i++) {
            const struct kesco_touched byte = at(i, i + 1);

            assert_true(!a_map[i] || (kesco_touched_holds(&a, &byte) && kesco_touched_meets(&a, &byte)));
        }
        assert_int_equal(kesco_touched_meets(&a, &b), kesco_touched_meets(&b, &a));
        if (have_one_in_common(a_map, b_map)) {
            assert_true(kesco_touched_meets(&a, &b));
            continue;
        }
        apart[are_alone]++;
        told[are_alone] += !kesco_touched_meets(&a, &b);
    }
    assert_true(told[true] > apart[true] / 4 * 3 && told[false] > apart[false] / 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_is_missed),
        cmocka_unit_test(test_turns_are_told_apart),
        cmocka_unit_test(test_columns_are_told_apart),
        cmocka_unit_test(test_boxes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
