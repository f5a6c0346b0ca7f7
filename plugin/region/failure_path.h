//===- failure_path.h - where a program goes when a call has failed -----------===//
//
// Part of KeSCo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an error macro does about a call of CUDA's that failed, most of the time: it prints a message and ends
// the program, by straight code that needs nothing but the error, or hands it to a function that does. Such
// code can be gone through at another place as well, where an error comes to light that the call would have
// returned. Where the program does not look at what the call returns, but asks right behind it for the last
// error, be it in a function of its own, that is where it is told.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_REGION_FAILURE_PATH_H
#define KESCO_PLUGIN_REGION_FAILURE_PATH_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"

namespace kesco {

class FailurePath {
  public:
    /// The path behind \p Call; empty where there is none of that kind.
    explicit FailurePath(const llvm::CallBase &Call);

    bool empty() const {
        return Blocks.empty() && !Handler && !Asker;
    }

    /// Has control go there right before \p At where \p Error, made before, is none of success.
    void copyBefore(llvm::Instruction &At, llvm::Value &Error) const;

  private:
    /// A block, and the one that it is come to from.
    using Step = std::pair<const llvm::BasicBlock *, const llvm::BasicBlock *>;

    bool isError(const llvm::Value &V) const;
    void findAsker();
    const llvm::CallBase *findHandler() const;
    bool leadsToTest(const llvm::Instruction &I) const;
    const llvm::BranchInst *findTest() const;
    bool takes(const llvm::Value &Operand) const;
    const llvm::Value *keptIn(const llvm::Instruction &I) const;
    bool add(const llvm::BasicBlock &Block, const llvm::BasicBlock &From);

    const llvm::CallBase *Teller;               ///< returns the error: the call, or a question behind it
    const llvm::AllocaInst *Variable = nullptr; ///< where its result is kept; null for nowhere
    const llvm::CallBase *Handler = nullptr;    ///< takes its result, and nothing else that is not constant
    const llvm::CallBase *Asker = nullptr;      ///< calls a function that asks first thing, by Teller
    llvm::SmallVector<Step, 4> Blocks;
};

} // namespace kesco

#endif
