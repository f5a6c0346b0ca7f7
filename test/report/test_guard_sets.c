/* Sets of pointers say what guards say, pair for pair (guard_sets.h). */
#include "plugin/report/guard_sets.h"
#include "test/cmocka.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define NAMES 8

static const char *const names[NAMES] = {"a", "b", "c", "d", "e", "f", "g", "h"};

static void pointers_that_all_differ_are_one_set(void **state) {
    (void)state;
    struct kesco_report_guard guards[NAMES * NAMES];
    struct kesco_report_function function = {.assumed.guards = guards};
    struct kesco_guard_sets sets;
    for (size_t a = 0; a < NAMES; a++)
        for (size_t b = a + 1; b < NAMES; b++)
            guards[function.assumed.guard_count++] = (struct kesco_report_guard){names[a], names[b]};
    assert_int_equal(kesco_guard_sets_create(&function, &sets), 0);
    assert_int_equal(sets.count, 1);
    assert_int_equal(sets.start[1], NAMES);
    kesco_guard_sets_free(&sets);
}

static void different_pointers_of_one_name_are_a_pair(void **state) {
    (void)state;
    const struct kesco_report_guard guards[] = {{"p", "p"}, {"p", "q"}, {"p", "p"}};
    const struct kesco_report_function function = {.assumed.guards = guards, .assumed.guard_count = 3};
    struct kesco_guard_sets sets;
    assert_int_equal(kesco_guard_sets_create(&function, &sets), 0);
    assert_int_equal(sets.count, 2);
    assert_int_equal(sets.start[2], 4);
    assert_string_equal(sets.names[0], "p");
    assert_string_equal(sets.names[1], "p");
    assert_string_equal(sets.names[3], "q");
    kesco_guard_sets_free(&sets);
}

static void no_guards_are_no_sets(void **state) {
    (void)state;
    const struct kesco_report_function function = {.name = "f"};
    struct kesco_guard_sets sets;
    assert_int_equal(kesco_guard_sets_create(&function, &sets), 0);
    assert_int_equal(sets.count, 0);
    kesco_guard_sets_free(&sets);
    kesco_guard_sets_free(&sets);
}

/* Takes the pairs of all sets out of `pairs`; false if one was never in it. */
static bool strike_pairs(const struct kesco_guard_sets *sets, bool pairs[NAMES][NAMES],
                         bool told[NAMES][NAMES]) {
    for (size_t set = 0; set < sets->count; set++)
        for (size_t i = sets->start[set]; i < sets->start[set + 1]; i++)
            for (size_t j = i + 1; j < sets->start[set + 1]; j++) {
                size_t a = (size_t)(*sets->names[i] - 'a'), b = (size_t)(*sets->names[j] - 'a');
                if (!pairs[a][b])
                    return false;
                told[a][b] = told[b][a] = true;
            }
    return true;
}

static void sets_have_the_pairs_of_the_guards(void **state) {
    (void)state;
    srand(1);
    for (int round = 0; round < 20000; round++) {
        bool pairs[NAMES][NAMES] = {0}, told[NAMES][NAMES] = {0};
        struct kesco_report_guard guards[40];
        struct kesco_report_function function = {.assumed.guards = guards,
                                                 .assumed.guard_count = (size_t)(rand() % 40)};
        struct kesco_guard_sets sets;
        for (size_t i = 0; i < function.assumed.guard_count; i++) {
            size_t a = (size_t)(rand() % NAMES), b = (a + 1 + (size_t)(rand() % (NAMES - 1))) % NAMES;
            guards[i] = (struct kesco_report_guard){names[a], names[b]};
            pairs[a][b] = pairs[b][a] = true;
        }
        assert_int_equal(kesco_guard_sets_create(&function, &sets), 0);
        assert_true(strike_pairs(&sets, pairs, told));
        assert_memory_equal(pairs, told, sizeof(pairs));
        kesco_guard_sets_free(&sets);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pointers_that_all_differ_are_one_set),
        cmocka_unit_test(different_pointers_of_one_name_are_a_pair),
        cmocka_unit_test(no_guards_are_no_sets),
        cmocka_unit_test(sets_have_the_pairs_of_the_guards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
