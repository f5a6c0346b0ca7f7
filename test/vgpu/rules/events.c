/* CUDA Runtime API, "Event Management", and host functions. */
#include "test/vgpu/rules/rules.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <time.h>

static bool before(int a, int b) {
    return place_of(a) >= 0 && place_of(a) < place_of(b);
}

static void a_wait_covers_the_past_of_the_record(void) {
    const cudaStream_t a = new_stream(cudaStreamNonBlocking), b = new_stream(cudaStreamNonBlocking);
    const cudaEvent_t event = new_event();
    launch_note(1, a);
    launch_note(2, a);
    OK(cudaEventRecord(event, a));
    OK(cudaStreamWaitEvent(b, event, 0));
    launch_note(3, b);
    OK(cudaDeviceSynchronize());
    REQUIRE(before(1, 3) && before(2, 3));
}

static void a_wait_does_not_cover_what_comes_after_the_record(void) {
    const cudaStream_t a = new_stream(cudaStreamNonBlocking), b = new_stream(cudaStreamNonBlocking);
    const cudaEvent_t event = new_event();
    OK(cudaEventRecord(event, a));
    launch_note(1, a);
    OK(cudaStreamWaitEvent(b, event, 0));
    launch_note(2, b);
    OK(cudaDeviceSynchronize());
    end_either_way(before(1, 2));
}

static void a_wait_is_transitive(void) {
    const cudaStream_t a = new_stream(cudaStreamNonBlocking), b = new_stream(cudaStreamNonBlocking),
                       c = new_stream(cudaStreamNonBlocking);
    const cudaEvent_t first = new_event(), second = new_event();
    launch_note(1, a);
    OK(cudaEventRecord(first, a));
    OK(cudaStreamWaitEvent(b, first, 0));
    OK(cudaEventRecord(second, b));
    OK(cudaStreamWaitEvent(c, second, 0));
    launch_note(2, c);
    OK(cudaStreamSynchronize(c));
    REQUIRE(before(1, 2));
}

static void a_wait_takes_the_latest_record(void) {
    const cudaStream_t a = new_stream(cudaStreamNonBlocking), b = new_stream(cudaStreamNonBlocking);
    const cudaEvent_t event = new_event();
    OK(cudaEventRecord(event, a));
    launch_note(1, a);
    OK(cudaEventRecord(event, a));
    OK(cudaStreamWaitEvent(b, event, 0));
    launch_note(2, b);
    OK(cudaDeviceSynchronize());
    REQUIRE(before(1, 2));
}

static void a_record_after_the_wait_does_not_matter(void) {
    const cudaStream_t a = new_stream(cudaStreamNonBlocking), b = new_stream(cudaStreamNonBlocking);
    const cudaEvent_t event = new_event();
    OK(cudaEventRecord(event, a));
    OK(cudaStreamWaitEvent(b, event, 0));
    launch_note(1, a);
    OK(cudaEventRecord(event, a));
    launch_note(2, b);
    OK(cudaDeviceSynchronize());
    end_either_way(before(1, 2));
}

static void a_wait_keeps_the_record_that_it_took(void) {
    const cudaStream_t a = new_stream(cudaStreamNonBlocking), b = new_stream(cudaStreamNonBlocking);
    const cudaEvent_t event = new_event();
    launch_note(1, a);
    OK(cudaEventRecord(event, a));
    OK(cudaStreamWaitEvent(b, event, 0));
    OK(cudaEventRecord(event, new_stream(cudaStreamNonBlocking)));
    OK(cudaEventDestroy(event));
    launch_note(2, b);
    OK(cudaDeviceSynchronize());
    REQUIRE(before(1, 2));
}

static void a_wait_for_an_unrecorded_event_does_nothing(void) {
    const cudaStream_t a = new_stream(cudaStreamNonBlocking), b = new_stream(cudaStreamNonBlocking);
    const cudaEvent_t event = new_event();
    launch_note(1, a);
    OK(cudaStreamWaitEvent(b, event, 0));
    OK(cudaEventRecord(event, a));
    launch_note(2, b);
    OK(cudaDeviceSynchronize());
    end_either_way(before(1, 2));
}

