#include "plugin/code/embedded_runtime.h"

#include "plugin/code/runtime_abi.h"
#include "plugin/warning.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"

extern "C" {
#include "plugin/code/runtime_assembly.h"
}

using namespace llvm;

namespace kesco {

static bool callsRuntime(const Module &M) {
    return any_of(M, [](const Function &F) {
        return F.isDeclaration() && !F.hasExternalWeakLinkage() && !F.use_empty() && findAbi(F.getName());
    });
}

/// The runtime, and what it was compiled for.
struct Assembly {
    StringRef Text;
    Triple Target;
    StringRef Layout;
};

static Assembly readAssembly() {
    Assembly Result;
    Result.Text = StringRef(kesco_runtime_assembly,
                            static_cast<size_t>(kesco_runtime_assembly_end - kesco_runtime_assembly));
    auto [Target, Layout] = Result.Text.split('\n').first.drop_front(2).split(' ');
    Result.Target = Triple(Target);
    Result.Layout = Layout;
    return Result;
}

/// True if \p Runtime runs as part of \p M: same machine, calling convention and C library.
static bool isSameTarget(const Assembly &Runtime, const Module &M) {
    const Triple &A = Runtime.Target, B(M.getTargetTriple());
    return A.getArch() == B.getArch() && A.getOS() == B.getOS() && A.getEnvironment() == B.getEnvironment() &&
           Runtime.Layout == M.getDataLayoutStr();
}

/// \p Text as link-time optimisation wants it: with no comdat groups, and no sizes of what it may leave out.
static std::string forLinkTime(StringRef Text) {
    static constexpr StringRef Flag = "G\",", Group = ",__kesco1_runtime,comdat";
    std::string Result;
    for (StringRef Line : split(Text, '\n')) {
        auto [Directive, Of] = Line.split("\t.size\t");
        if (Directive.empty() && findAbi(Of.split(',').first))
            continue;
        if (Line.consume_back(Group)) {
            auto [Before, After] = Line.split(Flag);
            Result += (Before + "\"," + After).str();
        } else {
            Result += Line;
        }
        Result += '\n';
    }
    return Result;
}

PreservedAnalyses EmbeddedRuntimePass::run(Module &M, ModuleAnalysisManager &) {
    if (!callsRuntime(M))
        return PreservedAnalyses::all();
    const Assembly Runtime = readAssembly();
    if (!isSameTarget(Runtime, M)) {
        warn(*Diags, "kesco: there is no runtime for '" + Triple(M.getTargetTriple()).str() +
                         "' in the plugin, only for '" + Runtime.Target.str() +
                         "'; the program needs -lkesco_rt, built for its target");
        return PreservedAnalyses::all();
    }
    if (IsForLinkTime)
        M.appendModuleInlineAsm(forLinkTime(Runtime.Text));
    else
        M.appendModuleInlineAsm(Runtime.Text);
    if (IsIntelSyntax)
        M.appendModuleInlineAsm(".intel_syntax noprefix");
    return PreservedAnalyses::none();
}

} // namespace kesco
