/*
 * The text of summaries: it reads back to what was written, from whatever holds it, and nothing that is
 * damaged passes for a summary (summary_text.h).
 *
 * KESCO_TEST_SEED=N starts at another seed, KESCO_TEST_CASES=N tries that many random sets.
 */
#include "plugin/summary/summary_text.h"
#include "test/cmocka.h"
#include "test/summary/make_text.h"
#include "test/summary/same.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_CASES 3000

/* A set that tells all there is to tell. */
static struct kesco_summaries everything(void) {
    struct kesco_summaries set = {0};
    struct kesco_summary *k = kesco_summaries_add(&set, "_Z4blurPfPKfi");
    assert_non_null(k);
    assert_int_equal(kesco_summary_add_parameter(k, 0, 0, KESCO_READS | KESCO_WRITES, "12"), 0);
    assert_int_equal(kesco_summary_add_parameter(k, 1, 0, KESCO_READS, NULL), 0);
    assert_int_equal(kesco_summary_add_parameter(k, 2, 16, KESCO_WRITES, "lib/blur.h:7"), 0);
    assert_int_equal(kesco_summary_add_variable(k, "weights", KESCO_READS, true), 0);
    assert_int_equal(kesco_summary_add_variable(k, "_ZL5total", KESCO_READS | KESCO_WRITES, false), 0);
    k->flags = KESCO_FLAGS;
    assert_int_equal(kesco_summary_add_work(k, 4711, "0;9,a2:0:32,*"), 0);
    assert_int_equal(kesco_summary_add_anywhere(k, KESCO_WRITES, "writes through a pointer", "15"), 0);
    assert_int_equal(kesco_summary_add_unseen(k, "calls 'f'", "16"), 0);
    assert_non_null(kesco_summaries_add(&set, "empty"));
    return set;
}

static const char everything_as_text[] = "\177KESCO-SUMMARY 4 168 6729a01dae888019\n"
                                         "K _Z4blurPfPKfi\n"
                                         "P 0 0 rw 12\n"
                                         "P 1 0 r\n"
                                         "P 2 16 w lib/blur.h:7\n"
                                         "V _ZL5total rw\n"
                                         "C weights r\n"
                                         "F phtw\n"
                                         "W 4711 0;9,a2:0:32,*\n"
                                         "A w 15 writes through a pointer\n"
                                         "U 16 calls 'f'\n"
                                         "K empty\n";

/* Writing */

static void a_set_is_written_in_this_form(void **state) {
    (void)state;
    struct kesco_summaries set = everything();
    char *text;
    size_t length;
    assert_int_equal(kesco_summary_text_write(&set, &text, &length), 0);
    assert_int_equal(strlen(text), length);
    assert_string_equal(text, everything_as_text);
    free(text);
    kesco_summaries_free(&set);
}

static void what_would_break_a_line_is_replaced(void **state) {
    (void)state;
    struct kesco_summaries set = {0};
    struct kesco_summary *k = kesco_summaries_add(&set, "k");
    char *text;
    size_t length;
    assert_int_equal(kesco_summary_add_parameter(k, 0, 0, KESCO_WRITES, "my file\n.cu:1"), 0);
    assert_int_equal(kesco_summary_add_anywhere(k, KESCO_READS, "two\nlines\177", ""), 0);
    assert_int_equal(kesco_summary_add_unseen(k, NULL, "a\tb"), 0);
    assert_int_equal(kesco_summary_text_write(&set, &text, &length), 0);
    assert_string_equal(strchr(text, '\n') + 1, "K k\n"
                                                "P 0 0 w my_file_.cu:1\n"
                                                "A r - two lines \n"
                                                "U a_b \n");
    free(text);
    kesco_summaries_free(&set);
}

static void names_that_cannot_be_written_are_refused(void **state) {
    static const char *const names[] = {"", " ", "a b", "a\n", "\ta", "a\177"};
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        struct kesco_summaries of_kernel = {0}, of_variable = {0};
        char *text;
        size_t length;
        assert_non_null(kesco_summaries_add(&of_kernel, names[i]));
        struct kesco_summary *k = kesco_summaries_add(&of_variable, "k");
        assert_int_equal(kesco_summary_add_variable(k, names[i], KESCO_READS, false), 0);
        assert_int_equal(kesco_summary_text_write(&of_kernel, &text, &length), -EINVAL);
        assert_int_equal(kesco_summary_text_write(&of_variable, &text, &length), -EINVAL);
        kesco_summaries_free(&of_kernel);
        kesco_summaries_free(&of_variable);
    }
}

/* Reading */

