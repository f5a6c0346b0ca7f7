#include "plugin/schedule/cover.h"

#include "plugin/schedule/bits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Ops are known by their place in the issue order. */
struct kesco_cover {
    uint32_t count;  /* places */
    size_t words;    /* machine words in a set of them */
    uint64_t *later; /* by place: the set of those that come after it */
    uint32_t *place; /* by op */
    uint32_t *next;  /* by place: the one after it on its lane; KESCO_COVER_NONE: none */
    uint32_t *prev;  /* by place: the one before it on its lane; KESCO_COVER_NONE: none */
    /* for one search: */
    uint64_t *reached; /* the set of places that it came to, or may not come to */
    uint32_t *from;    /* by place that it came to: one that this may stand after */
    uint32_t *queue;   /* places to look at what may stand after them */
};

static uint64_t *later_than(const struct kesco_cover *cover, uint32_t place) {
    return cover->later + place * cover->words;
}

/* Fills in `later` from the last place to the first. */
static void find_later(struct kesco_cover *cover, const struct kesco_graph *graph, const uint32_t *sequence) {
    for (uint32_t place = cover->count; place-- > 0;) {
        uint64_t *set = later_than(cover, place);
        size_t count;
        const uint32_t *successors = kesco_graph_successors(graph, sequence[place], &count);
        for (size_t i = 0; i < count; i++) {
            kesco_bits_add(set, cover->place[successors[i]]);
            kesco_bits_unite(set, later_than(cover, cover->place[successors[i]]), cover->words);
        }
        for (uint32_t i = place + 1; i < cover->count && graph->ops[sequence[place]].blocks; i++)
            kesco_bits_add(set, i);
    }
}

/* Begins with what is chained on the given lanes. */
static void chain(struct kesco_cover *cover, const uint32_t *sequence, const uint32_t *lane) {
    for (uint32_t place = 0; place < cover->count; place++)
        cover->next[place] = cover->prev[place] = KESCO_COVER_NONE;
    for (uint32_t place = 0; place < cover->count; place++) {
        uint32_t after = place + 1;
        while (after < cover->count && lane[sequence[after]] != lane[sequence[place]])
            after++;
        if (after < cover->count && kesco_bits_has(later_than(cover, place), after)) {
            cover->next[place] = after;
            cover->prev[after] = place;
        }
    }
}

/* Puts `place` after what the search came from, and what stood after that one after another, and so on. */
static void turn(struct kesco_cover *cover, uint32_t place) {
    while (place != KESCO_COVER_NONE) {
        uint32_t from = cover->from[place], freed = cover->next[from];
        cover->next[from] = place;
        cover->prev[place] = from;
        place = freed;
    }
}

/* Adds what may stand after `from` and was not reached yet; true if one of that has nothing before it, and
 * now has. */
static bool reach(struct kesco_cover *cover, uint32_t from, uint32_t *queued) {
    const uint64_t *later = later_than(cover, from);
    for (size_t word = from / 64; word < cover->words; word++)
        for (uint64_t news = later[word] & ~cover->reached[word]; news; news &= news - 1) {
            uint32_t place = (uint32_t)(word * 64) + (uint32_t)__builtin_ctzll(news);
            kesco_bits_add(cover->reached, place);
            cover->from[place] = from;
            if (cover->prev[place] == KESCO_COVER_NONE) {
                turn(cover, place);
                return true;
            }
            cover->queue[(*queued)++] = cover->prev[place];
        }
    return false;
}

/* Joins two lanes by letting ops at places from `first` on change theirs; false if that cannot be done. */
static bool augment(struct kesco_cover *cover, uint32_t first) {
    uint32_t queued = 0;
    memset(cover->reached, 0, cover->words * sizeof(*cover->reached));
    for (uint32_t place = 0; place < cover->count; place++) {
        if (place < first)
            kesco_bits_add(cover->reached, place);
        if (cover->next[place] == KESCO_COVER_NONE)
            cover->queue[queued++] = place;
    }
    for (uint32_t i = 0; i < queued; i++)
        if (reach(cover, cover->queue[i], &queued))
            return true;
    return false;
}

