/*
 * One function of a page (page.h).
 */
#ifndef KESCO_REPORT_PAGE_FUNCTION_H
#define KESCO_REPORT_PAGE_FUNCTION_H

#include "plugin/report/graphviz.h"
#include "plugin/report/page_list.h"
#include "plugin/report/page_sources.h"

/* What is written so far, and from what. */
struct kesco_page {
    struct kesco_writer writer;
    const struct kesco_report *reports;
    const struct kesco_page_list *list;
    const struct kesco_drawing *drawings; /* by function of the list */
    const size_t *shown;                  /* by function: whose picture shows its plan (same_plans.h) */
    struct kesco_page_sources sources;
};

/* Puts the function in place `index` of the list. */
void kesco_page_put_function(struct kesco_page *page, size_t index);

/* Puts the lines of source files that the function's ops and barriers stand in. */
void kesco_page_put_code(struct kesco_page *page, const struct kesco_report_function *function);

#endif
