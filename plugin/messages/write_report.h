//===- write_report.h - the plans of a compilation in files -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KESCO_PLUGIN_MESSAGES_WRITE_REPORT_H
#define KESCO_PLUGIN_MESSAGES_WRITE_REPORT_H

#include "plugin/code/lending.h"
#include "plugin/messages/report_path.h"
#include "plugin/messages/serial_reason.h"
#include "plugin/options.h"
#include "plugin/plan/scheduled_function.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace kesco {

/// Whose plans are written.
struct PlansTarget {
    UnitPaths Unit;
    /// Told of a file that had the plans of another source file so far.
    llvm::function_ref<void(llvm::StringRef Path, llvm::StringRef Source)> Replaced;
};

/// Why the launches of a function run one after another.
using SerialFunction = std::pair<const llvm::Function *, SerialReason>;

/// What else is said of functions.
struct OtherFunctions {
    llvm::ArrayRef<SerialFunction> Serial; ///< these have no ops, or theirs run one after another
    llvm::ArrayRef<Lender> Lenders;
};

/// Writes the plans of \p Functions to the files that \p Asked names (report_path.h): as the report (design
/// page, contract 3), in the DOT language, as a picture. Each is there as a whole or not at all, also where
/// compilations run at once. Functions that are in \p Others alone, which have no ops, are there, too. Of
/// several files that cannot be written, the error names each.
llvm::Error writePlans(const kesco_option_files &Asked, const PlansTarget &Target,
                       llvm::ArrayRef<ScheduledFunction> Functions, const OtherFunctions &Others);

} // namespace kesco

#endif
