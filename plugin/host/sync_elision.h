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
//   ops, where they go to several streams,  what one stream has may be there for the others only then
//   or the source makes streams that have
//   no part in the default stream's order
//
// Ops on one stream, allocations, local variables and pure computation cannot, but for copies within the
// host, which may not keep to the order of a stream, and for variables that a copy is given. A call in a loop
// for which that holds as far as the loop's exits moves down to those, where it waits if control came by it
// in the loop.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_HOST_SYNC_ELISION_H
#define KESCO_PLUGIN_HOST_SYNC_ELISION_H

#include "plugin/host/op_sites.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace llvm {
class LoopInfo;
} // namespace llvm

namespace kesco {

/// Calls of a copy that need not synchronise where they stand.
struct IdleSyncs {
    llvm::SmallPtrSet<const llvm::Instruction *, 4> Calls;
    /// For those of Calls that something has to stand in for where control leaves a loop: how many loops
    /// around the call, from the innermost on, it leaves then.
    llvm::DenseMap<const llvm::Instruction *, unsigned> LoopsToLeave;
};

/// The calls in \p Copy, a function of a normalised module with the loops \p Loops, whose original has the
/// sites \p Sites. \p IsUnused says whether the program ignores the result of one.
IdleSyncs findIdleSyncs(const llvm::Function &Copy, const llvm::LoopInfo &Loops, llvm::ArrayRef<OpSite> Sites,
                        llvm::function_ref<bool(const llvm::CallBase &)> IsUnused);

/// True if \p Call, of the original, can move to where control leaves \p LoopsToLeave of the \p LoopCount
/// loops that are around its copy.
bool canSinkSync(llvm::CallBase &Call, unsigned LoopsToLeave, unsigned LoopCount);

/// Moves \p Call there.
void sinkSync(llvm::CallBase &Call, unsigned LoopsToLeave);

} // namespace kesco

#endif
