/*
 * The pool of streams and events over a CUDA that is made up here: it has two devices, hands out numbers as
 * handles, and counts them.
 */
#include "runtime/region/pool.h"
#include "test/cmocka.h"

#include <pthread.h>
#include <stdint.h>

static int current_device;
static uintptr_t streams_made, events_made;
static unsigned stream_flags, event_flags;      /* of the last one made */
static uintptr_t refused_stream, refused_event; /* the number of the call that fails; 0: none */
static uintptr_t captured_stream;               /* the stream that is in a capture; 0: none */
static uintptr_t gone_stream;                   /* a stream that CUDA does not know any more; 0: none */
static bool other_ids;                          /* handles are those of other streams by now */
static bool busy;                               /* every stream has work */
static uintptr_t queried;                       /* how often somebody asked for that */
static cudaError_t last_error;
static int least_priority = 0, greatest_priority = -2;
static cudaError_t range_error;                /* of asking for them */
static int priorities[256];                    /* of streams, by number; those beyond are not kept */
static cudaStream_t streams[KESCO_LANES_MOST]; /* of the pool acquired last */
static enum cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal, creation_mode;

cudaError_t cudaGetDevice(int *device) {
    *device = current_device;
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
    creation_mode = mode;
    if (++streams_made == refused_stream)
        return cudaErrorMemoryAllocation;
    stream_flags = flags;
    *stream = (cudaStream_t)streams_made;
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority) {
    cudaError_t error = cudaStreamCreateWithFlags(stream, flags);

    if (error == cudaSuccess && streams_made < sizeof priorities / sizeof *priorities)
        priorities[streams_made] = priority;
    return error;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
    *least = least_priority;
    *greatest = greatest_priority;
    return last_error = range_error;
}

const char *cudaGetErrorName(cudaError_t error) {
    return error == cudaSuccess ? "cudaSuccess" : "an error";
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
    creation_mode = mode;
    if (++events_made == refused_event) {
        *event = (cudaEvent_t)(uintptr_t)-1; /* CUDA does not say that it leaves this alone */
        return cudaErrorMemoryAllocation;
    }
    event_flags = flags;
    *event = (cudaEvent_t)events_made;
    return cudaSuccess;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *exchanged) {
    enum cudaStreamCaptureMode old = mode;

    mode = *exchanged;
    *exchanged = old;
    return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status) {
    if ((uintptr_t)stream == gone_stream)
        return last_error = cudaErrorInvalidResourceHandle;
    *status =
        (uintptr_t)stream == captured_stream ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    return cudaSuccess;
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id) {
    if ((uintptr_t)stream == gone_stream)
        return last_error = cudaErrorContextIsDestroyed;
    *id = (uintptr_t)stream + (other_ids ? 1000 : 0);
    return cudaSuccess;
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
    queried++;
    assert_non_null(stream);
    return busy ? cudaErrorNotReady : cudaSuccess;
}

cudaError_t cudaGetLastError(void) {
    cudaError_t error = last_error;

    last_error = cudaSuccess;
    return error;
}

static struct kesco_pool *acquire_for(int device, const struct kesco_need *need) {
    struct kesco_pool *pool = NULL;

    current_device = device;
    assert_int_equal(kesco_pool_acquire(need, &pool, streams), cudaSuccess);
    assert_non_null(pool);
    assert_int_equal(pool->device, device);
    return pool;
}

static struct kesco_pool *acquire(int device, uint32_t count, uint32_t events) {
    const struct kesco_need need = {.streams = count, .events = events};

    return acquire_for(device, &need);
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

/* A reset has taken the streams away: there is nothing to wait for, and no error shows. */
static void test_captures_inherit_dead_pools(void **state) {
    struct kesco_pool *pool = acquire_captured(20);
    uintptr_t made;

    (void)state;
    gone_stream = (uintptr_t)pool->sets.items[0].levels[0].handles[0];
    made = streams_made;
    assert_ptr_equal(acquire_captured(21), pool);
    assert_int_equal(streams_made, made + 2);
    assert_int_equal(last_error, cudaSuccess);
    gone_stream = 0;
}

/* A reset is found by a stream that is gone, or is another one under the same handle; no error shows. */
static void test_makes_anew_what_a_reset_took(void **state) {
    struct kesco_pool *pool = acquire(0, 2, 1);
    uintptr_t made = streams_made, events = events_made;

    (void)state;
    assert_ptr_equal(acquire(0, 2, 1), pool);
    assert_int_equal(streams_made, made);
    gone_stream = (uintptr_t)pool->witness.stream;
    assert_ptr_equal(acquire(0, 2, 1), pool);
    assert_int_equal(streams_made, made + 2);
    assert_int_equal(events_made, events + 2);
    assert_int_equal(last_error, cudaSuccess);
    gone_stream = 0;
    other_ids = true;
    assert_ptr_equal(acquire(0, 2, 1), pool);
    assert_int_equal(streams_made, made + 4);
    assert_ptr_equal(acquire(0, 2, 1), pool);
    assert_int_equal(streams_made, made + 4);
    other_ids = false;
    kesco_pool_forget(pool);
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

/* The first lane beside a stream of the program, NULL where there is none. */
static cudaStream_t lane_beside(unsigned long long origin, unsigned long long capture) {
    const struct kesco_need need = {
        .capture = {capture != 0, capture}, .forked = true, .origin = origin, .streams = 1, .joins = 1};
    struct kesco_pool *pool;
    cudaError_t error = kesco_pool_acquire(&need, &pool, streams);

    assert_true(error == cudaSuccess || error == cudaErrorNotReady);
    return error == cudaSuccess ? streams[0] : NULL;
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
        cmocka_unit_test(test_grows_and_keeps_what_it_has),
        cmocka_unit_test(test_events_have_no_timing),
        cmocka_unit_test(test_forgets_everything),
        cmocka_unit_test(test_goes_on_where_a_call_failed),
        cmocka_unit_test(test_goes_on_with_joins),
        cmocka_unit_test(test_each_stream_has_lanes_of_its_own),
        cmocka_unit_test(test_captured_lanes_are_not_asked),
        cmocka_unit_test(test_keeps_both_kinds_of_streams),
        cmocka_unit_test(test_makes_under_relaxed_rules),
        cmocka_unit_test(test_each_capture_has_its_own),
        cmocka_unit_test(test_captures_inherit_pools),
        cmocka_unit_test(test_captures_inherit_dead_pools),
        cmocka_unit_test(test_makes_anew_what_a_reset_took),
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
