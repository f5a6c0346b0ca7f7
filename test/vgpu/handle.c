#include "test/vgpu/handle.h"

#include "test/vgpu/engine.h"
#include "test/vgpu/storage.h"

#include <stdbool.h>

enum { PLACE_BITS = 24, GENERATION_BITS = 24 };

static uint32_t place_of(const void *handle) {
    return (uint32_t)((uintptr_t)handle & ((1u << PLACE_BITS) - 1));
}

static void *make(const struct handle_table *table, uint32_t place) {
    const uint64_t generation = table->generations[place] & ((1u << GENERATION_BITS) - 1);
    return (void *)(uintptr_t)((uint64_t)table->kind << 56 | generation << PLACE_BITS | place);
}

static uint32_t free_place(struct handle_table *table) {
    for (uint32_t i = 0; i < table->count; i++) {
        if (!table->objects[i])
            return i;
    }
    const uint32_t count = table->count ? 2 * table->count : 16;
    table->objects = resize(table->objects, count * sizeof(*table->objects));
    table->generations = resize(table->generations, count * sizeof(*table->generations));
    for (uint32_t i = table->count; i < count; i++) {
        table->objects[i] = NULL;
        table->generations[i] = 0;
    }
    const uint32_t place = table->count;
    table->count = count;
    return place;
}

void *handle_new(struct handle_table *table, void *object) {
    const uint32_t place = free_place(table);
    table->objects[place] = object;
    return make(table, place);
}

void *handle_find(const struct handle_table *table, const void *handle) {
    const uint32_t place = place_of(handle);
    if (place >= table->count || !table->objects[place] || make(table, place) != handle)
        return NULL;
    return table->objects[place];
}

/* True if the handle was the table's once. */
static bool was_there(const struct handle_table *table, const void *handle) {
    const uint32_t place = place_of(handle);
    return place < table->count && (uintptr_t)handle >> 56 == table->kind &&
           ((uintptr_t)handle >> PLACE_BITS & ((1u << GENERATION_BITS) - 1)) < table->generations[place];
}

void *handle_get(const struct handle_table *table, const void *handle) {
    void *object = handle ? handle_find(table, handle) : NULL;
    if (object || !handle)
        return object;
    die(EXIT_BAD_HANDLE, "%s: the %s %s; a real driver crashes here", thread_state.api, table->name,
        was_there(table, handle) ? "was destroyed" : "never was one");
}

void handle_free(struct handle_table *table, const void *handle) {
    const uint32_t place = place_of(handle);
    table->objects[place] = NULL;
    table->generations[place]++;
}
