#include "plugin/host/unroll.h"

#include "plugin/host/cuda_model.h"
#include "plugin/host/op_sites.h"
#include "plugin/ir/analyses.h"
#include "plugin/ir/inline_calls.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"

using namespace llvm;

namespace kesco {

static bool allocates(const CallBase &Call) {
    const ApiFunction *Api = lookUpApi(Call);
    return Api && Api->What == ApiFunction::Allocates;
}

/// Functions that call one another more deeply than this are not looked into for what they allocate.
static constexpr unsigned MostCalls = 4;

/// True for a call that allocates, directly or by the functions that it calls.
static bool allocates(const Instruction &I, unsigned Calls) {
    const auto *Call = dyn_cast<CallBase>(&I);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    return Callee &&
           (allocates(*Call) || (Calls > 0 && any_of(instructions(*Callee), [&](const Instruction &Inner) {
                                     return allocates(Inner, Calls - 1);
                                 })));
}

/// True for a call that issues an op, or that allocates.
static bool matters(const Instruction &I) {
    const auto *Call = dyn_cast<CallBase>(&I);
    return Call && (issuesOp(*Call) || allocates(I, MostCalls));
}

/// Where launches get memory of their own in each pass, the memory's loop matters as theirs does.
static bool matters(const Loop &L) {
    return any_of(L.blocks(), [](const BasicBlock *Block) {
        return any_of(*Block, [](const Instruction &I) { return matters(I); });
    });
}

static unsigned sizeOf(const Loop &L) {
    unsigned Size = 0;
    for (const BasicBlock *Block : L.blocks())
        Size += Block->size();
    return Size;
}

/// Unrolls one loop of \p F that can be. Each changes the others, so what was known of them is found anew.
static bool unrollOne(Function &F, FunctionAnalysisManager &Known) {
    auto &Loops = Known.getResult<LoopAnalysis>(F);
    auto &Evolution = Known.getResult<ScalarEvolutionAnalysis>(F);
    SmallVector<Loop *, 8> Inner = Loops.getLoopsInPreorder();
    for (Loop *L : reverse(Inner)) {
        unsigned Passes = Evolution.getSmallConstantMaxTripCount(L);
        if (Passes < 1 || Passes > MostPasses + 1 || !matters(*L) || !L->isLoopSimplifyForm() ||
            F.getInstructionCount() + sizeOf(*L) * (Passes - 1) > MostInstructions)
            continue;
        UnrollLoopOptions Options = {};
        Options.Count = Passes;
        Options.Force = true;
        Options.AllowExpensiveTripCount = true;
        Options.ForgetAllSCEV = true;
        LoopUnrollResult Result =
            UnrollLoop(L, Options, &Loops, &Evolution, &Known.getResult<DominatorTreeAnalysis>(F),
                       &Known.getResult<AssumptionAnalysis>(F), &Known.getResult<TargetIRAnalysis>(F),
                       /*ORE=*/nullptr, /*PreserveLCSSA=*/true);
        if (Result == LoopUnrollResult::FullyUnrolled)
            return true;
    }
    return false;
}

bool unrollLaunches(Function &F, Analyses &All) {
    FunctionPassManager Passes;
    Passes.addPass(SROAPass(SROAOptions::PreserveCFG));
    Passes.addPass(LoopSimplifyPass());
    Passes.addPass(LCSSAPass());
    All.run(Passes, F);
    bool Unrolled = false;
    while (unrollOne(F, All.functions())) {
        All.forget(F);
        All.run(Passes, F);
        Unrolled = true;
    }
    All.forget(F);
    return Unrolled;
}

} // namespace kesco
