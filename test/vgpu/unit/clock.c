/* The simulator behind virtual time: which jobs overlap, which wait, and what a share of a machine is worth.
 */
#include "test/vgpu/clock.h"

#include "test/vgpu/settings.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

_Noreturn void die(int status, const char *format, ...) {
    (void)format;
    exit(status);
}

static struct clock *machine;

static int set_up(void **state) {
    static const int widths[CLOCK_ENGINES] = {1, 1, 1, 4};
    (void)state;
    machine = clock_new(2, widths, NULL);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    clock_free(machine);
    return 0;
}

/* A job of the first machine that is ready at 0. */
static struct clock_job job(uint64_t id, double alone_us, enum clock_engine engine) {
    return (struct clock_job){.id = id, .alone_us = alone_us, .engine = engine};
}

static struct clock_job kernel(uint64_t id, double alone_us, double share) {
    struct clock_job made = job(id, alone_us, CLOCK_GRIDS);
    made.uses[CLOCK_COMPUTE] = share;
    return made;
}

static void add(struct clock_job added) {
    clock_add(machine, &added);
}

static void add_after(struct clock_job added, const uint64_t *after, size_t count) {
    added.after = after;
    added.after_count = count;
    clock_add(machine, &added);
}

static void ends_at(uint64_t id, double us) {
    clock_run_job(machine, id);
    assert_false(clock_is_live(machine, id));
    assert_true(fabs(clock_now(machine) - us) < 1e-6);
}

static void copies_in_opposite_directions_overlap(void **state) {
    (void)state;
    add(job(1, 10, CLOCK_TO_DEVICE));
    add(job(2, 10, CLOCK_TO_HOST));
    ends_at(1, 10);
    ends_at(2, 10);
}

static void copies_in_one_direction_wait_for_each_other(void **state) {
    (void)state;
    add(job(1, 10, CLOCK_TO_DEVICE));
    add(job(2, 5, CLOCK_TO_DEVICE));
    ends_at(1, 10);
    ends_at(2, 15);
}

static void copies_go_in_the_order_in_which_they_become_ready(void **state) {
    struct clock_job late = job(1, 10, CLOCK_TO_DEVICE);
    (void)state;
    late.ready_us = 2;
    add(late);
    add(job(2, 5, CLOCK_TO_DEVICE));
    ends_at(2, 5);
    ends_at(1, 15);
}

static void copies_of_two_machines_overlap(void **state) {
    struct clock_job other = job(2, 10, CLOCK_TO_DEVICE);
    (void)state;
    other.machine = 1;
    add(job(1, 10, CLOCK_TO_DEVICE));
    add(other);
    ends_at(1, 10);
    ends_at(2, 10);
}

static void small_kernels_overlap(void **state) {
    (void)state;
    for (uint64_t id = 1; id <= 4; id++)
        add(kernel(id, 10, 0.25));
    ends_at(4, 10);
    ends_at(1, 10);
}

static void kernels_that_fill_the_machine_gain_nothing(void **state) {
    (void)state;
    add(kernel(1, 10, 1));
    add(kernel(2, 10, 1));
    ends_at(1, 20);
    ends_at(2, 20);
}

static void a_small_kernel_beside_a_large_one_keeps_its_speed(void **state) {
    (void)state;
    add(kernel(1, 9, 1));
    add(kernel(2, 10, 0.1));
    ends_at(2, 10);
    ends_at(1, 10);
}

static void a_large_kernel_goes_on_alone_once_a_small_one_has_ended(void **state) {
    (void)state;
    add(kernel(1, 10, 1));
    add(kernel(2, 4, 0.5));
    ends_at(2, 4);
    ends_at(1, 12);
}

static void only_so_many_kernels_run_at_once(void **state) {
    (void)state;
    for (uint64_t id = 1; id <= 5; id++)
        add(kernel(id, 10, 0.1));
    ends_at(4, 10);
    ends_at(5, 20);
}

static void work_on_different_resources_overlaps(void **state) {
    struct clock_job copy = job(2, 10, CLOCK_NO_ENGINE);
    (void)state;
    copy.uses[CLOCK_MEMORY] = 1;
    add(kernel(1, 10, 1));
    add(copy);
    ends_at(1, 10);
    ends_at(2, 10);
}

static void what_two_resources_hold_back_is_shared_by_the_larger(void **state) {
    struct clock_job mixed = kernel(1, 10, 0.5), copy = job(2, 10, CLOCK_NO_ENGINE);
    (void)state;
    mixed.uses[CLOCK_MEMORY] = 1;
    copy.uses[CLOCK_MEMORY] = 1;
    add(mixed);
    add(copy);
    add(kernel(3, 15, 0.75));
    ends_at(3, 15);
    ends_at(1, 20);
    ends_at(2, 20);
}

