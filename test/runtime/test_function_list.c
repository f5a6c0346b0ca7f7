/* Lists of functions by name: how they are read, and for which functions a name stands. */
#include "runtime/function_list.h"
#include "test/cmocka.h"

#include <errno.h>
#include <string.h>

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

static void test_names_may_end_before_brackets(void **state) {
    (void)state;
    require_all("main", NAMES("main"));
    require_all("run(int)", NAMES("run", "run(int)"));
    require_all("void ns::run<int>(float*)",
                NAMES("void ns::run", "void ns::run<int>", "void ns::run<int>(float*)"));
    require_all("Box<int, 2>::run(int) const", NAMES("Box<int, 2>::run", "Box<int, 2>::run(int) const"));
    require_all("(anonymous namespace)::run(int)", NAMES("(anonymous namespace)::run"));
    require_all("ns::S::operator()(int)", NAMES("ns::S::operator()", "ns::S::operator()(int)"));
}

static void test_other_names_are_other_functions(void **state) {
    (void)state;
    require_none("main", NAMES("mai", "main2", "ain", "main()"));
    require_none("ns::run(int)", NAMES("ns", "run", "ns::ru", "ns::run(float)", "ns::", "int"));
    require_none("void run<step>(step)", NAMES("void", "run", "step", "run<step>"));
    require_none("run(int) const", NAMES("run(int)", "const"));
    require_none("", NAMES("f"));
}

static void test_each_name_is_marked(void **state) {
    struct kesco_function_list list;

    (void)state;
    assert_int_equal(kesco_function_list_read(&list, "a,ns::run,ns::run()"), 0);
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
        cmocka_unit_test(test_what_is_no_list_is_refused),
        cmocka_unit_test(test_names_may_end_before_brackets),
        cmocka_unit_test(test_other_names_are_other_functions),
        cmocka_unit_test(test_each_name_is_marked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
