/* Which bytes of managed memory are fetched for what ops say that they use. */
#include "runtime/region/stretch.h"
#include "test/cmocka.h"

#include <string.h>

#define KIB ((uintptr_t)1 << 10)
#define MIB ((uintptr_t)1 << 20)

enum { BASE = 0x40000000 };

static const struct kesco_allocation small = {BASE, BASE + 4 * MIB}, large = {BASE, BASE + 64 * MIB};
static struct kesco_stretches stretches;
static int regions[2];

static int set_up(void **state) {
    (void)state;
    memset(&stretches, 0, sizeof stretches);
    return 0;
}

static struct kesco_use use_of(int region, uintptr_t begin, uintptr_t end) {
    return (struct kesco_use){.region = &regions[region],
                              .pointer = (const void *)(BASE + begin),
                              .part = {BASE + begin, BASE + end}};
}

/* An op of a region uses the bytes from `begin` to `end` of the allocation; how many bytes that fetches. */
static uintptr_t fetch_in(int region, struct kesco_allocation whole, uintptr_t begin, uintptr_t end) {
    const struct kesco_use use = use_of(region, begin, end);
    struct kesco_allocation bytes;

    if (kesco_stretches_have(&stretches, &use))
        return 0;
    bytes = kesco_stretches_take_in(&stretches, &use, whole);
    assert_true(bytes.begin >= bytes.end || (whole.begin <= bytes.begin && bytes.end <= whole.end));
    return bytes.end - bytes.begin;
}

static uintptr_t fetch(struct kesco_allocation whole, uintptr_t begin, uintptr_t end) {
    return fetch_in(0, whole, begin, end);
}

static void next_pass(void) {
    kesco_stretches_clear(&stretches);
}

/* By pages, and each byte once. */
static void parts_come_as_they_are_used(void **state) {
    int pass;

    (void)state;
    for (pass = 0; pass < 4; pass++) {
        assert_int_equal(fetch(large, 0, KIB), 64 * KIB);
        assert_int_equal(fetch(large, 0, KIB), 0);
        assert_int_equal(fetch(large, 3 * KIB, 64 * KIB), 0);
        assert_int_equal(fetch(large, 2 * MIB, 3 * MIB), MIB);
        assert_int_equal(fetch(large, 2 * MIB + KIB, 3 * MIB - KIB), 0);
        assert_int_equal(fetch(large, 32 * MIB, 34 * MIB), pass < 2 ? 2 * MIB : 3 * MIB);
        assert_int_equal(fetch(large, 31 * MIB, 33 * MIB), pass < 2 ? MIB : 0);
        next_pass();
    }
}

/* What ops use side by side, or one over the other's, comes by one call once they have done so twice. */
static void neighbours_come_together(void **state) {
    int pass;

    (void)state;
    for (pass = 0; pass < 6; pass++) {
        assert_int_equal(fetch(large, 8 * MIB, 9 * MIB), pass < 2 ? MIB : 2 * MIB);
        assert_int_equal(fetch(large, 8 * MIB + 512 * KIB, 10 * MIB), pass < 2 ? MIB : 0);
        assert_int_equal(fetch(large, 6 * MIB, 6 * MIB + KIB), 64 * KIB);
        next_pass();
    }
}

/* What is used no more is fetched once more, at most; and never, if it is not used but now and then. */
static void what_ends_is_forgotten(void **state) {
    int pass;

    (void)state;
    for (pass = 0; pass < 3; pass++) {
        fetch(large, 0, MIB);
        fetch(large, MIB, 3 * MIB);
        next_pass();
    }
    assert_int_equal(fetch(large, 0, MIB), 3 * MIB);
    for (pass = 0; pass < 9; pass++) {
        next_pass();
        assert_int_equal(fetch(large, 0, MIB), MIB);
        if (pass % 2 == 1)
            assert_int_equal(fetch(large, MIB, 3 * MIB), 2 * MIB);
    }
}

/* What moves or grows is not taken for what it was. */
static void moving_parts_come_alone(void **state) {
    uintptr_t pass;

    (void)state;
    for (pass = 1; pass < 16; pass++) {
        assert_int_equal(fetch(large, pass * MIB, pass * MIB + KIB), 64 * KIB);
        assert_int_equal(fetch(large, 32 * MIB, 32 * MIB + pass * MIB), pass * MIB);
        next_pass();
    }
}

/* Bytes beyond the allocation are not there; one that cannot be right says nothing. */
static void nothing_comes_from_beyond(void **state) {
    (void)state;
    assert_int_equal(fetch(small, 3 * MIB, 64 * MIB), MIB);
    assert_int_equal(fetch(small, 3 * MIB + KIB, 32 * MIB), 0);
    next_pass();
    assert_int_equal(fetch(small, 3 * MIB, 64 * MIB), MIB);
    next_pass();
    assert_int_equal(fetch(small, 8 * MIB, 9 * MIB), 4 * MIB);
    /* given out anew, and smaller */
    next_pass();
    assert_int_equal(fetch((struct kesco_allocation){BASE, BASE + 3 * MIB + 5}, 3 * MIB, 64 * MIB), 5);
}

