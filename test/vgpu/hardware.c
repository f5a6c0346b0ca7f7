#include "test/vgpu/hardware.h"

const struct hardware hardware = {
    /* Estimates; in sum they are the "few microseconds" for which launches are known. */
    .call_us = 1,
    .queue_us = 2,
    .launch_us = 5,

    /* 132 multiprocessors of 128 lanes at 1.98 GHz (H200: properties.c; 128 FP32 lanes: CUDA Programming
     * Guide, "Technical Specifications per Compute Capability"). So a thread is taken to run an instruction
     * every 2048 / 128 = 16 clocks: an estimate between arithmetic and memory. */
    .work_per_us = 132 * 128 * 1980.0,
    /* Results per clock and multiprocessor: CUDA Programming Guide, "Arithmetic Instructions", 9.0. */
    .singles_per_us = 132 * 128 * 1980.0,
    .doubles_per_us = 132 * 64 * 1980.0,
    .kernel_us = 2, /* estimate */
    /* 479 clocks on an H100: "Benchmarking and Dissecting the Nvidia Hopper GPU Architecture via
     * Microbenchmarking" (Luo et al., IPDPS 2024, arXiv 2402.13499), global memory. */
    .memory_latency_us = 478.8 / 1980,
    .warp_bytes = 2 * 32 * 4, /* estimate: two accesses of 4 bytes by each thread */
    .resident_grids = 128,    /* same table of the guide: resident grids per device */

    .memory_rate = 4.8e6, /* NVIDIA H200 data sheet: 4.8 TB/s */
    /* PCIe 5.0 x16 carries 63 GB/s; of that, copies see 53 on an H100 (NVIDIA/nvbandwidth, issue 24) and, by
     * the copy engine, an estimated 55. */
    .link_rate = 55e3,
    /* Estimate: one core's copying. With the link behind it, pageable memory goes at 11 GB/s, a fifth of
     * page-locked memory; reported are a half on PCIe 3.0 (rapidsai/dask-cuda, pull request 98) and a sixth
     * (microsoft/DeepSpeed, pull request 5301). */
    .staging_rate = 14e3,
    .peer_rate = 450e3, /* H200 data sheet: NVLink, 900 GB/s both ways together */

    /* Estimate: "Towards High Performance Paged Memory for GPUs" (Zheng et al., HPCA 2016) and later work put
     * a fault at 20 to 50 microseconds. That it brings up to 2 MiB, in pages of 64 KiB, is how NVIDIA's
     * driver cuts managed memory up (NVIDIA/open-gpu-kernel-modules, UVM_VA_BLOCK_SIZE, and its prefetching).
     */
    .fault_us = 30,
};
