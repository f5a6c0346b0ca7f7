/*
 * plan_chart REPORT.json [FUNCTION]: prints the plans of a report that the plugin wrote
 * (-fplugin-arg-kesco-report=FILE) or that kesco-schedule printed, as text; with FUNCTION, a name without
 * parameters, only that function's. See samples/chart.h for how to read them. In colour on a terminal, unless
 * TERM is dumb or NO_COLOR is set. Exit status: 0, 1 for a report that cannot be read or has no such
 * function, 2 for wrong arguments.
 */
#define _POSIX_C_SOURCE 200809L

#include "samples/chart.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool wants_colour(void) {
    const char *no_colour = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return isatty(STDOUT_FILENO) && terminal && strcmp(terminal, "dumb") != 0 && (!no_colour || !*no_colour);
}

/* Takes all functions out of `report` but those called `name`. False if there is none. */
static bool keep_function(const json_t *report, const char *name) {
    json_t *functions = json_object_get(report, "functions");
    for (size_t i = json_array_size(functions); i-- > 0;) {
        const char *full = json_string_value(json_object_get(json_array_get(functions, i), "name"));
        if (!full || strcspn(full, "(") != strlen(name) || strncmp(full, name, strlen(name)) != 0)
            json_array_remove(functions, i);
    }
    return json_array_size(functions) > 0;
}

static const char usage[] = "usage: plan_chart REPORT.json [FUNCTION]\n"
                            "Prints the plans of a report, of all functions or of one, as text: a row for "
                            "each lane, and what may run at\n"
                            "once in one column; \"<9\" says that the op waits for op 9 of another lane.\n";

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        fputs(usage, stdout);
        return EXIT_SUCCESS;
    }
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        puts("plan_chart " KESCO_VERSION);
        return EXIT_SUCCESS;
    }
    if (argc != 2 && argc != 3) {
        fputs(usage, stderr);
        return 2;
    }
    json_error_t json_error;
    json_t *report = json_load_file(argv[1], 0, &json_error);
    if (!report) {
        fprintf(stderr, "plan_chart: %s: %s\n", argv[1], json_error.text);
        return EXIT_FAILURE;
    }
    if (argc == 3 && !keep_function(report, argv[2])) {
        fprintf(stderr, "plan_chart: %s: no function '%s'\n", argv[1], argv[2]);
        json_decref(report);
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
