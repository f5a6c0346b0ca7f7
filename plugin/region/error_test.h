//===- error_test.h - where a program looks at what a call returned -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Right after a call of CUDA's, most programs compare what it returned with success, be it kept in a
// variable first. Others ask for the last error there instead, be it in a function of its own.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_REGION_ERROR_TEST_H
#define KESCO_PLUGIN_REGION_ERROR_TEST_H

#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"

namespace kesco {

/// Where control comes next at the end of \p Block, if nothing is thrown; null where that is not one place.
const llvm::BasicBlock *nextOf(const llvm::BasicBlock &Block);

/// True if \p Call asks CUDA for the last error.
bool asksForError(const llvm::CallBase &Call);

/// True for any other call of CUDA's that issues and waits for nothing, and returns an error, which may be
/// one of a kernel.
bool mayReturnError(const llvm::CallBase &Call);

struct ErrorTest {
    /// That after \p Call.
    explicit ErrorTest(const llvm::CallBase &Call);

    const llvm::CallBase *Teller;               ///< returns the error: the call, or a question after it
    const llvm::AllocaInst *Variable = nullptr; ///< where its result is kept; null for nowhere
    const llvm::CallBase *Asker = nullptr;      ///< calls a function that asks first thing, by Teller
    const llvm::BranchInst *Branch =
        nullptr; ///< looks whether it succeeded; null where none does first thing

    /// Where Branch goes to for an error.
    const llvm::BasicBlock &failing() const;

    /// What \p I loads from a variable that is given that value alone, a constant or an argument: what a
    /// function that was inlined has been given. Null for any other.
    const llvm::Value *keptIn(const llvm::Instruction &I) const;

  private:
    void findAsker();
    bool isError(const llvm::Value &V) const;
    bool leadsToTest(const llvm::Instruction &I) const;
    const llvm::BranchInst *findBranch() const;
};

} // namespace kesco

#endif
