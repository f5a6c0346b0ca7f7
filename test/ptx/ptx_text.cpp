//===- ptx_text.cpp - what PTX says of kernels, as device code has it -----------===//
//
// Part of KeSCo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plugin of Clang's for ptx-clang++: in a host compile whose device image is a fatbinary with PTX, it
// writes the access summaries that KeSCo reads there into a module in the form in which KeSCo's device
// compile embeds its own.
//
//   -fplugin=libkesco_ptx_text.so -fplugin-arg-kesco_ptx_text-FILE.ll
//
//===----------------------------------------------------------------------===//

#include "plugin/frontend/collect.h"
#include "plugin/kernels/device_image.h"
#include "plugin/kernels/kernel_summaries.h"
#include "plugin/llvm_version.h"

extern "C" {
#include "plugin/summary/summary_text.h"
}

#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendPluginRegistry.h"
#include "llvm/IR/Constants.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace {

Error writeModule(const kesco_summaries &Set, StringRef Path) {
    char *Text = nullptr;
    size_t Length = 0;
    if (kesco_summary_text_write(&Set, &Text, &Length) != 0)
        return createStringError("no text can be made of its summaries");
    LLVMContext Context;
    Module M("", Context);
    Constant *Bytes = ConstantDataArray::getString(Context, StringRef(Text, Length), /*AddNull=*/false);
    free(Text);
    new GlobalVariable(M, Bytes->getType(), /*isConstant=*/true, GlobalValue::WeakAnyLinkage, Bytes,
                       "__kesco1_summary_of_ptx", nullptr, GlobalValue::NotThreadLocal, /*AddressSpace=*/1);
    std::error_code Failed;
    raw_fd_ostream Out(Path, Failed);
    Out << M;
    return errorCodeToError(Failed);
}

struct TextPass : PassInfoMixin<TextPass> {
    std::shared_ptr<kesco::SourceFacts> Facts;
    clang::SourceManager *Sources;
    std::string Image, Path;

    PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
        kesco::KernelSummaries Summaries;
        Summaries.read(M, {}, [](StringRef, Error) {});
        Expected<std::vector<std::string>> Ptx = kesco::findDeviceImagePtx(Image);
        Error E = Ptx ? Summaries.readPtx(*Ptx, *Facts, *Sources) : Ptx.takeError();
        if (!E)
            E = writeModule(Summaries.all(), Path);
        if (E)
            M.getContext().emitError("kesco: " + toString(std::move(E)));
        return PreservedAnalyses::all();
    }
};

class TextAction : public clang::PluginASTAction {
  public:
    bool ParseArgs(const clang::CompilerInstance &, const std::vector<std::string> &Arguments) override {
        Path = Arguments.size() == 1 ? Arguments[0] : "";
        return !Path.empty();
    }

    std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &CI, StringRef) override {
        auto Facts = std::make_shared<kesco::SourceFacts>();
        TextPass P;
        P.Facts = Facts;
        P.Sources = &CI.getSourceManager();
        P.Image = CI.getCodeGenOpts().CudaGpuBinaryFileName;
        P.Path = Path;
        CI.getCodeGenOpts().PassBuilderCallbacks.push_back([P](PassBuilder &Builder) {
            Builder.registerPipelineStartEPCallback(
                [P](ModulePassManager &Passes, OptimizationLevel) { Passes.addPass(TextPass(P)); });
        });
        return std::make_unique<kesco::FactsCollector>(std::move(Facts));
    }

    ActionType getActionType() override {
        return AddBeforeMainAction;
    }

  private:
    std::string Path;
};

} // namespace

static clang::FrontendPluginRegistry::Add<TextAction> Register("kesco_ptx_text",
                                                               "write what PTX says of kernels");
