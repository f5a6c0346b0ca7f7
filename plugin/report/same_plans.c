#include "plugin/report/same_plans.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A place in the source. */
struct site {
    const char *file;
    size_t length; /* of the file's name */
    unsigned long line;
};

static struct site site_of(const struct kesco_report_function *function, const struct kesco_report_op *op,
                           const char *source) {
    const char *colon = op->source ? strrchr(op->source, ':') : NULL;
    if (colon)
        return (struct site){op->source, (size_t)(colon - op->source), strtoul(colon + 1, NULL, 10)};
    const char *file = function->file ? function->file : source;
    return (struct site){file, strlen(file), op->line};
}

static bool same_site(struct site a, struct site b) {
    return a.line > 0 && a.line == b.line && a.length == b.length && memcmp(a.file, b.file, a.length) == 0;
}

static bool same_ops(const struct kesco_report_function *a, const struct kesco_report_function *b,
                     const char *source) {
    for (size_t i = 0; i < a->op_count; i++) {
        const struct kesco_report_op *op = &a->ops[i], *other = &b->ops[i];
        if (op->kind != other->kind || op->lane != other->lane || op->order != other->order ||
            op->region != other->region || strcmp(op->name, other->name) != 0 ||
            !same_site(site_of(a, op, source), site_of(b, other, source)))
            return false;
    }
    return true;
}

static bool same_edges(const struct kesco_report_function *a, const struct kesco_report_function *b) {
    for (size_t i = 0; i < a->plan.edge_count; i++)
        if (a->plan.edges[i].from != b->plan.edges[i].from || a->plan.edges[i].to != b->plan.edges[i].to ||
            a->plan.edges[i].kind != b->plan.edges[i].kind)
            return false;
    for (size_t i = 0; i < a->plan.wait_count; i++)
        if (a->plan.waits[i].op != b->plan.waits[i].op || a->plan.waits[i].on != b->plan.waits[i].on)
            return false;
    return true;
}

static bool same_plan(const struct kesco_report_function *a, const struct kesco_report_function *b,
                      const char *source) {
    return a->op_count == b->op_count && a->op_count > 0 && a->lanes == b->lanes &&
           a->plan.edge_count == b->plan.edge_count && a->plan.wait_count == b->plan.wait_count &&
           a->regions.placed_count == b->regions.placed_count && same_ops(a, b, source) && same_edges(a, b);
}

static bool has_helpers(const struct kesco_report_function *function) {
    for (size_t i = 0; i < function->op_count; i++)
        if (function->ops[i].source)
            return true;
    return false;
}

void kesco_same_plans(const struct kesco_report_function *functions, size_t count, const char *source,
                      size_t *shown) {
    for (size_t i = 0; i < count; i++)
        shown[i] = i;
    for (size_t i = 0; i < count; i++) {
        if (shown[i] != i)
            continue;
        size_t best = i;
        for (size_t j = i + 1; j < count; j++)
            if (shown[j] == j && same_plan(&functions[i], &functions[j], source)) {
                shown[j] = i;
                if (has_helpers(&functions[best]) && !has_helpers(&functions[j]))
                    best = j;
            }
        for (size_t j = i; j < count && best != i; j++)
            if (shown[j] == i)
                shown[j] = best;
    }
}
