/*
 * Page sources: the source files that a page links to and shows lines of, each read once.
 */
#ifndef KESCO_REPORT_PAGE_SOURCES_H
#define KESCO_REPORT_PAGE_SOURCES_H

#include "plugin/report/source_text.h"
#include "plugin/report/writer.h"

struct kesco_page_sources {
    const struct kesco_source_folders *folders;
    struct kesco_source_text **files; /* the list's own */
    size_t count;                     /* entries in files */
    size_t missing;                   /* those of them that cannot be read */
};

/* The file of this name, of `length` bytes; NULL without memory. It lives as long as the list. */
const struct kesco_source_text *kesco_page_source(struct kesco_page_sources *sources, const char *name,
                                                  size_t length);

/* Frees the files. Accepts an empty list. */
void kesco_page_sources_free(struct kesco_page_sources *sources);

/* Puts FILE:LINE, or FILE where the line is 0, with a link where the file, one of `sources`, is there. */
void kesco_page_put_place(struct kesco_writer *writer, const struct kesco_page_sources *sources,
                          const struct kesco_source_text *source, unsigned long line);

/* Puts a line of a source file as text, with blanks for tabs. */
void kesco_page_put_line(struct kesco_writer *writer, const char *line);

#endif
