//===- host_effect.h - host code between launches -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one place that says what an instruction between two launches means for them. What it does not know
// stops a region.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_CUDA_HOST_EFFECT_H
#define KESCO_PLUGIN_CUDA_HOST_EFFECT_H

#include "llvm/IR/InstrTypes.h"

#include <string>

namespace kesco {

/// describeBarrier of a launch that is none of a site's.
constexpr char UnusualLaunch[] = "launch in an unusual form";

/// How describeBarrier goes on of a call of a function that launches, and of one that is recursive, too.
constexpr char LaunchesKernel[] = "launches a kernel";
constexpr char CallsItself[] = "calls itself";

/// What host code between two launches means for them.
struct HostEffect {
    enum Kind {
        None,    ///< nothing
        Fence,   ///< launches may overlap across it but not change places
        Barrier, ///< no launch moves across it
    };
    Kind What = None;
    bool CallsBack = false; ///< of a fence: it may come back into the program (host_library.h)
};

/// True for memory of the function's own, of which nobody else knows.
bool isPrivateMemory(const llvm::Value *Pointer);

/// What \p I, an instruction of the normalised copy that belongs to no launch site, means for the launches
/// around it.
HostEffect hostEffectOf(const llvm::Instruction &I);

/// True for a call that is a barrier as it is not seen, and may be of a function of the program's own: by a
/// pointer, or of one that is only declared.
bool callsUnseen(const llvm::CallBase &Call);

/// What \p I, which is a barrier, is, for people.
std::string describeBarrier(const llvm::Instruction &I);

/// True if \p I, which is no barrier, may let go on what waits for the host: a function on another stream
/// that looks at memory or reads a pipe. A wait for that stream cannot come before it.
bool mayReleaseWork(const llvm::Instruction &I);

} // namespace kesco

#endif
