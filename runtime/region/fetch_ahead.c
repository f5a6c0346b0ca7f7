#include "runtime/region/fetch_ahead.h"

#include "runtime/call.h"
#include "runtime/region/cost.h"
#include "runtime/region/purse.h"

#include <stdint.h>

/* For pools, the stream is a lane beside one that nobody has. */
#define NO_STREAM UINT64_MAX

/* The pool that has them; NULL: there are none. */
static const struct kesco_pool *find(const struct kesco_region *region, struct kesco_fetch_ahead *ahead) {
    const uint32_t event = region->lanes; /* after those by which the region's lanes join */
    const struct kesco_need need = {.forked = true, .origin = NO_STREAM, .streams = 1, .joins = event + 1};
    struct kesco_pool *pool;

    if (kesco_pool_acquire(&need, &pool, &ahead->stream) != cudaSuccess) {
        cudaGetLastError();
        return NULL;
    }
    ahead->arrived = pool->joins.items[event].handle;
    return pool;
}

bool kesco_fetch_ahead_find(const struct kesco_lanes *lanes, struct kesco_fetch_ahead *ahead) {
    return find(lanes->region, ahead) == lanes->pool;
}

/* Where nothing has been made yet, its price is paid. */
static bool affords(bool is_made) {
    const uint64_t price = kesco_cost(KESCO_COST_STREAM) + kesco_cost(KESCO_COST_EVENT);

    if (is_made)
        return true;
    if (!kesco_purse_affords(price))
        return false;
    kesco_purse_spend(price);
    return true;
}

bool kesco_fetch_ahead_is_wanted(cudaStream_t stream) {
    const bool is_busy = kesco_call_is_busy(stream);

    if (is_busy)
        cudaGetLastError();
    return is_busy;
}

bool kesco_fetch_ahead_find_alone(const struct kesco_region *region, bool *is_made,
                                  struct kesco_fetch_ahead *ahead) {
    if (!affords(*is_made))
        return false;
    *is_made = true;
    return find(region, ahead) != NULL;
}

/* Where CUDA refuses that, the op may fault on what has not come yet. */
void kesco_fetch_ahead_await(const struct kesco_fetch_ahead *ahead, cudaStream_t stream) {
    if (kesco_call_record(ahead->arrived, ahead->stream) == cudaSuccess)
        kesco_call_wait(stream == NULL ? cudaStreamLegacy : stream, ahead->arrived);
}
