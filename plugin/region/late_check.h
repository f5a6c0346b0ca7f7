//===- late_check.h - where an error that is left to later can be dealt with ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before places where an error would be lost that a call could have told of, had it not been put off, the
// same can be done about it as after the call, if nothing is launched after: where the program is ended
// (failure_path.h), right there; where the function returns (returning_path.h), where the way there comes
// together with others, or right there.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_REGION_LATE_CHECK_H
#define KESCO_PLUGIN_REGION_LATE_CHECK_H

#include "plugin/cuda/op_sites.h"
#include "plugin/region/error_checks.h"
#include "plugin/region/returning_path.h"

#include "llvm/ADT/SmallVector.h"

#include <map>

namespace kesco {

/// For one call that waits, of a function as it is compiled.
class LateCheck {
  public:
    /// \p What follows from an error of \p Wait. \p Sites: of its function.
    LateCheck(const llvm::CallBase &Wait, const Consequences &What, llvm::ArrayRef<OpSite> Sites);

    /// Adds to \p Places what an error has to be dealt with before, so that it is not lost at \p At, a call
    /// or a return. False where that cannot be.
    bool add(llvm::Instruction &At, llvm::SmallVectorImpl<llvm::Instruction *> &Places) const;

    /// Where the function goes on after an error; null where it does not.
    const llvm::BasicBlock *join() const {
        return Returns ? Path.join() : nullptr;
    }

  private:
    bool isFollowedByLaunch(const llvm::Instruction &I) const;

    const ReturningPath Path;
    const llvm::ArrayRef<OpSite> Sites;
    bool Ends = false, Returns = false;
};

/// What is done at places where errors of several calls are dealt with, which has to be the same.
class LateConsequences {
  public:
    /// False: what follows from an error of another call at one of \p Places is not \p What.
    bool agree(llvm::ArrayRef<llvm::Instruction *> Places, const Consequences &What) const;

    void note(llvm::ArrayRef<llvm::Instruction *> Places, const Consequences &What);

    /// True once for errors with \p What that are dealt with where control comes to \p Join.
    bool isNew(const llvm::BasicBlock &Join, const Consequences &What);

  private:
    llvm::SmallVector<std::pair<const llvm::BasicBlock *, Consequences>, 2> Joined;
    std::map<const llvm::Instruction *, Consequences> Known;
};

} // namespace kesco

#endif
