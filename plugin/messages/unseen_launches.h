//===- unseen_launches.h - launches that are no ops ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels are launched by pointers, too, and by CUDA's own functions. KeSCo leaves such launches as they are,
// and copies, memsets and the like of functions that launch nothing; here they are found, for those who ask
// why.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_MESSAGES_UNSEEN_LAUNCHES_H
#define KESCO_PLUGIN_MESSAGES_UNSEEN_LAUNCHES_H

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

#include <string>

namespace kesco {

class UnseenLaunches {
  public:
    /// Finds those of \p M.
    explicit UnseenLaunches(llvm::Module &M);

    /// What launches where \p Call is made: itself, or a call in the function that it calls, directly or not.
    /// Null where none does but ops.
    const llvm::CallBase *launchOf(const llvm::CallBase &Call) const;

    /// True if \p F has a launch of its own, an op or not.
    bool isLaunching(const llvm::Function &F) const {
        return Launching.contains(&F);
    }

    /// \p F has regions that join others.
    void noteJoining(const llvm::Function &F) {
        Joining.insert(&F);
    }
    bool joins(const llvm::Function &F) const {
        return Joining.contains(&F);
    }

    /// True if \p Call issues an op that is no launch: itself, or in a function without launches that it
    /// calls, directly or not.
    bool isTransfer(const llvm::CallBase &Call) const;

    /// How \p Launch, one of these, is made, as "by ...".
    static std::string describe(const llvm::CallBase &Launch);

    /// What to do about launches that are made so, as "; ..."; empty if nothing helps.
    static const char *adviceFor(llvm::StringRef How);

  private:
    void add(llvm::CallBase &Launch);
    void addCallers();
    void addTransfers(llvm::Module &M);

    llvm::SmallPtrSet<const llvm::CallBase *, 8> Launches;
    llvm::MapVector<const llvm::Function *, const llvm::CallBase *> Within; ///< the first one, by function
    llvm::SmallPtrSet<const llvm::Function *, 8> Launching, Joining;
    llvm::SmallPtrSet<const llvm::Function *, 8> Transferring; ///< those for which isTransfer holds
};

} // namespace kesco

#endif
