/*
 * What the alias guard costs on the virtual GPU, printed in nanoseconds: 8 pointers on an entry of a region,
 * met for the first time there, and met again in the same one. Only ratios are required.
 */
#include "runtime/kesco_abi.h"
#include "runtime/region/allocation.h"
#include "runtime/region/guard.h"
#include "test/cmocka.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <time.h>

enum { POINTERS = 8, ROUNDS = 200, REPEATS = 100 };

static const struct kesco_region region = {.lanes = 2};
static char *pointers[POINTERS];
static struct kesco_guard guard;

static double now(void) {
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void look_up(void) {
    struct kesco_allocation allocation;
    int i;

    for (i = 0; i < POINTERS; i++)
        assert_true(kesco_allocation_find(pointers[i], &allocation));
}

static void admit(void) {
    uint32_t i;

    for (i = 0; i < POINTERS; i++)
        assert_true(kesco_guard_admits(&guard, i, KESCO_GUARD_CHECKED | KESCO_GUARD_WRITTEN, pointers[i]));
}

/* The last objects in turn, each with two pointers by turns, `offset` behind those before. */
static void admit_last(ptrdiff_t offset) {
    uint32_t i;

    for (i = 0; i < POINTERS; i++)
        assert_true(kesco_guard_admits(&guard, KESCO_GUARD_PAIRS - 1 - i / 2, KESCO_GUARD_CHECKED,
                                       pointers[0] + i % 2 + offset));
}

static void admit_known(void) {
    admit_last(0);
}

static void admit_unknown(void) {
    static ptrdiff_t calls;

    admit_last(2 * (calls++ % 100));
}

/* Makes the guard full, so that looking through all that it knows takes long. */
static void fill(void) {
    uint32_t i;

    kesco_guard_clear(&guard);
    for (i = 0; i < KESCO_GUARD_PAIRS; i++)
        assert_true(kesco_guard_admits(&guard, i, KESCO_GUARD_CHECKED, pointers[0]));
}

static void admit_anew(void) {
    kesco_guard_clear(&guard);
    admit();
}

static void ask(void) {
    uint32_t i;

    for (i = 0; i < POINTERS; i++)
        __kesco1_guard(i, KESCO_GUARD_CHECKED | KESCO_GUARD_WRITTEN, pointers[i]);
}

static void enter_again(void) {
    int i;

    for (i = 0; i < POINTERS; i++)
        __kesco1_enter(NULL, &region);
}

/* The time of one call: the best of many rounds. */
static double measure(void (*call)(void)) {
    double best = 1e18;
    int round, i;

    for (round = 0; round < ROUNDS; round++) {
        double begin = now(), time;
        for (i = 0; i < REPEATS; i++)
            call();
        time = (now() - begin) / REPEATS;
        best = time < best ? time : best;
    }
    return best;
}

static void test_repeated_pointers_are_cheap(void **state) {
    double lookups, fresh, repeated, full, unknown, calls, enter;
    int i;

    (void)state;
    for (i = 0; i < POINTERS; i++)
        assert_int_equal(cudaMalloc((void **)&pointers[i], 256), cudaSuccess);
    lookups = measure(look_up);
    fresh = measure(admit_anew);
    repeated = measure(admit);
    fill();
    full = measure(admit_known);
    unknown = measure(admit_unknown);
    __kesco1_enter(NULL, &region);
    calls = measure(ask);
    enter = measure(enter_again);
    assert_ptr_not_equal(__kesco1_lane(0, NULL, 0), NULL);
    __kesco1_leave();
    printf("# %d pointers: driver's look-ups %.0f ns, guard of a new region %.0f ns with them, "
           "again in the same region %.1f ns, in a full one %.1f ns, "
           "other pointers to the same memory there %.0f ns, by the ABI %.1f ns; "
           "entering an open region %.1f ns\n",
           POINTERS, lookups, fresh, repeated, full, unknown, calls, enter / POINTERS);
    assert_true(calls < fresh);
    assert_true(2 * full < unknown);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_repeated_pointers_are_cheap),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
