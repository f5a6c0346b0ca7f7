/*
 * Put between a program and KeSCo's runtime by the linker: leaves out the wait with the number DROP_WAIT,
 * counted from 0. An op on the default stream, which waits for all lanes, counts as one; left out, it is on a
 * lane.
 */
#include "runtime/kesco_abi.h"

#include <stdbool.h>
#include <stdlib.h>

static bool is_dropped(void) {
    static int count;
    const char *dropped = getenv("DROP_WAIT");

    return dropped != NULL && atoi(dropped) == count++;
}

void __real___kesco1_wait(uint32_t event, uint32_t lane);
void __wrap___kesco1_wait(uint32_t event, uint32_t lane);
void __wrap___kesco1_wait(uint32_t event, uint32_t lane) {
    if (!is_dropped())
        __real___kesco1_wait(event, lane);
}

void *__real___kesco1_origin(const struct kesco_site *site, uint64_t amount);
void *__wrap___kesco1_origin(const struct kesco_site *site, uint64_t amount);
void *__wrap___kesco1_origin(const struct kesco_site *site, uint64_t amount) {
    return is_dropped() ? __kesco1_lane(0, site, amount) : __real___kesco1_origin(site, amount);
}
