//===- normalise.h - a copy of the module that analysis can read --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Analysis never changes the program, yet launches are easiest to understand when small helpers are inlined,
// locals are in registers and branches on constants are gone. So the functions that launch are copied, with
// all that they call, and the copy is simplified. Each launch in the copy knows its site in the original by a
// number. Because the copy starts from the IR that Clang emits, before any optimisation, the result is the
// same at every -O level. Every instruction of the copy knows, by another number, the instruction of the
// original that it came from.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_COPY_NORMALISE_H
#define KESCO_PLUGIN_COPY_NORMALISE_H

#include "plugin/cuda/op_sites.h"
#include "plugin/ir/analyses.h"
#include "plugin/kernels/kernel_summaries.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/Module.h"

#include <memory>
#include <optional>

namespace kesco {

/// Launch sites by function, in module order.
using SiteMap = llvm::MapVector<llvm::Function *, llvm::SmallVector<OpSite, 8>>;

class NormalisedModule {
  public:
    /// Copies what \p Sites' functions need out of \p Original and simplifies it. Where kernels use pointers
    /// in structs that are passed in memory (KernelSummaries::pointersInMemory), the stub call of the copy
    /// has them as further operands after its own, in that order.
    NormalisedModule(llvm::Module &Original, const SiteMap &Sites, const KernelSummaries &Summaries);

    /// The simplified copy of \p Original.
    llvm::Function *copyOf(const llvm::Function &Original) const;

    /// The index, within its function, of the site whose call, one of two for a launch, \p Call copies.
    static std::optional<unsigned> siteOf(const llvm::CallBase &Call);

    /// The instruction of the original that \p I, of the copy of \p Original, stands for: itself, or the call
    /// that it was inlined from. Null where simplification has lost that.
    llvm::Instruction *originalOf(const llvm::Function &Original, const llvm::Instruction &I) const;

    /// False: \p Original grew so large by what it calls that some of that is not inlined in its copy.
    bool isWhole(const llvm::Function &Original) const {
        return !Cut.contains(&Original);
    }

    /// What LLVM's analyses know of the copies.
    llvm::FunctionAnalysisManager &analyses() {
        return All.functions();
    }

    /// If \p I was inlined into the copy, a number for the call of the original that it was inlined from.
    static std::optional<unsigned> inlinedFrom(const llvm::Instruction &I);

    /// True if \p I, of a copy, came in by inlining, from where the call that it came from does not come
    /// back.
    static bool endsInCall(const llvm::Instruction &I);

  private:
    void tagSites(const SiteMap &Sites, const llvm::ValueToValueMapTy &Map);
    void tagInstructions(llvm::Function &Original, const llvm::ValueToValueMapTy &Map);
    void prepare();
    void simplify(llvm::Function &F);

    std::unique_ptr<llvm::Module> Copy;
    llvm::DenseMap<const llvm::Function *, llvm::Function *> Copies;
    llvm::DenseMap<const llvm::Function *, std::vector<llvm::Instruction *>> Originals; ///< by tag
    llvm::SmallPtrSet<const llvm::Function *, 4> Cut; ///< originals whose copies are not whole
    Analyses All;
};

} // namespace kesco

#endif
