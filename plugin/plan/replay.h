//===- replay.h - which regions may be replayed as graphs ---------------------===//
//
// Part of KeSCo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime replays what comes again and again (runtime/region/replay.h). That may pay where a region has a
// loop, or enough launches to be worth while when its function is called again. Where such a region has one
// lane, calls that let the host wait may be put off as elsewhere, so one with two of them is written for that
// alone.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_PLAN_REPLAY_H
#define KESCO_PLUGIN_PLAN_REPLAY_H

#include "plugin/region/regions.h"

extern "C" {
#include "plugin/schedule/plan.h"
}

#include "llvm/ADT/BitVector.h"

namespace kesco {

/// True if the op \p O at \p Site can be collected: a launch whose arguments are seen, or a memset or copy in
/// device memory for which no host waits. Which memory it is, the run asks.
bool canCollect(const Op &O, const OpSite &Site);

/// The ops of \p R that control may come to behind \p From without a barrier between.
llvm::BitVector reachedFrom(const Region &R, unsigned From);

/// True if the ops of \p R, which are at \p Sites, may be replayed, planned as in \p Plan.
bool mayReplay(const Region &R, llvm::ArrayRef<OpSite> Sites, const kesco_plan &Plan);

} // namespace kesco

#endif
