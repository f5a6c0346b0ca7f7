#include "test/vgpu/hardware.h"

/*
 * The host, and how it reaches the device: the same for both models.
 *
 * read_us, call_us: estimates; a function that reads what the runtime holds is a few loads behind a lock.
 * clock_us: estimate: what the C library's function takes that asks no kernel.
 * mark_us: estimate between 0.25 without timing and 2.5 with it, that records took on a V100 (NVIDIA/NVTX,
 * issue 3).
 * queue_us, launch_us: estimates; in sum they are the "few microseconds" for which launches are known.
 * kernel_us: estimate below the 3 that a queued kernel costs on a GeForce 3080 (facebookincubator/velox, pull
 * request 6096).
 * signal_us: estimate below the 3 that two streams need to synchronise there (the same).
 * instantiate_us: 8.35 milliseconds for graphs of a language model, which have one to two thousand nodes
 * (kekzl/imp, issue 1647).
 * graph_us, node_us: between 2.5 microseconds and hardly anything a node (NVIDIA, "Constant Time Launch for
 * Straight-Line CUDA Graphs") and 15 with 0.58 a node on a laptop (ahrefs/ocannl, issue 488), by way of the
 * launches that one replaces, which are two or three.
 * An update of a node is a call that marks: estimate; 0.1 milliseconds for a graph as above (kekzl/imp, issue
 * 1895), less than 1 microsecond a node.
 * closer_us: 20 kernels of 2.9 microseconds each took 3.8 apiece in a stream and 3.4 in a graph on a V100
 * (NVIDIA, "Getting Started with CUDA Graphs").
 * staging_rate: estimate: one core's copying. With the link behind it, pageable memory goes to an H200 at 11
 * GB/s, a fifth of page-locked memory; reported are a half on PCIe 3.0 (rapidsai/dask-cuda, pull request 98)
 * and a sixth (microsoft/DeepSpeed, pull request 5301).
 * fault_us: estimate: "Towards High Performance Paged Memory for GPUs" (Zheng et al., HPCA 2016) and later
 * work put a fault at 20 to 50 microseconds. NVIDIA's driver serves them by blocks of 2 MiB
 * (NVIDIA/open-gpu-kernel-modules, UVM_VA_BLOCK_SIZE): one brings a page of 64 KiB, and the largest part of
 * the block, cut in halves, of which more than 51 percent are there then (uvm_perf_prefetch.c). Who goes
 * through a block in order has six served, so that it takes 180 microseconds beyond its bytes. On PCIe 3.0
 * that is as long as the bytes take: NVIDIA has prefetching "at least twice as fast" ("Maximizing Unified
 * Memory Performance in CUDA", as told in kokkos/kokkos, issue 2915).
 */
#define HOST                                                                                                 \
    .read_us = 0.05, .clock_us = 0.02, .mark_us = 0.8, .queue_us = 2, .call_us = 1, .launch_us = 5,          \
    .kernel_us = 2, .closer_us = 0.4, .signal_us = 1.5, .instantiate_us = 5, .graph_us = 3, .node_us = 0.1,  \
    .staging_rate = 14e3, .fault_us = 30

/*
 * Multiprocessors.
 *
 * issues: four schedulers issue one instruction of a warp each clock (architecture white papers). So a
 * thread, of 2048, is taken to run an instruction every 16 clocks: an estimate between dependent arithmetic,
 * 4 clocks (the microbenchmarks below), and shared memory and the first-level cache, about 30. singles,
 * doubles: CUDA Programming Guide, "Arithmetic Instructions", by compute capability. threads, blocks,
 * shared_bytes, resident_grids: the same guide, "Technical Specifications per Compute Capability". latency:
 * global memory, in "Benchmarking and Dissecting the Nvidia Hopper GPU Architecture" (Luo et al., arXiv
 * 2402.13499), on an A100 and an H100. warp_bytes: estimate: two accesses of 4 bytes by each thread.
 */
#define MULTIPROCESSOR                                                                                       \
    .issues = 128, .threads = 2048, .blocks = 32, .resident_grids = 128, .warp_bytes = 2 * 32 * 4

const struct hardware hardware_models[HARDWARE_MODELS] = {
    {
        .model = "h200",
        .name = "KeSCo virtual GPU (like an H200)",
        HOST,
        MULTIPROCESSOR,
        .capability = 90,
        .multiprocessors = 132, /* NVIDIA H100 Tensor Core GPU Architecture, SXM5; an H200 has its chip */
        .clock_mhz = 1980,      /* the same */
        .singles = 128,
        .doubles = 64,
        .shared_bytes = 228 << 10,
        .memory_rate = 4.8e6,    /* NVIDIA H200 data sheet: 4.8 TB/s */
        .memory_bus = 6144,      /* six stacks of 1024 bits */
        .memory_clock = 3201000, /* estimate */
        .cache_bytes = 60 << 20, /* estimate: what the whole chip has (H100 architecture) */
        .latency = 478.8,
        /* PCIe 5.0 x16 carries 63 GB/s; of that, copies see 53 on an H100 (NVIDIA/nvbandwidth, issue 24) and,
         * by the copy engine, an estimated 55. */
        .link_rate = 55e3,
        .peer_rate = 450e3, /* H200 data sheet: NVLink, 900 GB/s both ways together */
    },
    {
        .model = "a100",
        .name = "KeSCo virtual GPU (like an A100)",
        HOST,
        MULTIPROCESSOR,
        .capability = 80,
        .multiprocessors = 108, /* NVIDIA A100 Tensor Core GPU Architecture */
        .clock_mhz = 1410,      /* the same */
        .singles = 64,
        .doubles = 32,
        .shared_bytes = 164 << 10,
        .memory_rate = 1.555e6,  /* NVIDIA A100 data sheet, 40 GB: 1555 GB/s */
        .memory_bus = 5120,      /* five stacks of 1024 bits */
        .memory_clock = 1215000, /* as deviceQuery prints it for an A100-SXM4-40GB */
        .cache_bytes = 40 << 20, /* A100 architecture */
        .latency = 466.3,
        .link_rate = 25.1e3, /* PCIe 4.0 x16, on an A100-SXM4-40GB: NVIDIA/nvbandwidth, issue 42 */
        .peer_rate = 300e3,  /* A100 data sheet: NVLink, 600 GB/s both ways together */
    },
};

const struct hardware *hardware = &hardware_models[0];
