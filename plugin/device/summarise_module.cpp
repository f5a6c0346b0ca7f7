#include "plugin/device/summarise_module.h"

#include "plugin/device/kernel_copy.h"
#include "plugin/device/work.h"

#include "llvm/Support/ErrorHandling.h"

using namespace llvm;

namespace kesco {

void summariseModule(const Module &M, clang::SourceManager &Sources, kesco_summaries &Set,
                     function_ref<void(const Function &, const WritePlaces &)> Note) {
    KernelCopies Copies(M);
    const VariableSet Read = findReadVariables(Copies.module(), Copies.kernels());
    for (Function *Kernel : Copies.kernels()) {
        kesco_summary *Summary = kesco_summaries_add(&Set, Kernel->getName().str().c_str());
        if (!Summary)
            report_bad_alloc_error("kesco: access summaries");
        if (Kernel->isInterposable() &&
            kesco_summary_add_unseen(Summary, "it is weak, so another may take its place", nullptr))
            report_bad_alloc_error("kesco: access summaries");
        Note(*Kernel, summarise(*Kernel, Read, Copies.analyses(), Sources, *Summary));
    }
    /* this changes the copies */
    for (Function *Kernel : Copies.kernels()) {
        kesco_summary *Summary = kesco_summaries_add(&Set, Kernel->getName().str().c_str());
        if (!Summary || Summary->hidden.runs)
            continue;
        const KernelWork Work = estimateWork(*Kernel, Copies.analyses());
        if (kesco_summary_add_work(Summary, Work.Instructions,
                                   Work.Range.empty() ? nullptr : Work.Range.c_str()))
            report_bad_alloc_error("kesco: access summaries");
    }
}

} // namespace kesco
