/* The tool as its users run it: options, input, output, exit status (kesco_schedule.c). */
#include "test/cmocka.h"

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define GRAPHS KESCO_TEST_SOURCE "/"

struct result {
    int status;        /* exit status */
    char text[262144]; /* what the command printed, cut to the size */
};

/* Runs the tool in a shell: `arguments` may redirect and `before` may feed it. */
static void run(const char *before, const char *arguments, struct result *result) {
    char command[4096];
    snprintf(command, sizeof(command), "%s '%s' %s", before, KESCO_SCHEDULE, arguments);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    result->text[fread(result->text, 1, sizeof(result->text) - 1, pipe)] = '\0';
    int status = pclose(pipe);
    assert_true(WIFEXITED(status));
    result->status = WEXITSTATUS(status);
}

/* The only function of the report that the tool prints; the caller drops the reference. */
static json_t *function_of(const char *before, const char *arguments, const char *source) {
    struct result result;
    const char *name;
    json_t *function;
    run(before, arguments, &result);
    assert_int_equal(result.status, 0);
    json_t *json = json_loads(result.text, 0, NULL);
    assert_non_null(json);
    assert_int_equal(json_unpack(json, "{s:s, s:[O!]}", "source", &name, "functions", &function), 0);
    assert_string_equal(name, source);
    assert_string_equal(json_string_value(json_object_get(function, "name")), "graph");
    json_decref(json);
    return function;
}

static void expect_failure(const char *before, const char *arguments, int status, const char *message) {
    struct result result;
    char redirected[1024];
    snprintf(redirected, sizeof(redirected), "%s 2>&1", arguments);
    run(before, redirected, &result);
    assert_int_equal(result.status, status);
    if (!strstr(result.text, message))
        fail_msg("'%s' does not say '%s'", result.text, message);
}

static size_t entries(json_t *function, const char *key) {
    return json_array_size(json_object_get(function, key));
}

static void a_files_plan_is_printed_as_json(void **state) {
    (void)state;
    json_t *function = function_of("", GRAPHS "img.graph", GRAPHS "img.graph");
    assert_int_equal(json_integer_value(json_object_get(function, "lanes")), 4);
    assert_int_equal(entries(function, "ops"), 11);
    assert_int_equal(entries(function, "waits"), 4);
    json_t *first = json_array_get(json_object_get(function, "ops"), 0);
    assert_string_equal(json_string_value(json_object_get(first, "kind")), "kernel");
    assert_int_equal(json_integer_value(json_object_get(first, "line")), 3);
    json_decref(function);
}

static void standard_input_is_read_without_a_file_and_for_a_dash(void **state) {
    (void)state;
    json_decref(function_of("printf 'op a\\n' |", "", "<stdin>"));
    json_decref(function_of("printf 'op a\\n' |", "-", "<stdin>"));
    json_t *function = function_of("", "< /dev/null", "<stdin>");
    assert_int_equal(entries(function, "ops"), 0);
    json_decref(function);
}

static void options_reach_the_plan(void **state) {
    (void)state;
    const char *before = "printf 'op a w=x\\nop b r=x\\nop c\\n' |";
    json_t *function = function_of(before, "--max-lanes=1 --policy=fewest-predecessors", "<stdin>");
    assert_int_equal(json_integer_value(json_object_get(function, "lanes")), 1);
    json_t *last = json_array_get(json_object_get(function, "ops"), 2);
    assert_int_equal(json_integer_value(json_object_get(last, "order")), 1);
    json_decref(function);
    function = function_of("printf 'op a\\nop b w=x cost=2\\nop c r=x cost=3\\n' |", "--policy=critical-path",
                           "<stdin>");
    last = json_array_get(json_object_get(function, "ops"), 2);
    assert_int_equal(json_integer_value(json_object_get(last, "order")), 1);
    json_decref(function);
    function =
        function_of("printf 'op a0 w=x\\nop a1 r=x w=x\\nop a2 r=x w=x\\nop a3 r=x w=x\\nop a4 r=x w=x\\n"
                    "op a5 r=x w=x\\nop a6 r=x w=x\\nop a7 r=x w=x\\nop a8 r=x w=x\\nop b\\n' |",
                    "", "<stdin>");
    last = json_array_get(json_object_get(function, "ops"), 9);
    assert_int_equal(json_integer_value(json_object_get(last, "order")), 8);
    json_decref(function);
    function = function_of(before, "--reorder=off", "<stdin>");
    last = json_array_get(json_object_get(function, "ops"), 2);
    assert_int_equal(json_integer_value(json_object_get(last, "order")), 2);
    json_decref(function);
}

