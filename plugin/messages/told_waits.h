//===- told_waits.h - each wait is told of once --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One call in the source stands in several functions where its own is inlined (variants.h), and in several
// passes where a loop is unrolled. Of each thing that becomes of it, one remark tells: in its own function,
// if that is so there; else in the first other one, which is named.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_MESSAGES_TOLD_WAITS_H
#define KESCO_PLUGIN_MESSAGES_TOLD_WAITS_H

#include "plugin/plan/scheduled_function.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>

namespace kesco {

class ToldWaits {
  public:
    enum Outcome { Kept, LeftOut, PutOff };

    /// Of \p Functions, all that are told of.
    explicit ToldWaits(llvm::ArrayRef<ScheduledFunction> Functions);

    /// How a remark begins which tells that \p What becomes of the call at \p Where, in \p Named; nothing
    /// where another one has told, or will.
    std::optional<std::string> tell(const llvm::Function &Named, const llvm::DebugLoc &Where, Outcome What);

    /// How a remark on what is inlined in \p Named begins.
    static std::string beginIn(const llvm::Function &Named);

    /// True where \p Where, of what \p Named does, stands in another function, which is inlined. Lambdas are
    /// none: where they run, as in std::for_each, has no name that helps.
    static bool isInAnother(const llvm::Function &Named, const llvm::DebugLoc &Where);

  private:
    using Place = std::tuple<std::string, unsigned, unsigned>; ///< file, line, column

    static Place placeOf(const llvm::DebugLoc &Where);

    std::map<Place, std::set<Outcome>> Own; ///< what becomes of a call in its own function
    std::map<Place, std::set<Outcome>> ToldOwn, ToldInlined;
};

/// True if \p B is a call that only lets the host wait.
bool isWait(const Barrier &B);

} // namespace kesco

#endif
