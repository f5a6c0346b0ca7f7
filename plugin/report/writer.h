/*
 * Writer: formatted output that remembers its first error, and the escapes of the formats that reports come
 * in.
 *
 * Names come from users' programs: any bytes. What is written of them is well-formed UTF-8 of characters that
 * the format takes.
 */
#ifndef KESCO_REPORT_WRITER_H
#define KESCO_REPORT_WRITER_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define KESCO_UNCUT SIZE_MAX

struct kesco_writer {
    FILE *out;
    int err; /* the first error, a negative errno; nothing is written after it */
};

/* Writes as fprintf does. */
__attribute__((format(printf, 2, 3))) void kesco_put(struct kesco_writer *writer, const char *format, ...);

/* Writes `text` as a JSON string, quotes included. */
void kesco_put_json(struct kesco_writer *writer, const char *text);

/*
 * Writes the line that kesco_utf8_line makes of `text`, at most `cells` wide, fit for XML 1.0: as text or in
 * an attribute.
 */
void kesco_put_xml(struct kesco_writer *writer, const char *text, size_t cells);

/* The same fit for the inside of a quoted string of the DOT language. */
void kesco_put_dot(struct kesco_writer *writer, const char *text, size_t cells);

/* The same for a tooltip, where U+2216 stands for a backslash. */
void kesco_put_dot_tooltip(struct kesco_writer *writer, const char *text, size_t cells);

/* Flushes what was written; returns the first error, 0 for none. */
int kesco_writer_finish(struct kesco_writer *writer);

#endif
