/* CUDA Runtime API, "Stream synchronization behavior": what streams order, and what they leave open. */
#include "test/vgpu/rules/rules.h"

#include <pthread.h>

static bool before(int a, int b) {
    return place_of(a) < place_of(b);
}

static void a_stream_is_fifo(void) {
    const cudaStream_t stream = new_stream(cudaStreamNonBlocking);
    for (int i = 0; i < 50; i++)
        launch_note(i, stream);
    OK(cudaStreamSynchronize(stream));
    REQUIRE(journal.count == 50);
    for (int i = 0; i < 50; i++)
        REQUIRE(journal.entries[i] == i);
}

static void two_streams_are_not_ordered(unsigned flags) {
    launch_note(1, new_stream(flags));
    launch_note(2, new_stream(flags));
    OK(cudaDeviceSynchronize());
    REQUIRE(journal.count == 2);
    end_either_way(before(1, 2));
}

static void blocking_streams_are_not_ordered(void) {
    two_streams_are_not_ordered(cudaStreamDefault);
}

static void non_blocking_streams_are_not_ordered(void) {
    two_streams_are_not_ordered(cudaStreamNonBlocking);
}

static void a_later_stream_may_finish_before_an_earlier_one_starts(void) {
    const cudaStream_t a = new_stream(0), b = new_stream(0);
    launch_note(1, a);
    launch_note(2, a);
    launch_note(3, b);
    launch_note(4, b);
    OK(cudaDeviceSynchronize());
    end_either_way(before(1, 4));
}

static void legacy_waits_for_blocking(void) {
    for (int i = 0; i < 4; i++)
        launch_note(i, new_stream(cudaStreamDefault));
    launch_note(9, 0);
    OK(cudaDeviceSynchronize());
    REQUIRE(place_of(9) == 4);
}

static void blocking_waits_for_legacy(void) {
    const cudaStream_t streams[] = {new_stream(0), new_stream(0), new_stream(0)};
    launch_note(9, cudaStreamLegacy);
    for (int i = 0; i < 3; i++)
        launch_note(i, streams[i]);
    OK(cudaDeviceSynchronize());
    REQUIRE(place_of(9) == 0);
}

static void a_stream_made_later_waits_for_legacy(void) {
    launch_note(9, 0);
    launch_note(1, new_stream(0));
    OK(cudaDeviceSynchronize());
    REQUIRE(before(9, 1));
}

static void legacy_orders_blocking_streams_by_itself(void) {
    const cudaStream_t a = new_stream(0), b = new_stream(0);
    launch_note(1, a);
    launch_note(9, 0);
    launch_note(2, b);
    OK(cudaStreamSynchronize(b));
    REQUIRE(before(1, 9) && before(9, 2));
}

static void legacy_does_not_wait_for_non_blocking(void) {
    launch_note(1, new_stream(cudaStreamNonBlocking));
    launch_note(9, 0);
    OK(cudaDeviceSynchronize());
    end_either_way(before(1, 9));
}

static void non_blocking_does_not_wait_for_legacy(void) {
    launch_note(9, 0);
    launch_note(1, new_stream(cudaStreamNonBlocking));
    OK(cudaDeviceSynchronize());
    end_either_way(before(9, 1));
}

static void legacy_waits_for_a_destroyed_stream(void) {
    const cudaStream_t stream = new_stream(0);
    launch_note(1, stream);
    OK(cudaStreamDestroy(stream));
    launch_note(9, 0);
    OK(cudaStreamSynchronize(0));
    REQUIRE(before(1, 9));
}

static void a_destroyed_stream_runs_its_work(void) {
    const cudaStream_t stream = new_stream(cudaStreamNonBlocking);
    launch_note(1, stream);
    OK(cudaStreamDestroy(stream));
    OK(cudaDeviceSynchronize());
    REQUIRE(place_of(1) == 0);
}

/* Notes 1, late, on a stream that is not blocking. Returns a blocking one that waits for that. */
static cudaStream_t waiting_stream(void) {
    const cudaStream_t other = new_stream(cudaStreamNonBlocking), waiting = new_stream(0);
    launch_work(1, 1, NULL, 0, 1 << 16, other);
    launch_note(1, other);
    fork_stream(other, waiting);
    return waiting;
}

/* An H200 (driver 580.159) once gave a copy on the legacy stream what can only be had without that wait. */
static void legacy_does_not_wait_for_what_a_blocking_stream_only_waits_for(void) {
    waiting_stream();
    launch_note(2, 0);
    OK(cudaDeviceSynchronize());
    end_either_way(before(1, 2));
}

static void legacy_waits_for_what_comes_before_work(void) {
    launch_note(3, waiting_stream());
    launch_note(2, 0);
    OK(cudaDeviceSynchronize());
    REQUIRE(before(1, 2));
}

