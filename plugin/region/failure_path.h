//===- failure_path.h - where a program goes when a call has failed -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an error macro does about a call of CUDA's that failed, most of the time: it prints a message and ends
// the program, by straight code that needs nothing but the error, or hands it to a function that does. Such
// code can be gone through at another place as well, where an error comes to light that the call would have
// returned. Where the program does not look at what the call returns, but asks right after it for the last
// error, be it in a function of its own, that is where it is told.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_REGION_FAILURE_PATH_H
#define KESCO_PLUGIN_REGION_FAILURE_PATH_H

#include "plugin/region/error_test.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"

namespace kesco {

class FailurePath {
  public:
    /// The path after \p Call; empty where there is none of that kind.
    explicit FailurePath(const llvm::CallBase &Call);

    bool empty() const {
        return Blocks.empty() && !Handler && !Test.Asker;
    }

    /// Has control go there right before \p At where \p Error, made before, is none of success.
    void copyBefore(llvm::Instruction &At, llvm::Value &Error) const;

  private:
    /// A block, and the one that it is come to from.
    using Step = std::pair<const llvm::BasicBlock *, const llvm::BasicBlock *>;

    const llvm::CallBase *findHandler() const;
    bool takes(const llvm::Value &Operand) const;
    bool add(const llvm::BasicBlock &Block, const llvm::BasicBlock &From);

    const ErrorTest Test;
    const llvm::CallBase *Handler; ///< takes its result, and nothing else that is not constant; null for none
    llvm::SmallVector<Step, 4> Blocks;
};

} // namespace kesco

#endif
