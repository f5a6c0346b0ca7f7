#include "test/vgpu/exec.h"
#include "test/vgpu/device.h"
#include "test/vgpu/resident.h"

#include <errno.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

struct vgpu_registers vgpu_registers;
uint64_t vgpu_work[VGPU_WORK_KINDS];
_Alignas(256) char vgpu_dynamic_shared[VGPU_DYNAMIC_SHARED_LIMIT + VGPU_RESERVED_SHARED];

/*
 * Atomics and volatile loads in a row after which a thread yields, and after which it waits in vain. Of a
 * block that may wait for others, threads yield sooner; any other block is taken for one that waits after a
 * while.
 */
enum { SPIN_SLICE = 1 << 12, SPIN_SLICE_BESIDE = 1 << 6, SPIN_PATIENCE = 1 << 22, SPIN_LIMIT = 1 << 27 };

/* The running grid. */
static struct {
    const struct vgpu_launch *launch;
    const struct vgpu_kernel *kernel;
    const char *stack_top;       /* end of the stack that the running thread is on */
    struct vgpu_fiber scheduler; /* the host thread, while a fiber runs */
    jmp_buf escape;              /* out of a thread that is a plain call */
    uint32_t spins;              /* atomics and volatile loads since a thread started, ended or met others */
    bool beside;                 /* blocks wait for each other */
    int error;                   /* negative errno once the grid is to end */
} grid;

/*
 * What the driver gives grids whose blocks may wait for each other: cooperative groups find it by the
 * environment registers 1 and 2, its address.
 */
static struct workspace {
    uint32_t size; /* bytes */
    uint32_t barrier;
} workspace;

static uint64_t workspace_address(void) {
    return grid.launch->cooperative ? (uint64_t)(uintptr_t)&workspace : 0;
}

VGPU_DEVICE_FN(uint32_t, vgpu_nvvm_read_ptx_sreg_envreg0, void) {
    return 0;
}
VGPU_DEVICE_FN(uint32_t, vgpu_nvvm_read_ptx_sreg_envreg1, void) {
    return (uint32_t)(workspace_address() >> 32);
}
VGPU_DEVICE_FN(uint32_t, vgpu_nvvm_read_ptx_sreg_envreg2, void) {
    return (uint32_t)workspace_address();
}

const char *vgpu_kernel_name(void) {
    return grid.kernel->name;
}

__attribute__((noinline)) bool vgpu_is_local(const void *address) {
    const char *here = __builtin_frame_address(0);
    return (const char *)address >= here && (const char *)address < grid.stack_top;
}

bool vgpu_is_dynamic_shared(const void *address) {
    return (uintptr_t)address - (uintptr_t)vgpu_dynamic_shared < sizeof(vgpu_dynamic_shared);
}

static bool is_workspace(const void *address) {
    return (uintptr_t)address - (uintptr_t)&workspace < sizeof(workspace);
}

void vgpu_device_access(const void *address, uint64_t size, uint32_t kind) {
    if (!vgpu_is_local(address) && !vgpu_is_dynamic_shared(address) && !is_workspace(address))
        vgpu_access(address, size, kind);
}

void vgpu_thread_yield(void) {
    grid.spins += SPIN_SLICE_BESIDE;
    if (grid.spins >= SPIN_LIMIT)
        vgpu_unmodelled("a thread that waits, by reading memory, for one that cannot run before it ends",
                        grid.kernel->name);
    if (!vgpu_block->active)
        return;
    vgpu_block->threads[vgpu_block->running].state = VGPU_THREAD_YIELDED;
    vgpu_thread_wait();
}

void vgpu_device_spin(void) {
    if (++grid.spins % (grid.beside ? SPIN_SLICE_BESIDE : SPIN_SLICE) == 0)
        vgpu_thread_yield();
}

static void set_thread(const uint32_t tid[3], uint32_t linear) {
    memcpy(vgpu_registers.tid, tid, sizeof(vgpu_registers.tid));
    vgpu_registers.laneid = linear % VGPU_WARP_SIZE;
    vgpu_registers.warpid = linear / VGPU_WARP_SIZE;
}

/* The place of the next thread, x fastest. */
static void advance(uint32_t place[3], const uint32_t extent[3]) {
    for (int axis = 0; axis < 3; axis++) {
        if (++place[axis] < extent[axis])
            return;
        place[axis] = 0;
    }
}

/* Fibers */

static void leave_fiber(void) {
    vgpu_fiber_switch(&vgpu_block->threads[vgpu_block->running].fiber, &grid.scheduler);
}

void vgpu_thread_wait(void) {
    if (vgpu_block->threads[vgpu_block->running].state != VGPU_THREAD_YIELDED)
        grid.spins = 0;
    leave_fiber();
}

_Noreturn void vgpu_thread_exit(void) {
    vgpu_block->threads[vgpu_block->running].state = VGPU_THREAD_DONE;
    grid.spins = 0;
    vgpu_meet_done(vgpu_block->running);
    leave_fiber();
    __builtin_unreachable();
}

_Noreturn void vgpu_grid_abort(int error) {
    grid.error = error;
    if (!vgpu_block->active)
        longjmp(grid.escape, 1);
    leave_fiber();
    __builtin_unreachable();
}

static void fiber_entry(void) {
    vgpu_fiber_started(&grid.scheduler);
    grid.kernel->entry(grid.launch->args);
    vgpu_thread_exit();
}

