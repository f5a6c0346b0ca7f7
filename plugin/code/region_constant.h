//===- region_constant.h - what the runtime is told of a region -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KESCO_PLUGIN_CODE_REGION_CONSTANT_H
#define KESCO_PLUGIN_CODE_REGION_CONSTANT_H

#include "plugin/code/rewrite.h"

namespace kesco {

/// A struct kesco_region (runtime/kesco_abi.def) in \p M for the region of \p Planned, one of \p Named, that
/// runs as planned, with so many events, in the mode \p Mode (KESCO_MODE_). Its address is the region's own:
/// it is not merged with others.
llvm::Constant *regionConstant(llvm::Module &M, const llvm::Function &Named, const ScheduledRegion &Planned,
                               unsigned Events, unsigned Mode);

/// True if the region that \p Join, a call of __kesco1_join, is for may be replayed as graphs.
bool mayBeReplayed(const llvm::CallBase &Join);

} // namespace kesco

#endif
