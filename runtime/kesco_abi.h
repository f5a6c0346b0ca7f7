/*
 * The calls that the plugin writes into a program, and nothing else: the ABI between compiler and runtime.
 * The names are versioned by the number behind kesco; a change of meaning gets a new number, and so does a
 * new function once there are programs with the number: of a program's parts, one's functions serve all
 * (plugin/code/embedded_runtime.h), so none may lack some.
 *
 * Each host thread has one region, open or not. It opens before the first of its ops and is closed before
 * anything that could see a difference: a barrier, a change of the device, the end of the function. While it
 * is open, ops run on lanes; the plugin makes sure that no other code of the thread touches the device. No
 * call fails: where CUDA refuses something, the region falls back to the serial program (every lane is the
 * origin), and CUDA's last error is left as the serial program would leave it.
 */
#ifndef KESCO_ABI_H
#define KESCO_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A region, in the words of the report: what the plugin writes down once for each, as a constant. */
struct kesco_region {
    uint32_t lanes;        /* 1 to 256 */
    uint32_t events;       /* how many the records and waits of the region name: 0 to events - 1 */
    const uint8_t *levels; /* by lane, 0 for those of the least urgent task; NULL: all are 0 */
    const char *function;  /* that it stands in, demangled; NULL where unknown */
    const char *file;      /* that its first op stands in, as given to the compiler; NULL where unknown */
    uint32_t line;         /* of its first op; 0 where unknown */
    void **memory; /* for the runtime's own use: a pointer that is NULL at first; NULL: there is none */
};

/*
 * Opens the calling thread's region on the stream `origin` (a cudaStream_t, the one that the program asked
 * for). Does nothing if the very same region is open on that origin; if another is, closes that first. The
 * region is used until it is closed, and known by its address.
 *
 * Origin NULL or cudaStreamLegacy: orders the region behind all earlier work of blocking streams on the
 * current device, as a launch on the legacy default stream would be (CUDA Runtime API, "Stream
 * synchronization behavior"); lanes are blocking streams. Any other origin, cudaStreamPerThread included:
 * forks from it with an event; lane 0 is the origin itself, the others are non-blocking streams. An origin
 * that is being captured takes the region along into the capture.
 *
 * Where the device has stream priorities, a lane of level L has the one that is L above the least, or the
 * greatest. Lane 0 beside an origin other than the legacy default stream is that origin, whatever its level.
 */
void __kesco1_enter(void *origin, const struct kesco_region *region);

/*
 * The same behind a call that acted on the legacy default stream of the current device, or waited for all of
 * the device, as far as `error`, what it returned, is cudaSuccess. Between that call and this one the thread
 * did nothing that a region could not have around it, so that call stands in for the region's own action on
 * the origin: the region is as one that was opened right before it. Where the call failed, this is
 * __kesco1_enter.
 */
void __kesco1_enter_behind(void *origin, const struct kesco_region *region, int error);

/* An op, in the words of the report: what the plugin writes down once for each, as a constant. */
struct kesco_site {
    const char *kind;     /* "kernel", "copy", "memset", ... */
    const char *name;     /* of the kernel, demangled, or of the call */
    const char *function; /* whose region it is in, demangled; itself, it may stand in a helper of that */
    const char *file;     /* that it stands in, as given to the compiler; NULL where unknown */
    uint32_t line;        /* that it stands in; 0 where unknown */
    uint32_t call_line;   /* in the function, of the call of the helper; without one, the same */
};

/*
 * The stream (a cudaStream_t) of `lane`, to launch on: the origin when the region fell back. Called once,
 * right before each launch, behind its waits. `site` is the op's, for as long as it is loaded, or NULL.
 */
void *__kesco1_lane(uint32_t lane, const struct kesco_site *site);

/* Records `event` behind what `lane` has so far. */
void __kesco1_record(uint32_t event, uint32_t lane);

/*
 * Lets `lane` wait for the latest record of `event` since the region opened; an event without one is not
 * waited for.
 */
void __kesco1_wait(uint32_t event, uint32_t lane);

/*
 * Beside the legacy default stream only, in place of __kesco1_lane: the origin itself, to launch on. An
 * action there comes behind all that the lanes have, and before all that they get, so neither records nor
 * waits are needed for what comes before the op or behind it.
 */
void *__kesco1_origin(const struct kesco_site *site);

/*
 * Called behind the last of one or more ops in a row on the stream that __kesco1_origin gave. `error` is what
 * the call that issued it returned, cudaSuccess where it returns nothing. If that, or CUDA's last error, is
 * not cudaSuccess, the op may not be there to order anything, and __kesco1_align does so in its place.
 */
void __kesco1_passed(int error);

/* Beside the legacy default stream only: what any lane gets from here on comes behind all that all lanes
 * have. */
void __kesco1_align(void);

/*
 * Called for each pointer of a copy that may go from device to device, before its waits and its
 * __kesco1_lane: on the legacy default stream, a copy between the memories of two devices comes behind all
 * that either has, and before all that either gets (CUDA C++ Programming Guide, "Peer-to-Peer Memory Copy"),
 * which one on a lane does not. Where `pointer` leads to memory of another device than the current one, the
 * rest of the region runs serially, on the origin itself.
 */
void __kesco1_copied(const void *pointer);

