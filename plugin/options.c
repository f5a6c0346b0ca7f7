#define _GNU_SOURCE
#include "plugin/options.h"

#include "runtime/function_list.h"
#include "runtime/kesco_abi.h"
#include "runtime/nearest.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/*
 * More lanes than this never run at once: CUDA_DEVICE_MAX_CONNECTIONS is at most 32 (CUDA C++ Programming
 * Guide, "CUDA Environment Variables").
 */
#define MOST_LANES 32

struct asked;

struct option {
    const char *name;
    const char *value; /* "FILE", or all that is allowed as "on|off"; NULL where it takes none */
    const char *help;  /* what it does, in lines */
    int (*read)(const struct asked *asked, struct kesco_options *options);
};

/* An option that is read, or a part of its value. */
struct asked {
    const struct option *option;
    bool has_value;
    const char *value; /* "" where it has none */
    size_t length;     /* of the value */
    char **error;
};

struct kesco_options kesco_options_default(void) {
    return (struct kesco_options){
        .plan = {.policy = KESCO_POLICY_FEWEST_PREDECESSORS, .max_lanes = MOST_LANES, .reorder = true},
        .changes = {.waits = {.elide = KESCO_ELIDE_BY_LEVEL, .clocks_observe = true},
                    .across_calls = true,
                    .mode = KESCO_MODE_AUTO,
                    .prefetches = KESCO_PREFETCH_AUTO},
        .annotation_warnings = true,
        .embeds_runtime = true,
    };
}

bool kesco_options_want_plans(const struct kesco_options *options) {
    return options->files.report || options->files.dot || options->files.svg;
}

__attribute__((format(printf, 2, 3))) static int fail(char **error, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int length = vasprintf(error, format, arguments);
    va_end(arguments);
    if (length >= 0)
        return -EINVAL;
    *error = NULL;
    return -ENOMEM;
}

enum { MOST_WORDS = 8, MOST_LETTERS = 128 };

/* Words that are allowed. */
struct words {
    size_t count;
    const char *items[MOST_WORDS];
    char text[MOST_LETTERS];
};

/* Those of a value that lists them, as "on|off"; none of one that may be any of a kind. */
static void split(const char *value, struct words *words) {
    words->count = 0;
    if (!value || !strchr(value, '|'))
        return;
    snprintf(words->text, sizeof(words->text), "%s", value);
    for (char *rest = words->text, *word = strsep(&rest, "|"); word; word = strsep(&rest, "|"))
        words->items[words->count++] = word;
}

/* What stands between a word that is wrong and those that are allowed; the caller frees it. */
static char *suggest(const char *word, size_t length, const char *const *words, size_t count) {
    const char *nearest = kesco_nearest(word, length, words, count);
    char *text = NULL;
    if (!nearest)
        return strdup(": ");
    return asprintf(&text, "; did you mean '%s'? ", nearest) < 0 ? NULL : text;
}

static int bad_value(const struct asked *asked, const char *allowed) {
    struct words words;
    split(asked->option->value, &words);
    char *bridge = suggest(asked->value, asked->length, words.items, words.count);
    const int status = bridge
                           ? fail(asked->error, "invalid value '%.*s' for plugin option '%s'%sallowed is %s",
                                  (int)asked->length, asked->value, asked->option->name, bridge, allowed)
                           : -ENOMEM;
    free(bridge);
    return status;
}

/* "a, b or c", and the others that are allowed. */
static int none_of(const struct asked *asked, const struct words *words, const char *others) {
    char allowed[2 * MOST_LETTERS];
    size_t length = 0;
    for (size_t i = 0; i < words->count; i++)
        length += (size_t)snprintf(allowed + length, sizeof(allowed) - length, "%s%s",
                                   i == 0                 ? ""
                                   : i + 1 < words->count ? ", "
                                                          : " or ",
                                   words->items[i]);
    snprintf(allowed + length, sizeof(allowed) - length, "%s", others);
    return bad_value(asked, allowed);
}

/* Stores which of the words that the option's value lists it is. */
static int read_word(const struct asked *asked, const char *others, size_t *which) {
    struct words words;
    split(asked->option->value, &words);
    for (*which = 0; *which < words.count; ++*which)
        if (strlen(words.items[*which]) == asked->length &&
            memcmp(words.items[*which], asked->value, asked->length) == 0)
            return 0;
    return none_of(asked, &words, others);
}

/* The first of two words. */
static int read_switch(const struct asked *asked, bool *is_first) {
    size_t which;
    const int status = read_word(asked, "", &which);
    if (status == 0)
        *is_first = which == 0;
    return status;
}

/* What takes no value. */
static int read_flag(const struct asked *asked, bool *is_given) {
    if (asked->has_value)
        return bad_value(asked, "no value");
    *is_given = true;
    return 0;
}

static int read_name(const struct asked *asked, const char *allowed, const char **name) {
    if (asked->length == 0)
        return bad_value(asked, allowed);
    *name = asked->value;
    return 0;
}

