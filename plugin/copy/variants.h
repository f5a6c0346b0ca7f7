//===- variants.h - functions as the scheduler would like them ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops in helpers, templates, lambdas and member functions can only be scheduled together with those of their
// callers where they stand in one function, and the ops of a loop's passes only where each pass has its own.
// So each function that launches, by itself or by helpers, gets a variant in which the helpers that issue ops
// are inlined, and small ones that wait or act on the legacy default stream (stream_action.h), themselves or
// by others, and one with ops in loops of few passes one in which these are unrolled. A variant takes the
// function's place where it gains something; else it goes, and the function stays as it was. Helpers
// themselves always stay.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_COPY_VARIANTS_H
#define KESCO_PLUGIN_COPY_VARIANTS_H

#include "plugin/ir/analyses.h"
#include "plugin/kernels/kernel_summaries.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

#include <optional>

namespace kesco {

class Variants {
  public:
    /// \p Summaries say what kernels do with their pointers.
    Variants(llvm::Module &M, const KernelSummaries &Summaries);

    /// Takes what is left of variants out of the module.
    ~Variants();

    Variants(const Variants &) = delete;
    Variants &operator=(const Variants &) = delete;

    /// The variant of \p F, or F itself if there is nothing to inline or unroll.
    llvm::Function *of(llvm::Function &F);

    /// In the place of \p Variant, one that `of` returned: the same with its loops as they were; null where
    /// they are that.
    llvm::Function *rolled(llvm::Function &Variant);

    /// Gives \p Variant, one that `of` returned, up; a function that is its own variant stays.
    void discard(llvm::Function &Variant);

    /// Makes \p Variant, one that `of` returned, the body of its function.
    void adopt(llvm::Function &Variant);

    /// The function that \p Variant is one of; itself if it is none.
    llvm::Function *originalOf(llvm::Function &Variant) const;

  private:
    bool isHelper(const llvm::CallBase &Call) const;
    llvm::Function *clone(llvm::Function &F);
    llvm::Function *inlined(llvm::Function &F);
    llvm::Function *unrolled(llvm::Function &F);
    void inlineSteps(llvm::Function &F);
    void inlineWithin(llvm::Function &F, llvm::function_ref<bool(const llvm::CallBase &)> Wanted);

    llvm::Module &M;
    const KernelSummaries &Summaries;
    llvm::SmallPtrSet<const llvm::Function *, 32> Known;     ///< what the module held before
    llvm::SmallPtrSet<const llvm::Function *, 16> Launching; ///< functions that launch, directly or not
    llvm::SmallPtrSet<const llvm::Function *, 16>
        Wrapping; ///< functions of wrapsAction, and small ones that call them
    llvm::SmallPtrSet<const llvm::Function *, 16> Issuing; ///< functions that issue ops, directly or not
    llvm::DenseMap<llvm::Function *, llvm::Function *>
        Originals;                                          ///< by variant that is not the function itself
    llvm::SmallPtrSet<const llvm::Function *, 16> Unrolled; ///< variants with loops that are
    unsigned Budget;             ///< instructions that may still be inlined in this module
    std::optional<Analyses> All; ///< once something is to be unrolled
};

} // namespace kesco

#endif
