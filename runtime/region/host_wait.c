#include "runtime/call.h"
#include "runtime/region/contest.h"
#include "runtime/region/managed.h"
#include "runtime/region/region.h"

#include <stddef.h>
#include <string.h>

/* With KESCO_REACH_FREES, `stream` is the memory. */
static cudaError_t wait_for(void *stream, uint32_t reach) {
    if ((reach & KESCO_REACH_FREES) != 0)
        return cudaFree(stream);
    return reach == KESCO_REACH_DEVICE ? cudaDeviceSynchronize() : cudaStreamSynchronize(stream);
}

/* The same in our own name. */
static cudaError_t wait_quietly(void *stream, uint32_t reach) {
    const cudaError_t before = cudaPeekAtLastError(), error = wait_for(stream, reach);

    if (error != cudaSuccess)
        kesco_call_take_back(before);
    return error;
}

/* True if the host may run ahead of the region's lanes. */
static bool runs_ahead(const struct kesco_region_state *region) {
    return region->way.open && !region->way.serial && !kesco_lanes_are_captured(&region->lanes);
}

static void note_late(struct kesco_region_state *region, cudaError_t error) {
    if (region->host.untold && error != cudaSuccess)
        region->host.late_error = error;
    if (region->host.lent.made > 0 && error != cudaSuccess)
        region->host.lent.error = error;
}

static void note_told(struct kesco_region_state *region) {
    region->host.untold = false;
    region->host.late_error = cudaSuccess;
}

/* A wait of the program's returned that, which it may not look at. */
static void note_result(struct kesco_region_state *region, cudaError_t error) {
    if (error == cudaSuccess)
        note_told(region);
    else
        note_late(region, error);
    region->host.lent.error = cudaSuccess; /* the program has it */
}

void kesco_region_note_host(struct kesco_region_state *region, uint32_t lane) {
    region->host.lent.idle = true;
    kesco_prefetch_clear(&region->fetching.prefetch);
    kesco_governor_note_host(&region->governing.governor, lane);
    if (region->replaying.replay != NULL)
        kesco_replay_note_host(region->replaying.replay);
}

void kesco_region_settle_alone(struct kesco_region_state *region) {
    if (region->host.owed)
        note_late(region, wait_quietly(region->opened.origin, KESCO_REACH_STREAM));
    region->host.owed = false;
}

void kesco_region_settle_lanes(struct kesco_region_state *region) {
    note_late(region, kesco_lanes_settle(&region->lanes, region->host.waits_for_all));
}

/* True if the device lets the host touch managed memory while it works. */
static bool is_concurrent(void) {
    const cudaError_t before = cudaPeekAtLastError();
    int device;

    if (cudaGetDevice(&device) == cudaSuccess)
        return kesco_managed_is_concurrent(device);
    kesco_call_take_back(before);
    return false;
}

/* Of a region that is planned for lanes, so many waits that could be put off are not: they show what the ops
 * before them take, and where no more come, the guard is asked for nothing. Those that are put off speak for
 * that, up to so many, and those that the guard forbids speak against it. */
enum { FEW_WAITS = 4, MOST_WAITS = 8, FORBIDDEN = 2 };

/* True if the region's waits are worth to be put off without lanes, too, as those have shown that there were.
 * That holds where its launches are replayed as well, and nobody asks about lanes. */
static bool has_many_waits(const struct kesco_region_state *region) {
    const struct kesco_contest *contest = region->governing.governor.contest;

    if (!region->host.may_be_alone)
        return false;
    if (contest == NULL && region->way.undecided && region->opened.asked->history != NULL)
        contest = kesco_governor_contest_of(region->opened.asked);
    return contest != NULL && contest->waits >= FEW_WAITS;
}

/* The program has waited, or would have: it could be put off, or the host would have seen what is not done.
 */
static void count_wait(struct kesco_region_state *region, uint32_t reach, bool sees) {
    struct kesco_contest *contest = region->governing.governor.contest;

    if (!region->host.may_be_alone || contest == NULL || reach > region->host.covered)
        return;
    if (sees)
        contest->waits -= contest->waits < FORBIDDEN ? contest->waits : (uint32_t)FORBIDDEN;
    else
        contest->waits += contest->waits < MOST_WAITS;
}

/* The host has waited for all that there is, so that nothing of what comes now has been kept from the guard.
 */
static void note_alone(struct kesco_region_state *region, uint32_t reach) {
    region->fetching.began_idle = true;
    if (!region->host.alone)
        region->host.alone = region->host.soon_alone || (has_many_waits(region) && is_concurrent());
    if ((region->host.alone || region->host.may_be_alone) && reach > region->host.covered)
        region->host.covered = reach;
}

