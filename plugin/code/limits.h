//===- limits.h - calls that change what kernels may have -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KESCO_PLUGIN_CODE_LIMITS_H
#define KESCO_PLUGIN_CODE_LIMITS_H

#include "llvm/IR/Function.h"

namespace kesco {

/// Tells the runtime what \p F sets of a kernel's attributes, behind each call that does.
/// \returns whether there are some.
bool tellLimits(llvm::Function &F);

} // namespace kesco

#endif
