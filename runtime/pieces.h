/*
 * Bytes in pieces at equal distances, as a tile of a matrix is, and a box of a volume at two distances: what
 * the plugin, the runtime and the virtual GPU's checks take them for is one thing.
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
 * moves `*begin`, the first of the bytes up to `end`, to where the piece begins that it is in or past. False,
 * and nothing moves: there are no bytes, the numbers make no pieces with gaps between, or they do not fit.
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

/* `length` bytes from `first` on, and at every `distance` before and after; with a distance of 0, all. */
struct kesco_places {
    int64_t first, distance, length;
};

/* Bytes from `begin` up to, not including, `end`; with a distance, `length` of each so many, the first at
 * `begin`, and only those that are in `planes`, too. */
struct kesco_pieces {
    int64_t begin, end, distance, length;
    struct kesco_places planes;
};

/*
 * The bytes from `begin` up to `end` that are in all `count` of `places`, up to two, of which each says
 * where some piece begins: what makes no pieces says nothing.
 */
static inline struct kesco_pieces kesco_pieces_within(int64_t begin, int64_t end,
                                                      const struct kesco_places *places, unsigned count) {
    struct kesco_pieces pieces = {begin, end, 0, 0, {0, 0, 0}};

    for (unsigned i = 0; i < count; i++) {
        int64_t first = begin;

        if (!kesco_pieces_begin(&first, end, places[i].first, places[i].distance, places[i].length))
            continue;
        if (pieces.distance != 0) {
            pieces.planes = places[i];
            pieces.planes.first = first;
        } else {
            pieces.begin = first;
            pieces.distance = places[i].distance;
            pieces.length = places[i].length;
        }
    }
    return pieces;
}

static inline bool kesco_pieces_are_same(const struct kesco_pieces *a, const struct kesco_pieces *b) {
    return a->begin == b->begin && a->end == b->end && a->distance == b->distance && a->length == b->length &&
           a->planes.first == b->planes.first && a->planes.distance == b->planes.distance &&
           a->planes.length == b->planes.length;
}

/* How many there are at most, with the last piece as long as others. */
static inline int64_t kesco_pieces_count(const struct kesco_pieces *pieces) {
    const int64_t all = pieces->end > pieces->begin ? pieces->end - pieces->begin : 0;
    const struct kesco_places *planes = &pieces->planes;
    int64_t rows;

    if (pieces->distance == 0)
        return all;
    rows = (all + pieces->distance - 1) / pieces->distance;
    if (planes->distance > pieces->distance && planes->distance < all)
        rows = (all + planes->distance - 1) / planes->distance *
               ((planes->length + pieces->distance - 1) / pieces->distance);
    return rows * pieces->length;
}

/* True if places may have a byte in common with `length` from `begin` on, and at every one of their
 * distances from there. */
static inline bool kesco_places_reach(const struct kesco_places *places, int64_t begin, int64_t length) {
    const int64_t place = kesco_pieces_place(begin - places->first, places->distance);

    return place < places->length || length > places->distance - place;
}

/* The same of bytes that are in `others`, if these are as often there. */
static inline bool kesco_places_meet(const struct kesco_places *places, const struct kesco_places *others) {
    return others->distance == 0 || others->distance % places->distance != 0 ||
           kesco_places_reach(places, others->first, others->length);
}

/* True if some of the bytes may be in places. */
static inline bool kesco_pieces_reach(const struct kesco_pieces *pieces, const struct kesco_places *places) {
    const struct kesco_places rows = {pieces->begin, pieces->distance, pieces->length};

    return places->distance == 0 ||
           (kesco_places_reach(places, pieces->begin, pieces->end - pieces->begin) &&
            kesco_places_meet(places, &rows) && kesco_places_meet(places, &pieces->planes));
}

/* The same of the places that others are in. */
static inline bool kesco_pieces_are_reached(const struct kesco_pieces *a, const struct kesco_pieces *b) {
    const struct kesco_places rows = {b->begin, b->distance, b->length};

    return kesco_pieces_reach(a, &rows) && kesco_pieces_reach(a, &b->planes);
}

/* True if the two may have a byte in common. */
static inline bool kesco_pieces_meet(const struct kesco_pieces *a, const struct kesco_pieces *b) {
    if (a->begin >= b->end || b->begin >= a->end)
        return false;
    return kesco_pieces_are_reached(a, b) && kesco_pieces_are_reached(b, a);
}

#endif
