#include "test/vgpu/hardware.h"

/*
 * The host, and how it reaches the device: the same for both models. "Measured" is on an H100 (SXM5, 80 GB)
 * of a virtual machine with PCIe 5.0 x16, driver 580.159, CUDA 13.0, 2026-11-26, medians of some thousand
 * calls.
 *
 * - read_us: measured: 0.09 for cudaGetLastError, 0.14 for cudaGetDevice and cudaStreamGetId, 0.2 to 0.3
 *   for queries of streams and events.
 * - call_us: measured: 1.0 for cudaDeviceSynchronize with nothing to wait for, 0.3 for an event that is
 *   made.
 * - clock_us: estimate: what the C library's function takes that asks no kernel.
 * - mark_us: measured: a record and another stream's wait between two launches add 1.8 to them; each
 *   alone takes 0.16, and a record with its time 0.87.
 * - queue_us: measured: 3.5 for a launch, also beside others on as many as 16 streams; 0.8 for a memset,
 *   1.6 to 4.4 for a copy.
 * - look_us, look_rate, move_us, move_rate: measured: a prefetch of what is there takes 4.5 to 5.0 up to 2
 * MiB, 31 for 32 MiB and 103 for 128 MiB; of what has to come, 14.6 for a page of the host's, 18 for 64 KiB,
 * 33 for 2 MiB, 395 for 32 MiB and 1629 for 128 MiB.
 * - stream_us, channels_us: measured: of 24 streams made one after the other, those that shared what the
 *   driver had made took 2.4 to 5.7, and every fourth, from the second on, 55 to 160.
 * - launch_us: measured: a launch and the wait for it take 9.4.
 * - kernel_us, closer_us: measured: kernels that do nothing follow each other by 1.85 in a stream, by
 *   0.98 in a graph, in a chain.
 * - signal_us: measured: where they alternate between two streams by events, by 2.0.
 * - graphs.instantiate: measured: 4.5 to 6 a node, from 16 nodes on, in chains; up to 17 where all nodes are
 *   independent. The first graph of ten independent nodes took 990, which is 80 more for each.
 * - graphs.launch, launch_us: measured: 1.7 to 3.7, with 0.03 a node in chains; where nodes are independent,
 *   0.9 to 1.3 a node. An update of a node is a call that marks: measured: 0.3 to 0.65.
 * - staging_rate: estimate: one core's copying. With the link behind it, pageable memory goes to an H200
 *   at 11 GB/s; measured are 7.5 to 10.7.
 * - fault_us: estimate: "Towards High Performance Paged Memory for GPUs" (Zheng et al., HPCA 2016) and
 *   later work put a fault at 20 to 50 microseconds. NVIDIA's driver serves them by blocks of 2 MiB
 *   (NVIDIA/open-gpu-kernel-modules, UVM_VA_BLOCK_SIZE): one brings a page of 64 KiB, and the largest
 *   part of the block, cut in halves, of which more than 51 percent are there then (uvm_perf_prefetch.c).
 *   Who goes through a block in order has six served, so that it takes 180 microseconds beyond its bytes;
 *   measured are 33 for a first page, 300 with the bytes of a block. On PCIe 3.0 that is as long as the
 *   bytes take: NVIDIA has prefetching "at least twice as fast" ("Maximizing Unified Memory Performance
 *   in CUDA", as told in kokkos/kokkos, issue 2915).
 */
#define HOST                                                                                                 \
    .host.read_us = 0.1, .host.clock_us = 0.02, .host.mark_us = 0.8, .host.queue_us = 3.5,                   \
    .host.call_us = 1, .fetches.look_us = 1.2, .fetches.look_rate = 1.35e6, .fetches.move_us = 9.5,          \
    .fetches.move_rate = 90e3, .host.stream_us = 3, .host.channels_us = 75, .device.launch_us = 6.5,         \
    .device.kernel_us = 1.85, .device.closer_us = 0.87, .device.signal_us = 0.2, .graphs.launch_us = 3,      \
    .graphs.instantiate = {5, 17}, .graphs.launch = {0.03, 1}, .link.staging_rate = 14e3,                    \
    .link.fault_us = 30

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
    .processors.issues = 128, .processors.threads = 2048, .processors.blocks = 32,                           \
    .processors.resident_grids = 128, .memory.warp_bytes = 2 * 32 * 4

const struct hardware hardware_models[HARDWARE_MODELS] = {
    {
        .model = "h200",
        .name = "KeSCo virtual GPU (like an H200)",
        HOST,
        MULTIPROCESSOR,
        .processors.capability = 90,
        .processors.count = 132, /* NVIDIA H100 Tensor Core GPU Architecture, SXM5; an H200 has its chip */
        .processors.clock_mhz = 1980, /* the same */
        .processors.singles = 128,
        .processors.doubles = 64,
        .processors.shared_bytes = 228 << 10,
        .memory.rate = 4.8e6,           /* NVIDIA H200 data sheet: 4.8 TB/s */
        .memory.bus = 6144,             /* six stacks of 1024 bits */
        .memory.clock = 3201000,        /* estimate */
        .memory.cache_bytes = 60 << 20, /* estimate: what the whole chip has (H100 architecture) */
        .memory.latency = 478.8,
        /* PCIe 5.0 x16 carries 63 GB/s; of that, copies see 53 on an H100 (NVIDIA/nvbandwidth, issue 24) and,
         * by the copy engine, an estimated 55. */
        .link.rate = 55e3,
        .link.peer_rate = 450e3, /* H200 data sheet: NVLink, 900 GB/s both ways together */
    },
    {
        .model = "a100",
        .name = "KeSCo virtual GPU (like an A100)",
        HOST,
        MULTIPROCESSOR,
        .processors.capability = 80,
        .processors.count = 108,      /* NVIDIA A100 Tensor Core GPU Architecture */
        .processors.clock_mhz = 1410, /* the same */
        .processors.singles = 64,
        .processors.doubles = 32,
        .processors.shared_bytes = 164 << 10,
        .memory.rate = 1.555e6,         /* NVIDIA A100 data sheet, 40 GB: 1555 GB/s */
        .memory.bus = 5120,             /* five stacks of 1024 bits */
        .memory.clock = 1215000,        /* as deviceQuery prints it for an A100-SXM4-40GB */
        .memory.cache_bytes = 40 << 20, /* A100 architecture */
        .memory.latency = 466.3,
        .link.rate = 25.1e3,     /* PCIe 4.0 x16, on an A100-SXM4-40GB: NVIDIA/nvbandwidth, issue 42 */
        .link.peer_rate = 300e3, /* A100 data sheet: NVLink, 600 GB/s both ways together */
    },
};

const struct hardware *hardware = &hardware_models[0];
