/* The pool of streams and events over a CUDA that is made up: what it makes, keeps and makes anew. */
#include "runtime/call.h"
#include "runtime/region/pool.h"
#include "test/cmocka.h"
#include "test/runtime/pool_cudart.h"

#include <cuda.h>
#include <stdint.h>
#include <string.h>

static CUresult CUDAAPI get_context_id(CUcontext of, unsigned long long *id) {
    assert_null(of);
    *id = 10 * context + (unsigned)current_device;
    return has_context ? CUDA_SUCCESS : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

void kesco_call_find(const char *name, void *function) {
    CUresult(CUDAAPI *const found)(CUcontext, unsigned long long *) = get_context_id;

    assert_string_equal(name, "cuCtxGetId");
    memcpy(function, &found, sizeof found);
}

static void test_grows_and_keeps_what_it_has(void **state) {
    const struct kesco_pool *pool = acquire(0, 2, 1);
    cudaStream_t first = pool->blocking[0].handles[0], second = pool->blocking[0].handles[1];
    cudaEvent_t event = pool->events.items[0].handle, point = pool->point.items[0].handle;
    uintptr_t made = streams_made, events = events_made;

    (void)state;
    assert_ptr_equal(acquire(0, 1, 1), pool);
    assert_ptr_equal(acquire(0, 4, 3), pool);
    assert_int_equal(streams_made, made + 2);
    assert_int_equal(events_made, events + 2);
    assert_true(pool->blocking[0].handles[0] == first && pool->blocking[0].handles[1] == second);
    assert_true(pool->events.items[0].handle == event && pool->point.items[0].handle == point);
    assert_int_equal(pool->events.items[2].recorded, 0);
    assert_int_equal(stream_flags, cudaStreamDefault);
}

/* Streams of the two kinds are counted apart, and each that does not block has an event to join with. */
static void test_keeps_both_kinds_of_streams(void **state) {
    const struct kesco_need need = {.forked = true, .streams = 2, .joins = 2};
    struct kesco_pool *pool = acquire(0, 1, 0);
    uintptr_t made;

    (void)state;
    kesco_pool_forget(pool);
    assert_ptr_equal(acquire(0, 3, 0), pool);
    made = streams_made;
    assert_ptr_equal(acquire_for(0, &need), pool);
    assert_int_equal(streams_made, made + 2);
    assert_int_equal(stream_flags, cudaStreamNonBlocking);
    assert_int_equal(pool->blocking[0].count, 3);
    assert_int_equal(pool->sets.items[0].levels[0].count, 2);
    assert_int_equal(pool->joins.count, 2);
}

/* A reset is found by the number of the context, without asking what may be gone; no error shows. */
static void test_makes_anew_what_a_reset_took(void **state) {
    struct kesco_pool *pool = acquire(0, 2, 1);
    uintptr_t made = streams_made, events = events_made;

    (void)state;
    assert_ptr_equal(acquire(0, 2, 1), pool);
    assert_int_equal(streams_made, made);
    reset_device();
    assert_ptr_equal(acquire(0, 2, 1), pool);
    assert_int_equal(streams_made, made + 2);
    assert_int_equal(events_made, events + 2);
    assert_int_equal(last_error, cudaSuccess);
    reset_device();
    has_context = true; /* by what the program has called since */
    assert_ptr_equal(acquire(0, 2, 1), pool);
    assert_int_equal(streams_made, made + 4);
    assert_ptr_equal(acquire(0, 2, 1), pool);
    assert_int_equal(streams_made, made + 4);
}

/* What was made before a call failed goes with a reset, too. */
static void test_forgets_what_was_half_made(void **state) {
    const struct kesco_need need = {.streams = 2, .events = 1};
    struct kesco_pool *pool = acquire(0, 0, 0), *unused;
    uintptr_t made;

    (void)state;
    kesco_pool_forget(pool);
    refused_stream = streams_made + 2;
    assert_int_equal(kesco_pool_acquire(&need, &unused, streams), cudaErrorMemoryAllocation);
    refused_stream = 0;
    reset_device();
    made = streams_made;
    assert_ptr_equal(acquire(0, 2, 1), pool);
    assert_int_equal(streams_made, made + 2);
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
    uintptr_t made = streams_made, events = events_made;

    (void)state;
    kesco_pool_forget(pool);
    assert_ptr_equal(acquire(0, 3, 2), pool);
    assert_int_equal(streams_made, made + 3);
    assert_int_equal(events_made, events + 3);
}

static void test_goes_on_where_a_call_failed(void **state) {
    const struct kesco_need need = {.streams = 2, .events = 2};
    struct kesco_pool *pool = acquire(0, 0, 0), *unused;

    (void)state;
    kesco_pool_forget(pool);
    refused_event = events_made + 1; /* the point */
    assert_int_equal(kesco_pool_acquire(&need, &unused, streams), cudaErrorMemoryAllocation);
    refused_event = events_made + 3;
    refused_stream = streams_made + 2;
    assert_int_equal(kesco_pool_acquire(&need, &unused, streams), cudaErrorMemoryAllocation);
    assert_int_equal(kesco_pool_acquire(&need, &unused, streams), cudaErrorMemoryAllocation);
    assert_ptr_equal(acquire(0, 2, 2), pool);
    assert_int_equal(streams_made, refused_stream + 1);
    assert_int_equal(events_made, refused_event + 1);
    assert_true((uintptr_t)pool->point.items[0].handle == refused_event - 2 &&
                (uintptr_t)pool->events.items[0].handle == refused_event - 1);
    assert_int_equal(mode, cudaStreamCaptureModeGlobal);
    refused_event = refused_stream = 0;
}

/* A non-blocking stream without an event to join with is not lost, and not taken for complete. */
static void test_goes_on_with_joins(void **state) {
    const struct kesco_need need = {.forked = true, .streams = 2, .joins = 2};
    struct kesco_pool *pool = acquire(0, 0, 0), *unused;
    uintptr_t made;

    (void)state;
    kesco_pool_forget(pool);
    acquire(0, 0, 0);
    made = streams_made;
    refused_event = events_made + 2;
    assert_int_equal(kesco_pool_acquire(&need, &unused, streams), cudaErrorMemoryAllocation);
    assert_ptr_equal(acquire_for(0, &need), pool);
    assert_int_equal(streams_made, made + 2);
    assert_int_equal(pool->joins.count, 2);
    refused_event = 0;
}

/* Streams of the program share no lanes that have work, and no more are made than there is work for. */
static void test_each_stream_has_lanes_of_its_own(void **state) {
    cudaStream_t first, second;
    unsigned long long i;
    uintptr_t made;

    (void)state;
    kesco_pool_forget(acquire(0, 0, 0));
    busy = true;
    first = lane_beside(1, 0);
    second = lane_beside(2, 0);
    assert_ptr_not_equal(first, second);
    queried = 0;
    assert_true(lane_beside(1, 0) == first && lane_beside(2, 0) == second);
    assert_int_equal(queried, 0);
    for (i = 3; i <= KESCO_SETS_MOST; i++)
        assert_non_null(lane_beside(i, 0));
    assert_null(lane_beside(i, 0));
    assert_ptr_equal(lane_beside(1, 0), first);
    busy = false;
    made = streams_made;
    assert_ptr_equal(lane_beside(i, 0), first);
    assert_int_equal(streams_made, made);
    busy = true;
    assert_null(lane_beside(1, 0));
    assert_ptr_equal(lane_beside(2, 0), second);
    busy = false;
    kesco_pool_forget(acquire(0, 0, 0));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grows_and_keeps_what_it_has),
        cmocka_unit_test(test_events_have_no_timing),
        cmocka_unit_test(test_forgets_everything),
        cmocka_unit_test(test_goes_on_where_a_call_failed),
        cmocka_unit_test(test_goes_on_with_joins),
        cmocka_unit_test(test_each_stream_has_lanes_of_its_own),
        cmocka_unit_test(test_keeps_both_kinds_of_streams),
        cmocka_unit_test(test_makes_anew_what_a_reset_took),
        cmocka_unit_test(test_forgets_what_was_half_made),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
