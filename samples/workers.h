/*
 * Host threads that do their work together, again and again: for programs in which each task has a thread of
 * its own (by_hand/mp1.cu, by_hand/mp2.cu). Compiled with the per-thread default stream
 * (-Xclang -fgpu-default-stream=per-thread), what is launched without a stream then goes into a stream of the
 * task's own. Functions here end the program when a thread cannot be made.
 */
#ifndef KESCO_SAMPLES_WORKERS_H
#define KESCO_SAMPLES_WORKERS_H

#define OWN_STREAM cudaStreamPerThread /* of samples/memory.h */

#include "samples/check.h"

#include <pthread.h>
#include <stdbool.h>

#define WORKERS_MAX 8

struct workers;

struct worker {
    void (*work)(void *); /* issues work to the device */
    void *data;           /* for `work` */
    struct workers *all;
    pthread_t thread;
};

struct workers {
    struct worker workers[WORKERS_MAX];
    int count;
    bool ending;
    pthread_barrier_t start, done;
};

static inline void *worker_main(void *argument) {
    struct worker *worker = (struct worker *)argument;
    for (;;) {
        pthread_barrier_wait(&worker->all->start);
        if (worker->all->ending)
            return NULL;
        worker->work(worker->data);
        CHECK(cudaStreamSynchronize(cudaStreamPerThread));
        pthread_barrier_wait(&worker->all->done);
    }
}

/* At most WORKERS_MAX of them, before workers_create. */
static inline void workers_add(struct workers *workers, void (*work)(void *), void *data) {
    struct worker *worker = &workers->workers[workers->count++];
    worker->work = work;
    worker->data = data;
    worker->all = workers;
}

static inline void workers_create(struct workers *workers) {
    unsigned threads = (unsigned)workers->count + 1;
    int code = pthread_barrier_init(&workers->start, NULL, threads);
    if (code == 0)
        code = pthread_barrier_init(&workers->done, NULL, threads);
    for (int i = 0; i < workers->count && code == 0; i++)
        code = pthread_create(&workers->workers[i].thread, NULL, worker_main, &workers->workers[i]);
    if (code) {
        fprintf(stderr, "cannot make %d host threads\n", workers->count);
        exit(EXIT_FAILURE);
    }
}

/* Lets each do its work once; returns when the device has done it. */
static inline void workers_run(struct workers *workers) {
    pthread_barrier_wait(&workers->start);
    pthread_barrier_wait(&workers->done);
}

static inline void workers_destroy(struct workers *workers) {
    workers->ending = true;
    pthread_barrier_wait(&workers->start);
    for (int i = 0; i < workers->count; i++)
        pthread_join(workers->workers[i].thread, NULL);
    pthread_barrier_destroy(&workers->done);
    pthread_barrier_destroy(&workers->start);
}

#endif
