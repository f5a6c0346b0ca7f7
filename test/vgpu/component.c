#include "test/vgpu/component.h"

#include "test/vgpu/engine.h"
#include "test/vgpu/storage.h"

static bool *used; /* by component */
static uint32_t count;

uint32_t component_of_host(void) {
    return (uint32_t)settings.devices;
}

uint32_t component_take(void) {
    uint32_t i = component_of_host() + 1;
    if (count < i)
        count = i;
    while (i < count && (used[i] || vector_clock_get(&engine.host, i) != vector_clock_get(&engine.issued, i)))
        i++;
    if (i == count)
        used = resize(used, ++count * sizeof(*used));
    used[i] = true;
    return i;
}

void component_give_back(uint32_t component) {
    used[component] = false;
}
