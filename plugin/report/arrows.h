/*
 * Arrows: what pictures draw between the ops of one function. One arrow stands for all edges and the wait
 * that a pair of ops has.
 */
#ifndef KESCO_REPORT_ARROWS_H
#define KESCO_REPORT_ARROWS_H

#include "plugin/report/report.h"

#include <stdbool.h>
#include <stddef.h>

struct kesco_arrow {
    unsigned from;         /* op id */
    unsigned to;           /* op id; not above from where a loop carries the arrow to its next pass */
    const unsigned *edges; /* indices of the pair's edges in the function's, ascending */
    size_t edge_count;     /* 0 for a wait that has no edge */
    bool waits;            /* the op `to` waits for the record of `from` */
    bool implied; /* a chain of other arrows leads from `from` to `to`, and no wait is for this one */
    bool drawn;   /* pictures have it */
};

struct kesco_arrows {
    struct kesco_arrow *list; /* by (to, from) */
    size_t count;             /* entries in list */
    size_t drawn_count;       /* those of them that are drawn */
    size_t *start;            /* the arrows to op are [start[op], start[op + 1]) */
    unsigned *edges;          /* what the arrows' edges point into */
};

/*
 * Stores the arrows of `function`, which the caller frees. Of functions with more than 4096 ops none counts
 * as implied. Where there are many arrows, implied ones are not drawn, nor ones that a loop carries and no
 * wait is for. Returns 0 or -ENOMEM.
 */
int kesco_arrows_create(const struct kesco_report_function *function, struct kesco_arrows *arrows);

/* Frees the arrows. Accepts zeroed ones. */
void kesco_arrows_free(struct kesco_arrows *arrows);

#endif
