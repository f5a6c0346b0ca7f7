#include "plugin/lift/numbering.h"

#include <stdint.h>
#include <stdlib.h>

static int compare(const void *a, const void *b) {
    const uintptr_t left = (uintptr_t)*(const void *const *)a, right = (uintptr_t)*(const void *const *)b;
    return (left > right) - (left < right);
}

struct kesco_numbering kesco_number(const void **things, size_t count) {
    if (count > 0)
        qsort(things, count, sizeof(*things), compare);
    return (struct kesco_numbering){things, count};
}

size_t kesco_number_of(const struct kesco_numbering *numbering, const void *thing) {
    const void *const *found = NULL;
    if (numbering->count > 0)
        found = bsearch(&thing, numbering->things, numbering->count, sizeof(*numbering->things), compare);
    return found ? (size_t)(found - numbering->things) : numbering->count;
}
