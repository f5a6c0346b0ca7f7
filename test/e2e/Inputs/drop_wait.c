/*
 * Linked with -Wl,--wrap=__kesco1_wait: leaves out the wait number DROP_WAIT (environment, counted from 0) of
 * the program, to see that its lack is noticed.
 */
#include "runtime/kesco_abi.h"

#include <stdlib.h>

void __real___kesco1_wait(uint32_t event, uint32_t lane);
void __wrap___kesco1_wait(uint32_t event, uint32_t lane);

void __wrap___kesco1_wait(uint32_t event, uint32_t lane) {
    static int count;
    const char *dropped = getenv("DROP_WAIT");

    if (dropped == NULL || atoi(dropped) != count++)
        __real___kesco1_wait(event, lane);
}
