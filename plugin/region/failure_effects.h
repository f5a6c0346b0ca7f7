//===- failure_effects.h - what is left of code for an error ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that says that a call has failed, and goes on, says so once for an error that comes to light at
// one check instead of several. What else it does about an error it would do once for each check.

#ifndef KESCO_PLUGIN_REGION_FAILURE_EFFECTS_H
#define KESCO_PLUGIN_REGION_FAILURE_EFFECTS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Instruction.h"

namespace kesco {

/// True if nothing is left of \p I but words that the program puts out: it changes no memory but such that
/// belongs to what \p IsOwn is said of, a variable or a call that allocates. Calls of CUDA's count as
/// nothing.
bool onlySays(const llvm::Instruction &I, llvm::function_ref<bool(const llvm::Value &)> IsOwn);

} // namespace kesco

#endif
