/* What kernels may have of dynamic shared memory, as the program says: launches are replayed by what CUDA
 * took before, which holds as long as that is not lowered. */
#include "runtime/region/region.h"

#include <pthread.h>

/* What each may have, if nothing is said (CUDA Programming Guide, "Shared Memory"). */
enum { USUAL = 48 << 10 };

/* Beyond so many kernels, each is taken to be one whose limit is lowered. */
enum { KERNELS = 128 };

static struct {
    const void *function;
    int most;
} known[KERNELS];
static uint32_t known_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* True if it may be less than before. */
static bool is_lowered(const void *function, int most) {
    bool result;
    uint32_t i;

    for (i = 0; i < known_count && known[i].function != function; i++)
        ;
    if (i == KERNELS)
        return true;
    if (i == known_count) {
        known_count++;
        known[i].function = function;
        known[i].most = USUAL;
    }
    result = most < known[i].most;
    known[i].most = most;
    return result;
}

void __kesco1_limit(const void *function, int attribute, int value) {
    bool lowers;

    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize)
        return;
    pthread_mutex_lock(&lock);
    lowers = is_lowered(function, value);
    pthread_mutex_unlock(&lock);
    if (!lowers)
        return;
    kesco_region_flush(&kesco_thread_region);
    kesco_replay_forget_all();
}
