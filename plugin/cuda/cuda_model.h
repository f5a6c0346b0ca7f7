//===- cuda_model.h - what API functions do, in one table ---------------------===//
//
// Part of KeSCo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The CUDA model: for each function that KeSCo understands, its memory effects and whether ops may stay in
// flight across a call of it. A function that is not here is unknown, and unknown is a barrier.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_CUDA_CUDA_MODEL_H
#define KESCO_PLUGIN_CUDA_CUDA_MODEL_H

#include "llvm/ADT/StringRef.h"

namespace llvm {
class CallBase;
class Function;
class Module;
} // namespace llvm

namespace kesco {

/// What memory a pointer may lead to, in bits.
enum Memory : unsigned {
    DeviceMemory = 1,   ///< the device's own: the host cannot touch it
    ManagedMemory = 2,  ///< both sides touch it
    PinnedMemory = 4,   ///< the host's, page-locked: both sides touch it
    PageableMemory = 8, ///< the host's own
    AnyMemory = 15
};

struct ApiFunction {
    enum Effect {
        Allocates, ///< stores the address of a new allocation, of which no launch knows, through its first
                   ///< argument
        AllocatesInStream, ///< the same, but the memory is there only from that point of a stream on (an op,
                           ///< transfers.h)
        Harmless,          ///< neither touches device memory nor orders device work: checks, queries
        Synchronises,      ///< does nothing but let the host wait for all of the device, or of a stream
        Barrier,           ///< known to CUDA, but not scheduled: a barrier
    };
    Effect What;
    Memory Where = AnyMemory; ///< what memory it allocates
};

/// The entry for the function \p Name; null if the model does not know it.
const ApiFunction *lookUpApi(llvm::StringRef Name);

/// The entry for \p Call's callee; null for an indirect call or an unknown function.
const ApiFunction *lookUpApi(const llvm::CallBase &Call);

/// Tells LLVM's analyses, by attributes on the declarations in \p M, what the model knows of memory effects.
void annotateApiDeclarations(llvm::Module &M);

/// Spells out in \p F what calls that allocate do, so that LLVM sees through them: the new address is the
/// result of a call of its own, and is stored where the program asked for it unless the call fails.
void expandAllocations(llvm::Function &F);

/// True for the call that stands for a new address after expandAllocations. Its operand is the result of the
/// program's call.
bool isAllocation(const llvm::CallBase &Call);

/// What memory \p Allocation, for which isAllocation holds, makes.
Memory memoryOf(const llvm::CallBase &Allocation);

} // namespace kesco

#endif
