#define _XOPEN_SOURCE 700 /* tsearch, open_memstream */

#include "runtime/watch/statistics.h"

#include "runtime/environment.h"
#include "runtime/nearest.h"

#include <pthread.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What is printed of a region, and of all. */
struct counts {
    unsigned long long entries, ops, guard_failures, serial;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards what follows */
static void *entries;                                    /* a tree of struct kesco_statistics (tsearch) */
static FILE *print_file;                                 /* while entries are printed */
static struct counts total;                              /* of what has been printed */

static pthread_once_t fork_once = PTHREAD_ONCE_INIT;

const char *kesco_statistics_function(const struct kesco_region *region) {
    return region->function == NULL ? "unknown function" : region->function;
}

const char *kesco_statistics_file(const struct kesco_region *region) {
    return region->file == NULL ? "unknown file" : region->file;
}

static int compare_entries(const void *a, const void *b) {
    const struct kesco_statistics *first = a, *second = b;
    int order = strcmp(first->place.function, second->place.function);

    if (order == 0)
        order = strcmp(first->place.file, second->place.file);
    return order != 0 ? order
                      : (first->place.line > second->place.line) - (first->place.line < second->place.line);
}

static void clear(struct kesco_statistics *statistics) {
    int i;

    atomic_store(&statistics->lanes, 0);
    atomic_store(&statistics->lanes_used, 0);
    atomic_store(&statistics->counts.entries, 0);
    atomic_store(&statistics->counts.ops, 0);
    atomic_store(&statistics->counts.guard_failures, 0);
    atomic_store(&statistics->counts.serial, 0);
    for (i = 0; i < KESCO_STATISTICS_REASONS; i++) {
        atomic_store(&statistics->reasons[i].runs, 0);
        atomic_store(&statistics->ends[i].runs, 0);
    }
}

static void clear_visited(const void *node, VISIT when, int depth) {
    (void)depth;
    if (when == postorder || when == leaf)
        clear(*(struct kesco_statistics *const *)node);
}

static void lock_before_fork(void) {
    pthread_mutex_lock(&lock);
}

static void unlock_in_parent(void) {
    pthread_mutex_unlock(&lock);
}

static void begin_in_child(void) {
    twalk(entries, clear_visited);
    pthread_mutex_unlock(&lock);
}

static void watch_forks(void) {
    pthread_atfork(lock_before_fork, unlock_in_parent, begin_in_child);
}

static void free_statistics(struct kesco_statistics *statistics) {
    free(statistics->place.function);
    free(statistics->place.file);
    free(statistics);
}

static bool is_excluded(const struct kesco_region *region) {
    struct kesco_function_list *only = kesco_environment()->only;

    return only != NULL && (region->function == NULL || !kesco_function_list_has(only, region->function));
}

/* With texts of its own. NULL: there is no memory. */
static struct kesco_statistics *new_statistics(const struct kesco_statistics *key,
                                               const struct kesco_region *region) {
    struct kesco_statistics *statistics = calloc(1, sizeof *statistics);

    if (statistics == NULL)
        return NULL;
    statistics->place.function = strdup(key->place.function);
    statistics->place.file = strdup(key->place.file);
    statistics->place.line = key->place.line;
    statistics->excluded = is_excluded(region);
    if (statistics->place.function != NULL && statistics->place.file != NULL)
        return statistics;
    free_statistics(statistics);
    return NULL;
}

static struct kesco_statistics *find_entry(const struct kesco_region *region) {
    const struct kesco_statistics key = {.place.function = (char *)kesco_statistics_function(region),
                                         .place.file = (char *)kesco_statistics_file(region),
                                         .place.line = region->line};
    struct kesco_statistics **found = tfind(&key, &entries, compare_entries);
    struct kesco_statistics *statistics;

    if (found != NULL)
        return *found;
    statistics = new_statistics(&key, region);
    if (statistics == NULL || tsearch(statistics, &entries, compare_entries) != NULL)
        return statistics;
    free_statistics(statistics);
    return NULL;
}

struct kesco_statistics *kesco_statistics_find(const struct kesco_region *region) {
    void **memory = region->memory;
    struct kesco_statistics *found = memory == NULL ? NULL : __atomic_load_n(memory, __ATOMIC_ACQUIRE);

