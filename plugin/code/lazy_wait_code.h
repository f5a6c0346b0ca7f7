//===- lazy_wait_code.h - calls that the run may put off, as IR ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes into IR what lazy_waits.h has found.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_CODE_LAZY_WAIT_CODE_H
#define KESCO_PLUGIN_CODE_LAZY_WAIT_CODE_H

#include "plugin/region/lazy_waits.h"

namespace kesco {

/// KESCO_REACH_ of the ABI.
unsigned howToCover(const Cover &What);

/// True for a call of cudaDeviceSynchronize.
bool waitsForDevice(const llvm::Instruction &I);

/// The stream that \p I lets the host wait for, if it is a call of cudaStreamSynchronize, else null.
llvm::Value *streamWaitedFor(const llvm::Instruction &I);

/// Tells the runtime that \p Wait, which comes next, waits for all of the device.
void settleByNext(llvm::Instruction &Wait);

/// Lets the host wait before what could tell of \p Calls, which the run may put off, the end of the function
/// too. \p Copies are ops of regions that are run, isPlainCopy, that the host waits for: where there are no
/// lanes, they wait for all themselves.
void writeObservers(const LazyWaits &Found, const llvm::SmallSetVector<llvm::CallBase *, 8> &Calls,
                    const llvm::SmallPtrSetImpl<const llvm::Instruction *> &Copies);

/// Leaves those of \p Calls, of the original, to the runtime.
void writeLazyWaits(const LazyWaits &Found, const llvm::SmallSetVector<llvm::CallBase *, 8> &Calls);

} // namespace kesco

#endif
