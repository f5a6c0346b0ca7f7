/*
 * Bytes in pieces at equal distances, as a tile of a matrix is: what the plugin, the runtime and the virtual
 * GPU's checks take them for is one thing.
 */
#ifndef KESCO_RUNTIME_PIECES_H
#define KESCO_RUNTIME_PIECES_H

#include <stdbool.h>
#include <stdint.h>

/* How far past the beginning of its piece, or of the gap behind that, lies what is `past` the beginning of
 * some piece, or before it. */
static inline int64_t kesco_pieces_place(int64_t past, int64_t distance) {
    const int64_t rest = past % distance;

    return rest < 0 ? rest + distance : rest;
}

/*
 * Some piece begins at `first`, and others every `distance` bytes before and after it, each `length` long:
 * moves
 * `*begin`, the first of the bytes up to `end`, to where the piece begins that it is in or past. False, and
 * nothing moves: there are no bytes, the numbers make no pieces with gaps between, or they do not fit.
 */
static inline bool kesco_pieces_begin(int64_t *begin, int64_t end, int64_t first, int64_t distance,
                                      int64_t length) {
    int64_t before = 0, result = 0;

    if (*begin >= end || distance <= 0 || length <= 0 || length >= distance ||
        __builtin_sub_overflow(*begin, first, &before))
        return false;
    if (__builtin_sub_overflow(*begin, kesco_pieces_place(before, distance), &result))
        return false;
    *begin = result;
    return true;
}

/* Bytes from `begin` up to, not including, `end`; with a distance, `length` of each so many, the first at
 * `begin`. */
struct kesco_pieces {
    int64_t begin, end, distance, length;
};

/* True if pieces may have a byte in common with `length` from `begin` on, and at every distance from there.
 */
static inline bool kesco_pieces_reach(const struct kesco_pieces *pieces, int64_t begin, int64_t length) {
    const int64_t place = kesco_pieces_place(begin - pieces->begin, pieces->distance);

    return place < pieces->length || length > pieces->distance - place;
}

/* True if the two may have a byte in common. */
static inline bool kesco_pieces_meet(const struct kesco_pieces *a, const struct kesco_pieces *b) {
    if (a->begin >= b->end || b->begin >= a->end)
        return false;
    if (a->distance != 0 && b->distance != 0)
        return a->distance != b->distance || kesco_pieces_reach(a, b->begin, b->length);
    if (a->distance != 0)
        return kesco_pieces_reach(a, b->begin, b->end - b->begin);
    return b->distance == 0 || kesco_pieces_reach(b, a->begin, a->end - a->begin);
}

#endif
