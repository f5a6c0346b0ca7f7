/* samples/bench_report: results as tables, as numbers of a chart and as JSON. */
#define _POSIX_C_SOURCE 200809L

#include "samples/bench_report.h"
#include "test/cmocka.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define RESULTS                                                                                              \
    "device D\nscale 0.5\n"                                                                                  \
    "time vec serial 3\ntime vec serial 1\ntime vec serial 2\ntime vec by_hand 0.9\ntime vec kesco 1\n"      \
    "records vec kesco 1\nwaits vec kesco 1\nrecords vec by_hand 2\nwaits vec by_hand 3\nbound vec 0.25\n"   \
    "time img serial 120.25\ntime img kesco 15.03125\n"                                                      \
    "lines vec serial 86\ntokens vec serial 378\nlines vec kesco 86\ntokens vec kesco 378\n"                 \
    "lines vec by_hand 106\ntokens vec by_hand 483\n"                                                        \
    "mode vec serial 2\nmode vec lanes 0.95\nmode vec auto 0.8\ntaken vec lanes+graphs\n"

static int read_results(void **state) {
    static struct bench_results results;
    char error[BENCH_ERROR_SIZE];
    FILE *in = fmemopen((void *)RESULTS, strlen(RESULTS), "r");
    int code = bench_results_read(&results, in, error);
    fclose(in);
    *state = &results;
    return code;
}

static int destroy_results(void **state) {
    bench_results_destroy(*state);
    return 0;
}

static void expect_text(const struct bench_results *results,
                        void (*print)(const struct bench_results *, FILE *), const char *expected) {
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    print(results, out);
    fclose(out);
    assert_string_equal(text, expected);
    free(text);
}

static void shows_times(void **state) {
    expect_text(
        *state, bench_print_times,
        "D; sizes: 0.5 x the paper's; milliseconds, medians\n\n"
        "         time (bound: no schedule takes less)              | KeSCo's speedup  | event records | "
        "event waits\n"
        "workload    serial   by hand     graph     KeSCo     bound | /serial /by hand | by hand KeSCo | by "
        "hand KeSCo\n"
        "vec          2.000    0.9000         -     1.000    0.2500 |   2.00x    0.90x |       2     1 |     "
        "  "
        "3     1\n"
        "img          120.2         -         -     15.03         - |   8.00x        - |       -     - |     "
        "  "
        "-     -\n"
        "geometric mean                                             |   4.00x    0.90x |               |\n");
}

static void shows_managed_memory(void **state) {
    static const char text[] =
        "device D\nmemory managed\ntime vec serial 4\ntime vec kesco 2\ntime vec by_hand 2\n"
        "fetched vec by_hand 0.5\nfetched vec kesco 1\n";
    struct bench_results results;
    char error[BENCH_ERROR_SIZE], *table;
    size_t size;
    (void)state;
    FILE *in = fmemopen((void *)text, sizeof(text) - 1, "r"), *out = open_memstream(&table, &size);
    assert_int_equal(bench_results_read(&results, in, error), 0);
    bench_print_managed(&results, out);
    fclose(out);
    fclose(in);
    assert_non_null(strstr(table,
                           "vec          4.000     2.000         -     2.000 |         -    0.5000     1.000 "
                           "        - |   2.00x    1.00x |   4.00x    0.50x\n"));
    assert_non_null(strstr(table, "|   1.28x        - |   5.01x    0.93x\n"));
    free(table);
    bench_results_destroy(&results);
}

static void shows_modes(void **state) {
    struct bench_results none = {.workload_count = 0};
    expect_text(*state, bench_print_modes,
                "         KeSCo once it has settled, by KESCO_MODE | auto\n"
                "workload    serial     lanes     graph      auto | took         /serial /best by hand\n"
                "vec          2.000    0.9500         -    0.8000 | lanes+graphs   2.50x         1.12x\n\n");
    expect_text(&none, bench_print_modes, "");
}