/* True if each '%' is one of those that report paths know (messages/report_path.h). */
static bool is_pattern(const char *path) {
    for (const char *at = strchr(path, '%'); at; at = strchr(at + 2, '%'))
        if (at[1] == '\0' || !strchr("sh%", at[1]))
            return false;
    return true;
}

static int read_path(const struct asked *asked, const char **path) {
    if (!is_pattern(asked->value))
        return bad_value(asked, "a file, a folder, or a pattern with %s, %h and %%");
    return read_name(asked, "the name of a file to write", path);
}

static int read_report(const struct asked *asked, struct kesco_options *options) {
    return read_path(asked, &options->files.report);
}

static int read_dot(const struct asked *asked, struct kesco_options *options) {
    return read_path(asked, &options->files.dot);
}

static int read_svg(const struct asked *asked, struct kesco_options *options) {
    return read_path(asked, &options->files.svg);
}

static int read_policy(const struct asked *asked, struct kesco_options *options) {
    size_t which;
    const int status = read_word(asked, "", &which);
    if (status == 0)
        options->plan.policy = (enum kesco_policy)which;
    return status;
}

static int read_profile(const struct asked *asked, struct kesco_options *options) {
    return read_name(asked, "the name of a file that a run with KESCO_PROFILE=FILE wrote",
                     &options->files.profile);
}

static int read_max_lanes(const struct asked *asked, struct kesco_options *options) {
    const bool is_number = asked->length > 0 && strspn(asked->value, "0123456789") == asked->length;
    const unsigned long lanes = is_number ? strtoul(asked->value, NULL, 10) : 0;
    char allowed[MOST_LETTERS];
    snprintf(allowed, sizeof(allowed), "a number from 1 to %d", MOST_LANES);
    if (lanes < 1 || lanes > MOST_LANES)
        return bad_value(asked, allowed);
    options->plan.max_lanes = (uint32_t)lanes;
    return 0;
}

static int read_only(const struct asked *asked, struct kesco_options *options) {
    struct kesco_function_list list;
    if (asked->length == 0 || kesco_function_list_read(&list, asked->value) != 0)
        return bad_value(asked, "names of functions, separated by commas");
    kesco_function_list_clear(&list);
    options->only = asked->value;
    return 0;
}

static int read_exclude(const struct asked *asked, struct kesco_options *options) {
    return read_name(asked, "the name of a file with lines fun:FUNCTION and src:FILE",
                     &options->files.exclude);
}

static int read_reorder(const struct asked *asked, struct kesco_options *options) {
    return read_switch(asked, &options->plan.reorder);
}

static int read_across_calls(const struct asked *asked, struct kesco_options *options) {
    return read_switch(asked, &options->changes.across_calls);
}

/* Of a kind, by its place among the words. Stays as it is where the value is none. */
static int read_kind(const struct asked *asked, const unsigned *kinds, unsigned *kind) {
    size_t which;
    const int status = read_word(asked, "", &which);
    if (status == 0)
        *kind = kinds[which];
    return status;
}

static int read_sync_elision(const struct asked *asked, struct kesco_options *options) {
    static const unsigned kinds[] = {KESCO_ELIDE_ALL, KESCO_ELIDE_UNCHECKED, KESCO_ELIDE_NONE};
    unsigned kind = options->changes.waits.elide;
    const int status = read_kind(asked, kinds, &kind);
    options->changes.waits.elide = (enum kesco_elision)kind;
    return status;
}

static int read_clocks(const struct asked *asked, struct kesco_options *options) {
    return read_switch(asked, &options->changes.waits.clocks_observe);
}

static int read_mode(const struct asked *asked, struct kesco_options *options) {
    static const unsigned modes[] = {KESCO_MODE_AUTO, KESCO_MODE_LANES, KESCO_MODE_SERIAL, KESCO_MODE_GRAPH};
    return read_kind(asked, modes, &options->changes.mode);
}

static int read_prefetch(const struct asked *asked, struct kesco_options *options) {
    static const unsigned kinds[] = {KESCO_PREFETCH_AUTO, KESCO_PREFETCH_ON, KESCO_PREFETCH_OFF};
    unsigned kind = options->changes.prefetches;
    const int status = read_kind(asked, kinds, &kind);
    options->changes.prefetches = (enum kesco_prefetching)kind;
    return status;
}

static int read_show(const struct asked *asked, struct kesco_options *options) {
    bool *const shows[] = {&options->shows.summaries, &options->shows.regions, &options->shows.code};
    struct asked stage = *asked;
    for (bool is_last = false; !is_last; stage.value += stage.length + 1) {
        size_t which;
        stage.length = strcspn(stage.value, ",");
        is_last = stage.value[stage.length] == '\0';
        const int status = read_word(&stage, ", or several of them with commas between", &which);
        if (status != 0)
            return status;
        *shows[which] = true;
    }
    return 0;
}

static int read_annotation_warnings(const struct asked *asked, struct kesco_options *options) {
    return read_switch(asked, &options->annotation_warnings);
}

static int read_runtime(const struct asked *asked, struct kesco_options *options) {
    return read_switch(asked, &options->embeds_runtime);
}

