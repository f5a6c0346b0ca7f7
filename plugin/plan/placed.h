//===- placed.h - regions whose ops the run places ----------------------------===//
//
// Part of KeSCo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that launches the same kernel on other memory in each pass: what its passes have in common, if
// anything, no plan can say. The run can, by the bytes that each op accesses (runtime/region/placing.h). So
// it can with a function that launches, and is called between others that do (code/lending.h).
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_PLAN_PLACED_H
#define KESCO_PLUGIN_PLAN_PLACED_H

#include "plugin/region/regions.h"

extern "C" {
#include "plugin/schedule/plan.h"
}

namespace kesco {

/// True if the run should place the ops of \p R, which are issued at \p Sites: it can, and there is a loop
/// whose passes may turn out to be independent while \p Plan has them one after the other.
bool shouldPlace(const Region &R, llvm::ArrayRef<OpSite> Sites, const kesco_plan &Plan);

/// True if the run can place the ops of \p R among those of other functions, whatever these are: pointers
/// lead to all that its ops touch, and the host waits for none.
bool mayJoin(const Region &R, llvm::ArrayRef<OpSite> Sites);

} // namespace kesco

#endif
