/* The report's JSON: it parses back to what went in, whatever the names hold (report.h). */
#include "test/cmocka.h"
#include "test/report/sample_report.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* The report, parsed back; the caller drops the reference. */
static json_t *parsed(const struct kesco_report *report) {
    char *text = json_of(report);
    json_error_t error;
    json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!json)
        fail_msg("%s at line %d of:\n%s", error.text, error.line, text);
    free(text);
    return json;
}

static void expect_json(json_t *actual, const char *expected) {
    json_t *wanted = json_loads(expected, 0, NULL);
    assert_non_null(wanted);
    if (!json_equal(actual, wanted)) {
        char *text = json_dumps(actual, 0);
        fail_msg("%s\nis not\n%s", text, expected);
    }
    json_decref(wanted);
}

static void every_field_parses_back(void **state) {
    (void)state;
    static const char *const image[] = {"image"};
    static const char *const blurred[] = {"blurred", "*"};
    const struct kesco_report_op ops[] = {
        {.kind = KESCO_OP_COPY,
         .name = "cudaMemcpyAsync",
         .touched.writes = image,
         .touched.write_count = 1,
         .priority = -2},
        {.kind = KESCO_OP_KERNEL,
         .name = "blur<int>(float *)",
         .line = 12,
         .source = "a \"b\".h:3",
         .region = 1,
         .lane = 2,
         .order = 1,
         .zone = 3,
         .priority = 4,
         .touched.reads = image,
         .touched.read_count = 1,
         .touched.writes = blurred,
         .touched.write_count = 2},
    };
    const struct kesco_report_edge edges[] = {{0, 1, KESCO_RAW, "image"}};
    const struct kesco_report_wait waits[] = {{1, 0}};
    const unsigned records[] = {0, 1};
    const struct kesco_report_guard guards[] = {{"x", "y"}};
    const struct kesco_report_claim claims[] = {{7, "x", "y + \"1\""}};
    const struct kesco_report_barrier barriers[] = {{40, "call to unknown function 'f'"},
                                                    {0, "unknown line"}};
    const struct kesco_report_call calls[] = {{9, "step<int>(int*)"}, {0, ""}};
    const unsigned levels[] = {1, 0, 2};
    const struct kesco_report_function function = {
        .name = "main",
        .lanes = 3,
        .levels = levels,
        .ops = ops,
        .op_count = 2,
        .plan.edges = edges,
        .plan.edge_count = 1,
        .plan.waits = waits,
        .plan.wait_count = 1,
        .plan.records = records,
        .plan.record_count = 2,
        .assumed.guards = guards,
        .assumed.guard_count = 1,
        .assumed.claims = claims,
        .assumed.claim_count = 1,
        .stops.serial = barriers,
        .stops.barriers = barriers,
        .stops.barrier_count = 2,
        .regions.placed = records,
        .regions.placed_count = 2,
        .regions.joins = records,
        .regions.join_count = 1,
        .lends = calls,
        .lend_count = 2,
    };
    const struct kesco_report report = {.source = "img.cu", .functions = &function, .function_count = 1};
    json_t *json = parsed(&report);
    expect_json(json,
                "{\"version\": 1, \"source\": \"img.cu\", \"functions\": [{\"name\": \"main\", \"lanes\": 3, "
                "\"levels\": [1, 0, 2], "
                "\"ops\": ["
                "{\"id\": 0, \"kind\": \"copy\", \"name\": \"cudaMemcpyAsync\", \"line\": 0, \"lane\": 0, "
                "\"order\": 0,"
                " \"reads\": [], \"writes\": [\"image\"], \"priority\": -2, \"zone\": 0, \"region\": 0},"
                "{\"id\": 1, \"kind\": \"kernel\", \"name\": \"blur<int>(float *)\", \"line\": 12, "
                "\"source\": \"a \\\"b\\\".h:3\", \"lane\": 2, \"order\": 1,"
                " \"reads\": [\"image\"], \"writes\": [\"blurred\", \"*\"], \"priority\": 4, \"zone\": 3, "
                "\"region\": 1}],"
                "\"edges\": [{\"from\": 0, \"to\": 1, \"kind\": \"RAW\", \"object\": \"image\"}],"
                "\"waits\": [{\"op\": 1, \"on\": 0}], \"records\": [0, 1], \"guards\": [{\"a\": \"x\", "
                "\"b\": \"y\"}],"
                "\"barriers\": [{\"line\": 40, \"why\": \"call to unknown function 'f'\"},"
                "{\"line\": 0, \"why\": \"unknown line\"}], "
                "\"claims\": [{\"line\": 7, \"a\": \"x\", \"b\": \"y + \\\"1\\\"\"}], \"placed\": [0, 1], "
                "\"joins\": [0], \"lends\": [{\"line\": 9, \"callee\": \"step<int>(int*)\"}, "
                "{\"line\": 0, \"callee\": \"\"}], "
                "\"serial\": {\"line\": 40, \"why\": \"call to unknown function 'f'\"}}]}");
    json_decref(json);
}

