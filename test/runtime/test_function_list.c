/* Lists of functions by name: how they are read, and for which functions a name stands. */
#include "runtime/function_list.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void require_names(const char *text, uint32_t count, const char *const *names) {
    struct kesco_function_list list;
    uint32_t i;

    assert_int_equal(kesco_function_list_read(&list, text), 0);
    assert_int_equal(list.count, count);
    for (i = 0; i < count; i++)
        assert_string_equal(list.names[i].text, names[i]);
    kesco_function_list_clear(&list);
}

static bool stands_for(const char *name, const char *function) {
    struct kesco_function_list list;
    bool found;

    assert_int_equal(kesco_function_list_read(&list, name), 0);
    assert_int_equal(list.count, 1);
    found = kesco_function_list_has(&list, function);
    assert_int_equal(found, list.names[0].found);
    kesco_function_list_clear(&list);
    return found;
}

/* Each name but the last, which is NULL. */
static void require_all(const char *function, const char *const *names) {
    for (; *names != NULL; names++)
        if (!stands_for(*names, function))
            fail_msg("'%s' does not stand for '%s'", *names, function);
}

static void require_none(const char *function, const char *const *names) {
    for (; *names != NULL; names++)
        if (stands_for(*names, function))
            fail_msg("'%s' stands for '%s'", *names, function);
}

#define NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})

static void test_commas_separate_names(void **state) {
    (void)state;
    require_names("run", 1, NAMES("run"));
    require_names("run,main", 2, NAMES("run", "main"));
    require_names(" run , ns::step ", 2, NAMES("run", "ns::step"));
    require_names("run(int, float),main", 2, NAMES("run(int, float)", "main"));
    require_names("void run<int, Box<int, 2>>(int),main", 2,
                  NAMES("void run<int, Box<int, 2>>(int)", "main"));
    require_names("main::{lambda(int, int)#1}::operator()(int, int) const,b", 2,
                  NAMES("main::{lambda(int, int)#1}::operator()(int, int) const", "b"));
    require_names("a<(2>1), 3>,b", 2, NAMES("a<(2>1), 3>", "b"));
    require_names("a<&S::f(int)->x, 3>,b", 2, NAMES("a<&S::f(int)->x, 3>", "b"));
}

static void test_operators_are_names(void **state) {
    (void)state;
    require_names("S::operator,(S),b", 2, NAMES("S::operator,(S)", "b"));
    require_names("operator<,operator>>,operator->,operator()(int, int),operator[],b", 6,
                  NAMES("operator<", "operator>>", "operator->", "operator()(int, int)", "operator[]", "b"));
    require_names("S::operator int*,my_operator,operators,c", 4,
                  NAMES("S::operator int*", "my_operator", "operators", "c"));
    require_all("S::operator,(S)", NAMES("S::operator,(S)", "operator,"));
    require_all("bool ns::S::operator<(int) const",
                NAMES("operator<", "ns::S::operator<", "S::operator<(int)"));
    require_all("void ns::S::operator()<float>(float)", NAMES("operator()", "S::operator()<float>"));
    require_all("ns::S::operator()(int)", NAMES("operator()", "ns::S::operator()", "S::operator()(int)"));
    require_all("ns::S::operator std::vector<int>()", NAMES("S::operator std::vector<int>"));
    require_none("ns::S::operator()(int)", NAMES("S", "operator", "ns::S"));
}