/* A loop goes through memory, on or back: it makes few calls, and has little in vain; and then, one call. */
static void go_through(struct kesco_allocation whole, uintptr_t rows, bool back, uintptr_t calls,
                       uintptr_t most_bytes) {
    uintptr_t row, bytes, made = 0, sum = 0;

    for (row = 0; row < rows; row++) {
        const uintptr_t begin = (back ? rows - 1 - row : row) * 4 * KIB;

        bytes = fetch(whole, begin, begin + 4 * KIB);
        made += bytes > 0;
        sum += bytes;
    }
    assert_true(made <= calls && sum >= rows * 4 * KIB && sum <= most_bytes);
    next_pass();
}

static void rows_come_ahead(void **state) {
    int back;

    (void)state;
    for (back = 0; back < 2; back++) {
        set_up(NULL);
        go_through(large, 256, back != 0, 8, 2 * MIB + 256 * KIB);
        go_through(large, 256, back != 0, 8, 2 * MIB + 256 * KIB);
        go_through(large, 256, back != 0, 1, MIB);
        go_through(large, 10240, back != 0, 25, 51 * MIB);
        go_through(large, 10240, back != 0, 25, 51 * MIB);
        go_through(large, 10240, back != 0, 1, 40 * MIB);
    }
}

/* So many parts all over large memory: how many bytes come. */
static uintptr_t fetch_parts(struct kesco_allocation whole, uintptr_t count, uintptr_t distance,
                             uintptr_t size) {
    uintptr_t i, sum = 0;

    for (i = 0; i < count; i++)
        sum += fetch(whole, i * distance, i * distance + size);
    next_pass();
    return sum;
}

/* Of parts all over large memory, but a few are fetched; where most of it is used, all of it comes. */
static void scattered_parts(void **state) {
    (void)state;
    assert_int_equal(fetch_parts(large, 32, 2 * MIB, KIB), KESCO_STRETCHES_APART * 64 * KIB);
    assert_int_equal(fetch_parts(large, 32, 2 * MIB, KIB), KESCO_STRETCHES_APART * 64 * KIB);
    assert_int_equal(fetch_parts(large, 13, 4 * MIB, 3 * MIB), KESCO_STRETCHES_APART * 3 * MIB);
    assert_int_equal(fetch_parts(large, 16, 4 * MIB, 3 * MIB), (KESCO_STRETCHES_APART * 3 + 64) * MIB);
    assert_int_equal(fetch_parts(large, 16, 4 * MIB, 3 * MIB), (KESCO_STRETCHES_APART * 3 + 64) * MIB);
    assert_int_equal(fetch_parts(large, 16, 4 * MIB, 3 * MIB), 64 * MIB);
    assert_int_equal(fetch_parts(large, 2, 4 * MIB, 3 * MIB), 64 * MIB);
    assert_int_equal(fetch_parts(large, 2, 4 * MIB, 3 * MIB), 6 * MIB);
}

/* Of smaller memory, parts of parts are enough. */
static void scattered_parts_of_small_memory(void **state) {
    (void)state;
    assert_int_equal(fetch_parts(small, 9, 256 * KIB, KIB), KESCO_STRETCHES_APART * 64 * KIB);
    assert_int_equal(fetch_parts(small, 10, 256 * KIB, KIB), KESCO_STRETCHES_APART * 64 * KIB + 4 * MIB);
    assert_int_equal(fetch_parts(small, 10, 256 * KIB, KIB), KESCO_STRETCHES_APART * 64 * KIB + 4 * MIB);
    assert_int_equal(fetch_parts(small, 10, 256 * KIB, KIB), 4 * MIB);
    assert_int_equal(fetch_parts(small, 10, 256 * KIB, KIB), 4 * MIB);
    assert_int_equal(fetch_parts(small, 1, 256 * KIB, KIB), 4 * MIB);
    assert_int_equal(fetch_parts(small, 1, 256 * KIB, KIB), 64 * KIB);
}

/* What is used in one piece is never more than that. */
static void most_of_it_in_one_piece(void **state) {
    int pass;

    (void)state;
    for (pass = 0; pass < 3; pass++) {
        assert_int_equal(fetch(large, MIB, 60 * MIB), 59 * MIB);
        next_pass();
    }
}

