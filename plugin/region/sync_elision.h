//===- sync_elision.h - host synchronisation that nothing observes ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds calls of cudaDeviceSynchronize, and of cudaStreamSynchronize for the default stream, that the program
// could do without: their results are unused, all that they could order is known (unseen_work.h), and on
// every way from there the host comes to another call that waits for at least as much, before it does
// anything that could tell the difference. These could:
//
//   host memory that others may know of     what the device works on may be managed, mapped or pinned
//   error checks, timers, events, output    they show when, or whether, work was done
//   unknown code, and the function's end    the caller may do any of this
//   ops, where they go to several streams   what one stream has may be there for the others only then
//   results of calls that allocate or       where kernels may trap, they are the error, if that was waited
//   for issue ops, where they are used
//
// Ops on one stream, allocations, local variables and pure computation cannot, but for copies within the
// host, which may not keep to the order of a stream, and for variables that a copy is given. A call in a loop
// for which that holds as far as the loop's exits moves down to those, where it waits if control came by it
// in the loop.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_REGION_SYNC_ELISION_H
#define KESCO_PLUGIN_REGION_SYNC_ELISION_H

#include "plugin/cuda/op_sites.h"
#include "plugin/region/wait_options.h"
#include "plugin/region/wait_reach.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/Constants.h"

#include <array>

namespace llvm {
class Loop;
class LoopInfo;
} // namespace llvm

namespace kesco {

class NormalisedModule;

/// Where a call waits that need not wait where it stands.
struct MovedSync {
    Reach Of = Reach::Nothing;
    llvm::SmallVector<llvm::Constant *, 1> Arguments; ///< of the call
    unsigned LoopsToLeave = 0; ///< where control leaves so many loops around it, from the innermost on
    bool Looks = false;        ///< where it stands, but only if unseen work may be in flight
    llvm::SmallVector<unsigned, 2> Before; ///< before the ops of these sites
};

/// How a function finds out while it runs whether unseen work may be in flight, to calls of one reach.
struct UnseenFacts {
    llvm::SmallVector<llvm::Instruction *, 8> Sources; ///< after these it may be,
    llvm::SmallVector<llvm::Instruction *, 8> Waits;   ///< after these it is not
    llvm::SmallDenseSet<unsigned, 4> LookingSites;     ///< ops before which a call waits only if it may be
};

/// What can be done about the calls of a function that synchronise; all of it is of the original.
struct SyncElision {
    llvm::MapVector<llvm::CallBase *, MovedSync> Moved;
    std::array<UnseenFacts, 3> Unseen; ///< by reach

    const UnseenFacts &unseenBy(Reach Of) const {
        return Unseen[static_cast<unsigned>(Of)];
    }
};

/// The same, with the calls of the copy that those of Moved are.
struct IdleSyncs {
    SyncElision Elision;
    llvm::DenseMap<const llvm::Instruction *, llvm::CallBase *> Originals;
};

/// Calls of the copy.
using LeftSyncs = llvm::SmallPtrSet<const llvm::Instruction *, 4>;

/// Finds them for \p F, whose ops are issued at \p Sites, by its copy in \p Copy. \p MayTrap: some op may end
/// with an error, which any call of CUDA may then return. \p Options is what the user wants. Those that would
/// have to wait before an op for what the host has let go on, by a call of a library, are not found, where
/// the run may put them off as well, but stored in \p Left, if that is not null.
IdleSyncs findIdleSyncs(llvm::Function &F, llvm::ArrayRef<OpSite> Sites, NormalisedModule &Copy, bool MayTrap,
                        const kesco_wait_options &Options, LeftSyncs *Left);

/// The loop that control leaves with \p LoopsToLeave loops around \p Call.
const llvm::Loop *loopToLeave(const llvm::CallBase &Call, unsigned LoopsToLeave, const llvm::LoopInfo &Loops);

} // namespace kesco

#endif
