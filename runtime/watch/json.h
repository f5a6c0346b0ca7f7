/*
 * JSON (RFC 8259) for the files that the runtime writes, in UTF-8 and in any locale.
 */
#ifndef KESCO_RUNTIME_WATCH_JSON_H
#define KESCO_RUNTIME_WATCH_JSON_H

#include <stdio.h>

/* Prints `text` as a string, or two texts as one: bytes that are no UTF-8 as U+FFFD. */
void kesco_json_print_text(FILE *file, const char *text);
void kesco_json_print_texts(FILE *file, const char *first, const char *second);

/* Prints a number that is not negative, with three places. */
void kesco_json_print_number(FILE *file, double number);

#endif
