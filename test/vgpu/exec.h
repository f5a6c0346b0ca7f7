/*
 * The executor's state, for the intrinsics that need more than the special registers: barriers, warp
 * functions, traps. One grid runs at a time, in one host thread; the engine's lock sees to that. Block runs
 * after block; only where all threads of one wait by reading memory, another one goes on (resident.h). The
 * threads of a block run one at a time: as plain calls, or, where they must meet, as fibers.
 */
#ifndef KESCO_TEST_VGPU_EXEC_H
#define KESCO_TEST_VGPU_EXEC_H

#include "test/vgpu/device_abi.h"
#include "test/vgpu/fiber.h"

#include <stdbool.h>

enum vgpu_thread_state {
    VGPU_THREAD_READY,
    VGPU_THREAD_YIELDED, /* ready, once the other warps have had their turn */
    VGPU_THREAD_AT_BARRIER,
    VGPU_THREAD_IN_WARP_CALL,
    VGPU_THREAD_DONE,
};

/* What a thread brings to a warp function, and what it takes away. */
struct vgpu_warp_call {
    const char *name; /* the function, for messages; threads meet only in the same one */
    const void *site; /* where an active-mask call stands in the code; else a null pointer */
    uint32_t mask;    /* lanes that must meet */
    uint32_t control; /* shuffles: source lane or offset */
    uint32_t clamp;   /* shuffles: width and clamp, as the PTX operand c */
    uint64_t value;   /* in: the lane's value or predicate */
    uint64_t result;  /* out */
    bool flag;        /* out: the second result (predicate) where there is one */
    /* Computes result and flag of every lane in `lanes`. */
    void (*settle)(struct vgpu_warp_call *const *calls, uint32_t lanes);
};

struct vgpu_thread {
    struct vgpu_fiber fiber;
    enum vgpu_thread_state state;
    uint32_t tid[3];             /* threadIdx */
    uint32_t barrier;            /* at a barrier: which */
    uint32_t votes;              /* leaving a barrier: threads whose predicate held */
    uint32_t arrived;            /* leaving a barrier: threads that met */
    struct vgpu_warp_call *call; /* in a warp function: on the thread's own stack */
};

struct vgpu_warp {
    uint32_t lanes;   /* lanes that the block has */
    uint32_t done;    /* lanes that have ended */
    uint32_t waiting; /* lanes in a warp function */
};

struct vgpu_barrier {
    uint32_t arrived; /* threads that have met, waiting or not */
    uint32_t votes;   /* of them, those whose predicate held */
    uint32_t count;   /* threads that must meet; 0: all that have not ended */
};

enum { VGPU_BARRIERS = 16 };

/* A block of a kernel. Its threads are fibers, or plain calls. */
struct vgpu_block {
    struct vgpu_thread *threads; /* x fastest; stacks are kept from block to block */
    struct vgpu_warp warps[VGPU_BLOCK_LIMIT / VGPU_WARP_SIZE];
    struct vgpu_barrier barriers[VGPU_BARRIERS];
    uint32_t ctaid[3];     /* blockIdx */
    uint32_t thread_count; /* threads of a block */
    uint32_t done_count;   /* of them, those that have ended */
    uint32_t running;      /* place in threads of the running one */
    bool active;           /* false while the running kernel's threads are plain calls */
};
extern struct vgpu_block *vgpu_block; /* the running one */

/* Leaves the running thread, whose state says why, until it is ready again. */
void vgpu_thread_wait(void);

/* Leaves the running thread, which waits by reading memory, until others have had their turn. */
void vgpu_thread_yield(void);

/* meet.c: accounts for the end of a thread, at barriers and in its warp. */
void vgpu_meet_done(uint32_t thread);

/* meet.c: answers a warp's active-mask calls, once no lane is ready. Returns whether a lane became ready. */
bool vgpu_meet_converged(uint32_t warp);

/* meet.c: prints where the threads of a block stand that can never go on. */
void vgpu_meet_explain(void);

/*
 * Meets the other threads of the block at barrier `id`: `count` of them, or all that have not ended if 0.
 * Returns the thread, in which votes and arrived are set. `waits` false: arrives without waiting.
 */
struct vgpu_thread *vgpu_barrier_meet(uint32_t id, uint32_t count, bool predicate, bool waits);

/* Meets the other lanes of call->mask; call->result and call->flag are set on return. */
void vgpu_warp_meet(struct vgpu_warp_call *call);

/* Ends the running thread, as PTX's exit does. */
_Noreturn void vgpu_thread_exit(void);

/* Ends the grid; vgpu_execute returns `error`. */
_Noreturn void vgpu_grid_abort(int error);

/* The running kernel's mangled name. */
const char *vgpu_kernel_name(void);

/* True if the address is one of the running thread's local variables. */
bool vgpu_is_local(const void *address);

/* True if the address is in dynamic shared memory, or in what is reserved of shared memory. */
bool vgpu_is_dynamic_shared(const void *address);

#endif
