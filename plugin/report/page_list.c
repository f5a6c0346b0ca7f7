#include "plugin/report/page_list.h"

#include "plugin/report/writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A function of a report on its way into the list. */
struct entry {
    struct kesco_report_function function;
    struct kesco_page_function about;
    char *text; /* all that is said of it */
};

struct entries {
    struct entry *list;
    size_t count;
};

/* What the report says of the function, as text that the caller frees; NULL without memory. */
static char *text_of(const struct kesco_report_function *function) {
    char *text = NULL;
    size_t size;
    struct kesco_writer writer = {.out = open_memstream(&text, &size)};
    if (!writer.out)
        return NULL;
    kesco_report_put_function(&writer, function);
    if (fclose(writer.out) == 0 && !writer.err)
        return text;
    free(text);
    return NULL;
}

static int add(struct entries *entries, const struct kesco_report *report, size_t unit,
               const struct kesco_report_function *function) {
    struct entry *entry = &entries->list[entries->count];
    *entry = (struct entry){.function = *function, .about = {.unit = unit, .unit_count = 1}};
    if (!entry->function.file)
        entry->function.file = report->source;
    entry->text = text_of(&entry->function);
    if (!entry->text)
        return -ENOMEM;
    entries->count++;
    return kesco_gain_of(&entry->function, &entry->about.gain);
}

static int collect(const struct kesco_report *reports, size_t count, struct entries *entries) {
    size_t most = 0;
    for (size_t i = 0; i < count; i++)
        most += reports[i].function_count;
    entries->list = calloc(most + 1, sizeof(*entries->list));
    int err = entries->list ? 0 : -ENOMEM;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < reports[i].function_count && !err; j++) {
            const struct kesco_report_function *function = &reports[i].functions[j];
            if (function->op_count > 0 || function->stops.barrier_count > 0 || function->stops.serial ||
                function->lend_count > 0)
                err = add(entries, &reports[i], i, function);
        }
    return err;
}

static int by_text(const void *left, const void *right) {
    const struct entry *a = left, *b = right;
    int order = strcmp(a->text, b->text);
    return order ? order : (a->about.unit > b->about.unit) - (a->about.unit < b->about.unit);
}

/* Leaves one entry of each text. */
static void unite(struct entries *entries) {
    size_t kept = 0;
    qsort(entries->list, entries->count, sizeof(*entries->list), by_text);
    for (size_t i = 0; i < entries->count; i++) {
        struct entry *last = kept ? &entries->list[kept - 1] : NULL;
        if (last && strcmp(last->text, entries->list[i].text) == 0) {
            last->about.unit_count++;
            free(entries->list[i].text);
        } else {
            entries->list[kept++] = entries->list[i];
        }
    }
    entries->count = kept;
}

/* More comes first. */
static int compare_more(size_t a, size_t b) {
    return (a < b) - (a > b);
}

static int by_gain(const void *left, const void *right) {
    const struct entry *a = left, *b = right;
    int order =
        compare_more(a->about.gain.planned - a->about.gain.free, b->about.gain.planned - b->about.gain.free);
    if (!order)
        order = compare_more(a->function.stops.barrier_count, b->function.stops.barrier_count);
    if (!order)
        order = compare_more(a->function.op_count, b->function.op_count);
    if (!order)
        order = strcmp(a->function.name, b->function.name);
    return order ? order : by_text(left, right);
}

static int hand_over(const struct entries *entries, struct kesco_page_list *list) {
    list->functions = calloc(entries->count + 1, sizeof(*list->functions));
    list->about = calloc(entries->count + 1, sizeof(*list->about));
    if (!list->functions || !list->about)
        return -ENOMEM;
    for (size_t i = 0; i < entries->count; i++) {
        list->functions[i] = entries->list[i].function;
        list->about[i] = entries->list[i].about;
    }
    list->count = entries->count;
    return 0;
}

int kesco_page_list_create(const struct kesco_report *reports, size_t count, struct kesco_page_list *list) {
    struct entries entries = {0};
    *list = (struct kesco_page_list){0};
    int err = collect(reports, count, &entries);
    if (!err) {
        unite(&entries);
        qsort(entries.list, entries.count, sizeof(*entries.list), by_gain);
        err = hand_over(&entries, list);
    }
    for (size_t i = 0; i < entries.count; i++)
        free(entries.list[i].text);
    free(entries.list);
    if (err)
        kesco_page_list_free(list);
    return err;
}

void kesco_page_list_free(struct kesco_page_list *list) {
    free(list->functions);
    free(list->about);
    *list = (struct kesco_page_list){0};
}
