//===- off_mark.h - functions that are to stay as they are --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The mark goes with a function into copies of its module. It is no part of the program: who sets it takes it
// out again.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_IR_OFF_MARK_H
#define KESCO_PLUGIN_IR_OFF_MARK_H

#include "llvm/IR/Module.h"

namespace kesco {

/// Marks \p F, a function that stays as it is, or the stub of a kernel whose launches do, for the reason \p
/// Why.
void markOff(llvm::Function &F, llvm::StringRef Why);

/// Why \p F is marked; empty if it is not.
llvm::StringRef whyOff(const llvm::Function &F);

/// Takes all marks out of \p M.
void clearOffMarks(llvm::Module &M);

} // namespace kesco

#endif
