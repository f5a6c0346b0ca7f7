/* Words that somebody may have meant, for messages about unknown ones: "did you mean". */
#ifndef KESCO_RUNTIME_NEAREST_H
#define KESCO_RUNTIME_NEAREST_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * How many characters have to be changed, put in, left out or swapped with the next to make one of the texts,
 * of so many characters, of the other (optimal string alignment), upper and lower case being the same. Of
 * longer texts than KESCO_NEAREST_MOST, only as much is looked at.
 */
enum { KESCO_NEAREST_MOST = 64 };
size_t kesco_distance(const char *a, size_t a_size, const char *b, size_t b_size);

/*
 * The same from a name to that of a function, `function` without its parameters and template arguments, or to
 * the last part of it, where that is nearer: "step" is "void ns::Field<int>::step(int)".
 */
size_t kesco_distance_to_function(const char *name, size_t size, const char *function);

/*
 * The one of `count` words that is nearest to `word`, of so many characters, by that distance; the first of
 * several. Where more than a third of its characters would have to be changed, the only one that it begins,
 * if there is one and it has three characters or more, else NULL.
 */
const char *kesco_nearest(const char *word, size_t size, const char *const *words, size_t count);

/* The same where `most` characters would have to be changed at most. */
const char *kesco_nearest_within(size_t most, const char *word, size_t size, const char *const *words,
                                 size_t count);

#ifdef __cplusplus
}
#endif

#endif
