#define _GNU_SOURCE
#include "plugin/summary/interval_parts.h"

#include <stdio.h>
#include <stdlib.h>

/* Samples: no number is a multiple of another, and launches have a thread for each of what is counted. */
enum { LEAST = 17, NUMBERS = 53, PARAMETER_STEP = 5, STEP = 19, SAMPLE_STEP = 11 };

/* Those where later parameters are larger, as the last of what goes from a first to a last has to be. */
enum { ASCENT = 3 };

struct sample {
    uint32_t number;
    bool ascends;
};

static bool sampled(const void *context, uint32_t parameter, uint32_t offset, uint32_t bits, int64_t *value) {
    const struct sample *sample = context;
    const uint32_t words = offset / (uint32_t)sizeof(int32_t),
                   number = sample->ascends ? parameter * ASCENT + words : parameter * PARAMETER_STEP + words;

    (void)bits;
    *value = sample->ascends ? LEAST + number + sample->number
                             : LEAST + (number * STEP + sample->number * SAMPLE_STEP) % NUMBERS;
    return true;
}

/* So far from a pointer, what is computed with such numbers is none. */
#define FAR (INT64_C(1) << 48)

static bool is_near(int64_t bytes) {
    return -FAR < bytes && bytes < FAR;
}

static bool take_sample(const char *text, const struct sample *sample, struct kesco_pieces *bytes) {
    const struct kesco_range_launch launch = {{8, 32, 32}, {32, 8, 4}, sampled, sample};

    return kesco_range_evaluate(text, &launch, bytes) == 0 && is_near(bytes->begin) && is_near(bytes->end) &&
           is_near(bytes->distance);
}

static bool take_samples(struct kesco_interval_part *part, const char *text, bool ascending) {
    for (uint32_t i = 0; i < KESCO_PART_SAMPLES; i++)
        if (!take_sample(text, &(struct sample){i, ascending}, &part->samples[i]))
            return false;
    part->ascends = ascending;
    return true;
}

static struct kesco_interval_part make_part(struct kesco_algebra *algebra,
                                            const struct kesco_interval *bytes) {
    struct kesco_interval_part part = {.bytes = *bytes};
    char *text = kesco_interval_text(algebra, bytes);

    part.has_samples = text != NULL && (take_samples(&part, text, false) || take_samples(&part, text, true));
    free(text);
    return part;
}

/* How many bytes one that holds both has, in no pieces. */
static int64_t count_between(const struct kesco_pieces *a, const struct kesco_pieces *b) {
    const int64_t begin = a->begin < b->begin ? a->begin : b->begin, end = a->end > b->end ? a->end : b->end;

    return end - begin;
}

static struct kesco_interval_part unite(struct kesco_algebra *algebra, const struct kesco_interval_part *a,
                                        const struct kesco_interval_part *b) {
    const struct kesco_interval both = kesco_interval_hull(algebra, &a->bytes, &b->bytes);

    return make_part(algebra, &both);
}

/* What one that holds both has more than these, of what they have, in quarters. */
enum { MOST_MORE = 1, OF = 4 };

/* True if parts tell more than one that holds both. */
static bool is_far(struct kesco_algebra *algebra, const struct kesco_interval_part *a,
                   const struct kesco_interval_part *b) {
    struct kesco_interval_part both = {.has_samples = false};
    unsigned far = 0;

    if (!a->has_samples || !b->has_samples || a->ascends != b->ascends)
        return false;
    if (a->samples[0].distance != 0 || b->samples[0].distance != 0)
        both = unite(algebra, a, b);
    both.has_samples &= both.ascends == a->ascends;
    for (unsigned i = 0; i < KESCO_PART_SAMPLES; i++) {
        const int64_t apart = kesco_pieces_count(&a->samples[i]) + kesco_pieces_count(&b->samples[i]);
        const int64_t together = both.has_samples ? kesco_pieces_count(&both.samples[i])
                                                  : count_between(&a->samples[i], &b->samples[i]);

        far += (together - apart) * OF > apart * MOST_MORE;
    }
    return far * 2 > KESCO_PART_SAMPLES;
}

/* How many bytes one that holds both has more, in samples. */
static int64_t loss(const struct kesco_interval_part *a, const struct kesco_interval_part *b) {
    int64_t all = 0;

    for (unsigned i = 0; i < KESCO_PART_SAMPLES; i++)
        all += count_between(&a->samples[i], &b->samples[i]) - kesco_pieces_count(&a->samples[i]) -
               kesco_pieces_count(&b->samples[i]);
    return all;
}

static void add(struct kesco_algebra *algebra, struct kesco_interval_parts *parts,
                const struct kesco_interval_part *part);

/* Takes out the part of that index, and adds one that holds it and `other`. */
static void add_with(struct kesco_algebra *algebra, struct kesco_interval_parts *parts, uint32_t index,
                     const struct kesco_interval_part *other) {
    const struct kesco_interval_part part = unite(algebra, &parts->items[index], other);

    parts->items[index] = parts->items[--parts->count];
    add(algebra, parts, &part);
}

/* Makes one of the two of which that is the least loss, `last` and the others. */
static void add_one_too_many(struct kesco_algebra *algebra, struct kesco_interval_parts *parts,
                             const struct kesco_interval_part *last) {
    struct kesco_interval_part taken;
    uint32_t a, b, first = 0, second = parts->count;
    int64_t least = INT64_MAX;

    for (a = 0; a < parts->count; a++)
        for (b = a + 1; b <= parts->count; b++) {
            const int64_t lost = loss(&parts->items[a], b < parts->count ? &parts->items[b] : last);

            if (lost >= least)
                continue;
            least = lost;
            first = a;
            second = b;
        }
    if (second == parts->count) {
        add_with(algebra, parts, first, last);
        return;
    }
    taken = parts->items[second];
    parts->items[second] = *last;
    add_with(algebra, parts, first, &taken);
}

static void add(struct kesco_algebra *algebra, struct kesco_interval_parts *parts,
                const struct kesco_interval_part *part) {
    uint32_t i;

    for (i = 0; i < parts->count; i++)
        if (!is_far(algebra, &parts->items[i], part)) {
            add_with(algebra, parts, i, part);
            return;
        }
    if (parts->count == KESCO_RANGE_PARTS)
        add_one_too_many(algebra, parts, part);
    else
        parts->items[parts->count++] = *part;
}

void kesco_interval_parts_add(struct kesco_algebra *algebra, struct kesco_interval_parts *parts,
                              const struct kesco_interval *bytes) {
    const struct kesco_interval_part part = make_part(algebra, bytes);

    add(algebra, parts, &part);
}

char *kesco_interval_parts_text(struct kesco_algebra *algebra, const struct kesco_interval_parts *parts) {
    char *all = NULL, *one;
    size_t size;
    bool is_known = true;
    FILE *out = open_memstream(&all, &size);

    if (out == NULL)
        return NULL;
    for (uint32_t i = 0; i < parts->count && is_known; i++) {
        one = kesco_interval_text(algebra, &parts->items[i].bytes);
        is_known = one != NULL;
        fprintf(out, "%s%s", i == 0 ? "" : "|", one != NULL ? one : "");
        free(one);
    }
    if (fclose(out) == 0 && is_known)
        return all;
    free(all);
    return NULL;
}
