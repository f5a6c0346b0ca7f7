//===- scheduled_function.h - the plans of a function -------------------------===//
//
// Part of KeSCo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_PLAN_SCHEDULED_FUNCTION_H
#define KESCO_PLUGIN_PLAN_SCHEDULED_FUNCTION_H

#include "plugin/plan/schedule_region.h"
#include "plugin/region/regions.h"

namespace kesco {

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
