/*
 * The calls that the plugin writes into a program, and nothing else: the ABI between compiler and runtime.
 * The names are versioned by the number behind kesco; a change of meaning gets a new number.
 *
 * A region instance belongs to the host thread that began it and lives until its end call. All its ops were
 * asked for on the legacy default stream. No call fails: where CUDA refuses a stream or an event, the region
 * falls back to the serial program (every lane is the default stream), and CUDA's last error is left as the
 * serial program would leave it.
 */
#ifndef KESCO_ABI_H
#define KESCO_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One run of a region by one host thread. Owned by the runtime. */
struct kesco_region;

/*
 * Begins a region that uses `lanes` lanes (1 to 256) and `events` events. Orders the region behind all
 * earlier work of blocking streams on the current device, as a launch on the legacy default stream would be
 * (CUDA Runtime API, "Stream synchronization behavior"). Never returns NULL.
 */
struct kesco_region *__kesco1_region_begin(uint32_t lanes, uint32_t events);

/* The stream (a cudaStream_t) of `lane`, to launch on. NULL, the default stream, when the region fell back.
 */
void *__kesco1_lane(struct kesco_region *region, uint32_t lane);

/* Records `event` behind what `lane` has so far. */
void __kesco1_record(struct kesco_region *region, uint32_t event, uint32_t lane);

/* Lets `lane` wait for the latest record of `event` in this region. */
void __kesco1_wait(struct kesco_region *region, uint32_t event, uint32_t lane);

/* What __kesco1_guard is told of an object. */
enum {
    KESCO_GUARD_CHECKED = 1, /* the compiler could not tell it from the other objects */
    KESCO_GUARD_WRITTEN = 2, /* some op of the region writes it */
};

/*
 * The alias guard, called right before a launch for each pointer that it is given: `object` is the plan's
 * number for the object that `pointer` leads into; `flags` are KESCO_GUARD_. The plan takes objects of
 * different numbers for different memory. Where a checked one shares an allocation with another, and either
 * is written, or where the driver cannot say, the launch is ordered behind all of the region so far, and the
 * rest of the region runs serially.
 */
void __kesco1_guard(struct kesco_region *region, uint32_t object, uint32_t flags, const void *pointer);

/*
 * Ends the region: orders everything that the program issues from here on to blocking streams behind the
 * region's work, as behind launches on the legacy default stream. Does not block the host.
 */
void __kesco1_region_end(struct kesco_region *region);

#ifdef __cplusplus
}
#endif

#endif
