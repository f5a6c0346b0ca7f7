//===- nvcc_host.h - host code that nvcc makes --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvcc hands plain C++ to its host compiler. A kernel is a function there that calls a stub, a template by
// way of a wrapper that takes references, and a launch is a conditional expression:
//
//     (__cudaPushCallConfiguration(grid, block)) ? (void)0 : kernel(a, n);
//     void kernel(float *a, int n) { __device_stub__kernel(a, n); }
//     template <> void __wrapper__device_stub_kernel<float>(float *&a, int &n) { __device_stub__kernel(a, n);
//     }
//
// The stub asks for the kernel's handle once, by the kernel's address, and launches by that
// (crt/host_runtime.h). Here such code gets the form of Clang's own: the kernel itself launches, by the code
// of all that it calls for that, and a launch has no empty block.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_COPY_NVCC_HOST_H
#define KESCO_PLUGIN_COPY_NVCC_HOST_H

#include "plugin/frontend/source_facts.h"

#include "llvm/IR/Module.h"

namespace kesco {

/// Gives \p M, host code that nvcc made, the form of Clang's. Kernels are what \p Facts names, and what is
/// registered.
void takeNvccHost(llvm::Module &M, const SourceFacts &Facts);

/// True if stream 0 of the launches in \p M is the per-thread default stream.
bool launchesPerThread(const llvm::Module &M);

} // namespace kesco

#endif
