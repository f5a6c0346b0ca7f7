/* The text of summaries: nothing that is damaged passes for a summary (summary_text.h). */
#include "plugin/summary/summary_text.h"
#include "test/cmocka.h"
#include "test/summary/everything.h"
#include "test/summary/make_text.h"
#include "test/summary/same.h"

#include <errno.h>
#include <string.h>

/* Reading the image fails, saying `why` (NULL: anything), and leaves a set as it was. */
static void expect_damage(const struct image *image, const char *why) {
    struct kesco_summaries set = everything(), as_it_was = everything();
    const char *problem = NULL;
    size_t found;
    int err = kesco_summary_text_read(&set, image->bytes, image->size, &found, &problem);
    if (err != -EBADMSG)
        fail_msg("status %d of:\n%.*s", err, (int)image->size, image->bytes);
    assert_non_null(problem);
    if (why)
        assert_string_equal(problem, why);
    assert_true(same_summaries(&set, &as_it_was));
    kesco_summaries_free(&set);
    kesco_summaries_free(&as_it_was);
}

/* What is damaged stays, for the reader to complain of. */
static void a_damaged_text_is_not_erased(void **state) {
    (void)state;
    struct image image = {0};
    image_add_text(&image, everything_as_text);
    char *bytes = (char *)image.bytes;
    bytes[image.size - 2] ^= 1;
    assert_int_equal(kesco_summary_text_erase(bytes, image.size), 0);
    assert_int_equal(bytes[0], 127);
    image_free(&image);
}

/* Damage */

static bool has_mark(const struct image *image) {
    static const char mark[] = "\177KESCO-SUMMARY ";
    return image->size >= strlen(mark) && memcmp(image->bytes, mark, strlen(mark)) == 0;
}

/* Where the mark itself is damaged, there is no text. */
static void expect_nothing(const struct image *image) {
    if (has_mark(image)) {
        expect_damage(image, NULL);
        return;
    }
    struct kesco_summaries set = read_image(image, 0);
    assert_int_equal(set.count, 0);
}

static void no_changed_bit_goes_unseen(void **state) {
    (void)state;
    struct image image = {0};
    image_add_text(&image, everything_as_text);
    for (size_t i = 0; i < image.size; i++) {
        for (unsigned bit = 0; bit < 8; bit++) {
            image.bytes[i] = (char)(image.bytes[i] ^ (1 << bit));
            expect_nothing(&image);
            image.bytes[i] = (char)(image.bytes[i] ^ (1 << bit));
        }
    }
    image_free(&image);
}

static void no_truncation_goes_unseen(void **state) {
    (void)state;
    struct image image = {0};
    image_add_text(&image, everything_as_text);
    while (--image.size > 0)
        expect_nothing(&image);
    image_free(&image);
}

static void no_truncated_ptx_goes_unseen(void **state) {
    (void)state;
    struct image image = {0};
    image_add_ptx(&image, everything_as_text, strlen(everything_as_text));
    const char *mark = strstr(image.bytes, "32, "); /* the mark's last number */
    const size_t shortest = (size_t)(mark + strlen("32, ") - image.bytes);
    for (image.size -= strlen("0};\n"); image.size >= shortest; image.size--)
        expect_damage(&image, NULL);
    image_free(&image);
}

/* Each is the letter K, were it taken modulo 256, or digit by digit. */
static void ptx_numbers_are_bytes(void **state) {
    static const char *const numbers[] = {"331", "0075", "1075", "-181", "0x4b", "'K'"};
    static const char lines[] = "K a\n";
    (void)state;
    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
        struct image image = {0}, right = {0}, inner = {0};
        image_add_lines(&inner, lines, strlen(lines));
        image_add_ptx(&right, inner.bytes, inner.size);
        char *letter = strstr(right.bytes, "75, 32, 97");
        image_add(&image, right.bytes, (size_t)(letter - right.bytes));
        image_add_text(&image, numbers[i]);
        image_add_text(&image, letter + 2);
        expect_damage(&image, NULL);
        image_free(&image);
        image_free(&right);
        image_free(&inner);
    }
}

