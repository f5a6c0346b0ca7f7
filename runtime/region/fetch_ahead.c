#include "runtime/region/fetch_ahead.h"

#include "runtime/call.h"

#include <stdint.h>

/* For pools, the stream is a lane beside one that nobody has. */
#define NO_STREAM UINT64_MAX

bool kesco_fetch_ahead_find(const struct kesco_lanes *lanes, struct kesco_fetch_ahead *ahead) {
    const uint32_t event = lanes->region->lanes; /* after those by which the region's lanes join */
    const struct kesco_need need = {.forked = true, .origin = NO_STREAM, .streams = 1, .joins = event + 1};
    struct kesco_pool *pool;

    if (kesco_pool_acquire(&need, &pool, &ahead->stream) != cudaSuccess) {
        cudaGetLastError();
        return false;
    }
    ahead->arrived = pool->joins.items[event].handle;
    return pool == lanes->pool;
}

/* Where CUDA refuses that, the op may fault on what has not come yet. */
void kesco_fetch_ahead_await(const struct kesco_fetch_ahead *ahead, cudaStream_t stream) {
    if (kesco_call_record(ahead->arrived, ahead->stream) == cudaSuccess)
        kesco_call_wait(stream, ahead->arrived);
}
