#include "plugin/device/device_pass.h"

#include "plugin/device/check_annotation.h"
#include "plugin/device/kernel_copy.h"
#include "plugin/device/memory.h"
#include "plugin/device/summarise_module.h"
#include "plugin/ir/locations.h"
#include "plugin/llvm_version.h"

extern "C" {
#include "plugin/summary/summary_text.h"
}

#include "clang/Basic/Diagnostic.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace kesco {

/// Puts \p Text into the image. Units that are linked together may have the same one: the name says which.
static void embed(Module &M, StringRef Text) {
    Constant *Bytes = ConstantDataArray::getString(M.getContext(), Text, /*AddNull=*/false);
    std::string Name = "__kesco1_summary_" + utohexstr(xxh3_64bits(Text), /*LowerCase=*/true);
    new GlobalVariable(M, Bytes->getType(), /*isConstant=*/true, GlobalValue::WeakAnyLinkage, Bytes, Name,
                       /*InsertBefore=*/nullptr, GlobalValue::NotThreadLocal, KESCO_SPACE_GLOBAL);
}

static void embed(Module &M, const kesco_summaries &Set) {
    char *Text = nullptr;
    size_t Length = 0;
    int Status = kesco_summary_text_write(&Set, &Text, &Length);
    if (Status == -ENOMEM)
        report_bad_alloc_error("kesco: access summaries");
    if (Status != 0) {
        M.getContext().diagnose(DiagnosticInfoGeneric("kesco: the kernels of this file have no access "
                                                      "summaries, because a kernel or a device variable has "
                                                      "white space in its name; rename it",
                                                      DS_Warning));
        return;
    }
    embed(M, StringRef(Text, Length));
    free(Text);
}

/// With -fgpu-rdc, what other units may not see has a name of its own.
static const KernelFacts *factsOf(const Function &Kernel, const SourceFacts &Facts) {
    StringRef Name = Kernel.getName();
    auto Found = Facts.Kernels.find(Name);
    for (StringRef Mark : {"__intern__", "__static__"})
        if (Found == Facts.Kernels.end())
            Found = Facts.Kernels.find(Name.take_front(Name.rfind(Mark)));
    return Found == Facts.Kernels.end() ? nullptr : &Found->second;
}

PreservedAnalyses DevicePass::run(Module &M, ModuleAnalysisManager &) {
    markKernels(M);
    bool HasKernels = any_of(M, isKernel);
    if (HasKernels) {
        Summaries Found;
        summariseModule(M, Unit.Diags->getSourceManager(), Found.Set,
                        [&](const Function &Kernel, const WritePlaces &Writes) {
                            if (const KernelFacts *Facts = factsOf(Kernel, *Unit.Facts))
                                checkAnnotation(*Facts, Writes, *Unit.Diags);
                        });
        embed(M, Found.Set);
    }
    bool Changed = HasKernels;
    if (Unit.StripLocations)
        Changed |= stripLocations(M);
    return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace kesco
