//===- wait_reach.h - what a call lets the host wait for ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KESCO_PLUGIN_REGION_WAIT_REACH_H
#define KESCO_PLUGIN_REGION_WAIT_REACH_H

#include "plugin/region/op_flow.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/InstrTypes.h"

namespace kesco {

class ReloadedStreams;

/// How much a call lets the host wait for; each waits for what the ones before it do.
enum class Reach { Nothing, DefaultStream, Device };

/// What calls of \p Copy wait for, where they do nothing else, in a function whose ops are most likely issued
/// to \p Stream, of those that \p Reloaded has unified. Those that may well wait for another stream are left
/// out.
llvm::DenseMap<const llvm::CallBase *, Reach> findReaches(const llvm::Function &Copy, const Origin &Stream,
                                                          ReloadedStreams &Reloaded);

/// True for a call of cudaFree, which waits for the device unless it is given no memory.
bool frees(const llvm::Instruction &I);

/// True if \p Call, which is given a stream, waits for the per-thread default stream.
bool waitsForPerThread(const llvm::CallBase &Call);

/// True if \p I records an event on the legacy default stream, and does nothing else there.
bool recordsOnDefaultStream(const llvm::Instruction &I);

} // namespace kesco

#endif
