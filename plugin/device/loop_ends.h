//===- loop_ends.h - what decides whether a loop goes on ----------------------===//
//
// Part of KeSCo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A branch out of a loop is a thread's own affair where nothing that it depends on within the loop comes out
// of memory; or where all of that are counters, which the loop itself raises, and it goes on below a bound,
// as kernels do that take their work from a queue. What threads of a warp hand each other (shuffles) is what
// each of them computes by the same code.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_DEVICE_LOOP_ENDS_H
#define KESCO_PLUGIN_DEVICE_LOOP_ENDS_H

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

namespace kesco {

class LoopEnds {
  public:
    LoopEnds(const llvm::Loop &L, const llvm::DominatorTree &Dominance) : L(L), Dominance(Dominance) {
    }

    /// True if each branch out of the loop is a thread's own affair.
    bool areOwn() const;

  private:
    using Deciders = llvm::SmallSetVector<const llvm::Instruction *, 16>;

    bool isComputed(const llvm::Value *V) const;
    bool areComputed(Deciders Work) const;
    bool endsByCounters(const llvm::BranchInst &Exit) const;
    bool isRaised(const llvm::Value *V) const;
    void addTo(Deciders &To, const llvm::Value &V) const;
    void addOperands(const llvm::Instruction &I, Deciders &To) const;
    void addWays(const llvm::PHINode &Phi, Deciders &To) const;

    const llvm::Loop &L;
    const llvm::DominatorTree &Dominance;
};

} // namespace kesco

#endif
