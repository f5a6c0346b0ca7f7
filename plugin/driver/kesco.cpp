//===- kesco.cpp - the plugin's entry -----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loaded by -fplugin=libkesco.so into each of the compilations that make up a CUDA build. What runs when:
//
//   while parsing           kesco_outputs and kesco_priority are read (frontend/annotations.cpp)
//   end of the unit         they are checked; what IR will not say is gathered (frontend/collect.cpp)
//   device, pipeline start  kernels are summarised, into the image (device/device_pass.cpp)
//   host, pipeline start    summaries are read, launches found, planned, rewritten (driver/host_pass.cpp)
//   host, pipeline end      the runtime that launches call is added (code/embedded_runtime.cpp)
//   C++, after inlining     calls lend regions to functions that launch (code/lending.cpp)
//
// To see one step alone: annotations by -fsyntax-only, summaries, regions and the result by
// -fplugin-arg-kesco-show=summaries|regions|ir, the plan by -fplugin-arg-kesco-report=FILE or
// -fplugin-arg-kesco-svg=FILE.
//
//===----------------------------------------------------------------------===//

#include "plugin/code/embedded_runtime.h"
#include "plugin/device/device_pass.h"
#include "plugin/driver/build_tools.h"
#include "plugin/driver/host_pass.h"
#include "plugin/frontend/collect.h"
#include "plugin/kernels/nvcc_files.h"
#include "plugin/warning.h"

#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendPluginRegistry.h"
#include "clang/Frontend/MultiplexConsumer.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/Path.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/Scalar/SROA.h"

using namespace clang;

namespace {

class KescoAction : public PluginASTAction {
  public:
    bool ParseArgs(const CompilerInstance &CI, const std::vector<std::string> &Arguments) override {
        llvm::Expected<kesco::Options> Parsed = kesco::Options::read(Arguments);
        if (Parsed) {
            Asked = *Parsed;
            // A CUDA source is compiled several times, for the host once.
            if (Asked.help && !CI.getLangOpts().CUDAIsDevice)
                kesco_options_help(stdout);
            if (Asked.plan.policy == KESCO_POLICY_CRITICAL_PATH && !Asked.files.profile)
                warnOfNoProfile(CI.getDiagnostics(), CI.getLangOpts());
            return true;
        }
        DiagnosticsEngine &Diags = CI.getDiagnostics();
        Diags.Report(Diags.getCustomDiagID(DiagnosticsEngine::Error, "kesco: %0"))
            << llvm::toString(Parsed.takeError());
        return false;
    }

    std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &CI, StringRef File) override {
        auto Facts = std::make_shared<kesco::SourceFacts>();
        const bool ByNvcc = kesco_is_nvcc_host(File.str().c_str());
        if (!CI.getLangOpts().CUDA && !ByNvcc && (!CI.getLangOpts().CPlusPlus || Asked.off))
            return std::make_unique<ASTConsumer>();
        std::vector<std::unique_ptr<ASTConsumer>> Consumers;
        if (CI.getLangOpts().CUDAIsDevice && !Asked.off) {
            scheduleDevicePass(CI, Facts);
            Consumers.push_back(std::make_unique<kesco::DeviceConsumer>(CI));
        } else if (!CI.getLangOpts().CUDA && !ByNvcc) {
            scheduleLending(CI, Facts, File);
        } else if (!Asked.off) {
            scheduleHostPass(CI, Facts, File);
            Consumers.push_back(std::make_unique<kesco::InputsConsumer>(CI, Asked));
        }
        Consumers.push_back(std::make_unique<kesco::FactsCollector>(std::move(Facts)));
        return std::make_unique<MultiplexConsumer>(std::move(Consumers));
    }

    ActionType getActionType() override {
        return AddBeforeMainAction;
    }

  private:
    static void warnOfNoProfile(DiagnosticsEngine &Diags, const LangOptions &Language) {
        if (Language.CUDA && !Language.CUDAIsDevice)
            kesco::warn(Diags, "kesco: 'policy=critical-path' counts every op as one microsecond without "
                               "'profile=FILE', which a run with KESCO_PROFILE=FILE writes");
    }

