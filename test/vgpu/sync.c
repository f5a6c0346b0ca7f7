#include "test/vgpu/sync.h"

#include "test/vgpu/engine.h"
#include "test/vgpu/host_thread.h"
#include "test/vgpu/op.h"
#include "test/vgpu/order.h"
#include "test/vgpu/storage.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { BUCKETS = 1 << 10, PATIENCE_NS = 50000000 };

/* What is known to who acquires an object. Kept until the process ends, as few objects are ever seen. */
struct object {
    const void *address;
    struct vector_clock clock;
    struct object *next; /* of its bucket */
};

/* Guarded by the engine's lock. */
static struct object *buckets[BUCKETS];

static _Atomic bool any; /* there is an object */

static struct object **bucket_of(const void *address) {
    return &buckets[((uintptr_t)address >> 4) % BUCKETS];
}

static struct object *find(const void *address) {
    struct object *object = *bucket_of(address);
    while (object && object->address != address)
        object = object->next;
    return object;
}

static struct object *find_or_make(const void *address) {
    struct object *object = find(address);
    if (object)
        return object;
    any = true;
    object = allocate(1, sizeof(*object));
    object->address = address;
    object->next = *bucket_of(address);
    *bucket_of(address) = object;
    return object;
}

/* Where there is no host function, the host's threads know all of each other. */
static bool is_of_interest(void) {
    return settings.check_races && !thread_state.locked &&
           (thread_state.host_function || order_host_functions());
}

static bool has_more(const struct vector_clock *clock, const struct vector_clock *known) {
    for (uint32_t i = 0; i < clock->count; i++)
        if (clock->at[i] > vector_clock_get(known, i))
            return true;
    return false;
}

/* What the host does from now on is a step of its own. */
void sync_released(const void *address) {
    if (!is_of_interest())
        return;
    pthread_mutex_lock(&engine.lock);
    const struct op *function = thread_state.host_function;
    vector_clock_join(&find_or_make(address)->clock, function ? &function->past.clock : &engine.host);
    if (!function)
        engine.steps++;
    pthread_mutex_unlock(&engine.lock);
}

void sync_acquired(const void *address) {
    if (!any || thread_state.locked)
        return;
    pthread_mutex_lock(&engine.lock);
    const struct object *object = find(address);
    struct op *function = thread_state.host_function;
    if (object && function)
        vector_clock_join(&function->past.clock, &object->clock);
    else if (object && has_more(&object->clock, &engine.host))
        engine_host_knows(&object->clock);
    pthread_mutex_unlock(&engine.lock);
}

/* Progress without the program's threads */

static pthread_cond_t asked = PTHREAD_COND_INITIALIZER;
static bool is_asked;       /* guarded by the engine's lock */
static bool is_asked_later; /* the same: after a while, in which the program may go on by itself */
static _Atomic int waiting; /* threads of the program that wait, sleep or yield */
static pid_t owner;         /* of the thread that does it */

static void be_patient(void) {
    const struct timespec until = host_thread_deadline(PATIENCE_NS);
    while (!is_asked && !pthread_cond_timedwait(&asked, &engine.lock, &until))
        ;
}

static void *progress(void *unused) {
    (void)unused;
    pthread_mutex_lock(&engine.lock);
    for (;;) {
        while (!is_asked && !is_asked_later)
            pthread_cond_wait(&asked, &engine.lock);
        if (!is_asked)
            be_patient();
        is_asked = is_asked_later = false;
        order_run_host_functions();
    }
    return NULL;
}

/* Signals are for the program's threads. A forked process has none of this one's. */
static void start(void) {
    sigset_t all, before;
    pthread_t thread;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int error = pthread_create(&thread, NULL, progress, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error) {
        fprintf(stderr, "vgpu: no thread for the device\n");
        abort();
    }
    pthread_detach(thread);
    owner = getpid();
}

static atomic_bool is_ending;
static pthread_once_t end_once = PTHREAD_ONCE_INIT;

static void begin_end(void) {
    is_ending = true;
}

/* What is registered by the program's own calls comes before what the program's parts have at their end. */
static void register_end(void) {
    atexit(begin_end);
}

static void ask(bool *how) {
    if (owner != getpid())
        start();
    *how = true;
    pthread_cond_signal(&asked);
}

void sync_issued(void) {
    pthread_once(&end_once, register_end);
    if (waiting)
        ask(&is_asked_later);
}

bool sync_is_ending(void) {
    return is_ending;
}

void sync_before_waiting(void) {
    if (thread_state.locked)
        return;
    waiting++;
    if (!order_host_functions())
        return;
    pthread_mutex_lock(&engine.lock);
    ask(&is_asked);
    pthread_mutex_unlock(&engine.lock);
}

void sync_after_waiting(void) {
    if (!thread_state.locked)
        waiting--;
}
