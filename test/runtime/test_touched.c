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

/* Steps like those of a loop, most of them; notes the bytes in `map`. */
static struct kesco_touched touch_some(uint32_t *seed, bool map[SPACE]) {
    const uint32_t length = 1 + next_random(seed) % 12, first = next_random(seed) % 60;
    const uint32_t step = next_random(seed) % 40, count = 1 + next_random(seed) % 6;
    struct kesco_touched touched = {0};
    uint32_t i;

    for (i = 0; i < count; i++) {
        const uint32_t stray = next_random(seed) % 8 == 0 ? next_random(seed) % 20 : 0;
        const uint32_t begin = first + (next_random(seed) % 2 ? i : count - i) * step + stray;
        const struct kesco_touched bytes = at(begin, begin + length);

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_is_missed),
        cmocka_unit_test(test_turns_are_told_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
