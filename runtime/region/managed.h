/*
 * Devices with concurrent managed access, and others. On the others, the host may touch no managed memory
 * while any kernel runs, be it one that does not use it (CUDA Programming Guide, "Unified Memory": "GPU
 * Exclusive Access To Managed Memory").
 */
#ifndef KESCO_RUNTIME_REGION_MANAGED_H
#define KESCO_RUNTIME_REGION_MANAGED_H

#include <stdbool.h>

/*
 * True if the device has concurrent managed access (cudaDevAttrConcurrentManagedAccess). Each device is asked
 * once; one that cannot tell has none. CUDA's last error stays as it is.
 */
bool kesco_managed_is_concurrent(int device);

#endif
