/*
 * The text of a source file, for pages that show the lines that ops stand in, and links to them.
 */
#ifndef KESCO_REPORT_SOURCE_TEXT_H
#define KESCO_REPORT_SOURCE_TEXT_H

#include <stddef.h>

/* Where files are. */
struct kesco_source_folders {
    const char *root; /* absolute folder that relative names of source files start from */
    const char *page; /* absolute folder that links start from */
};

struct kesco_source_text {
    char *name;   /* as the report has it */
    char *link;   /* from the page to the file, as a URL; NULL where there is no such file */
    char *text;   /* with '\0' in place of the ends of lines; NULL where there is no such file */
    char **lines; /* in text */
    size_t count; /* entries in lines */
};

/*
 * Reads the file of this name, of `length` bytes. What cannot be read has no link and no lines. Returns 0 or
 * -ENOMEM.
 */
int kesco_source_text_read(const char *name, size_t length, const struct kesco_source_folders *folders,
                           struct kesco_source_text *source);

/* What the file of this name is called on the page: without the root, where it is in there. A part of `name`.
 */
const char *kesco_source_title(const char *name, const struct kesco_source_folders *folders);

/* Frees what the source has. Accepts a zeroed one. */
void kesco_source_text_free(struct kesco_source_text *source);

#endif
