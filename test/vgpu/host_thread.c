#include "test/vgpu/host_thread.h"

#include "test/vgpu/engine.h"
#include "test/vgpu/op.h"
#include "test/vgpu/storage.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_NS = 100000000 };

/* Guarded by the engine's lock. */
struct host_thread {
    pthread_cond_t start;
    struct op *op; /* NULL: it is idle */
    void (*ended)(struct op *op);
    struct host_thread *next; /* idle one */
};

static struct host_thread *idle;
static pid_t owner; /* of the idle ones */

static void *serve(void *data) {
    struct host_thread *self = data;

    pthread_mutex_lock(&engine.lock);
    for (;;) {
        while (!self->op)
            pthread_cond_wait(&self->start, &engine.lock);
        op_run(self->op);
        self->ended(self->op);
        self->op = NULL;
        self->next = idle;
        idle = self;
    }
    return NULL;
}

/* Signals are for the program's threads. */
static void start(struct host_thread *thread) {
    sigset_t all, before;
    pthread_t unused;
    int error;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    error = pthread_create(&unused, NULL, serve, thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!error) {
        pthread_detach(unused);
        return;
    }
    fprintf(stderr, "vgpu: no thread for a host function\n");
    abort();
}

/* A forked process has none of the threads. */
static struct host_thread *take(void) {
    struct host_thread *thread;

    if (owner != getpid())
        idle = NULL;
    owner = getpid();
    thread = idle;
    if (thread) {
        idle = thread->next;
        return thread;
    }
    thread = allocate(1, sizeof(*thread));
    pthread_cond_init(&thread->start, NULL);
    start(thread);
    return thread;
}

struct timespec host_thread_deadline(long ns) {
    struct timespec time;

    clock_gettime(CLOCK_REALTIME, &time);
    time.tv_nsec += ns;
    if (time.tv_nsec >= 1000000000) {
        time.tv_nsec -= 1000000000;
        time.tv_sec++;
    }
    return time;
}

void host_thread_run(struct op *op, void (*ended)(struct op *op)) {
    struct host_thread *thread = take();
    const struct timespec until = host_thread_deadline(PATIENCE_NS);

    op_retain(op)->state = OP_RUNNING;
    thread->op = op;
    thread->ended = ended;
    pthread_cond_signal(&thread->start);
    while (op->state != OP_DONE && !pthread_cond_timedwait(&engine.changed, &engine.lock, &until))
        ;
    op_release(op);
}
