//===- synchronous_call.h - transfers that the program made synchronously -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KESCO_PLUGIN_CODE_SYNCHRONOUS_CALL_H
#define KESCO_PLUGIN_CODE_SYNCHRONOUS_CALL_H

#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"

namespace kesco {

/// A call that was made asynchronous.
struct SynchronousCall {
    llvm::CallBase *Original;          ///< in no function yet
    llvm::CallInst *Lane = nullptr;    ///< chooses its stream
    llvm::Instruction *Last = nullptr; ///< of what was written after the asynchronous one
};

/// Where the region is serial, the program's own call takes the place of the one that was made of it, \p
/// Issue: one call, for the asynchronous one and a wait. \p Lane: the number of its lane.
void keepSynchronousCall(llvm::Instruction &Issue, const SynchronousCall &Call, llvm::Value &Lane);

} // namespace kesco

#endif