static void one_damaged_text_of_several_spoils_all(void **state) {
    (void)state;
    struct image image = {0};
    image_add_text(&image, everything_as_text);
    image_add_text(&image, everything_as_text);
    image.bytes[image.size - 2] = 'Y';
    expect_damage(&image, "its checksum is wrong");
    image_add_text(&image, everything_as_text);
    expect_damage(&image, "its checksum is wrong");
    image_free(&image);
}

static void wrong_headers_are_refused(void **state) {
    static const struct {
        const char *text, *why;
    } cases[] = {
        {"\177KESCO-SUMMARY 3 4 27187c71d1c9318b\nK a\n", "it is of another version of KeSCo"},
        {"\177KESCO-SUMMARY 0 4 27187c71d1c9318b\nK a\n", "it is of another version of KeSCo"},
        {"\177KESCO-SUMMARY 18446744073709551615 1 1\n", "it is of another version of KeSCo"},
        {"\177KESCO-SUMMARY 18446744073709551617 4 27187c71d1c9318b\nK a\n", "its header is damaged"},
        {"\177KESCO-SUMMARY -1 4 27187c71d1c9318b\nK a\n", "its header is damaged"},
        {"\177KESCO-SUMMARY  1 4 27187c71d1c9318b\nK a\n", "its header is damaged"},
        {"\177KESCO-SUMMARY one 4 27187c71d1c9318b\nK a\n", "its header is damaged"},
        {"\177KESCO-SUMMARY 1 +4 27187c71d1c9318b\nK a\n", "its header is damaged"},
        {"\177KESCO-SUMMARY 1 67108865 27187c71d1c9318b\nK a\n", "its header is damaged"},
        {"\177KESCO-SUMMARY 1 18446744073709551615 27187c71d1c9318b\nK a\n", "its header is damaged"},
        {"\177KESCO-SUMMARY 1 99999999999999999999999 27187c71d1c9318b\nK a\n", "its header is damaged"},
        {"\177KESCO-SUMMARY 1 4\nK a\n", "its header is damaged"},
        {"\177KESCO-SUMMARY 1 4 27187c71d1c9318\nK a\n", "its header is damaged"},
        {"\177KESCO-SUMMARY 1 4 27187c71d1c9318b0\nK a\n", "its header is damaged"},
        {"\177KESCO-SUMMARY 1 4 27187C71D1C9318B\nK a\n", "its checksum is wrong"},
        {"\177KESCO-SUMMARY 1 5 27187c71d1c9318b\nK a\n", "it is truncated"},
        {"\177KESCO-SUMMARY 1 67108864 27187c71d1c9318b\nK a\n", "it is truncated"},
        {"\177KESCO-SUMMARY \177KESCO-SUMMARY 1 0 cbf29ce484222325\n", "its header is damaged"},
        {"\177KESCO-SUMMARY ", "its header is damaged"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct image image = {0};
        image_add_text(&image, cases[i].text);
        expect_damage(&image, cases[i].why);
        image_free(&image);
    }
}

/* Behind a header that is right. */
static void wrong_lines_are_refused(void **state) {
    static const char *const cases[] = {
        "\n",
        "K\n",
        "K \n",
        "K  a\n",
        "K a b\n",
        "K a \n",
        "K a",
        "K a\tb\n",
        "K a\177\n",
        "K a\r\n",
        "k a\n",
        "Ka\n",
        "K_a\n",
        "P 0 0 r\nK a\n",
        "F p\nK a\n",
        "K a\n\n",
        "K a\nX 1\n",
        "K a\nP\n",
        "K a\nP 0\n",
        "K a\nP 0 0\n",
        "K a\nP 0 0 \n",
        "K a\nP 0 0 x\n",
        "K a\nP 0 0 wr\n",
        "K a\nP 0 0 rr\n",
        "K a\nP 0 0 r \n",
        "K a\nP 0 0 w 1 2\n",
        "K a\nP 0 0 w 1\t2\n",
        "K a\nP  0 0 r\n",
        "K a\nP -1 0 r\n",
        "K a\nP +1 0 r\n",
        "K a\nP 0x1 0 r\n",
        "K a\nP 1.0 0 r\n",
        "K a\nP 4294967296 0 r\n",
        "K a\nP 0 4294967296 r\n",
        "K a\nP 0 18446744073709551616 r\n",
        "K a\nP 0 99999999999999999999999999 r\n",
        "K a\nV v\n",
        "K a\nV v \n",
        "K a\nV v x\n",
        "K a\nV v r more\n",
        "K a\nV  r\n",
        "K a\nC c\n",
        "K a\nW\n",
        "K a\nW -1\n",
        "K a\nW 4294967296\n",
        "K a\nW 1 2\n",
        "W 1\n",
        "K a\nF \n",
        "K a\nF x\n",
        "K a\nF px\n",
        "K a\nF p t\n",
        "K a\nA r\n",
        "K a\nA r -\n",
        "K a\nA - - why\n",
        "K a\nA r  why\n",
        "K a\nA r - why\177\n",
        "K a\nU\n",
        "K a\nU -\n",
        "K a\nU  why\n",
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct image image = {0};
        image_add_lines(&image, cases[i], strlen(cases[i]));
        expect_damage(&image, "it has a line that is none of a summary's");
        image_free(&image);
    }
}

static void zeros_are_no_part_of_a_line(void **state) {
    static const char line[] = "K a\nP 0 0 w 1\nA r - why\n";
    (void)state;
    for (size_t i = 0; i < sizeof(line) - 1; i++) {
        struct image image = {0};
        char lines[sizeof(line)];
        memcpy(lines, line, sizeof(line));
        lines[i] = 0;
        image_add_lines(&image, lines, sizeof(line) - 1);
        expect_damage(&image, "it has a line that is none of a summary's");
        image_free(&image);
    }
}

static void the_largest_numbers_are_read(void **state) {
    static const char lines[] = "K a\nP 4294967295 4294967295 rw\n";
    (void)state;
    struct image image = {0};
    image_add_lines(&image, lines, strlen(lines));
    struct kesco_summaries set = read_image(&image, 1);
    assert_int_equal(kesco_summary_effect(&set.items[0], UINT32_MAX, UINT32_MAX), KESCO_READS | KESCO_WRITES);
    kesco_summaries_free(&set);
    image_free(&image);
}

static void without_memory_a_set_stays_as_it_was(void **state) {
    (void)state;
    struct kesco_summaries set = everything(), as_it_was = everything();
    struct image image = {0};
    static const char lines[] = "K empty\nP 7 0 w 1\nV v r\nA r - why\nU - why\nK zz\nP 0 0 r\n";
    const char *problem;
    size_t found;
    int err = -ENOMEM;
    image_add_lines(&image, lines, strlen(lines));
    image_add_ptx(&image, everything_as_text, strlen(everything_as_text));
    for (int left = 1; err; left++) {
        assert_true(same_summaries(&set, &as_it_was));
        allocations_left = left;
        err = kesco_summary_text_read(&set, image.bytes, image.size, &found, &problem);
        allocations_left = -1;
        assert_true(err == -ENOMEM || (err == 0 && left > 20));
    }
    assert_false(same_summaries(&set, &as_it_was));
    kesco_summaries_free(&set);
    kesco_summaries_free(&as_it_was);
    image_free(&image);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_damaged_text_is_not_erased),
        cmocka_unit_test(no_changed_bit_goes_unseen),
        cmocka_unit_test(no_truncation_goes_unseen),
        cmocka_unit_test(no_truncated_ptx_goes_unseen),
        cmocka_unit_test(ptx_numbers_are_bytes),
        cmocka_unit_test(one_damaged_text_of_several_spoils_all),
        cmocka_unit_test(wrong_headers_are_refused),
        cmocka_unit_test(wrong_lines_are_refused),
        cmocka_unit_test(zeros_are_no_part_of_a_line),
        cmocka_unit_test(the_largest_numbers_are_read),
        cmocka_unit_test(without_memory_a_set_stays_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
