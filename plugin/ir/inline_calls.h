//===- inline_calls.h - inlines what a function calls -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KESCO_PLUGIN_IR_INLINE_CALLS_H
#define KESCO_PLUGIN_IR_INLINE_CALLS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace kesco {

/// Inlining stops when a function has grown to this many instructions, but for small callees that call
/// nothing.
constexpr unsigned MostInstructions = 20000;

/// True if a body that can be inlined stands after \p Call, and is the one that it would come to.
bool canInline(const llvm::CallBase &Call);

/// Inlines the calls of \p F that \p Wanted accepts, and those that come in by that, with \p Inline, which
/// returns false where it did not. Each callee is inlined once along a chain of calls, so that recursion
/// ends;
/// \p Self, which F stands for, is never. What F itself calls comes first, so that the limit on its size
/// strikes what is deepest. False: that left some out.
bool inlineCalls(llvm::Function &F, const llvm::Function &Self,
                 llvm::function_ref<bool(const llvm::CallBase &)> Wanted,
                 llvm::function_ref<bool(llvm::CallBase &, llvm::InlineFunctionInfo &)> Inline);

} // namespace kesco

#endif
