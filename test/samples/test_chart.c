/* samples/chart: reports in, text out. */
#define _POSIX_C_SOURCE 200809L

#include "samples/chart.h"
#include "test/cmocka.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int chart(const char *report_text, bool colour, char **text, char error[CHART_ERROR_SIZE]) {
    size_t length;
    json_t *report = json_loads(report_text, 0, NULL);
    assert_non_null(report);
    FILE *out = open_memstream(text, &length);
    assert_non_null(out);
    int code = chart_print(report, out, colour, error);
    fclose(out);
    json_decref(report);
    return code;
}

static void expect_chart(const char *report_text, bool colour, const char *expected) {
    char *text, error[CHART_ERROR_SIZE] = "";
    int code = chart(report_text, colour, &text, error);
    assert_string_equal(text, expected);
    assert_string_equal(error, "");
    assert_int_equal(code, 0);
    free(text);
}

static void expect_bad(const char *report_text, const char *why) {
    char *text, error[CHART_ERROR_SIZE] = "";
    assert_int_equal(chart(report_text, false, &text, error), -EINVAL);
    assert_non_null(strstr(error, why));
    free(text);
}

#define OP(ID, KIND, NAME, LANE, ORDER)                                                                      \
    "{\"id\":" #ID ",\"kind\":\"" KIND "\",\"name\":\"" NAME "\",\"lane\":" #LANE ",\"order\":" #ORDER "}"
#define FUNCTION(LANES, OPS, WAITS, RECORDS, REST)                                                           \
    "{\"version\":1,\"source\":\"a.cu\",\"functions\":[{\"name\":\"f\",\"lanes\":" #LANES ",\"ops\":[" OPS   \
    "],\"edges\":[],\"waits\":[" WAITS "],\"records\":[" RECORDS "]" REST "}]}"
#define VEC                                                                                                  \
    FUNCTION(2,                                                                                              \
             OP(0, "kernel", "square", 0, 0) "," OP(1, "kernel", "square", 1, 1) "," OP(2, "kernel",         \
                                                                                        "reduce", 0, 2),     \
             "{\"op\":2,\"on\":1}", "1", )

static void shows_lanes_and_waits(void **state) {
    (void)state;
    expect_chart(VEC, false,
                 "f: 3 kernels, 2 lanes, 1 wait, 1 record\n"
                 "  lane 0 | 0 square | 2 reduce <1\n"
                 "  lane 1 | 1 square\n");
}

static void colours_only_waits(void **state) {
    (void)state;
    expect_chart(VEC, true,
                 "f: 3 kernels, 2 lanes, 1 wait, 1 record\n"
                 "  lane 0 | 0 square | 2 reduce\033[33m <1\033[0m\n"
                 "  lane 1 | 1 square\n");
}

static void puts_an_op_behind_what_it_waits_for(void **state) {
    (void)state;
    expect_chart(FUNCTION(2,
                          OP(0, "kernel", "a", 0, 0) "," OP(1, "kernel", "b", 0, 1) "," OP(
                              2, "kernel", "c", 1, 2) "," OP(3, "kernel", "d", 1, 3),
                          "{\"op\":3,\"on\":0},{\"op\":3,\"on\":1}", "0,1", ),
                 false,
                 "f: 4 kernels, 2 lanes, 2 waits, 2 records\n"
                 "  lane 0 | 0 a | 1 b\n"
                 "  lane 1 | 2 c |     | 3 d <0,1\n");
}

static void follows_the_issue_order_and_counts_other_ops(void **state) {
    (void)state;
    expect_chart(FUNCTION(1, OP(0, "kernel", "late", 0, 1) "," OP(1, "copy", "copy", 0, 0), "", "", ), false,
                 "f: 1 kernel, 1 other op, 1 lane, 0 waits, 0 records\n"
                 "  lane 0 | 1 copy | 0 late\n");
}

/* A wait for the previous iteration's event names an op that is issued later. */
static void a_wait_across_iterations_moves_nothing(void **state) {
    (void)state;
    expect_chart(FUNCTION(2, OP(0, "kernel", "a", 0, 0) "," OP(1, "kernel", "b", 1, 1),
                          "{\"op\":0,\"on\":1},{\"op\":1,\"on\":0}", "0,1", ),
                 false,
                 "f: 2 kernels, 2 lanes, 2 waits, 2 records\n"
                 "  lane 0 | 0 a <1\n"
                 "  lane 1 |        | 1 b <0\n");
}

static void shows_each_region(void **state) {
    (void)state;
    expect_chart(FUNCTION(1,
                          "{\"id\":0,\"kind\":\"kernel\",\"name\":\"a\",\"lane\":0,\"order\":0,\"region\":0},"
                          "{\"id\":1,\"kind\":\"kernel\",\"name\":\"b\",\"lane\":0,\"order\":1,\"region\":1}",
                          "", "", ),
                 false,
                 "f: 2 kernels, 1 lane, 0 waits, 0 records\n"
                 " region 0\n"
                 "  lane 0 | 0 a\n"
                 " region 1\n"
                 "  lane 0 | 1 b\n");
}

static void shows_guards_and_barriers(void **state) {
    (void)state;
    expect_chart(FUNCTION(1, OP(0, "kernel", "a", 0, 0), "", "",
                          ",\"guards\":[{\"a\":\"x\",\"b\":\"y\"}]"
                          ",\"barriers\":[{\"line\":40,\"why\":\"call to unknown function 'g'\"}]"),
                 false,
                 "f: 1 kernel, 1 lane, 0 waits, 0 records\n"
                 "  lane 0 | 0 a\n"
                 "  guard: serial unless x and y are different memory\n"
                 "  barrier in line 40: call to unknown function 'g'\n");
}

static void leaves_out_functions_without_ops(void **state) {
    (void)state;
    expect_chart(FUNCTION(0, "", "", "", ), false, "");
    expect_chart("{\"functions\":[]}", false, "");
}

static void rejects_what_is_no_report(void **state) {
    (void)state;
    expect_bad("[]", "no array 'functions'");
    expect_bad("{\"functions\":[{}]}", "'ops' and 'waits'");
    expect_bad("{\"functions\":[{\"ops\":[],\"waits\":[]}]}", "'name' and 'lanes'");
    expect_bad(FUNCTION(1, "{\"id\":0}", "", "", ), "kind");
    expect_bad(FUNCTION(1, OP(1, "kernel", "a", 0, 0), "", "", ), "ids are not 0, 1, 2 and so on");
    expect_bad(FUNCTION(1, OP(0, "kernel", "a", 9, 0), "", "", ), "a lane or region is out of range");
    expect_bad(FUNCTION(1, OP(0, "kernel", "a", -1, 0), "", "", ), "a lane or region is out of range");
    expect_bad(FUNCTION(1, OP(0, "kernel", "a", 0, 0), "{\"op\":0,\"on\":7}", "", ), "not there");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shows_lanes_and_waits),
        cmocka_unit_test(colours_only_waits),
        cmocka_unit_test(puts_an_op_behind_what_it_waits_for),
        cmocka_unit_test(follows_the_issue_order_and_counts_other_ops),
        cmocka_unit_test(a_wait_across_iterations_moves_nothing),
        cmocka_unit_test(shows_each_region),
        cmocka_unit_test(shows_guards_and_barriers),
        cmocka_unit_test(leaves_out_functions_without_ops),
        cmocka_unit_test(rejects_what_is_no_report),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
