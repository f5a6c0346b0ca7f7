#define _GNU_SOURCE
#include "test/vgpu/fiber.h"

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define FIBER_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FIBER_ASAN 1
#endif
#endif

#ifdef FIBER_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

enum { SAVED_REGISTERS = 6 };

/* Pushes what the x86-64 ABI lets a callee change, stores the stack pointer, and pops the same from `load`.
 */
void vgpu_fiber_jump(void **save, void *load);
__asm__(".text\n"
        ".p2align 4\n"
        ".hidden vgpu_fiber_jump\n"
        ".globl vgpu_fiber_jump\n"
        ".type vgpu_fiber_jump, @function\n"
        "vgpu_fiber_jump:\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    ret\n"
        ".size vgpu_fiber_jump, . - vgpu_fiber_jump\n");

static int map_stack(struct vgpu_fiber *fiber) {
    const size_t guard = (size_t)sysconf(_SC_PAGESIZE);
    char *memory = mmap(NULL, guard + VGPU_FIBER_STACK, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return -ENOMEM;
    if (mprotect(memory, guard, PROT_NONE)) {
        munmap(memory, guard + VGPU_FIBER_STACK);
        return -ENOMEM;
    }
    fiber->stack = memory + guard;
    fiber->stack_size = VGPU_FIBER_STACK;
    return 0;
}

int vgpu_fiber_prepare(struct vgpu_fiber *fiber, void (*entry)(void)) {
    if (!fiber->stack) {
        const int error = map_stack(fiber);
        if (error)
            return error;
    }
#ifdef FIBER_ASAN
    ASAN_UNPOISON_MEMORY_REGION(fiber->stack, fiber->stack_size);
#endif
    /* From the top: a return address for a debugger to stop at, the entry, the saved registers. */
    uintptr_t *top = (uintptr_t *)(void *)(fiber->stack + fiber->stack_size);
    *--top = 0;
    *--top = (uintptr_t)entry;
    for (int i = 0; i < SAVED_REGISTERS; i++)
        *--top = 0;
    fiber->stack_pointer = top;
    fiber->shadow = NULL;
    return 0;
}

void vgpu_fiber_switch(struct vgpu_fiber *from, struct vgpu_fiber *to) {
#ifdef FIBER_ASAN
    __sanitizer_start_switch_fiber(&from->shadow, to->stack, to->stack_size);
#endif
    vgpu_fiber_jump(&from->stack_pointer, to->stack_pointer);
#ifdef FIBER_ASAN
    __sanitizer_finish_switch_fiber(from->shadow, NULL, NULL);
#endif
}

void vgpu_fiber_started(struct vgpu_fiber *from) {
#ifdef FIBER_ASAN
    const void *stack = NULL;
    size_t size = 0;
    __sanitizer_finish_switch_fiber(NULL, &stack, &size);
    from->stack = (char *)(uintptr_t)stack;
    from->stack_size = size;
#else
    (void)from;
#endif
}
