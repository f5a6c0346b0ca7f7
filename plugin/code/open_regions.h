//===- open_regions.h - where a region may be open -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KESCO_PLUGIN_CODE_OPEN_REGIONS_H
#define KESCO_PLUGIN_CODE_OPEN_REGIONS_H

#include "plugin/code/runtime_abi.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Function.h"

#include <optional>

namespace kesco {

/// Whether a region may be open after an instruction; nothing: as before it.
using RegionChange = std::optional<bool> (*)(const llvm::Instruction &);

/// That of all regions, whosever they are.
std::optional<bool> isOpenAfter(const llvm::Instruction &I);

/// True for calls of the runtime that stand in functions which borrow: for regions that join others, or none.
bool isOfJoiningRegions(AbiFunction Called);

/// Calls \p See for each instruction of \p F, block by block, with whether a region may be open before it, by
/// \p Changes. None is at the function's entry.
void visitWithRegions(llvm::Function &F, RegionChange Changes,
                      llvm::function_ref<void(llvm::Instruction &, bool)> See);

} // namespace kesco

#endif
