//===- cuda_model.h - what API functions do, to LLVM ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the table of CUDA calls (cuda_calls.h) says, for calls in IR and for LLVM's analyses.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_CUDA_CUDA_MODEL_H
#define KESCO_PLUGIN_CUDA_CUDA_MODEL_H

#include "plugin/cuda/cuda_calls.h"

namespace llvm {
class CallBase;
class Function;
class Module;
} // namespace llvm

namespace kesco {

/// What memory a pointer may lead to, in bits.
enum Memory : unsigned {
    DeviceMemory = KESCO_MEMORY_DEVICE,
    ManagedMemory = KESCO_MEMORY_MANAGED,
    PinnedMemory = KESCO_MEMORY_PINNED,
    PageableMemory = KESCO_MEMORY_PAGEABLE,
    AnyMemory = KESCO_MEMORY_ANY
};

/// What the table says of \p Call; null for an indirect call or an unknown function.
const kesco_call *lookUpApi(const llvm::CallBase &Call);

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