static void a_higher_priority_goes_first(void **state) {
    struct clock_job urgent = kernel(2, 10, 1);
    (void)state;
    urgent.priority = -1;
    urgent.ready_us = 4;
    add(kernel(1, 10, 1));
    add(urgent);
    ends_at(2, 14);
    ends_at(1, 20);
}

static void a_lower_priority_gets_what_is_left(void **state) {
    struct clock_job urgent = kernel(3, 10, 0.75), copy = job(4, 10, CLOCK_TO_HOST);
    (void)state;
    urgent.priority = -1;
    copy.priority = 5;
    add(kernel(1, 10, 0.5));
    add(kernel(2, 10, 0.5));
    add(urgent);
    add(copy);
    ends_at(4, 10);
    ends_at(3, 10);
    ends_at(1, 17.5);
    ends_at(2, 17.5);
}

static void the_same_priority_is_as_none(void **state) {
    struct clock_job first = kernel(1, 10, 1), second = kernel(2, 10, 1);
    (void)state;
    first.priority = second.priority = -3;
    add(first);
    add(second);
    ends_at(1, 20);
    ends_at(2, 20);
}

static void a_job_comes_after_what_it_depends_on(void **state) {
    static const uint64_t two[] = {1, 2};
    (void)state;
    add(kernel(1, 10, 0.1));
    add(kernel(2, 7, 0.1));
    add_after(job(3, 5, CLOCK_TO_HOST), two, 2);
    add_after(job(4, 0, CLOCK_NO_ENGINE), (const uint64_t[]){3}, 1);
    ends_at(2, 7);
    ends_at(4, 15);
}

static void a_job_after_one_that_has_ended_begins_at_once(void **state) {
    (void)state;
    add(kernel(1, 10, 1));
    ends_at(1, 10);
    struct clock_job next = kernel(2, 5, 1);
    next.ready_us = 12;
    add_after(next, (const uint64_t[]){1}, 1);
    ends_at(2, 17);
}

static void a_job_does_not_begin_before_its_time(void **state) {
    struct clock_job late = kernel(2, 10, 0.5);
    (void)state;
    late.ready_us = 100;
    add(kernel(1, 10, 0.5));
    add(late);
    ends_at(1, 10);
    ends_at(2, 110);
}

static void running_up_to_a_time_changes_nothing(void **state) {
    (void)state;
    add(kernel(1, 10, 1));
    add(kernel(2, 10, 0.5));
    for (int us = 0; us <= 7; us++)
        clock_run_until(machine, us);
    assert_true(clock_is_live(machine, 1) && clock_is_live(machine, 2));
    ends_at(1, 15);
    ends_at(2, 15);
}

static void a_machine_is_done_when_all_of_its_jobs_are(void **state) {
    struct clock_job other = kernel(3, 99, 1);
    (void)state;
    other.machine = 1;
    add(kernel(1, 10, 0.5));
    add_after(kernel(2, 10, 0.5), (const uint64_t[]){1}, 1);
    add(other);
    clock_run_machine(machine, 0);
    assert_true(fabs(clock_now(machine) - 20) < 1e-6);
    assert_true(clock_is_live(machine, 3));
}

int main(void) {
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
    static const struct CMUnitTest tests[] = {
        TEST(copies_in_opposite_directions_overlap),
        TEST(copies_in_one_direction_wait_for_each_other),
        TEST(copies_go_in_the_order_in_which_they_become_ready),
        TEST(copies_of_two_machines_overlap),
        TEST(small_kernels_overlap),
        TEST(kernels_that_fill_the_machine_gain_nothing),
        TEST(a_small_kernel_beside_a_large_one_keeps_its_speed),
        TEST(a_large_kernel_goes_on_alone_once_a_small_one_has_ended),
        TEST(only_so_many_kernels_run_at_once),
        TEST(work_on_different_resources_overlaps),
        TEST(what_two_resources_hold_back_is_shared_by_the_larger),
        TEST(a_higher_priority_goes_first),
        TEST(a_lower_priority_gets_what_is_left),
        TEST(the_same_priority_is_as_none),
        TEST(a_job_comes_after_what_it_depends_on),
        TEST(a_job_after_one_that_has_ended_begins_at_once),
        TEST(a_job_does_not_begin_before_its_time),
        TEST(running_up_to_a_time_changes_nothing),
        TEST(a_machine_is_done_when_all_of_its_jobs_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