void kesco_region_forget_memory(struct kesco_region_state *region) {
    kesco_guard_forget(&region->guard);
    if (region->claims.checks)
        kesco_claims_clear(&region->claims.claims);
    if (region->replaying.replay != NULL)
        kesco_replay_forget_memory(region->replaying.replay);
    if (!region->opened.asked->placed)
        return;
    kesco_region_forget_placed(region);
    memset(region->placement.allocations, 0, sizeof region->placement.allocations);
    kesco_own_memory_clear(&region->placement.own);
}

/* True if the memory, which the program frees, is kept until the region is closed. */
static bool is_kept(struct kesco_region_state *region, void *memory) {
    return kesco_freed_keep(&region->host.freed, memory, kesco_guard_knows_plain(&region->guard, memory));
}

/* True if cudaFree of the memory waits for all that the current device has. Where it does not, no other call
 * does in its place: others may capture, which allow cudaFree alone. */
static bool waits_as_freed(const void *memory) {
    return !kesco_allocation_may_be_of_pool(memory) && kesco_allocation_is_of_current(memory);
}

/* The same, as far as it is of use that the host has waited for what others have, too. */
static bool waits_for_others(const struct kesco_region_state *region, const void *memory) {
    return (region->host.soon_alone || has_many_waits(region)) && waits_as_freed(memory);
}

/* The program's wait, or what frees memory, on a region that has no lanes. */
static cudaError_t synchronize_alone(struct kesco_region_state *region, void *stream, uint32_t how,
                                     bool sees) {
    const uint32_t reach = how & KESCO_REACHES;
    const bool frees = (how & KESCO_REACH_FREES) != 0, late = (how & KESCO_REACH_LATE) != 0;
    const bool is_of_use =
        !frees || !region->host.lent.idle; /* else nothing is in flight that it waits for */
    bool waits;
    cudaError_t error;

    count_wait(region, reach, sees);
    if (region->host.alone && reach <= region->host.covered && !sees && is_concurrent() && is_of_use &&
        (!frees || is_kept(region, stream))) {
        region->host.owed = true;
        region->host.untold |= late;
        return cudaSuccess;
    }
    if (frees && region->host.owed && !waits_as_freed(stream))
        __kesco1_settle(); /* cudaFree does not wait for it */
    kesco_region_flush(region);
    kesco_lanes_join(&region->lanes); /* an op that is fenced in may be on one */
    kesco_governor_expect_host(&region->governing.governor);
    if (region->replaying.replay != NULL)
        kesco_replay_expect_host(region->replaying.replay);
    waits = is_of_use && (!frees || waits_for_others(region, stream));
    error = wait_for(stream, how & (KESCO_REACHES | KESCO_REACH_FREES));
    kesco_region_note_host(region, KESCO_NO_LANE);
    kesco_region_note_waited(region);
    if (frees) {
        kesco_freed_give_back(&region->host.freed); /* so that more may be kept */
        kesco_region_forget_memory(region);
    }
    region->host.owed = false;
    note_result(region, error);
    if (error == cudaSuccess && waits)
        note_alone(region, reach);
    return error;
}

/* The host waits for all of the region, and for as much else as is asked for, on `stream`, or by freeing that
 * (wait_for). */
static cudaError_t wait_here(struct kesco_region_state *region, void *stream, uint32_t how,
                             cudaError_t (*wait)(void *stream, uint32_t reach)) {
    const uint32_t reach = how & KESCO_REACHES;
    cudaError_t error;

    if (reach == KESCO_REACH_STREAM)
        kesco_lanes_gather(&region->lanes);
    error = wait(stream, how);
    if (error != cudaSuccess) {
        __kesco1_leave();
        return error;
    }
    kesco_region_note_waited(region);
    kesco_lanes_note_action(&region->lanes);
    kesco_lanes_forget_host(&region->lanes);
    kesco_prefetch_clear(&region->fetching.prefetch);
    if (region->opened.asked->placed)
        kesco_region_forget_placed(region);
    if (reach > region->host.covered)
        region->host.covered = reach;
    return cudaSuccess;
}

/* The same for a stream that is none of the region's: what that has put off is not told of by it, so it is
 * waited for first. */
static cudaError_t wait_elsewhere(struct kesco_region_state *region, void *stream) {
    cudaError_t error;

    __kesco1_settle();
    error = wait_for(stream, KESCO_REACH_STREAM);
    note_result(region, error);
    return error;
}

void __kesco1_touch(const void *pointer) {
    kesco_guard_touch(&kesco_thread_region.guard, pointer);
}