static void resume(uint32_t index) {
    struct vgpu_thread *thread = &vgpu_block->threads[index];
    vgpu_block->running = index;
    set_thread(thread->tid, index);
    grid.stack_top = thread->fiber.stack + thread->fiber.stack_size;
    vgpu_fiber_switch(&grid.scheduler, &thread->fiber);
}

/* Runs a warp until no lane is ready. Returns whether one was. */
static bool run_warp(uint32_t warp) {
    const uint32_t first = warp * VGPU_WARP_SIZE;
    const uint32_t left = vgpu_block->thread_count - first;
    const uint32_t end = first + (left < VGPU_WARP_SIZE ? left : VGPU_WARP_SIZE);
    bool progress = false, ran;
    for (uint32_t i = first; i < end; i++)
        if (vgpu_block->threads[i].state == VGPU_THREAD_YIELDED)
            vgpu_block->threads[i].state = VGPU_THREAD_READY;
    do {
        ran = false;
        for (uint32_t i = first; i < end && !grid.error; i++) {
            if (vgpu_block->threads[i].state != VGPU_THREAD_READY)
                continue;
            resume(i);
            ran = true;
        }
        progress |= ran;
    } while (!grid.error && (ran || vgpu_meet_converged(warp)));
    return progress;
}

static int prepare_block(void) {
    uint32_t tid[3] = {0, 0, 0};
    memset(vgpu_block->warps, 0, sizeof(vgpu_block->warps));
    memset(vgpu_block->barriers, 0, sizeof(vgpu_block->barriers));
    vgpu_block->done_count = 0;
    for (uint32_t i = 0; i < vgpu_block->thread_count; i++) {
        struct vgpu_thread *thread = &vgpu_block->threads[i];
        const int error = vgpu_fiber_prepare(&thread->fiber, fiber_entry);
        if (error)
            return error;
        thread->state = VGPU_THREAD_READY;
        memcpy(thread->tid, tid, sizeof(tid));
        vgpu_block->warps[i / VGPU_WARP_SIZE].lanes |= 1u << i % VGPU_WARP_SIZE;
        advance(tid, vgpu_registers.ntid);
    }
    return 0;
}

/* True if the threads of the running block only wait by reading memory since there were `spins` of that. */
static bool waits_for_others(uint32_t spins) {
    return grid.spins > spins && grid.spins - spins >= (grid.beside ? 1 : SPIN_PATIENCE);
}

/* See vgpu_resident_run. */
static int run_block_as_fibers(void) {
    uint32_t spins = grid.spins;
    bool progress = true;
    while (!grid.error && progress) {
        progress = false;
        for (uint32_t warp = 0; warp * VGPU_WARP_SIZE < vgpu_block->thread_count && !grid.error; warp++)
            progress |= run_warp(warp);
        if (grid.spins < spins)
            spins = 0;
        if (!grid.error && waits_for_others(spins)) {
            grid.beside = true;
            return VGPU_BLOCK_WAITS;
        }
    }
    if (!grid.error && vgpu_block->done_count < vgpu_block->thread_count) {
        vgpu_meet_explain();
        grid.error = -EDEADLK;
    }
    return grid.error;
}

/* Plain calls */

static void run_block_as_calls(void) {
    uint32_t tid[3] = {0, 0, 0};
    for (uint32_t i = 0; i < vgpu_block->thread_count; i++) {
        set_thread(tid, i);
        grid.spins = 0;
        grid.kernel->entry(grid.launch->args);
        advance(tid, vgpu_registers.ntid);
    }
}

static int run_grid(uint64_t blocks) {
    if (vgpu_block->active)
        return vgpu_resident_run(grid.launch, prepare_block, run_block_as_fibers);
    for (uint64_t block = 0; block < blocks; block++) {
        run_block_as_calls();
        advance(vgpu_registers.ctaid, vgpu_registers.nctaid);
    }
    return 0;
}

/* The threads of a cooperative launch may wait for each other in whatever way. */
static void begin_grid(const struct vgpu_launch *launch, uint32_t threads) {
    vgpu_registers = (struct vgpu_registers){
        .ntid = {launch->block.x, launch->block.y, launch->block.z},
        .nctaid = {launch->grid.x, launch->grid.y, launch->grid.z},
        .dynamic_shared = (uint32_t)launch->dynamic_shared,
    };
    memset(vgpu_work, 0, sizeof(vgpu_work));
    workspace = (struct workspace){.size = sizeof(workspace)};
    grid.launch = launch;
    grid.kernel = launch->kernel;
    grid.error = 0;
    grid.spins = 0;
    grid.beside = launch->cooperative;
    vgpu_resident_reset();
    vgpu_block->thread_count = threads;
    vgpu_block->active = launch->kernel->needs_fibers || launch->cooperative;
}

int vgpu_execute(const struct vgpu_launch *launch) {
    const uint64_t blocks = (uint64_t)launch->grid.x * launch->grid.y * launch->grid.z;
    const uint64_t threads = (uint64_t)launch->block.x * launch->block.y * launch->block.z;
    if (launch->dynamic_shared > VGPU_DYNAMIC_SHARED_LIMIT)
        return -ENOMEM;
    if (!blocks || !threads || threads > VGPU_BLOCK_LIMIT)
        return -EINVAL;
    begin_grid(launch, (uint32_t)threads);
    grid.stack_top = __builtin_frame_address(0);
    if (setjmp(grid.escape)) {
        vgpu_resident_reset();
        return grid.error;
    }
    const int error = run_grid(blocks);
    vgpu_resident_reset();
    return error;
}
