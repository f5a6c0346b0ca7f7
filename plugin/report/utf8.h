/*
 * UTF-8: makes any C string fit for JSON, or for a line of a picture.
 */
#ifndef KESCO_REPORT_UTF8_H
#define KESCO_REPORT_UTF8_H

#include <stddef.h>

/*
 * Returns a copy of `text` with every byte that is no part of well-formed UTF-8 (Unicode Standard, table 3-7)
 * replaced by U+FFFD. The caller frees it. NULL without memory.
 */
char *kesco_utf8_repair(const char *text);

/* Cells of a fixed-width font that well-formed `text` takes, some too many rather than too few. */
size_t kesco_utf8_cells(const char *text);

/*
 * Returns a repaired copy of `text` where U+FFFD also stands for what no line of XML 1.0 should hold:
 * controls, U+FFFE and U+FFFF. Wider than `cells`, it is cut and ends with an ellipsis. The caller frees it.
 * NULL without memory.
 */
char *kesco_utf8_line(const char *text, size_t cells);

#endif
