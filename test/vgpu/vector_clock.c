#include "test/vgpu/vector_clock.h"

#include "test/vgpu/storage.h"

#include <stdlib.h>

static void grow(struct vector_clock *clock, uint32_t count) {
    if (count <= clock->count)
        return;
    clock->at = resize(clock->at, count * sizeof(*clock->at));
    while (clock->count < count)
        clock->at[clock->count++] = 0;
}

void vector_clock_join(struct vector_clock *clock, const struct vector_clock *other) {
    grow(clock, other->count);
    for (uint32_t i = 0; i < other->count; i++) {
        if (clock->at[i] < other->at[i])
            clock->at[i] = other->at[i];
    }
    if (clock->launches < other->launches)
        clock->launches = other->launches;
}

void vector_clock_set(struct vector_clock *clock, uint32_t component, uint32_t tick) {
    grow(clock, component + 1);
    clock->at[component] = tick;
}

uint32_t vector_clock_get(const struct vector_clock *clock, uint32_t component) {
    return component < clock->count ? clock->at[component] : 0;
}

void vector_clock_free(struct vector_clock *clock) {
    free(clock->at);
    *clock = (struct vector_clock){0};
}
