/* Ranges: what is one, and what it is for a launch. */
#include "plugin/summary/range.h"
#include "plugin/summary/range_shift.h"
#include "plugin/summary/summary_text.h"
#include "test/cmocka.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool argument(const void *context, uint32_t parameter, uint32_t offset, uint32_t bits,
                     int64_t *value) {
    const int64_t *values = context;

    if (parameter >= 4)
        return false;
    *value = values[parameter] + offset + (bits == 64 ? INT64_C(1) << 40 : 0);
    return true;
}

static const int64_t values[4] = {7, -3, 1000, INT64_MAX / 2};

static int evaluate(const char *text, struct kesco_pieces *bytes) {
    const struct kesco_range_launch launch = {{2, 3, 4}, {32, 8, 1}, argument, values};

    assert_true(kesco_range_is_valid(text));
    return kesco_range_evaluate(text, &launch, bytes);
}

static void assert_pieces(const char *text, struct kesco_pieces expected) {
    struct kesco_pieces found;

    assert_int_equal(evaluate(text, &found), 0);
    assert_true(found.begin == expected.begin && found.end == expected.end);
    assert_true(found.distance == expected.distance && found.length == expected.length);
}

static void assert_range(const char *text, int64_t begin, int64_t end) {
    assert_pieces(text, (struct kesco_pieces){begin, end, 0, 0, {0}});
}

static void test_values(void **state) {
    (void)state;
    assert_range("0;1", 0, 1);
    assert_range("-5;a0:0:32", -5, 7);
    assert_range("a1:2:32;a0:1:64", -1, 8 + (INT64_C(1) << 40));
    assert_range("bx,by,+,bz,+;gx,gy,*,gz,*", 41, 24);
    assert_range("3,-4,m;3,-4,M", -4, 3);
    assert_range("-7,/2;7,/2", -4, 3);
    assert_range("-8,/2;0,/5", -4, 0);
    assert_range("-7,2,d;7,2,d", -4, 3);
    assert_range("7,0,d;7,-2,d", 0, 0);
    assert_range("0;4,-1,a2:0:32,+,gx,bx,*,m,*", 0, 256);
}

/* The first piece is the one that the first byte is in or behind, wherever a piece is said to begin. */
static void test_pieces(void **state) {
    struct kesco_pieces bytes;

    (void)state;
    assert_pieces("r16;1000;100;16;8", (struct kesco_pieces){16, 1000, 100, 8, {0}});
    assert_pieces("r16;1000;100;216;8", (struct kesco_pieces){16, 1000, 100, 8, {0}});
    assert_pieces("r16;1000;100;-84;8", (struct kesco_pieces){16, 1000, 100, 8, {0}});
    assert_pieces("r20;1000;100;16;8", (struct kesco_pieces){16, 1000, 100, 8, {0}});
    assert_pieces("r90;1000;100;16;8", (struct kesco_pieces){16, 1000, 100, 8, {0}});
    assert_pieces("r10;1000;100;16;8", (struct kesco_pieces){-84, 1000, 100, 8, {0}});
    assert_pieces("r0;a2:0:32;a0:0:32;0;bx,-31,+", (struct kesco_pieces){0, 1000, 7, 1, {0}});
    assert_int_equal(evaluate("r0;9;8;0;4;-1", &bytes), -ERANGE);
    assert_int_equal(evaluate("r0;9;8;0;4;0", &bytes), 0);

    /* Pieces that are none: all from the first byte on. */
    assert_range("r16;1000;0;16;8", 16, 1000);
    assert_range("r16;1000;-100;16;8", 16, 1000);
    assert_range("r16;1000;8;16;8", 16, 1000);
    assert_range("r16;1000;8;16;9", 16, 1000);
    assert_range("r16;1000;8;16;0", 16, 1000);
    assert_range("r16;16;100;0;8", 16, 16);
    assert_range("r16;1000;a3:0:32,3,*;16;8", 16, 1000);
    assert_range("r16;1000;100;a3:0:32,3,*;8", 16, 1000);
    assert_range("r16;1000;100;16;a3:0:32,3,*", 16, 1000);
    assert_range("r16;1000;100;-9223372036854775808;8", 16, 1000);
    assert_int_equal(evaluate("r16;1000;a4:0:32;16;8", &bytes), -ENOENT);
}

