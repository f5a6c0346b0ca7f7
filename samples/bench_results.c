#define _POSIX_C_SOURCE 200809L

#include "samples/bench_results.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t\r\n"

const char *const bench_mode_names[BENCH_MODES] = {"serial", "lanes", "graph", "auto"};
const char *const bench_variant_names[BENCH_VARIANTS] = {"serial",   "by_hand", "graph",    "kesco",
                                                         "taskflow", "cudastf", "processes"};

/* The line at hand. */
struct line {
    char *rest;    /* what is not read yet */
    size_t number; /* from 1 */
    char *error;   /* BENCH_ERROR_SIZE bytes for a message */
};

static int bad_line(const struct line *line, const char *why, const char *what) {
    snprintf(line->error, BENCH_ERROR_SIZE, "line %zu: %s%s%s%s", line->number, why, what ? " '" : "",
             what ? what : "", what ? "'" : "");
    return -EINVAL;
}

/* The next word, or NULL. It lives as long as the line. */
static char *next_word(struct line *line) {
    char *word = line->rest + strspn(line->rest, BLANKS);
    if (!*word)
        return NULL;
    line->rest = word + strcspn(word, BLANKS);
    if (*line->rest)
        *line->rest++ = '\0';
    return word;
}

/* The line's last word, a finite number that is not negative. */
static int read_number(struct line *line, double *number) {
    char *word = next_word(line), *end;
    if (!word)
        return bad_line(line, "a number is missing", NULL);
    *number = strtod(word, &end);
    if (end == word || *end || !isfinite(*number) || *number < 0)
        return bad_line(line, "must be a number that is not negative:", word);
    word = next_word(line);
    return word ? bad_line(line, "what is this behind the number:", word) : 0;
}

/* Workloads */

static void workload_destroy(struct bench_workload *workload) {
    for (int v = 0; v < BENCH_VARIANTS; v++) {
        free(workload->variants[v].times);
        free(workload->variants[v].fetched);
    }
    free(workload->name);
}

static int add_workload(struct bench_results *results, const char *name) {
    const size_t count = results->workload_count + 1;
    struct bench_workload *workloads = realloc(results->workloads, count * sizeof(*workloads));
    if (!workloads)
        return -ENOMEM;
    results->workloads = workloads;
    struct bench_workload *workload = &workloads[count - 1];
    *workload = (struct bench_workload){.name = strdup(name), .bound = NAN};
    if (!workload->name)
        return -ENOMEM;
    for (int v = 0; v < BENCH_VARIANTS; v++)
        workload->variants[v] =
            (struct bench_measured){.records = NAN, .waits = NAN, .lines = NAN, .tokens = NAN};
    for (int mode = 0; mode < BENCH_MODES; mode++)
        workload->modes[mode] = NAN;
    results->workload_count = count;
    return 0;
}

/* The workload that the line names next, a new one if need be. */
static int read_workload(struct line *line, struct bench_results *results, struct bench_workload **workload) {
    const char *name = next_word(line);
    if (!name)
        return bad_line(line, "a workload is missing", NULL);
    size_t i = 0;
    while (i < results->workload_count && strcmp(results->workloads[i].name, name) != 0)
        i++;
    int code = i < results->workload_count ? 0 : add_workload(results, name);
    if (code == 0)
        *workload = &results->workloads[i];
    return code;
}

static int read_variant(struct line *line, struct bench_workload *workload,
                        struct bench_measured **measured) {
    const char *name = next_word(line);
    if (!name)
        return bad_line(line, "a variant is missing", NULL);
    for (int v = 0; v < BENCH_VARIANTS; v++)
        if (strcmp(name, bench_variant_names[v]) == 0) {
            *measured = &workload->variants[v];
            return 0;
        }
    return bad_line(line, "a variant is serial, by_hand, graph, kesco, taskflow, cudastf or processes, not",
                    name);
}

