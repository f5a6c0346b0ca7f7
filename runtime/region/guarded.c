/*
 * What the guard is asked for the region's ops, and what becomes of the region where it fails.
 *
 * The plan holds for all ops between which the guard has found nothing. So where two of them meet, the later
 * one is fenced in: it comes after all that the region has so far, and what follows comes after it. From
 * there on the guard begins anew, and so may lanes. Where the later one alone is not as the plan has it,
 * memory that the host can touch is one, the rest of the region is serial.
 */
#include "runtime/region/region.h"

#include "runtime/kesco_abi.h"

#include <stddef.h>

/* Kept out of what each op goes through. */
#define RARE __attribute__((noinline, cold))

/* Fences without lanes between, beyond which the guard is not asked for lanes any more. */
enum { MOST_FENCES = 16 };

void kesco_region_stay_serial(struct kesco_region_state *region, const char *reason) {
    if (!region->way.serial)
        kesco_region_collapse(region, reason);
    region->way.undecided = region->placement.places = false;
    region->replaying.may_replay = kesco_region_can_replay(region);
    kesco_governor_note_refusal(&region->governing.governor);
    region->way.slow = region->way.watched;
}

/* The call that the lane was given for comes after all of the region so far. */
static void fence_in(struct kesco_region_state *region) {
    kesco_region_collapse(region, region->guard.refusal);
    if (!region->placement.begun)
        kesco_lanes_follow(&region->lanes, region->op.lane);
    kesco_watch_guard_failed(&region->watch);
}

/* True if what follows the call that the guard has failed for may have lanes, once it comes after that. */
static bool may_begin_anew(const struct kesco_region_state *region) {
    return region->guard.met && !region->opened.asked->placed &&
           region->governing.governor.fences < MOST_FENCES && !region->governing.governor.way.captured &&
           (region->way.serial || !kesco_lanes_are_captured(&region->lanes));
}

/* And what follows comes after it. */
static void fail(struct kesco_region_state *region) {
    const bool concurrent = !region->way.serial,
               hopes = region->governing.governor.part.guard.asks || region->way.fenced,
               fenced = (concurrent || hopes) && may_begin_anew(region);

    if (!region->guard.met && region->host.may_be_alone)
        region->host.alone = region->host.may_be_alone = false; /* the host may touch what the op works on */
    if (concurrent || hopes)
        kesco_governor_note_fence(&region->governing.governor);
    if (region->replaying.replay != NULL)
        kesco_replay_refuse(region->replaying.replay);
    region->way.fenced = fenced;
    if (concurrent)
        fence_in(region);
    if (hopes && !fenced)
        kesco_region_stay_serial(region, region->guard.refusal);
    else if (concurrent && !fenced)
        kesco_governor_note_refusal(&region->governing.governor);
}

/* What has been put off is launched first: nothing will be compared with it any more. */
void kesco_region_begin_anew(struct kesco_region_state *region) {
    if (region->replaying.replay != NULL)
        kesco_replay_flush(region->replaying.replay);
    region->way.fenced = false;
    kesco_lanes_join(&region->lanes);
    kesco_lanes_close(&region->lanes);
    kesco_guard_forget(&region->guard);
    region->way.undecided = true;
    if (kesco_governor_begin_anew(&region->governing.governor))
        kesco_region_make_lanes(region);
    kesco_region_note_slow(region);
}

static bool is_guarded(const struct kesco_region_state *region) {
    return !region->way.serial || region->host.alone || region->governing.governor.part.guard.asks ||
           region->way.fenced ||
           (region->replaying.replay != NULL && kesco_replay_defers(region->replaying.replay));
}

/* True if the pointer is to place the op by, and for nothing else. */
static bool is_only_placed(uint32_t flags) {
    const uint32_t others = KESCO_GUARD_PLACED | KESCO_GUARD_WRITES | KESCO_GUARD_FETCHES | KESCO_GUARD_HOST;

    return (flags & KESCO_GUARD_PLACED) != 0 && (flags & ~others) == 0;
}

/* Takes in what the op accesses, if it is placed. True if the guard has to be asked. */
static inline bool tell(struct kesco_region_state *region, uint32_t flags, const void *pointer,
                        struct kesco_pieces bytes) {
    if ((flags & KESCO_GUARD_PLACED) != 0 && region->placement.begun) {
        kesco_region_tell(region, flags, pointer, bytes);
        if ((flags & KESCO_GUARD_FETCHES) != 0)
            kesco_prefetch_note(&region->fetching.prefetch, pointer);
    }
    if (region->way.undecided)
        kesco_governor_note_guard(&region->governing.governor);
    if (region->host.lent.notes && (flags & KESCO_GUARD_NOTED) == 0)
        kesco_guard_note(&region->guard, flags, pointer, bytes);
    return !is_only_placed(flags) && is_guarded(region);
}

