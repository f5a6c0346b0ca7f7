//===- host_touches.h - where the host touches memory --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KESCO_PLUGIN_REGION_HOST_TOUCHES_H
#define KESCO_PLUGIN_REGION_HOST_TOUCHES_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstrTypes.h"

#include <cstdint>
#include <optional>

namespace kesco {

class NormalisedModule;

/// A pointer of the original, at hand before a call.
struct HostTouch {
    llvm::Value *Pointer;          ///< the pointer, or
    std::optional<int64_t> Member; ///< what it leads to has it, so many bytes past

    bool operator==(const HostTouch &Other) const {
        return Pointer == Other.Pointer && Member == Other.Member;
    }
};

struct HostTouches {
    /// Pointers into all allocations in which the host may load or
    /// store. Left out is what no kernel can be at work on: memory that is allocated after the call, and the
    /// stack, which a region that works on it has no bounds for.
    llvm::SmallVector<HostTouch, 4> Pointers;
    /// Of the copy: the first access that none of these leads to, or that is to what ops of the function are
    /// given; null for none.
    const llvm::Instruction *Unnamed = nullptr;
};

/// A function whose host accesses are asked for.
struct TouchingFunction {
    /// \p Copy has a copy of \p F.
    TouchingFunction(llvm::Function &F, const NormalisedModule &Copy);

    llvm::Function &F;
    const NormalisedModule &Copy;
    const llvm::DominatorTree Dominance;              ///< of F
    llvm::SmallPtrSet<const llvm::Value *, 16> OfOps; ///< of the copy: what ops are given
};

/// What the host may touch after \p Call, the copy of \p Original, of \p In, before control comes to what \p
/// Ends accepts.
HostTouches findHostTouches(const TouchingFunction &In, const llvm::CallBase &Original,
                            const llvm::CallBase &Call,
                            llvm::function_ref<bool(const llvm::Instruction &)> Ends);

} // namespace kesco

#endif
