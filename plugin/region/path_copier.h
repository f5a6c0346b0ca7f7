//===- path_copier.h - goes through a way of the program at another place -------===//
//
// Part of KeSCo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_REGION_PATH_COPIER_H
#define KESCO_PLUGIN_REGION_PATH_COPIER_H

#include "plugin/region/error_test.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace kesco {

/// Has control come to a block of its own right before \p At where \p Error is none of success, and from
/// there to \p At, if it \p ComesBack. Returns the block's end, before which it is to be filled.
llvm::Instruction *branchForError(llvm::Instruction &At, llvm::Value &Error, bool ComesBack);

class PathCopier {
  public:
    /// To before \p End, for an error of the call of \p Test, which is \p Error there.
    PathCopier(llvm::Instruction &End, const ErrorTest &Test, llvm::Value &Error);

    /// What \p V is there.
    llvm::Value *mapped(const llvm::Value &V) const;

    /// \p I is \p V there.
    void map(const llvm::Value &I, llvm::Value *V);

    /// Calls that may throw do not there; branches and the like have no copies.
    void copy(const llvm::Instruction &I);

    llvm::IRBuilder<> Builder;

  private:
    const ErrorTest &Test;
    llvm::ValueToValueMapTy Map;
};

} // namespace kesco

#endif
