//===- loop_ends.h - what decides whether a loop goes on ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A branch out of a loop is a thread's own affair where nothing that it depends on within the loop comes out
// of memory, nor whether control comes to it; or where all of that are counters, which the loop itself raises
// and never lowers, and it goes on below a bound, as kernels do that take their work from a queue. What
// threads of a warp hand each other (shuffles) is what each of them computes by the same code.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_DEVICE_LOOP_ENDS_H
#define KESCO_PLUGIN_DEVICE_LOOP_ENDS_H

#include "plugin/device/loop_writes.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

#include <optional>

namespace kesco {

/// What a loop goes on by: one value is less than another, or not greater.
struct Below {
    llvm::Value *Count, *Bound;
    bool IsLess;
};

/// That of the way out of \p L that \p Exit is, if it is one.
std::optional<Below> goesOnBelow(const llvm::Instruction &Exit, const llvm::Loop &L);

class LoopEnds {
  public:
    LoopEnds(const llvm::Loop &L, const llvm::DominatorTree &Dominance, Provenance &Sources)
        : L(L), Dominance(Dominance), Sources(Sources) {
    }

    /// True if each branch out of the loop is a thread's own affair.
    bool areOwn();

  private:
    using Deciders = llvm::SmallSetVector<const llvm::Instruction *, 16>;

    bool isComputed(const llvm::Value *V) const;
    bool areComputed(Deciders Work) const;
    bool endsByCounters(const llvm::Instruction &Exit);
    bool isCounter(const llvm::Instruction &I);
    bool isSame(const llvm::Value *V) const;
    bool isRaised(const llvm::Value *V);
    bool isReachedByOwn(const llvm::BasicBlock &Block) const;
    void addTo(Deciders &To, const llvm::Value &V) const;
    void addOperands(const llvm::Instruction &I, Deciders &To) const;
    void addBranches(const llvm::BasicBlock &Fork, const llvm::BasicBlock &At, Deciders &To) const;
    bool addParts(const llvm::Instruction &Part, Deciders &To) const;
    void addWays(const llvm::PHINode &Phi, Deciders &To) const;

    const llvm::Loop &L;
    const llvm::DominatorTree &Dominance;
    Provenance &Sources;
    std::optional<LoopWrites> Others; ///< what the loop writes without raising it, once that is asked for
};

} // namespace kesco

#endif
