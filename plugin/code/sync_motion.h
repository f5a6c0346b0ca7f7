//===- sync_motion.h - calls that synchronise go to where they are needed ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes into IR what sync_elision.h has found. A local variable says whether unseen work may be in flight,
// where that depends on the way that control took, and another one, for each call that moves out of a loop,
// whether it is owed there.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_CODE_SYNC_MOTION_H
#define KESCO_PLUGIN_CODE_SYNC_MOTION_H

#include "plugin/region/sync_elision.h"

#include "llvm/IR/IRBuilder.h"

namespace kesco {

class SyncMover {
  public:
    /// \p Calls are those of \p Found, all of \p F, to move. Where the runtime may put launches off, as \p
    /// MayReplay says, it makes them before such a call.
    SyncMover(llvm::Function &F, const SyncElision &Found, llvm::ArrayRef<llvm::CallBase *> Calls,
              bool MayReplay);

    /// Writes the calls that stand before ops, of \p Sites. To be called before regions are written. \returns
    /// by site those that are made each time, right before the call that starts the op.
    llvm::DenseMap<unsigned, llvm::CallBase *> hoist(llvm::ArrayRef<OpSite> Sites);

    /// Takes the calls from where they stand. To be called once all regions are written.
    void take();

  private:
    void addFlag(Reach Of);
    llvm::CallInst *cloneBefore(llvm::Instruction &Before, llvm::CallBase &Call);
    void settleBefore(llvm::Instruction &Wait);
    llvm::CallBase *hoistOne(llvm::CallBase &Call, unsigned Site, const OpSite &Op);
    void take(llvm::CallBase &Call, const MovedSync &Moved);
    void sink(llvm::CallBase &Call, const MovedSync &Moved);
    void setFlag(Reach Of, bool Value, llvm::Instruction &Before);
    llvm::Value *flag(Reach Of) const {
        return Flags[static_cast<unsigned>(Of)];
    }

    llvm::Function &F;
    const SyncElision &Found;
    llvm::SmallVector<llvm::CallBase *, 4> Calls;
    const bool MayReplay;
    llvm::IRBuilder<> Builder;
    std::array<llvm::AllocaInst *, 3> Flags = {}; ///< by reach: true where unseen work may be in flight
};

} // namespace kesco

#endif
