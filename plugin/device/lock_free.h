//===- lock_free.h - loops that go on only because others did ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic for which there is no instruction is done with a compare-and-swap in a loop (CUDA C++
// Programming Guide, "Atomic Functions"): each pass that fails does so because another thread's succeeded in
// between, so some thread always gets on, and nobody waits for one that may not be running (lock-free;
// Herlihy, "Wait-free synchronization", TOPLAS 1991). A lock, which swaps in what it does not find for long,
// is none.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_DEVICE_LOCK_FREE_H
#define KESCO_PLUGIN_DEVICE_LOCK_FREE_H

#include "plugin/device/provenance.h"

namespace llvm {
class DominatorTree;
class Loop;
class LoopInfo;
} // namespace llvm

namespace kesco {

/// True if each pass of \p L but the last makes or finds a change of memory that brings some thread nearer to
/// its end: a compare-and-swap that tries what it last saw, and is over once it succeeds, where the loop
/// writes nothing else to that memory.
bool isLockFree(const llvm::Loop &L, const llvm::LoopInfo &Loops, const llvm::DominatorTree &Dominance,
                Provenance &Sources);

} // namespace kesco

#endif
