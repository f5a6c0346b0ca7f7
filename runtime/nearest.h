/* Names that somebody may have meant. */
#ifndef KESCO_RUNTIME_NEAREST_H
#define KESCO_RUNTIME_NEAREST_H

#include <stddef.h>

/*
 * How many characters have to be changed, put in or left out to make one of the texts, of so many characters,
 * of the other (Levenshtein's distance). Of longer texts than KESCO_NEAREST_MOST, only as much is looked at.
 */
enum { KESCO_NEAREST_MOST = 64 };
size_t kesco_distance(const char *a, size_t a_size, const char *b, size_t b_size);

#endif
