/*
 * The style and the script of a page: page.css and page.js, which the build puts into the program.
 */
#ifndef KESCO_REPORT_PAGE_FILES_H
#define KESCO_REPORT_PAGE_FILES_H

/* Each ends with '\0'. */
extern const char kesco_page_style[], kesco_page_script[];

#endif
