//===- ending_blocks.h - where a function does not come back -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KESCO_PLUGIN_IR_ENDING_BLOCKS_H
#define KESCO_PLUGIN_IR_ENDING_BLOCKS_H

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/BasicBlock.h"

namespace kesco {

/// The blocks of \p F from which control comes neither back to them nor to the end of \p F: where the program
/// ends.
llvm::SmallPtrSet<const llvm::BasicBlock *, 16> findEndingBlocks(const llvm::Function &F);

/// The same, and those from which control comes nowhere but there and to where exceptions are caught, or to
/// what is done before that.
llvm::SmallPtrSet<const llvm::BasicBlock *, 16> findFailingBlocks(const llvm::Function &F);

} // namespace kesco

#endif