static int read_strip_summaries(const struct asked *asked, struct kesco_options *options) {
    return read_flag(asked, &options->strip_summaries);
}

static int read_help(const struct asked *asked, struct kesco_options *options) {
    return read_flag(asked, &options->help);
}

static int read_off(const struct asked *asked, struct kesco_options *options) {
    return read_flag(asked, &options->off);
}

static const struct option all[] = {
    {"report", "FILE",
     "write the plans as JSON; FOLDER/ or a pattern as plans/%s-%h.json\n"
     "for builds of many source files, see kesco-report",
     read_report},
    {"dot", "FILE", "write the plans for Graphviz; FOLDER/ or a pattern likewise", read_dot},
    {"svg", "FILE", "write the plans as a picture; FOLDER/ or a pattern likewise", read_svg},
    {"policy", KESCO_POLICY_NAMES("|"),
     "what is issued first: ops with fewer transitive predecessors (default), or\n"
     "ops that more microseconds of work depend on, which wants profile",
     read_policy},
    {"profile", "FILE", "the times of ops, from a run with KESCO_PROFILE=FILE", read_profile},
    {"max-lanes", "N", "use at most N lanes, 1 to 32; default 32", read_max_lanes},
    {"only", "FUNCTION[,FUNCTION...]", "leave all other functions as they are", read_only},
    {"exclude", "FILE", "leave the functions, source files and kernels that FILE lists as they are",
     read_exclude},
    {"reorder", "on|off", "may launches change places where nothing can notice; default on", read_reorder},
    {"across-calls", "on|off",
     "may launches of several functions overlap that are called one after the other;\n"
     "default on, off where only is given",
     read_across_calls},
    {"sync-elision", "on|unchecked|off",
     "leave out, move or put off calls that synchronise, where nothing can\n"
     "notice; unchecked: only those whose errors nothing looks for; default on,\n"
     "at -O0 off",
     read_sync_elision},
    {"clocks", "observe|ignore", "does a host that reads a clock look at the device; default observe",
     read_clocks},
    {"mode", "auto|lanes|serial|graph",
     "when regions have lanes or are replayed as graphs: once that pays\n"
     "(default; with profile, lanes where it says that they pay), lanes always,\n"
     "never, graphs from the second time on",
     read_mode},
    {"prefetch", "auto|on|off",
     "move managed memory ahead of its use; default auto: where that is found to pay", read_prefetch},
    {"show", "summaries|regions|ir",
     "print on stderr what a stage finds: what kernels access, which ops may be\n"
     "in flight together, the rewritten functions; several with commas between",
     read_show},
    {"annotation-warnings", "on|off", "warn of annotations that claim too much; default on",
     read_annotation_warnings},
    {"runtime", "embedded|shared", "put the runtime into the program (default), or link -lkesco_rt",
     read_runtime},
    {"strip-summaries", NULL, "overwrite the access summaries in the finished object", read_strip_summaries},
    {"help", NULL, "print this list", read_help},
    {"off", NULL, "do nothing", read_off},
};

enum { ALL = sizeof(all) / sizeof(*all) };

void kesco_options_help(FILE *out) {
    fputs("KeSCo's options, each given as -fplugin-arg-kesco-NAME[=VALUE]:\n", out);
    for (size_t i = 0; i < ALL; i++) {
        const struct option *option = &all[i];
        fprintf(out, "  %s%s%s\n", option->name, option->value ? "=" : "",
                option->value ? option->value : "");
        for (const char *line = option->help; line;) {
            const char *end = strchrnul(line, '\n');
            fprintf(out, "      %.*s\n", (int)(end - line), line);
            line = *end ? end + 1 : NULL;
        }
    }
}

static bool is_called(const char *name, size_t length, const char *called) {
    return strlen(called) == length && memcmp(name, called, length) == 0;
}

static int unknown_option(const char *name, size_t length, char **error) {
    const char *names[ALL];
    char *known = NULL;
    size_t size;
    FILE *out = open_memstream(&known, &size);
    for (size_t i = 0; out && i < ALL; i++) {
        const struct option *option = &all[i];
        names[i] = option->name;
        fprintf(out, "%s%s%s%s",
                i == 0        ? ""
                : i + 1 < ALL ? ", "
                              : " and ",
                option->name, option->value ? "=" : "", option->value ? option->value : "");
    }
    char *bridge = out && fclose(out) == 0 ? suggest(name, length, names, ALL) : NULL;
    const int status = bridge ? fail(error, "unknown plugin option '%.*s'%sknown options are %s", (int)length,
                                     name, bridge, known)
                              : -ENOMEM;
    free(bridge);
    free(known);
    return status;
}

int kesco_options_read(struct kesco_options *options, const char *argument, char **error) {
    const size_t length = strcspn(argument, "=");
    const bool has_value = argument[length] == '=';
    const char *value = argument + length + has_value;
    *error = NULL;
    for (size_t i = 0; i < ALL; i++) {
        if (!is_called(argument, length, all[i].name))
            continue;
        const struct asked asked = {&all[i], has_value, value, strlen(value), error};
        return all[i].read(&asked, options);
    }
    return unknown_option(argument, length, error);
}
