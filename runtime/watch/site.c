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

void kesco_site_free(struct kesco_site *site) {
    free((void *)site->kind);
    free((void *)site->name);
    free((void *)site->function);
    free((void *)site->file);
}

/* False: there is no memory. */
static bool copy_text(const char **to, const char *from) {
    *to = strdup(from == NULL ? "" : from);
    return *to != NULL;
}

bool kesco_site_copy(struct kesco_site *to, const struct kesco_site *from) {
    *to = (struct kesco_site){.line = from->line, .call_line = from->call_line};
    if (copy_text(&to->kind, from->kind) && copy_text(&to->name, from->name) &&
        copy_text(&to->function, from->function) && copy_text(&to->file, from->file))
        return true;
    kesco_site_free(to);
    return false;
}

static int compare_kept(const void *a, const void *b) {
    return kesco_site_compare(a, b);
}

static struct kesco_site *keep_new(const struct kesco_site *site) {
    struct kesco_site *copy = malloc(sizeof *copy);

    if (copy == NULL)
        return NULL;
    if (!kesco_site_copy(copy, site)) {
        free(copy);
        return NULL;
    }
    if (tsearch(copy, &kept, compare_kept) != NULL)
        return copy;
    kesco_site_free(copy);
    free(copy);
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
