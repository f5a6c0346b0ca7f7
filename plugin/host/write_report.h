//===- write_report.h - the JSON report of a compilation ----------------------===//
//
// Part of KeSCo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_HOST_WRITE_REPORT_H
#define KESCO_PLUGIN_HOST_WRITE_REPORT_H

#include "plugin/host/regions.h"
#include "plugin/host/schedule_region.h"

#include "llvm/Support/Error.h"

namespace kesco {

struct ScheduledFunction {
    FunctionAnalysis Analysis;
    std::vector<ScheduledRegion> Regions; ///< one for each of Analysis.Regions

    ScheduledFunction() = default;
    ScheduledFunction(ScheduledFunction &&) noexcept = default;
    ScheduledFunction(const ScheduledFunction &) = delete;
};

/// Writes the report (design page, contract 3) of \p Functions to \p Path. \p Source is the name of the
/// source file.
llvm::Error writeReport(llvm::StringRef Path, llvm::StringRef Source,
                        llvm::ArrayRef<ScheduledFunction> Functions);

} // namespace kesco

#endif