/* When __kesco1_finish lets the host wait. */
enum {
    KESCO_FINISH_ALWAYS = 0,
    KESCO_FINISH_SERIAL =
        1, /* where the region runs serially, because a guard failed or for any other reason */
    KESCO_FINISH_CALL = 2, /* never: the call itself may have done so, as copies to pageable memory do */
};

/*
 * Makes a call synchronous that the plugin made asynchronous: called right after the asynchronous form, which
 * was issued on the stream that the last __kesco1_lane(lane) gave, and after its __kesco1_record; `error` is
 * the cudaError_t that it returned. If that is cudaSuccess and `when` asks for it, the host waits until all
 * that this stream has so far is done; for what other lanes have, it waits when the region is left, or at
 * once on a device without concurrent managed access: there, the host may touch no managed memory before.
 * What is being captured cannot be waited for: the capture is invalidated, whatever `when` says, as by the
 * synchronous call. Returns `error`, else what waiting returned, which is then CUDA's last error as it would
 * be behind the synchronous call. Where that is not cudaSuccess though `when` asks always, the rest of the
 * region runs serially: nothing else orders it behind what the host has not waited for.
 */
int __kesco1_finish(uint32_t lane, uint32_t when, int error);

/* What the alias guard is told of an object and a pointer into it. */
enum {
    KESCO_GUARD_CHECKED = 1, /* the compiler could not tell it from the other objects */
    KESCO_GUARD_WRITTEN = 2, /* some op of the region writes it */
    KESCO_GUARD_PLAIN = 4,   /* the plan holds only where the pointer leads to memory that the host cannot
                                touch: cudaMalloc's, cudaMallocAsync's, a device variable's */
    KESCO_GUARD_LOCKED = 16, /* the plan holds only where the memory is not pageable: a copy to that would let
                                the host wait */
    KESCO_GUARD_HOST = 8, /* the program uses the pointer as one to host memory; __kesco1_guard_range only */
};

/*
 * The alias guard, called right before a launch for each pointer that it is given, behind the __kesco1_lane
 * call that the launch is bound to: `object` is the plan's number for the object that `pointer` leads into;
 * `flags` are KESCO_GUARD_. The plan takes objects of different numbers for different memory. Where a checked
 * one shares an allocation with another, and either is written, or where the driver cannot say, or where
 * memory is not what it has to be, the launch is ordered behind all of the region so far, and the rest of
 * the region behind it, serially.
 */
void __kesco1_guard(uint32_t object, uint32_t flags, const void *pointer);

/*
 * The same for an operand whose extent is known: the `size` bytes from `pointer` on, all in one allocation.
 * If the driver does not know them and the flags have KESCO_GUARD_HOST, they are the program's own memory,
 * pageable or registered, and count as an allocation of just that extent; an object's extents of this kind
 * are taken together as the one range that covers them all. A size of 0 always passes.
 */
void __kesco1_guard_range(uint32_t object, uint32_t flags, const void *pointer, uint64_t size);

/*
 * A hint: some op of the region uses the managed memory that `pointer` leads into. Called right behind the
 * __kesco1_lane(lane) call of the first such op, before the op itself; the stream that it gave fetches the
 * allocation to the device, once in a region. Does nothing where the region is serial or captured, nor for
 * memory that is not managed or not worth it.
 */
void __kesco1_prefetch(uint32_t lane, const void *pointer);

/*
 * The same hint outside of regions, for an op that is next on `origin` (a cudaStream_t): the allocation is
 * fetched there to the device, each time. Does nothing where that is captured, nor under KESCO_DISABLE=1.
 */
void __kesco1_prefetch_device(void *origin, const void *pointer);

/*
 * Closes the calling thread's region, if it is open: orders everything that the program issues from here on
 * behind the region's work, as behind launches on the origin. For the legacy default stream that is a record
 * there; for another origin, every lane that was used joins into it. The host waits only for what it would
 * have waited for in the serial program, when it last did for one lane alone (__kesco1_finish).
 */
void __kesco1_leave(void);

/*
 * Called where a function that code may call which the plugin does not see first touches the device: closes
 * the calling thread's region, if it is open. That is so where a library function came back into the program,
 * with a region open that has ops behind that call, too; before those, __kesco1_enter opens it again. Ops
 * that come without that run serially. Modules without a region refer to this function weakly: where there is
 * none, no region is open.
 */
void __kesco1_interrupt(void);

/*
 * The two calls in place of __kesco1_leave around a call that acts on the legacy default stream of the
 * current device, or waits for all of the device: where that is the origin, the call itself orders all that
 * follows behind the region's work. Where it fails, with `error` what it returned, __kesco1_leave_behind is
 * __kesco1_leave. On any other origin, __kesco1_leave_by_next is.
 */
void __kesco1_leave_by_next(void);
void __kesco1_leave_behind(int error);

/*
 * A hint: the host reads the managed memory that `pointer` leads into next. Called behind __kesco1_leave and
 * right before the call behind which it does, which waits for `origin` (a cudaStream_t): that fetches the
 * allocation to the host. Does nothing where __kesco1_prefetch_device would not.
 */
void __kesco1_prefetch_host(void *origin, const void *pointer);

#ifdef __cplusplus
}
#endif

#endif
