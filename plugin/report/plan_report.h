/*
 * From plans to a report: the one place that turns (graph, plan) into report data, for the plugin and for
 * kesco-schedule.
 *
 * Use: create; for each function begin_function, then its regions, guards and barriers in any number, then
 * end_function; at last finish. A function's regions follow one another: ids, issue order and zones count on
 * from region to region. Everything is copied, so graphs, plans and strings may go right after the call.
 * Functions return 0 or a negative errno: -ENOMEM, -EINVAL where stated; after an error the builder is only
 * good to be destroyed.
 */
#ifndef KESCO_REPORT_PLAN_REPORT_H
#define KESCO_REPORT_PLAN_REPORT_H

#include "plugin/report/report.h"
#include "plugin/schedule/graph.h"
#include "plugin/schedule/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the report says of an op beyond graph and plan. */
struct kesco_report_site {
    unsigned line;      /* source line in the function; 0 where unknown */
    const char *source; /* "FILE:LINE" of the op itself where a helper of the function has it; else NULL */
};

struct kesco_report_builder;

/* Returns an empty builder that the caller owns, or NULL without memory. */
struct kesco_report_builder *kesco_report_builder_create(void);

/* Frees the builder and the report that it made. Accepts NULL. */
void kesco_report_builder_destroy(struct kesco_report_builder *builder);

/* Starts the next function. -EINVAL when one is open. */
int kesco_report_begin_function(struct kesco_report_builder *builder, const char *name);

/* Says which file the open function stands in, where that is not the report's source. -EINVAL when none is
 * open. */
int kesco_report_set_file(struct kesco_report_builder *builder, const char *file);

/*
 * Appends a region to the open function: a built graph, its plan, and one site per op; NULL for `sites`
 * stands for kernels on unknown lines. -EINVAL when no function is open or the plan is not the graph's.
 */
int kesco_report_append_region(struct kesco_report_builder *builder, const struct kesco_graph *graph,
                               const struct kesco_plan *plan, const struct kesco_report_site *sites);

/*
 * The lanes of the ops of the region that was appended last are the run's to choose, by what each accesses
 * when it is issued. -EINVAL when there is no such region in an open function.
 */
int kesco_report_note_placed(struct kesco_report_builder *builder);

/*
 * The ops of the region that was appended last may overlap with those of functions that are called before and
 * after this one. -EINVAL when there is no such region in an open function.
 */
int kesco_report_note_joins(struct kesco_report_builder *builder);

/* Adds a call before which the open function lends a region. -EINVAL when none is open. */
int kesco_report_add_lend(struct kesco_report_builder *builder, unsigned line, const char *callee);

/* Adds an alias guard, two names of pointers, to the open function. -EINVAL when none is open. */
int kesco_report_add_guard(struct kesco_report_builder *builder, const char *a, const char *b);

/* Adds a claim that two pointers are distinct, by their names, to the open function. -EINVAL when none is
 * open. */
int kesco_report_add_claim(struct kesco_report_builder *builder, unsigned line, const char *a, const char *b);

/* Says why the launches of the open function run one after another. -EINVAL when none is open. */
int kesco_report_set_serial(struct kesco_report_builder *builder, unsigned line, const char *why);

/* Adds a barrier to the open function. -EINVAL when none is open. */
int kesco_report_add_barrier(struct kesco_report_builder *builder, unsigned line, const char *why);

/* Ends the open function. -EINVAL when none is open. */
int kesco_report_end_function(struct kesco_report_builder *builder);

/*
 * Stores the report of all functions so far; it lives until the next call on the builder. -EINVAL when a
 * function is open.
 */
int kesco_report_finish(struct kesco_report_builder *builder, const char *source,
                        struct kesco_report *report);

#ifdef __cplusplus
}
#endif

#endif
