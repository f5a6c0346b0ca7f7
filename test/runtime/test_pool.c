/*
 * The pool of streams and events over a CUDA that is made up here: it has two devices, hands out numbers as
 * handles, and counts them.
 */
#include "runtime/pool.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static int current_device;
static uintptr_t streams_made, events_made;
static unsigned stream_flags, event_flags;      /* of the last one made */
static uintptr_t refused_stream, refused_event; /* the number of the call that fails; 0: none */

cudaError_t cudaGetDevice(int *device) {
    *device = current_device;
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
    if (++streams_made == refused_stream)
        return cudaErrorMemoryAllocation;
    stream_flags = flags;
    *stream = (cudaStream_t)streams_made;
    return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
    if (++events_made == refused_event) {
        *event = (cudaEvent_t)(uintptr_t)-1; /* CUDA does not say that it leaves this alone */
        return cudaErrorMemoryAllocation;
    }
    event_flags = flags;
    *event = (cudaEvent_t)events_made;
    return cudaSuccess;
}

static struct kesco_pool *acquire(int device, uint32_t streams, uint32_t events) {
    struct kesco_pool *pool = NULL;

    current_device = device;
    assert_int_equal(kesco_pool_acquire(streams, events, &pool), cudaSuccess);
    assert_non_null(pool);
    assert_int_equal(pool->device, device);
    return pool;
}

/* For threads of the test's own, where no assertion can be caught. NULL where there is no pool. */
static struct kesco_pool *try_acquire(int device) {
    struct kesco_pool *pool;

    current_device = device;
    return kesco_pool_acquire(1, 1, &pool) == cudaSuccess ? pool : NULL;
}

static void test_grows_and_keeps_what_it_has(void **state) {
    const struct kesco_pool *pool = acquire(0, 2, 1);
    cudaStream_t first = pool->streams[0], second = pool->streams[1];
    cudaEvent_t event = pool->events[0], order = pool->order;
    uintptr_t streams = streams_made, events = events_made;

    (void)state;
    assert_ptr_equal(acquire(0, 1, 1), pool);
    assert_ptr_equal(acquire(0, 4, 3), pool);
    assert_int_equal(streams_made, streams + 2);
    assert_int_equal(events_made, events + 2);
    assert_true(pool->streams[0] == first && pool->streams[1] == second);
    assert_true(pool->events[0] == event && pool->order == order);
    assert_int_equal(stream_flags, cudaStreamDefault);
}

/* An event that could measure time costs more, and none does. */
static void test_events_have_no_timing(void **state) {
    struct kesco_pool *pool = acquire(0, 1, 1);

    (void)state;
    kesco_pool_forget(pool);
    event_flags = 99;
    assert_ptr_equal(acquire(0, 1, 0), pool);
    assert_int_equal(event_flags, cudaEventDisableTiming);
    event_flags = 99;
    assert_ptr_equal(acquire(0, 1, 1), pool);
    assert_int_equal(event_flags, cudaEventDisableTiming);
}

static void test_forgets_everything(void **state) {
    struct kesco_pool *pool = acquire(0, 3, 2);
    uintptr_t streams = streams_made, events = events_made;

    (void)state;
    kesco_pool_forget(pool);
    assert_ptr_equal(acquire(0, 3, 2), pool);
    assert_int_equal(streams_made, streams + 3);
    assert_int_equal(events_made, events + 3);
}

static void test_goes_on_where_a_call_failed(void **state) {
    struct kesco_pool *pool = acquire(0, 0, 0), *none = NULL;

    (void)state;
    kesco_pool_forget(pool);
    refused_event = events_made + 1; /* the order event */
    assert_int_equal(kesco_pool_acquire(2, 2, &none), cudaErrorMemoryAllocation);
    refused_event = events_made + 3;
    refused_stream = streams_made + 2;
    assert_int_equal(kesco_pool_acquire(2, 2, &none), cudaErrorMemoryAllocation);
    assert_int_equal(kesco_pool_acquire(2, 2, &none), cudaErrorMemoryAllocation);
    assert_null(none);
    assert_ptr_equal(acquire(0, 2, 2), pool);
    assert_int_equal(streams_made, refused_stream + 1);
    assert_int_equal(events_made, refused_event + 1);
    assert_true((uintptr_t)pool->order == refused_event - 2 &&
                (uintptr_t)pool->events[0] == refused_event - 1);
    refused_event = refused_stream = 0;
}

static void test_each_device_has_its_own(void **state) {
    struct kesco_pool *first = acquire(0, 1, 1), *second = acquire(1, 1, 1);

    (void)state;
    assert_ptr_not_equal(first, second);
    assert_true(first->streams[0] != second->streams[0] && first->order != second->order);
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
    uintptr_t streams;

    (void)state;
    run_thread(use_both_devices, earlier);
    streams = streams_made;
    assert_true(earlier[0] != NULL && earlier[1] != NULL && earlier[0] != earlier[1]);
    run_thread(use_both_devices, later);
    assert_true(earlier[0] == later[0] && earlier[1] == later[1]);
    run_thread(use_other_device_first, later);
    assert_true(earlier[0] == later[0] && earlier[1] == later[1]);
    assert_int_equal(streams_made, streams);
    assert_ptr_not_equal(acquire(0, 1, 1), earlier[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grows_and_keeps_what_it_has),
        cmocka_unit_test(test_events_have_no_timing),
        cmocka_unit_test(test_forgets_everything),
        cmocka_unit_test(test_goes_on_where_a_call_failed),
        cmocka_unit_test(test_each_device_has_its_own),
        cmocka_unit_test(test_threads_inherit_all_pools),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
