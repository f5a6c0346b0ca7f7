/*
 * The text of summaries: it reads back to what was written, from whatever holds it (summary_text.h).
 *
 * KESCO_TEST_SEED=N starts at another seed, KESCO_TEST_CASES=N tries that many random sets.
 */
#include "plugin/summary/summary_text.h"
#include "test/cmocka.h"
#include "test/summary/everything.h"
#include "test/summary/make_text.h"
#include "test/summary/same.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_CASES 3000

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
        assert_int_equal(kesco_summary_add_variable(k, names[i], KESCO_READS, KESCO_VARIABLE), 0);
        assert_int_equal(kesco_summary_text_write(&of_kernel, &text, &length), -EINVAL);
        assert_int_equal(kesco_summary_text_write(&of_variable, &text, &length), -EINVAL);
        kesco_summaries_free(&of_kernel);
        kesco_summaries_free(&of_variable);
    }
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
        assert_int_equal(
            kesco_summary_add_variable(k, word(), 1 + below(3), (enum kesco_variable_kind)below(3)), 0);
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
        cmocka_unit_test(a_mark_within_a_text_is_none),
        cmocka_unit_test(many_texts_take_little_time),
        cmocka_unit_test(random_sets_are_read_back),
        cmocka_unit_test(random_texts_unite_as_their_sets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
