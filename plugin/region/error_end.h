//===- error_end.h - code that ends the program for an error -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What most programs do about an error of CUDA's: they print it, and end. Such code does the same wherever it
// is called from.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_REGION_ERROR_END_H
#define KESCO_PLUGIN_REGION_ERROR_END_H

#include "llvm/IR/Function.h"

#include <optional>

namespace kesco {

/// How \p F, which takes an error alone, ends the program where that is none of success, as far as its status
/// tells: the same number for functions that end it in the same way, above KESCO_ENDS_SEVERAL. Nothing where
/// it may come back, throw, or call what is not seen and none of a library's on the way.
std::optional<uint32_t> endForErrors(const llvm::Function &F);

} // namespace kesco

#endif