static int add_time(struct line *line, double **times, size_t *count, double time) {
    if (time == 0)
        return bad_line(line, "a time must be above 0", NULL);
    double *grown = realloc(*times, (*count + 1) * sizeof(**times));
    if (!grown)
        return -ENOMEM;
    *times = grown;
    grown[(*count)++] = time;
    return 0;
}

/* Lines */

static double *member(struct bench_measured *measured, const char *key) {
    return strcmp(key, "records") == 0  ? &measured->records
           : strcmp(key, "waits") == 0  ? &measured->waits
           : strcmp(key, "lines") == 0  ? &measured->lines
           : strcmp(key, "tokens") == 0 ? &measured->tokens
                                        : NULL;
}

static int read_measured(struct line *line, const char *key, struct bench_results *results) {
    struct bench_workload *workload;
    struct bench_measured *measured = NULL;
    double number = 0;
    int code = read_workload(line, results, &workload);
    if (code == 0)
        code = read_variant(line, workload, &measured);
    if (code == 0)
        code = read_number(line, &number);
    if (code)
        return code;
    if (strcmp(key, "time") == 0)
        return add_time(line, &measured->times, &measured->time_count, number);
    if (strcmp(key, "fetched") == 0)
        return add_time(line, &measured->fetched, &measured->fetched_count, number);
    *member(measured, key) = number;
    return 0;
}

static int read_bound(struct line *line, struct bench_results *results) {
    struct bench_workload *workload;
    int code = read_workload(line, results, &workload);
    return code ? code : read_number(line, &workload->bound);
}

static int read_mode(struct line *line, struct bench_results *results) {
    struct bench_workload *workload;
    const char *name;
    int code = read_workload(line, results, &workload);
    if (code)
        return code;
    name = next_word(line);
    for (int mode = 0; mode < BENCH_MODES && name; mode++)
        if (strcmp(name, bench_mode_names[mode]) == 0)
            return read_number(line, &workload->modes[mode]);
    return bad_line(line, "a mode is serial, lanes, graph or auto, not", name ? name : "");
}

static int read_taken(struct line *line, struct bench_results *results) {
    static const char *const words[] = {"serial", "lanes", "graphs", "lanes+graphs"};
    struct bench_workload *workload;
    const char *word;
    int code = read_workload(line, results, &workload);
    if (code)
        return code;
    word = next_word(line);
    for (size_t i = 0; i < sizeof(words) / sizeof(*words) && word; i++)
        if (strcmp(word, words[i]) == 0) {
            workload->taken = words[i];
            return 0;
        }
    return bad_line(line, "what is taken is serial, lanes, graphs or lanes+graphs, not", word ? word : "");
}

static int read_memory(struct line *line, struct bench_results *results) {
    const char *word = next_word(line);
    if (!word || (strcmp(word, "device") != 0 && strcmp(word, "managed") != 0))
        return bad_line(line, "a memory is device or managed, not", word ? word : "");
    results->is_managed = strcmp(word, "managed") == 0;
    return 0;
}

static int read_device(struct line *line, struct bench_results *results) {
    char *text = line->rest + strspn(line->rest, BLANKS);
    text[strcspn(text, "\r\n")] = '\0';
    free(results->device);
    results->device = strdup(text);
    return results->device ? 0 : -ENOMEM;
}

static int read_line(struct line *line, struct bench_results *results) {
    const char *key = next_word(line);
    if (!key || *key == '#')
        return 0;
    if (strcmp(key, "device") == 0)
        return read_device(line, results);
    if (strcmp(key, "memory") == 0)
        return read_memory(line, results);
    if (strcmp(key, "scale") == 0)
        return read_number(line, &results->scale);
    if (strcmp(key, "bound") == 0)
        return read_bound(line, results);
    if (strcmp(key, "mode") == 0)
        return read_mode(line, results);
    if (strcmp(key, "taken") == 0)
        return read_taken(line, results);
    if (strcmp(key, "time") == 0 || strcmp(key, "fetched") == 0 || member(&(struct bench_measured){0}, key))
        return read_measured(line, key, results);
    return bad_line(line, "unknown word", key);
}

