/* Scenarios of regions that several tests run. */
#ifndef KESCO_TEST_RUNTIME_REGION_SCENARIOS_H
#define KESCO_TEST_RUNTIME_REGION_SCENARIOS_H

#include "runtime/kesco_abi.h"
#include "test/cmocka.h"
#include "test/runtime/scenario.h"

/* Waits order lanes; what the origin got before comes first, and what it gets later last. */
static inline int order(void) {
    forget_letters();
    issue('a', origin);
    write_cell(0, origin);
    write_cell(1, origin);
    ENTER(origin, 3, 2);
    issue('b', __kesco1_lane(0, NULL, 0));
    write_cell(0, __kesco1_lane(0, NULL, 0));
    __kesco1_record(0, 0);
    issue('c', __kesco1_lane(0, NULL, 0));
    issue('d', __kesco1_lane(1, NULL, 0));
    write_cell(1, __kesco1_lane(1, NULL, 0));
    __kesco1_record(1, 1);
    __kesco1_wait(0, 2);
    __kesco1_wait(1, 2);
    issue('e', __kesco1_lane(2, NULL, 0));
    copy_cell(2, 0, __kesco1_lane(2, NULL, 0));
    copy_cell(3, 1, __kesco1_lane(2, NULL, 0));
    issue('f', __kesco1_lane(1, NULL, 0));
    __kesco1_leave();
    issue('g', origin);
    copy_cell(4, 2, origin);
    write_cell(0, origin);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    REQUIRE(letters() == 7);
    REQUIRE(come_in_order('a', 'b') && come_in_order('a', 'd'));
    REQUIRE(come_in_order('b', 'c') && come_in_order('b', 'e') && come_in_order('d', 'e'));
    REQUIRE(come_in_order('c', 'g') && come_in_order('e', 'g') && come_in_order('f', 'g'));
    return 0;
}

/* A lane that waits or records before it is launched on comes behind the origin all the same. */
static inline int first_uses(void) {
    write_cell(0, origin);
    write_cell(1, origin);
    ENTER(origin, 4, 3);
    __kesco1_record(0, 1);
    write_cell(0, __kesco1_lane(1, NULL, 0));
    write_cell(2, __kesco1_lane(2, NULL, 0));
    __kesco1_record(1, 2);
    __kesco1_wait(1, 3);
    write_cell(1, __kesco1_lane(3, NULL, 0));
    __kesco1_leave();
    write_cell(1, origin);
    return 0;
}

/* A region right behind a region: the second's lanes come after all of the first's. */
static inline int two_regions(void) {
    int round;

    for (round = 0; round < 2; round++) {
        ENTER(origin, 3, 0);
        write_cell(round, __kesco1_lane(0, NULL, 0));
        write_cell(1 - round, __kesco1_lane(1, NULL, 0));
        write_cell(2 + round, __kesco1_lane(2, NULL, 0));
        __kesco1_leave();
    }
    ENTER(origin, 3, 0);
    copy_cell(4, 2, __kesco1_lane(1, NULL, 0));
    copy_cell(5, 0, __kesco1_lane(2, NULL, 0));
    __kesco1_leave();
    return 0;
}

/* An open region that is entered again goes on: only an event orders its lanes, and only its own records
 * count. */
static inline int loop(void) {
    int round;

    for (round = 0; round < 4; round++) {
        ENTER(origin, 3, 2);
        __kesco1_wait(1, 1);
        write_cell(0, __kesco1_lane(1, NULL, 0));
        __kesco1_record(0, 1);
        __kesco1_wait(0, 2);
        copy_cell(1, 0, __kesco1_lane(2, NULL, 0));
        __kesco1_record(1, 2);
    }
    __kesco1_leave();
    return 0;
}

/* Another region than the one that is open, whether its lanes and events would do or not: that closes. */
static inline int other_regions(void) {
    ENTER(origin, 2, 0);
    write_cell(0, __kesco1_lane(1, NULL, 0));
    ENTER(origin, 40, 1);
    write_cell(0, __kesco1_lane(39, NULL, 0));
    write_cell(1, __kesco1_lane(0, NULL, 0));
    ENTER(origin, 2, 200);
    write_cell(0, __kesco1_lane(0, NULL, 0));
    write_cell(1, __kesco1_lane(1, NULL, 0));
    __kesco1_record(199, 1);
    __kesco1_wait(199, 0);
    write_cell(1, __kesco1_lane(0, NULL, 0));
    ENTER(origin, 2, 0);
    write_cell(0, __kesco1_lane(1, NULL, 0));
    __kesco1_leave();
    REQUIRE(cudaPeekAtLastError() == cudaSuccess);
    return 0;
}

/* Another origin: the region that is open joins into its own, and the next one forks from the other. */
static inline int two_origins(void) {
    cudaStream_t other = scenario_stream(cudaStreamNonBlocking);

    write_cell(4, other);
    ENTER(origin, 2, 1);
    write_cell(0, __kesco1_lane(0, NULL, 0));
    write_cell(1, __kesco1_lane(1, NULL, 0));
    __kesco1_record(0, 1);
    ENTER(other, 3, 1);
    write_cell(4, __kesco1_lane(1, NULL, 0));
    write_cell(5, __kesco1_lane(2, NULL, 0));
    ENTER(origin, 2, 1);
    copy_cell(2, 0, __kesco1_lane(1, NULL, 0));
    copy_cell(3, 1, __kesco1_lane(0, NULL, 0));
    __kesco1_leave();
    write_cell(2, origin);
    copy_cell(6, 5, other);
    copy_cell(7, 4, other);
    return 0;
}

/* Nothing in a region makes the host wait: where ops run as late as they may, none has run before the host
 * asks. */
static inline int host_runs_ahead(void) {
    forget_letters();
    issue('o', origin);
    ENTER(origin, 3, 1);
    REQUIRE(__kesco1_lane(1, NULL, 0) != origin && __kesco1_lane(1, NULL, 0) != __kesco1_lane(0, NULL, 0));
    issue('a', __kesco1_lane(0, NULL, 0));
    __kesco1_record(0, 0);
    __kesco1_wait(0, 1);
    issue('b', __kesco1_lane(1, NULL, 0));
    issue('c', __kesco1_lane(2, NULL, 0));
    __kesco1_leave();
    REQUIRE(letters() == 0);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    REQUIRE(letters() == 4 && come_in_order('a', 'b'));
    return 0;
}

#endif
