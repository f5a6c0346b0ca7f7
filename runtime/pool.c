#include "runtime/pool.h"

#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t idle_lock = PTHREAD_MUTEX_INITIALIZER;
static struct kesco_pool *idle_pools; /* guarded by idle_lock */
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static _Thread_local struct kesco_pool *thread_pools;

static void give_back_pools(void *pools) {
    struct kesco_pool *last = pools;

    while (last->next != NULL)
        last = last->next;
    pthread_mutex_lock(&idle_lock);
    last->next = idle_pools;
    idle_pools = pools;
    pthread_mutex_unlock(&idle_lock);
}

static void make_key(void) {
    pthread_key_create(&key, give_back_pools);
}

static struct kesco_pool *take_idle_pool(int device) {
    struct kesco_pool **link;
    struct kesco_pool *pool;

    pthread_mutex_lock(&idle_lock);
    for (link = &idle_pools; (pool = *link) != NULL; link = &pool->next)
        if (pool->device == device) {
            *link = pool->next;
            break;
        }
    pthread_mutex_unlock(&idle_lock);
    return pool;
}

static struct kesco_pool *find_pool(int device) {
    struct kesco_pool *pool;

    for (pool = thread_pools; pool != NULL; pool = pool->next)
        if (pool->device == device)
            return pool;
    pool = take_idle_pool(device);
    if (pool == NULL)
        pool = calloc(1, sizeof *pool);
    if (pool == NULL)
        return NULL;
    pool->device = device;
    pool->next = thread_pools;
    thread_pools = pool;
    pthread_once(&key_once, make_key);
    pthread_setspecific(key, thread_pools);
    return pool;
}

static cudaError_t grow_streams(struct kesco_pool *pool, uint32_t count) {
    cudaStream_t *streams;
    cudaError_t error;

    if (pool->stream_count >= count)
        return cudaSuccess;
    streams = realloc(pool->streams, count * sizeof *streams);
    if (streams == NULL)
        return cudaErrorMemoryAllocation;
    for (pool->streams = streams; pool->stream_count < count; pool->stream_count++) {
        error = cudaStreamCreateWithFlags(&streams[pool->stream_count], cudaStreamDefault);
        if (error != cudaSuccess)
            return error;
    }
    return cudaSuccess;
}

static cudaError_t grow_events(struct kesco_pool *pool, uint32_t count) {
    cudaEvent_t *events;
    cudaError_t error;

    if (pool->event_count >= count)
        return cudaSuccess;
    events = realloc(pool->events, count * sizeof *events);
    if (events == NULL)
        return cudaErrorMemoryAllocation;
    for (pool->events = events; pool->event_count < count; pool->event_count++) {
        error = cudaEventCreateWithFlags(&events[pool->event_count], cudaEventDisableTiming);
        if (error != cudaSuccess)
            return error;
    }
    return cudaSuccess;
}

cudaError_t kesco_pool_acquire(uint32_t streams, uint32_t events, struct kesco_pool **result) {
    struct kesco_pool *pool;
    cudaError_t error;
    int device;

    error = cudaGetDevice(&device);
    if (error != cudaSuccess)
        return error;
    pool = find_pool(device);
    if (pool == NULL)
        return cudaErrorMemoryAllocation;
    if (pool->order == NULL) {
        error = cudaEventCreateWithFlags(&pool->order, cudaEventDisableTiming);
        if (error != cudaSuccess) {
            pool->order = NULL;
            return error;
        }
    }
    error = grow_streams(pool, streams);
    if (error == cudaSuccess)
        error = grow_events(pool, events);
    if (error == cudaSuccess)
        *result = pool;
    return error;
}

void kesco_pool_forget(struct kesco_pool *pool) {
    pool->stream_count = 0;
    pool->event_count = 0;
    pool->order = NULL;
}
