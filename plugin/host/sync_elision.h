//===- sync_elision.h - host synchronisation that nothing observes ------------===//
//
// Part of KeSCo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds calls of cudaDeviceSynchronize, and of cudaStreamSynchronize for the default stream, that the program
// could do without: their results are unused, and on every way from there the host comes to another call that
// waits for at least as much, before it does anything that could tell the difference. These could:
//
//   host memory that others may know of     what the device works on may be managed, mapped or pinned
//   error checks, timers, events, output    they show when, or whether, work was done
//   unknown code, and the function's end    the caller may do any of this
//
// Ops, allocations, local variables and pure computation cannot.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_HOST_SYNC_ELISION_H
#define KESCO_PLUGIN_HOST_SYNC_ELISION_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace llvm {
class CallBase;
class Function;
class Instruction;
} // namespace llvm

namespace kesco {

/// The calls in \p Copy, a function of a normalised module, that synchronise for nothing. \p IsUnused says
/// whether the program ignores the result of one.
llvm::SmallPtrSet<const llvm::Instruction *, 4>
findIdleSyncs(const llvm::Function &Copy, llvm::function_ref<bool(const llvm::CallBase &)> IsUnused);

} // namespace kesco

#endif
