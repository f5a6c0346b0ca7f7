//===- plan_module.h - the plans of a module's functions -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KESCO_PLUGIN_DRIVER_PLAN_MODULE_H
#define KESCO_PLUGIN_DRIVER_PLAN_MODULE_H

#include "plugin/copy/normalise.h"
#include "plugin/copy/variants.h"
#include "plugin/plan/plan_function.h"
#include "plugin/plan/profile.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/Error.h"

namespace kesco {

/// True if the op comes again and again in one call of its function.
bool standsInLoop(const OpSite &Site);

/// The sites of all functions that launch, or of their variants where these have some; and, where regions
/// join those of other functions, as \p Joins says, of functions that other units may call and that only fill
/// and copy within the device.
SiteMap findAllSites(llvm::Module &M, Variants &All, bool PerThreadDefault, bool Joins);

/// Plans the functions of \p Sites but for those \p LeftOut. Where unrolled loops make one too large for all
/// that it calls to be seen, and it comes out without lanes, it is planned, and stands in \p Sites then, with
/// its loops as they were. Fails where there is no memory.
llvm::Expected<std::vector<ScheduledFunction>>
planModule(llvm::Module &M, SiteMap &Sites, const llvm::SmallPtrSetImpl<llvm::Function *> &LeftOut,
           Variants &All, const Knowledge &Program, const Profile &Times, const kesco_plan_options &Options,
           bool PerThreadDefault);

} // namespace kesco

#endif
