#include "runtime/environment.h"

#include "runtime/kesco_abi.h"
#include "runtime/nearest.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char **environ; /* by POSIX, whoever uses it declares it */

static struct kesco_environment environment;
static pthread_once_t environment_once = PTHREAD_ONCE_INIT;

static bool read_switch(const char *name) {
    const char *value = getenv(name);

    if (value == NULL || value[0] == '\0' || strcmp(value, "0") == 0)
        return false;
    if (strcmp(value, "1") == 0)
        return true;
    fprintf(stderr, "kesco: %s='%s' is ignored: allowed are 0 and 1\n", name, value);
    return false;
}

static enum kesco_statistics_asked read_statistics(const char *name) {
    const char *value = getenv(name);

    if (value == NULL || value[0] == '\0' || strcmp(value, "0") == 0)
        return KESCO_STATISTICS_NONE;
    if (strcmp(value, "1") == 0)
        return KESCO_STATISTICS_REGIONS;
    if (strcmp(value, "all") == 0)
        return KESCO_STATISTICS_ALL;
    fprintf(stderr, "kesco: %s='%s' is ignored: allowed are 0, 1 and all\n", name, value);
    return KESCO_STATISTICS_NONE;
}

static int read_mode(const char *name) {
    const char *value = getenv(name);

    if (value == NULL || value[0] == '\0')
        return KESCO_MODE_UNSET;
    if (strcmp(value, "auto") == 0)
        return KESCO_MODE_AUTO;
    if (strcmp(value, "serial") == 0)
        return KESCO_MODE_SERIAL;
    if (strcmp(value, "lanes") == 0)
        return KESCO_MODE_LANES;
    if (strcmp(value, "graph") == 0)
        return KESCO_MODE_GRAPH;
    if (strcmp(value, "turns") == 0)
        return KESCO_MODE_TURNS;
    fprintf(stderr, "kesco: %s='%s' is ignored: allowed are auto, serial, lanes and graph\n", name, value);
    return KESCO_MODE_UNSET;
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

/* Tells of `name`, of `size` characters, if it is no variable of KeSCo's, but nearly one. */
static void check_name(const char *name, size_t size) {
    static const char *const known[] = {"KESCO_DISABLE", "KESCO_MODE",  "KESCO_ONLY",    "KESCO_LOG",
                                        "KESCO_STATS",   "KESCO_TRACE", "KESCO_PROFILE", "KESCO_CHECK"};
    enum { NEAR = 2 };
    const char *nearest = NULL;
    size_t i, distance, best = NEAR + 1;

    for (i = 0; i < sizeof known / sizeof *known; i++) {
        distance = kesco_distance(name, size, known[i], strlen(known[i]));
        if (distance < best) {
            best = distance;
            nearest = known[i];
        }
    }
    if (nearest != NULL && best > 0)
        fprintf(stderr, "kesco: %.*s is ignored: did you mean %s?\n", (int)size, name, nearest);
}

static void check_names(void) {
    char **variable;

    for (variable = environ; variable != NULL && *variable != NULL; variable++)
        if (strncmp(*variable, "KESCO_", strlen("KESCO_")) == 0)
            check_name(*variable, strcspn(*variable, "="));
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
