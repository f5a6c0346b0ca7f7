/*
 * A libcudart that does nothing: every call succeeds and takes as long as it is told to. What host code costs
 * beside its CUDA calls is measured over it (host_cost.c).
 */
#ifndef KESCO_TEST_BENCH_NULL_CUDART_H
#define KESCO_TEST_BENCH_NULL_CUDART_H

#include <stdint.h>

/* Rounds of an empty loop in each call. */
struct null_cudart_costs {
    uint64_t launch; /* in cudaLaunchKernel */
    uint64_t event;  /* in cudaEventRecord and cudaStreamWaitEvent */
    uint64_t graph;  /* in cudaGraphLaunch */
    uint64_t query;  /* in calls that only look something up */
};

void null_cudart_set_costs(const struct null_cudart_costs *costs);

#endif
