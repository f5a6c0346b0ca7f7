/*
 * UTF-8: makes any C string fit for JSON.
 */
#ifndef KESCO_REPORT_UTF8_H
#define KESCO_REPORT_UTF8_H

/*
 * Returns a copy of `text` with every byte that is no part of well-formed UTF-8 (Unicode Standard, table 3-7)
 * replaced by U+FFFD. The caller frees it. NULL without memory.
 */
char *kesco_utf8_repair(const char *text);

#endif