/* The same where that is all that there is to do, which it is for most pointers of ops that are placed. */
static inline bool is_told(struct kesco_region_state *region, uint32_t flags, const void *pointer,
                           struct kesco_pieces bytes) {
    if (!is_only_placed(flags) || (flags & KESCO_GUARD_FETCHES) != 0 || region->way.undecided ||
        region->host.lent.notes || !region->placement.begun)
        return false;
    kesco_region_tell(region, flags, pointer, bytes);
    return true;
}

/* Kept out of what each pointer of an op that is placed goes through. */
__attribute__((noinline)) static void guard_part(struct kesco_region_state *region, uint32_t object,
                                                 uint32_t flags, const void *pointer,
                                                 struct kesco_pieces bytes) {
    if (tell(region, flags, pointer, bytes) &&
        !kesco_guard_admits_part(&region->guard, object, flags, pointer, bytes))
        fail(region);
}

int __kesco1_guards(void) {
    const struct kesco_region_state *region = &kesco_thread_region;

    return region->placement.begun || region->way.undecided || region->host.lent.notes || is_guarded(region);
}

void __kesco1_guard(uint32_t object, uint32_t flags, const void *pointer) {
    struct kesco_region_state *region = &kesco_thread_region;
    const struct kesco_pieces all = {.begin = KESCO_GUARD_ALL, .end = KESCO_GUARD_ALL};

    if (tell(region, flags, pointer, all) && !kesco_guard_admits(&region->guard, object, flags, pointer))
        fail(region);
}

void __kesco1_guard_part(uint32_t object, uint32_t flags, const void *pointer, int64_t begin, int64_t end) {
    struct kesco_region_state *region = &kesco_thread_region;
    const struct kesco_pieces bytes = {.begin = begin, .end = end};

    if (!is_told(region, flags, pointer, bytes))
        guard_part(region, object, flags, pointer, bytes);
}

void __kesco1_guard_pieces(uint32_t object, uint32_t flags, const void *pointer, int64_t begin, int64_t end,
                           int64_t first, int64_t distance, int64_t length) {
    struct kesco_region_state *region = &kesco_thread_region;
    const struct kesco_places rows = {first, distance, length};
    const struct kesco_pieces bytes = kesco_pieces_within(begin, end, &rows, 1);

    if (!is_told(region, flags, pointer, bytes))
        guard_part(region, object, flags, pointer, bytes);
}

void __kesco1_guard_box(uint32_t object, uint32_t flags, const void *pointer, int64_t begin, int64_t end,
                        int64_t first, int64_t distance, int64_t length, int64_t plane,
                        int64_t plane_distance, int64_t plane_length) {
    struct kesco_region_state *region = &kesco_thread_region;
    const struct kesco_places places[] = {{first, distance, length}, {plane, plane_distance, plane_length}};
    const struct kesco_pieces bytes = kesco_pieces_within(begin, end, places, 2);

    if (!is_told(region, flags, pointer, bytes))
        guard_part(region, object, flags, pointer, bytes);
}

void __kesco1_guard_range(uint32_t object, uint32_t flags, const void *pointer, uint64_t size) {
    struct kesco_region_state *region = &kesco_thread_region;

    if (tell(region, flags, pointer, kesco_guard_first_bytes(size)) &&
        !kesco_guard_admits_range(&region->guard, object, flags, pointer, size))
        fail(region);
}

bool kesco_region_note_first(struct kesco_region_state *region) {
    const struct kesco_placing *placing = &region->placement.placing;
    uint32_t i;

    if (!region->opened.asked->placed || !region->placement.places || !region->host.lent.may_wait ||
        !region->host.lent.first)
        return false;
    region->host.lent.notes = true;
    for (i = 0; i < placing->access_count; i++)
        kesco_guard_note(&region->guard, 0, (const void *)placing->accesses[i].begin,
                         kesco_guard_first_bytes(placing->accesses[i].end - placing->accesses[i].begin));
    return true;
}

RARE static void check_claim(struct kesco_region_state *region, const struct kesco_claim *claim,
                             uint32_t which, const void *pointer, struct kesco_pieces bytes) {
    if (kesco_claims_hold(&region->claims.claims, claim, which, pointer, bytes))
        return;
    region->guard.refusal = "a claim of KESCO_DISTINCT is false";
    region->guard.met = false;
    fail(region);
}

void __kesco1_claimed(const struct kesco_claim *claim, uint32_t which, const void *pointer, int64_t begin,
                      int64_t end) {
    struct kesco_region_state *region = &kesco_thread_region;
    const struct kesco_pieces bytes = {.begin = begin, .end = end};

    if (region->claims.checks && region->way.open)
        check_claim(region, claim, which, pointer, bytes);
}
