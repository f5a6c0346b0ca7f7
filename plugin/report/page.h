/*
 * The plans of a build as one page of HTML: every function of many reports, with what it could gain (gain.h),
 * its picture (svg.h), its barriers, and the lines of the source that its ops stand in.
 *
 * The page needs nothing from elsewhere. Its script searches and sorts; without it the page is a list, in
 * which what has most to gain comes first.
 */
#ifndef KESCO_REPORT_PAGE_H
#define KESCO_REPORT_PAGE_H

#include "plugin/report/graphviz.h"
#include "plugin/report/source_text.h"

struct kesco_page_options {
    struct kesco_source_folders folders;
    const char *version; /* of KeSCo */
};

/*
 * Writes the page of `count` reports to `out`, which is flushed. Without Graphviz it has no graphs, and
 * `message` says why, otherwise it is "". Returns 0, -ENOMEM, or -EIO when `out` refuses the text.
 */
int kesco_page_write(const struct kesco_report *reports, size_t count,
                     const struct kesco_page_options *options, FILE *out,
                     char message[KESCO_GRAPHVIZ_ERROR_SIZE]);

#endif
