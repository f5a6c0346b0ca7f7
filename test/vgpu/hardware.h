/*
 * What the clock takes the machine for: an H200-like device behind PCIe 5.0. A model: it is there to show
 * which of two programs overlaps more, not to foretell a time. Where the numbers come from stands beside
 * them.
 */
#ifndef KESCO_TEST_VGPU_HARDWARE_H
#define KESCO_TEST_VGPU_HARDWARE_H

#include <stddef.h>

/* Bytes of managed memory that live in one place, and of those that one fault brings. */
enum { PAGE_BYTES = 64 << 10, FAULT_BYTES = 2 << 20 };

struct hardware {
    /* Host, in microseconds. */
    double call_us;   /* an API function */
    double queue_us;  /* an API function that queues work */
    double launch_us; /* from the call that queues work until a device that is idle begins it */

    /* Device. */
    double work_per_us;    /* instructions of threads, once every place for a thread is taken */
    double singles_per_us; /* floating-point instructions of threads, in single and in double precision */
    double doubles_per_us;
    double kernel_us;         /* a kernel that does nothing */
    double memory_latency_us; /* one access to the device's memory */
    double warp_bytes;        /* that a warp has in flight, on average, while it waits for memory */
    int resident_grids;       /* kernels at once */

    /* Bytes per microsecond, which is megabytes per second. */
    double memory_rate;  /* the device's memory, reading and writing together */
    double link_rate;    /* between host and device, each way, page-locked memory */
    double staging_rate; /* the host's copying between pageable and page-locked memory */
    double peer_rate;    /* from one device to another */

    /* Managed memory. */
    double fault_us; /* one fault of device or host, without the bytes that it brings */
};

extern const struct hardware hardware;

#endif
