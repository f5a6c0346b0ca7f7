/* Where the threads of a block meet: barriers and warp functions. */
#include "test/vgpu/exec.h"

#include <errno.h>
#include <stdio.h>

static bool is_lane(uint32_t lanes, uint32_t lane) {
    return lanes >> lane & 1;
}

/* Barriers */

static void release_barrier(uint32_t id) {
    struct vgpu_barrier *barrier = &vgpu_block->barriers[id];
    for (uint32_t i = 0; i < vgpu_block->thread_count; i++) {
        struct vgpu_thread *thread = &vgpu_block->threads[i];
        if (thread->state != VGPU_THREAD_AT_BARRIER || thread->barrier != id)
            continue;
        thread->votes = barrier->votes;
        thread->arrived = barrier->arrived;
        thread->state = VGPU_THREAD_READY;
    }
    *barrier = (struct vgpu_barrier){0};
}

/* Opens the barrier if all have met. Returns whether it did. */
static bool try_barrier(uint32_t id) {
    const struct vgpu_barrier *barrier = &vgpu_block->barriers[id];
    const uint32_t needed =
        barrier->count ? barrier->count : vgpu_block->thread_count - vgpu_block->done_count;
    if (!barrier->arrived || barrier->arrived < needed)
        return false;
    release_barrier(id);
    return true;
}

struct vgpu_thread *vgpu_barrier_meet(uint32_t id, uint32_t count, bool predicate, bool waits) {
    struct vgpu_thread *thread = &vgpu_block->threads[vgpu_block->running];
    struct vgpu_barrier *barrier = &vgpu_block->barriers[id % VGPU_BARRIERS];
    barrier->arrived++;
    barrier->votes += predicate;
    barrier->count = count;
    if (waits) {
        thread->state = VGPU_THREAD_AT_BARRIER;
        thread->barrier = id % VGPU_BARRIERS;
    }
    if (!try_barrier(id % VGPU_BARRIERS) && waits)
        vgpu_thread_wait();
    return thread;
}

/* Warp functions */

static struct vgpu_thread *lane_thread(uint32_t warp, uint32_t lane) {
    return &vgpu_block->threads[warp * VGPU_WARP_SIZE + lane];
}

static void settle(uint32_t warp, uint32_t lanes) {
    struct vgpu_warp_call *calls[VGPU_WARP_SIZE] = {0};
    void (*settle_calls)(struct vgpu_warp_call *const *, uint32_t) = NULL;
    for (uint32_t lane = 0; lane < VGPU_WARP_SIZE; lane++) {
        if (!is_lane(lanes, lane))
            continue;
        struct vgpu_thread *thread = lane_thread(warp, lane);
        calls[lane] = thread->call;
        settle_calls = thread->call->settle;
        thread->state = VGPU_THREAD_READY;
    }
    vgpu_block->warps[warp].waiting &= ~lanes;
    settle_calls(calls, lanes);
}

/* Settles the call of `lane` if every lane that its mask names has ended or waits in the same call. */
static void try_warp_call(uint32_t warp, uint32_t lane) {
    const struct vgpu_warp *state = &vgpu_block->warps[warp];
    const struct vgpu_warp_call *call = lane_thread(warp, lane)->call;
    const uint32_t needed = call->mask & state->lanes & ~state->done;
    if (call->site || needed & ~state->waiting)
        return;
    for (uint32_t other = 0; other < VGPU_WARP_SIZE; other++) {
        if (!is_lane(needed, other))
            continue;
        const struct vgpu_warp_call *theirs = lane_thread(warp, other)->call;
        if (theirs->mask != call->mask || theirs->name != call->name)
            return;
    }
    settle(warp, needed);
}

void vgpu_warp_meet(struct vgpu_warp_call *call) {
    const uint32_t warp = vgpu_registers.warpid, lane = vgpu_registers.laneid;
    struct vgpu_thread *thread = &vgpu_block->threads[vgpu_block->running];
    if (!is_lane(call->mask, lane)) {
        fprintf(stderr,
                "vgpu: kernel %s: %s: lane %u calls it, but the mask 0x%08x does not name that lane\n",
                vgpu_kernel_name(), call->name, lane, call->mask);
        vgpu_grid_abort(-EFAULT);
    }
    thread->call = call;
    thread->state = VGPU_THREAD_IN_WARP_CALL;
    vgpu_block->warps[warp].waiting |= 1u << lane;
    try_warp_call(warp, lane);
    if (thread->state != VGPU_THREAD_READY)
        vgpu_thread_wait();
}

bool vgpu_meet_converged(uint32_t warp) {
    const struct vgpu_warp *state = &vgpu_block->warps[warp];
    for (uint32_t lane = 0; lane < VGPU_WARP_SIZE; lane++) {
        if (!is_lane(state->waiting, lane) || !lane_thread(warp, lane)->call->site)
            continue;
        uint32_t together = 0;
        for (uint32_t other = lane; other < VGPU_WARP_SIZE; other++)
            if (is_lane(state->waiting, other) &&
                lane_thread(warp, other)->call->site == lane_thread(warp, lane)->call->site)
                together |= 1u << other;
        settle(warp, together);
        return true;
    }
    return false;
}

void vgpu_meet_done(uint32_t thread) {
    const uint32_t warp = thread / VGPU_WARP_SIZE;
    vgpu_block->done_count++;
    vgpu_block->warps[warp].done |= 1u << thread % VGPU_WARP_SIZE;
    for (uint32_t id = 0; id < VGPU_BARRIERS; id++)
        if (!vgpu_block->barriers[id].count)
            try_barrier(id);
    for (uint32_t lane = 0; lane < VGPU_WARP_SIZE; lane++)
        if (is_lane(vgpu_block->warps[warp].waiting, lane))
            try_warp_call(warp, lane);
}

/* Deadlock */

static uint32_t count_in(enum vgpu_thread_state state) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < vgpu_block->thread_count; i++)
        count += vgpu_block->threads[i].state == state;
    return count;
}

void vgpu_meet_explain(void) {
    fprintf(stderr, "vgpu: kernel %s, block (%u,%u,%u): deadlock:", vgpu_kernel_name(),
            vgpu_registers.ctaid[0], vgpu_registers.ctaid[1], vgpu_registers.ctaid[2]);
    for (uint32_t id = 0; id < VGPU_BARRIERS; id++)
        if (vgpu_block->barriers[id].arrived)
            fprintf(stderr, " barrier %u can never be met, %u of %u threads are there;", id,
                    vgpu_block->barriers[id].arrived, vgpu_block->thread_count);
    for (uint32_t i = 0; i < vgpu_block->thread_count; i++) {
        const struct vgpu_thread *thread = &vgpu_block->threads[i];
        if (thread->state != VGPU_THREAD_IN_WARP_CALL)
            continue;
        fprintf(stderr, " %u threads wait in warp functions (thread %u in %s, mask 0x%08x);",
                count_in(VGPU_THREAD_IN_WARP_CALL), i, thread->call->name, thread->call->mask);
        break;
    }
    fprintf(stderr, " %u have ended\n", vgpu_block->done_count);
}
