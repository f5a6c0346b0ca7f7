/* Integers that are addresses. */
#ifndef KESCO_PLUGIN_LIFT_ADDRESS_H
#define KESCO_PLUGIN_LIFT_ADDRESS_H

#include <llvm-c/Core.h>

/* Computes with pointers in the function wherever an integer that becomes an address was made of one pointer
 * and numbers, by sums and choices. -ENOMEM: it is as it was. */
int kesco_make_pointers(LLVMValueRef function);

#endif