static void synchronizing_waits_for_the_past_of_the_record(void) {
    const cudaStream_t stream = new_stream(0);
    const cudaEvent_t event = new_event();
    launch_note(1, stream);
    OK(cudaEventRecord(event, stream));
    OK(cudaEventSynchronize(event));
    REQUIRE(place_of(1) == 0);
}

static void synchronizing_leaves_out_what_comes_after(void) {
    const cudaStream_t stream = new_stream(0);
    const cudaEvent_t event = new_event();
    OK(cudaEventRecord(event, stream));
    launch_note(1, stream);
    OK(cudaEventSynchronize(event));
    end_either_way(place_of(1) == 0);
}

static void an_unrecorded_event_counts_as_done(void) {
    const cudaEvent_t event = new_event();
    OK(cudaEventQuery(event));
    OK(cudaEventSynchronize(event));
}

static void a_query_lets_polling_end(void) {
    const cudaStream_t stream = new_stream(0);
    const cudaEvent_t event = new_event();
    int polls = 0;
    for (int i = 0; i < 10; i++)
        launch_note(i, stream);
    OK(cudaEventRecord(event, stream));
    while (cudaEventQuery(event) == cudaErrorNotReady)
        REQUIRE(++polls <= 200);
    REQUIRE(journal.count == 10);
    OK(cudaPeekAtLastError());
}

static void a_query_may_find_work_undone(void) {
    const cudaStream_t stream = new_stream(0);
    const cudaEvent_t event = new_event();
    launch_note(1, stream);
    OK(cudaEventRecord(event, stream));
    end_either_way(cudaEventQuery(event) == cudaSuccess);
}

static void a_record_on_the_legacy_stream_covers_blocking_streams(void) {
    const cudaEvent_t event = new_event();
    launch_note(1, new_stream(0));
    OK(cudaEventRecord(event, 0));
    OK(cudaEventSynchronize(event));
    REQUIRE(place_of(1) == 0);
}

static void elapsed_time_grows_with_work(void) {
    cudaEvent_t start, end;
    float milliseconds = -1;
    OK(cudaEventCreate(&start));
    OK(cudaEventCreate(&end));
    REQUIRE(cudaEventElapsedTime(&milliseconds, start, end) == cudaErrorInvalidResourceHandle);
    OK(cudaEventRecord(start, 0));
    launch_note(1, 0);
    OK(cudaEventRecord(end, 0));
    OK(cudaEventSynchronize(end));
    OK(cudaEventElapsedTime(&milliseconds, start, end));
    REQUIRE(milliseconds > 0);
    OK(cudaEventElapsedTime(&milliseconds, start, start));
    REQUIRE(milliseconds == 0);
    REQUIRE(cudaEventElapsedTime(&milliseconds, start, new_event()) == cudaErrorInvalidResourceHandle);
    REQUIRE(cudaEventElapsedTime(NULL, start, end) == cudaErrorInvalidValue);
}

static void elapsed_time_wants_done_events(void) {
    cudaEvent_t start, end;
    float milliseconds;
    OK(cudaEventCreate(&start));
    OK(cudaEventCreate(&end));
    OK(cudaEventRecord(start, 0));
    launch_note(1, 0);
    OK(cudaEventRecord(end, 0));
    const cudaError_t error = cudaEventElapsedTime(&milliseconds, start, end);
    REQUIRE(error == cudaSuccess || error == cudaErrorNotReady);
    end_either_way(error == cudaSuccess);
}

static void note_on_host(void *entry) {
    journal.entries[journal.count++] = *(int *)entry;
}

static void a_host_function_is_ordered_in_its_stream(void) {
    static int entry = 2;
    const cudaStream_t stream = new_stream(cudaStreamNonBlocking);
    launch_note(1, stream);
    OK(cudaLaunchHostFunc(stream, note_on_host, &entry));
    launch_note(3, stream);
    OK(cudaStreamSynchronize(stream));
    REQUIRE(before(1, 2) && before(2, 3));
}