    void scheduleHostPass(CompilerInstance &CI, std::shared_ptr<kesco::SourceFacts> Facts, StringRef File) {
        CodeGenOptions &CodeGen = CI.getCodeGenOpts();
        if (CodeGen.DisableLLVMPasses && CI.getFrontendOpts().ProgramAction != frontend::ParseSyntaxOnly) {
            kesco::warn(CI.getDiagnostics(),
                        "kesco: nothing is scheduled, because this compilation runs no LLVM passes; compile "
                        "without '-save-temps' and '-disable-llvm-passes'");
        }
        kesco::Compilation Unit;
        Unit.Asked = Asked;
        Unit.Facts = std::move(Facts);
        Unit.Diags = &CI.getDiagnostics();
        Unit.DeviceImages = CodeGen.OffloadObjects;
        if (!CodeGen.CudaGpuBinaryFileName.empty())
            Unit.DeviceImages.push_back(CodeGen.CudaGpuBinaryFileName);
        Unit.Paths = pathsOf(File, CI);
        if (kesco_is_nvcc_host(File.str().c_str()))
            Unit.NvccHost = File.str();
        Unit.PerThreadDefault =
            CI.getLangOpts().GPUDefaultStream == LangOptions::GPUDefaultStreamKind::PerThread;
        Unit.Optimises = CodeGen.OptimizationLevel > 0;
        Unit.StripLocations = trackLocations(CodeGen);
        addPass(CodeGen, kesco::HostPass(Unit));
        if (Asked.embeds_runtime)
            embedRuntime(CI);
    }

    static kesco::UnitPaths pathsOf(StringRef File, const CompilerInstance &CI) {
        StringRef Folder = CI.getCodeGenOpts().DebugCompilationDir;
        return {File.str(), CI.getFrontendOpts().OutputFile,
                llvm::sys::path::is_absolute(Folder) ? Folder.str() : ""};
    }

    /// C++ sources launch nothing, but may call what does.
    void scheduleLending(CompilerInstance &CI, std::shared_ptr<kesco::SourceFacts> Facts, StringRef File) {
        kesco::Compilation Unit;
        Unit.Asked = Asked;
        Unit.Facts = std::move(Facts);
        Unit.Diags = &CI.getDiagnostics();
        Unit.Paths = pathsOf(File, CI);
        Unit.IsCuda = false;
        Unit.StripLocations = Asked.wantsPlans() && trackLocations(CI.getCodeGenOpts());
        addLendingPass(CI.getCodeGenOpts(), kesco::HostPass(Unit));
    }

    static void embedRuntime(CompilerInstance &CI) {
        CodeGenOptions &CodeGen = CI.getCodeGenOpts();
        DiagnosticsEngine *Diags = &CI.getDiagnostics();
        bool IsIntelSyntax = CodeGen.getInlineAsmDialect() == CodeGenOptions::IAD_Intel;
        bool IsForLinkTime = CodeGen.PrepareForLTO || CodeGen.PrepareForThinLTO;
        addLastPass(CodeGen, kesco::EmbeddedRuntimePass(*Diags, IsIntelSyntax, IsForLinkTime));
    }

    static void scheduleDevicePass(CompilerInstance &CI, std::shared_ptr<kesco::SourceFacts> Facts) {
        kesco::DeviceCompilation Unit;
        Unit.Facts = std::move(Facts);
        Unit.Diags = &CI.getDiagnostics();
        Unit.StripLocations = trackLocations(CI.getCodeGenOpts());
        addPass(CI.getCodeGenOpts(), kesco::DevicePass(Unit));
    }

    /// Messages name source lines, which IR without -g does not have. \returns whether that was so.
    static bool trackLocations(CodeGenOptions &CodeGen) {
        if (CodeGen.getDebugInfo() != llvm::codegenoptions::NoDebugInfo)
            return false;
        CodeGen.setDebugInfo(llvm::codegenoptions::LocTrackingOnly);
        return true;
    }

    template <typename Pass>
    static void addPass(CodeGenOptions &CodeGen, Pass P) {
        CodeGen.PassBuilderCallbacks.push_back([P](llvm::PassBuilder &Builder) {
            Builder.registerPipelineStartEPCallback(
                [P](llvm::ModulePassManager &Passes, llvm::OptimizationLevel) { Passes.addPass(Pass(P)); });
        });
    }

    /// After the inliner: what that takes in needs no look at its mark, which would keep it in the program.
    static void addLendingPass(CodeGenOptions &CodeGen, const kesco::HostPass &P) {
        CodeGen.PassBuilderCallbacks.push_back([P](llvm::PassBuilder &Builder) {
            Builder.registerOptimizerEarlyEPCallback([P](llvm::ModulePassManager &Passes, auto...) {
                Passes.addPass(kesco::HostPass(P));
                Passes.addPass(llvm::AlwaysInlinerPass());
                Passes.addPass(
                    llvm::createModuleToFunctionPassAdaptor(llvm::SROAPass(llvm::SROAOptions::PreserveCFG)));
            });
        });
    }

    template <typename Pass>
    static void addLastPass(CodeGenOptions &CodeGen, Pass P) {
        CodeGen.PassBuilderCallbacks.push_back([P](llvm::PassBuilder &Builder) {
            Builder.registerOptimizerLastEPCallback(
                [P](llvm::ModulePassManager &Passes, auto...) { Passes.addPass(Pass(P)); });
        });
    }

    kesco::Options Asked;
};

} // namespace

static FrontendPluginRegistry::Add<KescoAction> Register("kesco", "run independent CUDA kernels at once");
