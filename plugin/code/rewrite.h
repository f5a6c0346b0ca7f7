//===- rewrite.h - a plan becomes IR ------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one place that writes IR. An op keeps its place and gets its lane's stream; waits go before it, its
// record after it. Where the plan issues a launch later than the program does, its arguments are still
// evaluated at its old place, and only the two calls move down, after the launch that overtakes it. A
// synchronous copy becomes its asynchronous form, after which the host waits for the lane.
//
// The region is opened before each of its ops that control may come to with none of them in flight, or with
// the region closed by code that a library function came back to. It is closed before each barrier after its
// ops, before the function returns, and where an exception leaves it.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_CODE_REWRITE_H
#define KESCO_PLUGIN_CODE_REWRITE_H

#include "plugin/plan/scheduled_function.h"

namespace kesco {

/// Rewrites the ops of \p Regions, all of \p Function, to run as planned, in the mode \p Mode (KESCO_MODE_).
/// Of those that the runtime has nothing to do with, only what fetches memory is written.
void rewriteRegions(FunctionAnalysis &Function, llvm::ArrayRef<const ScheduledRegion *> Regions,
                    unsigned Mode);

} // namespace kesco

#endif
