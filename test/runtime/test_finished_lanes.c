/* What the host has waited for on one lane is done on others too: for what it still has to wait, and not. */
#include "runtime/kesco_abi.h"
#include "test/cmocka.h"
#include "test/runtime/scenario.h"

#include <stdlib.h>

enum { ALWAYS = KESCO_FINISH_ALWAYS, ROUNDS = 4 };

/* An op on lane 1, and behind it one on lane 2, for which the host waits. */
static int wait_for_both(void) {
    issue('a', __kesco1_lane(1, NULL, 0));
    __kesco1_record(0, 1);
    __kesco1_wait(0, 2);
    issue('b', __kesco1_lane(2, NULL, 0));
    return __kesco1_finish(2, ALWAYS, cudaSuccess);
}

/* Lane 1 is marked no more once it is known that it has nothing that the host has not waited for. */
static int spares_what_is_done(void) {
    ENTER(origin, 3, 1);
    for (size_t i = 1; i <= ROUNDS; i++) {
        REQUIRE(wait_for_both() == cudaSuccess);
        REQUIRE(letters() == 2 * i);
    }
    __kesco1_leave();
    return 0;
}

/* What lane 1 has behind its record, or the other lane's wait for that, is not done. */
static int waits_for_what_is_not(void) {
    ENTER(origin, 3, 1);
    REQUIRE(wait_for_both() == cudaSuccess);
    issue('a', __kesco1_lane(1, NULL, 0));
    __kesco1_record(0, 1);
    issue('c', __kesco1_lane(1, NULL, 0));
    __kesco1_wait(0, 2);
    issue('b', __kesco1_lane(2, NULL, 0));
    REQUIRE(__kesco1_finish(2, ALWAYS, cudaSuccess) == cudaSuccess);
    REQUIRE(letters() == 4);
    __kesco1_leave();
    REQUIRE(letters() == 5);
    return 0;
}

/* Nor is what nobody has waited for by a record. */
static int waits_for_what_was_only_recorded(void) {
    ENTER(origin, 3, 1);
    REQUIRE(wait_for_both() == cudaSuccess);
    issue('a', __kesco1_lane(1, NULL, 0));
    __kesco1_record(0, 1);
    issue('b', __kesco1_lane(2, NULL, 0));
    REQUIRE(__kesco1_finish(2, ALWAYS, cudaSuccess) == cudaSuccess);
    REQUIRE(letters() == 3);
    __kesco1_leave();
    REQUIRE(letters() == 4);
    return 0;
}

/* What was settled is done, but not what came meanwhile: the mark is all that the host waits for. */
static int settles_once(void) {
    ENTER(origin, 3, 1);
    issue('a', __kesco1_lane(1, NULL, 0));
    issue('b', __kesco1_lane(2, NULL, 0));
    REQUIRE(__kesco1_finish(2, ALWAYS, cudaSuccess) == cudaSuccess && letters() == 1);
    issue('c', __kesco1_lane(1, NULL, 0));
    __kesco1_settle();
    REQUIRE(letters() == 2);
    issue('d', __kesco1_lane(2, NULL, 0));
    REQUIRE(__kesco1_finish(2, ALWAYS, cudaSuccess) == cudaSuccess && letters() == 3);
    __kesco1_settle();
    REQUIRE(letters() == 4);
    __kesco1_leave();
    return 0;
}

static const struct scenario scenarios[] = {SCENARIO(spares_what_is_done), SCENARIO(waits_for_what_is_not),
                                            SCENARIO(waits_for_what_was_only_recorded),
                                            SCENARIO(settles_once)};

static void test_nothing_is_waited_for_twice(void **state) {
    (void)state;
    /* The opening, and a mark when nothing was known: at the end, the host has waited for all. */
    require_events("spares_what_is_done", "legacy", ROUNDS + 2, ROUNDS);
    require_order_everywhere("spares_what_is_done");
}

static void test_what_is_not_done_is_waited_for(void **state) {
    (void)state;
    setenv("VGPU_SEED", AS_LATE_AS_POSSIBLE, 1);
    for (size_t i = 0; i < origin_kind_count; i++) {
        assert_int_equal(run_child("waits_for_what_is_not", origin_kinds[i]), 0);
        assert_int_equal(run_child("waits_for_what_was_only_recorded", origin_kinds[i]), 0);
        assert_int_equal(run_child("settles_once", origin_kinds[i]), 0);
    }
    unsetenv("VGPU_SEED");
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_is_waited_for_twice),
        cmocka_unit_test(test_what_is_not_done_is_waited_for),
    };

    if (argc == 3)
        return RUN_SCENARIO(argv, scenarios);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