/* Reads the image, which has `texts` texts, into an empty set. */
static struct kesco_summaries read_image(const struct image *image, size_t texts) {
    struct kesco_summaries set = {0};
    const char *problem = NULL;
    size_t found;
    int err = kesco_summary_text_read(&set, image->bytes, image->size, &found, &problem);
    if (err)
        fail_msg("error %d: %s", err, problem);
    assert_int_equal(found, texts);
    return set;
}

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

static void a_text_is_read_back_from_the_middle_of_bytes(void **state) {
    (void)state;
    struct kesco_summaries wanted = everything();
    struct image image = {0};
    image_add(&image, "\0\1\177KESCO\377", 9);
    image_add_text(&image, everything_as_text);
    image_add(&image, "K more\n\0", 8);
    struct kesco_summaries set = read_image(&image, 1);
    assert_true(same_summaries(&set, &wanted));
    kesco_summaries_free(&set);
    kesco_summaries_free(&wanted);
    image_free(&image);
}

static void an_image_without_text_has_no_summaries(void **state) {
    (void)state;
    struct image image = {0};
    image_add_text(&image, "nothing KESCO-SUMMARY 1 0 127, 75, 69, 83");
    for (; image.size > 0; image.size--) {
        struct kesco_summaries set = read_image(&image, 0);
        assert_int_equal(set.count, 0);
    }
    image_free(&image);
}

static void texts_of_one_image_are_united(void **state) {
    static const char one[] = "K a\nP 0 0 r\nW 9 0;bx\nK b\nF p\nW 5 0;gx\n",
                      other[] = "K c\nK b\nW 5 0;gx\nK a\nW 7\nP 0 0 w 5\nP 1 8 r\nF t\n";
    (void)state;
    struct kesco_summaries set;
    struct image image = {0};
    image_add_lines(&image, one, strlen(one));
    image_add_text(&image, "between");
    image_add_lines(&image, other, strlen(other));
    set = read_image(&image, 2);
    assert_int_equal(set.count, 3);
    const struct kesco_summary *a = kesco_summaries_find(&set, "a");
    assert_int_equal(kesco_summary_effect(a, 0, 0), KESCO_READS | KESCO_WRITES);
    assert_int_equal(kesco_summary_effect(a, 1, 8), KESCO_READS);
    assert_int_equal(a->flags, KESCO_MAY_TRAP);
    assert_int_equal(a->work, 9);
    assert_null(a->work_range);
    assert_string_equal(kesco_summaries_find(&set, "b")->work_range, "0;gx");
    kesco_summaries_free(&set);
    image_free(&image);
}

static void reading_adds_to_a_set(void **state) {
    static const char lines[] = "K empty\nP 7 0 w\nK new\n";
    (void)state;
    struct kesco_summaries set = everything();
    struct image image = {0};
    const char *problem;
    size_t found;
    image_add_lines(&image, lines, strlen(lines));
    assert_int_equal(kesco_summary_text_read(&set, image.bytes, image.size, &found, &problem), 0);
    assert_int_equal(set.count, 3);
    assert_int_equal(kesco_summary_effect(kesco_summaries_find(&set, "empty"), 7, 0), KESCO_WRITES);
    assert_int_equal(kesco_summaries_find(&set, "_Z4blurPfPKfi")->parameter_count, 3);
    kesco_summaries_free(&set);
    image_free(&image);
}

static void lines_may_come_in_any_order_and_twice(void **state) {
    static const char lines[] =
        "K _Z4blurPfPKfi\nU 16 calls 'f'\nA w 15 writes through a pointer\nF wt\nF hp\n"
        "W 4711 0;9,a2:0:32,*\nC weights r\nV _ZL5total w\nP 2 16 w lib/blur.h:7\nP 1 0 r\nP 0 0 w 12\n"
        "K empty\nK _Z4blurPfPKfi\nP 0 0 r\nP 0 0 rw 99\nV _ZL5total r\nU 17 again\n";
    (void)state;
    struct kesco_summaries wanted = everything();
    struct image image = {0};
    image_add_lines(&image, lines, strlen(lines));
    struct kesco_summaries set = read_image(&image, 1);
    assert_true(same_summaries(&set, &wanted));
    kesco_summaries_free(&set);
    kesco_summaries_free(&wanted);
    image_free(&image);
}

static void a_text_is_read_from_ptx(void **state) {
    static const char later[] = ".global .align 1 .b8 x[3] = {127,75,1};\n";
    (void)state;
    struct kesco_summaries wanted = everything();
    struct image image = {0};
    image_add_text(&image, ".version 8.8\n.target sm_90\n.global .b8 y[2] = {127, 75};\n");
    image_add_ptx(&image, everything_as_text, strlen(everything_as_text) + 1);
    image_add_text(&image, later);
    struct kesco_summaries set = read_image(&image, 1);
    assert_true(same_summaries(&set, &wanted));
    kesco_summaries_free(&set);
    kesco_summaries_free(&wanted);
    image_free(&image);
}

