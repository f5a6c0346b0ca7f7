#include "runtime/region/pool.h"

#include "runtime/environment.h"
#include "runtime/region/attention.h"
#include "runtime/region/cost.h"

#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t idle_lock = PTHREAD_MUTEX_INITIALIZER;
static struct kesco_pool *idle_pools; /* guarded by idle_lock */
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool key_is_gone; /* guarded by idle_lock */
static _Thread_local struct kesco_pool *thread_pools;

static void forget_streams(struct kesco_streams *streams) {
    uint32_t level;

    for (level = 0; level < KESCO_LEVELS_MOST; level++)
        streams[level].count = 0;
}

void kesco_pool_forget(struct kesco_pool *pool) {
    uint32_t i;

    forget_streams(pool->blocking);
    for (i = 0; i < pool->sets.count; i++) {
        forget_streams(pool->sets.items[i].levels);
        pool->sets.items[i].taken = false;
    }
    pool->joins.count = 0;
    pool->events.count = 0;
    pool->point.count = 0;
    pool->witness.is_chosen = false;
}

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

/* Forgets what a reset of the device has destroyed. */
static cudaError_t check_life(struct kesco_pool *pool) {
    cudaError_t error;
    bool is_gone;

    if (!pool->witness.is_chosen)
        return cudaSuccess;
    error = kesco_witness_ask(&pool->witness, &is_gone);
    if (error != cudaSuccess || !is_gone)
        return error;
    kesco_log("the device was reset: streams and events are made anew");
    kesco_pool_forget(pool);
    return cudaSuccess;
}

/* True if no stream of these is in a capture any more. */
static bool capture_has_left(const struct kesco_streams *streams) {
    enum cudaStreamCaptureStatus status;
    uint32_t i;

    for (i = 0; i < streams->count; i++) {
        if (cudaStreamIsCapturing(streams->handles[i], &status) != cudaSuccess) {
            cudaGetLastError();
            return false;
        }
        if (status != cudaStreamCaptureStatusNone)
            return false;
    }
    return true;
}

/* True if no stream of the pool is in a capture any more. */
static bool capture_has_ended(struct kesco_pool *pool) {
    bool ended = true;
    uint32_t i, level;

    if (check_life(pool) != cudaSuccess) {
        cudaGetLastError();
        return false;
    }
    for (i = 0; i < pool->sets.count; i++)
        for (level = 0; level < KESCO_LEVELS_MOST && ended; level++)
            ended = capture_has_left(&pool->sets.items[i].levels[level]);
    return ended;
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
    pthread_mutex_lock(&idle_lock);
    if (!key_is_gone)
        pthread_setspecific(key, thread_pools);
    pthread_mutex_unlock(&idle_lock);
}

/* The pool of a capture that has ended is nobody's. */
static void begin_capture(struct kesco_pool *pool, const struct kesco_capture *capture) {
    uint32_t i;

    pool->capture = *capture;
    for (i = 0; i < pool->sets.count; i++)
        pool->sets.items[i].taken = false;
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
    if (!belongs(pool, device, capture))
        begin_capture(pool, capture);
    return pool;
}

/*
 * How many levels the device's stream priorities tell apart. Priorities are numbers that fall as they get
 * greater; those of a device without any are all the same.
 */
static uint32_t find_levels(struct kesco_pool *pool) {
    int greatest;
    cudaError_t error;

    if (pool->priorities.levels != 0)
        return pool->priorities.levels;
    error = cudaDeviceGetStreamPriorityRange(&pool->priorities.least, &greatest);
    if (error != cudaSuccess) {
        cudaGetLastError();
        kesco_log("lanes have no priorities: %s", cudaGetErrorName(error));
        return 1;
    }
    pool->priorities.levels =
        pool->priorities.least <= greatest ? 1 : (uint32_t)(pool->priorities.least - greatest) + 1;
    if (pool->priorities.levels > KESCO_LEVELS_MOST)
        pool->priorities.levels = KESCO_LEVELS_MOST;
    return pool->priorities.levels;
}

/* A need, by level. */
struct levels {
    uint32_t count; /* levels that are told apart */
    uint32_t streams[KESCO_LEVELS_MOST];
};

static uint32_t level_of(const struct kesco_need *need, uint32_t stream, uint32_t levels) {
    uint32_t level = need->levels == NULL ? 0 : need->levels[stream];

    return level < levels ? level : levels - 1;
}

