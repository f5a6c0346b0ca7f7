//===- guard_code.h - what the runtime is told of pointers, as IR --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the calls of __kesco1_guard and its kin (runtime/kesco_abi.def) that stand right before an op.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_CODE_GUARD_CODE_H
#define KESCO_PLUGIN_CODE_GUARD_CODE_H

#include "plugin/code/range_code.h"
#include "plugin/code/rewrite.h"

#include "llvm/IR/IRBuilder.h"

namespace kesco {

/// The pointer of \p P where \p Builder stands, in front of \p Issue.
llvm::Value *heldPointer(llvm::IRBuilderBase &Builder, const llvm::CallBase &Issue, const kesco_pointer &P);

/// Which bytes behind its pointer a launch touches, as far as that can be said.
std::optional<RangeValues> rangeOf(llvm::IRBuilderBase &Builder, const OpSite &S, const kesco_pointer &P);

class GuardWriter {
  public:
    /// For the ops of \p Planned, in \p M.
    GuardWriter(const ScheduledRegion &Planned, llvm::Module &M);

    /// Right before \p O, which is issued at \p Site, and whose lane is chosen already: the runtime orders it
    /// by other means if need be. What is placed gets its lane by that. \p Location is the op's.
    void write(const Op &O, const OpSite &Site, const llvm::DebugLoc &Location) const;

  private:
    void numberObjects();
    llvm::Value *objectOf(llvm::IRBuilderBase &Builder, const kesco_pointer &P, unsigned Part) const;
    unsigned flagsOf(const Op &O, const kesco_pointer &P) const;
    bool isGuarded(const Op &O, const kesco_pointer &P) const;
    void writeGuards(const Op &O, const OpSite &Site, const llvm::DebugLoc &Location) const;
    void writeGuard(llvm::IRBuilderBase &Builder, const Op &O, const OpSite &Site,
                    const kesco_pointer &P) const;
    void writeClaims(llvm::IRBuilderBase &Builder, const OpSite &Site, const kesco_pointer &P) const;

    const Region &R;
    const bool IsOneLane, IsPlaced, Joins;    ///< as ScheduledRegion has them
    llvm::DenseMap<unsigned, unsigned> Flags; ///< KESCO_GUARD_ of the objects that are guarded
    llvm::SmallVector<unsigned, 8>
        Numbers; ///< by object, for the runtime, which compares different ones alone
    llvm::SmallVector<llvm::Constant *, 2> Claims; ///< those of the region, where the plan relies on them
};

} // namespace kesco

#endif
