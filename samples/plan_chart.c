/*
 * plan_chart REPORT.json [FUNCTION]: prints the plans of a report that the plugin wrote
 * (-fplugin-arg-kesco-report=FILE) or that kesco-schedule printed, as text; with FUNCTION, a name without
 * parameters, only that function's. See samples/chart.h for how to read them. In colour on a terminal, unless
 * TERM is dumb or NO_COLOR is set. Exit status: 0, 1 for a report that cannot be read or has no such
 * function, 2 for wrong arguments.
 */
#define _POSIX_C_SOURCE 200809L

#include "plugin/tool/long_options.h"
#include "runtime/nearest.h"
#include "samples/chart.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool wants_colour(void) {
    const char *no_colour = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return isatty(STDOUT_FILENO) && terminal && strcmp(terminal, "dumb") != 0 && (!no_colour || !*no_colour);
}

static const char *name_at(const json_t *functions, size_t index) {
    const char *full = json_string_value(json_object_get(json_array_get(functions, index), "name"));
    return full ? full : "";
}

static bool is_called(const char *full, const char *name) {
    return strcspn(full, "(") == strlen(name) && strncmp(full, name, strlen(name)) == 0;
}

/* Takes all functions out of `report` but those called `name`. False if there is none. */
static bool keep_function(const json_t *report, const char *name) {
    json_t *functions = json_object_get(report, "functions");
    size_t found = 0;
    for (size_t i = 0; i < json_array_size(functions); i++)
        found += is_called(name_at(functions, i), name);
    for (size_t i = json_array_size(functions); found && i-- > 0;)
        if (!is_called(name_at(functions, i), name))
            json_array_remove(functions, i);
    return found > 0;
}

/* The name, without parameters, of the function of `report` that is nearest to `name`: its begin and length.
 */
static const char *nearest_function(const json_t *report, const char *name, int *length) {
    const json_t *functions = json_object_get(report, "functions");
    const char *nearest = "";
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < json_array_size(functions); i++) {
        const char *full = name_at(functions, i);
        size_t distance = kesco_distance(name, strlen(name), full, strcspn(full, "("));
        if (distance < best) {
            best = distance;
            nearest = full;
        }
    }
    *length = (int)strcspn(nearest, "(");
    return nearest;
}

enum { STATUS_USAGE = 2 };

static const char usage[] = "usage: plan_chart REPORT.json [FUNCTION]\n"
                            "Prints the plans of a report, of all functions or of one, as text: a row for "
                            "each lane, and what may run at\n"
                            "once in one column; \"<9\" says that the op waits for op 9 of another lane.\n\n"
                            "  --help     this text\n"
                            "  --version  the version\n";

/* The exit status where the command line asks for no chart; -1 where it does: optind is then that of
 * REPORT.json. */
static int answer(int argc, char **argv) {
    static const struct option options[] = {
        {"help", no_argument, NULL, 'h'}, {"version", no_argument, NULL, 'v'}, {NULL, 0, NULL, 0}};
    switch (getopt_long(argc, argv, "", options, NULL)) {
    case 'h':
        fputs(usage, stdout);
        return EXIT_SUCCESS;
    case 'v':
        puts("plan_chart " KESCO_VERSION);
        return EXIT_SUCCESS;
    case '?':
        kesco_say_known_options("plan_chart", options, argv[optind - 1]);
        return STATUS_USAGE;
    default:
        if (argc - optind == 1 || argc - optind == 2)
            return -1;
        fputs(usage, stderr);
        return STATUS_USAGE;
    }
}

static void say_no_function(const char *path, const json_t *report, const char *name) {
    int length;
    const char *nearest = nearest_function(report, name, &length);
    fprintf(stderr, "plan_chart: %s: no function '%s'", path, name);
    if (length > 0)
        fprintf(stderr, "; the nearest is '%.*s'", length, nearest);
    fputc('\n', stderr);
}

/* Prints the chart of the report at `path`, of all functions where `function` is NULL. */
static int print(const char *path, const char *function) {
    json_error_t json_error;
    char error[CHART_ERROR_SIZE];
    int status = EXIT_FAILURE;
    struct stat about;
    const bool is_folder = stat(path, &about) == 0 && S_ISDIR(about.st_mode);
    json_t *report = is_folder ? NULL : json_load_file(path, 0, &json_error);
    if (is_folder)
        fprintf(stderr,
                "plan_chart: %s: is a folder; name one report in it, or make a page of all by 'kesco-report "
                "%s'\n",
                path, path);
    else if (!report)
        fprintf(stderr, "plan_chart: %s: %s\n", path, json_error.text);
    else if (function && !keep_function(report, function))
        say_no_function(path, report, function);
    else if (chart_print(report, stdout, wants_colour(), error))
        fprintf(stderr, "plan_chart: %s: %s\n", path, error);
    else
        status = EXIT_SUCCESS;
    json_decref(report);
    return status;
}

int main(int argc, char **argv) {
    int status = answer(argc, argv);
    return status >= 0 ? status : print(argv[optind], optind + 1 < argc ? argv[optind + 1] : NULL);
}