static void test_parts(void **state) {
    const char *text = "0;8|r16;1000;100;16;8;1|a0:0:32;9";
    struct kesco_pieces bytes;

    (void)state;
    assert_range(text, 0, 8);
    assert_true(kesco_range_next_part(&text));
    assert_int_equal(evaluate(text, &bytes), 0);
    assert_int_equal(bytes.distance, 100);
    assert_true(kesco_range_next_part(&text));
    assert_range(text, 7, 9);
    assert_false(kesco_range_next_part(&text));
    assert_int_equal(evaluate("0;1;-1|0;1", &bytes), -ERANGE);
    assert_true(kesco_range_is_valid("0;1|0;1|0;1|0;1"));
    assert_false(kesco_range_is_valid("0;1|0;1|0;1|0;1|0;1"));
}

/* Held against each byte of both. */
static void assert_meeting(struct kesco_pieces a, struct kesco_pieces b) {
    bool meet = false;

    for (int64_t at = a.begin; at < a.end; at++)
        meet |= b.begin <= at && at < b.end && (a.distance == 0 || (at - a.begin) % a.distance < a.length) &&
                (b.distance == 0 || (at - b.begin) % b.distance < b.length);
    if (kesco_pieces_meet(&a, &b) != meet || kesco_pieces_meet(&b, &a) != meet)
        fail_msg("%d to %d and %d to %d of each %d", (int)a.begin, (int)a.end, (int)b.begin, (int)b.end,
                 (int)b.distance);
}

static void test_meeting(void **state) {
    const struct kesco_pieces pieces = {7, 73, 20, 6, {0}}, other = {7, 73, 21, 6, {0}};

    (void)state;
    for (int64_t begin = -30; begin < 80; begin++)
        for (int64_t length = 1; length < 30; length++) {
            assert_meeting((struct kesco_pieces){30, 40, 0, 0, {0}},
                           (struct kesco_pieces){begin, begin + length, 0, 0, {0}});
            assert_meeting((struct kesco_pieces){begin, begin + length, 0, 0, {0}}, pieces);
            if (length < 20)
                assert_meeting((struct kesco_pieces){begin, begin + 40 + length, 20, length, {0}},
                               (struct kesco_pieces){7, 73, 20, 6, {0}});
        }
    assert_true(kesco_pieces_meet(&pieces, &other)); /* at two distances, they may */
}

static void test_boxes_are_evaluated(void **state) {
    const char *numbers = "rr100;900;10;100;3;200;100;33", *second_alone = "rr100;900;10;100;10;200;100;33",
               *first_alone = "rr100;900;10;100;3;0;100;33", *not_there = "rr0;90;10;0;3;a9:0:32;0;3";
    struct kesco_pieces bytes;

    (void)state;
    assert_true(kesco_range_is_valid(numbers) && !kesco_range_is_valid("rrr0;90;10;0;3;20;0;5;30;0;3"));
    assert_false(kesco_range_is_valid("rr0;90;10;0;3;20;0"));
    assert_int_equal(evaluate(numbers, &bytes), 0);
    assert_true(bytes.begin == 100 && bytes.end == 900 && bytes.distance == 10 && bytes.length == 3);
    assert_true(bytes.planes.first == 100 && bytes.planes.distance == 200 && bytes.planes.length == 33);
    assert_int_equal(evaluate(second_alone, &bytes), 0);
    assert_true(bytes.begin == 100 && bytes.distance == 200 && bytes.length == 33);
    assert_int_equal(bytes.planes.distance, 0);
    assert_int_equal(evaluate(first_alone, &bytes), 0);
    assert_true(bytes.distance == 10 && bytes.planes.distance == 0);
    assert_int_equal(evaluate(not_there, &bytes), -ENOENT);
}

enum { WIDTH = 8, HEIGHT = 5, DEPTH = 4, PLANE = WIDTH * HEIGHT };

/* A box: along each axis, where it begins, and how long it is. */
struct box {
    int64_t from[3], size[3];
};

static struct kesco_pieces pieces_of(const struct box *box) {
    const int64_t first = box->from[2] * PLANE + box->from[1] * WIDTH + box->from[0],
                  plane = (box->size[1] - 1) * WIDTH + box->size[0];
    const struct kesco_places places[] = {{box->from[0], WIDTH, box->size[0]},
                                          {box->from[1] * WIDTH + box->from[0] + 3 * PLANE, PLANE, plane}};

    return kesco_pieces_within(first, first + (box->size[2] - 1) * PLANE + plane, places, 2);
}

static struct box random_box(uint32_t *seed) {
    static const uint32_t sides[] = {WIDTH, HEIGHT, DEPTH};
    struct box box;

