//===- prefetch.h - managed memory that is better moved ahead of its use -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds, for the option prefetch=on, the synchronising calls after which the host reads memory in a loop
// that may be managed (what kernels use is found in fetches.c). What the memory is, and whether moving it
// pays, the runtime finds out.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_REGION_PREFETCH_H
#define KESCO_PLUGIN_REGION_PREFETCH_H

#include "plugin/region/regions.h"

namespace kesco {

/// Fills in \p R's PrefetchesToHost. \p Barriers are those of \p Copy, the copy of \p F, that may come after
/// its ops.
void findPrefetchesToHost(Region &R, const llvm::Function &F,
                          llvm::ArrayRef<const llvm::Instruction *> Barriers, NormalisedModule &Copy);

} // namespace kesco

#endif
