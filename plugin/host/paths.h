//===- paths.h - how a straight line goes on past branches --------------------===//
//
// Part of KeSCo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A check for errors is a branch: one way reports and leaves, the other goes on. So is an early return, and a
// loop over host data between two launches is a detour that comes back. The line of blocks from launch to
// launch goes on past them: each of its blocks runs at most once behind the one before it, and no block
// between them launches.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_HOST_PATHS_H
#define KESCO_PLUGIN_HOST_PATHS_H

#include "plugin/host/launch_sites.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Dominators.h"

#include <optional>

namespace kesco {

/// Where the line goes on behind a block.
struct Continuation {
    const llvm::BasicBlock *Next;                           ///< runs at most once for each run of the block
    llvm::SmallPtrSet<const llvm::BasicBlock *, 8> Between; ///< all that may run between the two
};

/// Finds where the line goes on behind the blocks of one function, the normalised copy.
class LineFinder {
  public:
    explicit LineFinder(const llvm::Function &F);

    /// The continuation of the line behind \p Block; nothing where it ends.
    std::optional<Continuation> continuation(const llvm::BasicBlock &Block) const;

  private:
    std::optional<Continuation> continueAt(const llvm::BasicBlock &Block, const llvm::BasicBlock *Next) const;
    const llvm::BasicBlock *successorThatLaunches(const llvm::BasicBlock &Block) const;
    bool reachesLaunch(const llvm::BasicBlock *From, const llvm::BasicBlock &Without) const;

    llvm::DominatorTree Dominance;
    llvm::PostDominatorTree PostDominance;
    llvm::SmallPtrSet<const llvm::BasicBlock *, 16> Launching; ///< blocks with a launch
};

/// A way out of a region between two of its launches, in the original: successor Index of Terminator.
struct RegionExit {
    llvm::Instruction *Terminator;
    unsigned Index;
};

/// Appends to \p Exits the ways that lead from \p From to anywhere but \p To. Returns false if control can
/// reach To other than once behind From, or leaves in a way that cannot be followed.
bool findExits(const LaunchSite &From, const LaunchSite &To, const llvm::DominatorTree &Dominance,
               llvm::SmallVectorImpl<RegionExit> &Exits);

} // namespace kesco

#endif
