//===- consequence_finder.h - where an error goes in a function -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds what follows from an error (error_checks.h):
//   1. The result of the call is followed to where it is returned, stored, handed on or tested.
//   2. After a test that finds an error, control is followed to where it comes back to the program's work,
//      or to where the function or the program ends; what is stored on that way is bookkeeping.
//   3. What is merged where other ways come by, a constant that a helper returns for an error, a flag, is
//      followed as the result was, and so is control after each test of it.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_REGION_CONSEQUENCE_FINDER_H
#define KESCO_PLUGIN_REGION_CONSEQUENCE_FINDER_H

#include "plugin/region/error_checks.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"

namespace kesco {

struct FailingFunction;
class FailureRegion;

class ConsequenceFinder {
  public:
    /// Of \p Result, which a call in \p F returned. Where \p GoesOn, the program has come back to its work.
    ConsequenceFinder(Consequences &Into, const FailingFunction &F, const llvm::Value &Result,
                      llvm::function_ref<bool(const llvm::Instruction &)> GoesOn)
        : Into(Into), F(F), Result(Result), GoesOn(GoesOn) {
    }

    void run();

  private:
    using Kind = Consequences::Kind;

    void findErrors(const llvm::Value &Error);
    void followUse(const llvm::Use &Each);
    void follow(const llvm::Value &V, const llvm::Constant &Known);
    void followUse(const llvm::Instruction &By, const llvm::Value &V, const llvm::Constant &Known);
    void addHandedOn(const llvm::CallBase &Call);
    void addPath(const Edge &Test) {
        addPath(Test, Test);
    }
    void addPath(const Edge &From, const Edge &Test);
    bool addTerminator(const Edge &At, const llvm::BasicBlock &First, const Edge &Test);
    void addHandlers(const Edge &From, const Edge &Test);
    void addUntilJoin(const Edge &From, const llvm::BasicBlock &Join);
    void addEffect(const llvm::Instruction &I, bool IsForError);
    bool isForErrors(const llvm::BasicBlock &Block);
    void addBookkeeping(const Edge &From);
    void addStores(const llvm::BasicBlock &Block, const FailureRegion &Failed);
    void addMerged(const Edge &At, const FailureRegion *Failed);
    void addReturn(const llvm::Value *Returned);
    void addStatus(const llvm::Value &Status);
    void addEnd(const llvm::CallBase &Call, const llvm::BasicBlock &First);
    void addThrow(const llvm::CallBase &Call, const llvm::BasicBlock &First);
    void addStore(const llvm::StoreInst &Store);
    void addMark(const llvm::StoreInst &Store);
    void followVariable(const llvm::Value &Address, const llvm::StoreInst &Store);
    bool joinsAtOnce(const llvm::BasicBlock &Block, const Edge &From) const;
    bool choosesError(const llvm::Instruction &By, const llvm::Value &V, const llvm::Constant &Known) const;
    bool isMadeAgain(const llvm::Instruction &Made) const;
    bool isOfPass(const llvm::Value &V, const FailureRegion *Failed, unsigned Depth) const;

    void note(Kind What, const void *With, int64_t Offset = 0) {
        Into.Found.insert({What, With, Offset});
    }

    Consequences &Into;
    const FailingFunction &F;
    const llvm::Value &Result;
    const llvm::function_ref<bool(const llvm::Instruction &)> GoesOn;
    llvm::SmallSetVector<const llvm::Value *, 4> Errors;
    llvm::SmallPtrSet<const llvm::Value *, 8> Followed; ///< made of tests of those
    llvm::SmallSet<std::pair<const llvm::Value *, const llvm::Constant *>, 8>
        Seen;                         ///< with what those are then
    llvm::SmallVector<Edge, 4> Paths; ///< for errors, to be looked at once all that is made is known
    llvm::SmallSet<std::pair<const llvm::BasicBlock *, const llvm::BasicBlock *>, 8> Taken;
    llvm::SmallPtrSet<const llvm::BasicBlock *, 4> Left; ///< where ways for errors have come together
};

} // namespace kesco

#endif
