/* The text format: what is read, what is refused and with which words, and that any bytes are safe (text.h).
 */
#include "plugin/schedule/text.h"
#include "test/cmocka.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int read_bytes(const void *bytes, size_t size, struct kesco_text *text,
                      struct kesco_text_error *error) {
    FILE *in = fmemopen(NULL, size + 1, "w+");
    assert_non_null(in);
    assert_int_equal(fwrite(bytes, 1, size, in), size);
    rewind(in);
    if (size == 0) /* a memory stream holds one byte at least */
        fseek(in, 0, SEEK_END);
    int err = kesco_text_read(in, text, error);
    fclose(in);
    return err;
}

static struct kesco_text read_good(const char *bytes) {
    struct kesco_text text;
    struct kesco_text_error error;
    if (read_bytes(bytes, strlen(bytes), &text, &error))
        fail_msg("line %u: %s", error.line, error.message);
    return text;
}

/* The text must be refused on that line with a message that holds `words`. */
static void expect_error(const char *bytes, unsigned line, const char *words) {
    struct kesco_text text;
    struct kesco_text_error error;
    assert_int_equal(read_bytes(bytes, strlen(bytes), &text, &error), -EINVAL);
    assert_int_equal(error.line, line);
    if (!strstr(error.message, words))
        fail_msg("'%s' does not say '%s'", error.message, words);
}

static void fields_reach_the_op(void **state) {
    (void)state;
    struct kesco_text text = read_good("op blur cost=2.5 fill=.25 priority=-3 r=image w=blurred\nop next\n");
    assert_int_equal(text.graph->op_count, 2);
    assert_string_equal(text.graph->ops[0].name, "blur");
    assert_true(text.graph->ops[0].cost == 2.5);
    assert_int_equal(text.graph->ops[0].priority, -3);
    assert_true(text.graph->ops[1].cost == 1);
    assert_true(text.graph->ops[0].cost_known && !text.graph->ops[1].cost_known);
    assert_true(text.graph->ops[0].fill == 0.25 && text.graph->ops[1].fill == 0);
    assert_int_equal(text.graph->ops[1].priority, 1);
    assert_int_equal(text.graph->access_count, 2);
    kesco_text_free(&text);
}

static void engines_are_told_by_name(void **state) {
    (void)state;
    struct kesco_text text = read_good("op a\nop b engine=to-device\nop c engine=to-host\n"
                                       "op d engine=none\nop e engine=compute\n");
    const enum kesco_engine engines[] = {KESCO_ENGINE_COMPUTE, KESCO_ENGINE_TO_DEVICE, KESCO_ENGINE_TO_HOST,
                                         KESCO_ENGINE_NONE, KESCO_ENGINE_COMPUTE};
    for (uint32_t op = 0; op < 5; op++)
        assert_int_equal(text.graph->ops[op].engine, engines[op]);
    kesco_text_free(&text);
}

static void an_op_that_blocks_has_a_segment_of_its_own(void **state) {
    (void)state;
    struct kesco_text text = read_good("op a\nop b\nop c blocks\nop d blocks w=x\nop e\nop f\n");
    const struct kesco_op *ops = text.graph->ops;
    for (uint32_t op = 0; op < 6; op++)
        assert_int_equal(ops[op].blocks, op == 2 || op == 3);
    assert_true(ops[0].segment == ops[1].segment && ops[4].segment == ops[5].segment);
    for (uint32_t op = 1; op < 4; op++)
        assert_true(ops[op].segment < ops[op + 1].segment);
    kesco_text_free(&text);
}

static void equal_names_are_one_object_and_star_is_any(void **state) {
    (void)state;
    struct kesco_text text = read_good("op a w=x\nop a r=x,* w=y\n");
    assert_int_equal(text.graph->object_count, 2);
    assert_int_equal(text.graph->accesses[1].object, text.graph->accesses[0].object);
    assert_int_equal(text.graph->accesses[2].object, KESCO_OBJECT_ANY);
    kesco_text_free(&text);
}

