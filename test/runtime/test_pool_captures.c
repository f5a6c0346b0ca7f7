/* The pool of streams and events over a CUDA that is made up: captures, levels, devices and threads. */
#include "runtime/call.h"
#include "runtime/region/pool.h"
#include "test/cmocka.h"
#include "test/runtime/pool_cudart.h"

#include <pthread.h>
#include <stdint.h>

/* An older driver, that has no numbers of contexts. */
void kesco_call_find(const char *name, void *function) {
    (void)name, (void)function;
}

/* A pool with two lanes for a capture. */
static struct kesco_pool *acquire_captured(unsigned long long id) {
    const struct kesco_need need = {.capture = {true, id}, .forked = true, .streams = 2, .joins = 2};

    return acquire_for(0, &need);
}

/* For threads of the test's own, where no assertion can be caught. NULL where there is no pool. */
static struct kesco_pool *try_acquire(int device) {
    const struct kesco_need need = {.streams = 1, .events = 1};
    cudaStream_t of_thread[1];
    struct kesco_pool *pool;

    current_device = device;
    return kesco_pool_acquire(&need, &pool, of_thread) == cudaSuccess ? pool : NULL;
}

/* What makes something tells CUDA that it does not mind captures, for as long as it lasts. */
static void test_makes_under_relaxed_rules(void **state) {
    (void)state;
    kesco_pool_forget(acquire(0, 1, 1));
    creation_mode = cudaStreamCaptureModeGlobal;
    acquire(0, 1, 1);
    assert_int_equal(creation_mode, cudaStreamCaptureModeRelaxed);
    assert_int_equal(mode, cudaStreamCaptureModeGlobal);
}

static void test_each_capture_has_its_own(void **state) {
    struct kesco_pool *plain = acquire(0, 1, 0), *first = acquire_captured(1), *second;

    (void)state;
    assert_ptr_not_equal(first, plain);
    captured_stream = (uintptr_t)first->sets.items[0].levels[0].handles[1];
    second = acquire_captured(2);
    assert_ptr_not_equal(second, first);
    assert_ptr_equal(acquire_captured(1), first);
    assert_ptr_equal(acquire_captured(2), second);
    assert_ptr_equal(acquire(0, 1, 0), plain);
    captured_stream = 0;
}

/* The pool of a capture serves the next one when no stream of it is in the first any more. */
static void test_captures_inherit_pools(void **state) {
    struct kesco_pool *pool = acquire_captured(10);
    uintptr_t made;

    (void)state;
    made = streams_made;
    assert_ptr_equal(acquire_captured(11), pool);
    assert_int_equal(streams_made, made);
    assert_int_equal(pool->capture.id, 11);
}

/* A reset has taken the streams away: there is nothing to wait for or to ask, and no error shows. */
static void test_captures_inherit_dead_pools(void **state) {
    struct kesco_pool *pool = acquire_captured(20);
    uintptr_t made;

    (void)state;
    reset_device();
    made = streams_made;
    assert_ptr_equal(acquire_captured(21), pool);
    assert_int_equal(streams_made, made + 2);
    assert_int_equal(last_error, cudaSuccess);
}

/* What is captured is not asked whether it has work; the next capture has all of it again. */
static void test_captured_lanes_are_not_asked(void **state) {
    cudaStream_t first = lane_beside(1, 40);
    unsigned long long i;

    (void)state;
    queried = 0;
    for (i = 2; i <= KESCO_SETS_MOST; i++)
        assert_ptr_not_equal(lane_beside(i, 40), first);
    assert_null(lane_beside(i, 40));
    assert_ptr_equal(lane_beside(i, 41), first);
    assert_int_equal(queried, 0);
}

static struct kesco_pool *acquire_levels(bool forked, uint32_t count, const uint8_t *levels) {
    const struct kesco_need need = {.forked = forked, .streams = count, .joins = count, .levels = levels};

    return acquire_for(0, &need);
}

static struct kesco_pool *acquire_fresh(void) {
    struct kesco_pool *pool = acquire(0, 0, 0);

    kesco_pool_forget(pool);
    pool->priorities.levels = 0;
    return pool;
}

/* Streams are kept by level, handed out in the need's order, and those of level 0 are the plain ones. */
static void test_levels_are_priorities(void **state) {
    static const uint8_t mixed[] = {1, 0, 2, 1}, other[] = {0, 1};
    struct kesco_pool *pool = acquire_fresh();
    cudaStream_t first[4];
    uintptr_t made = streams_made;
    int i;

    (void)state;
    assert_ptr_equal(acquire_levels(false, 4, mixed), pool);
    assert_int_equal(streams_made, made + 4);
    for (i = 0; i < 4; i++) {
        first[i] = streams[i];
        assert_int_equal(priorities[(uintptr_t)first[i]], -(int)mixed[i]);
    }
    assert_true(first[0] != first[3]);
    acquire_levels(false, 2, other);
    assert_true(streams[0] == first[1] && streams[1] == first[0]);
    acquire(0, 1, 0);
    assert_ptr_equal(streams[0], first[1]);
    assert_int_equal(streams_made, made + 4);
}

