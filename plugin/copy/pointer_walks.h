//===- pointer_walks.h - pointers that nested loops move on ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pointer that begins at one base and is moved on in nested loops is one value for each loop, which lead to
// each other: alias analysis of older LLVM releases takes it for any pointer. Here it becomes the base, and
// an offset that is moved on.
//
//   1. From a pointer that is merged (a phi), collect all that it comes from: pointers that are merged or
//   moved.
//   2. All must come from one value, which is there before them; and two or more be merged.
//   3. Each gets an offset, made as the pointer was made, and becomes the base with that added.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_COPY_POINTER_WALKS_H
#define KESCO_PLUGIN_COPY_POINTER_WALKS_H

#include "llvm/IR/PassManager.h"

namespace kesco {

struct PointerWalksPass : llvm::PassInfoMixin<PointerWalksPass> {
    llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &Known);
};

} // namespace kesco

#endif