static void on_a_machine_lanes_that_cannot_pay_are_not_made(void **state) {
    (void)state;
    static const struct {
        const char *before;
        int lanes;
    } cases[] = {
        {"printf 'op a cost=9 fill=1\\nop b cost=9 fill=1\\n' |", 1},
        {"printf 'op a cost=9 fill=.5\\nop b cost=9 fill=.5\\n' |", 2},
        {"printf 'op a cost=9 fill=1\\nop b fill=1\\n' |", 2},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        json_t *function = function_of(cases[i].before, "--machine=1,.5,2,3", "<stdin>");
        assert_int_equal(json_integer_value(json_object_get(function, "lanes")), cases[i].lanes);
        json_decref(function);
    }
}

static void pictures_are_printed_instead_of_json(void **state) {
    (void)state;
    struct result result;
    run("", "--dot " GRAPHS "img.graph", &result);
    assert_int_equal(result.status, 0);
    assert_non_null(strstr(result.text, "digraph kesco {"));
    assert_non_null(strstr(result.text, "11 kernels, 4 lanes, 4 waits, 4 records"));
    run("", "--svg " GRAPHS "img.graph", &result);
    assert_int_equal(result.status, 0);
    assert_non_null(strstr(result.text, "<svg "));
    assert_non_null(strstr(result.text, ">10 combine</text>"));
    assert_non_null(strstr(result.text, "</svg>"));
    expect_failure("PATH=/nowhere", "--svg " GRAPHS "img.graph", 1,
                   "kesco-schedule: --svg: there is no program 'dot' on PATH; it comes with Graphviz");
    run("PATH=/nowhere", "--dot " GRAPHS "img.graph", &result);
    assert_int_equal(result.status, 0);
    expect_failure("", "--svg --dot", 2, "--dot and --svg cannot be asked for together");
}

static void help_and_version_are_answered(void **state) {
    (void)state;
    struct result result;
    run("", "--help", &result);
    assert_int_equal(result.status, 0);
    assert_non_null(strstr(result.text, "usage: kesco-schedule"));
    run("", "--version", &result);
    assert_int_equal(result.status, 0);
    assert_int_equal(strncmp(result.text, "kesco-schedule ", 15), 0);
}

static void bad_input_is_status_1_with_file_and_line(void **state) {
    (void)state;
    expect_failure("printf 'op a\\nop b c=1\\n' |", "", 1,
                   "kesco-schedule: <stdin>:2: unknown key 'c'; known keys:");
    expect_failure("", "no-such.graph", 1, "kesco-schedule: no-such.graph: No such file");
    expect_failure("", "/", 1, "kesco-schedule: /: cannot be read");
}

static void bad_options_are_status_2_with_the_known_ones(void **state) {
    (void)state;
    expect_failure(
        "", "--lanes=3", 2,
        "known options: --policy, --max-lanes, --reorder, --machine, --dot, --svg, --help, --version");
    expect_failure("", "--max-lane-s=3", 2, "kesco-schedule: did you mean --max-lanes? known options:");
    expect_failure("", "--policy=critcal-path", 2, "did you mean 'critical-path'? known policies:");
    expect_failure("", "-x", 2, "known options:");
    expect_failure("", "--policy", 2, "known options:");
    expect_failure("", "--policy=slowest", 2,
                   "unknown policy 'slowest'; known policies: fewest-predecessors, critical-path");
    expect_failure("", "--reorder=maybe", 2, "neither on nor off");
    expect_failure("", "--max-lanes=0", 2, "not a whole number from 1 to 256");
    expect_failure("", "--max-lanes=257", 2, "not a whole number from 1 to 256");
    expect_failure("", "--max-lanes=-1", 2, "not a whole number from 1 to 256");
    expect_failure("", "--max-lanes=3x", 2, "not a whole number from 1 to 256");
    static const char *const machines[] = {"",          "1,2,3",   "1,2,3,4,",  "1,2,3,-4", "1,2,nan,4",
                                           "inf,2,3,4", "1,2,3,x", "1,2,3,4 5", "1, 2,3,4", ",,,"};
    for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
        char argument[64];
        snprintf(argument, sizeof(argument), "'--machine=%s'", machines[i]);
        expect_failure("", argument, 2, "is not LAUNCH,CALL,WAIT,REGION, four numbers of microseconds, 0 or");
    }
    expect_failure("", "a b", 2, "one FILE at most, 'b' is one more");
}

static void a_full_disk_is_status_1(void **state) {
    (void)state;
    struct result result;
    run("printf 'op a\\n' |", "2>&1 > /dev/full", &result);
    assert_int_equal(result.status, 1);
    assert_non_null(strstr(result.text, "cannot print the plan"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_files_plan_is_printed_as_json),
        cmocka_unit_test(standard_input_is_read_without_a_file_and_for_a_dash),
        cmocka_unit_test(options_reach_the_plan),
        cmocka_unit_test(on_a_machine_lanes_that_cannot_pay_are_not_made),
        cmocka_unit_test(pictures_are_printed_instead_of_json),
        cmocka_unit_test(help_and_version_are_answered),
        cmocka_unit_test(bad_input_is_status_1_with_file_and_line),
        cmocka_unit_test(bad_options_are_status_2_with_the_known_ones),
        cmocka_unit_test(a_full_disk_is_status_1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
