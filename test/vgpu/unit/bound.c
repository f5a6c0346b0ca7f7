/* The bound that no schedule beats: paths, the device's parts, and what lies between two ops. */
#include "test/vgpu/bound.h"

#include "test/vgpu/settings.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

_Noreturn void die(int status, const char *format, ...) {
    (void)format;
    exit(status);
}

static uint64_t last_id;

/* Adds a job of so many microseconds, that fills a share of compute, behind others; returns its id. */
static uint64_t add(double us, double share, enum clock_engine engine, const uint64_t *after, size_t count,
                    struct tally *tally) {
    struct clock_job job = {
        .id = ++last_id, .alone_us = us, .engine = engine, .after = after, .after_count = count};
    job.uses[CLOCK_COMPUTE] = share;
    bound_add(&job);
    if (tally)
        *tally = bound_tally(&job);
    return job.id;
}

static uint64_t kernel(double us, double share, uint64_t after, struct tally *tally) {
    return add(us, share, CLOCK_GRIDS, &after, 1, tally);
}

static void is_near(double value, double expected) {
    assert_true(fabs(value - expected) < 1e-9);
}

static void one_after_another_is_a_path(void **state) {
    struct tally from, to;
    (void)state;
    const uint64_t start = kernel(0, 0, last_id, &from);
    kernel(5, 0.1, kernel(3, 0.1, start, NULL), &to);
    is_near(bound_between(&from, &to), 8);
}

static void side_by_side_the_longer_one_counts(void **state) {
    struct tally from, to;
    (void)state;
    const uint64_t start = kernel(0, 0, last_id, &from);
    const uint64_t both[] = {kernel(3, 0.1, start, NULL), kernel(5, 0.1, start, NULL)};
    add(0, 0, CLOCK_NO_ENGINE, both, 2, &to);
    is_near(bound_between(&from, &to), 5);
}

static void jobs_that_fill_the_device_add_up(void **state) {
    struct tally from, to;
    (void)state;
    const uint64_t start = kernel(0, 0, last_id, &from);
    const uint64_t both[] = {kernel(4, 1, start, NULL), kernel(4, 0.5, start, NULL)};
    add(0, 0, CLOCK_NO_ENGINE, both, 2, &to);
    is_near(bound_between(&from, &to), 6);
}

static void copies_one_way_add_up(void **state) {
    struct tally from, to;
    (void)state;
    const uint64_t start = kernel(0, 0, last_id, &from);
    const uint64_t all[] = {add(4, 0, CLOCK_TO_HOST, &start, 1, NULL),
                            add(4, 0, CLOCK_TO_HOST, &start, 1, NULL),
                            add(4, 0, CLOCK_TO_DEVICE, &start, 1, NULL)};
    add(0, 0, CLOCK_NO_ENGINE, all, 3, &to);
    is_near(bound_between(&from, &to), 8);
}

/* What came before the first op is in neither the path nor the work. */
static void only_what_lies_between_counts(void **state) {
    struct tally from, to;
    (void)state;
    const uint64_t start = kernel(1, 0.1, kernel(100, 1, last_id, NULL), &from);
    kernel(2, 1, start, &to);
    is_near(bound_between(&from, &to), 2);
    is_near(bound_between(&to, &from), 0);
}

static void more_jobs_than_at_first(void **state) {
    struct tally from, to;
    (void)state;
    uint64_t job = kernel(0, 0, last_id, &from);
    for (int i = 0; i < 10000; i++)
        job = kernel(1, 0.01, job, &to);
    is_near(bound_between(&from, &to), 10000);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_after_another_is_a_path),
        cmocka_unit_test(side_by_side_the_longer_one_counts),
        cmocka_unit_test(jobs_that_fill_the_device_add_up),
        cmocka_unit_test(copies_one_way_add_up),
        cmocka_unit_test(only_what_lies_between_counts),
        cmocka_unit_test(more_jobs_than_at_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
