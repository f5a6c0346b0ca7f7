/* samples/bench_results: text in, medians and means out. */
#define _POSIX_C_SOURCE 200809L

#include "samples/bench_results.h"
#include "test/cmocka.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int read_text(struct bench_results *results, const char *text, char error[BENCH_ERROR_SIZE]) {
    FILE *in = fmemopen((void *)text, strlen(text), "r");
    assert_non_null(in);
    int code = bench_results_read(results, in, error);
    fclose(in);
    return code;
}

static struct bench_results read_good(const char *text) {
    struct bench_results results;
    char error[BENCH_ERROR_SIZE] = "";
    int code = read_text(&results, text, error);
    assert_string_equal(error, "");
    assert_int_equal(code, 0);
    return results;
}

static void expect_bad(const char *text, const char *why) {
    struct bench_results results;
    char error[BENCH_ERROR_SIZE] = "";
    assert_int_equal(read_text(&results, text, error), -EINVAL);
    assert_string_equal(error, why);
    bench_results_destroy(&results);
}

static void near(double actual, double expected) {
    assert_true(fabs(actual - expected) < 1e-12);
}

static void reads_every_kind_of_line(void **state) {
    (void)state;
    struct bench_results results = read_good("# comment\n\ndevice a b  c\nscale 0.5\ntime vec serial 3\n"
                                             "time img kesco 2.5\nrecords vec kesco 1\nwaits vec kesco 2\n"
                                             "lines vec by_hand 106\ntokens vec graph 483\nbound vec 0.25\n");
    assert_string_equal(results.device, "a b  c");
    near(results.scale, 0.5);
    assert_int_equal(results.workload_count, 2);
    const struct bench_workload *vec = &results.workloads[0], *img = &results.workloads[1];
    assert_string_equal(vec->name, "vec");
    assert_string_equal(img->name, "img");
    assert_int_equal(vec->variants[BENCH_SERIAL].time_count, 1);
    near(vec->variants[BENCH_SERIAL].times[0], 3);
    near(img->variants[BENCH_KESCO].times[0], 2.5);
    near(vec->variants[BENCH_KESCO].records, 1);
    near(vec->variants[BENCH_KESCO].waits, 2);
    near(vec->variants[BENCH_BY_HAND].lines, 106);
    near(vec->variants[BENCH_GRAPH].tokens, 483);
    near(vec->bound, 0.25);
    bench_results_destroy(&results);
}

static void knows_times_with_fetches(void **state) {
    (void)state;
    struct bench_results results =
        read_good("memory managed\ntime a serial 8\ntime b serial 2\nfetched a kesco 3\nfetched a kesco 1\n"
                  "fetched b kesco 1\nfetched a by_hand 1\n");
    assert_true(results.is_managed);
    near(bench_fetched_time(&results.workloads[0], BENCH_KESCO), 2);
    near(bench_fetched_speedup(&results.workloads[0], BENCH_KESCO, BENCH_SERIAL, false), 4);
    near(bench_fetched_speedup(&results.workloads[0], BENCH_KESCO, BENCH_BY_HAND, true), 0.5);
    assert_true(isnan(bench_fetched_speedup(&results.workloads[1], BENCH_KESCO, BENCH_BY_HAND, true)));
    assert_true(isnan(bench_time(&results.workloads[0], BENCH_KESCO)));
    const double mean = bench_mean_fetched_speedup(&results, BENCH_KESCO, BENCH_SERIAL, false);
    assert_true(fabs(mean * mean - 8) < 1e-9);
    bench_results_destroy(&results);
}

static void what_is_not_told_is_not_known(void **state) {
    (void)state;
    struct bench_results results = read_good("time vec serial 3\n");
    const struct bench_workload *vec = &results.workloads[0];
    assert_string_equal(results.device, "");
    near(results.scale, 1);
    assert_true(isnan(vec->bound));
    assert_true(isnan(vec->variants[BENCH_KESCO].lines));
    assert_true(isnan(bench_time(vec, BENCH_KESCO)));
    assert_true(isnan(bench_speedup(vec, BENCH_KESCO, BENCH_SERIAL)));
    assert_true(isnan(bench_mean_speedup(&results, BENCH_KESCO, BENCH_SERIAL)));
    bench_results_destroy(&results);
}

