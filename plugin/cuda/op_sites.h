//===- op_sites.h - finds what issues ops in IR --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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
// otherwise is no site to KeSCo. Any other op is a single call of an API function (transfers.h), or an
// invoke.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_CUDA_OP_SITES_H
#define KESCO_PLUGIN_CUDA_OP_SITES_H

#include "plugin/ir/locations.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"

#include <optional>
#include <string>

namespace kesco {

struct OpSite {
    llvm::CallBase *Start;         ///< of a launch, the call of __cudaPushCallConfiguration; else Issue
    llvm::CallBase *Issue;         ///< the call of the kernel's stub, or of the API function
    llvm::ICmpInst *Test;          ///< of a launch: the result of Start against zero
    llvm::BranchInst *Branch;      ///< of a launch: on Test
    llvm::BasicBlock *End;         ///< of a launch: where both ways meet again
    bool Movable = false;          ///< the arguments may be evaluated early and both calls be moved down
    bool PerThreadDefault = false; ///< its stream 0 is the per-thread default stream

    bool isLaunch() const {
        return Start != Issue;
    }

    /// Of a launch: where its arguments begin to be evaluated.
    llvm::BasicBlock *first() const {
        return Branch->getSuccessor(Branch->getSuccessor(0) == End ? 1 : 0);
    }

    /// Where it stands in the program.
    llvm::DebugLoc where() const {
        return placeInProgram(Start->getDebugLoc());
    }
};

/// Handles of the two default streams (driver_types.h).
constexpr unsigned LegacyStream = 1, PerThreadStream = 2;

/// The handle of a default stream that \p Stream is: 0, or one of those; nothing where it may be another.
std::optional<unsigned> constantStream(const llvm::Value &Stream);

/// True for a call of __cudaPushCallConfiguration.
bool isPushConfiguration(const llvm::CallBase &Call);

/// Operand of \p Push, a call of __cudaPushCallConfiguration, that is the stream: the last one. Those before
/// it are four on x86-64 for grid and block, and two on AArch64.
unsigned pushStreamOperand(const llvm::CallBase &Push);

/// Where a launch ends, and control comes from elsewhere, too: after the last one of a function with an
/// early return.
struct SharedEnd {
    llvm::BasicBlock *End = nullptr;                 ///< null where it is not so
    llvm::SmallSetVector<llvm::BasicBlock *, 2> Own; ///< the blocks of the launch that lead there
};

/// The end of the launch that \p Push begins, where it is shared.
SharedEnd findSharedEnd(llvm::CallBase &Push);

/// The call by a pointer, perhaps of a kernel's stub, that the launch makes which \p Push begins; null where
/// it makes another, or does more.
llvm::CallBase *findPointedLaunch(llvm::CallBase &Push);

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

/// True for an instruction among a launch's arguments that may run before the configuration is pushed.
bool canEvaluateEarly(const llvm::Instruction &I);

/// True for a call that issues an op: of __cudaPushCallConfiguration, or of an API function.
bool issuesOp(const llvm::CallBase &Call);

/// True if some call in \p F issues an op.
bool issuesOps(const llvm::Function &F);

/// What reports call the call that issues the op of \p Site, which is no launch.
std::string describeCall(const OpSite &Site);

/// The site that begins at \p Call; nothing where it issues no op, or in an unusual form. \p
/// PerThreadDefault: stream 0 of launches is the per-thread default stream.
std::optional<OpSite> findOpSite(llvm::CallBase &Call, bool PerThreadDefault);

/// All sites of \p F, in the order of its blocks.
llvm::SmallVector<OpSite, 8> findOpSites(llvm::Function &F, bool PerThreadDefault);

} // namespace kesco

#endif
