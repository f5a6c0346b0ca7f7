/* How far names are from each other. */
#include "runtime/nearest.h"

#include "test/cmocka.h"

#include <string.h>

static size_t distance(const char *a, const char *b) {
    return kesco_distance(a, strlen(a), b, strlen(b));
}

static void test_changes_are_counted(void **state) {
    (void)state;
    assert_int_equal(distance("", ""), 0);
    assert_int_equal(distance("STATS", "STATS"), 0);
    assert_int_equal(distance("STAT", "STATS"), 1);
    assert_int_equal(distance("STATS", "STAT"), 1);
    assert_int_equal(distance("kitten", "sitting"), 3);
    assert_int_equal(distance("", "MODE"), 4);
    assert_int_equal(distance("MODE", "mode"), 0);
    assert_int_equal(distance("MDE", "mode"), 1);
    assert_int_equal(distance("mian", "main"), 1);
    assert_int_equal(distance("lnaes", "LANES"), 1);
    assert_int_equal(distance("ba", "ab"), 1);
    assert_int_equal(distance("bca", "abc"), 2);
}

static void test_long_names_are_cut(void **state) {
    char text[2 * KESCO_NEAREST_MOST];

    (void)state;
    memset(text, 'a', sizeof text);
    assert_int_equal(kesco_distance(text, sizeof text, "", 0), KESCO_NEAREST_MOST);
    assert_int_equal(kesco_distance(text, sizeof text, text, sizeof text - 1), 0);
}

static void test_a_third_may_be_wrong(void **state) {
    static const char *const words[] = {"serial", "lanes", "graph"};

    (void)state;
    assert_string_equal(kesco_nearest("lane", 4, words, 3), "lanes");
    assert_string_equal(kesco_nearest("lanes=1", 5, words, 3), "lanes");
    assert_null(kesco_nearest("turns", 5, words, 3));
    assert_null(kesco_nearest("", 0, words, 3));
}

static void test_a_beginning_is_near(void **state) {
    static const char *const words[] = {"fewest-predecessors", "critical-path", "critical-section"};

    (void)state;
    assert_string_equal(kesco_nearest("few", 3, words, 3), "fewest-predecessors");
    assert_string_equal(kesco_nearest("critical", 8, words, 2), "critical-path");
    assert_null(kesco_nearest("critical", 8, words, 3));
    assert_null(kesco_nearest("fe", 2, words, 3));
}

static size_t distance_to_function(const char *name, const char *function) {
    return kesco_distance_to_function(name, strlen(name), function);
}

static void test_a_function_is_its_last_part(void **state) {
    (void)state;
    assert_int_equal(distance_to_function("step", "step(int)"), 0);
    assert_int_equal(distance_to_function("stepp", "ns::Field::step()"), 1);
    assert_int_equal(distance_to_function("step", "void ns::Field<a::b(*)(int)>::step<c::d>(int)"), 0);
    assert_int_equal(distance_to_function("ns::Field::stp", "ns::Field::step()"), 1);
    assert_int_equal(distance_to_function("main", "main"), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_changes_are_counted),         cmocka_unit_test(test_long_names_are_cut),
        cmocka_unit_test(test_a_third_may_be_wrong),        cmocka_unit_test(test_a_beginning_is_near),
        cmocka_unit_test(test_a_function_is_its_last_part),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