    for (unsigned axis = 0; axis < 3; axis++) {
        *seed = *seed * 1664525u + 1013904223u;
        box.from[axis] = (*seed >> 8) % sides[axis];
        *seed = *seed * 1664525u + 1013904223u;
        box.size[axis] = 1 + (*seed >> 8) % (sides[axis] - box.from[axis]);
    }
    return box;
}

/* Boxes of a volume meet where they do along each axis. */
static void test_boxes_meet(void **state) {
    enum { CASES = 20000 };
    uint32_t seed = 1;

    (void)state;
    for (unsigned i = 0; i < CASES; i++) {
        const struct box a = random_box(&seed), b = random_box(&seed);
        const struct kesco_pieces of_a = pieces_of(&a), of_b = pieces_of(&b);
        bool meet = true;

        for (unsigned axis = 0; axis < 3; axis++)
            meet &= a.from[axis] < b.from[axis] + b.size[axis] && b.from[axis] < a.from[axis] + a.size[axis];
        assert_int_equal(kesco_pieces_meet(&of_a, &of_b), meet);
        if (of_a.distance == WIDTH && of_a.planes.distance == PLANE)
            assert_true(kesco_pieces_count(&of_a) >= a.size[0] * a.size[1] * a.size[2]);
    }
}

static void test_conditions(void **state) {
    struct kesco_pieces bytes;

    (void)state;
    assert_range("0;1;0;a0:0:32", 0, 1);
    assert_int_equal(evaluate("0;1;-1", &bytes), -ERANGE);
    assert_int_equal(evaluate("0;1;1;a1:0:32", &bytes), -ERANGE);
    assert_int_equal(evaluate("0;a4:0:32", &bytes), -ENOENT);
}

/* What does not fit does not hold, wherever it stands. */
static void test_overflow(void **state) {
    struct kesco_pieces bytes;

    (void)state;
    assert_int_equal(evaluate("0;a3:0:32,3,*", &bytes), -ERANGE);
    assert_int_equal(evaluate("0;9223372036854775807,1,+", &bytes), -ERANGE);
    assert_int_equal(evaluate("0;1;a3:0:32,3,*", &bytes), -ERANGE);
    assert_range("-9223372036854775808;9223372036854775807", INT64_MIN, INT64_MAX);
}

static void test_what_is_no_range(void **state) {
    static const char *const bad[] = {
        "",
        "0",
        ";",
        "0;",
        "0;;1",
        "0;1;",
        ";0;1",
        "0,;1",
        "0;,1",
        "0,1;2",
        "0;+",
        "0;1,+",
        "0;1,2,+,+",
        "0;/2",
        "0;1,/0",
        "0;1,/-2",
        "0;1,d",
        "0;1,/",
        "0;x",
        "0;b",
        "0;bw",
        "0;gx2",
        "0;a",
        "0;a1",
        "0;a1:2",
        "0;a1:2:31",
        "0;a1:2:",
        "0;a-1:0:32",
        "0;a4294967296:0:32",
        "0;--1",
        "0;-",
        "0;9223372036854775808",
        "0;1 ",
        "0; 1",
        "0;1\n",
        "0;0x1",
        "r0;1",
        "r0;1;2;3",
        "0;r1",
        "rr0;1;2;3;4",
        "r",
        "0;1|",
        "|0;1",
        "0;1||0;1",
        "0|0;1",
        "0;1|2",
        "0;1,|0;1",
    };
    char deep[4 * KESCO_RANGE_TOKENS] = "0;1", many[4 * KESCO_RANGE_TOKENS] = "0;1";
    size_t i;

    (void)state;
    for (i = 0; i < sizeof bad / sizeof *bad; i++)
        if (kesco_range_is_valid(bad[i]))
            fail_msg("'%s' is taken for a range", bad[i]);
    for (i = 1; i < KESCO_RANGE_DEPTH; i++)
        strcat(deep, ",1");
    for (i = 1; i < KESCO_RANGE_DEPTH; i++)
        strcat(deep, ",+");
    assert_true(kesco_range_is_valid(deep));
    strcpy(deep, "0;1");
    for (i = 0; i < KESCO_RANGE_DEPTH; i++)
        strcat(deep, ",1");
    for (i = 0; i < KESCO_RANGE_DEPTH; i++)
        strcat(deep, ",+");
    assert_false(kesco_range_is_valid(deep));
    for (i = 0; i < KESCO_RANGE_TOKENS; i++)
        strcat(many, ",/1");
    assert_false(kesco_range_is_valid(many));
}

static bool is_second(const void *context, const struct kesco_range_token *argument) {
    (void)context;
    return argument->parameter == 1;
}

