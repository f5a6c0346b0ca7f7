#include "plugin/nearest.h"

#include <stdint.h>
#include <string.h>

#define MOST_LETTERS 64 /* of a word that is looked at */

static size_t least(size_t a, size_t b, size_t c) {
    size_t less = a < b ? a : b;
    return less < c ? less : c;
}

/* Levenshtein's distance, row by row; SIZE_MAX for words that are too long. */
static size_t distance(const char *a, const char *b) {
    size_t row[MOST_LETTERS + 1], length = strlen(b);
    if (length > MOST_LETTERS)
        return SIZE_MAX;
    for (size_t i = 0; i <= length; i++)
        row[i] = i;
    for (; *a; a++) {
        size_t diagonal = row[0]++;
        for (size_t i = 1; i <= length; i++) {
            size_t above = row[i];
            row[i] = least(above + 1, row[i - 1] + 1, diagonal + (*a != b[i - 1]));
            diagonal = above;
        }
    }
    return row[length];
}

const char *kesco_nearest(const char *word, const char *const *words, size_t count) {
    const char *nearest = NULL;
    size_t most = strlen(word) / 3 + 1;
    for (size_t i = 0; i < count; i++) {
        size_t far = distance(word, words[i]);
        if (far < most) {
            most = far;
            nearest = words[i];
        }
    }
    return nearest;
}
