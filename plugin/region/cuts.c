#include "plugin/region/cuts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* Places where to cut, ascending: parts lie between two of them. */
struct cuts {
    uint64_t *items;
    size_t count;
};

/* What is cut. */
struct cutter {
    struct kesco_cut_access *accesses;
    size_t count;
    const char *name;
    struct kesco_arena *memory;
    const char **names;
};

/*
 * What an access touches of rows of one length: those from the first to the last, and in each the same bytes,
 * one or two spans of them. Pieces at another distance count as all between them.
 */
struct in_rows {
    struct kesco_span rows, bytes[2];
};

static int compare(const void *a, const void *b) {
    const uint64_t *first = a, *second = b;
    return (*first > *second) - (*first < *second);
}

/* Room for the ends of `count` spans. */
static int create(struct cuts *cuts, size_t count, struct kesco_arena *memory) {
    cuts->count = 0;
    cuts->items = kesco_arena_alloc(memory, 2 * count * sizeof(*cuts->items));
    return cuts->items ? 0 : -ENOMEM;
}

static void add(struct cuts *cuts, struct kesco_span span) {
    cuts->items[cuts->count++] = span.begin;
    cuts->items[cuts->count++] = span.end;
}

static void settle(struct cuts *cuts) {
    size_t kept = 0;
    qsort(cuts->items, cuts->count, sizeof(*cuts->items), compare);
    for (size_t i = 0; i < cuts->count; i++)
        if (kept == 0 || cuts->items[kept - 1] != cuts->items[i])
            cuts->items[kept++] = cuts->items[i];
    cuts->count = kept;
}

static size_t parts_of(const struct cuts *cuts) {
    return cuts->count > 0 ? cuts->count - 1 : 0;
}

static struct kesco_span part(const struct cuts *cuts, size_t index) {
    return (struct kesco_span){cuts->items[index], cuts->items[index + 1]};
}

static bool holds(struct kesco_span span, struct kesco_span other) {
    return span.begin <= other.begin && other.end <= span.end;
}

/* Before the first and after the last cut only accesses to all of the object go. */
static int cut_bytes(const struct cutter *to) {
    struct cuts cuts;
    if (create(&cuts, to->count, to->memory) != 0)
        return -ENOMEM;
    for (size_t i = 0; i < to->count; i++)
        if (to->accesses[i].is_known)
            add(&cuts, to->accesses[i].bytes);
    settle(&cuts);
    const size_t parts = parts_of(&cuts);
    if (parts < 2 || parts >= KESCO_MOST_PARTS)
        return 0;
    for (size_t at = 0; at < parts; at++) {
        const struct kesco_span bytes = part(&cuts, at);
        for (size_t i = 0; i < to->count; i++)
            if (!to->accesses[i].is_known || holds(to->accesses[i].bytes, bytes))
                to->accesses[i].parts |= UINT64_C(1) << at;
        to->names[at] =
            kesco_arena_print(to->memory, "%s[%" PRIu64 "..%" PRIu64 ")", to->name, bytes.begin, bytes.end);
        if (!to->names[at])
            return -ENOMEM;
    }
    return (int)parts;
}

static struct in_rows find_rows(const struct kesco_cut_access *access, uint64_t pitch) {
    const struct kesco_span bytes = access->bytes;
    if (bytes.begin == bytes.end)
        return (struct in_rows){0};
    struct in_rows found = {.rows = {bytes.begin / pitch, (bytes.end + pitch - 1) / pitch}};
    const uint64_t first = bytes.begin % pitch;
    const uint64_t length = access->distance == pitch ? access->length : bytes.end - bytes.begin;
    if (length >= pitch) {
        found.bytes[0] = (struct kesco_span){0, pitch};
    } else if (first + length <= pitch) {
        found.bytes[0] = (struct kesco_span){first, first + length};
    } else {
        found.bytes[0] = (struct kesco_span){first, pitch};
        found.bytes[1] = (struct kesco_span){0, first + length - pitch};
    }
    return found;
}

/* The distance of most accesses in pieces, the first of several; 0 where there is none. */
static uint64_t find_pitch(const struct cutter *of) {
    uint64_t pitch = 0;
    size_t most = 0;
    for (size_t i = 0; i < of->count; i++) {
        size_t alike = 0;
        for (size_t j = i; j < of->count; j++)
            alike += of->accesses[j].distance == of->accesses[i].distance;
        if (of->accesses[i].distance > 0 && alike > most) {
            pitch = of->accesses[i].distance;
            most = alike;
        }
    }
    return pitch;
}

static bool touches(const struct in_rows *access, struct kesco_span row, struct kesco_span bytes) {
    return holds(access->rows, row) && (holds(access->bytes[0], bytes) || holds(access->bytes[1], bytes));
}

/* Stores the part of some bytes of some rows. */
static int add_part(const struct cutter *to, const struct in_rows *touched, size_t at, struct kesco_span rows,
                    struct kesco_span bytes) {
    for (size_t i = 0; i < to->count; i++)
        if (!to->accesses[i].is_known || touches(&touched[i], rows, bytes))
            to->accesses[i].parts |= UINT64_C(1) << at;
    to->names[at] =
        kesco_arena_print(to->memory, "%s[rows %" PRIu64 "..%" PRIu64 ", bytes %" PRIu64 "..%" PRIu64 ")",
                          to->name, rows.begin, rows.end, bytes.begin, bytes.end);
    return to->names[at] ? 0 : -ENOMEM;
}

static int cut_rows(const struct cutter *to) {
    const uint64_t pitch = find_pitch(to);
    struct in_rows *touched = kesco_arena_alloc(to->memory, to->count * sizeof(*touched));
    struct cuts rows, bytes;
    int status = create(&rows, to->count, to->memory);
    if (status != 0 || !touched || create(&bytes, 2 * to->count + 1, to->memory) != 0)
        return -ENOMEM;
    if (pitch == 0)
        return 0;
    add(&bytes, (struct kesco_span){0, pitch});
    for (size_t i = 0; i < to->count; i++)
        if (to->accesses[i].is_known) {
            touched[i] = find_rows(&to->accesses[i], pitch);
            add(&rows, touched[i].rows);
            add(&bytes, touched[i].bytes[0]);
            add(&bytes, touched[i].bytes[1]);
        }
    settle(&rows);
    settle(&bytes);
    const size_t parts = parts_of(&rows) * parts_of(&bytes);
    if (parts < 2 || parts > KESCO_MOST_PARTS)
        return 0;
    for (size_t at = 0; status == 0 && at < parts; at++)
        status = add_part(to, touched, at, part(&rows, at / parts_of(&bytes)),
                          part(&bytes, at % parts_of(&bytes)));
    return status != 0 ? status : (int)parts;
}

int kesco_cut(struct kesco_cut_access *accesses, size_t count, const char *name, struct kesco_arena *memory,
              const char *names[KESCO_MOST_PARTS]) {
    const struct cutter to = {accesses, count, name, memory, names};
    const int parts = cut_rows(&to);
    return parts != 0 ? parts : cut_bytes(&to);
}
