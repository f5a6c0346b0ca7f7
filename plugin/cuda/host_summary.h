//===- host_summary.h - what the program's own functions do --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Not every call can be inlined: recursion has no end, and functions do not grow beyond all bounds. For the
// calls that stay, each function of the copy is summarised:
//
//   1. Each instruction but the calls of functions with a body is asked for its own effect (host_effect.h).
//   2. What a function does, its callers do. This goes up the call graph until nothing changes; so functions
//      that call each other do all that one of them does.
//
// A function of which no instruction is a barrier is none itself. Calls of CUDA's are barriers here, harmless
// ones too, since those who look for errors and allocations do not look into functions.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_CUDA_HOST_SUMMARY_H
#define KESCO_PLUGIN_CUDA_HOST_SUMMARY_H

#include <optional>
#include <string>

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace kesco {

/// What a function with a body does, itself or by others, in bits.
struct HostTrait {
    enum Bit : unsigned {
        Fences = 1,    ///< it is a fence, not nothing
        CallsBack = 2, ///< it may come back into the program (host_library.h)
        Clock = 4,     ///< it may tell the time
        Files = 8,     ///< it changes names or rights of files
        Ends = 16,     ///< it may end the program, or throw what is not the library's own
        Releases = 32, ///< it may let go on what waits for the host
        Touches = 64,  ///< it loads or stores other memory than its own variables
    };
};

/// Notes at each function of \p M that has a body what it does.
void summariseHostFunctions(llvm::Module &M);

/// The traits of \p F; nothing where it is a barrier, or has not been summarised.
std::optional<unsigned> hostTraitsOf(const llvm::Function &F);

/// True if \p F has been summarised, is no barrier, and does \p What.
bool hostFunctionDoes(const llvm::Function &F, HostTrait::Bit What);

/// Why \p F, which has been summarised, is a barrier, as "calls ... (line 3)"; empty if it is none.
std::string whyHostBarrier(const llvm::Function &F);

} // namespace kesco

#endif