/* Another region begins with what was used in one; then, each knows its own. */
static void regions_learn_from_each_other(void **state) {
    int pass;

    (void)state;
    for (pass = 0; pass < 3; pass++) {
        fetch_in(0, large, 0, MIB);
        fetch_in(0, large, MIB, 3 * MIB);
        next_pass();
    }
    for (pass = 0; pass < 3; pass++) {
        assert_int_equal(fetch_in(1, large, 0, MIB), pass == 0 ? 3 * MIB : MIB);
        next_pass();
        assert_int_equal(fetch_in(0, large, 0, MIB), 3 * MIB);
        assert_int_equal(fetch_in(0, large, MIB, 3 * MIB), 0);
        next_pass();
    }
}

/* An op that may use any byte has all fetched, unless all is there. */
static void any_byte(void **state) {
    const struct kesco_use any = {.region = &regions[0], .pointer = (const void *)(BASE + MIB)};
    struct kesco_allocation bytes;
    uintptr_t i;

    (void)state;
    fetch(small, MIB, 2 * MIB);
    assert_false(kesco_stretches_have(&stretches, &any));
    bytes = kesco_stretches_take_in(&stretches, &any, small);
    assert_true(bytes.begin == small.begin && bytes.end == small.end);
    assert_true(kesco_stretches_have(&stretches, &any));
    assert_int_equal(fetch(small, 0, MIB), 0);
    set_up(NULL);
    for (i = 0; i < 9; i++)
        fetch(small, i * 256 * KIB, i * 256 * KIB + KIB);
    assert_false(kesco_stretches_have(&stretches, &any));
}

/* With what rests, so does what was used with it, or by the same pointer; and what is overwritten beside it,
 * if it is. */
static void what_rests(void **state) {
    struct kesco_use first = use_of(0, 0, MIB), next = use_of(0, MIB, 2 * MIB);

    (void)state;
    fetch(large, 0, MIB);
    fetch(large, MIB, 3 * MIB);
    next_pass();
    assert_null(kesco_stretches_rest(&stretches, &first));
    assert_int_equal(fetch(large, MIB, 3 * MIB), 0);
    next_pass();
    assert_int_equal(fetch(large, 0, MIB), 3 * MIB);
    set_up(NULL);
    kesco_stretches_rest(&stretches, &first);
    assert_false(kesco_stretches_have(&stretches, &next));
    next.pointer = first.pointer; /* of which it is known that it rests */
    assert_true(kesco_stretches_have(&stretches, &next));
    next = use_of(0, MIB, 2 * MIB);
    set_up(NULL);
    first.is_overwritten = true;
    *kesco_stretches_rest(&stretches, &first) = (struct kesco_allocation){BASE, BASE + 2 * MIB};
    assert_false(kesco_stretches_have(&stretches, &next));
    next.is_overwritten = true;
    assert_true(kesco_stretches_have(&stretches, &next));
    assert_int_equal(fetch(large, MIB, 2 * MIB), 0);
    next = use_of(0, 2 * MIB, 3 * MIB); /* of another allocation */
    next.is_overwritten = true;
    assert_false(kesco_stretches_have(&stretches, &next));
}

/* What of `count` allocations is fetched that are used in turn. */
static uintptr_t fetch_many(uintptr_t count) {
    uintptr_t i, sum = 0;

    for (i = 0; i < count; i++) {
        const uintptr_t begin = i * 8 * MIB;
        const struct kesco_allocation whole = {BASE + begin, BASE + begin + 4 * MIB};

        sum += fetch(whole, begin + MIB, begin + 2 * MIB);
        assert_int_equal(fetch(whole, begin + MIB, begin + 2 * MIB), 0);
    }
    return sum;
}

/* More than can be remembered are fetched all the same, but for one or two, and none of them again before the
 * host waits. */
static void many(void **state) {
    enum { COUNT = 3 * KESCO_STRETCHES_MOST };
    int pass;

    (void)state;
    for (pass = 0; pass < 3; pass++) {
        next_pass();
        assert_in_range(fetch_many(COUNT), (COUNT - 2) * MIB, COUNT * MIB);
        assert_int_equal(fetch_many(COUNT), 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(parts_come_as_they_are_used, set_up),
        cmocka_unit_test_setup(neighbours_come_together, set_up),
        cmocka_unit_test_setup(what_ends_is_forgotten, set_up),
        cmocka_unit_test_setup(moving_parts_come_alone, set_up),
        cmocka_unit_test_setup(nothing_comes_from_beyond, set_up),
        cmocka_unit_test_setup(rows_come_ahead, set_up),
        cmocka_unit_test_setup(scattered_parts, set_up),
        cmocka_unit_test_setup(scattered_parts_of_small_memory, set_up),
        cmocka_unit_test_setup(most_of_it_in_one_piece, set_up),
        cmocka_unit_test_setup(regions_learn_from_each_other, set_up),
        cmocka_unit_test_setup(any_byte, set_up),
        cmocka_unit_test_setup(what_rests, set_up),
        cmocka_unit_test_setup(many, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
