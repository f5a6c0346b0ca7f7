//===- serial_reason.h - why launches run one after another --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For functions with several launches, or one in a loop, of which nothing else is told: no plan has more than
// one lane, and no barrier stands between two of them. One reason a function, the first that there is:
//
//   1. a dependence of one op on another
//   2. an op in a loop: all of its passes are on one lane
//   3. a launch that is none to KeSCo: by a pointer to the kernel, or by CUDA's own functions
//   4. launches of which control comes to one alone
//   5. copies, memsets and the like in a function without launches; one of them is a reason for callers
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_MESSAGES_SERIAL_REASON_H
#define KESCO_PLUGIN_MESSAGES_SERIAL_REASON_H

#include "plugin/messages/unseen_launches.h"
#include "plugin/plan/scheduled_function.h"
#include "plugin/region/regions.h"

#include <optional>
#include <string>

namespace kesco {

struct SerialReason {
    llvm::DebugLoc Where;
    std::string Text; ///< with advice, if some works
};

/// Why the launches of \p Function, whose regions were planned as \p Regions with at most \p MaxLanes lanes,
/// have one; nothing where it has no two, and none in a loop. \p All is of its module.
std::optional<SerialReason> whySerial(const FunctionAnalysis &Function,
                                      llvm::ArrayRef<ScheduledRegion> Regions, unsigned MaxLanes,
                                      const UnseenLaunches &All);

/// Why the first launch of \p Function that is none to KeSCo stays serial; nothing where there is none, or no
/// other launch.
std::optional<SerialReason> whyNoOps(const FunctionAnalysis &Function, const UnseenLaunches &All);

/// The first op of \p Regions that keeps its order to others as it may touch what they do, and why; nothing
/// where there is none.
std::optional<SerialReason> whyAliasing(const FunctionAnalysis &Function,
                                        llvm::ArrayRef<ScheduledRegion> Regions);

/// As whySerial, for \p F, which has no op that KeSCo sees, or launches nothing. \p Joins: regions go through
/// calls.
std::optional<SerialReason> whyUnseen(llvm::Function &F, const UnseenLaunches &All, bool Joins);

} // namespace kesco

#endif