/* Where the host may not touch managed memory yet, the member may be in some. */
void __kesco1_touch_member(const void *base, int64_t offset) {
    struct kesco_guard *guard = &kesco_thread_region.guard;
    const void *member;

    kesco_guard_touch(guard, base);
    guard->touched |= !is_concurrent();
    if (guard->touched)
        return;
    memcpy(&member, (const char *)base + offset, sizeof member);
    kesco_guard_touch(guard, member);
}

/* What the host will wait for is freed when the region is closed, which it is now where `why` says so. */
static cudaError_t free_behind(struct kesco_region_state *region, void *memory, const char *why) {
    cudaError_t error;

    if (why == NULL && is_kept(region, memory))
        return cudaSuccess;
    __kesco1_leave_for(why != NULL ? why : "cudaFree of more than is kept");
    error = cudaFree(memory);
    note_result(region, error);
    return error;
}

/* The host waits, for the lanes at least, and frees the memory. */
static cudaError_t free_here(struct kesco_region_state *region, void *memory) {
    cudaError_t error;

    if (!waits_as_freed(memory)) {
        __kesco1_settle();
        return free_behind(region, memory, "cudaFree of memory of a pool, or of another device");
    }
    error = wait_here(region, memory, KESCO_REACH_DEVICE | KESCO_REACH_FREES, wait_for);
    kesco_region_forget_memory(region);
    note_result(region, error);
    return error;
}

/* Where the host may touch what ops work on at so many waits, one after the other, as many more are made
 * before anybody asks about it again: that costs calls. */
enum { OFTEN_SEEN = 8, REST = 512 };

static bool rests(struct kesco_lent_waits *waits) {
    if (waits->rest == 0 && waits->seen >= OFTEN_SEEN)
        waits->rest = REST;
    else if (waits->rest > 0 && --waits->rest == 0)
        waits->seen = 0;
    return waits->rest > 0;
}

/* The first wait is never put off, so that what came before it need not be known; nor are the first few,
 * where none would be without lanes. */
static void note_lent_wait(struct kesco_region_state *region, bool sees) {
    struct kesco_lent_waits *waits = &region->host.lent;

    region->governing.governor.part.waited.may_fault = sees || !waits->notes;
    waits->seen = sees || waits->rest > 0 ? waits->seen + 1 : 0;
    waits->made += waits->made < MOST_WAITS;
    if (!runs_ahead(region) && waits->made < MOST_WAITS)
        return;
    waits->notes = runs_ahead(region) || !rests(waits);
    region->host.soon_alone = waits->notes && !waits->in_vain;
    region->host.alone &= region->host.soon_alone;
}

int __kesco1_synchronize(void *stream, uint32_t how) {
    struct kesco_region_state *region = &kesco_thread_region;
    const uint32_t reach = how & KESCO_REACHES;
    const bool late = (how & KESCO_REACH_LATE) != 0, frees = (how & KESCO_REACH_FREES) != 0;
    bool sees;
    cudaError_t error;

    if (frees && stream == NULL)
        return cudaFree(NULL); /* waits for nothing */
    if (frees && kesco_freed_has(&region->host.freed, stream))
        return (int)free_behind(region, stream, "cudaFree of memory that is freed");
    region->host.waits_for_all |= reach == KESCO_REACH_DEVICE && !frees;
    sees = kesco_guard_lets_host_see(&region->guard, (how & KESCO_REACH_TOLD) != 0);
    if (reach == KESCO_REACH_STREAM && stream != region->opened.origin)
        return wait_elsewhere(region, stream);
    if (region->way.open && region->host.lent.may_wait)
        note_lent_wait(region, sees);
    kesco_region_end_timed_op(region);
    if (!runs_ahead(region))
        return synchronize_alone(region, stream, how, sees);
    if (reach > region->host.covered || sees || kesco_lanes_exclude_host(&region->lanes)) {
        kesco_governor_note_host(&region->governing.governor, KESCO_LANE_ORIGIN);
        if (frees)
            return free_here(region, stream);
        error = wait_here(region, region->opened.origin, reach, wait_for);
        note_result(region, error);
        return error;
    }
    kesco_governor_note_host(&region->governing.governor, KESCO_NO_LANE);
    kesco_lanes_note_host(&region->lanes, KESCO_LANES_MOST, true);
    region->host.untold |= late;
    return frees ? free_behind(region, stream, NULL) : cudaSuccess;
}

void __kesco1_cover(uint32_t how) {
    struct kesco_region_state *region = &kesco_thread_region;
    const uint32_t reach = how & KESCO_REACHES;

    if (reach <= region->host.covered || !runs_ahead(region))
        return;
    if ((how & KESCO_REACH_KNOWN) != 0)
        region->host.covered = reach;
    else
        wait_here(region, region->opened.origin, reach, wait_quietly);
}

