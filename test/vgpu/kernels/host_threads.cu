// RUN: %vgpu-clang++ -O1 %s -o %t -lpthread
// RUN: for s in 0 1 2 3; do for w in condition semaphore mutex polling; do \
// RUN:   env VGPU_SEED=$s VGPU_CHECK=races timeout 60 %t $w || exit 1; \
// RUN: done; done
// RUN: for s in 1 2; do VGPU_SEED=$s timeout 60 %t condition || exit 1; done
// RUN: sh -c 'VGPU_CHECK=races timeout 60 %t nothing >%t.out 2>&1; test $? = 66' && FileCheck %s < %t.out
// CHECK: race on {{.*}}cudaMallocManaged
// A host function may tell a thread that the device has come to it, and be told by one: that orders what they touch,
// as it does on hardware, and it runs while the thread waits, sleeps or yields.
#include "check.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static int done;
static int *shared;

__global__ void work(int *data) {
    data[0] += 5;
}

static void CUDART_CB by_condition(void *) {
    pthread_mutex_lock(&mutex);
    done = 1;
    pthread_cond_broadcast(&condition);
    pthread_mutex_unlock(&mutex);
}

static void CUDART_CB by_semaphore(void *) {
    shared[0]++;
    sem_post(&semaphore);
}

static void CUDART_CB by_mutex(void *) {
    pthread_mutex_lock(&mutex);
    shared[0]++;
    done = 1;
    pthread_mutex_unlock(&mutex);
}

static void *waiter(void *) {
    pthread_mutex_lock(&mutex);
    while (!done)
        pthread_cond_wait(&condition, &mutex);
    pthread_mutex_unlock(&mutex);
    shared[0]++;
    return NULL;
}

static bool is_done(void) {
    pthread_mutex_lock(&mutex);
    const bool is = done;
    pthread_mutex_unlock(&mutex);
    return is;
}

static void run(const char *what, cudaStream_t stream) {
    pthread_t thread;
    if (!strcmp(what, "condition")) {
        CUDA(cudaLaunchHostFunc(stream, by_condition, NULL));
        CHECK(!pthread_create(&thread, NULL, waiter, NULL));
        CHECK(!pthread_join(thread, NULL));
    } else if (!strcmp(what, "semaphore")) {
        CUDA(cudaLaunchHostFunc(stream, by_semaphore, NULL));
        CHECK(!sem_wait(&semaphore));
    } else if (!strcmp(what, "mutex")) {
        CUDA(cudaLaunchHostFunc(stream, by_mutex, NULL));
        while (!is_done())
            sched_yield();
    } else if (!strcmp(what, "polling")) {
        CUDA(cudaLaunchHostFunc(stream, by_mutex, NULL));
        const struct timespec nap = {0, 1000000};
        while (!is_done())
            nanosleep(&nap, NULL);
    } else {
        CUDA(cudaLaunchHostFunc(stream, by_semaphore, NULL));
    }
}

int main(int, char **argv) {
    cudaStream_t stream;
    CHECK(!sem_init(&semaphore, 0, 0));
    CUDA(cudaStreamCreate(&stream));
    CUDA(cudaMallocManaged(&shared, sizeof(int)));
    shared[0] = 0;
    work<<<1, 1, 0, stream>>>(shared);
    run(argv[1], stream);
    shared[0]++;
    CHECK_EQUAL(shared[0], 7);
    return 0;
}
