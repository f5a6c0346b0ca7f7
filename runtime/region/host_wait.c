#include "runtime/call.h"
#include "runtime/region/allocation.h"
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
    region->host.lent.idle = region->way.serial; /* else it waits for a lane alone */
    kesco_prefetch_clear(&region->fetching.prefetch);
    kesco_governor_note_host(&region->governing.governor, lane);
    if (region->replaying.replay != NULL)
        kesco_replay_note_host(region->replaying.replay, false);
}

cudaError_t kesco_region_settle_alone(struct kesco_region_state *region) {
    cudaError_t error;

    if (!region->host.owed)
        return cudaSuccess;
    error = wait_quietly(region->opened.origin, KESCO_REACH_STREAM);
    region->host.owed = false;
    region->host.lent.idle = region->way.serial && error == cudaSuccess;
    note_late(region, error);
    return error;
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
 * That holds where its launches are replayed as well, and nobody asks about lanes; and where the mode says
 * so. */
static bool has_many_waits(const struct kesco_region_state *region) {
    const struct kesco_contest *contest = region->governing.governor.contest;

    if (!region->host.may_be_alone)
        return false;
    if (kesco_governor_mode(region->opened.asked) == KESCO_MODE_GRAPH)
        return region->replaying.replay != NULL;
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

/* The host is about to wait for a region that has no lanes. */
static void begin_wait_alone(struct kesco_region_state *region) {
    kesco_region_flush(region);
    kesco_lanes_join(&region->lanes); /* an op that is fenced in may be on one */
    kesco_governor_expect_host(&region->governing.governor);
    if (region->replaying.replay != NULL)
        kesco_replay_expect_host(region->replaying.replay);
}

/* With lanes, it would have waited for `lane`; KESCO_NO_LANE: for none. */
static void end_wait_alone(struct kesco_region_state *region, uint32_t lane, cudaError_t error) {
    kesco_region_note_host(region, lane);
    kesco_region_note_waited(region);
    region->host.owed = false;
    note_result(region, error);
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
    begin_wait_alone(region);
    waits = is_of_use && (!frees || waits_for_others(region, stream));
    error = wait_for(stream, how & (KESCO_REACHES | KESCO_REACH_FREES));
    end_wait_alone(region, KESCO_NO_LANE, error);
    if (frees) {
        kesco_freed_give_back(&region->host.freed); /* so that more may be kept */
        kesco_region_forget_memory(region);
    }
    if (error == cudaSuccess && waits)
        note_alone(region, reach);
    return error;
}

/* The host has waited for all of the region, unless that has failed. */
static cudaError_t end_wait_here(struct kesco_region_state *region, uint32_t reach, cudaError_t error) {
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

/* The host waits for all of the region, and for as much else as is asked for, on `stream`, or by freeing that
 * (wait_for). */
static cudaError_t wait_here(struct kesco_region_state *region, void *stream, uint32_t how,
                             cudaError_t (*wait)(void *stream, uint32_t reach)) {
    const uint32_t reach = how & KESCO_REACHES;

    if (reach == KESCO_REACH_STREAM)
        kesco_lanes_gather(&region->lanes);
    return end_wait_here(region, reach, wait(stream, how));
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

/* Counts a wait of the region, in this opening or those before. True if there have been few. */
static bool are_few(struct kesco_region_state *region) {
    struct kesco_lent_waits *waits = &region->host.lent;
    struct kesco_contest *contest = region->governing.governor.contest;

    waits->made += waits->made < MOST_WAITS;
    if (contest == NULL)
        return waits->made < MOST_WAITS;
    contest->waits += contest->waits < MOST_WAITS;
    return contest->waits < MOST_WAITS;
}

/* The first wait of an opening is never put off, so that what came before it need not be known; nor are the
 * region's first few, where none would be without lanes. */
static void note_lent_wait(struct kesco_region_state *region, bool sees) {
    struct kesco_lent_waits *waits = &region->host.lent;

    region->governing.governor.part.waited.may_fault = sees || !waits->notes;
    waits->seen = sees || waits->rest > 0 ? waits->seen + 1 : 0;
    if (are_few(region) && !runs_ahead(region))
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
    if (region->replaying.replay != NULL)
        kesco_replay_note_host(region->replaying.replay, true);
    kesco_lanes_note_host(&region->lanes, KESCO_LANES_MOST, true);
    region->host.quiet = region->opened.asked->placed;
    region->host.untold |= late;
    return frees ? free_behind(region, stream, NULL) : cudaSuccess;
}

void __kesco1_settle_visible(void) {
    const struct kesco_region_state *region = &kesco_thread_region;

    if (region->way.open && region->guard.visible)
        __kesco1_settle();
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

/* What was put off without lanes, the program's next call waits for where `next_waits`. */
static void settle(struct kesco_region_state *region, bool next_waits) {
    kesco_region_end_timed_op(region);
    kesco_governor_note_settled(&region->governing.governor);
    kesco_region_flush(region);
    if (!next_waits)
        kesco_region_settle_alone(region);
    if (runs_ahead(region))
        kesco_region_settle_lanes(region);
    kesco_region_tell_lent(region);
}

void __kesco1_settle(void) {
    settle(&kesco_thread_region, false);
}

/* A copy of nothing need not wait. */
void __kesco1_settle_by_copy(uint64_t bytes) {
    struct kesco_region_state *region = &kesco_thread_region;

    settle(region, region->way.open && region->way.serial && bytes > 0);
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

cudaError_t kesco_lent_copy_make(const struct kesco_lent_copy *copy) {
    __kesco1_host_copy(NULL, copy->kind, copy->from);
    return cudaMemcpy(copy->to, copy->from, copy->bytes, copy->kind);
}

/* On the origin it comes after all of the region. One that is refused waits for nothing. */
static cudaError_t copy_alone(struct kesco_region_state *region, const struct kesco_lent_copy *copy) {
    const bool owed = region->host.owed;
    cudaError_t error;

    begin_wait_alone(region);
    error = kesco_lent_copy_make(copy);
    end_wait_alone(region, region->op.lane, error);
    if (error == cudaSuccess)
        note_alone(region, KESCO_REACH_STREAM);
    else
        region->host.owed = owed;
    return error;
}

/* The host's side may be what ops in flight work on, and the copy made by the host itself. */
static bool is_of_managed(const struct kesco_lent_copy *copy) {
    return kesco_allocation_is_managed(copy->kind == cudaMemcpyHostToDevice ? copy->from : copy->to);
}

/* It comes after all that the lanes have. */
static cudaError_t copy_here(struct kesco_region_state *region, const struct kesco_lent_copy *copy,
                             bool is_managed) {
    cudaError_t error = cudaSuccess;

    kesco_governor_note_host(&region->governing.governor, KESCO_LANE_ORIGIN);
    kesco_lanes_gather(&region->lanes);
    if (is_managed)
        error = wait_for(region->opened.origin, KESCO_REACH_STREAM);
    if (error == cudaSuccess)
        error = kesco_lent_copy_make(copy);
    error = end_wait_here(region, KESCO_REACH_STREAM, error);
    note_result(region, error);
    return error;
}

cudaError_t kesco_region_copy(struct kesco_region_state *region, const struct kesco_lent_copy *copy) {
    const bool sees = kesco_guard_lets_host_see(&region->guard, false);
    bool is_managed;
    cudaError_t error;

    kesco_region_end_timed_op(region);
    if (!runs_ahead(region))
        return copy_alone(region, copy);
    note_lent_wait(region, sees);
    is_managed = is_of_managed(copy);
    if (region->host.covered < KESCO_REACH_STREAM || sees || is_managed ||
        kesco_lanes_exclude_host(&region->lanes))
        return copy_here(region, copy, is_managed);
    kesco_governor_note_host(&region->governing.governor, KESCO_NO_LANE);
    error = cudaMemcpyAsync(copy->to, copy->from, copy->bytes, copy->kind, copy->stream);
    error = (cudaError_t)__kesco1_finish(region->op.lane, KESCO_FINISH_ALWAYS, (int)error);
    region->host.quiet = error == cudaSuccess;
    return error;
}