    if (found != NULL)
        return found;
    pthread_once(&fork_once, watch_forks);
    pthread_mutex_lock(&lock);
    found = find_entry(region);
    pthread_mutex_unlock(&lock);
    if (memory != NULL)
        __atomic_store_n(memory, found, __ATOMIC_RELEASE);
    return found;
}

static void raise_to(atomic_uint *most, unsigned value) {
    unsigned known = atomic_load_explicit(most, memory_order_relaxed);

    while (known < value && !atomic_compare_exchange_weak(most, &known, value))
        ;
}

/* True if the reason is this one now, or was it already. */
static bool is_reason(struct kesco_statistics_reason *reason, const char *text) {
    char *known = atomic_load(&reason->text);
    char *copy;

    if (known != NULL)
        return strcmp(known, text) == 0;
    copy = strdup(text);
    if (copy == NULL)
        return false;
    if (atomic_compare_exchange_strong(&reason->text, &known, copy))
        return true;
    free(copy);
    return strcmp(known, text) == 0;
}

/* Reasons beyond those that there is room for are not told. */
static void count_reason(struct kesco_statistics_reason *reasons, const char *text) {
    int i = 0;

    while (i < KESCO_STATISTICS_REASONS && !is_reason(&reasons[i], text))
        i++;
    if (i < KESCO_STATISTICS_REASONS)
        atomic_fetch_add_explicit(&reasons[i].runs, 1, memory_order_relaxed);
}

void kesco_statistics_add(struct kesco_statistics *statistics, const struct kesco_run *run) {
    unsigned long long ops = run->origin_ops;
    unsigned used = 0;
    uint32_t i;

    for (i = 0; i < run->lanes; i++) {
        ops += run->ops[i];
        used += run->ops[i] != 0;
    }
    raise_to(&statistics->lanes, run->lanes);
    raise_to(&statistics->lanes_used, used);
    atomic_fetch_add_explicit(&statistics->counts.entries, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&statistics->counts.ops, ops, memory_order_relaxed);
    atomic_fetch_add_explicit(&statistics->counts.graphs, run->graphs, memory_order_relaxed);
    atomic_fetch_add_explicit(&statistics->counts.graph_ops, run->graph_ops, memory_order_relaxed);
    atomic_fetch_add_explicit(&statistics->counts.placed, run->placed, memory_order_relaxed);
    atomic_fetch_add_explicit(&statistics->counts.ordered, run->ordered, memory_order_relaxed);
    if (run->guard_failures > 0)
        atomic_fetch_add_explicit(&statistics->counts.guard_failures, run->guard_failures,
                                  memory_order_relaxed);
    if (run->end != NULL)
        count_reason(statistics->ends, run->end);
    if (run->serial == NULL)
        return;
    atomic_fetch_add_explicit(&statistics->counts.serial, 1, memory_order_relaxed);
    count_reason(statistics->reasons, run->serial);
}

static void print_reasons(struct kesco_statistics_reason *reasons, const char *what) {
    int i;

    for (i = 0; i < KESCO_STATISTICS_REASONS && atomic_load(&reasons[i].text) != NULL; i++)
        if (atomic_load(&reasons[i].runs) > 0)
            fprintf(print_file, "kesco: %52s%llu %s %s\n", "", atomic_load(&reasons[i].runs), what,
                    atomic_load(&reasons[i].text));
}

static void print_graphs(struct kesco_statistics *statistics) {
    if (atomic_load(&statistics->counts.graphs) > 0)
        fprintf(print_file, "kesco: %52s%llu %s replayed, in %llu %s\n", "",
                atomic_load(&statistics->counts.graph_ops),
                atomic_load(&statistics->counts.graph_ops) == 1 ? "op" : "ops",
                atomic_load(&statistics->counts.graphs),
                atomic_load(&statistics->counts.graphs) == 1 ? "graph launch" : "graph launches");
}

static void print_placed(struct kesco_statistics *statistics) {
    if (atomic_load(&statistics->counts.placed) > 0)
        fprintf(print_file, "kesco: %52s%llu %s placed, %llu behind others in flight\n", "",
                atomic_load(&statistics->counts.placed),
                atomic_load(&statistics->counts.placed) == 1 ? "op" : "ops",
                atomic_load(&statistics->counts.ordered));
}

static void print_counts(const struct counts *counts, const char *lanes) {
    fprintf(print_file, "kesco: %10llu %11llu %7s %8llu %8llu  ", counts->entries, counts->ops, lanes,
            counts->guard_failures, counts->serial);
}

static void print_region(struct kesco_statistics *statistics) {
    const struct counts counts = {
        atomic_load(&statistics->counts.entries), atomic_load(&statistics->counts.ops),
        atomic_load(&statistics->counts.guard_failures), atomic_load(&statistics->counts.serial)};
    char lanes[32];

    if (counts.entries == 0)
        return;
    if (total.entries == 0)
        fprintf(print_file, "kesco: regions of process %ld\nkesco: %10s %11s %7s %8s %8s  %s\n",
                (long)getpid(), "entries", "ops", "lanes", "guards", "serial", "region");
    snprintf(lanes, sizeof lanes, "%u/%u", atomic_load(&statistics->lanes_used),
             atomic_load(&statistics->lanes));
    print_counts(&counts, lanes);
    fprintf(print_file, "%s, %s:%u\n", statistics->place.function, statistics->place.file,
            statistics->place.line);
    print_graphs(statistics);
    print_placed(statistics);
    print_reasons(statistics->reasons, "serial:");
    print_reasons(statistics->ends, "ended before");
    total.entries += counts.entries;
    total.ops += counts.ops;
    total.guard_failures += counts.guard_failures;
    total.serial += counts.serial;
}

static void print_visited(const void *node, VISIT when, int depth) {
    (void)depth;
    if (when == postorder || when == leaf)
        print_region(*(struct kesco_statistics *const *)node);
}

static void print_table(FILE *file) {
    pthread_mutex_lock(&lock);
    print_file = file;
    total = (struct counts){0};
    twalk(entries, print_visited);
    if (total.entries > 0) {
        print_counts(&total, "");
        fputs("all\n", file);
    }
    pthread_mutex_unlock(&lock);
}

static const char *wanted; /* while the function is looked for whose name is nearest to it */
static const char *nearest;
static size_t nearest_distance;

static void compare_visited(const void *node, VISIT when, int depth) {
    const char *function = (*(struct kesco_statistics *const *)node)->place.function;
    const size_t distance = kesco_distance_to_function(wanted, strlen(wanted), function);

    (void)depth;
    if ((when == postorder || when == leaf) && distance < nearest_distance) {
        nearest = function;
        nearest_distance = distance;
    }
}

static void print_nearest(const char *name, FILE *file) {
    wanted = name;
    nearest = NULL;
    nearest_distance = (size_t)-1;
    twalk(entries, compare_visited);
    fprintf(file, "kesco: KESCO_ONLY names '%s', but no region of such a function was entered", name);
    if (nearest != NULL)
        fprintf(file, "; the nearest name is '%s'", nearest);
    fputc('\n', file);
}

void kesco_statistics_check_only(FILE *file) {
    const struct kesco_function_list *only = kesco_environment()->only;
    uint32_t i;

    pthread_mutex_lock(&lock);
    for (i = 0; only != NULL && i < only->count; i++)
        if (!__atomic_load_n(&only->names[i].found, __ATOMIC_RELAXED))
            print_nearest(only->names[i].text, file);
    pthread_mutex_unlock(&lock);
}

bool kesco_statistics_print(FILE *file) {
    char *text = NULL;
    size_t size = 0;
    FILE *buffer = open_memstream(&text, &size);

    if (buffer == NULL)
        return false;
    print_table(buffer);
    if (fclose(buffer) == 0)
        fwrite(text, 1, size, file);
    free(text);
    return size > 0;
}
