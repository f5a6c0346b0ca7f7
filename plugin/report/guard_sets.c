#include "plugin/report/guard_sets.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum pair {
    PAIR_NONE = 0, /* no guard compares the two */
    PAIR_OPEN,     /* one does, and no set has both yet */
    PAIR_TOLD,     /* one does, and a set has both */
};

/* The guards as a graph of names. */
struct comparison {
    const char **names;   /* each once */
    size_t name_count;    /* entries in names */
    unsigned char *pairs; /* enum pair of the names i and j at i * name_count + j, and the other way round */
    size_t *members;      /* names of the set that is growing */
    size_t member_count;  /* entries in members */
};

static size_t index_of(struct comparison *comparison, const char *name) {
    size_t index = 0;
    while (index < comparison->name_count && strcmp(comparison->names[index], name) != 0)
        index++;
    return index;
}

static size_t index_or_add(struct comparison *comparison, const char *name) {
    size_t index = index_of(comparison, name);
    if (index == comparison->name_count)
        comparison->names[comparison->name_count++] = name;
    return index;
}

static void set_pair(struct comparison *comparison, size_t a, size_t b, enum pair pair) {
    comparison->pairs[a * comparison->name_count + b] = (unsigned char)pair;
    comparison->pairs[b * comparison->name_count + a] = (unsigned char)pair;
}

static enum pair pair_of(const struct comparison *comparison, size_t a, size_t b) {
    return (enum pair)comparison->pairs[a * comparison->name_count + b];
}

/* Whether the set may have `name` too: compared with all its members, and with some that is not told yet. */
static bool fits(const struct comparison *comparison, size_t name) {
    bool news = false;
    for (size_t i = 0; i < comparison->member_count; i++) {
        enum pair pair = pair_of(comparison, name, comparison->members[i]);
        if (pair == PAIR_NONE || name == comparison->members[i])
            return false;
        news = news || pair == PAIR_OPEN;
    }
    return news;
}

static void add_member(struct comparison *comparison, size_t name) {
    for (size_t i = 0; i < comparison->member_count; i++)
        set_pair(comparison, name, comparison->members[i], PAIR_TOLD);
    comparison->members[comparison->member_count++] = name;
}

static void append_set(const struct comparison *comparison, struct kesco_guard_sets *sets) {
    const char **names = sets->names + sets->start[sets->count++];
    for (size_t i = 0; i < comparison->member_count; i++)
        names[i] = comparison->names[comparison->members[i]];
    sets->start[sets->count] = sets->start[sets->count - 1] + comparison->member_count;
}

/* The set that the guard of `a` and `b` starts; the two may be different pointers of one name. */
static void grow_set(struct comparison *comparison, size_t a, size_t b, struct kesco_guard_sets *sets) {
    comparison->member_count = 0;
    set_pair(comparison, a, b, PAIR_TOLD);
    add_member(comparison, a);
    comparison->members[comparison->member_count++] = b;
    for (size_t name = 0; a != b && name < comparison->name_count; name++)
        if (fits(comparison, name))
            add_member(comparison, name);
    append_set(comparison, sets);
}

static void find_sets(const struct kesco_report_function *function, struct comparison *comparison,
                      struct kesco_guard_sets *sets) {
    for (size_t i = 0; i < function->assumed.guard_count; i++)
        set_pair(comparison, index_of(comparison, function->assumed.guards[i].a),
                 index_of(comparison, function->assumed.guards[i].b), PAIR_OPEN);
    for (size_t i = 0; i < function->assumed.guard_count; i++) {
        size_t a = index_of(comparison, function->assumed.guards[i].a);
        size_t b = index_of(comparison, function->assumed.guards[i].b);
        if (pair_of(comparison, a, b) == PAIR_OPEN)
            grow_set(comparison, a, b, sets);
    }
}

int kesco_guard_sets_create(const struct kesco_report_function *function, struct kesco_guard_sets *sets) {
    size_t guards = function->assumed.guard_count;
    struct comparison comparison = {.names = calloc(2 * guards + 1, sizeof(*comparison.names))};
    int err = -ENOMEM;
    *sets = (struct kesco_guard_sets){.start = calloc(guards + 1, sizeof(*sets->start))};
    for (size_t i = 0; comparison.names && i < guards; i++) {
        index_or_add(&comparison, function->assumed.guards[i].a);
        index_or_add(&comparison, function->assumed.guards[i].b);
    }
    /* A set of n names tells n - 1 guards at least that no set before told, so this has room for all. */
    sets->names = calloc(2 * guards + 1, sizeof(*sets->names));
    comparison.pairs = calloc(comparison.name_count * comparison.name_count + 1, 1);
    comparison.members = calloc(comparison.name_count + 2, sizeof(*comparison.members));
    if (comparison.names && comparison.pairs && comparison.members && sets->names && sets->start) {
        find_sets(function, &comparison, sets);
        err = 0;
    }
    free(comparison.names);
    free(comparison.pairs);
    free(comparison.members);
    if (err)
        kesco_guard_sets_free(sets);
    return err;
}

void kesco_guard_sets_free(struct kesco_guard_sets *sets) {
    free(sets->names);
    free(sets->start);
    *sets = (struct kesco_guard_sets){0};
}
