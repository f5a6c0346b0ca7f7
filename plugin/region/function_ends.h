//===- function_ends.h - how control leaves a function --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What follows an edge, up to where the function returns or the program ends.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_REGION_FUNCTION_ENDS_H
#define KESCO_PLUGIN_REGION_FUNCTION_ENDS_H

#include "plugin/ir/walk.h"

#include "llvm/IR/InstrTypes.h"

namespace kesco {

/// True where a function ends, or what it calls does not come back.
bool isEnd(const llvm::Instruction &I);

/// Visits all edges that control may come along from \p From on, but for those of exceptions. \p Visit says
/// whether to go on after one.
void visitEdges(const Edge &From, llvm::function_ref<bool(const Edge &)> Visit);

/// The call that control does not come back from at the end of \p Block; null for none.
const llvm::CallBase *lastCall(const llvm::BasicBlock &Block);

/// The status that the program ends with in \p Call; null if that is no number.
const llvm::Value *exitStatus(const llvm::CallBase &Call);

/// What \p V is where control has come along \p At.
const llvm::Value *valueFrom(const llvm::Value *V, const Edge &At);

/// True for the number 0, and not for null.
bool isZero(const llvm::Value *V);

} // namespace kesco

#endif
