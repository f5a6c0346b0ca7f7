#include "plugin/host/embedded_runtime.h"

#include "plugin/warning_id.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"

extern "C" {
#include "plugin/host/runtime_bitcode.h"
}

using namespace llvm;

namespace kesco {

static bool callsRuntime(const Module &M) {
    return any_of(M, [](const Function &F) {
        return F.isDeclaration() && !F.use_empty() && F.getName().starts_with("__kesco1_");
    });
}

static Expected<std::unique_ptr<Module>> readRuntime(LLVMContext &Context) {
    StringRef Bytes(kesco_runtime_bitcode,
                    static_cast<size_t>(kesco_runtime_bitcode_end - kesco_runtime_bitcode));
    return parseBitcodeFile({Bytes, "the runtime inside libkesco.so"}, Context);
}

/// True if code for the target of \p Runtime runs as part of \p M: same machine, calling convention and C
/// library.
static bool isSameTarget(const Module &Runtime, const Module &M) {
    const Triple &A = Runtime.getTargetTriple(), &B = M.getTargetTriple();
    return A.getArch() == B.getArch() && A.getOS() == B.getOS() && A.getEnvironment() == B.getEnvironment() &&
           Runtime.getDataLayout() == M.getDataLayout();
}

/// What the compiler that made \p Runtime wrote down of itself and its options does not hold for the program.
static void dropModuleMetadata(Module &Runtime) {
    for (NamedMDNode &Node : make_early_inc_range(Runtime.named_metadata()))
        Node.eraseFromParent();
}

static void excludeFromSanitizers(GlobalObject &Object) {
    if (auto *F = dyn_cast<Function>(&Object)) {
        F->addFnAttr(Attribute::NoSanitizeCoverage);
        return;
    }
    GlobalValue::SanitizerMetadata Metadata;
    Metadata.NoAddress = Metadata.NoHWAddress = true;
    cast<GlobalVariable>(Object).setSanitizerMetadata(Metadata);
}

/// Makes of \p Runtime the group that is the same in all modules.
static void group(Module &Runtime) {
    Comdat *Group = Runtime.getOrInsertComdat("__kesco1_runtime");
    for (GlobalObject &Object : Runtime.global_objects()) {
        if (Object.isDeclaration())
            continue;
        Object.setComdat(Group);
        if (!Object.hasLocalLinkage())
            Object.setLinkage(GlobalValue::WeakAnyLinkage);
        excludeFromSanitizers(Object);
    }
}

PreservedAnalyses EmbeddedRuntimePass::run(Module &M, ModuleAnalysisManager &) {
    if (!callsRuntime(M))
        return PreservedAnalyses::all();
    Expected<std::unique_ptr<Module>> Runtime = readRuntime(M.getContext());
    if (!Runtime) {
        std::string Text = "kesco: " + toString(Runtime.takeError());
        M.getContext().diagnose(DiagnosticInfoGeneric(Text, DS_Error));
        return PreservedAnalyses::all();
    }
    if (!isSameTarget(**Runtime, M)) {
        unsigned Id =
            warningId(*Diags, "kesco: there is no runtime for '%0' in the plugin, only for '%1'; the "
                              "program needs -lkesco_rt, built for its target");
        Diags->Report(Id) << M.getTargetTriple().str() << (*Runtime)->getTargetTriple().str();
        return PreservedAnalyses::all();
    }
    (*Runtime)->setTargetTriple(M.getTargetTriple());
    dropModuleMetadata(**Runtime);
    group(**Runtime);
    Linker::linkModules(M, std::move(*Runtime)); // reports errors itself
    return PreservedAnalyses::none();
}

} // namespace kesco
