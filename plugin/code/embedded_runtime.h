//===- embedded_runtime.h - the runtime, inside of what is compiled -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds the runtime to a module that calls it, as assembly, so that a program needs no library of KeSCo's. The
// compiler reads it as text: whatever passes run, here or when the program is linked, none inlines, merges or
// outlines anything of it, and nothing of the program comes to depend on it but by the ABI's names.
//
// A program has many such modules, and perhaps libkesco_rt too, but must have one runtime. So each module has
// all of it in one comdat group, of which a linker keeps the first. Only the ABI's functions have names
// outside of it; they are weak, so that libkesco_rt.a goes before them where a linker takes that in, and of
// default visibility, so that a program and its shared libraries use one of theirs. Since everything else is
// reached through these functions alone, what a linker or loader chooses is one runtime as a whole.
//
// Modules for link-time optimisation have it without the group: linkers are told of groups before they have
// the assembly's, and may drop both (GNU ld). Their copies are weak as well, and of those put together into
// one module, one is read.
//
// See what it does: -S, with -fplugin-arg-kesco-runtime=shared and without.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_CODE_EMBEDDED_RUNTIME_H
#define KESCO_PLUGIN_CODE_EMBEDDED_RUNTIME_H

#include "llvm/IR/PassManager.h"

namespace clang {
class DiagnosticsEngine;
}

namespace kesco {

class EmbeddedRuntimePass : public llvm::PassInfoMixin<EmbeddedRuntimePass> {
  public:
    /// \p Diags is alive while the pass runs. It is told of targets that there is no runtime for; their
    /// modules keep calling libkesco_rt. \p IsIntelSyntax: assembly in the module is in that (-masm=intel).
    /// \p IsForLinkTime: the module goes on to link-time optimisation.
    EmbeddedRuntimePass(clang::DiagnosticsEngine &Diags, bool IsIntelSyntax, bool IsForLinkTime)
        : Diags(&Diags), IsIntelSyntax(IsIntelSyntax), IsForLinkTime(IsForLinkTime) {
    }

    llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);

    /// At -O0 too: programs without it do not link.
    static bool isRequired() {
        return true;
    }

  private:
    clang::DiagnosticsEngine *Diags;
    bool IsIntelSyntax;
    bool IsForLinkTime;
};

} // namespace kesco

#endif
