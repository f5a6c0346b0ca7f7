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

/* True if no stream of the pool is in a capture any more. */
static bool capture_has_ended(struct kesco_pool *pool) {
    enum cudaStreamCaptureStatus status;
    uint32_t i;

    for (i = 0; i < pool->forked.count; i++) {
        if (cudaStreamIsCapturing(pool->forked.handles[i], &status) != cudaSuccess) {
            cudaGetLastError();
            kesco_pool_forget(pool);
            return true;
        }
        if (status != cudaStreamCaptureStatusNone)
            return false;
    }
    return true;
}

static bool belongs(const struct kesco_pool *pool, int device, const struct kesco_capture *capture) {
    return pool->device == device && pool->capture.active == capture->active &&
           (!capture->active || pool->capture.id == capture->id);
}

static bool is_left_over(struct kesco_pool *pool, int device, const struct kesco_capture *capture) {
    return pool->device == device && pool->capture.active && capture->active && capture_has_ended(pool);
}

static struct kesco_pool *find_thread_pool(int device, const struct kesco_capture *capture) {
    struct kesco_pool *pool;

    for (pool = thread_pools; pool != NULL; pool = pool->next)
        if (belongs(pool, device, capture))
            return pool;
    for (pool = thread_pools; pool != NULL; pool = pool->next)
        if (is_left_over(pool, device, capture))
            return pool;
    return NULL;
}

static struct kesco_pool *take_idle_pool(int device, const struct kesco_capture *capture) {
    struct kesco_pool **link;
    struct kesco_pool *pool;

    pthread_mutex_lock(&idle_lock);
    for (link = &idle_pools; (pool = *link) != NULL; link = &pool->next)
        if (belongs(pool, device, capture) || is_left_over(pool, device, capture)) {
            *link = pool->next;
            break;
        }
    pthread_mutex_unlock(&idle_lock);
    return pool;
}

static void add_thread_pool(struct kesco_pool *pool) {
    pool->next = thread_pools;
    thread_pools = pool;
    pthread_once(&key_once, make_key);
    pthread_setspecific(key, thread_pools);
}

static struct kesco_pool *find_pool(int device, const struct kesco_capture *capture) {
    struct kesco_pool *pool = find_thread_pool(device, capture);

    if (pool == NULL) {
        pool = take_idle_pool(device, capture);
        if (pool == NULL)
            pool = calloc(1, sizeof *pool);
        if (pool == NULL)
            return NULL;
        add_thread_pool(pool);
    }
    pool->device = device;
    pool->capture = *capture;
    return pool;
}

static cudaError_t grow_streams(struct kesco_streams *streams, uint32_t count, unsigned flags) {
    cudaStream_t *handles;
    cudaError_t error;

    if (streams->count >= count)
        return cudaSuccess;
    handles = realloc(streams->handles, count * sizeof *handles);
    if (handles == NULL)
        return cudaErrorMemoryAllocation;
    for (streams->handles = handles; streams->count < count; streams->count++) {
        error = cudaStreamCreateWithFlags(&handles[streams->count], flags);
        if (error != cudaSuccess)
            return error;
    }
    return cudaSuccess;
}

static cudaError_t grow_events(struct kesco_events *events, uint32_t count) {
    struct kesco_event *items;
    cudaError_t error;

    if (events->count >= count)
        return cudaSuccess;
    items = realloc(events->items, count * sizeof *items);
    if (items == NULL)
        return cudaErrorMemoryAllocation;
    for (events->items = items; events->count < count; events->count++) {
        items[events->count].recorded = 0;
        error = cudaEventCreateWithFlags(&items[events->count].handle, cudaEventDisableTiming);
        if (error != cudaSuccess)
            return error;
    }
    return cudaSuccess;
}

static bool has(const struct kesco_pool *pool, const struct kesco_need *need) {
    return pool->blocking.count >= need->blocking && pool->forked.count >= need->forked &&
           pool->joins.count >= need->forked && pool->events.count >= need->events && pool->point.count >= 1;
}

static cudaError_t grow_all(struct kesco_pool *pool, const struct kesco_need *need) {
    cudaError_t error = grow_events(&pool->point, 1);

    if (error == cudaSuccess)
        error = grow_streams(&pool->blocking, need->blocking, cudaStreamDefault);
    if (error == cudaSuccess)
        error = grow_streams(&pool->forked, need->forked, cudaStreamNonBlocking);
    if (error == cudaSuccess)
        error = grow_events(&pool->joins, need->forked);
    if (error == cudaSuccess)
        error = grow_events(&pool->events, need->events);
    return error;
}

/*
 * Calls that make something may be refused while any thread captures, and then spoil the capture, unless the
 * thread says that it knows what it does (CUDA Runtime API, cudaThreadExchangeStreamCaptureMode).
 */
static cudaError_t grow(struct kesco_pool *pool, const struct kesco_need *need) {
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    cudaError_t error = cudaThreadExchangeStreamCaptureMode(&mode), back;

    if (error != cudaSuccess)
        return error;
    error = grow_all(pool, need);
    back = cudaThreadExchangeStreamCaptureMode(&mode);
    return error != cudaSuccess ? error : back;
}

cudaError_t kesco_pool_acquire(const struct kesco_need *need, struct kesco_pool **result) {
    struct kesco_pool *pool;
    cudaError_t error;
    int device;

    error = cudaGetDevice(&device);
    if (error != cudaSuccess)
        return error;
    pool = find_pool(device, &need->capture);
    if (pool == NULL)
        return cudaErrorMemoryAllocation;
    *result = pool;
    return has(pool, need) ? cudaSuccess : grow(pool, need);
}

void kesco_pool_forget(struct kesco_pool *pool) {
    pool->blocking.count = 0;
    pool->forked.count = 0;
    pool->joins.count = 0;
    pool->events.count = 0;
    pool->point.count = 0;
}
