#include "plugin/kernels/ptx_texts.h"

#include <errno.h>
#include <string.h>

int kesco_ptx_texts_add(struct kesco_ptx_texts *texts, struct kesco_ptx_text text) {
    const size_t count = texts->count;
    if ((count & (count - 1)) == 0) { /* there is room for the next power of two */
        struct kesco_ptx_text *items =
            kesco_arena_alloc(&texts->memory, (count > 0 ? 2 * count : 1) * sizeof(*items));
        if (!items)
            return -ENOMEM;
        if (count > 0)
            memcpy(items, texts->items, count * sizeof(*items));
        texts->items = items;
    }
    texts->items[texts->count++] = text;
    return 0;
}

void kesco_ptx_texts_free(struct kesco_ptx_texts *texts) {
    kesco_arena_free(&texts->memory);
    *texts = (struct kesco_ptx_texts){0};
}
