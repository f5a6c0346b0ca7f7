/*
 * What ops ask of the machine (hardware.h), in the words of the clock: which engine, how long alone, and
 * which share of what. The place for more detail: another resource is an entry of enum clock_resource and a
 * line here.
 */
#ifndef KESCO_TEST_VGPU_DEMAND_H
#define KESCO_TEST_VGPU_DEMAND_H

#include "test/vgpu/clock.h"
#include "test/vgpu/op.h"

struct demand {
    enum clock_engine engine;
    double alone_us;
    double uses[CLOCK_RESOURCES];
};

/* Nothing: it only takes its place in the order. */
struct demand demand_of_nothing(void);

/*
 * A kernel that has run. It takes its start, and then as long as the slowest of these:
 *   - its instructions, at the rate of the places for threads that its resident blocks take, in whole warps;
 * and its floating-point arithmetic, at its units' rate on the multiprocessors that have blocks;
 *   - its traffic (traffic.h), at the rate that the loads and stores in flight of its resident warps reach
 *     (Little's law), at most the memory's;
 *   - one access to memory, if it makes any.
 * Blocks beyond those that are resident flow in as others end; a last wave that leaves multiprocessors idle
 * costs nothing here, nor does one thread that takes longer than others. Of compute and memory it uses what
 * it needs on average, and of the places for blocks what its resident blocks take of those that would fit.
 * What it leaves free, others can use.
 *
 * Instructions are those of threads, so that a warp whose threads part costs what they run in sum; integer
 * arithmetic goes at the rate of all instructions, because what the compiler's integers become is not known.
 */
struct demand demand_of_kernel(const struct op_kernel *kernel, const struct op_counts *counts, bool in_graph);

/* An event's record, until another stream that waits for it goes on. */
struct demand demand_of_signal(void);

struct demand demand_of_set(size_t bytes);

/* Where bytes go. */
enum route { ROUTE_TO_DEVICE, ROUTE_TO_HOST, ROUTE_TO_PEER, ROUTE_ON_DEVICE, ROUTE_ON_HOST };

/* Bytes that are copied, or pages that are brought while so many faults are served. */
struct demand demand_of_copy(enum route route, size_t bytes);
struct demand demand_of_pages(enum route route, size_t bytes, double served);

/*
 * How many faults the driver serves to bring pages of so many neighbourhoods of FAULT_BYTES, or as many as
 * the bytes fill, as the device goes through them: the first one brings a page, the second one another, and
 * each that follows as much as is there already.
 */
double demand_of_faults(size_t bytes, size_t faults);

/* The host asks for a prefetch of so many bytes, of which so many have to be moved, in microseconds. */
double demand_of_asking(size_t bytes, size_t moved);

/* The host copies between pageable and page-locked memory, in microseconds. */
double demand_of_staging(size_t bytes);

#endif
