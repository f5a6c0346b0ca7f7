/* Sets of small numbers, as arrays of machine words. All sets of one use have the same number of words. */
#ifndef KESCO_SCHEDULE_BITS_H
#define KESCO_SCHEDULE_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline size_t kesco_bits_words(size_t count) {
    return (count + 63) / 64;
}

static inline bool kesco_bits_has(const uint64_t *set, size_t element) {
    return (set[element / 64] >> element % 64 & 1) != 0;
}

static inline void kesco_bits_add(uint64_t *set, size_t element) {
    set[element / 64] |= (uint64_t)1 << element % 64;
}

static inline void kesco_bits_remove(uint64_t *set, size_t element) {
    set[element / 64] &= ~((uint64_t)1 << element % 64);
}

/* Adds the elements of `other`; true if some were new. */
static inline bool kesco_bits_unite(uint64_t *set, const uint64_t *other, size_t words) {
    uint64_t news = 0;
    for (size_t i = 0; i < words; i++) {
        news |= other[i] & ~set[i];
        set[i] |= other[i];
    }
    return news != 0;
}

/* Removes what is not in `other`; true if that was something. */
static inline bool kesco_bits_intersect(uint64_t *set, const uint64_t *other, size_t words) {
    uint64_t gone = 0;
    for (size_t i = 0; i < words; i++) {
        gone |= set[i] & ~other[i];
        set[i] &= other[i];
    }
    return gone != 0;
}

#endif
