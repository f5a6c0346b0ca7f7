//===- told_barriers.h - barriers that one remark tells of ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What stops regions at several points of a function for one reason, with one advice, is told of once, with
// the lines of all.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_MESSAGES_TOLD_BARRIERS_H
#define KESCO_PLUGIN_MESSAGES_TOLD_BARRIERS_H

#include "plugin/messages/told_waits.h"

#include "llvm/ADT/SetVector.h"

namespace kesco {

struct ToldBarriers {
    const Barrier *First;
    std::string Begin;                       ///< of the remark
    llvm::SmallSetVector<unsigned, 8> Lines; ///< of the function
    unsigned Count;
};

/// " (lines 3, 9 and 4 more)"; empty for a line alone.
std::string linesOf(const ToldBarriers &Told);

/// The barriers of \p Function that no other function's remarks tell of, as \p Waits has it. Where nothing
/// \p IsTold of the function elsewhere, one of them is there at least. Where its regions join others' (\p
/// Joins), what these go through is none.
llvm::SmallVector<ToldBarriers, 4> tellBarriers(const FunctionAnalysis &Function, ToldWaits &Waits,
                                                bool IsTold, bool Joins);

} // namespace kesco

#endif