static struct levels count_levels(struct kesco_pool *pool, const struct kesco_need *need) {
    struct levels levels = {.count = need->levels == NULL ? 1 : find_levels(pool)};
    uint32_t i;

    for (i = 0; i < need->streams; i++)
        levels.streams[level_of(need, i, levels.count)]++;
    return levels;
}

static cudaError_t make_stream(const struct kesco_pool *pool, cudaStream_t *stream, unsigned flags,
                               uint32_t level) {
    if (level == 0)
        return cudaStreamCreateWithFlags(stream, flags);
    return cudaStreamCreateWithPriority(stream, flags, pool->priorities.least - (int)level);
}

static cudaError_t grow_streams(const struct kesco_pool *pool, struct kesco_streams *streams, uint32_t count,
                                unsigned flags, uint32_t level) {
    const uint32_t there = streams->count;
    cudaStream_t *handles;
    cudaError_t error;
    uint64_t began;

    if (streams->count >= count)
        return cudaSuccess;
    handles = realloc(streams->handles, count * sizeof *handles);
    if (handles == NULL)
        return cudaErrorMemoryAllocation;
    began = kesco_attention_now();
    for (streams->handles = handles; streams->count < count; streams->count++) {
        error = make_stream(pool, &handles[streams->count], flags, level);
        if (error != cudaSuccess)
            return error;
    }
    kesco_cost_note_some(KESCO_COST_STREAM, count - there, kesco_attention_now() - began, 0);
    return cudaSuccess;
}

static cudaError_t grow_events(struct kesco_events *events, uint32_t count) {
    const uint32_t there = events->count;
    struct kesco_event *items;
    cudaError_t error;
    uint64_t began;

    if (events->count >= count)
        return cudaSuccess;
    items = realloc(events->items, count * sizeof *items);
    if (items == NULL)
        return cudaErrorMemoryAllocation;
    began = kesco_attention_now();
    for (events->items = items; events->count < count; events->count++) {
        items[events->count].recorded = 0;
        error = cudaEventCreateWithFlags(&items[events->count].handle, cudaEventDisableTiming);
        if (error != cudaSuccess)
            return error;
    }
    kesco_cost_note_some(KESCO_COST_EVENT, count - there, kesco_attention_now() - began, 0);
    return cudaSuccess;
}

static bool are_idle(const struct kesco_streams *streams) {
    uint32_t i;

    for (i = 0; i < streams->count; i++)
        if (cudaStreamQuery(streams->handles[i]) != cudaSuccess) {
            cudaGetLastError();
            return false;
        }
    return true;
}

static bool is_idle(const struct kesco_lane_set *set) {
    uint32_t level;

    for (level = 0; level < KESCO_LEVELS_MOST; level++)
        if (!are_idle(&set->levels[level]))
            return false;
    return true;
}

/* NULL: all have work, or the query was refused. The rules are those of grow. */
static struct kesco_lane_set *find_idle_set(struct kesco_pool *pool) {
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    struct kesco_lane_set *found = NULL;
    uint32_t i;

    if (cudaThreadExchangeStreamCaptureMode(&mode) == cudaSuccess) {
        for (i = 0; i < pool->sets.count && found == NULL; i++)
            if (is_idle(&pool->sets.items[i]))
                found = &pool->sets.items[i];
        if (cudaThreadExchangeStreamCaptureMode(&mode) == cudaSuccess)
            return found;
    }
    cudaGetLastError();
    return NULL;
}

/* A set that nobody needs any more. What is captured cannot be asked, and few sets are soon made. */
static struct kesco_lane_set *find_free_set(struct kesco_pool *pool) {
    struct kesco_lane_set *found = NULL;
    uint32_t i;

    for (i = 0; i < pool->sets.count; i++)
        if (!pool->sets.items[i].taken)
            return &pool->sets.items[i];
    if (!pool->capture.active && pool->sets.count >= KESCO_SETS_FEW)
        found = find_idle_set(pool);
    return found != NULL || pool->sets.count == KESCO_SETS_MOST ? found
                                                                : &pool->sets.items[pool->sets.count++];
}

/* The set of lanes beside `origin`. NULL: there is none. */
static struct kesco_lane_set *find_set(struct kesco_pool *pool, unsigned long long origin) {
    struct kesco_lane_set *found;
    uint32_t i;

