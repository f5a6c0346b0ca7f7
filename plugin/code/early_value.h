//===- early_value.h - what a launch's arguments will be ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KESCO_PLUGIN_CODE_EARLY_VALUE_H
#define KESCO_PLUGIN_CODE_EARLY_VALUE_H

#include "llvm/IR/IRBuilder.h"

namespace kesco {

/// \p V, which the block \p Late evaluates, where \p Builder stands, before \p Start, whose block leads to
/// \p Late alone. Null where it may be another value there, or where the program may not come as far, or may
/// need what \p Late does first, as memory that is not there before.
llvm::Value *evaluateEarly(llvm::IRBuilderBase &Builder, llvm::Value *V, const llvm::Instruction &Start,
                           const llvm::BasicBlock &Late);

} // namespace kesco

#endif
