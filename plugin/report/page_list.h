/*
 * Page list: the functions of many reports as one list, for a page.
 */
#ifndef KESCO_REPORT_PAGE_LIST_H
#define KESCO_REPORT_PAGE_LIST_H

#include "plugin/report/gain.h"
#include "plugin/report/report.h"

struct kesco_page_function {
    size_t unit; /* the report that has it, the first of them */
    struct kesco_gain gain;
    size_t unit_count; /* how many reports have the function, all alike */
};

struct kesco_page_list {
    struct kesco_report_function
        *functions;                    /* copies, each with its file; what they point at is the reports' */
    struct kesco_page_function *about; /* by function */
    size_t count;                      /* entries in functions and about */
};

/*
 * Makes a list of all functions with ops or barriers of `count` reports, which outlive it. Those that reports
 * say the same of, as of a header's function that many units have, are one. First come those with the most
 * steps to gain (gain.h), then those with more barriers, then with more ops, then by name. Returns 0 or
 * -ENOMEM.
 */
int kesco_page_list_create(const struct kesco_report *reports, size_t count, struct kesco_page_list *list);

/* Frees what the list owns. Accepts a zeroed one. */
void kesco_page_list_free(struct kesco_page_list *list);

#endif
