/* Virtual time (timeline.h): what memory takes, and what moves its pages. */
#include "test/vgpu/rules/timed.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* Programs */

static void copy_there_and_back(char *host) {
    char *device = new_memory(8 * MIB);
    OK(cudaMemcpy(device, host, 8 * MIB, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(host, device, 8 * MIB, cudaMemcpyDeviceToHost));
}

static void copies_of_pinned_memory(void) {
    copy_there_and_back(new_pinned(8 * MIB));
}

static void copies_of_pageable_memory(void) {
    static char host[8 * MIB];
    copy_there_and_back(host);
}

static void a_kernel_that_faults(void) {
    const char *managed = new_managed(16 * MIB);
    host_touch(managed, 16 * MIB);
    launch_work(ALL_BLOCKS, 1, managed, 16 * MIB, 1000, 0);
    OK(cudaDeviceSynchronize());
}

static void a_kernel_after_a_prefetch(void) {
    const char *managed = new_managed(16 * MIB);
    host_touch(managed, 16 * MIB);
    OK(cudaMemPrefetchAsync(managed, 16 * MIB, to_device, 0, 0));
    launch_work(ALL_BLOCKS, 1, managed, 16 * MIB, 1000, 0);
    OK(cudaDeviceSynchronize());
}

static void a_kernel_that_touches_first(void) {
    launch_work(ALL_BLOCKS, 1, new_managed(16 * MIB), 16 * MIB, 1000, 0);
    OK(cudaDeviceSynchronize());
}

static void a_kernel_that_touches_a_part(void) {
    const char *managed = new_managed(16 * MIB);
    host_touch(managed, 16 * MIB);
    launch_work(1, 1, managed + 2 * MIB, 3 * MIB, 1000, 0);
    OK(cudaDeviceSynchronize());
}

static void kernels_that_touch_twice(void) {
    a_kernel_that_faults();
    const char *managed = new_managed(4 * MIB);
    host_touch(managed, 4 * MIB);
    for (int i = 0; i < 3; i++)
        launch_work(ALL_BLOCKS, 1, managed, 4 * MIB, 1000, 0);
    OK(cudaDeviceSynchronize());
}

/* New memory mostly gets the address of what was freed. */
static void a_kernel_on_memory_in_place_of_other(void) {
    char *managed = new_managed(MIB);
    host_touch(managed, MIB);
    OK(cudaFree(managed));
    managed = new_managed(MIB);
    host_touch(managed, MIB);
    launch_work(1, 1, managed, MIB, 1000, 0);
    OK(cudaDeviceSynchronize());
}

static void a_host_that_reads_results(void) {
    const char *managed = new_managed(16 * MIB);
    launch_work(ALL_BLOCKS, 1, managed, 16 * MIB, 1000, 0);
    OK(cudaDeviceSynchronize());
    for (size_t i = 0; i < 4 * MIB; i += 1024)
        host_touch(managed + i, 4);
}

static void a_host_that_reads_prefetched_results(void) {
    const char *managed = new_managed(16 * MIB);
    launch_work(ALL_BLOCKS, 1, managed, 16 * MIB, 1000, 0);
    OK(cudaMemPrefetchAsync(managed, 4 * MIB, to_host, 0, 0));
    OK(cudaDeviceSynchronize());
    for (size_t i = 0; i < 4 * MIB; i += 1024)
        host_touch(managed + i, 4);
}

/* Two kernels on two streams read what one prefetch, on a third, brings; they take as long as that. */
static void kernels_beside_a_prefetch(void) {
    const char *managed = new_managed(16 * MIB);
    make_streams(true);
    host_touch(managed, 16 * MIB);
    OK(cudaMemPrefetchAsync(managed, 16 * MIB, to_device, 0, streams[0]));
    for (int i = 1; i < STREAMS; i++)
        launch_work(ALL_BLOCKS, 1, managed, 16 * MIB, 40000, streams[i]);
    OK(cudaDeviceSynchronize());
}

static const struct rule programs[] = {
    RULE(copies_of_pinned_memory, ONCE),     RULE(copies_of_pageable_memory, ONCE),
    RULE(a_kernel_that_faults, ONCE),        RULE(a_kernel_after_a_prefetch, ONCE),
    RULE(a_kernel_that_touches_first, ONCE), RULE(a_kernel_that_touches_a_part, ONCE),
    RULE(kernels_that_touch_twice, ONCE),    RULE(a_kernel_on_memory_in_place_of_other, ONCE),
    RULE(a_host_that_reads_results, ONCE),   RULE(a_host_that_reads_prefetched_results, ONCE),
    RULE(kernels_beside_a_prefetch, ONCE),
};

/* Tests */

static void pageable_memory_is_slower(void **state) {
    (void)state;
    assert_true(TIME(copies_of_pageable_memory) > 2 * TIME(copies_of_pinned_memory));
}

static void a_prefetch_beats_faults(void **state) {
    (void)state;
    const struct result faulted = RESULT(a_kernel_that_faults), fetched = RESULT(a_kernel_after_a_prefetch);
    assert_int_equal(faulted.faults, 8);
    assert_int_equal(fetched.faults, 0);
    assert_int_equal(faulted.migrated, 16 * MIB);
    assert_int_equal(fetched.migrated, 16 * MIB);
    assert_true(fetched.us < 0.75 * faulted.us);
}

static void the_first_touch_moves_nothing(void **state) {
    (void)state;
    const struct result result = RESULT(a_kernel_that_touches_first);
    assert_int_equal(result.migrated, 0);
    assert_true(result.us < 0.2 * TIME(a_kernel_after_a_prefetch));
}

static void a_kernel_brings_what_it_touches(void **state) {
    (void)state;
    const struct result result = RESULT(a_kernel_that_touches_a_part);
    assert_int_equal(result.faults, 2);
    assert_int_equal(result.migrated, 3 * MIB);
}

static void pages_stay_where_they_are(void **state) {
    (void)state;
    assert_int_equal(RESULT(kernels_that_touch_twice).migrated, 20 * MIB);
    assert_int_equal(RESULT(a_kernel_on_memory_in_place_of_other).migrated, MIB);
}

static void the_host_pays_for_pages_of_the_device(void **state) {
    (void)state;
    const struct result faulted = RESULT(a_host_that_reads_results),
                        fetched = RESULT(a_host_that_reads_prefetched_results);
    assert_int_equal(faulted.faults, 2);
    assert_int_equal(faulted.migrated, 4 * MIB);
    assert_int_equal(fetched.faults, 0);
    assert_int_equal(fetched.migrated, 4 * MIB);
    assert_true(fetched.us < 0.75 * faulted.us);
}

static void kernels_wait_for_pages_on_their_way(void **state) {
    (void)state;
    const struct result result = RESULT(kernels_beside_a_prefetch);
    assert_int_equal(result.migrated, 16 * MIB);
    assert_true(result.us > 1.7 * TIME(a_kernel_after_a_prefetch));
}

int main(int argc, char **argv) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(pageable_memory_is_slower),
        cmocka_unit_test(a_prefetch_beats_faults),
        cmocka_unit_test(the_first_touch_moves_nothing),
        cmocka_unit_test(a_kernel_brings_what_it_touches),
        cmocka_unit_test(pages_stay_where_they_are),
        cmocka_unit_test(the_host_pays_for_pages_of_the_device),
        cmocka_unit_test(kernels_wait_for_pages_on_their_way),
    };
    if (argc > 1)
        return RULES_MAIN(programs);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
