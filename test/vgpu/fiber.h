/*
 * Fibers: stacks of their own, switched between by hand, within one host thread. Knows nothing of CUDA.
 */
#ifndef KESCO_TEST_VGPU_FIBER_H
#define KESCO_TEST_VGPU_FIBER_H

#include <stddef.h>

enum { VGPU_FIBER_STACK = 256 << 10 }; /* bytes */

struct vgpu_fiber {
    void *stack_pointer; /* while it does not run */
    char *stack;         /* lowest usable byte, above the guard page; a null pointer until it has a stack */
    size_t stack_size;   /* bytes */
    void *shadow;        /* AddressSanitizer's fake stack while it does not run */
};

/*
 * Makes `fiber` start at `entry`, which must never return, when it is next switched to. Keeps the stack that
 * the fiber has, or gives it one. Returns 0 or -ENOMEM.
 */
int vgpu_fiber_prepare(struct vgpu_fiber *fiber, void (*entry)(void));

/*
 * Leaves `from`, the running fiber, and goes on in `to`. Returns when something switches back to `from`.
 * `from` may be the host thread itself: an all-zero struct.
 */
void vgpu_fiber_switch(struct vgpu_fiber *from, struct vgpu_fiber *to);

/* First thing that a fiber's entry calls; `from` is the fiber that switched to it. */
void vgpu_fiber_started(struct vgpu_fiber *from);

#endif
