/*
 * Allocations that fail when a test wants them to. A program has this in one of its sources, and is linked
 * with
 * --wrap for malloc, calloc and realloc.
 */
#ifndef KESCO_TEST_PTX_FAILING_MEMORY_H
#define KESCO_TEST_PTX_FAILING_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* How many allocations succeed before all others fail; negative: all succeed. */
static int allocations_left = -1;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);

static bool may_allocate(void) {
    if (allocations_left == 0)
        return false;
    allocations_left -= allocations_left > 0;
    return true;
}

void *__wrap_malloc(size_t size) {
    return may_allocate() ? __real_malloc(size) : NULL;
}

void *__wrap_calloc(size_t count, size_t size) {
    return may_allocate() ? __real_calloc(count, size) : NULL;
}

void *__wrap_realloc(void *memory, size_t size) {
    return may_allocate() ? __real_realloc(memory, size) : NULL;
}

#endif
