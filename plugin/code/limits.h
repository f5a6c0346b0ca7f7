//===- limits.h - calls that change what kernels may have -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KESCO_PLUGIN_CODE_LIMITS_H
#define KESCO_PLUGIN_CODE_LIMITS_H

#include "llvm/IR/Module.h"

namespace kesco {

/// Tells the runtime what \p M sets of kernels' attributes, behind each call that does.
/// \returns whether there are some.
bool tellLimits(llvm::Module &M);

} // namespace kesco

#endif
