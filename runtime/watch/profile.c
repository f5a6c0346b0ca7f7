#define _XOPEN_SOURCE 700 /* tsearch */

#include "runtime/watch/profile.h"

#include "runtime/watch/json.h"
#include "runtime/watch/output.h"
#include "runtime/watch/profile_format.h"
#include "runtime/watch/site.h"

#include <inttypes.h>
#include <pthread.h>
#include <search.h>
#include <stddef.h>
#include <stdlib.h>

struct times {
    const struct kesco_site *site; /* kept */
    uint64_t count;                /* of exact times */
    double microseconds;           /* all exact times together */
    uint64_t late_count;           /* of times that may be too long */
    double late_least;             /* the least of those, in microseconds */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards what follows */
static void *entries;                                    /* a tree of struct times (tsearch) */
static FILE *print_file;                                 /* while entries are printed */
static const char *separator;                            /* before the next one printed */

static int compare_entries(const void *a, const void *b) {
    return kesco_site_compare(((const struct times *)a)->site, ((const struct times *)b)->site);
}

/* NULL: there is no memory. */
static struct times *find_times(const struct kesco_site *site) {
    const struct times key = {.site = site};
    struct times **found = tfind(&key, &entries, compare_entries);
    struct times *op;

    if (found != NULL)
        return *found;
    op = calloc(1, sizeof *op);
    if (op == NULL)
        return NULL;
    op->site = kesco_site_keep(site);
    if (op->site != NULL && tsearch(op, &entries, compare_entries) != NULL)
        return op;
    free(op);
    return NULL;
}

static void count(struct times *op, double microseconds, bool exact) {
    if (exact) {
        op->count++;
        op->microseconds += microseconds;
        return;
    }
    if (op->late_count++ == 0 || microseconds < op->late_least)
        op->late_least = microseconds;
}

void kesco_profile_add(const struct kesco_site *site, double microseconds, bool exact) {
    struct times *op;

    pthread_mutex_lock(&lock);
    op = find_times(site);
    if (op != NULL)
        count(op, microseconds, exact);
    pthread_mutex_unlock(&lock);
}

static void print_member(FILE *file, const char *key, const char *value) {
    fprintf(file, "\"%s\": ", key);
    kesco_json_print_text(file, value);
    fputs(", ", file);
}

static void print_mean(FILE *file, double microseconds) {
    fprintf(file, "\"%s\": ", KESCO_PROFILE_KEY_MEAN);
    kesco_json_print_number(file, microseconds);
    putc('}', file);
}

static void print_times(const struct times *op) {
    fprintf(print_file, "%s\n  {", separator);
    separator = ",";
    print_member(print_file, KESCO_PROFILE_KEY_FUNCTION, op->site->function);
    print_member(print_file, KESCO_PROFILE_KEY_FILE, op->site->file);
    fprintf(print_file, "\"%s\": %" PRIu32 ", \"%s\": %" PRIu32 ", ", KESCO_PROFILE_KEY_LINE, op->site->line,
            KESCO_PROFILE_KEY_CALL_LINE, op->site->call_line);
    print_member(print_file, KESCO_PROFILE_KEY_KIND, op->site->kind);
    print_member(print_file, KESCO_PROFILE_KEY_NAME, op->site->name);
    fprintf(print_file, "\"%s\": %" PRIu64 ", ", KESCO_PROFILE_KEY_COUNT,
            op->count > 0 ? op->count : op->late_count);
    print_mean(print_file, op->count > 0 ? op->microseconds / (double)op->count : op->late_least);
}

static void visit(const void *node, VISIT when, int depth) {
    (void)depth;
    if (when == postorder || when == leaf)
        print_times(*(const struct times *const *)node);
}

bool kesco_profile_print(FILE *file) {
    pthread_mutex_lock(&lock);
    print_file = file;
    separator = "";
    fprintf(file, "{\"%s\": %d, \"%s\": [", KESCO_PROFILE_KEY_VERSION, KESCO_PROFILE_VERSION,
            KESCO_PROFILE_KEY_OPS);
    twalk(entries, visit);
    fputs("]}\n", file);
    pthread_mutex_unlock(&lock);
    return kesco_output_is_written(file);
}

void kesco_profile_write(const char *path) {
    kesco_output_write("KESCO_PROFILE", path, kesco_profile_print);
}
