//===- stub_launch.h - how a kernel's stub launches it ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stub as Clang makes it keeps each parameter in a place of its own, collects their addresses in an array,
// and hands that on:
//
//     %args = alloca ptr, i64 2
//     store ptr %a.addr, ptr %args
//     store ptr %n.addr, ptr (%args + 1)
//     call i32 @__cudaPopCallConfiguration(ptr %grid, ptr %block, ptr %shared, ptr %stream)
//     call i32 @cudaLaunchKernel(ptr @kernel, ..., ptr %args, i64 ..., ptr ...)
//
// One that nvcc makes, as nvcc_host.h leaves it, launches with __cudaLaunchKernel, which takes a handle in
// the kernel's place, and asks for the handle with __cudaGetKernel.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_CUDA_STUB_LAUNCH_H
#define KESCO_PLUGIN_CUDA_STUB_LAUNCH_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Instructions.h"

#include <optional>

namespace kesco {

struct StubLaunch {
    llvm::CallBase *Pop;                  ///< the call that stores grid, block, shared memory and stream
    llvm::CallBase *Launch;               ///< the call that launches
    llvm::Value *Kernel;                  ///< what the CUDA runtime knows the kernel by
    llvm::Value *Arguments;               ///< its operand that has the addresses of the arguments
    llvm::SmallVector<uint32_t, 8> Sizes; ///< of the arguments, in bytes
};

/// What is so in \p Stub; nothing where it looks otherwise, or some size cannot be seen.
std::optional<StubLaunch> findStubLaunch(llvm::Function &Stub);

} // namespace kesco

#endif
