/* Reports are read back as they were written; what is no report is refused, and why (read_report.h). */
#include "plugin/report/read_report.h"
#include "test/cmocka.h"
#include "test/report/sample_report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A file with the text; the caller frees its name and removes it. */
static char *file_of(const char *text) {
    char *path = strdup("/tmp/kesco-report-XXXXXX");
    assert_non_null(path);
    int file = mkstemp(path);
    assert_true(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
    close(file);
    return path;
}

static int read_text(const char *text, struct kesco_arena *arena, struct kesco_report *report,
                     char message[KESCO_READ_ERROR_SIZE]) {
    char *path = file_of(text);
    int err = kesco_report_read(path, false, arena, report, message);
    unlink(path);
    free(path);
    return err;
}

static void expect_same(const struct kesco_report *report) {
    struct kesco_arena arena = {0};
    struct kesco_report read;
    char message[KESCO_READ_ERROR_SIZE], *text = json_of(report);
    assert_int_equal(read_text(text, &arena, &read, message), 0);
    char *again = json_of(&read);
    assert_string_equal(text, again);
    free(text);
    free(again);
    kesco_arena_free(&arena);
}

static void random_plans_are_read_back(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct model model;
        struct kesco_report report;
        model_random_tasks(&model, seed, MODEL_OPS);
        struct kesco_report_builder *builder = report_of_model(&model, &report);
        expect_same(&report);
        kesco_report_builder_destroy(builder);
    }
}

static void all_that_a_report_has_is_read_back(void **state) {
    (void)state;
    const struct kesco_report_op op = {
        .kind = KESCO_OP_COPY, .name = "a\"</script>\xC3\xA9", .line = 7, .source = "h.h:3", .priority = -2};
    const struct kesco_report_guard guard = {"x", "y"};
    const struct kesco_report_barrier barrier = {40, "call to 'f<int>'"};
    const struct kesco_report_claim claim = {3, "x", "z"};
    const struct kesco_report_call call = {5, "step(int*)"};
    const unsigned levels[] = {3}, placed[] = {0};
    const struct kesco_report_function function = {.name = "operator<<",
                                                   .file = "h.h",
                                                   .lanes = 1,
                                                   .levels = levels,
                                                   .ops = &op,
                                                   .op_count = 1,
                                                   .assumed.guards = &guard,
                                                   .assumed.guard_count = 1,
                                                   .stops.barriers = &barrier,
                                                   .stops.barrier_count = 1,
                                                   .stops.serial = &barrier,
                                                   .assumed.claims = &claim,
                                                   .assumed.claim_count = 1,
                                                   .regions.placed = placed,
                                                   .regions.placed_count = 1,
                                                   .regions.joins = placed,
                                                   .regions.join_count = 1,
                                                   .lends = &call,
                                                   .lend_count = 1};
    const struct kesco_report report = {.source = "s.cu", .functions = &function, .function_count = 1};
    expect_same(&report);
}

static void expect_error(int err, const char *text, const char *why) {
    struct kesco_arena arena = {0};
    struct kesco_report report;
    char message[KESCO_READ_ERROR_SIZE];
    assert_int_equal(read_text(text, &arena, &report, message), err);
    if (!strstr(message, why))
        fail_msg("'%s' does not say '%s'", message, why);
    kesco_arena_free(&arena);
}

static void expect_refused(const char *text, const char *why) {
    expect_error(-EINVAL, text, why);
}

#define FUNCTION(rest) "{\"version\": 1, \"source\": \"s\", \"functions\": [{\"name\": \"f\", " rest "}]}"

static void what_is_no_report_is_refused(void **state) {
    (void)state;
    expect_refused("", "line 1 is no JSON");
    expect_error(-ENODATA, "[1, 2]", "it has not the fields");
    expect_error(-ENODATA, "{\"version\": 1}", "it has not the fields");
    expect_refused("{\"version\": 1, \"source\": \"s\", \"functions\": [], \"folder\": 3}",
                   "'folder' is missing or no text");
    expect_refused("{\"version\": 1, \"functions\": []}", "'source' is missing");
    expect_refused("{\"version\": 1, \"source\": \"s\", \"functions\": 3}",
                   "'functions' is missing or no list");
    expect_refused("{\"version\": 3, \"source\": \"s\", \"functions\": []}", "a report of version 3");
    expect_refused(FUNCTION("\"lanes\": 257"), "f: 'lanes' is missing, or not a number from 0 to 256");
    expect_refused(FUNCTION("\"lanes\": 1, \"levels\": []"), "f: 'levels' is not one for each lane");
    expect_refused(
        FUNCTION("\"lanes\": 0, \"levels\": [], \"ops\": [], \"edges\": [], \"waits\": [{\"op\": 0}]"),
        "f: 'op' is missing, or not a number");
}

static void a_file_that_is_not_there_is_an_error(void **state) {
    (void)state;
    struct kesco_arena arena = {0};
    struct kesco_report report;
    char message[KESCO_READ_ERROR_SIZE];
    assert_int_equal(kesco_report_read("/dev/null/none", false, &arena, &report, message), -EIO);
    assert_string_equal(message, "Not a directory");
    assert_int_equal(kesco_report_read("/", false, &arena, &report, message), -EINVAL);
    kesco_arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_plans_are_read_back),
        cmocka_unit_test(all_that_a_report_has_is_read_back),
        cmocka_unit_test(what_is_no_report_is_refused),
        cmocka_unit_test(a_file_that_is_not_there_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
