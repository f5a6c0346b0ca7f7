/*
 * Names: a table from names to ids, for text that means the same object by the same name.
 */
#ifndef KESCO_SCHEDULE_NAMES_H
#define KESCO_SCHEDULE_NAMES_H

#include <stddef.h>
#include <stdint.h>

struct kesco_name {
    char *name;  /* the table's own copy; NULL for a free slot */
    uint32_t id; /* what the caller entered */
};

struct kesco_names {
    struct kesco_name *slots; /* open addressing, linear probing */
    size_t capacity;          /* slots: 0 or a power of two */
    size_t count;             /* slots in use; at most half of them */
};

/* Stores the id of `name`: -ENOENT where it was never entered. */
int kesco_names_find(const struct kesco_names *names, const char *name, uint32_t *id);

/* Enters a name that is not in the table yet. The name is copied. -ENOMEM. */
int kesco_names_add(struct kesco_names *names, const char *name, uint32_t id);

/* Frees what the table owns. Accepts a zeroed table. */
void kesco_names_free(struct kesco_names *names);

#endif
