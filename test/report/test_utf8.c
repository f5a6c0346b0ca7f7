/* Lines of pictures: characters that XML takes, and as wide as asked for (utf8.h). */
#include "plugin/report/utf8.h"
#include "test/cmocka.h"

#include <stdint.h>
#include <stdlib.h>

#define BAD "\xEF\xBF\xBD"
#define CUT "\xE2\x80\xA6"

static void expect_line(const char *text, size_t cells, const char *expected) {
    char *line = kesco_utf8_line(text, cells);
    assert_string_equal(line, expected);
    free(line);
}

static void characters_that_xml_does_not_take_are_replaced(void **state) {
    (void)state;
    expect_line("a\x01\n\t\x7F z", SIZE_MAX, "a" BAD BAD BAD BAD " z");
    expect_line("\xC2\x80\xC2\x9F\xC2\xA0", SIZE_MAX, BAD BAD "\xC2\xA0");
    expect_line("\xEF\xBF\xBC\xEF\xBF\xBE\xEF\xBF\xBF", SIZE_MAX, "\xEF\xBF\xBC" BAD BAD);
    expect_line("\xFF\xED\xA0\x80", SIZE_MAX, BAD BAD BAD BAD);
    expect_line("", SIZE_MAX, "");
}

static void wide_text_is_cut(void **state) {
    (void)state;
    expect_line("kernel", 6, "kernel");
    expect_line("kernel", 5, "kern" CUT);
    expect_line("kernel", 1, CUT);
    expect_line("\xC3\xA9\xC3\xA9\xC3\xA9", 2, "\xC3\xA9" CUT);
    expect_line("\xE4\xB8\xAD\xE4\xB8\xAD\xE4\xB8\xAD", 6, "\xE4\xB8\xAD\xE4\xB8\xAD\xE4\xB8\xAD");
    expect_line("\xE4\xB8\xAD\xE4\xB8\xAD\xE4\xB8\xAD", 5, "\xE4\xB8\xAD\xE4\xB8\xAD" CUT);
    expect_line("\xE4\xB8\xAD\xE4\xB8\xAD\xE4\xB8\xAD", 4, "\xE4\xB8\xAD" CUT);
}

static void cells_are_counted_by_character(void **state) {
    (void)state;
    assert_int_equal(kesco_utf8_cells(""), 0);
    assert_int_equal(kesco_utf8_cells("a\xC3\xA9"), 2);
    assert_int_equal(kesco_utf8_cells("\xE1\x83\xBF"), 1); /* U+10FF */
    assert_int_equal(kesco_utf8_cells("\xE1\x84\x80"), 2); /* U+1100 */
    assert_int_equal(kesco_utf8_cells("\xF0\x9F\x98\x80"), 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(characters_that_xml_does_not_take_are_replaced),
        cmocka_unit_test(wide_text_is_cut),
        cmocka_unit_test(cells_are_counted_by_character),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
