/* The engine's own memory. Running out of it ends the process with a message: there is nobody to tell. */
#ifndef KESCO_TEST_VGPU_STORAGE_H
#define KESCO_TEST_VGPU_STORAGE_H

#include <stddef.h>

void *allocate(size_t count, size_t size); /* zeroed, as calloc */
void *resize(void *memory, size_t size);   /* as realloc */
/* `memory` with room for one more than `count` items of `size` bytes; `*capacity`: how many fit. */
void *with_room(void *memory, size_t count, size_t *capacity, size_t size);
char *duplicate_text(const char *text); /* as strdup */
void *duplicate(const void *memory, size_t size);

#endif