static void legacy_waits_for_what_comes_before_a_record(void) {
    OK(cudaEventRecord(new_event(), waiting_stream()));
    launch_note(2, 0);
    OK(cudaDeviceSynchronize());
    REQUIRE(before(1, 2));
}

static void an_event_record_on_legacy_is_an_action(void) {
    const cudaStream_t a = new_stream(0), b = new_stream(0);
    launch_note(1, a);
    OK(cudaEventRecord(new_event(), 0));
    launch_note(2, b);
    OK(cudaDeviceSynchronize());
    REQUIRE(before(1, 2));
}

static void an_event_wait_on_legacy_is_an_action(void) {
    const cudaStream_t a = new_stream(0), b = new_stream(0);
    const cudaEvent_t event = new_event();
    OK(cudaEventRecord(event, b));
    launch_note(1, a);
    OK(cudaStreamWaitEvent(0, event, 0));
    launch_note(2, b);
    OK(cudaDeviceSynchronize());
    REQUIRE(before(1, 2));
}

static void a_memset_on_legacy_is_an_action(void) {
    const cudaStream_t a = new_stream(0), b = new_stream(0);
    void *memory = new_memory(16);
    launch_note(1, a);
    OK(cudaMemset(memory, 0, 16));
    launch_note(2, b);
    OK(cudaDeviceSynchronize());
    REQUIRE(before(1, 2));
}

static void an_event_record_elsewhere_is_none(void) {
    const cudaStream_t a = new_stream(0), b = new_stream(0);
    launch_note(1, a);
    OK(cudaEventRecord(new_event(), b));
    launch_note(2, b);
    OK(cudaDeviceSynchronize());
    end_either_way(before(1, 2));
}

static void synchronizing_legacy_waits_for_blocking(void) {
    launch_note(1, new_stream(0));
    OK(cudaStreamSynchronize(0));
    REQUIRE(place_of(1) == 0);
}

static void synchronizing_legacy_leaves_out_non_blocking(void) {
    launch_note(1, new_stream(cudaStreamNonBlocking));
    OK(cudaStreamSynchronize(0));
    end_either_way(place_of(1) == 0);
}

static void synchronizing_a_stream_leaves_out_others(void) {
    const cudaStream_t a = new_stream(0), b = new_stream(0);
    launch_note(1, a);
    launch_note(2, b);
    OK(cudaStreamSynchronize(b));
    REQUIRE(place_of(2) >= 0);
    end_either_way(place_of(1) >= 0);
}

static void synchronizing_the_device_waits_for_all(void) {
    launch_note(1, new_stream(0));
    launch_note(2, new_stream(cudaStreamNonBlocking));
    launch_note(3, 0);
    launch_note(4, cudaStreamPerThread);
    OK(cudaDeviceSynchronize());
    REQUIRE(journal.count == 4);
}

static void the_per_thread_stream_is_blocking(void) {
    launch_note(1, cudaStreamPerThread);
    launch_note(9, 0);
    launch_note(2, cudaStreamPerThread);
    OK(cudaDeviceSynchronize());
    REQUIRE(before(1, 9) && before(9, 2));
}

static void the_per_thread_stream_is_no_barrier(void) {
    launch_note(1, new_stream(0));
    launch_note(2, cudaStreamPerThread);
    OK(cudaDeviceSynchronize());
    end_either_way(before(1, 2));
}

static void *launch_in_thread(void *unused) {
    launch_note(1, cudaStreamPerThread);
    return unused;
}

static void each_thread_has_its_own_stream(void) {
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, launch_in_thread, NULL) == 0);
    REQUIRE(pthread_join(thread, NULL) == 0);
    launch_note(2, cudaStreamPerThread);
    OK(cudaDeviceSynchronize());
    end_either_way(before(1, 2));
}

extern cudaError_t cudaLaunchKernel_ptsz(const void *, dim3, dim3, void **, size_t, cudaStream_t);
extern cudaError_t cudaMemset_ptds(void *, int, size_t);

static void per_thread_variants_use_the_per_thread_stream(void) {
    const dim3 one = {1, 1, 1};
    const cudaStream_t a = new_stream(0), b = new_stream(0);
    struct journal *to = &journal;
    int entry = 2;
    launch_note(1, a);
    OK(cudaLaunchKernel_ptsz(&note_stub, one, one, (void *[]){&to, &entry}, 0, 0));
    OK(cudaMemset_ptds(new_memory(16), 0, 16));
    launch_note(3, b);
    OK(cudaStreamSynchronize(cudaStreamPerThread));
    REQUIRE(place_of(2) >= 0);
    OK(cudaDeviceSynchronize());
    end_either_way(before(1, 3));
}

