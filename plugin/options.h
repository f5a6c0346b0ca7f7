//===- options.h - what the user asked of the plugin ------------------------===//
//
// Part of KeSCo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The plugin's options, -fplugin-arg-kesco-NAME[=VALUE] (design page, "What users write").
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_OPTIONS_H
#define KESCO_PLUGIN_OPTIONS_H

#include "plugin/region/prefetch_option.h"
#include "plugin/region/wait_options.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>

extern "C" {
#include "plugin/schedule/plan.h"
}

#include "runtime/kesco_abi.h"

namespace kesco {

struct Options {
    kesco_plan_options Plan = {}; ///< policy, max_lanes, reorder
    /// Where the plans go as JSON, in the DOT language and as a picture (messages/report_path.h); empty:
    /// nowhere.
    std::string ReportPath, DotPath, SvgPath;
    std::string ProfilePath;        ///< where times of ops come from; empty: from nowhere
    std::string Only;               ///< the functions to schedule (host/selection.h); empty: all
    std::string ExcludePath;        ///< the functions that stay as they are (plan/exclusions.h); empty: none
    bool AnnotationWarnings = true; ///< warn of annotations that claim more than kernels do
    /// Which calls that synchronise for nothing to leave out; by default as the compiler optimises or not.
    std::optional<WaitOptions::Elision> ElideSyncs;
    bool AcrossCalls = true;                    ///< ops of several functions may overlap (code/lending.h)
    bool ClocksObserve = true;                  ///< who reads a clock looks at whether the device is done
    unsigned Mode = KESCO_MODE_AUTO;            ///< when regions have lanes: KESCO_MODE_
    Prefetching Prefetches = Prefetching::Auto; ///< move managed memory ahead of its use
    bool EmbedsRuntime = true;                  ///< the runtime becomes part of what is compiled
    bool StripSummaries = false;                ///< no access summaries in what the compilation makes
    bool ShowsSummaries = false;                ///< print what kernels access,
    bool ShowsRegions = false;                  ///< what was found of functions that launch,
    bool ShowsCode = false;                     ///< and what became of them
    bool Help = false;                          ///< print what options there are
    bool Off = false;                           ///< do nothing at all

    /// Whether plans are to be written, whatever they are.
    bool wantsPlans() const {
        return !ReportPath.empty() || !DotPath.empty() || !SvgPath.empty();
    }
};

/// What options there are, in lines.
std::string optionsHelp();

/// Reads the options in \p Arguments, each "NAME" or "NAME=VALUE". Fails with one line that names the bad
/// option or value and what is allowed.
llvm::Expected<Options> parseOptions(llvm::ArrayRef<std::string> Arguments);

} // namespace kesco

#endif