    for (i = 0; i < pool->sets.count; i++)
        if (pool->sets.items[i].taken && pool->sets.items[i].origin == origin)
            return &pool->sets.items[i];
    found = find_free_set(pool);
    if (found != NULL) {
        found->taken = true;
        found->origin = origin;
    }
    return found;
}

/* The streams to choose from, by level. NULL: there are none. */
static struct kesco_streams *find_streams(struct kesco_pool *pool, const struct kesco_need *need) {
    struct kesco_lane_set *set;

    if (!need->forked)
        return pool->blocking;
    set = find_set(pool, need->origin);
    return set == NULL ? NULL : set->levels;
}

static bool has(const struct kesco_pool *pool, const struct kesco_streams *streams,
                const struct kesco_need *need, const struct levels *levels) {
    uint32_t level;

    for (level = 0; level < levels->count; level++)
        if (streams[level].count < levels->streams[level])
            return false;
    return pool->joins.count >= need->joins && pool->events.count >= need->events && pool->point.count >= 1;
}

static cudaError_t grow_all(struct kesco_pool *pool, struct kesco_streams *streams,
                            const struct kesco_need *need, const struct levels *levels) {
    const unsigned flags = need->forked ? cudaStreamNonBlocking : cudaStreamDefault;
    cudaError_t error = grow_events(&pool->point, 1);
    uint32_t level;

    for (level = 0; level < levels->count && error == cudaSuccess; level++)
        error = grow_streams(pool, &streams[level], levels->streams[level], flags, level);
    if (error == cudaSuccess)
        error = grow_events(&pool->joins, need->joins);
    if (error == cudaSuccess)
        error = grow_events(&pool->events, need->events);
    return error;
}

/*
 * Calls that make something may be refused while any thread captures, and then spoil the capture, unless the
 * thread says that it knows what it does (CUDA Runtime API, cudaThreadExchangeStreamCaptureMode).
 */
static cudaError_t grow(struct kesco_pool *pool, struct kesco_streams *streams, const struct kesco_need *need,
                        const struct levels *levels) {
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    cudaError_t error = cudaThreadExchangeStreamCaptureMode(&mode), back;

    if (error != cudaSuccess)
        return error;
    error = grow_all(pool, streams, need, levels);
    back = cudaThreadExchangeStreamCaptureMode(&mode);
    return error != cudaSuccess ? error : back;
}

static void hand_out(const struct kesco_streams *from, const struct kesco_need *need,
                     const struct levels *levels, cudaStream_t *streams) {
    uint32_t given[KESCO_LEVELS_MOST] = {0};
    uint32_t i, level;

    for (i = 0; i < need->streams; i++) {
        level = level_of(need, i, levels->count);
        streams[i] = from[level].handles[given[level]++];
    }
}

/* What is made is to be known as gone one day, so its witness comes first. */
static cudaError_t ensure_life(struct kesco_pool *pool) {
    const cudaError_t error = check_life(pool);

    return error != cudaSuccess || pool->witness.is_chosen
               ? error
               : kesco_witness_choose(&pool->witness, pool->device);
}

cudaError_t kesco_pool_acquire(const struct kesco_need *need, struct kesco_pool **result,
                               cudaStream_t *streams) {
    struct kesco_streams *from;
    struct kesco_pool *pool;
    struct levels levels;
    cudaError_t error;
    int device;

    error = cudaGetDevice(&device);
    if (error != cudaSuccess)
        return error;
    pool = find_pool(device, &need->capture);
    if (pool == NULL)
        return cudaErrorMemoryAllocation;
    *result = pool;
    error = ensure_life(pool);
    if (error != cudaSuccess)
        return error;
    from = find_streams(pool, need);
    if (from == NULL)
        return cudaErrorNotReady;
    levels = count_levels(pool, need);
    if (!has(pool, from, need, &levels))
        error = grow(pool, from, need, &levels);
    if (error != cudaSuccess)
        return error;
    hand_out(from, need, &levels, streams);
    return cudaSuccess;
}

void kesco_pools_stay(void) {
    pthread_once(&key_once, make_key);
    pthread_mutex_lock(&idle_lock);
    if (!key_is_gone)
        pthread_key_delete(key);
    key_is_gone = true;
    pthread_mutex_unlock(&idle_lock);
}
