#include "test/vgpu/exec.h"
#include "test/vgpu/device.h"

#include <errno.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

struct vgpu_registers vgpu_registers;
uint64_t vgpu_work[VGPU_WORK_KINDS];
_Alignas(256) char vgpu_dynamic_shared[VGPU_DYNAMIC_SHARED_LIMIT];
struct vgpu_block vgpu_block;

/* Atomics and volatile loads in a row after which a thread yields, and after which it waits in vain. */
enum { SPIN_SLICE = 1 << 12, SPIN_LIMIT = 1 << 26 };

/* The running grid. */
static struct {
    const struct vgpu_kernel *kernel;
    void **args;
    const char *stack_top;       /* end of the stack that the running thread is on */
    struct vgpu_fiber scheduler; /* the host thread, while a fiber runs */
    jmp_buf escape;              /* out of a thread that is a plain call */
    uint32_t spins;              /* atomics and volatile loads since a thread started, ended or met others */
    int error;                   /* negative errno once the grid is to end */
} grid;

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

void vgpu_device_access(const void *address, uint64_t size, uint32_t kind) {
    if (!vgpu_is_local(address) && !vgpu_is_dynamic_shared(address))
        vgpu_access(address, size, kind);
}

void vgpu_device_spin(void) {
    if (++grid.spins % SPIN_SLICE)
        return;
    if (grid.spins >= SPIN_LIMIT)
        vgpu_unmodelled("a thread that waits, by reading memory, for one that cannot run before it ends",
                        grid.kernel->name);
    if (!vgpu_block.active)
        return;
    vgpu_block.threads[vgpu_block.running].state = VGPU_THREAD_YIELDED;
    vgpu_thread_wait();
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
    vgpu_fiber_switch(&vgpu_block.threads[vgpu_block.running].fiber, &grid.scheduler);
}

void vgpu_thread_wait(void) {
    if (vgpu_block.threads[vgpu_block.running].state != VGPU_THREAD_YIELDED)
        grid.spins = 0;
    leave_fiber();
}

_Noreturn void vgpu_thread_exit(void) {
    vgpu_block.threads[vgpu_block.running].state = VGPU_THREAD_DONE;
    grid.spins = 0;
    vgpu_meet_done(vgpu_block.running);
    leave_fiber();
    __builtin_unreachable();
}

_Noreturn void vgpu_grid_abort(int error) {
    grid.error = error;
    if (!vgpu_block.active)
        longjmp(grid.escape, 1);
    leave_fiber();
    __builtin_unreachable();
}

static void fiber_entry(void) {
    vgpu_fiber_started(&grid.scheduler);
    grid.kernel->entry(grid.args);
    vgpu_thread_exit();
}

static void resume(uint32_t index) {
    struct vgpu_thread *thread = &vgpu_block.threads[index];
    vgpu_block.running = index;
    set_thread(thread->tid, index);
    grid.stack_top = thread->fiber.stack + thread->fiber.stack_size;
    vgpu_fiber_switch(&grid.scheduler, &thread->fiber);
}

/* Runs a warp until no lane is ready. Returns whether one was. */
static bool run_warp(uint32_t warp) {
    const uint32_t first = warp * VGPU_WARP_SIZE;
    const uint32_t left = vgpu_block.thread_count - first;
    const uint32_t end = first + (left < VGPU_WARP_SIZE ? left : VGPU_WARP_SIZE);
    bool progress = false, ran;
    for (uint32_t i = first; i < end; i++)
        if (vgpu_block.threads[i].state == VGPU_THREAD_YIELDED)
            vgpu_block.threads[i].state = VGPU_THREAD_READY;
    do {
        ran = false;
        for (uint32_t i = first; i < end && !grid.error; i++) {
            if (vgpu_block.threads[i].state != VGPU_THREAD_READY)
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
    memset(vgpu_block.warps, 0, sizeof(vgpu_block.warps));
    memset(vgpu_block.barriers, 0, sizeof(vgpu_block.barriers));
    vgpu_block.done_count = 0;
    for (uint32_t i = 0; i < vgpu_block.thread_count; i++) {
        struct vgpu_thread *thread = &vgpu_block.threads[i];
        const int error = vgpu_fiber_prepare(&thread->fiber, fiber_entry);
        if (error)
            return error;
        thread->state = VGPU_THREAD_READY;
        memcpy(thread->tid, tid, sizeof(tid));
        vgpu_block.warps[i / VGPU_WARP_SIZE].lanes |= 1u << i % VGPU_WARP_SIZE;
        advance(tid, vgpu_registers.ntid);
    }
    return 0;
}

static int run_block_as_fibers(void) {
    grid.error = prepare_block();
    bool progress = true;
    while (!grid.error && progress) {
        progress = false;
        for (uint32_t warp = 0; warp * VGPU_WARP_SIZE < vgpu_block.thread_count && !grid.error; warp++)
            progress |= run_warp(warp);
    }
    if (!grid.error && vgpu_block.done_count < vgpu_block.thread_count) {
        vgpu_meet_explain();
        grid.error = -EDEADLK;
    }
    return grid.error;
}

/* Plain calls */

static int run_block_as_calls(void) {
    uint32_t tid[3] = {0, 0, 0};
    for (uint32_t i = 0; i < vgpu_block.thread_count; i++) {
        set_thread(tid, i);
        grid.spins = 0;
        grid.kernel->entry(grid.args);
        advance(tid, vgpu_registers.ntid);
    }
    return 0;
}

static int run_grid(uint64_t blocks) {
    for (uint64_t block = 0; block < blocks; block++) {
        const int error = vgpu_block.active ? run_block_as_fibers() : run_block_as_calls();
        if (error)
            return error;
        advance(vgpu_registers.ctaid, vgpu_registers.nctaid);
    }
    return 0;
}

int vgpu_execute(const struct vgpu_kernel *kernel, struct vgpu_dim3 grid_size, struct vgpu_dim3 block_size,
                 size_t dynamic_shared, void **args) {
    const uint64_t blocks = (uint64_t)grid_size.x * grid_size.y * grid_size.z;
    const uint64_t threads = (uint64_t)block_size.x * block_size.y * block_size.z;
    if (dynamic_shared > VGPU_DYNAMIC_SHARED_LIMIT)
        return -ENOMEM;
    if (!blocks || !threads || threads > VGPU_BLOCK_LIMIT)
        return -EINVAL;
    vgpu_registers = (struct vgpu_registers){
        .ntid = {block_size.x, block_size.y, block_size.z},
        .nctaid = {grid_size.x, grid_size.y, grid_size.z},
        .dynamic_shared = (uint32_t)dynamic_shared,
    };
    memset(vgpu_work, 0, sizeof(vgpu_work));
    grid.kernel = kernel;
    grid.args = args;
    grid.error = 0;
    grid.stack_top = __builtin_frame_address(0);
    vgpu_block.thread_count = (uint32_t)threads;
    vgpu_block.active = kernel->needs_fibers != 0;
    if (setjmp(grid.escape))
        return grid.error;
    return run_grid(blocks);
}
