//===- stages.h - what each stage finds, as text ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The printers of the option `show` (design page, "Flow"): for people and tests, not to be read back.
// Each says so where there is nothing to print.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_MESSAGES_STAGES_H
#define KESCO_PLUGIN_MESSAGES_STAGES_H

#include "plugin/plan/scheduled_function.h"

#include "llvm/Support/raw_ostream.h"

namespace kesco {

/// A line for each kernel that \p M may launch: what its access summary says.
void printSummaries(llvm::raw_ostream &Out, const llvm::Module &M, const Knowledge &Program);

/// The regions of \p Functions as the analysis found them: their ops in program order, what each touches and
/// which may come next, objects, guards, and calls that synchronise and need not; and the barriers.
void printRegions(llvm::raw_ostream &Out, llvm::ArrayRef<ScheduledFunction> Functions);

/// The functions of \p M that call the runtime, with the constants that were made for them, as IR. To be
/// called after the rewrite.
void printRewritten(llvm::raw_ostream &Out, const llvm::Module &M);

} // namespace kesco

#endif
