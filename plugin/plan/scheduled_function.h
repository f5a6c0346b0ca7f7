//===- scheduled_function.h - the plans of a function -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KESCO_PLUGIN_PLAN_SCHEDULED_FUNCTION_H
#define KESCO_PLUGIN_PLAN_SCHEDULED_FUNCTION_H

#include "plugin/plan/scheduled_region.h"
#include "plugin/region/regions.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"

namespace kesco {

/// A region, and what was made of it.
struct ScheduledRegion : kesco_scheduled_region {
    const Region *R;

    ScheduledRegion(const Region &R, const kesco_scheduled_region &Made)
        : kesco_scheduled_region(Made), R(&R) {
    }
    ScheduledRegion(ScheduledRegion &&Other) noexcept
        : kesco_scheduled_region(std::exchange<kesco_scheduled_region>(Other, {})), R(Other.R) {
    }
    ScheduledRegion(const ScheduledRegion &) = delete;
    ScheduledRegion &operator=(const ScheduledRegion &) = delete;
    ~ScheduledRegion() {
        kesco_scheduled_region_clear(this);
    }
};

/// True if some of \p Regions join others'.
inline bool someJoin(llvm::ArrayRef<ScheduledRegion> Regions) {
    return llvm::any_of(Regions, [](const ScheduledRegion &Scheduled) { return Scheduled.joins; });
}

/// What was found in a function, and what was made of it.
struct ScheduledFunction {
    FunctionAnalysis Analysis;
    std::vector<ScheduledRegion> Regions; ///< one for each of Analysis.Regions

    ScheduledFunction() = default;
    ScheduledFunction(ScheduledFunction &&) noexcept = default;
    ScheduledFunction(const ScheduledFunction &) = delete;
};

} // namespace kesco

#endif
