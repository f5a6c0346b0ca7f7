//===- analyses.h - LLVM's analyses for passes that KeSCo runs itself ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KESCO_PLUGIN_IR_ANALYSES_H
#define KESCO_PLUGIN_IR_ANALYSES_H

#include "plugin/ir/search_limits.h"

#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"

namespace kesco {

/// The analysis managers of a pass pipeline of its own, beside the one that the compiler runs.
class Analyses {
  public:
    Analyses() {
        Builder.registerModuleAnalyses(Modules);
        Builder.registerCGSCCAnalyses(Components);
        Builder.registerFunctionAnalyses(Functions);
        Builder.registerLoopAnalyses(Loops);
        Builder.crossRegisterProxies(Loops, Functions, Components, Modules);
    }

    /// Runs \p Passes on \p F, and forgets what was known of it.
    void run(llvm::FunctionPassManager &Passes, llvm::Function &F) {
        Passes.run(F, Functions);
        forget(F);
    }

    void forget(llvm::Function &F) {
        Functions.invalidate(F, llvm::PreservedAnalyses::none());
    }

    llvm::FunctionAnalysisManager &functions() {
        return Functions;
    }

  private:
    WideSearch Wide;
    llvm::PassBuilder Builder;
    llvm::LoopAnalysisManager Loops;
    llvm::FunctionAnalysisManager Functions;
    llvm::CGSCCAnalysisManager Components;
    llvm::ModuleAnalysisManager Modules;
};

} // namespace kesco

#endif