void __kesco1_settle(void) {
    struct kesco_region_state *region = &kesco_thread_region;

    kesco_region_end_timed_op(region);
    kesco_governor_note_settled(&region->governing.governor);
    kesco_region_flush(region);
    kesco_region_settle_alone(region);
    if (runs_ahead(region))
        kesco_region_settle_lanes(region);
    kesco_region_tell_lent(region);
}

void __kesco1_tell(int *error) {
    struct kesco_region_state *region = &kesco_thread_region;

    if (!region->host.untold)
        return;
    __kesco1_settle();
    if (region->host.late_error != cudaSuccess)
        *error = (int)region->host.late_error;
    note_told(region);
}

int __kesco1_late_error(void) {
    int error = cudaSuccess;

    __kesco1_tell(&error);
    return error;
}

void __kesco1_settle_by_next(void) {
    kesco_lanes_forget_host(&kesco_thread_region.lanes);
    kesco_thread_region.host.owed = false;
    note_told(&kesco_thread_region);
}

/* The program's wait of a function that is lent nothing, or no region that it may leave open. */
static int wait_outside(void *stream, uint32_t reach) {
    cudaError_t error;

    if ((reach & KESCO_REACH_FREES) != 0) {
        if (stream != NULL)
            __kesco1_leave();
        return cudaFree(stream);
    }
    __kesco1_leave_by_next();
    error = wait_for(stream, reach);
    __kesco1_leave_behind((int)error);
    return (int)error;
}

/* True for what each call returns from then on, once a kernel has failed (CUDA Runtime API, "CUDA error
 * types"). */
static bool is_of_kernels(cudaError_t error) {
    switch (error) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
        return true;
    default:
        return false;
    }
}

/* An error that the program does not look at, after a wait that was put off and that would have told. */
static void tell_unseen(struct kesco_region_state *region, cudaError_t error) {
    if (!is_of_kernels(error) || region->host.lent.failed == NULL)
        return;
    region->host.lent.error = error;
    kesco_region_tell_lent(region);
}

int __kesco1_wait_lent(uint32_t lent, void *stream, uint32_t reach, const void *failed, uint32_t ends) {
    struct kesco_region_state *region = &kesco_thread_region;
    struct kesco_lent_waits *waits = &region->host.lent;
    const void *before;
    int error;

    if (!lent || !region->way.open || !waits->may_wait)
        return wait_outside(stream, reach);
    before = waits->failed;
    if (failed != NULL)
        waits->failed = NULL; /* what the wait itself returns, the program is told */
    error = __kesco1_synchronize(stream, reach);
    if (error != cudaSuccess)
        tell_unseen(region, (cudaError_t)error);
    if (error != cudaSuccess || !region->way.open)
        return error;
    waits->failed = failed != NULL ? failed : before;
    waits->ends = failed != NULL ? ends : waits->ends;
    waits->unasked |= failed == NULL;
    return error;
}

void __kesco1_settle_lent(uint32_t asks) {
    struct kesco_region_state *region = &kesco_thread_region;
    struct kesco_lent_waits *waits = &region->host.lent;

    if (!region->way.open || (!waits->notes && !region->opened.is_own))
        return;
    if (!asks || waits->unasked) {
        /* where that comes behind each wait, they are not to be put off in vain */
        waits->in_vain |= region->host.owed;
        __kesco1_settle();
        if (!asks)
            region->host.covered = 0;
    } else if (waits->failed != NULL && is_of_kernels(cudaPeekAtLastError())) {
        waits->error = cudaPeekAtLastError(); /* the wait would have told */
        kesco_region_tell_lent(region);
    }
}

void __kesco1_ask_lent(const void *failed, uint32_t ends) {
    struct kesco_lent_waits *waits = &kesco_thread_region.host.lent;

    if (kesco_thread_region.way.open && waits->unasked && !is_of_kernels(cudaPeekAtLastError())) {
        waits->failed = failed;
        waits->ends = ends;
        waits->unasked = false;
    } else {
        __kesco1_settle_lent(1);
    }
}

void kesco_region_tell_lent(struct kesco_region_state *region) {
    struct kesco_lent_waits *waits = &region->host.lent;
    void (*tell)(int error);
    const cudaError_t error = waits->error;

    waits->error = cudaSuccess;
    if (error == cudaSuccess)
        return;
    if (waits->failed == NULL) {
        cudaDeviceSynchronize(); /* it fails as the program's did: CUDA has its error from then on */
        return;
    }
    memcpy(&tell, &waits->failed, sizeof tell);
    waits->failed = NULL;
    tell((int)error);
}
