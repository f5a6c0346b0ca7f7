/*
 * Words: lists of names as one text with a blank between two, for tables that people read and extend.
 */
#ifndef KESCO_WORDS_H
#define KESCO_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* True if the name, of `length` bytes, is one of the words, or where `begin` is true, begins with one. */
static inline bool kesco_words_have(const char *words, const char *name, size_t length, bool begin) {
    for (const char *end;; words = end + 1) {
        end = strchr(words, ' ');
        const size_t word = end ? (size_t)(end - words) : strlen(words);
        if (word > 0 && (begin ? word <= length : word == length) && *words == *name &&
            memcmp(words, name, word) == 0)
            return true;
        if (!end)
            return false;
    }
}

#endif
