#include "plugin/driver/build_tools.h"

#include "plugin/warning.h"

#include "clang/Basic/TargetInfo.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Lex/MacroInfo.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/Support/Path.h"

#include <optional>

extern "C" {
#include "plugin/driver/compiler_cache.h"
}

using namespace clang;

namespace kesco {

/// The files that the plugin reads because it was told to, and what they are for people.
static SmallVector<std::pair<const char *, std::string>, 2> inputsOf(const Options &Asked) {
    SmallVector<std::pair<const char *, std::string>, 2> Inputs;
    if (Asked.files.profile)
        Inputs.push_back({"profile", Asked.files.profile});
    if (Asked.files.exclude)
        Inputs.push_back({"exclude list", Asked.files.exclude});
    return Inputs;
}

static void warnOfCache(DiagnosticsEngine &Diags, const Options &Asked) {
    if (!kesco_runs_under_ccache())
        return;
    for (const auto &[What, Path] : inputsOf(Asked))
        if (!kesco_ccache_compares(Path.c_str()))
            warn(Diags, "kesco: ccache does not notice when the " + StringRef(What) + " '" + Path +
                            "' changes; set 'CCACHE_EXTRAFILES=" + Path +
                            "', or let ccache run 'kesco-clang++'");
    if (Asked.wantsPlans() && !kesco_ccache_compiles_always())
        warn(Diags, "kesco: plans are not written again where ccache has the object; set "
                    "'CCACHE_RECACHE=1', or let ccache run 'kesco-clang++' and not in depend mode");
}

/// To collectors of dependencies (-MD), a file that is asked for is one that is read.
static void noteAsRead(CompilerInstance &CI, StringRef Path) {
    if (PPCallbacks *Watchers = CI.getPreprocessor().getPPCallbacks())
        Watchers->HasInclude(SourceLocation(), Path, /*IsAngled=*/false,
                             CI.getFileManager().getOptionalFileRef(Path), SrcMgr::C_User);
}

void InputsConsumer::HandleTranslationUnit(ASTContext &) {
    for (const auto &[What, Path] : inputsOf(Asked))
        noteAsRead(CI, Path);
    warnOfCache(CI.getDiagnostics(), Asked);
}

/// The number that the macro \p Name stands for.
static std::optional<unsigned> numberOf(Preprocessor &PP, StringRef Name) {
    const MacroInfo *Macro = PP.getMacroInfo(PP.getIdentifierInfo(Name));
    unsigned Number = 0;
    if (!Macro || Macro->getNumTokens() != 1 || !Macro->getReplacementToken(0).is(tok::numeric_constant) ||
        StringRef(PP.getSpelling(Macro->getReplacementToken(0))).getAsInteger(10, Number))
        return std::nullopt;
    return Number;
}

/// True if what is made is an intermediate file, so that the toolkit's assembler comes next.
static bool isForAssembler(const FrontendOptions &Made) {
    llvm::SmallString<64> Temporary;
    llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, Temporary);
    return Made.ProgramAction == frontend::EmitAssembly &&
           llvm::sys::path::parent_path(Made.OutputFile) == Temporary.str();
}

void DeviceConsumer::HandleTranslationUnit(ASTContext &) {
    static constexpr unsigned Cuda13 = 13000, OldestOfCuda13 = 75, ClangsDefault = 52;
    StringRef Device = CI.getTarget().getTargetOpts().CPU;
    unsigned Number = 0;
    const std::optional<unsigned> Toolkit = numberOf(CI.getPreprocessor(), "CUDART_VERSION");
    if (!Toolkit || *Toolkit < Cuda13 || !Device.consume_front("sm_") || Device.getAsInteger(10, Number) ||
        Number >= OldestOfCuda13 || !isForAssembler(CI.getFrontendOpts()))
        return;
    DiagnosticsEngine &Diags = CI.getDiagnostics();
    Diags.Report(
        Diags.getCustomDiagID(DiagnosticsEngine::Error,
                              "kesco: the CUDA Toolkit does not know the device 'sm_%0'%select{|, which is "
                              "clang's choice where none is given}1; give one of sm_75 or newer, as by "
                              "'--cuda-gpu-arch=sm_90'"))
        << Number << (Number == ClangsDefault);
}

} // namespace kesco
