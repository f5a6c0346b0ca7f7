//===- kernel_copy.h - a copy of the kernels that analysis can read -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As on the host side (normalise.h), analysis reads a copy that is made from the IR that Clang emits, before
// any optimisation: so summaries do not depend on -O, and the program is left alone. In the copy, functions
// that are given pointers are inlined, so that each call stands for itself; locals are in registers; branches
// on constants are gone. A struct that the kernel changes is copied to a local first.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_DEVICE_KERNEL_COPY_H
#define KESCO_PLUGIN_DEVICE_KERNEL_COPY_H

#include "plugin/ir/analyses.h"

#include "llvm/IR/Module.h"

#include <memory>

namespace kesco {

/// True for a kernel with a body.
bool isKernel(const llvm::Function &F);

class KernelCopies {
  public:
    explicit KernelCopies(const llvm::Module &Original);

    /// The simplified copies, in the order of the module.
    llvm::ArrayRef<llvm::Function *> kernels() const {
        return Kernels;
    }

    /// What they are in, with all that they call.
    const llvm::Module &module() const {
        return *Copy;
    }

    Analyses &analyses() {
        return All;
    }

  private:
    void promoteLocals(llvm::Function &Kernel);
    void simplify(llvm::Function &Kernel);

    std::unique_ptr<llvm::Module> Copy;
    llvm::SmallVector<llvm::Function *, 16> Kernels;
    Analyses All;
};

} // namespace kesco

#endif
