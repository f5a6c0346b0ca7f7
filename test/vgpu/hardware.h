/*
 * What the clock takes the machine for: one of two models of a device, behind PCIe, and its host. They are
 * there to show which of two programs overlaps more, not to foretell a time. Where the numbers come from
 * stands beside them; they are not fitted to any program.
 */
#ifndef KESCO_TEST_VGPU_HARDWARE_H
#define KESCO_TEST_VGPU_HARDWARE_H

#include <stddef.h>

/*
 * Bytes of managed memory: a page of the host's, of which no part moves alone
 * (NVIDIA/open-gpu-kernel-modules, uvm_va_block.h, by PAGE_SIZE); what lives in one place; and a
 * neighbourhood, which faults bring part by part.
 */
enum { HOST_PAGE_BYTES = 4 << 10, PAGE_BYTES = 64 << 10, FAULT_BYTES = 2 << 20 };

/* So many streams share the channels that are made for them, by the second. */
enum { STREAMS_OF_CHANNELS = 4 };

/* What the host spends, in microseconds. */
struct host_costs {
    /* On an API function, by its kind (api_list.h). */
    double read_us;  /* API_READS */
    double mark_us;  /* API_MARKS */
    double queue_us; /* other API_QUEUES */
    double call_us;  /* any other */
    double clock_us; /* until a clock can be read again */
    /* What it takes to make a stream: most share channels to the device; each fourth has some made, and each
       branch beside others that a graph is the first to have. */
    double stream_us, channels_us;
};

/* What the host spends on cudaMemPrefetchAsync, beyond what the call itself takes, in microseconds, and bytes
 * per microsecond: to look where pages are, and to have them moved. */
struct fetch_costs {
    double look_us, look_rate;
    double move_us, move_rate;
};

/* For a node of a graph: that goes on with one that it depends on; that begins a branch. */
struct node_costs {
    double next_us, branch_us;
};

/* What the host spends on graphs, beyond what the call itself takes, in microseconds. */
struct graph_costs {
    struct node_costs instantiate, launch; /* by node */
    double launch_us;                      /* to launch one, beside that */
};

/* Between host and device, and on the device, in microseconds. */
struct device_costs {
    double launch_us; /* from the call that queues work until a device that is idle begins it */
    double kernel_us; /* a kernel that does nothing */
    double closer_us; /* what less of that it takes in a graph */
    double signal_us; /* from the end of an event's record until another stream that waits for it goes on */
};

/* Multiprocessors. */
struct processors {
    int capability; /* compute capability: 10 * major + minor */
    int count;
    double clock_mhz;
    double issues;      /* instructions of threads per clock and multiprocessor, once every place is taken */
    double singles;     /* of them, floating-point arithmetic in single precision */
    double doubles;     /* and in double precision */
    int threads;        /* places for threads of a multiprocessor */
    int blocks;         /* places for blocks of a multiprocessor */
    int shared_bytes;   /* shared memory of a multiprocessor */
    int resident_grids; /* kernels at once */
};

/* The device's memory. Rates are bytes per microsecond, which is megabytes per second. */
struct device_memory {
    double rate;       /* reading and writing together */
    int bus;           /* bits */
    int clock;         /* kHz */
    int cache_bytes;   /* second-level cache */
    double latency;    /* one access, in clocks */
    double warp_bytes; /* that a warp has in flight, on average, while it waits for memory */
};

/* The way between memories. */
struct memory_link {
    double rate;         /* between host and device, each way, page-locked memory */
    double staging_rate; /* the host's copying between pageable and page-locked memory */
    double peer_rate;    /* from one device to another */
    double fault_us;     /* serving one fault of device or host, without the bytes that it brings */
};

struct hardware {
    const char *model; /* VGPU_DEVICE_MODEL's word for it */
    const char *name;  /* cudaGetDeviceProperties' */
    struct host_costs host;
    struct fetch_costs fetches;
    struct graph_costs graphs;
    struct device_costs device;
    struct processors processors;
    struct device_memory memory;
    struct memory_link link;
};

/* The model in use. */
extern const struct hardware *hardware;

enum { HARDWARE_MODELS = 2 };
extern const struct hardware hardware_models[HARDWARE_MODELS];

#endif
