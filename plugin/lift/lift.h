/*
 * PTX as LLVM IR: makes of a PTX module a device module for the analysis of kernels (plugin/device), good
 * enough to tell what is read and written, and what addresses are made of.
 *
 * Registers are integers of their size. Loads, stores, atomics, jumps, calls and the arithmetic that
 * addresses are made by become IR; any other instruction becomes inline assembly that holds it alone, so that
 * one table (instruction_kind.h) says what it does, and one that nobody knows makes the kernel unknown. An
 * integer that a pointer went into is made a pointer again where it is an address (address.h).
 *
 * What a parameter holds, PTX says only at times, so the host code has to: a parameter that is not known to
 * hold a pointer holds numbers, and what is at such an address is unknown.
 */
#ifndef KESCO_PLUGIN_LIFT_LIFT_H
#define KESCO_PLUGIN_LIFT_LIFT_H

#include "plugin/assembly/ptx_module.h"
#include "plugin/schedule/arena.h"

#include <llvm-c/Core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whether the pointer-sized part at `offset` of a kernel's parameter is a pointer. */
struct kesco_pointer_question {
    bool (*ask)(const void *context, const char *kernel, unsigned parameter, uint64_t offset);
    const void *context;
};

/* A variable of a module whose name in host code is known. */
struct kesco_variable_name {
    const char *device, *host;
};

/* A kernel whose function is empty, since something of it is not understood. */
struct kesco_not_lifted {
    const char *kernel, *what;
};

struct kesco_lifted {
    LLVMModuleRef module;
    struct kesco_not_lifted *not_lifted;
    size_t not_lifted_count;
    struct kesco_arena memory; /* of names and texts */
};

/* Makes of `from` a module in `context`, which kesco_lifted_free frees. -ENOMEM; -EINVAL: LLVM
 * lacks a pass. After an error there is nothing to free. */
int kesco_lift_ptx(LLVMContextRef context, const struct kesco_ptx_module *from,
                   struct kesco_pointer_question pointers, struct kesco_lifted *lifted);

/* Gives the variables their names in host code. String literals have their text for good: compilers name them
 * as no variable is named that host code does not know. False where something else has such a name. */
bool kesco_lifted_name_variables(struct kesco_lifted *lifted, const struct kesco_ptx_module *from,
                                 const struct kesco_variable_name *names, size_t count);

/* Frees the module, too. Accepts a zeroed one. */
void kesco_lifted_free(struct kesco_lifted *lifted);

#ifdef __cplusplus
}
#endif

#endif
