/*
 * The word that was perhaps meant, for messages about unknown ones: "did you mean".
 */
#ifndef KESCO_NEAREST_H
#define KESCO_NEAREST_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Returns the one of `count` words that is nearest to `word` by edit distance (letters added, taken out or
 * replaced, the fewest), the first of several; NULL where more than a third of its letters are wrong.
 */
const char *kesco_nearest(const char *word, const char *const *words, size_t count);

#ifdef __cplusplus
}
#endif

#endif
