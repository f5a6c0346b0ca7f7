#include "plugin/report/arrows.h"

#include "plugin/schedule/bits.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#define MOST_OPS 4096
#define MANY 60       /* arrows, more than which leave some out of pictures */
#define WAIT UINT_MAX /* in place of an edge's index */

/* An edge or a wait. */
struct tie {
    unsigned from; /* op id */
    unsigned to;   /* op id */
    unsigned edge; /* index, or WAIT */
};

static int compare_ties(const void *left, const void *right) {
    const struct tie *a = left, *b = right;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return (a->edge > b->edge) - (a->edge < b->edge);
}

static struct tie *sorted_ties(const struct kesco_report_function *function, size_t *count) {
    *count = function->plan.edge_count + function->plan.wait_count;
    struct tie *ties = calloc(*count + 1, sizeof(*ties));
    if (!ties)
        return NULL;
    for (size_t i = 0; i < function->plan.edge_count; i++)
        ties[i] = (struct tie){function->plan.edges[i].from, function->plan.edges[i].to, (unsigned)i};
    for (size_t i = 0; i < function->plan.wait_count; i++)
        ties[function->plan.edge_count + i] =
            (struct tie){function->plan.waits[i].on, function->plan.waits[i].op, WAIT};
    qsort(ties, *count, sizeof(*ties), compare_ties);
    return ties;
}

/* Makes one arrow of the ties of each pair. */
static void merge_ties(const struct tie *ties, size_t count, struct kesco_arrows *arrows) {
    size_t edges = 0;
    for (size_t i = 0; i < count; i++) {
        struct kesco_arrow *arrow = &arrows->list[arrows->count];
        if (i > 0 && ties[i].to == ties[i - 1].to && ties[i].from == ties[i - 1].from)
            arrow--;
        else
            arrows->list[arrows->count++] =
                (struct kesco_arrow){.from = ties[i].from, .to = ties[i].to, .edges = &arrows->edges[edges]};
        if (ties[i].edge == WAIT) {
            arrow->waits = true;
        } else {
            arrows->edges[edges++] = ties[i].edge;
            arrow->edge_count++;
        }
    }
}

static void find_starts(struct kesco_arrows *arrows, size_t op_count) {
    size_t next = 0;
    for (size_t op = 0; op <= op_count; op++) {
        while (next < arrows->count && arrows->list[next].to < op)
            next++;
        arrows->start[op] = next;
    }
}

/* Marks the arrows whose ends others connect. Only what follows program order makes chains. */
static int mark_implied(struct kesco_arrows *arrows, size_t op_count) {
    size_t words = kesco_bits_words(op_count);
    uint64_t *before = calloc(op_count * words + 1, sizeof(*before)); /* by op: the ops that lead to it */
    if (!before)
        return -ENOMEM;
    for (size_t op = 0; op < op_count; op++)
        for (size_t i = arrows->start[op + 1]; i-- > arrows->start[op];) {
            struct kesco_arrow *arrow = &arrows->list[i];
            if (arrow->from >= op)
                continue;
            arrow->implied = kesco_bits_has(before + op * words, arrow->from) && !arrow->waits;
            kesco_bits_unite(before + op * words, before + arrow->from * words, words);
            kesco_bits_add(before + op * words, arrow->from);
        }
    free(before);
    return 0;
}

static void choose_drawn(struct kesco_arrows *arrows) {
    for (size_t i = 0; i < arrows->count; i++) {
        struct kesco_arrow *arrow = &arrows->list[i];
        bool carried = arrow->from >= arrow->to;
        arrow->drawn = arrows->count <= MANY || arrow->waits || !(arrow->implied || carried);
        arrows->drawn_count += arrow->drawn;
    }
}

int kesco_arrows_create(const struct kesco_report_function *function, struct kesco_arrows *arrows) {
    size_t count;
    int err = -ENOMEM;
    struct tie *ties = sorted_ties(function, &count);
    *arrows = (struct kesco_arrows){
        .list = calloc(count + 1, sizeof(*arrows->list)),
        .start = calloc(function->op_count + 1, sizeof(*arrows->start)),
        .edges = calloc(function->plan.edge_count + 1, sizeof(*arrows->edges)),
    };
    if (ties && arrows->list && arrows->start && arrows->edges) {
        merge_ties(ties, count, arrows);
        find_starts(arrows, function->op_count);
        err = function->op_count <= MOST_OPS ? mark_implied(arrows, function->op_count) : 0;
        choose_drawn(arrows);
    }
    free(ties);
    if (err)
        kesco_arrows_free(arrows);
    return err;
}

void kesco_arrows_free(struct kesco_arrows *arrows) {
    free(arrows->list);
    free(arrows->start);
    free(arrows->edges);
    *arrows = (struct kesco_arrows){0};
}
