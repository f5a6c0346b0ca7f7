//===- launch_arguments.h - what a launch gives for a kernel's parameters ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KESCO_PLUGIN_REGION_LAUNCH_ARGUMENTS_H
#define KESCO_PLUGIN_REGION_LAUNCH_ARGUMENTS_H

#include "plugin/cuda/op_sites.h"
#include "plugin/frontend/source_facts.h"
#include "plugin/kernels/effects.h"

#include <optional>
#include <string>

namespace kesco {

/// True if each argument of \p Stub is one whole parameter. Structs become none, one or several; as many
/// arguments as parameters with the same of them pointers leave no room for that before a pointer.
bool hasArgumentPerParameter(const KernelFacts &Facts, const llvm::Function &Stub);

/// The stub of a kernel that is defined elsewhere has no body to tell from; where each parameter can only
/// be one argument, it is.
llvm::SmallVector<StubArgument, 8> argumentsOf(const Kernel &K, const llvm::Function &Stub);

/// The number that the launch gives for \p Parameter, if it is a constant.
std::optional<int64_t> givenNumber(std::optional<unsigned> Parameter, llvm::ArrayRef<StubArgument> Arguments,
                                   const llvm::CallBase &Stub);

/// What people call the pointer that \p E goes through.
std::string pointerName(const Effect &E, const Kernel &K, const LaunchFacts *Launch);

} // namespace kesco

#endif