static cudaError_t error_in_host_function = cudaSuccess;

static void call_api(void *unused) {
    (void)unused;
    error_in_host_function = cudaDeviceSynchronize();
}

static void a_host_function_must_not_call_the_api(void) {
    OK(cudaLaunchHostFunc(0, call_api, NULL));
    OK(cudaDeviceSynchronize());
    REQUIRE(error_in_host_function == cudaErrorNotPermitted);
}

static void *allocate_in_thread(void *unused) {
    OK(cudaMemset(new_memory(16), 0, 16));
    return unused;
}

static void wait_for_thread(void *unused) {
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, allocate_in_thread, unused) == 0);
    REQUIRE(pthread_join(thread, NULL) == 0);
}

static void a_host_function_may_wait_for_another_thread(void) {
    OK(cudaLaunchHostFunc(new_stream(0), wait_for_thread, NULL));
    wait_for_thread(NULL);
    OK(cudaStreamSynchronize(0));
}

static _Thread_local int of_this_thread;
static atomic_int let_go;

static void change_own_variable(void *unused) {
    (void)unused;
    of_this_thread++;
}

static void a_host_function_has_a_thread_of_its_own(void) {
    of_this_thread = 1;
    OK(cudaLaunchHostFunc(new_stream(0), change_own_variable, NULL));
    OK(cudaDeviceSynchronize());
    REQUIRE(of_this_thread == 1);
}

static void wait_for_host(void *unused) {
    (void)unused;
    while (!atomic_load(&let_go))
        ;
}

static void a_host_function_may_wait_for_the_host(void) {
    const cudaStream_t first = new_stream(cudaStreamNonBlocking), second = new_stream(cudaStreamNonBlocking);
    int *at = new_memory(sizeof *at), result = 0;

    OK(cudaLaunchHostFunc(first, wait_for_host, NULL));
    OK(cudaMemsetAsync(at, 1, sizeof *at, second));
    OK(cudaMemcpyAsync(&result, at, sizeof *at, cudaMemcpyDeviceToHost, second));
    OK(cudaStreamSynchronize(second));
    REQUIRE(result == 0x01010101);
    atomic_store(&let_go, 1);
    OK(cudaStreamSynchronize(first));
}

static sem_t posted;

static void post(void *unused) {
    (void)unused;
    sem_post(&posted);
}

static void *issue_late(void *stream) {
    const struct timespec while_others_wait = {.tv_nsec = 20000000};
    nanosleep(&while_others_wait, NULL);
    OK(cudaLaunchHostFunc(stream, post, NULL));
    return NULL;
}

/* What it was issued by goes on without it, or ends. */
static void a_host_function_runs_for_who_waits_already(void) {
    pthread_t thread;
    REQUIRE(sem_init(&posted, 0, 0) == 0);
    REQUIRE(pthread_create(&thread, NULL, issue_late, new_stream(0)) == 0);
    REQUIRE(sem_wait(&posted) == 0);
    REQUIRE(pthread_join(thread, NULL) == 0);
}

static int *read_late;

static void *read_what_was_copied(void *unused) {
    (void)unused;
    let_go = *read_late == 0x01010101 ? 2 : 3;
    sem_post(&posted);
    return NULL;
}

static void make_thread(void *unused) {
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, read_what_was_copied, unused) == 0);
    REQUIRE(pthread_detach(thread) == 0);
}

static void a_thread_of_a_host_function_comes_behind_it(void) {
    const cudaStream_t stream = new_stream(0);
    OK(cudaMallocManaged((void **)&read_late, sizeof *read_late, cudaMemAttachGlobal));
    OK(cudaMemsetAsync(read_late, 1, sizeof *read_late, stream));
    REQUIRE(sem_init(&posted, 0, 0) == 0);
    OK(cudaLaunchHostFunc(stream, make_thread, NULL));
    REQUIRE(sem_wait(&posted) == 0);
    REQUIRE(let_go == 2);
}