static void ptx_and_bytes_are_united(void **state) {
    static const char lines[] = "K a\nP 0 0 r\n", other[] = "K a\nP 1 0 w\n";
    (void)state;
    struct image image = {0}, inner = {0};
    image_add_lines(&inner, lines, strlen(lines));
    image_add_ptx(&image, inner.bytes, inner.size);
    image_add_lines(&image, other, strlen(other));
    struct kesco_summaries set = read_image(&image, 2);
    assert_int_equal(set.count, 1);
    assert_int_equal(set.items[0].parameter_count, 2);
    kesco_summaries_free(&set);
    image_free(&image);
    image_free(&inner);
}

/* Erasing leaves all else as it was: bytes stay bytes, and numbers numbers. */
static void texts_are_erased(void **state) {
    static const char before[] = "before 1, 2;", after[] = " = {127, 75}; after";
    (void)state;
    struct image image = {0};
    image_add_text(&image, before);
    image_add_text(&image, everything_as_text);
    const size_t ptx = image.size;
    image_add_ptx(&image, everything_as_text, strlen(everything_as_text));
    const size_t end = image.size;
    image_add_text(&image, after);
    char *bytes = (char *)image.bytes;
    assert_int_equal(kesco_summary_text_erase(bytes, image.size), 2);
    assert_memory_equal(bytes, before, strlen(before));
    assert_memory_equal(bytes + end, after, strlen(after));
    for (size_t i = strlen(before); i < strlen(before) + strlen(everything_as_text); i++)
        assert_int_equal(bytes[i], 0);
    const char *numbers = memchr(bytes + ptx, '{', end - ptx);
    assert_non_null(numbers);
    assert_int_equal(strspn(numbers, "{0, }"),
                     (size_t)((const char *)memchr(numbers, '}', end - ptx) + 1 - numbers));
    assert_int_equal(kesco_summary_text_erase(bytes, image.size), 0);
    struct kesco_summaries set = read_image(&image, 0);
    assert_int_equal(set.count, 0);
    image_free(&image);
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

/* What a reason quotes is no text of its own. */
static void a_mark_within_a_text_is_none(void **state) {
    static const char lines[] = "K a\nU - 127, 75, 69, 83, 67, 79, 45, 83, 85, 77, 77, 65, 82, 89, 32, 49\n";
    (void)state;
    struct image image = {0};
    image_add_lines(&image, lines, strlen(lines));
    struct kesco_summaries set = read_image(&image, 1);
    assert_int_equal(set.count, 1);
    kesco_summaries_free(&set);
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

/* A reader whose time grew with the square of the texts would take hours. */
static void many_texts_take_little_time(void **state) {
    static const char lines[] = "K a\nP 0 0 r\n";
    enum { TEXTS = 30000 };
    (void)state;
    struct image image = {0}, inner = {0};
    char *numbers = NULL;
    size_t length = 0;
    image_add_lines(&inner, lines, strlen(lines));
    FILE *out = open_memstream(&numbers, &length);
    assert_non_null(out);
    for (size_t i = 0; i < TEXTS; i++)
        for (size_t k = 0; k < inner.size; k++)
            fprintf(out, "%d, ", inner.bytes[k]);
    for (size_t i = 0; i < TEXTS; i++)
        fwrite(inner.bytes, 1, inner.size, out);
    fclose(out);
    image_add(&image, numbers, length);
    alarm(60);
    struct kesco_summaries set = read_image(&image, 2 * TEXTS);
    alarm(0);
    assert_int_equal(set.count, 1);
    kesco_summaries_free(&set);
    free(numbers);
    image_free(&image);
    image_free(&inner);
}

/* Random sets */

static uint64_t random_state;

static unsigned below(unsigned limit) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(random_state >> 33) % limit;
}

/* A word of 1 to 12 characters; few, so that some are alike. */
static const char *word(void) {
    static char words[4][16];
    static unsigned turn;
    char *text = words[turn++ % 4];
    unsigned length = 1 + below(below(3) ? 2 : 12);
    for (unsigned i = 0; i < length; i++)
        text[i] = below(5) ? (char)('a' + below(3)) : (char)('!' + below(94));
    text[length] = 0;
    return text;
}

static const char *place(void) {
    static char text[40];
    if (below(3) == 0)
        return NULL;
    snprintf(text, sizeof(text), "%s:%u", word(), below(1000));
    return text;
}

static const char *reason(void) {
    static char text[64];
    if (below(4) == 0)
        return NULL;
    snprintf(text, sizeof(text), "%s%s %s ", below(2) ? " " : "", word(), word());
    return text;
}

static uint32_t any_number(void) {
    return below(4) ? below(4) * 8 : (uint32_t)below(1u << 31) * 2 + below(2);
}

static void fill_randomly(struct kesco_summary *k) {
    for (unsigned i = below(6); i > 0; i--)
        assert_int_equal(kesco_summary_add_parameter(k, any_number(), any_number(), 1 + below(3), place()),
                         0);
    for (unsigned i = below(5); i > 0; i--)
        assert_int_equal(kesco_summary_add_variable(k, word(), 1 + below(3), below(3) == 0), 0);
    k->flags |= below(KESCO_FLAGS + 1);
    assert_int_equal(kesco_summary_add_work(k, any_number(), below(2) ? "0;9,a2:0:32,*" : NULL), 0);
    if (below(3) == 0) {
        const char *at = place(), *why = reason();
        assert_int_equal(kesco_summary_add_anywhere(k, 1 + below(3), why, at), 0);
    }
    if (below(4) == 0) {
        const char *at = place(), *why = reason();
        assert_int_equal(kesco_summary_add_unseen(k, why, at), 0);
    }
}

static struct kesco_summaries random_set(void) {
    struct kesco_summaries set = {0};
    for (unsigned i = below(6); i > 0; i--) {
        struct kesco_summary *k = kesco_summaries_add(&set, word());
        assert_non_null(k);
        fill_randomly(k);
    }
    return set;
}

static uint64_t from_environment(const char *name, uint64_t otherwise) {
    const char *value = getenv(name);
    return value ? strtoull(value, NULL, 0) : otherwise;
}

/* Adds the set's text, as bytes or as PTX. */
static void add_set(struct image *image, const struct kesco_summaries *set) {
    char *text;
    size_t length;
    assert_int_equal(kesco_summary_text_write(set, &text, &length), 0);
    if (below(2))
        image_add_ptx(image, text, length);
    else
        image_add(image, text, length);
    free(text);
}

static void random_sets_are_read_back(void **state) {
    uint64_t seed = from_environment("KESCO_TEST_SEED", 1);
    uint64_t end = seed + from_environment("KESCO_TEST_CASES", DEFAULT_CASES);
    (void)state;
    for (; seed < end; seed++) {
        random_state = seed;
        struct image image = {0};
        struct kesco_summaries set = random_set();
        add_set(&image, &set);
        struct kesco_summaries read = read_image(&image, 1);
        if (!same_summaries(&set, &read))
            fail_msg("seed %llu:\n%.*s", (unsigned long long)seed, (int)image.size, image.bytes);
        kesco_summaries_free(&set);
        kesco_summaries_free(&read);
        image_free(&image);
    }
}

/* What two sets say together does not depend on how they came together. */
static void random_texts_unite_as_their_sets(void **state) {
    uint64_t seed = from_environment("KESCO_TEST_SEED", 1);
    uint64_t end = seed + from_environment("KESCO_TEST_CASES", DEFAULT_CASES);
    (void)state;
    for (; seed < end; seed++) {
        random_state = seed;
        struct image image = {0};
        struct kesco_summaries one = random_set(), other = random_set();
        char *text;
        size_t length;
        assert_int_equal(kesco_summary_text_write(&one, &text, &length), 0);
        image_add(&image, text, length);
        free(text);
        add_set(&image, &other);
        struct kesco_summaries read = read_image(&image, 2);
        assert_int_equal(kesco_summaries_merge(&one, &other), 0);
        if (!same_summaries(&one, &read))
            fail_msg("seed %llu:\n%.*s", (unsigned long long)seed, (int)image.size, image.bytes);
        kesco_summaries_free(&one);
        kesco_summaries_free(&other);
        kesco_summaries_free(&read);
        image_free(&image);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_set_is_written_in_this_form),
        cmocka_unit_test(what_would_break_a_line_is_replaced),
        cmocka_unit_test(names_that_cannot_be_written_are_refused),
        cmocka_unit_test(a_text_is_read_back_from_the_middle_of_bytes),
        cmocka_unit_test(an_image_without_text_has_no_summaries),
        cmocka_unit_test(texts_of_one_image_are_united),
        cmocka_unit_test(reading_adds_to_a_set),
        cmocka_unit_test(lines_may_come_in_any_order_and_twice),
        cmocka_unit_test(a_text_is_read_from_ptx),
        cmocka_unit_test(ptx_and_bytes_are_united),
        cmocka_unit_test(texts_are_erased),
        cmocka_unit_test(a_damaged_text_is_not_erased),
        cmocka_unit_test(a_mark_within_a_text_is_none),
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
        cmocka_unit_test(many_texts_take_little_time),
        cmocka_unit_test(random_sets_are_read_back),
        cmocka_unit_test(random_texts_unite_as_their_sets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
