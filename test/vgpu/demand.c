#include "test/vgpu/demand.h"

#include "test/vgpu/hardware.h"
#include "test/vgpu/properties.h"

#include <math.h>

struct demand demand_of_nothing(void) {
    return (struct demand){.engine = CLOCK_NO_ENGINE};
}

/* Of so many instructions, were all multiprocessors busy with them. */
static double issue_time(uint64_t instructions, double per_clock) {
    return (double)instructions / (per_clock * hardware->processors.count * hardware->processors.clock_mhz);
}

/* Of the floating-point units. */
static double unit_time(const struct op_counts *counts) {
    return fmax(issue_time(counts->work[VGPU_WORK_SINGLE], hardware->processors.singles),
                issue_time(counts->work[VGPU_WORK_DOUBLE], hardware->processors.doubles));
}

static double memory_time(double bytes, double warps) {
    const double latency_us = hardware->memory.latency / hardware->processors.clock_mhz;
    const double reached = warps * hardware->memory.warp_bytes / latency_us;
    return bytes > 0 ? fmax(bytes / fmin(reached, hardware->memory.rate), latency_us) : 0;
}

struct demand demand_of_kernel(const struct op_kernel *kernel, const struct op_counts *counts,
                               bool in_graph) {
    const struct cudaDeviceProp *device = properties();
    const double blocks = (double)counts->blocks;
    const int threads = (int)(kernel->block.x * kernel->block.y * kernel->block.z);
    const int lanes = (threads + device->warpSize - 1) / device->warpSize * device->warpSize;
    const size_t shared = kernel->kernel->static_shared + kernel->dynamic_shared;
    const double multiprocessors = device->multiProcessorCount;
    const double fitting = properties_blocks_per_multiprocessor(threads, shared) * multiprocessors;
    const double resident = fmin(blocks, fitting);
    const double places = multiprocessors * device->maxThreadsPerMultiProcessor;
    const double issue_us =
        issue_time(counts->work[VGPU_WORK_ALL], hardware->processors.issues) * lanes / threads;
    const double units_us = unit_time(counts) * lanes / threads;
    const double bytes = (double)(counts->traffic.read + counts->traffic.written);
    const double compute_us =
        fmax(issue_us / (resident * lanes / places), units_us / fmin(1, blocks / multiprocessors));
    const double memory_us = memory_time(bytes, resident * lanes / device->warpSize);
    const double run_us = fmax(compute_us, memory_us);
    const double kernel_us = hardware->device.kernel_us - (in_graph ? hardware->device.closer_us : 0);
    struct demand demand = {.engine = CLOCK_GRIDS, .alone_us = kernel_us + run_us};
    demand.uses[CLOCK_COMPUTE] = fmax(issue_us, units_us) / demand.alone_us;
    demand.uses[CLOCK_MEMORY] = bytes / hardware->memory.rate / demand.alone_us;
    demand.uses[CLOCK_RESIDENCE] = resident / fitting * run_us / demand.alone_us;
    return demand;
}

struct demand demand_of_signal(void) {
    return (struct demand){.engine = CLOCK_NO_ENGINE, .alone_us = hardware->device.signal_us};
}

static struct demand memory_traffic(double bytes) {
    struct demand demand = {.engine = CLOCK_NO_ENGINE, .alone_us = bytes / hardware->memory.rate};
    demand.uses[CLOCK_MEMORY] = 1;
    return demand;
}

struct demand demand_of_set(size_t bytes) {
    return memory_traffic((double)bytes);
}

struct demand demand_of_copy(enum route route, size_t bytes) {
    const double link_us = (double)bytes / hardware->link.rate;
    switch (route) {
    case ROUTE_TO_DEVICE:
        return (struct demand){.engine = CLOCK_TO_DEVICE, .alone_us = link_us};
    case ROUTE_TO_HOST:
        return (struct demand){.engine = CLOCK_TO_HOST, .alone_us = link_us};
    case ROUTE_TO_PEER:
        return (struct demand){.engine = CLOCK_TO_PEER, .alone_us = (double)bytes / hardware->link.peer_rate};
    case ROUTE_ON_DEVICE:
        return memory_traffic(2 * (double)bytes);
    case ROUTE_ON_HOST:
        return (struct demand){.engine = CLOCK_NO_ENGINE, .alone_us = demand_of_staging(bytes)};
    }
    return demand_of_nothing();
}

double demand_of_faults(size_t bytes, size_t faults) {
    const double places = faults > 0 ? fmax((double)faults, (double)bytes / FAULT_BYTES) : 0;
    const double pages = (double)bytes / PAGE_BYTES / fmax(1, places);
    return places * (1 + log2(fmax(1, fmin(pages, (double)FAULT_BYTES / PAGE_BYTES))));
}

struct demand demand_of_pages(enum route route, size_t bytes, double served) {
    struct demand demand = demand_of_copy(route, bytes);
    demand.alone_us += served * hardware->link.fault_us;
    return demand;
}

double demand_of_asking(size_t bytes, size_t moved) {
    const struct fetch_costs *costs = &hardware->fetches;
    const double look_us = costs->look_us + (double)bytes / costs->look_rate;
    return moved > 0 ? look_us + costs->move_us + (double)moved / costs->move_rate : look_us;
}

double demand_of_staging(size_t bytes) {
    return (double)bytes / hardware->link.staging_rate;
}
