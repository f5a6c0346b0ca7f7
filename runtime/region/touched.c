#include "runtime/region/touched.h"

#include "runtime/pieces.h"

struct kesco_touched kesco_touched_bytes(uintptr_t begin, uintptr_t end) {
    return (struct kesco_touched){.begin = begin, .end = end};
}

/* How far past the beginning of a piece `address` lies. */
static uintptr_t place_in_piece(const struct kesco_touched *pieces, uintptr_t address) {
    uintptr_t before;

    if (address >= pieces->begin)
        return (address - pieces->begin) % pieces->distance;
    before = (pieces->begin - address) % pieces->distance;
    return before == 0 ? 0 : pieces->distance - before;
}

/* Of a piece, or of all. */
static uintptr_t length_of(const struct kesco_touched *touched) {
    return touched->distance != 0 ? touched->length : touched->end - touched->begin;
}

bool kesco_touched_holds(const struct kesco_touched *touched, const struct kesco_touched *bytes) {
    if (bytes->begin < touched->begin || bytes->end > touched->end)
        return false;
    return touched->distance == 0 ||
           ((bytes->distance == 0 || bytes->distance == touched->distance) &&
            place_in_piece(touched, bytes->begin) + length_of(bytes) <= touched->length);
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

void kesco_touched_add(struct kesco_touched *touched, const struct kesco_touched *bytes) {
    if (kesco_touched_holds(touched, bytes))
        return;
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
                                 (int64_t)touched->length};
}

bool kesco_touched_meets(const struct kesco_touched *a, const struct kesco_touched *b) {
    const struct kesco_pieces first = pieces_of(a), second = pieces_of(b);

    return kesco_pieces_meet(&first, &second);
}
