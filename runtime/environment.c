#include "runtime/environment.h"

#include "runtime/kesco_abi.h"
#include "runtime/nearest.h"
#include "runtime/variable_names.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct kesco_environment environment;
static pthread_once_t environment_once = PTHREAD_ONCE_INIT;

/* A value that a variable may have, and what it stands for. */
struct choice {
    const char *text;
    int value;
};

enum { MOST_CHOICES = 8 };

/* Of `choices`, of which the last has no text; that is what an unset, empty or wrong value stands for.
 * `allowed` are those for people. */
static int read_choice(const char *name, const struct choice *choices, const char *allowed) {
    const char *value = getenv(name), *words[MOST_CHOICES], *nearest;
    size_t count = 0;

    while (choices[count].text != NULL && (value == NULL || strcmp(value, choices[count].text) != 0)) {
        words[count] = choices[count].text;
        count++;
    }
    if (choices[count].text == NULL && value != NULL && value[0] != '\0') {
        nearest = kesco_nearest(value, strlen(value), words, count);
        fprintf(stderr, "kesco: %s='%s' is ignored%s%s%s allowed are %s\n", name, value,
                nearest != NULL ? ": did you mean '" : "", nearest != NULL ? nearest : "",
                nearest != NULL ? "'?" : ":", allowed);
    }
    return choices[count].value;
}

static bool read_switch(const char *name) {
    static const struct choice choices[] = {{"0", false}, {"1", true}, {NULL, false}};

    return read_choice(name, choices, "0 and 1") != false;
}

static enum kesco_statistics_asked read_statistics(const char *name) {
    static const struct choice choices[] = {{"0", KESCO_STATISTICS_NONE},
                                            {"1", KESCO_STATISTICS_REGIONS},
                                            {"all", KESCO_STATISTICS_ALL},
                                            {NULL, KESCO_STATISTICS_NONE}};

    return (enum kesco_statistics_asked)read_choice(name, choices, "0, 1 and all");
}

static int read_mode(const char *name) {
    static const struct choice choices[] = {{"auto", KESCO_MODE_AUTO},   {"serial", KESCO_MODE_SERIAL},
                                            {"lanes", KESCO_MODE_LANES}, {"graph", KESCO_MODE_GRAPH},
                                            {"turns", KESCO_MODE_TURNS}, {NULL, KESCO_MODE_UNSET}};

    return read_choice(name, choices, "auto, serial, lanes and graph");
}

/* The program may change the variable later. NULL: there is none. */
static const char *read_path(const char *name) {
    const char *value = getenv(name);

    return value == NULL || value[0] == '\0' ? NULL : strdup(value);
}

/* NULL: there is none. */
static struct kesco_function_list *read_functions(const char *name) {
    static struct kesco_function_list list;
    const char *value = getenv(name);

    if (value == NULL || value[0] == '\0')
        return NULL;
    if (kesco_function_list_read(&list, value) == 0)
        return &list;
    fprintf(stderr, "kesco: %s='%s' is ignored: allowed are names of functions, separated by commas\n", name,
            value);
    return NULL;
}

static void check_names(void) {
    static const char *const known[] = {"KESCO_DISABLE", "KESCO_MODE",  "KESCO_ONLY",    "KESCO_LOG",
                                        "KESCO_STATS",   "KESCO_TRACE", "KESCO_PROFILE", "KESCO_CHECK"};

    kesco_tell_near_variables("kesco", "KESCO_", known, sizeof known / sizeof *known);
}

static void read_environment(void) {
    check_names();
    environment.disable = read_switch("KESCO_DISABLE");
    environment.mode = read_mode("KESCO_MODE");
    environment.check = read_switch("KESCO_CHECK");
    environment.log = read_switch("KESCO_LOG");
    environment.statistics = read_statistics("KESCO_STATS");
    environment.profile = read_path("KESCO_PROFILE");
    environment.trace = read_path("KESCO_TRACE");
    environment.only = read_functions("KESCO_ONLY");
}

const struct kesco_environment *kesco_environment(void) {
    pthread_once(&environment_once, read_environment);
    return &environment;
}

void kesco_log(const char *format, ...) {
    char line[1024];
    va_list arguments;

    if (!kesco_environment()->log)
        return;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    fprintf(stderr, "kesco: %s\n", line);
}
