//===- remarks.h - tells people what was done and what was not -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Optimisation remarks under the name kesco: -Rpass=kesco for regions that run on several lanes,
// -Rpass-missed=kesco for what stays serial, with the reason and what the user can do, -Rpass-analysis=kesco
// for what each kernel touches.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_MESSAGES_REMARKS_H
#define KESCO_PLUGIN_MESSAGES_REMARKS_H

#include "plugin/code/lending.h"
#include "plugin/messages/thread_launches.h"
#include "plugin/messages/told_waits.h"
#include "plugin/messages/unseen_launches.h"
#include "plugin/plan/scheduled_function.h"
#include "plugin/region/regions.h"

namespace kesco {

/// Emits the remarks for \p Function, whose regions were planned as \p Regions with \p Options. What
/// \p Waits has from other functions is not told again. Where \p Unseen, of the module, is null, nobody asked
/// for what stays serial. To be called before rewriting.
void emitRemarks(const FunctionAnalysis &Function, llvm::ArrayRef<ScheduledRegion> Regions,
                 const kesco_plan_options &Options, ToldWaits &Waits, const UnseenLaunches *Unseen);

/// Emits a remark on the launches of \p F, if it has some: KeSCo sees no op in it; or on its other ops, if it
/// launches nothing. \p All is of its module. \p Joins: regions go through calls.
void emitUnseen(llvm::Function &F, const UnseenLaunches &All, bool Joins);

/// Emits a remark on \p F if it starts several of \p Threads.
void emitThreads(const llvm::Function &F, const ThreadLaunches &Threads);

/// Emits a remark on each function that lends.
void emitLending(llvm::ArrayRef<Lender> Lenders);

/// True if somebody asked for remarks on what stays serial, here or in a file.
bool wantsMissedRemarks(const llvm::LLVMContext &Context);

/// Emits a remark on \p Named, whose ops at \p Sites stay as they are for the reason \p Why.
void emitLeftOut(const llvm::Function &Named, llvm::ArrayRef<OpSite> Sites, llvm::StringRef Why);

/// Emits a remark on each kernel of \p M that has a summary.
void emitSummaries(const llvm::Module &M, const Knowledge &Program);

} // namespace kesco

#endif
