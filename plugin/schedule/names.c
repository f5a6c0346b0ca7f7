#include "plugin/schedule/names.h"

#include "plugin/summary/hash.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The name's slot, or the free slot where it belongs. There is always a free one. */
static struct kesco_name *slot_of(const struct kesco_names *names, const char *name) {
    size_t mask = names->capacity - 1, i = kesco_hash(name, strlen(name)) & mask;
    while (names->slots[i].name && strcmp(names->slots[i].name, name) != 0)
        i = (i + 1) & mask;
    return &names->slots[i];
}

static int grow(struct kesco_names *names) {
    struct kesco_names grown = {.capacity = names->capacity ? names->capacity * 2 : 64,
                                .count = names->count};
    grown.slots = calloc(grown.capacity, sizeof(*grown.slots));
    if (!grown.slots)
        return -ENOMEM;
    for (size_t i = 0; i < names->capacity; i++)
        if (names->slots[i].name)
            *slot_of(&grown, names->slots[i].name) = names->slots[i];
    free(names->slots);
    *names = grown;
    return 0;
}

int kesco_names_find(const struct kesco_names *names, const char *name, uint32_t *id) {
    if (names->capacity == 0)
        return -ENOENT;
    const struct kesco_name *slot = slot_of(names, name);
    if (!slot->name)
        return -ENOENT;
    *id = slot->id;
    return 0;
}

int kesco_names_add(struct kesco_names *names, const char *name, uint32_t id) {
    if (names->count * 2 >= names->capacity) {
        int err = grow(names);
        if (err)
            return err;
    }
    char *copy = strdup(name);
    if (!copy)
        return -ENOMEM;
    *slot_of(names, name) = (struct kesco_name){.name = copy, .id = id};
    names->count++;
    return 0;
}

void kesco_names_free(struct kesco_names *names) {
    for (size_t i = 0; i < names->capacity; i++)
        free(names->slots[i].name);
    free(names->slots);
    *names = (struct kesco_names){0};
}
