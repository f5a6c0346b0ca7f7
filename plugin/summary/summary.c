#include "plugin/summary/summary.h"

#include "plugin/summary/range.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Sets `copy` to a copy of `text`, or to NULL for NULL. */
static int copy_text(char **copy, const char *text) {
    *copy = text ? strdup(text) : NULL;
    return text && !*copy ? -ENOMEM : 0;
}

/* Keeps the text that is there, else takes a copy of `text`. */
static int keep_first(char **kept, const char *text) {
    return *kept ? 0 : copy_text(kept, text);
}

/* Makes room for one more of `size` bytes at `place` in the array. */
static void *insert(void *items, size_t count, size_t size, size_t place) {
    char *grown = realloc(items, (count + 1) * size);
    if (!grown)
        return NULL;
    memmove(grown + (place + 1) * size, grown + place * size, (count - place) * size);
    memset(grown + place * size, 0, size);
    return grown;
}

/* The place of the kernel in the set, or where it belongs. */
static size_t place_of(const struct kesco_summaries *set, const char *name) {
    size_t low = 0, high = set->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(set->items[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool stands_at(const struct kesco_summaries *set, size_t place, const char *name) {
    return place < set->count && strcmp(set->items[place].name, name) == 0;
}

struct kesco_summary *kesco_summaries_add(struct kesco_summaries *set, const char *name) {
    size_t place = place_of(set, name);
    if (stands_at(set, place, name))
        return &set->items[place];
    char *copy = strdup(name);
    struct kesco_summary *grown = copy ? insert(set->items, set->count, sizeof(*grown), place) : NULL;
    if (!grown) {
        free(copy);
        return NULL;
    }
    set->items = grown;
    set->count++;
    grown[place].name = copy;
    return &grown[place];
}

const struct kesco_summary *kesco_summaries_find(const struct kesco_summaries *set, const char *name) {
    size_t place = place_of(set, name);
    return stands_at(set, place, name) ? &set->items[place] : NULL;
}

static struct kesco_parameter_access *find_parameter(const struct kesco_summary *summary, uint32_t parameter,
                                                     uint32_t offset) {
    for (size_t i = 0; i < summary->parameter_count; i++)
        if (summary->parameters[i].parameter == parameter && summary->parameters[i].offset == offset)
            return &summary->parameters[i];
    return NULL;
}

/* Where the accesses with one effect lie. */
static char **range_of(struct kesco_parameter_access *access, unsigned effect) {
    return effect == KESCO_WRITES ? &access->written_within : &access->read_within;
}

static void forget_ranges(struct kesco_parameter_access *access, unsigned effect) {
    for (unsigned bit = KESCO_READS; bit <= KESCO_WRITES; bit <<= 1)
        if (effect & bit) {
            free(*range_of(access, bit));
            *range_of(access, bit) = NULL;
        }
}

/* Two that are alike stay; of others nobody knows which holds more. */
static int merge_parameter(struct kesco_summary *to, const struct kesco_parameter_access *from) {
    struct kesco_parameter_access *known = find_parameter(to, from->parameter, from->offset), added = *from;
    const char *ranges[] = {from->read_within, from->written_within};
    int err;
    for (unsigned bit = KESCO_READS; known && bit <= KESCO_WRITES; bit <<= 1)
        if (known->effect & bit) {
            const char *range = *range_of(known, bit), *other = *range_of(&added, bit);
            if (range && other && strcmp(range, other) == 0)
                added.effect &= ~bit;
            else
                ranges[bit - 1] = NULL;
        }
    err = kesco_summary_add_parameter(to, from->parameter, from->offset, added.effect, from->written_at);
    for (unsigned bit = KESCO_READS; !err && bit <= KESCO_WRITES; bit <<= 1)
        if (added.effect & bit && ranges[bit - 1])
            err = kesco_summary_set_range(to, from->parameter, from->offset, bit, ranges[bit - 1]);
    return err;
}

static int merge(struct kesco_summary *to, const struct kesco_summary *from) {
    int err = 0;
    for (size_t i = 0; i < from->parameter_count && !err; i++) {
        const struct kesco_parameter_access *access = &from->parameters[i];
        err = merge_parameter(to, access);
    }
    for (size_t i = 0; i < from->variable_count && !err; i++)
        err = kesco_summary_add_variable(to, from->variables[i].name, from->variables[i].effect,
                                         from->variables[i].kind);
    if (from->beyond.effect && !err)
        err = kesco_summary_add_anywhere(to, from->beyond.effect, from->beyond.why, from->beyond.at);
    if (from->hidden.runs && !err)
        err = kesco_summary_add_unseen(to, from->hidden.why, from->hidden.at);
    if (from->work && !err)
        err = kesco_summary_add_work(to, from->work, from->work_range);
    to->flags |= from->flags;
    return err;
}

int kesco_summaries_merge(struct kesco_summaries *set, const struct kesco_summaries *other) {
    for (size_t i = 0; i < other->count; i++) {
        struct kesco_summary *summary = kesco_summaries_add(set, other->items[i].name);
        int err = summary ? merge(summary, &other->items[i]) : -ENOMEM;
        if (err)
            return err;
    }
    return 0;
}

static void free_summary(struct kesco_summary *summary) {
    for (size_t i = 0; i < summary->parameter_count; i++) {
        forget_ranges(&summary->parameters[i], KESCO_READS | KESCO_WRITES);
        free(summary->parameters[i].written_at);
    }
    for (size_t i = 0; i < summary->variable_count; i++)
        free(summary->variables[i].name);
    free(summary->parameters);
    free(summary->variables);
    free(summary->work_range);
    free(summary->beyond.why);
    free(summary->beyond.at);
    free(summary->hidden.why);
    free(summary->hidden.at);
    free(summary->name);
}

void kesco_summaries_free(struct kesco_summaries *set) {
    for (size_t i = 0; i < set->count; i++)
        free_summary(&set->items[i]);
    free(set->items);
    *set = (struct kesco_summaries){0};
}

int kesco_summary_add_parameter(struct kesco_summary *summary, uint32_t parameter, uint32_t offset,
                                unsigned effect, const char *written_at) {
    struct kesco_parameter_access *accesses = summary->parameters;
    size_t place = 0;
    if (!effect)
        return 0;
    while (place < summary->parameter_count &&
           (accesses[place].parameter < parameter ||
            (accesses[place].parameter == parameter && accesses[place].offset < offset)))
        place++;
    if (place == summary->parameter_count || accesses[place].parameter != parameter ||
        accesses[place].offset != offset) {
        accesses = insert(accesses, summary->parameter_count, sizeof(*accesses), place);
        if (!accesses)
            return -ENOMEM;
        summary->parameters = accesses;
        summary->parameter_count++;
        accesses[place].parameter = parameter;
        accesses[place].offset = offset;
    }
    accesses[place].effect |= effect;
    forget_ranges(&accesses[place], effect);
    return effect & KESCO_WRITES ? keep_first(&accesses[place].written_at, written_at) : 0;
}

int kesco_summary_add_variable(struct kesco_summary *summary, const char *name, unsigned effect,
                               enum kesco_variable_kind kind) {
    struct kesco_variable_access *accesses = summary->variables;
    size_t place = 0;
    if (!effect)
        return 0;
    while (place < summary->variable_count && strcmp(accesses[place].name, name) < 0)
        place++;
    if (place == summary->variable_count || strcmp(accesses[place].name, name) != 0) {
        char *copy = strdup(name);
        accesses = copy ? insert(accesses, summary->variable_count, sizeof(*accesses), place) : NULL;
        if (!accesses) {
            free(copy);
            return -ENOMEM;
        }
        summary->variables = accesses;
        summary->variable_count++;
        accesses[place].name = copy;
        accesses[place].kind = kind;
    }
    accesses[place].effect |= effect;
    if (kind < accesses[place].kind)
        accesses[place].kind = kind;
    return 0;
}

int kesco_summary_add_anywhere(struct kesco_summary *summary, unsigned effect, const char *why,
                               const char *at) {
    if (!effect)
        return 0;
    /* The reason of a write says more than that of a read. */
    if (effect & KESCO_WRITES & ~summary->beyond.effect) {
        free(summary->beyond.why);
        free(summary->beyond.at);
        summary->beyond.why = summary->beyond.at = NULL;
    }
    bool first = !summary->beyond.why && !summary->beyond.at;
    summary->beyond.effect |= effect;
    if (!first)
        return 0;
    int err = copy_text(&summary->beyond.why, why);
    return err ? err : copy_text(&summary->beyond.at, at);
}

int kesco_summary_add_unseen(struct kesco_summary *summary, const char *why, const char *at) {
    bool first = !summary->hidden.runs;
    summary->hidden.runs = true;
    if (!first)
        return 0;
    int err = copy_text(&summary->hidden.why, why);
    return err ? err : copy_text(&summary->hidden.at, at);
}

int kesco_summary_set_range(struct kesco_summary *summary, uint32_t parameter, uint32_t offset,
                            unsigned effect, const char *text) {
    struct kesco_parameter_access *access = find_parameter(summary, parameter, offset);
    if (!access || (effect != KESCO_READS && effect != KESCO_WRITES) || !(access->effect & effect) ||
        !kesco_range_is_valid(text))
        return -EINVAL;
    forget_ranges(access, effect);
    *range_of(access, effect) = strdup(text);
    return *range_of(access, effect) ? 0 : -ENOMEM;
}

static bool is_same_text(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

int kesco_summary_add_work(struct kesco_summary *summary, uint32_t work, const char *range) {
    bool first = !summary->work, alike = summary->work == work && is_same_text(summary->work_range, range);
    if (range && (!kesco_range_is_valid(range) || kesco_range_distances(&range) > 0))
        return -EINVAL;
    if (alike || !work)
        return 0;
    if (work > summary->work)
        summary->work = work;
    free(summary->work_range);
    summary->work_range = NULL;
    return first ? copy_text(&summary->work_range, range) : 0;
}

unsigned kesco_summary_effect(const struct kesco_summary *summary, uint32_t parameter, uint32_t offset) {
    const struct kesco_parameter_access *access = find_parameter(summary, parameter, offset);
    return access ? access->effect : 0;
}
