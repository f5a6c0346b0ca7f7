//===- allocations.h - what needs the memory that the run keeps ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that is freed while ops of a region may use it is kept until that is closed
// (runtime/region/freed.h). So the program's calls that allocate memory meanwhile, or ask how much is free,
// let the run give it back.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_CODE_ALLOCATIONS_H
#define KESCO_PLUGIN_CODE_ALLOCATIONS_H

#include "llvm/IR/Function.h"

namespace kesco {

/// Lets such calls of \p F do that where a region may be open; \p IsCalledWithin: one may be anywhere.
/// \returns whether there are some.
bool letAllocationsHaveAll(llvm::Function &F, bool IsCalledWithin);

} // namespace kesco

#endif
