/* Blocks that no way leads to from where a function begins. */
#ifndef KESCO_PLUGIN_LIFT_UNREACHABLE_H
#define KESCO_PLUGIN_LIFT_UNREACHABLE_H

#include <llvm-c/Core.h>

/* Removes them from a function without phis. -ENOMEM: it is as it was. */
int kesco_remove_unreachable(LLVMValueRef function);

/* Leaves nothing but the declaration of a function without phis. */
void kesco_remove_body(LLVMValueRef function);

#endif
