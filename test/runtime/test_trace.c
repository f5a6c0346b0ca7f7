/* KESCO_TRACE: what is in the trace. */
#include "runtime/kesco_abi.h"
#include "test/cmocka.h"
#include "test/runtime/scenario.h"
#include "test/runtime/trace_rules.h"
#include "test/runtime/traced.h"

#include <stdlib.h>

/* Behind the region comes what the program issues; nothing waits for the host. */
static int ordered(void) {
    __kesco1_enter(origin, &three_lanes);
    issue('a', __kesco1_lane(0, &one, 0));
    __kesco1_record(0, 0);
    issue('b', __kesco1_lane(1, &two, 0));
    REQUIRE(__kesco1_finish(1, KESCO_FINISH_SERIAL, cudaSuccess) == cudaSuccess);
    __kesco1_wait(0, 2);
    issue('c', __kesco1_lane(2, &odd, 0));
    REQUIRE(__kesco1_finish(2, KESCO_FINISH_ALWAYS, cudaSuccess) == cudaSuccess);
    REQUIRE(come_in_order('a', 'c'));
    __kesco1_leave();
    issue('d', origin);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    REQUIRE(come_in_order('b', 'd') && come_in_order('c', 'd') && letters() == 4);
    return 0;
}

/* What a wait may name: an event that nothing recorded, or recorded before any op; twice the same. */
static int waits(void) {
    int i;

    __kesco1_enter(origin, &three_lanes);
    __kesco1_record(1, 2);
    __kesco1_wait(0, 1);
    __kesco1_wait(1, 1);
    write_cell(0, __kesco1_lane(0, &one, 0));
    __kesco1_record(0, 0);
    for (i = 0; i < 3; i++)
        __kesco1_wait(0, 1);
    __kesco1_wait(0, 2);
    copy_cell(1, 0, __kesco1_lane(1, &two, 0));
    __kesco1_leave();
    __kesco1_enter(origin, &three_lanes);
    __kesco1_wait(0, 2);
    write_cell(0, __kesco1_lane(2, &odd, 0));
    __kesco1_leave();
    return 0;
}

/* A region on which the program ends. */
static int ends_within(void) {
    __kesco1_enter(origin, &three_lanes);
    write_cell(0, __kesco1_lane(0, &one, 0));
    exit(0);
}

static const struct scenario scenarios[] = {
    SCENARIO(region), SCENARIO(ordered), SCENARIO(waits), SCENARIO(many), SCENARIO(ends_within),
};

#define FORKED_REGION "row kesco regions: run(int)\nrow kesco lane 0 (origin): one\n" LANES_1_AND_2

static void test_lanes_are_rows_and_waits_are_arrows(void **state) {
    (void)state;
    require_trace("region", "null", LEGACY_REGION ARROWS LEFT_OUT("0", "0"));
    require_trace("region", "legacy", LEGACY_REGION ARROWS LEFT_OUT("0", "0"));
    require_trace("region", "blocking", FORKED_REGION ARROWS LEFT_OUT("0", "0"));
    require_trace("region", "per-thread", FORKED_REGION ARROWS LEFT_OUT("0", "0"));
    require_trace("ends_within", "null",
                  "row kesco regions: run(int)\nrow kesco lane 0: one\n" LEFT_OUT("0", "0"));
}

static void test_waits_for_nothing_have_no_arrows(void **state) {
    (void)state;
    require_trace("waits", "null",
                  "row kesco regions: run(int) run(int)\nrow kesco lane 0: one\nrow kesco lane 1: "
                  "two\nrow kesco lane 2: " ODD "\narrow one -> two\n" LEFT_OUT("0", "0"));
}

enum { LEGACY_KINDS = 2 }; /* of origin_kinds, the first ones: the legacy default stream */

#define SERIAL_ON(row)                                                                                       \
    "row kesco regions: run(int)\nrow kesco " row ": one " ODD " two op\n" LEFT_OUT("0", "0")

static void test_serial_regions_are_on_the_origin(void **state) {
    size_t i;

    (void)state;
    setenv("KESCO_DISABLE", "1", 1);
    for (i = 0; i < origin_kind_count; i++)
        require_trace("region", origin_kinds[i],
                      i < LEGACY_KINDS ? SERIAL_ON("default stream") : SERIAL_ON("lane 0 (origin)"));
    unsetenv("KESCO_DISABLE");
}

static void require_argument(const json_t *event, const char *key, const char *text) {
    assert_string_equal(json_string_value(json_object_get(json_object_get(event, "args"), key)), text);
}

static void test_ops_are_named(void **state) {
    json_t *trace = trace_of("region", "null");
    const json_t *op = trace_rules_find(trace, "two"), *region = trace_rules_find(trace, "run(int)");
    const json_t *unknown = trace_rules_find(trace, ODD);

    (void)state;
    require_argument(op, "kind", "copy");
    require_argument(op, "function", "run(int)");
    require_argument(op, "source", "a.cu:4");
    require_argument(region, "source", "a.cu:3");
    require_argument(unknown, "function", "walk<\"x\">()");
    assert_null(json_object_get(json_object_get(unknown, "args"), "source"));
    assert_true(number_of(json_object_get(op, "args"), "lane") == 2);
    assert_true(number_of(json_object_get(op, "args"), "region") ==
                number_of(json_object_get(region, "args"), "region"));
    assert_true(number_of(json_object_get(region, "args"), "lanes") == 3);
    json_decref(trace);
}

static void test_no_op_is_missing(void **state) {
    json_t *trace;

    (void)state;
    setenv("VGPU_SEED", AS_LATE_AS_POSSIBLE, 1);
    trace = trace_of("many", "null");
    assert_int_equal(count_ops(trace), MANY);
    json_decref(trace);
    unsetenv("VGPU_SEED");
}

static void test_order_is_as_without(void **state) {
    size_t i;

    (void)state;
    setenv("KESCO_TRACE", path, 1);
    for (i = 0; i < origin_kind_count; i++) {
        require_order("ordered", origin_kinds[i]);
        assert_int_equal(run_child_with("region", origin_kinds[i], "VGPU_CHECK", "races"), 0);
    }
    unsetenv("KESCO_TRACE");
}

/* A file that cannot be written costs the program nothing; nor does an empty name. */
static void test_files_of_all_kinds(void **state) {
    char folder[] = "/tmp/kesco-trace-XXXXXX", within[64];

    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(run_child_with("region", "null", "KESCO_TRACE", folder), 0);
    assert_int_equal(run_child_with("region", "null", "KESCO_TRACE", ""), 0);
    assert_int_equal(run_child_with("region", "null", "KESCO_TRACE", "/dev/full"), 0);
    snprintf(within, sizeof within, "%s/none/trace.json", folder);
    assert_int_equal(run_child_with("region", "null", "KESCO_TRACE", within), 0);
    assert_int_equal(rmdir(folder), 0);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lanes_are_rows_and_waits_are_arrows),
        cmocka_unit_test(test_waits_for_nothing_have_no_arrows),
        cmocka_unit_test(test_serial_regions_are_on_the_origin),
        cmocka_unit_test(test_ops_are_named),
        cmocka_unit_test(test_no_op_is_missing),
        cmocka_unit_test(test_order_is_as_without),
        cmocka_unit_test(test_files_of_all_kinds),
    };

    if (argc == 3)
        return RUN_SCENARIO(argv, scenarios);
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