static void priorities_are_only_a_preference(void) {
    cudaStream_t low, high;
    OK(cudaStreamCreateWithPriority(&low, cudaStreamNonBlocking, 0));
    OK(cudaStreamCreateWithPriority(&high, cudaStreamNonBlocking, -5));
    launch_note(1, low);
    launch_note(2, high);
    OK(cudaDeviceSynchronize());
    end_either_way(before(1, 2));
}

static void work_may_outlast_the_host(void) {
    launch_note(1, new_stream(cudaStreamNonBlocking));
    end_either_way(journal.count == 1);
}

static void a_query_lets_polling_end(void) {
    const cudaStream_t stream = new_stream(0);
    cudaError_t error = cudaErrorNotReady;
    int polls = 0;
    for (int i = 0; i < 10; i++)
        launch_note(i, stream);
    while ((error = cudaStreamQuery(stream)) == cudaErrorNotReady)
        REQUIRE(++polls <= 200);
    OK(error);
    REQUIRE(journal.count == 10);
    OK(cudaGetLastError());
}

static void a_query_of_legacy_covers_blocking_streams(void) {
    launch_note(1, new_stream(0));
    while (cudaStreamQuery(0) == cudaErrorNotReady) {
    }
    REQUIRE(place_of(1) == 0);
}

static void a_query_may_find_work_undone(void) {
    const cudaStream_t stream = new_stream(0);
    launch_note(1, stream);
    end_either_way(cudaStreamQuery(stream) == cudaSuccess);
}

static void a_long_queue_runs(void) {
    const cudaStream_t stream = new_stream(0);
    for (int i = 0; i < 10000; i++)
        launch_note(i, stream);
    OK(cudaStreamSynchronize(stream));
    REQUIRE(journal.count == JOURNAL_LIMIT);
    REQUIRE(journal.entries[JOURNAL_LIMIT - 1] == JOURNAL_LIMIT - 1);
}

int main(int argc, char **argv) {
    static const struct rule rules[] = {
        RULE(a_stream_is_fifo, EVERY_SEED),
        RULE(blocking_streams_are_not_ordered, DIFFERS),
        RULE(non_blocking_streams_are_not_ordered, DIFFERS),
        RULE(a_later_stream_may_finish_before_an_earlier_one_starts, DIFFERS),
        RULE(legacy_waits_for_blocking, EVERY_SEED),
        RULE(blocking_waits_for_legacy, EVERY_SEED),
        RULE(a_stream_made_later_waits_for_legacy, EVERY_SEED),
        RULE(legacy_orders_blocking_streams_by_itself, EVERY_SEED),
        RULE(legacy_does_not_wait_for_non_blocking, DIFFERS),
        RULE(non_blocking_does_not_wait_for_legacy, DIFFERS),
        RULE(legacy_waits_for_a_destroyed_stream, EVERY_SEED),
        RULE(a_destroyed_stream_runs_its_work, EVERY_SEED),
        RULE(legacy_does_not_wait_for_what_a_blocking_stream_only_waits_for, DIFFERS),
        RULE(legacy_waits_for_what_comes_before_work, EVERY_SEED),
        RULE(legacy_waits_for_what_comes_before_a_record, EVERY_SEED),
        RULE(an_event_record_on_legacy_is_an_action, EVERY_SEED),
        RULE(an_event_wait_on_legacy_is_an_action, EVERY_SEED),
        RULE(a_memset_on_legacy_is_an_action, EVERY_SEED),
        RULE(an_event_record_elsewhere_is_none, DIFFERS),
        RULE(synchronizing_legacy_waits_for_blocking, EVERY_SEED),
        RULE(synchronizing_legacy_leaves_out_non_blocking, DIFFERS),
        RULE(synchronizing_a_stream_leaves_out_others, DIFFERS),
        RULE(synchronizing_the_device_waits_for_all, EVERY_SEED),
        RULE(the_per_thread_stream_is_blocking, EVERY_SEED),
        RULE(the_per_thread_stream_is_no_barrier, DIFFERS),
        RULE(each_thread_has_its_own_stream, DIFFERS),
        RULE(per_thread_variants_use_the_per_thread_stream, DIFFERS),
        RULE(priorities_are_only_a_preference, DIFFERS),
        RULE(work_may_outlast_the_host, DIFFERS),
        RULE(a_query_lets_polling_end, EVERY_SEED, .alone = "every question takes its work on"),
        RULE(a_query_of_legacy_covers_blocking_streams, EVERY_SEED),
        RULE(a_query_may_find_work_undone, DIFFERS),
        RULE(a_long_queue_runs, EVERY_SEED),
    };
    return RULES_MAIN(rules);
}
