//===- region_builder.h - describes the ops of a region -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KESCO_PLUGIN_REGION_REGION_BUILDER_H
#define KESCO_PLUGIN_REGION_REGION_BUILDER_H

#include "plugin/region/regions.h"

#include "llvm/IR/PassManager.h"

namespace llvm {
class DominatorTree;
} // namespace llvm

namespace kesco {

/// Describes the region whose ops stand at \p Places of \p Flow, ascending. \p Dominance is of the original,
/// \p OfCopy the analyses of \p Copy. Launches that contradict their kernel are added to \p Function.
Region buildRegion(FunctionAnalysis &Function, const OpFlow &Flow, const Knowledge &Program,
                   const llvm::DominatorTree &Dominance, llvm::FunctionAnalysisManager &OfCopy,
                   const llvm::Function &Copy, llvm::ArrayRef<unsigned> Places);

} // namespace kesco

#endif