static void of_a_value_said_twice_the_last_counts(void **state) {
    (void)state;
    struct bench_results results = read_good("device a\ndevice b\nlines vec serial 1\nlines vec serial 2");
    assert_string_equal(results.device, "b");
    near(results.workloads[0].variants[BENCH_SERIAL].lines, 2);
    bench_results_destroy(&results);
}

static void refuses_what_it_does_not_know(void **state) {
    (void)state;
    expect_bad("device x\ntimes vec serial 1\n", "line 2: unknown word 'times'");
    expect_bad("time\n", "line 1: a workload is missing");
    expect_bad("memory host\n", "line 1: a memory is device or managed, not 'host'");
    expect_bad("fetched vec serial 0\n", "line 1: a time must be above 0");
    expect_bad("time vec\n", "line 1: a variant is missing");
    expect_bad(
        "time vec hand 1\n",
        "line 1: a variant is serial, by_hand, graph, kesco, taskflow, cudastf or processes, not 'hand'");
    expect_bad("time vec serial\n", "line 1: a number is missing");
    expect_bad("time vec serial 1 2\n", "line 1: what is this behind the number: '2'");
    expect_bad("time vec serial 0\n", "line 1: a time must be above 0");
    expect_bad("bound vec\n", "line 1: a number is missing");
    expect_bad("mode vec turns 1\n", "line 1: a mode is serial, lanes, graph or auto, not 'turns'");
    expect_bad("mode vec auto\n", "line 1: a number is missing");
    expect_bad("taken vec all\n",
               "line 1: what is taken is serial, lanes, graphs or lanes+graphs, not 'all'");
    expect_bad("scale\n", "line 1: a number is missing");
    for (const char *const *number = (const char *const[]){"x", "1x", "-1", "nan", "inf", NULL}; *number;
         number++) {
        char text[64], why[128];
        snprintf(text, sizeof(text), "time vec serial %s\n", *number);
        snprintf(why, sizeof(why), "line 1: must be a number that is not negative: '%s'", *number);
        expect_bad(text, why);
    }
}

static void the_median_is_in_the_middle(void **state) {
    (void)state;
    const double values[] = {1, 2, 4, 100};
    assert_true(isnan(bench_median(values, 0)));
    near(bench_median(values, 1), 1);
    near(bench_median(values, 2), 1.5);
    near(bench_median(values, 3), 2);
    near(bench_median(values, 4), 3);
}

static void times_may_come_in_any_order(void **state) {
    (void)state;
    struct bench_results results =
        read_good("time vec serial 9\ntime vec serial 1\ntime img serial 5\ntime vec serial 3\n");
    near(bench_time(&results.workloads[0], BENCH_SERIAL), 3);
    bench_results_destroy(&results);
}

static void the_mean_speedup_is_geometric_over_workloads_that_have_both(void **state) {
    (void)state;
    struct bench_results results = read_good("time a serial 2\ntime a kesco 1\ntime b serial 8\n"
                                             "time b kesco 1\ntime c serial 5\ntime d kesco 5\n");
    near(bench_speedup(&results.workloads[1], BENCH_KESCO, BENCH_SERIAL), 8);
    near(bench_mean_speedup(&results, BENCH_KESCO, BENCH_SERIAL), 4);
    near(bench_mean_speedup(&results, BENCH_SERIAL, BENCH_KESCO), 0.25);
    bench_results_destroy(&results);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_every_kind_of_line),
        cmocka_unit_test(knows_times_with_fetches),
        cmocka_unit_test(what_is_not_told_is_not_known),
        cmocka_unit_test(of_a_value_said_twice_the_last_counts),
        cmocka_unit_test(refuses_what_it_does_not_know),
        cmocka_unit_test(the_median_is_in_the_middle),
        cmocka_unit_test(times_may_come_in_any_order),
        cmocka_unit_test(the_mean_speedup_is_geometric_over_workloads_that_have_both),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