static void keys_stand_in_the_contracts_order_one_entry_a_line(void **state) {
    (void)state;
    const struct kesco_report_op ops[] = {{.kind = KESCO_OP_KERNEL, .name = "a"},
                                          {.kind = KESCO_OP_KERNEL, .name = "b"}};
    const unsigned level = 0;
    const struct kesco_report_function function = {
        .name = "f", .lanes = 1, .levels = &level, .ops = ops, .op_count = 2};
    const struct kesco_report report = {.source = "s", .functions = &function, .function_count = 1};
    char *text = json_of(&report);
    assert_string_equal(
        text, "{\"version\": 1, \"source\": \"s\", \"functions\": [\n"
              "  {\"name\": \"f\", \"lanes\": 1, \"levels\": [0],\n"
              "   \"ops\": [\n"
              "    {\"id\": 0, \"kind\": \"kernel\", \"name\": \"a\", \"line\": 0, \"lane\": 0, \"order\": 0,"
              " \"reads\": [], \"writes\": [], \"priority\": 0, \"zone\": 0, \"region\": 0},\n"
              "    {\"id\": 1, \"kind\": \"kernel\", \"name\": \"b\", \"line\": 0, \"lane\": 0, \"order\": 0,"
              " \"reads\": [], \"writes\": [], \"priority\": 0, \"zone\": 0, \"region\": 0}],\n"
              "   \"edges\": [],\n"
              "   \"waits\": [],\n"
              "   \"records\": [],\n"
              "   \"guards\": [],\n"
              "   \"barriers\": []}]}\n");
    free(text);
}

static void a_report_without_functions_is_fine(void **state) {
    (void)state;
    const struct kesco_report report = {.source = "empty.cu"};
    json_t *json = parsed(&report);
    expect_json(json, "{\"version\": 1, \"source\": \"empty.cu\", \"functions\": []}");
    json_decref(json);
}

/* The name that comes back out of a report for a name that goes in; the caller drops the reference. */
static json_t *source_through_report(const char *name) {
    const struct kesco_report report = {.source = name};
    json_t *json = parsed(&report);
    json_t *source = json_incref(json_object_get(json, "source"));
    json_decref(json);
    return source;
}

static void expect_source(const char *name, const char *expected) {
    json_t *source = source_through_report(name);
    assert_string_equal(json_string_value(source), expected);
    json_decref(source);
}

static void quotes_control_characters_and_utf8_survive(void **state) {
    (void)state;
    expect_source("a\"b\\c/d\n\t\x01\x1f\x7f", "a\"b\\c/d\n\t\x01\x1f\x7f");
    expect_source("\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80 \xED\x9F\xBF \xF4\x8F\xBF\xBF",
                  "\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80 \xED\x9F\xBF \xF4\x8F\xBF\xBF");
}

#define BAD "\xEF\xBF\xBD"

static void bytes_that_are_no_utf8_are_replaced(void **state) {
    (void)state;
    expect_source("a\xFFz", "a" BAD "z");
    expect_source("\x80", BAD);
    expect_source("\xC3", BAD);
    expect_source("\xC3(", BAD "(");
    expect_source("\xE2\x82", BAD BAD);
    expect_source("\xC0\xAF", BAD BAD);                 /* overlong */
    expect_source("\xE0\x80\x80", BAD BAD BAD);         /* overlong */
    expect_source("\xF0\x80\x80\x80", BAD BAD BAD BAD); /* overlong */
    expect_source("\xED\xA0\x80", BAD BAD BAD);         /* surrogate */
    expect_source("\xF4\x90\x80\x80", BAD BAD BAD BAD); /* beyond U+10FFFF */
    expect_source("\xC3\xA9\xFF", "\xC3\xA9" BAD);
}

static void random_bytes_parse_back(void **state) {
    (void)state;
    srand(1);
    for (int i = 0; i < 20000; i++) {
        char name[24];
        size_t length = (size_t)rand() % sizeof(name);
        for (size_t j = 0; j < length; j++)
            name[j] = (char)(1 + rand() % 255);
        name[length ? length - 1 : 0] = '\0';
        json_decref(source_through_report(name));
    }
}

static void a_full_disk_is_an_error(void **state) {
    (void)state;
    const struct kesco_report report = {.source = "img.cu"};
    FILE *out = fopen("/dev/full", "w");
    if (!out)
        skip();
    assert_int_equal(kesco_report_write(&report, out), -EIO);
    fclose(out);
}

static void a_stream_that_takes_no_text_is_an_error(void **state) {
    (void)state;
    const struct kesco_report report = {.source = "img.cu"};
    FILE *out = fopen("/dev/null", "r");
    assert_non_null(out);
    assert_int_equal(kesco_report_write(&report, out), -EIO);
    fclose(out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_parses_back),
        cmocka_unit_test(keys_stand_in_the_contracts_order_one_entry_a_line),
        cmocka_unit_test(a_report_without_functions_is_fine),
        cmocka_unit_test(quotes_control_characters_and_utf8_survive),
        cmocka_unit_test(bytes_that_are_no_utf8_are_replaced),
        cmocka_unit_test(random_bytes_parse_back),
        cmocka_unit_test(a_full_disk_is_an_error),
        cmocka_unit_test(a_stream_that_takes_no_text_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
