#include "runtime/nearest.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

/* True for letters that differ in case alone, too. */
static bool is_same(char a, char b) {
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

size_t kesco_distance(const char *a, size_t a_size, const char *b, size_t b_size) {
    /* distances of the beginning of `a`, and of those one and two shorter, to all beginnings of `b` */
    size_t rows[3][KESCO_NEAREST_MOST + 1], *row, *above, *second;
    size_t i, j;

    a_size = least(a_size, KESCO_NEAREST_MOST);
    b_size = least(b_size, KESCO_NEAREST_MOST);
    for (j = 0; j <= b_size; j++)
        rows[0][j] = j;
    for (i = 1; i <= a_size; i++) {
        row = rows[i % 3];
        above = rows[(i + 2) % 3];
        second = rows[(i + 1) % 3];
        row[0] = i;
        for (j = 1; j <= b_size; j++) {
            row[j] = least(least(above[j], row[j - 1]) + 1, above[j - 1] + !is_same(a[i - 1], b[j - 1]));
            if (i > 1 && j > 1 && is_same(a[i - 1], b[j - 2]) && is_same(a[i - 2], b[j - 1]))
                row[j] = least(row[j], second[j - 2] + 1);
        }
    }
    return rows[a_size % 3][b_size];
}

/* The last part of the function's name, without what scopes it and template arguments. */
static const char *last_part(const char *function, size_t *size) {
    const char *part = function, *end = NULL, *at;
    int depth = 0;

    for (at = function; *at != '\0' && (depth > 0 || *at != '('); at++) {
        if (*at == '<' && depth++ == 0)
            end = at;
        if (*at == '>' && depth > 0)
            depth--;
        if (depth == 0 && (*at == ':' || *at == ' ')) {
            part = at + 1;
            end = NULL;
        }
    }
    *size = (size_t)((end != NULL ? end : at) - part);
    return part;
}

size_t kesco_distance_to_function(const char *name, size_t size, const char *function) {
    size_t part_size;
    const char *part = last_part(function, &part_size);

    return least(kesco_distance(name, size, function, strcspn(function, "(<")),
                 kesco_distance(name, size, part, part_size));
}

/* The only one of the words that this begins; NULL: there is none, or several. */
static const char *find_begun(const char *word, size_t size, const char *const *words, size_t count) {
    const char *found = NULL;
    size_t i;

    for (i = 0; i < count; i++) {
        if (strncmp(words[i], word, size) != 0)
            continue;
        if (found != NULL)
            return NULL;
        found = words[i];
    }
    return found;
}

const char *kesco_nearest(const char *word, size_t size, const char *const *words, size_t count) {
    enum { ENOUGH = 3 };
    const char *nearest = kesco_nearest_within(size / 3, word, size, words, count);

    return nearest == NULL && size >= ENOUGH ? find_begun(word, size, words, count) : nearest;
}

const char *kesco_nearest_within(size_t most, const char *word, size_t size, const char *const *words,
                                 size_t count) {
    const char *nearest = NULL;
    size_t i, distance, best = most + 1;

    for (i = 0; i < count; i++) {
        distance = kesco_distance(word, size, words[i], strlen(words[i]));
        if (distance < best) {
            best = distance;
            nearest = words[i];
        }
    }
    return nearest;
}
