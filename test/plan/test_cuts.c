/* Objects are cut where the bytes that ops touch begin and end, and into rows where these are pieces. */
#include "plugin/region/cuts.h"
#include "test/cmocka.h"

static struct kesco_cut_access bytes(uint64_t begin, uint64_t end) {
    return (struct kesco_cut_access){.is_known = true, .bytes = {begin, end}};
}

/* `length` bytes of each of the rows of 16 that begin with that at `begin` and end before `end`. */
static struct kesco_cut_access pieces(uint64_t begin, uint64_t end, uint64_t length) {
    return (struct kesco_cut_access){
        .is_known = true, .bytes = {begin, end}, .distance = 16, .length = length};
}

/* Cuts "a" into as many parts as are expected, called `expected`. */
static void cut(struct kesco_cut_access *accesses, size_t count, int parts, const char *const *expected) {
    struct kesco_arena memory = {0};
    const char *names[KESCO_MOST_PARTS];

    assert_int_equal(kesco_cut(accesses, count, "a", &memory, names), parts);
    for (int i = 0; i < parts && expected != NULL; i++)
        assert_string_equal(names[i], expected[i]);
    kesco_arena_free(&memory);
}

static void test_bytes(void **state) {
    struct kesco_cut_access all[] = {bytes(0, 8), bytes(4, 12), {.is_known = false}, bytes(8, 8)};
    const char *const names[] = {"a[0..4)", "a[4..8)", "a[8..12)"};

    (void)state;
    cut(all, 4, 3, names);
    assert_int_equal(all[0].parts, 1 | 2);
    assert_int_equal(all[1].parts, 2 | 4);
    assert_int_equal(all[2].parts, 1 | 2 | 4);
    assert_int_equal(all[3].parts, 0);
}

static void test_one_part_tells_nothing(void **state) {
    struct kesco_cut_access alike[] = {bytes(0, 8), bytes(0, 8)}, unknown[2] = {0};
    struct kesco_cut_access many[KESCO_MOST_PARTS + 1];

    (void)state;
    cut(alike, 2, 0, NULL);
    cut(unknown, 2, 0, NULL);
    for (uint64_t i = 0; i < KESCO_MOST_PARTS; i++)
        many[i] = bytes(i, i + 1);
    cut(many, KESCO_MOST_PARTS, 0, NULL);
    cut(many, KESCO_MOST_PARTS - 1, KESCO_MOST_PARTS - 1, NULL);
}

static void test_rows(void **state) {
    struct kesco_cut_access all[] = {pieces(0, 40, 8), pieces(8, 48, 8), bytes(16, 32)};
    const char *const names[] = {"a[rows 0..1, bytes 0..8)", "a[rows 0..1, bytes 8..16)",
                                 "a[rows 1..2, bytes 0..8)", "a[rows 1..2, bytes 8..16)",
                                 "a[rows 2..3, bytes 0..8)", "a[rows 2..3, bytes 8..16)"};

    (void)state;
    cut(all, 3, 6, names);
    assert_int_equal(all[0].parts, 1 | 4 | 16);
    assert_int_equal(all[1].parts, 2 | 8 | 32);
    assert_int_equal(all[2].parts, 4 | 8);
}

/* Pieces that go over the end of rows are in two spans of each. */
static void test_pieces_over_the_end(void **state) {
    struct kesco_cut_access all[] = {pieces(12, 52, 8), pieces(4, 44, 8)};

    (void)state;
    cut(all, 2, 6, NULL);
    assert_int_equal(all[0].parts, 1 | 4 | 8 | 32);
    assert_int_equal(all[1].parts, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_one_part_tells_nothing),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_pieces_over_the_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
