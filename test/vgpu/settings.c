#include "test/vgpu/settings.h"

#include "runtime/variable_names.h"
#include "test/vgpu/extrapolation.h"
#include "test/vgpu/fail.h"
#include "test/vgpu/hardware.h"

#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct settings settings = {.devices = 1, .concurrent_managed = true, .memory = (uint64_t)16 << 30};

_Noreturn void die(int status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("vgpu: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    fflush(NULL);
    _exit(status);
}

static uint64_t read_seed(const char *text) {
    char *end;
    errno = 0;
    const uint64_t seed = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno)
        die(EXIT_BAD_SETTING, "VGPU_SEED=%s: must be a whole number from 0 to 18446744073709551615", text);
    return seed;
}

static bool read_check(const char *text) {
    if (strcmp(text, "races") != 0)
        die(EXIT_BAD_SETTING, "VGPU_CHECK=%s: must be 'races'", text);
    return true;
}

static int read_devices(const char *text) {
    char *end;
    const unsigned long count = strtoul(text, &end, 10);
    if (*text < '1' || *text > '9' || *end || count > DEVICE_LIMIT)
        die(EXIT_BAD_SETTING, "VGPU_DEVICES=%s: must be a whole number from 1 to %d", text, DEVICE_LIMIT);
    return (int)count;
}

/* In MiB. */
static uint64_t read_memory(const char *text) {
    enum { MOST = 1 << 20 };
    char *end;
    const unsigned long mebibytes = strtoul(text, &end, 10);
    if (*text < '1' || *text > '9' || *end || mebibytes > MOST)
        die(EXIT_BAD_SETTING, "VGPU_MEMORY=%s: must be a whole number of MiB from 1 to %d", text, MOST);
    return (uint64_t)mebibytes << 20;
}

static bool read_mode(const char *text) {
    if (strcmp(text, "run") != 0 && strcmp(text, "null") != 0)
        die(EXIT_BAD_SETTING, "VGPU_MODE=%s: must be 'run' or 'null'", text);
    return strcmp(text, "null") == 0;
}

static bool read_switch(const char *name, const char *text) {
    if (strcmp(text, "0") != 0 && strcmp(text, "1") != 0)
        die(EXIT_BAD_SETTING, "%s=%s: must be 0 or 1", name, text);
    return *text == '1';
}

static const struct hardware *read_model(const char *text) {
    for (int i = 0; i < HARDWARE_MODELS; i++) {
        if (strcmp(hardware_models[i].model, text) == 0)
            return &hardware_models[i];
    }
    die(EXIT_BAD_SETTING, "VGPU_DEVICE_MODEL=%s: must be 'h200' or 'a100'", text);
}

/* Opened at start, so that a path that cannot be written fails before the program runs. */
static FILE *open_file(const char *name, const char *path) {
    FILE *file = fopen(path, "we");
    if (!file)
        die(EXIT_BAD_SETTING, "%s=%s: must be the path of a file that can be written: %s", name, path,
            strerror(errno));
    return file;
}

void settings_finish(FILE *file, const char *name, json_t *root) {
    const bool dumped = json_dumpf(root, file, JSON_INDENT(2)) == 0;
    const bool closed = fputc('\n', file) != EOF && fclose(file) == 0;
    json_decref(root);
    if (!dumped || !closed)
        die(EXIT_FAILURE, "%s: the file cannot be written", name);
}

static bool is_given(const char *name) {
    const char *text = getenv(name);
    return text && *text;
}

/* What KeSCo's runtime writes of times is of virtual time; else it would be counts of ops. What it counts of
 * all that runs is known of virtual time alone (cupti.h). */
static void read_time(void) {
    const char *text = getenv("VGPU_TIME"), *counted = getenv("KESCO_STATS");
    const bool is_shown = is_given("KESCO_TRACE") || is_given("KESCO_PROFILE");
    const bool is_wanted = is_shown || (counted && strcmp(counted, "all") == 0);
    settings.time = text ? read_switch("VGPU_TIME", text) : is_wanted && !settings.null_mode;
    if (text && is_shown && !settings.time)
        fputs("vgpu: VGPU_TIME=0: the times of KESCO_TRACE and KESCO_PROFILE are counts of ops\n", stderr);
}

static void check_names(void) {
    static const char *const known[] = {"VGPU_SEED",         "VGPU_CHECK",       "VGPU_DEVICES",
                                        "VGPU_DEVICE_MODEL", "VGPU_MEMORY",      "VGPU_CONCURRENT_MANAGED",
                                        "VGPU_FAIL",         "VGPU_STATS",       "VGPU_COUNTS",
                                        "VGPU_TRACE",        "VGPU_EXTRAPOLATE", "VGPU_EXTRAPOLATE_TOUCHES",
                                        "VGPU_MODE",         "VGPU_TIME",        "VGPU_CLANG"};
    kesco_tell_near_variables("vgpu", "VGPU_", known, sizeof(known) / sizeof(*known));
}

void settings_read(void) {
    const char *text;
    check_names();
    if ((text = getenv("VGPU_SEED")))
        settings.seed = read_seed(text);
    if ((text = getenv("VGPU_CHECK")))
        settings.check_races = read_check(text);
    if ((text = getenv("VGPU_DEVICES")))
        settings.devices = read_devices(text);
    if ((text = getenv("VGPU_DEVICE_MODEL")))
        hardware = read_model(text);
    if ((text = getenv("VGPU_MEMORY")))
        settings.memory = read_memory(text);
    if ((text = getenv("VGPU_CONCURRENT_MANAGED")))
        settings.concurrent_managed = read_switch("VGPU_CONCURRENT_MANAGED", text);
    if ((text = getenv("VGPU_FAIL")))
        fail_read(text);
    if ((text = getenv("VGPU_STATS")))
        settings.stats = open_file("VGPU_STATS", text);
    if ((text = getenv("VGPU_COUNTS")))
        settings.counts = open_file("VGPU_COUNTS", text);
    if ((text = getenv("VGPU_TRACE")))
        settings.trace = open_file("VGPU_TRACE", text);
    if ((text = getenv("VGPU_EXTRAPOLATE")))
        extrapolation_read(text);
    if ((text = getenv("VGPU_EXTRAPOLATE_TOUCHES")))
        settings.small_touches = !read_switch("VGPU_EXTRAPOLATE_TOUCHES", text);
    if ((text = getenv("VGPU_MODE")))
        settings.null_mode = read_mode(text);
    read_time();
    settings.time |= settings.stats || settings.counts || settings.trace || extrapolation_is_on();
    if (settings.null_mode && (settings.time || settings.check_races))
        die(EXIT_BAD_SETTING,
            "VGPU_MODE=null: must not be used with virtual time or VGPU_CHECK: nothing runs");
}
