//===- repeated_plans.h - callers that gain nothing of their own --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function that calls a helper with launches in it gets a variant with the helper inlined (variants.h).
// Where all regions of that variant lie within single calls, and are planned just as in the helper, the
// helper alone will do: the variant would only repeat its code, its plan and its remarks. A caller may know
// that nothing is in flight where the helper has to wait for that; it then stays.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_PLAN_REPEATED_PLANS_H
#define KESCO_PLUGIN_PLAN_REPEATED_PLANS_H

#include "plugin/plan/scheduled_function.h"

#include "llvm/ADT/ArrayRef.h"

#include <vector>

namespace kesco {

/// For each of \p Functions, whether it is a variant that only repeats what others of them do.
std::vector<bool> findRepeatedPlans(llvm::ArrayRef<ScheduledFunction> Functions);

} // namespace kesco

#endif
