//===- op_amount.h - how much an op has to do ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KESCO_PLUGIN_CODE_OP_AMOUNT_H
#define KESCO_PLUGIN_CODE_OP_AMOUNT_H

#include "plugin/region/regions.h"

#include "llvm/IR/IRBuilder.h"

namespace kesco {

/// Where \p Builder stands, before \p Start: how many threads \p O has, a launch whose configuration \p Start
/// pushes and whose kernel's stub \p Issue calls, and in KESCO_AMOUNT_WORK how much each has to do, where the
/// launch says so; or how many bytes, another op whose call both are. KESCO_AMOUNT_UNKNOWN where that, or
/// what a thread does, is not known.
llvm::Value *amountOf(llvm::IRBuilderBase &Builder, const Op &O, const llvm::CallBase &Start,
                      const llvm::CallBase &Issue);

/// How long \p O takes, whose call \p Call is, and no launch, in instructions of a thread of a full device.
uint32_t estimateTransfer(const Op &O, const llvm::CallBase &Call);

} // namespace kesco

#endif
