//===- read_variables.h - device variables that no kernel writes --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KESCO_PLUGIN_DEVICE_READ_VARIABLES_H
#define KESCO_PLUGIN_DEVICE_READ_VARIABLES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Module.h"

namespace kesco {

using VariableSet = llvm::SmallPtrSet<const llvm::GlobalVariable *, 8>;

/// The variables of \p M that \p Kernels, all that it has, and what they call only load from, by name: none
/// writes them, or gives their addresses away.
VariableSet findReadVariables(const llvm::Module &M, llvm::ArrayRef<llvm::Function *> Kernels);

} // namespace kesco

#endif
