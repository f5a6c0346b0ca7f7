//===- region_closer.h - where regions are closed ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A region is closed before each barrier after its ops, before the function returns, and where an exception
// leaves it.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_CODE_REGION_CLOSER_H
#define KESCO_PLUGIN_CODE_REGION_CLOSER_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"

namespace kesco {

/// True for a call of cudaEventRecord, or of cudaEventSynchronize.
bool recordsEvent(const llvm::Instruction &I);
bool waitsForEvent(const llvm::Instruction &I);

/// True for a call that the regions before it are closed around rather than before.
bool mayCloseAround(const llvm::Instruction &I);

/// Where control comes first after \p Call when it has returned.
llvm::Instruction *afterReturn(llvm::CallBase &Call);

/// Writes the calls that close the regions of a function.
class RegionCloser {
  public:
    explicit RegionCloser(llvm::Function &F) : F(F) {
    }

    /// Before anything else is written: what is written later for a launch stands after the call.
    void closeBefore(llvm::Instruction &Barrier);

    /// The same around a call that acts on the legacy default stream, which may do itself what closing would
    /// (stream_action.h), or on another, or that lets the host wait for an event: where the host waits for
    /// what the region had, there or by an event that the call records, how long that takes is noted.
    void closeAround(llvm::CallBase &Barrier);

    /// Once all launches are written: where the function returns or throws with a region open. \p AtReturn
    /// writes something else than the runtime's call where it returns.
    void closeAtExits(llvm::function_ref<void(llvm::Instruction &)> AtReturn = nullptr);

  private:
    void leave(llvm::Instruction *Before, const llvm::DebugLoc &Location);
    bool mayUnwind(const llvm::Instruction &I) const;
    void closeAtPad(const llvm::InvokeInst &Invoke);
    llvm::BasicBlock *cleanup(const llvm::DebugLoc &Location);

    llvm::Function &F;
    llvm::BasicBlock *Cleanup = nullptr; ///< where exceptions pass through that only this class sees
    llvm::SmallPtrSet<llvm::BasicBlock *, 4> Closed; ///< landing pads that close
};

} // namespace kesco

#endif
