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

namespace kesco {

/// True if \p F, which takes an error alone, ends the program where that is none of success: it does not come
/// back, throws nothing, and calls nothing on the way that is not seen and none of a library's.
bool endsForErrors(const llvm::Function &F);

/// How \p F, of which that is true, ends the program, as far as its status tells: the same number for
/// functions that end it in the same way, above KESCO_ENDS_SEVERAL.
uint32_t endOf(const llvm::Function &F);

} // namespace kesco

#endif