static void comments_blanks_and_line_ends_of_any_kind_are_fine(void **state) {
    (void)state;
    struct kesco_text text = read_good("# graph\n\n \t \nop\ta\t r=x # why\r\n\r\n  op b#1 w=x");
    assert_int_equal(text.graph->op_count, 2);
    assert_string_equal(text.graph->ops[1].name, "b#1");
    assert_int_equal(text.lines[0], 4);
    assert_int_equal(text.lines[1], 6);
    kesco_text_free(&text);
}

static void an_empty_text_is_an_empty_graph(void **state) {
    (void)state;
    struct kesco_text text = read_good("\n");
    assert_int_equal(text.graph->op_count, 0);
    kesco_text_free(&text);
}

static void many_objects_keep_their_names(void **state) {
    (void)state;
    char bytes[8000] = "op a w=o0";
    for (int i = 1; i < 1000; i++)
        sprintf(bytes + strlen(bytes), ",o%d", i);
    struct kesco_text text = read_good(strcat(bytes, "\nop b r=o999,o0\n"));
    assert_int_equal(text.graph->object_count, 1000);
    assert_string_equal(text.graph->objects[999], "o999");
    assert_int_equal(text.graph->accesses[1000].object, 999);
    assert_int_equal(text.graph->accesses[1001].object, 0);
    kesco_text_free(&text);
}

static void errors_name_the_line_and_what_is_allowed(void **state) {
    (void)state;
    expect_error("op a\nkernel b\n", 2, "'kernel' where 'op' should stand; a line is: op NAME");
    expect_error("\n\nop\n", 3, "op without a name");
    expect_error("op # a\n", 1, "op without a name");
    expect_error(
        "op a colour=red\n", 1,
        "unknown key 'colour'; known keys: cost, fill, priority, engine, r, w, and blocks without a value");
    expect_error("op a b\n", 1, "'b' is not KEY=VALUE; known keys: cost");
    expect_error("op a blocks=1\n", 1, "unknown key 'blocks'; known keys: cost");
    expect_error("op a blocks blocks\n", 1, "key 'blocks' stands twice");
    expect_error("op a engine=none engine=none\n", 1, "key 'engine' stands twice");
    expect_error("op a engine=Compute\n", 1, "engine 'Compute' is none of compute, to-device, to-host, none");
    expect_error("op a engine=\n", 1, "engine '' is none of");
    expect_error("op a =x\n", 1, "unknown key ''");
    expect_error("op a r=x r=y\n", 1, "key 'r' stands twice");
    expect_error("op a cost=1 cost=2\n", 1, "key 'cost' stands twice");
    expect_error("op a fill=1 fill=1\n", 1, "key 'fill' stands twice");
    expect_error("op a priority=1 priority=1\n", 1, "key 'priority' stands twice");
    expect_error("op a r=\n", 1, "empty object name in r=");
    expect_error("op a w=x,\n", 1, "empty object name in w=");
    expect_error("op a r=x,,y\n", 1, "empty object name in r=");
}

static void bad_numbers_are_refused(void **state) {
    (void)state;
    static const char *const costs[] = {"", "-1", "nan", "inf", "1e999", "1x", "x"};
    static const char *const fills[] = {"", "0", "-0.5", "1.01", "nan", "inf", "1x", "x"};
    static const char *const priorities[] = {
        "", "1.5", "2147483648", "-2147483649", "99999999999999999999", "high"};
    char line[64];
    for (size_t i = 0; i < sizeof(costs) / sizeof(costs[0]); i++) {
        snprintf(line, sizeof(line), "op a cost=%s\n", costs[i]);
        expect_error(line, 1, "is not a number of microseconds, 0 or more");
    }
    for (size_t i = 0; i < sizeof(fills) / sizeof(fills[0]); i++) {
        snprintf(line, sizeof(line), "op a fill=%s\n", fills[i]);
        expect_error(line, 1, "is not a share of the device, above 0 and at most 1");
    }
    for (size_t i = 0; i < sizeof(priorities) / sizeof(priorities[0]); i++) {
        snprintf(line, sizeof(line), "op a priority=%s\n", priorities[i]);
        expect_error(line, 1, "is not a whole number from -2147483648 to 2147483647");
    }
}

static void messages_are_printable_and_bounded(void **state) {
    (void)state;
    expect_error("op a \x1b[31m=1\n", 1, "unknown key '?[31m'");
    expect_error("op a 0123456789012345678901234567890123456789=1\n", 1,
                 "'01234567890123456789012345678901...'");
}

