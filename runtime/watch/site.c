#define _XOPEN_SOURCE 700 /* tsearch */

#include "runtime/watch/site.h"

#include <pthread.h>
#include <search.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *kept; /* a tree of sites (tsearch), guarded by lock */

static int compare_texts(const char *a, const char *b) {
    return strcmp(a == NULL ? "" : a, b == NULL ? "" : b);
}

static int compare_lines(uint32_t a, uint32_t b) {
    return (a > b) - (a < b);
}

int kesco_site_compare(const struct kesco_site *a, const struct kesco_site *b) {
    int order = compare_texts(a->function, b->function);

    if (order == 0)
        order = compare_texts(a->file, b->file);
    if (order == 0)
        order = compare_lines(a->call_line, b->call_line);
    if (order == 0)
        order = compare_lines(a->line, b->line);
    if (order == 0)
        order = compare_texts(a->kind, b->kind);
    return order != 0 ? order : compare_texts(a->name, b->name);
}

static void free_site(struct kesco_site *site) {
    free((void *)site->kind);
    free((void *)site->name);
    free((void *)site->function);
    free((void *)site->file);
    free(site);
}

/* False: there is no memory. */
static bool copy_text(const char **to, const char *from) {
    *to = strdup(from == NULL ? "" : from);
    return *to != NULL;
}

static int compare_kept(const void *a, const void *b) {
    return kesco_site_compare(a, b);
}

static struct kesco_site *keep_new(const struct kesco_site *site) {
    struct kesco_site *copy = calloc(1, sizeof *copy);

    if (copy == NULL)
        return NULL;
    copy->line = site->line;
    copy->call_line = site->call_line;
    if (copy_text(&copy->kind, site->kind) && copy_text(&copy->name, site->name) &&
        copy_text(&copy->function, site->function) && copy_text(&copy->file, site->file) &&
        tsearch(copy, &kept, compare_kept) != NULL)
        return copy;
    free_site(copy);
    return NULL;
}

const struct kesco_site *kesco_site_keep(const struct kesco_site *site) {
    const struct kesco_site *result;
    struct kesco_site **found;

    pthread_mutex_lock(&lock);
    found = tfind(site, &kept, compare_kept);
    result = found != NULL ? *found : keep_new(site);
    pthread_mutex_unlock(&lock);
    return result;
}
