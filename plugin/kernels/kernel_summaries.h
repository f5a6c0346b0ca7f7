//===- kernel_summaries.h - the access summary of each kernel's stub ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Summaries name kernels as the device code does; the host code launches stubs. Which stub stands for which
// kernel is what the host code tells the CUDA runtime: by calls of __cudaRegisterFunction, or with -fgpu-rdc
// by offloading entries. A stub that is not registered here stands for a kernel of another unit.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_KERNELS_KERNEL_SUMMARIES_H
#define KESCO_PLUGIN_KERNELS_KERNEL_SUMMARIES_H

extern "C" {
#include "plugin/summary/summary.h"
}

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

#include <string>

namespace clang {
class SourceManager;
} // namespace clang

namespace kesco {

struct SourceFacts;

/// A pointer in a parameter that the launch passes by its address.
struct PointerInMemory {
    unsigned Argument;  ///< of the stub: the parameter's address
    unsigned Parameter; ///< of the kernel
    unsigned Offset;    ///< of the pointer in the parameter
};

class KernelSummaries {
  public:
    KernelSummaries() = default;
    ~KernelSummaries();
    KernelSummaries(const KernelSummaries &) = delete;
    KernelSummaries &operator=(const KernelSummaries &) = delete;

    /// Finds the stubs of \p M and the summaries in the device images in the files \p Images. Calls \p Refuse
    /// with each file that is unreadable or damaged, and why; then there are no summaries at all: the other
    /// files may have the same kernels for other architectures.
    void read(const llvm::Module &M, llvm::ArrayRef<std::string> Images,
              llvm::function_ref<void(llvm::StringRef, llvm::Error)> Refuse);

    /// Adds what the PTX modules \p Ptx, all of the device code, say of the kernels whose stubs read has
    /// found.
    /// \p Facts: what their parameters are. Fails where one is not understood; then there are no summaries.
    llvm::Error readPtx(llvm::ArrayRef<std::string> Ptx, const SourceFacts &Facts,
                        clang::SourceManager &Sources);

    /// True if no kernel is summarised.
    bool empty() const {
        return Set.count == 0;
    }

    const kesco_summaries &all() const {
        return Set;
    }

    /// The summary of the kernel that \p Stub launches; null if there is none.
    const kesco_summary *find(const llvm::Function &Stub) const;

    /// True if the images summarise other kernels but not that of \p Stub, though it should be there.
    bool isMissing(const llvm::Function &Stub) const;

    /// The pointers that the kernel of \p Stub uses in parameters that are passed by their address, ascending
    /// by argument, then offset.
    llvm::SmallVector<PointerInMemory, 4> pointersInMemory(const llvm::Function &Stub) const;

    /// True if all that the kernel of \p Stub does through the pointer that its argument \p Argument is has
    /// ranges.
    bool hasRanges(const llvm::Function &Stub, unsigned Argument) const;

    /// True if the kernel reads through argument \p Argument of \p Stub, and is known not to write there.
    bool isOnlyRead(const llvm::Function &Stub, unsigned Argument) const;

  private:
    /// Of a weak kernel another may run.
    void markWeak();

    llvm::DenseMap<const llvm::Function *, std::string> Names; ///< of kernels in device code, by stub
    llvm::StringMap<std::string> Variables; ///< in host code, by their names in device code
    kesco_summaries Set = {};
};

} // namespace kesco

#endif
