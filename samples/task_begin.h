/*
 * Programs of several tasks (mp1, mp2) take in samples as they are, each in a namespace of its own:
 *
 *   #define TASK_PRIORITY 2
 *   #include "samples/task_begin.h"
 *   namespace bs {
 *   #include "samples/bs.cu"
 *   }
 *   #include "samples/task_end.h"
 *
 * In between, kernels have TASK_PRIORITY (kesco.h); task_end.h takes back that and the samples' own macros.
 * What samples include is included before, outside the namespace.
 */
#include <kesco.h>

#pragma push_macro("__global__")
#undef __global__
#define __global__ KESCO_PRIORITY(TASK_PRIORITY) __attribute__((global))
