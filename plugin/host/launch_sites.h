//===- launch_sites.h - finds <<<>>> in IR ------------------------------------===//
//
// Part of KeSCo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch in host IR is a call of __cudaPushCallConfiguration, a branch on its result, and a call of the
// kernel's stub in the block that is reached when the result is zero:
//
//     %r = call i32 @__cudaPushCallConfiguration(..., ptr %stream)
//     %failed = icmp ne i32 %r, 0
//     br i1 %failed, label %end, label %launch
//   launch:
//     ... arguments ...
//     call void @_Z..__device_stub__K(...)
//     br label %end
//
// Either call may be an invoke, and arguments with a choice in them take more than one block. What looks
// otherwise is no launch site to KeSCo.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_HOST_LAUNCH_SITES_H
#define KESCO_PLUGIN_HOST_LAUNCH_SITES_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"

namespace kesco {

struct LaunchSite {
    llvm::CallBase *Push;     ///< the call of __cudaPushCallConfiguration
    llvm::ICmpInst *Test;     ///< its result against zero
    llvm::BranchInst *Branch; ///< on Test
    llvm::CallBase *Stub;     ///< the call of the kernel's stub
    llvm::BasicBlock *End;    ///< where both ways meet again
    bool Movable;             ///< the arguments may be evaluated early and both calls be moved down
};

/// Operand of __cudaPushCallConfiguration that is the stream.
constexpr unsigned PushStreamOperand = 5;

/// Handles of the two default streams (driver_types.h).
constexpr unsigned LegacyStream = 1, PerThreadStream = 2;

/// True for a kernel's host stub.
bool isKernelStub(const llvm::Function &F);

/// True for a call of __cudaPushCallConfiguration.
bool isPushConfiguration(const llvm::CallBase &Call);

/// True if some call of __cudaPushCallConfiguration stands in \p F.
bool launches(const llvm::Function &F);

/// What an IR argument of a stub is of the kernel's parameters. The x86-64 ABI passes small structs in pieces
/// and large ones in memory.
struct StubArgument {
    int Parameter = -1;     ///< which one it is, or is part of; -1 where that cannot be seen
    unsigned Offset = 0;    ///< of this part in the parameter, in bytes
    bool IsAddress = false; ///< not the parameter itself, but where it is
};

/// For each IR argument of \p Stub, what it is.
llvm::SmallVector<StubArgument, 8> argumentsOfStub(const llvm::Function &Stub);

/// All launch sites of \p F, in the order of its blocks.
llvm::SmallVector<LaunchSite, 8> findLaunchSites(llvm::Function &F);

} // namespace kesco

#endif
