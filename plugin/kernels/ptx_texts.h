/* Texts of PTX, one for each architecture, from wherever a compiler puts them. */
#ifndef KESCO_PLUGIN_KERNELS_PTX_TEXTS_H
#define KESCO_PLUGIN_KERNELS_PTX_TEXTS_H

#include "plugin/schedule/arena.h"

#ifdef __cplusplus
extern "C" {
#endif

struct kesco_ptx_text {
    const char *bytes;
    size_t size;
};

struct kesco_ptx_texts {
    struct kesco_ptx_text *items;
    size_t count;
    struct kesco_arena memory; /* of all of them, and of what is said of a problem */
};

/* Adds a text, which is the arena's. -ENOMEM: they are as they were. */
int kesco_ptx_texts_add(struct kesco_ptx_texts *texts, struct kesco_ptx_text text);

/* Accepts zeroed ones. */
void kesco_ptx_texts_free(struct kesco_ptx_texts *texts);

#ifdef __cplusplus
}
#endif

#endif
