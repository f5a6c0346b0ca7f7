//===- loads_across_waits.h - what launches are given on both sides of a wait --===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `in[c].data()` before and after a wait is the same pointer, as far as no kernel has written the memory that
// it is loaded from. Where the program does check after check, launches would seem to work on other memory
// after each.
//
// How two loads become one:
//   1. Both are of a pointer, from one address in memory that the function reaches by an argument or a
//   variable, and gives no launch.
//   2. The first is always before the second, and between them nothing may write that memory but calls that
//   wait.
//   3. Of the second, nothing comes but what launches are given: the host takes no other way by it. Should a
//   kernel have written it after all, and the wait is put off, the run sees that the host loads what is in
//   flight (__kesco1_touch), and waits.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_COPY_LOADS_ACROSS_WAITS_H
#define KESCO_PLUGIN_COPY_LOADS_ACROSS_WAITS_H

#include "llvm/IR/PassManager.h"

namespace kesco {

/// Does so in \p F, a copy for analysis. \returns whether there were any: then other addresses may be the
/// same by now.
bool mergeLoadsAcrossWaits(llvm::Function &F, llvm::FunctionAnalysisManager &Known);

} // namespace kesco

#endif
