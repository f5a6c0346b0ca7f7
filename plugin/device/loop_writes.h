//===- loop_writes.h - what else a loop writes to the memory that ends it ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KESCO_PLUGIN_DEVICE_LOOP_WRITES_H
#define KESCO_PLUGIN_DEVICE_LOOP_WRITES_H

#include "plugin/device/provenance.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Analysis/LoopInfo.h"

namespace kesco {

/// The memory that a loop may write.
struct LoopWrites {
    PlaceSet Places;
    bool Anywhere = false;

    /// True if it may be some of \p What.
    bool mayMeet(const PlaceSet &What, const Provenance &Sources) const;
};

/// What \p L may write by instructions that are not \p Allowed to.
LoopWrites findWrites(const llvm::Loop &L, Provenance &Sources,
                      llvm::function_ref<bool(const llvm::Instruction &)> Allowed);

} // namespace kesco

#endif