static void test_forked_streams_have_levels_of_their_own(void **state) {
    static const uint8_t levels[] = {1, 1};
    struct kesco_pool *pool = acquire_fresh();

    (void)state;
    acquire_levels(true, 2, levels);
    assert_int_equal(pool->sets.items[0].levels[1].count, 2);
    assert_int_equal(pool->sets.items[0].levels[0].count, 0);
    assert_int_equal(pool->joins.count, 2);
    assert_int_equal(stream_flags, cudaStreamNonBlocking);
    assert_int_equal(priorities[(uintptr_t)streams[1]], -1);
    acquire_levels(false, 1, levels);
    assert_int_equal(pool->blocking[1].count, 1);
    assert_int_equal(stream_flags, cudaStreamDefault);
}

/* What is beyond the greatest priority, or beyond what is kept apart, shares the last level. */
static void test_levels_end_at_the_greatest(void **state) {
    static const uint8_t levels[] = {255, 2, 0};

    (void)state;
    acquire_fresh();
    acquire_levels(false, 3, levels);
    assert_int_equal(priorities[(uintptr_t)streams[0]], greatest_priority);
    assert_int_equal(priorities[(uintptr_t)streams[1]], greatest_priority);
    assert_int_equal(priorities[(uintptr_t)streams[2]], 0);
    greatest_priority = -100;
    acquire_fresh();
    acquire_levels(false, 3, levels);
    assert_int_equal(priorities[(uintptr_t)streams[0]], 1 - KESCO_LEVELS_MOST);
    greatest_priority = -2;
}

/* A device without priorities, and one that cannot be asked, have plain streams, and no error shows. */
static void test_levels_need_priorities(void **state) {
    static const uint8_t levels[] = {1, 0};
    struct kesco_pool *pool;

    (void)state;
    greatest_priority = least_priority;
    pool = acquire_fresh();
    acquire_levels(false, 2, levels);
    assert_int_equal(pool->blocking[0].count, 2);
    greatest_priority = -2;
    range_error = cudaErrorUnknown;
    pool = acquire_fresh();
    acquire_levels(false, 2, levels);
    assert_int_equal(pool->blocking[0].count, 2);
    assert_int_equal(last_error, cudaSuccess);
    range_error = cudaSuccess;
    acquire_levels(false, 2, levels);
    assert_int_equal(pool->blocking[1].count, 1);
}

/* A capture that a stream of some level is still in has not ended. */
static void test_captures_know_all_levels(void **state) {
    static const uint8_t levels[] = {0, 1};
    const struct kesco_need need = {
        .capture = {true, 30}, .forked = true, .streams = 2, .joins = 2, .levels = levels};
    struct kesco_pool *pool = acquire_for(0, &need);

    (void)state;
    captured_stream = (uintptr_t)streams[1];
    assert_ptr_not_equal(acquire_captured(31), pool);
    captured_stream = 0;
}

static void test_each_device_has_its_own(void **state) {
    struct kesco_pool *first = acquire(0, 1, 1), *second = acquire(1, 1, 1);

    (void)state;
    assert_ptr_not_equal(first, second);
    assert_ptr_not_equal(first->blocking[0].handles[0], second->blocking[0].handles[0]);
    assert_ptr_not_equal(first->point.items[0].handle, second->point.items[0].handle);
    assert_ptr_equal(acquire(0, 1, 1), first);
    assert_ptr_equal(acquire(1, 1, 1), second);
}

static void *use_both_devices(void *pools) {
    ((struct kesco_pool **)pools)[0] = try_acquire(0);
    ((struct kesco_pool **)pools)[1] = try_acquire(1);
    return NULL;
}

static void *use_other_device_first(void *pools) {
    ((struct kesco_pool **)pools)[1] = try_acquire(1);
    ((struct kesco_pool **)pools)[0] = try_acquire(0);
    return NULL;
}

static void run_thread(void *(*run)(void *), void *argument) {
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, run, argument), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

static void test_threads_inherit_all_pools(void **state) {
    struct kesco_pool *earlier[2], *later[2];
    uintptr_t made;

    (void)state;
    run_thread(use_both_devices, earlier);
    made = streams_made;
    assert_true(earlier[0] != NULL && earlier[1] != NULL && earlier[0] != earlier[1]);
    run_thread(use_both_devices, later);
    assert_true(earlier[0] == later[0] && earlier[1] == later[1]);
    run_thread(use_other_device_first, later);
    assert_true(earlier[0] == later[0] && earlier[1] == later[1]);
    assert_int_equal(streams_made, made);
    assert_ptr_not_equal(acquire(0, 1, 1), earlier[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_captured_lanes_are_not_asked),
        cmocka_unit_test(test_makes_under_relaxed_rules),
        cmocka_unit_test(test_each_capture_has_its_own),
        cmocka_unit_test(test_captures_inherit_pools),
        cmocka_unit_test(test_captures_inherit_dead_pools),
        cmocka_unit_test(test_levels_are_priorities),
        cmocka_unit_test(test_forked_streams_have_levels_of_their_own),
        cmocka_unit_test(test_levels_end_at_the_greatest),
        cmocka_unit_test(test_levels_need_priorities),
        cmocka_unit_test(test_captures_know_all_levels),
        cmocka_unit_test(test_each_device_has_its_own),
        cmocka_unit_test(test_threads_inherit_all_pools),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
