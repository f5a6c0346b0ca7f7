#include "plugin/schedule/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_BLOCK_SIZE 1024
#define LAST_BLOCK_SIZE 65536 /* up to that, each is twice as large as the one before */

struct kesco_arena_block {
    struct kesco_arena_block *next;            /* the block before */
    size_t used;                               /* bytes cut from data */
    size_t size;                               /* bytes in data */
    alignas(max_align_t) unsigned char data[]; /* zeroed */
};

static int add_block(struct kesco_arena *arena, size_t size) {
    struct kesco_arena_block *block = NULL;
    size_t least = arena->blocks ? 2 * arena->blocks->size : FIRST_BLOCK_SIZE;
    if (least > LAST_BLOCK_SIZE)
        least = LAST_BLOCK_SIZE;
    if (size < least)
        size = least;
    if (size <= SIZE_MAX - sizeof(*block))
        block = calloc(1, sizeof(*block) + size);
    if (!block)
        return -1;
    block->next = arena->blocks;
    block->size = size;
    arena->blocks = block;
    return 0;
}

void *kesco_arena_alloc(struct kesco_arena *arena, size_t size) {
    size_t unit = alignof(max_align_t);
    if (size > SIZE_MAX - unit)
        return NULL;
    size = (size + unit - 1) / unit * unit;
    if (!arena->blocks || arena->blocks->size - arena->blocks->used < size)
        if (add_block(arena, size))
            return NULL;
    void *memory = arena->blocks->data + arena->blocks->used;
    arena->blocks->used += size;
    return memory;
}

const char *kesco_arena_strdup(struct kesco_arena *arena, const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = kesco_arena_alloc(arena, size);
    return copy ? memcpy(copy, text, size) : NULL;
}

const char *kesco_arena_print(struct kesco_arena *arena, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const char *text = kesco_arena_vprint(arena, format, arguments);
    va_end(arguments);
    return text;
}

const char *kesco_arena_vprint(struct kesco_arena *arena, const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    char *text = length < 0 ? NULL : kesco_arena_alloc(arena, (size_t)length + 1);
    if (text)
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

void kesco_arena_free(struct kesco_arena *arena) {
    while (arena->blocks) {
        struct kesco_arena_block *next = arena->blocks->next;
        free(arena->blocks);
        arena->blocks = next;
    }
}
