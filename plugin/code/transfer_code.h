//===- transfer_code.h - calls that do what the program's transfers do ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KESCO_PLUGIN_CODE_TRANSFER_CODE_H
#define KESCO_PLUGIN_CODE_TRANSFER_CODE_H

#include "plugin/schedule/graph.h"

#include "llvm/IR/InstrTypes.h"

namespace kesco {

/// Puts the call that does what \p Old, a synchronous transfer, does, on a stream that is still to be given,
/// in its place.
llvm::CallBase *makeAsynchronous(llvm::CallBase &Old);

/// Puts a call of the runtime's in the place of \p Call, a transfer of the kind \p Kind.
void leaveTransferToRuntime(llvm::CallBase &Call, kesco_op_kind Kind);

/// Writes, right before \p Copy, which will be issued to \p Stream, the runtime's call that lets the host
/// wait where it makes the copy itself.
void letHostWaitFirst(llvm::CallBase &Copy, llvm::Value &Stream);

/// The same for a call that is as the program has it. Writes nothing where it does not copy from the host.
void letHostWaitFirst(llvm::CallBase &Copy);

/// The same of \p Call, a cudaMemset, or a cudaMemcpy within the device, that has been made asynchronous, in
/// a region that joins.
void leaveJoinedTransferToRuntime(llvm::CallBase &Call, kesco_op_kind Kind);

/// The same of a cudaMemcpy between host and device; whether it is lent a region, and what is told of errors,
/// is still to be given.
void leaveJoinedCopyToRuntime(llvm::CallBase &Call);

} // namespace kesco

#endif