static void a_nul_byte_is_refused(void **state) {
    (void)state;
    static const char bytes[] = "op a\nop b\0 r=x\n";
    struct kesco_text text;
    struct kesco_text_error error;
    assert_int_equal(read_bytes(bytes, sizeof(bytes) - 1, &text, &error), -EINVAL);
    assert_int_equal(error.line, 2);
    assert_non_null(strstr(error.message, "NUL byte; a graph is a text file"));
}

static void lines_have_a_limit(void **state) {
    (void)state;
    size_t size = KESCO_TEXT_MAX_LINE;
    char *bytes = malloc(size + 2);
    struct kesco_text text;
    struct kesco_text_error error;
    memset(bytes, 'a', size + 1);
    memcpy(bytes, "op ", 3);
    bytes[size] = '\n';
    assert_int_equal(read_bytes(bytes, size + 1, &text, &error), 0);
    kesco_text_free(&text);
    bytes[size] = 'a';
    bytes[size + 1] = '\n';
    assert_int_equal(read_bytes(bytes, size + 2, &text, &error), -EINVAL);
    assert_int_equal(error.line, 1);
    assert_non_null(strstr(error.message, "line is longer than 1048576 bytes"));
    free(bytes);
}

static void a_stream_that_cannot_be_read_is_an_error(void **state) {
    (void)state;
    struct kesco_text text;
    struct kesco_text_error error;
    FILE *in = fopen("/", "r"); /* a folder opens, and fails to read */
    assert_non_null(in);
    assert_int_equal(kesco_text_read(in, &text, &error), -EIO);
    assert_int_equal(error.line, 0);
    fclose(in);
}

/* Fills the bytes with noise that leans towards the format's own characters and words. */
static void fill_with_noise(char *bytes, size_t size) {
    static const char *const words[] = {
        "op ", "\nop a ", "r=", "w=", "cost=", "fill=", "priority=", ",", "*", "=", "#", "\r\n"};
    size_t filled = 0;
    while (filled < size) {
        if (rand() % 8 == 0) {
            bytes[filled++] = (char)rand();
            continue;
        }
        const char *word = words[(size_t)rand() % (sizeof(words) / sizeof(words[0]))];
        for (; *word && filled < size; word++)
            bytes[filled++] = *word;
        if (filled < size && rand() % 2)
            bytes[filled++] = (char)('a' + rand() % 4);
    }
}

static void any_bytes_are_read_or_refused(void **state) {
    (void)state;
    unsigned accepted = 0;
    srand(1);
    for (int i = 0; i < 50000; i++) {
        char bytes[200];
        size_t size = (size_t)rand() % sizeof(bytes);
        struct kesco_text text;
        struct kesco_text_error error;
        fill_with_noise(bytes, size);
        int err = read_bytes(bytes, size, &text, &error);
        if (err) {
            assert_int_equal(err, -EINVAL);
            assert_true(error.line > 0 && strlen(error.message) > 0);
            continue;
        }
        accepted += text.graph->op_count > 0;
        assert_int_equal(kesco_graph_build_edges(text.graph), 0);
        kesco_text_free(&text);
    }
    assert_true(accepted > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_reach_the_op),
        cmocka_unit_test(engines_are_told_by_name),
        cmocka_unit_test(an_op_that_blocks_has_a_segment_of_its_own),
        cmocka_unit_test(equal_names_are_one_object_and_star_is_any),
        cmocka_unit_test(comments_blanks_and_line_ends_of_any_kind_are_fine),
        cmocka_unit_test(an_empty_text_is_an_empty_graph),
        cmocka_unit_test(many_objects_keep_their_names),
        cmocka_unit_test(errors_name_the_line_and_what_is_allowed),
        cmocka_unit_test(bad_numbers_are_refused),
        cmocka_unit_test(messages_are_printable_and_bounded),
        cmocka_unit_test(a_nul_byte_is_refused),
        cmocka_unit_test(lines_have_a_limit),
        cmocka_unit_test(a_stream_that_cannot_be_read_is_an_error),
        cmocka_unit_test(any_bytes_are_read_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
