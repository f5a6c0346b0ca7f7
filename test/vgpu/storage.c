#include "test/vgpu/storage.h"

#include "test/vgpu/settings.h"

#include <stdlib.h>
#include <string.h>

static void *check(void *memory) {
    if (!memory)
        die(EXIT_FAILURE, "out of host memory");
    return memory;
}

void *allocate(size_t count, size_t size) {
    return check(calloc(count ? count : 1, size ? size : 1));
}

void *resize(void *memory, size_t size) {
    return check(realloc(memory, size ? size : 1));
}

void *with_room(void *memory, size_t count, size_t *capacity, size_t size) {
    if (count < *capacity)
        return memory;
    *capacity = *capacity ? 2 * *capacity : 4;
    return resize(memory, *capacity * size);
}

char *duplicate_text(const char *text) {
    return check(strdup(text));
}

void *duplicate(const void *memory, size_t size) {
    return memcpy(allocate(1, size), memory, size);
}
