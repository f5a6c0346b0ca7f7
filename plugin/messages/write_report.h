//===- write_report.h - the plans of a compilation in files -------------------===//
//
// Part of KeSCo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_MESSAGES_WRITE_REPORT_H
#define KESCO_PLUGIN_MESSAGES_WRITE_REPORT_H

#include "plugin/options.h"
#include "plugin/plan/scheduled_function.h"

#include "llvm/Support/Error.h"

namespace kesco {

/// Writes the plans of \p Functions to the files that \p Asked names: as the report (design page, contract
/// 3), in the DOT language, as a picture. \p Source is the name of the source file. Of several files that
/// cannot be written, the error names each.
llvm::Error writePlans(const Options &Asked, llvm::StringRef Source,
                       llvm::ArrayRef<ScheduledFunction> Functions);

} // namespace kesco

#endif
