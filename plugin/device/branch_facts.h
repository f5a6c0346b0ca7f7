//===- branch_facts.h - what branches say of a place in a function ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KESCO_PLUGIN_DEVICE_BRANCH_FACTS_H
#define KESCO_PLUGIN_DEVICE_BRANCH_FACTS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Dominators.h"

namespace kesco {

using IsFact = llvm::function_ref<bool(llvm::Value *Condition, bool Holds)>;

/// True if \p Is is true of \p Condition as it holds or not, or of one that it is made of by "and", "or" and
/// "not", as that then holds or not.
bool anyPart(llvm::Value *Condition, bool Holds, IsFact Is);

/// The same of the conditions of branches that hold, or do not, wherever control takes the edge from \p At to
/// \p To, or without \p To comes to \p At; nearest first.
bool anyFactAt(const llvm::DominatorTree &Dominance, const llvm::BasicBlock &At, const llvm::BasicBlock *To,
               IsFact Is);

} // namespace kesco

#endif
