//===- failure_region.h - code that only runs for an error ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The blocks of a function that control comes to only by way of one block, after where calls are found to
// have failed: those that it dominates. What such code does to what is there afterwards is a
// consequence of the error; what it makes a message in, and the words and numbers of that, are not.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_REGION_FAILURE_REGION_H
#define KESCO_PLUGIN_REGION_FAILURE_REGION_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Dominators.h"

namespace kesco {

/// What is asked about errors of one function.
struct FailingFunction {
    explicit FailingFunction(const llvm::Function &F);

    const llvm::DominatorTree Dominance;
    llvm::SmallPtrSet<const llvm::BasicBlock *, 32> Fine; ///< what control comes to where no call fails
};

class FailureRegion {
  public:
    /// \p To, of \p F, is only come to for errors.
    FailureRegion(const FailingFunction &F, const llvm::BasicBlock &To);

    /// Those that control comes to by no exception.
    llvm::ArrayRef<const llvm::BasicBlock *> blocks() const {
        return Blocks;
    }

    bool has(const llvm::BasicBlock &Block) const {
        return Dominance.dominates(&To, &Block);
    }

    /// True for the block that control comes to the others by.
    bool isFirst(const llvm::BasicBlock &Block) const {
        return &Block == &To;
    }

    /// True for a variable that nothing outside uses, or nothing after, since control does not come there.
    bool isOwn(const llvm::Value &Base) const;

    /// True if \p V is made in the region of constants alone, the number of a line in digits, for instance:
    /// then it is the same whatever was before. What a branch looks at counts as far as it chooses between
    /// values.
    bool makesOfConstants(const llvm::Value &V) const;

  private:
    using Met = llvm::SmallPtrSet<const llvm::Instruction *, 16>;

    bool makes(const llvm::Value &V, Met &Seen) const;
    bool chooses(const llvm::BasicBlock &Block, Met &Seen) const;

    const llvm::BasicBlock &To;
    const llvm::DominatorTree &Dominance;
    llvm::SmallVector<const llvm::BasicBlock *, 8> Blocks;
    bool IsLeft = false; ///< control may come from it to other blocks
};

} // namespace kesco

#endif
