#include "plugin/assembly/assembly_value.h"

#include <string.h>

void *kesco_assembly_take(struct kesco_assembly_memory *memory, size_t size) {
    void *taken = kesco_arena_alloc(&memory->arena, size);
    memory->has_failed |= !taken;
    return taken;
}

static int compare_sources(struct kesco_assembly_source a, struct kesco_assembly_source b) {
    if (a.kind != b.kind)
        return a.kind < b.kind ? -1 : 1;
    return (a.index > b.index) - (a.index < b.index);
}

static int compare_sums(struct kesco_assembly_sum a, struct kesco_assembly_sum b) {
    for (size_t i = 0; i < a.count && i < b.count; i++) {
        const int order = compare_sources(a.sources[i], b.sources[i]);
        if (order != 0)
            return order;
    }
    return (a.count > b.count) - (a.count < b.count);
}

/* Makes room for one more sum: there is room for the next power of two. */
static bool enlarge(struct kesco_assembly_memory *memory, struct kesco_assembly_value *value) {
    const size_t count = value->count;
    if ((count & (count - 1)) != 0)
        return true;
    struct kesco_assembly_sum *sums =
        kesco_assembly_take(memory, (count > 0 ? 2 * count : 1) * sizeof(*sums));
    if (!sums)
        return false;
    if (count > 0)
        memcpy(sums, value->sums, count * sizeof(*sums));
    value->sums = sums;
    return true;
}

static void insert(struct kesco_assembly_memory *memory, struct kesco_assembly_value *value,
                   struct kesco_assembly_sum sum) {
    size_t at = value->count;
    while (at > 0 && compare_sums(value->sums[at - 1], sum) > 0)
        at--;
    if (at > 0 && compare_sums(value->sums[at - 1], sum) == 0)
        return;
    struct kesco_assembly_source *copy = kesco_assembly_take(memory, sum.count * sizeof(*copy));
    if (!copy || !enlarge(memory, value))
        return;
    if (sum.count > 0)
        memcpy(copy, sum.sources, sum.count * sizeof(*copy));
    memmove(value->sums + at + 1, value->sums + at, (value->count - at) * sizeof(*value->sums));
    value->sums[at] = (struct kesco_assembly_sum){copy, sum.count};
    value->count++;
}

struct kesco_assembly_value kesco_assembly_single(struct kesco_assembly_memory *memory,
                                                  enum kesco_assembly_source_kind kind, unsigned index) {
    const struct kesco_assembly_source source = {kind, index};
    struct kesco_assembly_value value = {0};
    insert(memory, &value, (struct kesco_assembly_sum){&source, 1});
    return value;
}

struct kesco_assembly_value kesco_assembly_zero(struct kesco_assembly_memory *memory) {
    struct kesco_assembly_value value = {0};
    insert(memory, &value, (struct kesco_assembly_sum){0});
    return value;
}

void kesco_assembly_merge(struct kesco_assembly_memory *memory, struct kesco_assembly_value *value,
                          struct kesco_assembly_value more) {
    for (size_t i = 0; i < more.count; i++)
        insert(memory, value, more.sums[i]);
}

void kesco_assembly_add_parts(struct kesco_assembly_memory *memory, struct kesco_assembly_value *value,
                              struct kesco_assembly_value whole) {
    for (size_t i = 0; i < whole.count; i++)
        for (size_t s = 0; s < whole.sums[i].count; s++)
            insert(memory, value, (struct kesco_assembly_sum){&whole.sums[i].sources[s], 1});
}

/* The sources of both; a number only where it is alone. */
static struct kesco_assembly_sum join(struct kesco_assembly_memory *memory, struct kesco_assembly_sum a,
                                      struct kesco_assembly_sum b) {
    struct kesco_assembly_source *all = kesco_assembly_take(memory, (a.count + b.count) * sizeof(*all));
    size_t count = 0, kept = 0, i = 0, j = 0;
    while (all && (i < a.count || j < b.count)) {
        const int order = i == a.count ? 1 : j == b.count ? -1 : compare_sources(a.sources[i], b.sources[j]);
        all[count++] = order <= 0 ? a.sources[i] : b.sources[j];
        i += order <= 0;
        j += order >= 0;
    }
    for (size_t k = 0; k < count; k++)
        if (count == 1 || all[k].kind != KESCO_ASSEMBLY_NUMBER)
            all[kept++] = all[k];
    return (struct kesco_assembly_sum){all, kept};
}

struct kesco_assembly_value kesco_assembly_sum_of(struct kesco_assembly_memory *memory,
                                                  struct kesco_assembly_value left,
                                                  struct kesco_assembly_value right) {
    struct kesco_assembly_value result = {0};
    if (left.count * right.count > KESCO_ASSEMBLY_MOST_SUMS) {
        kesco_assembly_add_parts(memory, &result, left);
        kesco_assembly_add_parts(memory, &result, right);
        return result;
    }
    for (size_t l = 0; l < left.count; l++)
        for (size_t r = 0; r < right.count; r++)
            insert(memory, &result, join(memory, left.sums[l], right.sums[r]));
    return result;
}

bool kesco_assembly_is_number(struct kesco_assembly_value value) {
    return !kesco_assembly_has(value, KESCO_ASSEMBLY_ARGUMENT) && !kesco_assembly_follows_loaded(value);
}

bool kesco_assembly_has(struct kesco_assembly_value value, enum kesco_assembly_source_kind kind) {
    for (size_t i = 0; i < value.count; i++)
        for (size_t s = 0; s < value.sums[i].count; s++)
            if (value.sums[i].sources[s].kind == kind)
                return true;
    return false;
}

bool kesco_assembly_follows_loaded(struct kesco_assembly_value address) {
    return kesco_assembly_has(address, KESCO_ASSEMBLY_LOADED) ||
           kesco_assembly_has(address, KESCO_ASSEMBLY_ANYTHING);
}
