/*
 * bench_table RESULTS [--json FILE] [--chart-data FILE]: prints what the benchmarks measured (RESULTS, see
 * samples/bench_results.h) as tables, and writes it to files as well: as JSON, and as what
 * samples/bench_chart.gp draws (samples/bench_report.h). Exit status: 0, 1 for a file that cannot be read or
 * written, 2 for wrong arguments.
 */
#include "samples/bench_report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int fail(const char *path, const char *why) {
    fprintf(stderr, "bench_table: %s: %s\n", path, why);
    return EXIT_FAILURE;
}

static int read_results(struct bench_results *results, const char *path) {
    char error[BENCH_ERROR_SIZE];
    *results = (struct bench_results){0};
    FILE *in = fopen(path, "r");
    if (!in)
        return fail(path, strerror(errno));
    int code = bench_results_read(results, in, error);
    fclose(in);
    return code ? fail(path, error) : EXIT_SUCCESS;
}

static int write_json(const struct bench_results *results, const char *path) {
    json_t *json = bench_to_json(results);
    if (!json)
        return fail(path, "not enough memory");
    int code = json_dump_file(json, path, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
    json_decref(json);
    return code ? fail(path, "cannot be written") : EXIT_SUCCESS;
}

static int write_chart_data(const struct bench_results *results, const char *path) {
    FILE *out = fopen(path, "w");
    if (!out)
        return fail(path, strerror(errno));
    bench_print_chart_data(results, out);
    int bad = ferror(out);
    return fclose(out) || bad ? fail(path, "cannot be written") : EXIT_SUCCESS;
}

static int print_tables(const struct bench_results *results) {
    if (results->is_managed)
        bench_print_managed(results, stdout);
    else
        bench_print_times(results, stdout);
    fputc('\n', stdout);
    bench_print_modes(results, stdout);
    bench_print_rivals(results, stdout);
    bench_print_code(results, stdout);
    return fflush(stdout) || ferror(stdout) ? fail("standard output", "cannot be written") : EXIT_SUCCESS;
}

int main(int argc, char **argv) {
    const char *path = NULL, *json_path = NULL, *chart_path = NULL;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0 && i + 1 < argc)
            json_path = argv[++i];
        else if (strcmp(argv[i], "--chart-data") == 0 && i + 1 < argc)
            chart_path = argv[++i];
        else if (*argv[i] != '-' && !path)
            path = argv[i];
        else
            path = NULL, i = argc;
    }
    if (!path) {
        fputs("usage: bench_table RESULTS [--json FILE] [--chart-data FILE]\n", stderr);
        return 2;
    }
    struct bench_results results;
    int status = read_results(&results, path);
    if (status == EXIT_SUCCESS)
        status = print_tables(&results);
    if (status == EXIT_SUCCESS && json_path)
        status = write_json(&results, json_path);
    if (status == EXIT_SUCCESS && chart_path)
        status = write_chart_data(&results, chart_path);
    bench_results_destroy(&results);
    return status;
}
