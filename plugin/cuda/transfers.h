//===- transfers.h - API calls that issue ops ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies, memsets, prefetches, and stream-ordered allocation and free: which functions issue them, what
// memory the op touches, and what the host may rely on when the call returns (CUDA Runtime API, "API
// synchronization behavior"):
//
//   synchronous copies          the host waits until the copy is done (from pageable memory: until the source
//                               may be used again), except for copies from device memory to device memory
//   synchronous memsets         the host waits if the memory is pinned or managed
//   asynchronous copies         the host waits if the copy goes to pageable memory
//   everything else             the host does not wait
//
// Copies whose kind says that they come from the host, it may make or read for at the call, where the memory
// is managed: before they are done for the device's order of streams (test/vgpu/rules/managed_copies.c).
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_CUDA_TRANSFERS_H
#define KESCO_PLUGIN_CUDA_TRANSFERS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

extern "C" {
#include "plugin/schedule/graph.h"
}

#include <optional>
#include <string>

namespace llvm {
class CallBase;
class IRBuilderBase;
class Value;
} // namespace llvm

namespace kesco {

/// Memory that the op of a call touches.
struct TransferOperand {
    enum Side {
        Device, ///< the program uses the pointer as device memory: the device's own, managed or pinned
        Host,   ///< as host memory: pageable, pinned or managed
        Either, ///< the pointer's value decides
        Symbol, ///< it is the handle of a device variable
    };
    unsigned Argument = 0; ///< operand of the call: the pointer or handle
    /// In the program's own call, the first operand is the address of what has the pointer at this offset.
    std::optional<unsigned> Member;
    Side In = Device;
    bool Write = false;
    int Size = -1;   ///< operand: bytes from the pointer on, of each row if there are several; -1: unknown
    int Offset = -1; ///< operand: bytes from the handle's variable on; -1: none
    int Pitch = -1;  ///< operand: bytes from row to row; -1: one row
    int Height = -1; ///< operand: rows
};

struct Transfer {
    enum Direction { ToDevice, ToHost, OnDevice, Unknown };
    kesco_op_kind What;       ///< no kernel
    Direction Way = OnDevice; ///< of a copy
    bool IsSynchronous;       ///< the function has no stream of its own
    bool MayBeByHost =
        false; ///< the kind of a copy says that it comes from the host, or only the run tells it
    llvm::SmallVector<TransferOperand, 2> Operands;

    /// What profilers call the op.
    llvm::StringRef title() const;
};

/// True for a call of a function that issues an op.
bool isTransfer(const llvm::CallBase &Call);

/// What \p Call, of a normalised copy, for which isTransfer holds, does, as far as its operands tell. Nothing
/// for what no op is made of: copies within the host, and copies of arrays.
std::optional<Transfer> readTransfer(const llvm::CallBase &Call);

/// Tells LLVM's analyses, by attributes on \p Call, for which isTransfer holds, and on the function that it
/// calls, what it touches of the host's memory. Where the host may wait, that is all that a kernel may have
/// written.
void annotateTransfer(llvm::CallBase &Call);

/// Where \p Call, of a copy that is being normalised, gives its operands in a struct: makes it pass them as
/// operands of their own after those that it has, and no longer the struct. \returns the call that stands
/// there now.
llvm::CallBase *withMembers(llvm::CallBase &Call);

/// True if \p Call, for which isTransfer holds, is a copy whose kind says that it comes from the host, or
/// may.
bool mayCopyFromHost(const llvm::CallBase &Call);

/// What a copy is given.
struct CopyArguments {
    llvm::Value *Kind; ///< cudaMemcpyKind
    llvm::Value *From; ///< the pointer, or handle, to what is read
};

/// The arguments of \p Copy, a call of the program's for which isTransfer holds, and which copies. What a
/// struct has, \p Builder writes the loads of.
CopyArguments readCopy(llvm::IRBuilderBase &Builder, llvm::CallBase &Copy);

/// The operand of \p Call, for which isTransfer holds, that is its stream; -1 for a synchronous call, which
/// uses the default stream.
int streamOperand(const llvm::CallBase &Call);

/// True if the default stream is the per-thread one to \p Call, for which isTransfer holds: the function's
/// name says so.
bool usesPerThreadStream(const llvm::CallBase &Call);

/// The name of the function that does what \p Call, a synchronous transfer, does, with a stream as its last
/// operand.
std::string asynchronousName(const llvm::CallBase &Call);

} // namespace kesco

#endif
