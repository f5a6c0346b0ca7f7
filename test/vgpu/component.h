/*
 * The components of vector clocks (vector_clock.h), handed out: one to every stream, and one to every node of
 * an executable graph. The first ones, by device, are the legacy streams'; then comes the host's.
 */
#ifndef KESCO_TEST_VGPU_COMPONENT_H
#define KESCO_TEST_VGPU_COMPONENT_H

#include <stdint.h>

/*
 * A component that nobody has. One that was given back serves again once the host has waited for all its ops:
 * every later op comes after them.
 */
uint32_t component_take(void);

/* What the host itself does (host_access.h). */
uint32_t component_of_host(void);

void component_give_back(uint32_t component);

#endif