/* The second argument changes: where do both ends go on by it? */
static void test_shifts(void **state) {
    static const char *const shifted[] = {
        "a1:0:32,4,*;a1:0:32,4,*,4,+",
        "a1:0:32,a2:0:32,*;a2:0:32,a1:0:32,1,+,*",
        "a1:0:32;gx,bx,*,a2:0:32,m,a1:0:32,+;a2:0:32",
        "a1:0:32,-4,*;8,a1:0:32,-4,*,+",
        "ra1:0:32;a1:0:32,8,+;100;a1:0:32;8",
        "a1:0:32;a1:0:32,gx,+,a2:0:32,m",
        "a1:0:32;a2:0:32,a1:0:32,gx,+,m",
        "a1:0:32,-1,+,0,M;a1:0:32,gx,+,a2:0:32,m",
    };
    static const char *const others[] = {
        "0;4",
        "0;a1:0:32",
        "a1:0:32;a2:0:32",
        "a1:0:32;a1:0:32,2,*",
        "a2:0:32;a2:0:32,1,+",
        "a1:0:32,a1:0:32,*;a1:0:32,4,+",
        "0;4;a1:0:32",
        "a1:0:32,/2;a1:0:32",
        "r0;9;a1:0:32;0;4",
        "0;a1:0:32,a2:0:32,m",
        "a1:0:32;a1:0:32,2,*,a2:0:32,m",
    };
    size_t i;

    (void)state;
    for (i = 0; i < sizeof shifted / sizeof *shifted; i++)
        if (!kesco_range_is_valid(shifted[i]) || !kesco_range_shifts(shifted[i], is_second, NULL))
            fail_msg("'%s' stays", shifted[i]);
    for (i = 0; i < sizeof others / sizeof *others; i++)
        if (!kesco_range_is_valid(others[i]) || kesco_range_shifts(others[i], is_second, NULL))
            fail_msg("'%s' shifts", others[i]);
}

/* With the kernel's other accesses, in a text and out of it. */
static void test_in_summaries(void **state) {
    struct kesco_summaries set = {0}, read = {0};
    struct kesco_summary *kernel = kesco_summaries_add(&set, "k");
    const char *problem;
    size_t length, found;
    char *text;

    (void)state;
    assert_int_equal(kesco_summary_set_range(kernel, 0, 0, KESCO_READS, "0;4"), -EINVAL);
    assert_int_equal(kesco_summary_add_parameter(kernel, 0, 0, KESCO_READS | KESCO_WRITES, NULL), 0);
    assert_int_equal(kesco_summary_set_range(kernel, 0, 0, KESCO_READS | KESCO_WRITES, "0;4"), -EINVAL);
    assert_int_equal(kesco_summary_set_range(kernel, 0, 0, KESCO_READS, "0,4"), -EINVAL);
    assert_int_equal(kesco_summary_set_range(kernel, 0, 0, KESCO_READS, "0;4"), 0);
    assert_int_equal(kesco_summary_set_range(kernel, 0, 0, KESCO_WRITES, "4;8"), 0);
    assert_int_equal(kesco_summary_text_write(&set, &text, &length), 0);
    assert_int_equal(kesco_summary_text_read(&read, text, length, &found, &problem), 0);
    assert_string_equal(read.items[0].parameters[0].read_within, "0;4");
    assert_string_equal(read.items[0].parameters[0].written_within, "4;8");

    /* Another architecture's: what differs may be anywhere. */
    assert_int_equal(kesco_summary_set_range(kernel, 0, 0, KESCO_WRITES, "4;9"), 0);
    assert_int_equal(kesco_summaries_merge(&read, &set), 0);
    assert_string_equal(read.items[0].parameters[0].read_within, "0;4");
    assert_null(read.items[0].parameters[0].written_within);
    assert_int_equal(kesco_summaries_merge(&read, &set), 0);
    assert_null(read.items[0].parameters[0].written_within);

    assert_int_equal(kesco_summary_add_parameter(kernel, 0, 0, KESCO_READS, NULL), 0);
    assert_null(kernel->parameters[0].read_within);
    assert_string_equal(kernel->parameters[0].written_within, "4;9");
    free(text);
    kesco_summaries_free(&set);
    kesco_summaries_free(&read);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_boxes_are_evaluated),
        cmocka_unit_test(test_boxes_meet),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_meeting),
        cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_overflow),
        cmocka_unit_test(test_what_is_no_range),
        cmocka_unit_test(test_shifts),
        cmocka_unit_test(test_in_summaries),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
