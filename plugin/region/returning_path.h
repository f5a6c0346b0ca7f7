//===- returning_path.h - code that returns from a function for an error --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What many an error macro does about a call of CUDA's that failed: it prints a message, and returns, or goes
// to where the function cleans up. Up to there, where other code comes by, too, this is straight code that
// needs nothing but the error. It can be gone through where the two come together as well, for an error that
// comes to light no sooner, or from a place before that, as long as control skips nothing then that is owed.
//
// How it is followed:
//   1. The path begins where the program finds that the call has failed.
//   2. What is only come to for errors is part of it, and what does nothing but end the lifetime of variables
//   and
//      branch on a constant that the path has brought, as Clang has it where scopes are left.
//   3. It ends at the first other block that the program comes to without that error as well: the join.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_REGION_RETURNING_PATH_H
#define KESCO_PLUGIN_REGION_RETURNING_PATH_H

#include "plugin/ir/walk.h"
#include "plugin/region/error_test.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"

namespace llvm {
class DominatorTree;
}

namespace kesco {

class ReturningPath {
  public:
    /// The path after \p Call.
    explicit ReturningPath(const llvm::CallBase &Call);

    /// Null where there is none of that kind.
    const llvm::BasicBlock *join() const {
        return Join;
    }

    /// Where it begins, if there is one.
    const llvm::BasicBlock &first() const {
        return *Blocks.front();
    }

    /// True if control comes from the call to \p Place by way of the join alone.
    bool isBefore(const llvm::Instruction &Place) const;

    /// True if the path can be gone through right before \p Place, which control comes to before the join:
    /// nothing is made on the way there that would have to be taken back, and all that comes after the join
    /// is there.
    bool mayLeaveFrom(const llvm::Instruction &Place) const;

    /// Has control go there right before \p At where \p Error, made before, is none of success. \p At: the
    /// begin of the join, or a place as above.
    void copyBefore(llvm::Instruction &At, llvm::Value &Error) const;

  private:
    /// True if control may come from \p From to something that \p Is holds of before the join.
    bool mayMeet(Point From, llvm::function_ref<bool(const llvm::Instruction &)> Is) const;
    void follow();
    const llvm::Value *known(const llvm::Value &V) const;
    bool enter(const llvm::BasicBlock &Block, const llvm::BasicBlock &From);
    bool passes(const llvm::BasicBlock &Block) const;
    bool add(const llvm::BasicBlock &Block);
    bool addAccess(const llvm::Instruction &I);
    bool takes(const llvm::Value &Operand) const;
    const llvm::BasicBlock *next(const llvm::BasicBlock &Block) const;
    bool isReadAfter(const llvm::AllocaInst &Variable) const;
    bool isThere(const llvm::Instruction &User, const llvm::Instruction &Place,
                 const llvm::SmallPtrSetImpl<const llvm::BasicBlock *> &After,
                 const llvm::DominatorTree &Dominance) const;

    const llvm::CallBase &Call;
    const ErrorTest Test;
    llvm::SmallVector<const llvm::BasicBlock *, 8> Blocks;
    llvm::SmallPtrSet<const llvm::BasicBlock *, 32>
        Others; ///< that the program comes to if the call succeeds
    /// What the path makes of variables, and of values that are merged where it comes by, at the join, too:
    /// other than such values.
    llvm::MapVector<const llvm::Value *, const llvm::Value *> Brought;
    const llvm::BasicBlock *Join = nullptr;
};

} // namespace kesco

#endif