static int ascending(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static void sort_times(struct bench_results *results) {
    for (size_t i = 0; i < results->workload_count; i++)
        for (int v = 0; v < BENCH_VARIANTS; v++) {
            struct bench_measured *measured = &results->workloads[i].variants[v];
            if (measured->time_count > 0)
                qsort(measured->times, measured->time_count, sizeof(*measured->times), ascending);
            if (measured->fetched_count > 0)
                qsort(measured->fetched, measured->fetched_count, sizeof(*measured->fetched), ascending);
        }
}

int bench_results_read(struct bench_results *results, FILE *in, char error[BENCH_ERROR_SIZE]) {
    struct line line = {.error = error};
    char *text = NULL;
    size_t size = 0;
    int code = 0;
    *results = (struct bench_results){.device = strdup(""), .scale = 1};
    if (!results->device)
        code = -ENOMEM;
    while (code == 0 && getline(&text, &size, in) >= 0) {
        line.rest = text;
        line.number++;
        code = read_line(&line, results);
    }
    if (code == 0 && ferror(in)) {
        snprintf(error, BENCH_ERROR_SIZE, "cannot be read");
        code = -EIO;
    }
    if (code == -ENOMEM)
        snprintf(error, BENCH_ERROR_SIZE, "not enough memory");
    free(text);
    sort_times(results);
    return code;
}

void bench_results_destroy(struct bench_results *results) {
    for (size_t i = 0; i < results->workload_count; i++)
        workload_destroy(&results->workloads[i]);
    free(results->workloads);
    free(results->device);
}

/* Statistics */

double bench_median(const double *ascending_values, size_t count) {
    if (count == 0)
        return NAN;
    return (ascending_values[(count - 1) / 2] + ascending_values[count / 2]) / 2;
}

double bench_time(const struct bench_workload *workload, enum bench_variant variant) {
    return bench_median(workload->variants[variant].times, workload->variants[variant].time_count);
}

double bench_speedup(const struct bench_workload *workload, enum bench_variant variant,
                     enum bench_variant other) {
    return bench_time(workload, other) / bench_time(workload, variant);
}

double bench_fetched_time(const struct bench_workload *workload, enum bench_variant variant) {
    return bench_median(workload->variants[variant].fetched, workload->variants[variant].fetched_count);
}

double bench_fetched_speedup(const struct bench_workload *workload, enum bench_variant variant,
                             enum bench_variant other, bool is_other_fetched) {
    const double time = is_other_fetched ? bench_fetched_time(workload, other) : bench_time(workload, other);
    return time / bench_fetched_time(workload, variant);
}

/* Of numbers, added one by one; those that are NAN do not count. */
struct mean {
    double sum; /* of logarithms */
    size_t known;
};

static void mean_add(struct mean *mean, double number) {
    if (isnan(number))
        return;
    mean->sum += log(number);
    mean->known++;
}

static double mean_of(const struct mean *mean) {
    return mean->known > 0 ? exp(mean->sum / (double)mean->known) : NAN;
}

double bench_mean_speedup(const struct bench_results *results, enum bench_variant variant,
                          enum bench_variant other) {
    struct mean mean = {0};
    for (size_t i = 0; i < results->workload_count; i++)
        mean_add(&mean, bench_speedup(&results->workloads[i], variant, other));
    return mean_of(&mean);
}

double bench_mean_fetched_speedup(const struct bench_results *results, enum bench_variant variant,
                                  enum bench_variant other, bool is_other_fetched) {
    struct mean mean = {0};
    for (size_t i = 0; i < results->workload_count; i++)
        mean_add(&mean, bench_fetched_speedup(&results->workloads[i], variant, other, is_other_fetched));
    return mean_of(&mean);
}
