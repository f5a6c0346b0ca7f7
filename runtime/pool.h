/*
 * The streams and events that regions use: made at first need, kept, and used again. A pool belongs to one
 * host thread and one device at a time, so no two threads ever share an event; when a thread ends, its pools
 * wait for the next thread that needs one.
 */
#ifndef KESCO_RUNTIME_POOL_H
#define KESCO_RUNTIME_POOL_H

#include <cuda_runtime_api.h>
#include <stdint.h>

struct kesco_pool {
    struct kesco_pool *next; /* in the thread's list, or in the list of pools that no thread holds */
    cudaStream_t *streams;   /* blocking streams, lane by lane */
    cudaEvent_t *events;     /* events without timing */
    cudaEvent_t order;       /* recorded on the default stream where a region begins and ends */
    uint32_t stream_count;   /* entries in streams */
    uint32_t event_count;    /* entries in events */
    int device;              /* the device that all of them live on */
};

/*
 * Gives in `*result` the calling thread's pool for the current device, with at least `streams` streams and
 * `events` events. The runtime keeps it. Returns cudaSuccess or the error of the CUDA call that refused; a
 * pool half grown is kept and grown further the next time.
 */
cudaError_t kesco_pool_acquire(uint32_t streams, uint32_t events, struct kesco_pool **result);

/*
 * Forgets all handles of `pool` without giving them back to CUDA: for when cudaDeviceReset has already
 * destroyed them.
 */
void kesco_pool_forget(struct kesco_pool *pool);

#endif
