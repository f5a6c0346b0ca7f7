/*
 * plan_chart REPORT.json: prints the plans of a report that the plugin wrote (-fplugin-arg-kesco-report=FILE)
 * or that kesco-schedule printed, as text. See samples/chart.h for how to read them. In colour on a terminal,
 * unless NO_COLOR is set. Exit status: 0, 1 for a report that cannot be read, 2 for wrong arguments.
 */
#define _POSIX_C_SOURCE 200809L

#include "samples/chart.h"

#include <stdlib.h>
#include <unistd.h>

static bool wants_colour(void) {
    const char *no_colour = getenv("NO_COLOR");
    return isatty(STDOUT_FILENO) && (!no_colour || !*no_colour);
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fputs("usage: plan_chart REPORT.json\n", stderr);
        return 2;
    }
    json_error_t json_error;
    json_t *report = json_load_file(argv[1], 0, &json_error);
    if (!report) {
        fprintf(stderr, "plan_chart: %s: %s\n", argv[1], json_error.text);
        return EXIT_FAILURE;
    }
    char error[CHART_ERROR_SIZE];
    int code = chart_print(report, stdout, wants_colour(), error);
    json_decref(report);
    if (code) {
        fprintf(stderr, "plan_chart: %s: %s\n", argv[1], error);
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