static void test_what_is_no_list_is_refused(void **state) {
    static const char *const texts[] = {"",  ",",     "a,",      ",a",        "a,,b",
                                        " ", "a, ,b", "run(int", "run<int,b", "a,b("};
    struct kesco_function_list list;
    size_t i;

    (void)state;
    for (i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_int_equal(kesco_function_list_read(&list, texts[i]), -EINVAL);
}

static void test_parts_may_be_left_out(void **state) {
    (void)state;
    require_all("main", NAMES("main"));
    require_all("run(int)", NAMES("run(int)", "run"));
    require_all("void ns::run<int>(float*)",
                NAMES("void ns::run<int>(float*)", "ns::run<int>(float*)", "run<int>(float*)", "run<int>",
                      "run", "ns::run", "ns::run<int>", "void ns::run"));
    require_all("Box<int, 2>::run(int) const",
                NAMES("Box<int, 2>::run(int) const", "Box<int, 2>::run(int)", "Box<int, 2>::run", "run"));
    require_all("(anonymous namespace)::run(int)",
                NAMES("run", "run(int)", "(anonymous namespace)::run", "(anonymous namespace)::run(int)"));
    require_all("void ns::(anonymous namespace)::run<int>(int)",
                NAMES("run", "ns::(anonymous namespace)::run<int>", "(anonymous namespace)::run"));
    require_all("std::vector<int> const& ns::get<int>(int)", NAMES("get", "ns::get", "get<int>(int)"));
    require_all("decltype((int)() + (float)()) ns::run<int, float>(int, float)",
                NAMES("run", "run<int, float>"));
    require_all("auto ns::run<((1) > (2))>(int)", NAMES("run"));
    require_all("void run<((1) < (2))>(int)", NAMES("run", "run<((1) < (2))>"));
    require_all("run[abi:new](int)", NAMES("run", "run[abi:new]"));
    require_all("run() (.__uniq.213)", NAMES("run", "run()", "run() (.__uniq.213)"));
    require_all("decltype(auto) run<int>(int) (.__uniq.213)", NAMES("decltype(auto) run<int>(int)"));
    require_all("void run<int>(int) requires (sizeof (int) > 2)", NAMES("run", "run<int>(int)"));
    require_all("main::$_0::operator()(int) const::'lambda'(auto)::operator()<int>(auto) const",
                NAMES("operator()", "'lambda'(auto)::operator()",
                      "main::$_0::operator()(int) const::'lambda'(auto)::operator()<int>(auto)"));
}

static void test_other_names_are_other_functions(void **state) {
    (void)state;
    require_none("main", NAMES("mai", "main2", "ain", "main()"));
    require_none("ns::run(int)", NAMES("ns", "un", "ru", "run(float)", "other::run", "ns::", "int"));
    require_none("ns::run<ns::step>(step)", NAMES("step", "ns", "ns::step", "run<step>"));
    require_none("std::vector<int> get(int)", NAMES("std::vector", "vector", "std::vector<int>"));
    require_none("void run(int) const", NAMES("void", "const"));
    require_none("main::$_0::operator()() const", NAMES("main", "$_0"));
}

static void test_deep_brackets_do_no_harm(void **state) {
    char text[512];

    (void)state;
    memset(text, '(', sizeof text);
    memset(text + sizeof text / 2, ')', sizeof text / 2);
    text[0] = 'f';
    text[sizeof text - 1] = '\0';
    assert_true(stands_for("f", text));
    assert_true(stands_for(text, text));
    assert_false(stands_for("f", "g<<<<<<<<<<<<))))))}}}}>>>::h::::operator"));
    assert_false(stands_for("f", ""));
    assert_false(stands_for("f", "operator"));
    assert_false(stands_for("f", "::"));
}

static void test_each_name_is_marked(void **state) {
    struct kesco_function_list list;

    (void)state;
    assert_int_equal(kesco_function_list_read(&list, "a,run,ns::run"), 0);
    assert_false(kesco_function_list_has(&list, "b()"));
    assert_true(kesco_function_list_has(&list, "ns::run()"));
    assert_false(list.names[0].found);
    assert_true(list.names[1].found && list.names[2].found);
    kesco_function_list_clear(&list);
    assert_int_equal(list.count, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_commas_separate_names),
        cmocka_unit_test(test_operators_are_names),
        cmocka_unit_test(test_what_is_no_list_is_refused),
        cmocka_unit_test(test_parts_may_be_left_out),
        cmocka_unit_test(test_other_names_are_other_functions),
        cmocka_unit_test(test_deep_brackets_do_no_harm),
        cmocka_unit_test(test_each_name_is_marked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
