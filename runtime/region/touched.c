#include "runtime/region/touched.h"

struct kesco_touched kesco_touched_bytes(uintptr_t begin, uintptr_t end) {
    return (struct kesco_touched){.begin = begin, .end = end};
}

/* How far past the beginning of a piece the bytes begin. */
static uintptr_t place_in_piece(const struct kesco_touched *pieces, const struct kesco_touched *bytes) {
    return (uintptr_t)kesco_pieces_place((int64_t)(bytes->begin - pieces->begin), (int64_t)pieces->distance);
}

/* Of a piece, or of all. */
static uintptr_t length_of(const struct kesco_touched *touched) {
    return touched->distance != 0 ? touched->length : touched->end - touched->begin;
}

/* Where of planes at that distance the bytes are; of 0 where they may be anywhere. */
static struct kesco_places places_of(const struct kesco_touched *bytes, int64_t distance) {
    const uintptr_t all = bytes->end - bytes->begin;

    if (bytes->planes.distance == distance)
        return bytes->planes;
    return all < (uintptr_t)distance ? (struct kesco_places){(int64_t)bytes->begin, distance, (int64_t)all}
                                     : (struct kesco_places){0};
}

/* True if all of `bytes` are in the planes of `touched`, if it has some. */
static bool are_in_planes(const struct kesco_touched *touched, const struct kesco_touched *bytes) {
    const struct kesco_places *planes = &touched->planes;
    struct kesco_places places;

    if (planes->distance == 0)
        return true;
    places = places_of(bytes, planes->distance);
    return places.distance != 0 &&
           kesco_pieces_place(places.first - planes->first, planes->distance) + places.length <=
               planes->length;
}

bool kesco_touched_holds(const struct kesco_touched *touched, const struct kesco_touched *bytes) {
    if (bytes->begin < touched->begin || bytes->end > touched->end || !are_in_planes(touched, bytes))
        return false;
    return touched->distance == 0 || ((bytes->distance == 0 || bytes->distance == touched->distance) &&
                                      place_in_piece(touched, bytes) + length_of(bytes) <= touched->length);
}

/* Makes pieces of the bytes of two that do not touch, if they can be the first two of such. */
static void cut(struct kesco_touched *touched, const struct kesco_touched *bytes) {
    const uintptr_t known = touched->end - touched->begin, added = bytes->end - bytes->begin;

    if (bytes->begin > touched->end)
        touched->distance = bytes->begin - touched->begin;
    else if (bytes->end < touched->begin)
        touched->distance = touched->begin - bytes->begin;
    touched->length = known > added ? known : added;
    if (touched->length > touched->distance)
        touched->distance = 0;
}

/* Makes pieces of that distance, of which the first begins with the first byte, as long as it takes. */
static void fit(struct kesco_touched *touched, const struct kesco_touched *bytes, uintptr_t distance) {
    const struct kesco_touched *first = touched->begin <= bytes->begin ? touched : bytes,
                               *second = first == touched ? bytes : touched;
    const uintptr_t needed = (second->begin - first->begin) % distance + length_of(second);
    const uintptr_t length = needed > length_of(first) ? needed : length_of(first);

    touched->length = length;
    touched->distance = length < distance ? distance : 0;
}

/* Makes the planes hold `places`, of their distance, from the one or the other on, whichever is less. */
static void stretch(struct kesco_places *planes, const struct kesco_places *places) {
    const int64_t distance = planes->distance;
    const int64_t past = kesco_pieces_place(places->first - planes->first, distance),
                  before = kesco_pieces_place(planes->first - places->first, distance);
    const int64_t from_planes =
                      past + places->length > planes->length ? past + places->length : planes->length,
                  from_places =
                      before + planes->length > places->length ? before + planes->length : places->length;

    if (from_places < from_planes)
        planes->first = places->first;
    planes->length = from_places < from_planes ? from_places : from_planes;
    if (planes->length >= distance)
        *planes = (struct kesco_places){0};
}

/* Makes the planes of `touched` hold `bytes`, or gives them up. */
static void fit_planes(struct kesco_touched *touched, const struct kesco_touched *bytes) {
    struct kesco_places places;

    if (touched->planes.distance == 0)
        return;
    places = places_of(bytes, touched->planes.distance);
    if (places.distance == 0)
        touched->planes = places;
    else
        stretch(&touched->planes, &places);
}

void kesco_touched_add(struct kesco_touched *touched, const struct kesco_touched *bytes) {
    if (kesco_touched_holds(touched, bytes))
        return;
    fit_planes(touched, bytes);
    if (touched->distance != 0 && bytes->distance != 0 && touched->distance != bytes->distance)
        touched->distance = 0;
    else if (touched->distance != 0 || bytes->distance != 0)
        fit(touched, bytes, touched->distance != 0 ? touched->distance : bytes->distance);
    else
        cut(touched, bytes);
    if (touched->begin > bytes->begin)
        touched->begin = bytes->begin;
    if (touched->end < bytes->end)
        touched->end = bytes->end;
}

/* No address of a process is beyond what a signed number has. */
static struct kesco_pieces pieces_of(const struct kesco_touched *touched) {
    return (struct kesco_pieces){(int64_t)touched->begin, (int64_t)touched->end, (int64_t)touched->distance,
                                 (int64_t)touched->length, touched->planes};
}

bool kesco_touched_meets(const struct kesco_touched *a, const struct kesco_touched *b) {
    const struct kesco_pieces first = pieces_of(a), second = pieces_of(b);

    return kesco_pieces_meet(&first, &second);
}
