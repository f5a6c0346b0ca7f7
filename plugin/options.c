#define _GNU_SOURCE
#include "plugin/options.h"

#include "runtime/function_list.h"
#include "runtime/kesco_abi.h"
#include "runtime/nearest.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct asked;

struct option {
    const char *name;
    const char *value; /* "FILE", or all that is allowed as "on|off"; NULL where it takes none */
    const char *help;  /* what it does, in lines */
    int (*read)(const struct asked *asked, void *to);
    size_t to; /* where it is read to, of the options */
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
        .plan = {.policy = KESCO_POLICY_PREDECESSOR_BANDS,
                 .max_lanes = KESCO_PLAN_DEFAULT_LANES,
                 .reorder = true},
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

/* bool: whether it is the first of two words. */
static int read_switch(const struct asked *asked, void *to) {
    size_t which;
    const int status = read_word(asked, "", &which);
    if (status == 0)
        *(bool *)to = which == 0;
    return status;
}

/* bool: what takes no value is given. */
static int read_flag(const struct asked *asked, void *to) {
    if (asked->has_value)
        return bad_value(asked, "no value");
    *(bool *)to = true;
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

static int read_path(const struct asked *asked, void *to) {
    if (!is_pattern(asked->value))
        return bad_value(asked, "a file, a folder, or a pattern with %s, %h and %%");
    return read_name(asked, "the name of a file to write", to);
}

static int read_policy(const struct asked *asked, void *to) {
    size_t which;
    const int status = read_word(asked, "", &which);
    if (status == 0)
        *(enum kesco_policy *)to = (enum kesco_policy)which;
    return status;
}

static int read_profile(const struct asked *asked, void *to) {
    return read_name(asked, "the name of a file that a run with KESCO_PROFILE=FILE wrote", to);
}

static int read_max_lanes(const struct asked *asked, void *to) {
    const bool is_number = asked->length > 0 && strspn(asked->value, "0123456789") == asked->length;
    const unsigned long lanes = is_number ? strtoul(asked->value, NULL, 10) : 0;
    char allowed[MOST_LETTERS];
    snprintf(allowed, sizeof(allowed), "a number from 1 to %d", KESCO_PLAN_DEFAULT_LANES);
    if (lanes < 1 || lanes > KESCO_PLAN_DEFAULT_LANES)
        return bad_value(asked, allowed);
    *(uint32_t *)to = (uint32_t)lanes;
    return 0;
}

static int read_only(const struct asked *asked, void *to) {
    struct kesco_function_list list;
    if (asked->length == 0 || kesco_function_list_read(&list, asked->value) != 0)
        return bad_value(asked, "names of functions, separated by commas");
    kesco_function_list_clear(&list);
    *(const char **)to = asked->value;
    return 0;
}

static int read_exclude(const struct asked *asked, void *to) {
    return read_name(asked, "the name of a file with lines fun:FUNCTION and src:FILE", to);
}

static int read_sync_elision(const struct asked *asked, void *to) {
    static const enum kesco_elision kinds[] = {KESCO_ELIDE_ALL, KESCO_ELIDE_UNCHECKED, KESCO_ELIDE_NONE};
    size_t which;
    const int status = read_word(asked, "", &which);
    if (status == 0)
        *(enum kesco_elision *)to = kinds[which];
    return status;
}

static int read_mode(const struct asked *asked, void *to) {
    static const unsigned modes[] = {KESCO_MODE_AUTO, KESCO_MODE_LANES, KESCO_MODE_SERIAL, KESCO_MODE_GRAPH};
    size_t which;
    const int status = read_word(asked, "", &which);
    if (status == 0)
        *(unsigned *)to = modes[which];
    return status;
}

static int read_prefetch(const struct asked *asked, void *to) {
    static const enum kesco_prefetching kinds[] = {KESCO_PREFETCH_AUTO, KESCO_PREFETCH_ON,
                                                   KESCO_PREFETCH_OFF};
    size_t which;
    const int status = read_word(asked, "", &which);
    if (status == 0)
        *(enum kesco_prefetching *)to = kinds[which];
    return status;
}

static int read_show(const struct asked *asked, void *to) {
    struct kesco_option_shows *shows = to;
    bool *const stages[] = {&shows->summaries, &shows->regions, &shows->code};
    struct asked stage = *asked;
    for (bool is_last = false; !is_last; stage.value += stage.length + 1) {
        size_t which;
        stage.length = strcspn(stage.value, ",");
        is_last = stage.value[stage.length] == '\0';
        const int status = read_word(&stage, ", or several of them with commas between", &which);
        if (status != 0)
            return status;
        *stages[which] = true;
    }
    return 0;
}

#define TO(field) offsetof(struct kesco_options, field)

static const struct option all[] = {
    {"report", "FILE",
     "write the plans as JSON; FOLDER/ or a pattern as plans/%s-%h.json\n"
     "for builds of many source files, see kesco-report",
     read_path, TO(files.report)},
    {"dot", "FILE", "write the plans for Graphviz; FOLDER/ or a pattern likewise", read_path, TO(files.dot)},
    {"svg", "FILE", "write the plans as a picture; FOLDER/ or a pattern likewise", read_path, TO(files.svg)},
    {"policy", KESCO_POLICY_NAMES("|"),
     "what is issued first: ops with fewer transitive predecessors, ops that more\n"
     "microseconds of work depend on, which wants profile, or (default) the first\n"
     "by eights, so that chains find what they wrote in the device's cache",
     read_policy, TO(plan.policy)},
    {"profile", "FILE", "the times of ops, from a run with KESCO_PROFILE=FILE", read_profile,
     TO(files.profile)},
    {"max-lanes", "N", "use at most N lanes, 1 to 32; default 32", read_max_lanes, TO(plan.max_lanes)},
    {"only", "FUNCTION[,FUNCTION...]", "leave all other functions as they are", read_only, TO(only)},
    {"exclude", "FILE", "leave the functions, source files and kernels that FILE lists as they are",
     read_exclude, TO(files.exclude)},
    {"reorder", "on|off", "may launches change places where nothing can notice; default on", read_switch,
     TO(plan.reorder)},
    {"across-calls", "on|off",
     "may launches of several functions overlap that are called one after the other;\n"
     "default on, off where only is given",
     read_switch, TO(changes.across_calls)},
    {"sync-elision", "on|unchecked|off",
     "leave out, move or put off calls that synchronise, where nothing can\n"
     "notice; unchecked: only those whose errors nothing looks for; default on,\n"
     "at -O0 off",
     read_sync_elision, TO(changes.waits.elide)},
    {"clocks", "observe|ignore", "does a host that reads a clock look at the device; default observe",
     read_switch, TO(changes.waits.clocks_observe)},
    {"mode", "auto|lanes|serial|graph",
     "when regions have lanes or are replayed as graphs: once that pays\n"
     "(default; with profile, lanes where it says that they pay), lanes always,\n"
     "never, graphs from the second time on",
     read_mode, TO(changes.mode)},
    {"prefetch", "auto|on|off",
     "move managed memory ahead of its use; default auto: where that is found to pay", read_prefetch,
     TO(changes.prefetches)},
    {"show", "summaries|regions|ir",
     "print on stderr what a stage finds: what kernels access, which ops may be\n"
     "in flight together, the rewritten functions; several with commas between",
     read_show, TO(shows)},
    {"annotation-warnings", "on|off", "warn of annotations that claim too much; default on", read_switch,
     TO(annotation_warnings)},
    {"runtime", "embedded|shared", "put the runtime into the program (default), or link -lkesco_rt",
     read_switch, TO(embeds_runtime)},
    {"strip-summaries", NULL, "overwrite the access summaries in the finished object", read_flag,
     TO(strip_summaries)},
    {"help", NULL, "print this list", read_flag, TO(help)},
    {"off", NULL, "do nothing", read_flag, TO(off)},
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
        return all[i].read(&asked, (char *)options + all[i].to);
    }
    return unknown_option(argument, length, error);
}