static void shows_rivals(void **state) {
    static const char text[] =
        "device D\nmemory managed\ntime vec serial 4\ntime vec kesco 2\ntime img serial 4\n"
        "time img processes 2\ntime vec processes 1\n"
        "time vec taskflow 3\nlines vec taskflow 20\ntokens vec taskflow 200\n"
        "time vec cudastf 5\nlines vec cudastf 30\ntokens vec cudastf 300\n";
    struct bench_results results;
    char error[BENCH_ERROR_SIZE];
    FILE *in = fmemopen((void *)text, sizeof(text) - 1, "r");
    assert_int_equal(bench_results_read(&results, in, error), 0);
    fclose(in);
    expect_text(&results, bench_print_rivals,
                "workload  Taskflow |  /serial  KeSCo's speedup |  lines  tokens\n"
                "vec          3.000 |    1.33x            1.50x |     20     200\n"
                "geometric mean     |    1.33x            1.50x |\n"
                "the paper's        |        -            1.16x |    173     914\n\n"
                "workload   CUDASTF |  /serial  KeSCo's speedup |  lines  tokens\n"
                "vec          5.000 |    0.80x            2.50x |     30     300\n"
                "geometric mean     |    0.80x            2.50x |\n\n"
                "workload processes |  /serial  KeSCo's speedup |  lines  tokens\n"
                "vec          1.000 |    4.00x            0.50x |      -       -\n"
                "img          2.000 |    2.00x                - |      -       -\n"
                "geometric mean     |    2.83x            0.50x |\n\n");
    bench_results_destroy(&results);
    expect_text(*state, bench_print_rivals, "");
}

static void shows_code(void **state) {
    expect_text(*state, bench_print_code,
                "                       lines of code |                      tokens\n"
                "workload serial=KeSCo by hand   graph | serial=KeSCo by hand   graph\n"
                "vec                86     106       - |          378     483       -\n"
                "img                 -       -       - |            -       -       -\n");
}

static void gives_a_chart_its_numbers(void **state) {
    expect_text(*state, bench_print_chart_data,
                "workload \"by hand\" \"graph\" \"KeSCo\"\n"
                "vec 2.2222 - 2.0000\n"
                "img - - 8.0000\n"
                "\"geometric mean\" 2.2222 - 4.0000\n");
}

static void becomes_json(void **state) {
    json_t *json = bench_to_json(*state);
    assert_non_null(json);
    const char *device, *name;
    int version, records, waits, lines, tokens;
    int repetitions;
    double scale, median, min, max, over_serial, over_by_hand, bound, mean;
    assert_int_equal(json_unpack(json, "{s:i, s:s, s:F, s:{s:{s:F}}}", "version", &version, "device", &device,
                                 "scale", &scale, "mean_speedups", "kesco", "over_serial", &mean),
                     0);
    assert_int_equal(version, 1);
    assert_string_equal(device, "D");
    assert_true(scale == 0.5 && mean > 3.999999 && mean < 4.000001);
    const json_t *workloads = json_object_get(json, "workloads");
    assert_int_equal(json_array_size(workloads), 2);
    json_t *vec = json_array_get(workloads, 0), *img = json_array_get(workloads, 1);
    json_t *variants = json_object_get(vec, "variants");
    assert_int_equal(json_unpack(vec, "{s:s, s:F}", "name", &name, "bound_ms", &bound), 0);
    assert_string_equal(name, "vec");
    assert_true(bound == 0.25);
    assert_int_equal(json_unpack(json_object_get(variants, "serial"), "{s:F, s:F, s:F, s:i}", "median_ms",
                                 &median, "min_ms", &min, "max_ms", &max, "repetitions", &repetitions),
                     0);
    assert_true(median == 2 && min == 1 && max == 3);
    assert_int_equal(repetitions, 3);
    assert_int_equal(json_unpack(json_object_get(variants, "kesco"), "{s:F, s:F, s:i, s:i, s:i, s:i}",
                                 "speedup_over_serial", &over_serial, "speedup_over_by_hand", &over_by_hand,
                                 "records", &records, "waits", &waits, "lines", &lines, "tokens", &tokens),
                     0);
    assert_true(over_serial == 2 && over_by_hand == 0.9);
    assert_int_equal(records, 1);
    assert_int_equal(waits, 1);
    assert_int_equal(lines, 86);
    assert_int_equal(tokens, 378);
    assert_null(json_object_get(variants, "graph"));
    assert_null(json_object_get(img, "bound_ms"));
    assert_true(json_real_value(json_object_get(json_object_get(vec, "modes_ms"), "auto")) == 0.8);
    assert_string_equal(json_string_value(json_object_get(vec, "taken")), "lanes+graphs");
    assert_null(json_object_get(img, "modes_ms"));
    json_decref(json);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shows_times),  cmocka_unit_test(shows_managed_memory),
        cmocka_unit_test(shows_modes),  cmocka_unit_test(shows_rivals),
        cmocka_unit_test(shows_code),   cmocka_unit_test(gives_a_chart_its_numbers),
        cmocka_unit_test(becomes_json),
    };
    return cmocka_run_group_tests(tests, read_results, destroy_results);
}
