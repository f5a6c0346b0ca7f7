//===- plan_function.h - which plans a function gets ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A fixpoint of refusals: regions are found and planned; ops that the plan shows to be better left to the
// program are refused, and all of it is done again without them.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_PLAN_PLAN_FUNCTION_H
#define KESCO_PLUGIN_PLAN_PLAN_FUNCTION_H

#include "plugin/plan/profile.h"
#include "plugin/plan/scheduled_function.h"

namespace kesco {

/// Plans the regions of \p F, a variant of \p Named perhaps, whose ops are issued at \p Sites, by its copy in
/// \p Copy. Fails only where the scheduler does (scheduled_region.h).
llvm::Expected<ScheduledFunction> planFunction(llvm::Function &F, llvm::Function &Named,
                                               llvm::ArrayRef<OpSite> Sites, NormalisedModule &Copy,
                                               const Knowledge &Program, const Profile &Times,
                                               const kesco_plan_options &Options);

} // namespace kesco

#endif
