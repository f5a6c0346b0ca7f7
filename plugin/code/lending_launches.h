//===- lending_launches.h - launches whose stubs may borrow ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KESCO_PLUGIN_CODE_LENDING_LAUNCHES_H
#define KESCO_PLUGIN_CODE_LENDING_LAUNCHES_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstrTypes.h"

namespace kesco {

struct LendingLaunch {
    llvm::CallBase *Start; ///< of __cudaPushCallConfiguration
    llvm::CallBase *Issue; ///< of the stub
};

/// The launches in \p F of kernels that are defined elsewhere, or by pointers to kernels, whose stubs may
/// borrow there (copy/entered_stubs.h). Of the first, none where the function has regions that join
/// no others, and may have these.
llvm::SmallVector<LendingLaunch, 8> findLendingLaunches(llvm::Function &F);

} // namespace kesco

#endif
