//===- kernel_stub.h - the host's functions for kernels -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KESCO_PLUGIN_IR_KERNEL_STUB_H
#define KESCO_PLUGIN_IR_KERNEL_STUB_H

#include "llvm/IR/Function.h"

namespace kesco {

/// Of functions that are kernels' stubs whatever they are called.
constexpr char StubTag[] = "kesco-kernel-stub";

/// Of the entries of stubs (entered_stubs.h), which are none, and which nobody has written.
constexpr char EnteredTag[] = "kesco-entered-stub";

/// True for a kernel's host stub, which Clang makes, or nvcc (nvcc_host.h).
inline bool isKernelStub(const llvm::Function &F) {
    return F.getName().contains("__device_stub__") || F.hasFnAttribute(StubTag);
}

} // namespace kesco

#endif
