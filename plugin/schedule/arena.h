/*
 * Arena: memory that is freed all at once, for the many small strings and lists of a region or of a report.
 */
#ifndef KESCO_SCHEDULE_ARENA_H
#define KESCO_SCHEDULE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct kesco_arena_block; /* a piece of memory that allocations are cut from */

struct kesco_arena {
    struct kesco_arena_block *blocks; /* the latest first; NULL before the first allocation */
};

/* Returns `size` zeroed bytes, aligned for any type, or NULL without memory. */
void *kesco_arena_alloc(struct kesco_arena *arena, size_t size);

/* Returns a copy of `text`, or NULL without memory. */
const char *kesco_arena_strdup(struct kesco_arena *arena, const char *text);

/* Return what printf and vprintf would print, or NULL without memory. */
__attribute__((format(printf, 2, 3))) const char *kesco_arena_print(struct kesco_arena *arena,
                                                                    const char *format, ...);
__attribute__((format(printf, 2, 0))) const char *kesco_arena_vprint(struct kesco_arena *arena,
                                                                     const char *format, va_list arguments);

/* Frees all that was allocated. Accepts a zeroed arena. */
void kesco_arena_free(struct kesco_arena *arena);

#ifdef __cplusplus
}
#endif

#endif
