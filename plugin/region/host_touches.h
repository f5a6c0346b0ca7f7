//===- host_touches.h - where the host touches memory --------------------------===//
//
// Part of KeSCo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_REGION_HOST_TOUCHES_H
#define KESCO_PLUGIN_REGION_HOST_TOUCHES_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstrTypes.h"

#include <optional>

namespace llvm {
class DominatorTree;
}

namespace kesco {

class NormalisedModule;

/// Pointers of \p F, at hand before \p Original, into all allocations in which the host may load or store
/// behind
/// \p Call, its copy in \p Copy, before control comes to what \p Ends accepts. Left out is what no kernel can
/// be at work on: memory that is allocated behind the call, and the stack, which a region that works on it
/// has no bounds for. Nothing where one cannot be named. \p Dominance is of F.
std::optional<llvm::SmallVector<llvm::Value *, 4>>
findHostTouches(llvm::Function &F, const llvm::CallBase &Original, const llvm::CallBase &Call,
                const NormalisedModule &Copy, const llvm::DominatorTree &Dominance,
                llvm::function_ref<bool(const llvm::Instruction &)> Ends);

} // namespace kesco

#endif