static void check_status(cudaStream_t stream, cudaError_t status, void *data) {
    REQUIRE(status == cudaSuccess);
    *(cudaStream_t *)data = stream;
}

static void a_callback_is_told_its_stream(void) {
    cudaStream_t told = NULL;
    const cudaStream_t stream = new_stream(0);
    OK(cudaStreamAddCallback(stream, check_status, &told, 0));
    OK(cudaStreamSynchronize(stream));
    REQUIRE(told == stream);
    REQUIRE(cudaStreamAddCallback(stream, check_status, &told, 1) == cudaErrorInvalidValue);
    REQUIRE(cudaLaunchHostFunc(stream, NULL, NULL) == cudaErrorInvalidValue);
}

static void event_functions_check_their_arguments(void) {
    const cudaStream_t stream = new_stream(0);
    REQUIRE(cudaEventRecord(NULL, stream) == cudaErrorInvalidResourceHandle);
    REQUIRE(cudaStreamWaitEvent(stream, NULL, 0) == cudaErrorInvalidResourceHandle);
    REQUIRE(cudaStreamWaitEvent(stream, new_event(), 0x10) == cudaErrorInvalidValue);
    REQUIRE(cudaEventQuery(NULL) == cudaErrorInvalidResourceHandle);
    REQUIRE(cudaEventDestroy(NULL) == cudaErrorInvalidResourceHandle);
    REQUIRE(cudaEventCreateWithFlags(&(cudaEvent_t){0}, 0x100) == cudaErrorInvalidValue);
    REQUIRE(cudaEventCreate(NULL) == cudaErrorInvalidValue);
}

int main(int argc, char **argv) {
    static const struct rule rules[] = {
        RULE(a_wait_covers_the_past_of_the_record, EVERY_SEED),
        RULE(a_wait_does_not_cover_what_comes_after_the_record, DIFFERS),
        RULE(a_wait_is_transitive, EVERY_SEED),
        RULE(a_wait_takes_the_latest_record, EVERY_SEED),
        RULE(a_record_after_the_wait_does_not_matter, DIFFERS),
        RULE(a_wait_keeps_the_record_that_it_took, EVERY_SEED),
        RULE(a_wait_for_an_unrecorded_event_does_nothing, DIFFERS),
        RULE(synchronizing_waits_for_the_past_of_the_record, EVERY_SEED),
        RULE(synchronizing_leaves_out_what_comes_after, DIFFERS),
        RULE(an_unrecorded_event_counts_as_done, EVERY_SEED),
        RULE(a_query_lets_polling_end, EVERY_SEED, .alone = "every question takes its work on"),
        RULE(a_query_may_find_work_undone, DIFFERS),
        RULE(a_record_on_the_legacy_stream_covers_blocking_streams, EVERY_SEED),
        RULE(elapsed_time_grows_with_work, EVERY_SEED),
        RULE(elapsed_time_wants_done_events, DIFFERS),
        {.name = "elapsed_time_is_virtual_time",
         .run = elapsed_time_grows_with_work,
         .kind = EVERY_SEED,
         .environment = "VGPU_TIME=1"},
        RULE(a_host_function_is_ordered_in_its_stream, EVERY_SEED),
        RULE(a_host_function_must_not_call_the_api, EVERY_SEED),
        RULE(a_host_function_may_wait_for_another_thread, EVERY_SEED),
        RULE(a_host_function_has_a_thread_of_its_own, EVERY_SEED),
        RULE(a_host_function_may_wait_for_the_host, EVERY_SEED),
        RULE(a_host_function_runs_for_who_waits_already, EVERY_SEED),
        RULE(a_thread_of_a_host_function_comes_behind_it, EVERY_SEED, .environment = "VGPU_CHECK=races"),
        RULE(a_callback_is_told_its_stream, EVERY_SEED),
        RULE(event_functions_check_their_arguments, EVERY_SEED),
    };
    return RULES_MAIN(rules);
}
