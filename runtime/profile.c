#define _XOPEN_SOURCE 700 /* tsearch */

#include "runtime/profile.h"

#include "runtime/profile_format.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <search.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct times {
    struct kesco_site site; /* with texts of its own */
    uint64_t count;         /* of exact times */
    double microseconds;    /* all exact times together */
    uint64_t late_count;    /* of times that may be too long */
    double late_least;      /* the least of those, in microseconds */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards what follows */
static void *entries;                                    /* a tree of struct times (tsearch) */
static FILE *print_file;                                 /* while entries are printed */
static const char *separator;                            /* before the next one printed */

static int compare_texts(const char *a, const char *b) {
    return strcmp(a == NULL ? "" : a, b == NULL ? "" : b);
}

static int compare_lines(uint32_t a, uint32_t b) {
    return (a > b) - (a < b);
}

static int compare_sites(const struct kesco_site *a, const struct kesco_site *b) {
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

static int compare_entries(const void *a, const void *b) {
    return compare_sites(&((const struct times *)a)->site, &((const struct times *)b)->site);
}

static void free_times(struct times *op) {
    free((void *)op->site.kind);
    free((void *)op->site.name);
    free((void *)op->site.function);
    free((void *)op->site.file);
    free(op);
}

/* False: there is no memory. */
static bool copy_text(const char **to, const char *from) {
    *to = strdup(from == NULL ? "" : from);
    return *to != NULL;
}

static struct times *new_times(const struct kesco_site *site) {
    struct times *op = calloc(1, sizeof *op);

    if (op == NULL)
        return NULL;
    op->site.line = site->line;
    op->site.call_line = site->call_line;
    if (copy_text(&op->site.kind, site->kind) && copy_text(&op->site.name, site->name) &&
        copy_text(&op->site.function, site->function) && copy_text(&op->site.file, site->file))
        return op;
    free_times(op);
    return NULL;
}

/* NULL: there is no memory. */
static struct times *find_times(const struct kesco_site *site) {
    const struct times key = {.site = *site};
    struct times **found = tfind(&key, &entries, compare_entries);
    struct times *op;

    if (found != NULL)
        return *found;
    op = new_times(site);
    if (op == NULL || tsearch(op, &entries, compare_entries) != NULL)
        return op;
    free_times(op);
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

/*
 * How many bytes the character has that the text begins with (The Unicode Standard, table 3-7, "Well-Formed
 * UTF-8 Byte Sequences"). 0: it begins with none.
 */
static size_t measure_character(const unsigned char *text) {
    static const struct {
        unsigned char first, last; /* of the first byte */
        unsigned char second_first, second_last;
        unsigned char size;
    } forms[] = {
        {0x00, 0x7f, 0x00, 0xff, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
        {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
        {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
    };
    size_t form = 0, i;

    while (form < sizeof forms / sizeof *forms && (text[0] < forms[form].first || text[0] > forms[form].last))
        form++;
    if (form == sizeof forms / sizeof *forms)
        return 0;
    if (forms[form].size > 1 && (text[1] < forms[form].second_first || text[1] > forms[form].second_last))
        return 0;
    for (i = 2; i < forms[form].size; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    return forms[form].size;
}

static void print_character(FILE *file, const unsigned char *text, size_t size) {
    if (size == 0)
        fputs("\\ufffd", file);
    else if (text[0] < 0x20)
        fprintf(file, "\\u%04x", text[0]);
    else if (text[0] == '"' || text[0] == '\\')
        fprintf(file, "\\%c", text[0]);
    else
        fwrite(text, 1, size, file);
}

static void print_member(FILE *file, const char *key, const char *value) {
    const unsigned char *text = (const unsigned char *)value;
    size_t size;

    fprintf(file, "\"%s\": \"", key);
    for (; *text != '\0'; text += size != 0 ? size : 1) {
        size = measure_character(text);
        print_character(file, text, size);
    }
    fputs("\", ", file);
}

/* The number in microseconds with three places: whatever the locale, its point is a point. */
static void print_mean(FILE *file, double microseconds) {
    const uint64_t nanoseconds = (uint64_t)(microseconds * 1000 + 0.5);

    fprintf(file, "\"%s\": %" PRIu64 ".%03" PRIu64 "}", KESCO_PROFILE_KEY_MEAN, nanoseconds / 1000,
            nanoseconds % 1000);
}

static void print_times(const struct times *op) {
    fprintf(print_file, "%s\n  {", separator);
    separator = ",";
    print_member(print_file, KESCO_PROFILE_KEY_FUNCTION, op->site.function);
    print_member(print_file, KESCO_PROFILE_KEY_FILE, op->site.file);
    fprintf(print_file, "\"%s\": %" PRIu32 ", \"%s\": %" PRIu32 ", ", KESCO_PROFILE_KEY_LINE, op->site.line,
            KESCO_PROFILE_KEY_CALL_LINE, op->site.call_line);
    print_member(print_file, KESCO_PROFILE_KEY_KIND, op->site.kind);
    print_member(print_file, KESCO_PROFILE_KEY_NAME, op->site.name);
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
    return fflush(file) == 0 && !ferror(file);
}

static bool write_to(const char *path) {
    FILE *file = fopen(path, "w");
    bool written;

    if (file == NULL)
        return false;
    written = kesco_profile_print(file);
    return fclose(file) == 0 && written;
}

static bool replace(const char *path) {
    const size_t size = strlen(path) + 32;
    char *temporary = malloc(size);
    bool done = false;
    int error;

    if (temporary == NULL)
        return false;
    snprintf(temporary, size, "%s.%ld.tmp", path, (long)getpid());
    done = write_to(temporary) && rename(temporary, path) == 0;
    if (!done) {
        error = errno;
        remove(temporary);
        errno = error;
    }
    free(temporary);
    return done;
}

/* True for what cannot be put in the place of: a device, a pipe, a folder. */
static bool is_special(const char *path) {
    struct stat status;

    return stat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

void kesco_profile_write(const char *path) {
    if (!(is_special(path) ? write_to(path) : replace(path)))
        fprintf(stderr, "kesco: KESCO_PROFILE='%s' cannot be written: %s\n", path, strerror(errno));
}
