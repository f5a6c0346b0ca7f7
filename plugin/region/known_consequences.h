//===- known_consequences.h - what follows from errors, found once a call -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KESCO_PLUGIN_REGION_KNOWN_CONSEQUENCES_H
#define KESCO_PLUGIN_REGION_KNOWN_CONSEQUENCES_H

#include "plugin/region/error_checks.h"
#include "plugin/region/failure_region.h"

#include <functional>
#include <map>

namespace kesco {

/// Of one function, which does not change meanwhile.
class KnownConsequences {
  public:
    /// Where \p GoesOn, the program has come back to its work.
    KnownConsequences(const llvm::Function &F, std::function<bool(const llvm::Instruction &)> GoesOn)
        : F(F), GoesOn(std::move(GoesOn)) {
    }

    /// What follows from an error that \p Call returns.
    const Consequences &of(const llvm::CallBase &Call) {
        const auto [Found, IsNew] = ByCall.try_emplace(&Call);
        if (IsNew)
            Found->second.add(F, Call, GoesOn);
        return Found->second;
    }

  private:
    const FailingFunction F;
    const std::function<bool(const llvm::Instruction &)> GoesOn;
    std::map<const llvm::CallBase *, Consequences> ByCall;
};

} // namespace kesco

#endif