static int allocate(struct kesco_cover *cover, uint32_t op_count) {
    size_t places = (size_t)cover->count + 1;
    cover->words = kesco_bits_words(cover->count);
    cover->later = calloc(cover->count * cover->words + 1, sizeof(*cover->later));
    cover->place = calloc((size_t)op_count + 1, sizeof(*cover->place));
    cover->next = calloc(places, sizeof(*cover->next));
    cover->prev = calloc(places, sizeof(*cover->prev));
    cover->reached = calloc(cover->words + 1, sizeof(*cover->reached));
    cover->from = calloc(places, sizeof(*cover->from));
    cover->queue = calloc(places, sizeof(*cover->queue));
    return cover->later && cover->place && cover->next && cover->prev && cover->reached && cover->from &&
                   cover->queue
               ? 0
               : -ENOMEM;
}

int kesco_cover_create(const struct kesco_graph *graph, const uint32_t *sequence, uint32_t count,
                       const uint32_t *lane, struct kesco_cover **out) {
    if (count > KESCO_COVER_MAX_OPS)
        return -EOVERFLOW;
    struct kesco_cover *cover = calloc(1, sizeof(*cover));
    if (!cover)
        return -ENOMEM;
    cover->count = count;
    int err = allocate(cover, graph->op_count);
    if (err) {
        kesco_cover_destroy(cover);
        return err;
    }
    for (uint32_t place = 0; place < count; place++)
        cover->place[sequence[place]] = place;
    find_later(cover, graph, sequence);
    chain(cover, sequence, lane);
    while (augment(cover, 0))
        continue;
    *out = cover;
    return 0;
}

void kesco_cover_destroy(struct kesco_cover *cover) {
    if (!cover)
        return;
    free(cover->later);
    free(cover->place);
    free(cover->next);
    free(cover->prev);
    free(cover->reached);
    free(cover->from);
    free(cover->queue);
    free(cover);
}

uint32_t kesco_cover_lanes(const struct kesco_cover *cover) {
    uint32_t lanes = 0;
    for (uint32_t place = 0; place < cover->count; place++)
        lanes += cover->prev[place] == KESCO_COVER_NONE;
    return lanes;
}

static void unlink_places(struct kesco_cover *cover, uint32_t before, uint32_t after) {
    if (before != KESCO_COVER_NONE && after != KESCO_COVER_NONE)
        cover->next[before] = cover->prev[after] = KESCO_COVER_NONE;
}

static void link_places(struct kesco_cover *cover, uint32_t before, uint32_t after) {
    if (before == KESCO_COVER_NONE || after == KESCO_COVER_NONE)
        return;
    cover->next[before] = after;
    cover->prev[after] = before;
}

bool kesco_cover_take(struct kesco_cover *cover, uint32_t tail, uint32_t op) {
    uint32_t place = cover->place[op];
    uint32_t before = tail == KESCO_COVER_NONE ? KESCO_COVER_NONE : cover->place[tail];
    uint32_t old_before = cover->prev[place];
    uint32_t old_after = before == KESCO_COVER_NONE ? KESCO_COVER_NONE : cover->next[before];
    if (before == old_before)
        return true;
    if (before != KESCO_COVER_NONE && !kesco_bits_has(later_than(cover, before), place))
        return false;
    unlink_places(cover, old_before, place);
    unlink_places(cover, before, old_after);
    link_places(cover, before, place);
    bool one_less =
        old_before != KESCO_COVER_NONE && (before == KESCO_COVER_NONE || old_after != KESCO_COVER_NONE);
    if (!one_less || augment(cover, place + 1))
        return true;
    unlink_places(cover, before, place);
    link_places(cover, before, old_after);
    link_places(cover, old_before, place);
    return false;
}
