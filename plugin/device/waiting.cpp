#include "plugin/device/waiting.h"

#include "plugin/device/callee_effects.h"
#include "plugin/device/lock_free.h"
#include "plugin/device/loop_ends.h"
#include "plugin/ir/calls.h"

extern "C" {
#include "plugin/summary/summary.h"
}

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace kesco {

namespace {

/// What a piece of code can see of others' work.
struct Sight {
    bool Watches = false; ///< by an access that is made for it
    bool Loads = false;   ///< by an ordinary load
    bool Fences = false;  ///< that must look again

    bool sees() const {
        return Watches || (Loads && Fences);
    }

    void operator|=(const Sight &Other) {
        Watches |= Other.Watches;
        Loads |= Other.Loads;
        Fences |= Other.Fences;
    }
};

/// True if what \p Bound is computed from within \p L is looked at by ordinary loads, if at all.
bool isOrdinary(const Value &Bound, const Loop &L) {
    SmallSetVector<const Value *, 8> Work;
    Work.insert(&Bound);
    for (unsigned I = 0; I < Work.size(); ++I) {
        const auto *Part = dyn_cast<Instruction>(Work[I]);
        if (!Part || !L.contains(Part))
            continue;
        const auto *Load = dyn_cast<LoadInst>(Part);
        if (Part->mayReadOrWriteMemory() && !(Load && Load->isSimple()))
            return false;
        Work.insert(Part->op_begin(), Part->op_end());
    }
    return true;
}

/// True if \p L goes on by the branch of \p Exiting only while a count of the thread's own, which each pass
/// raises by one, is below a bound, such as where the next row begins: whatever stands there, the count comes
/// to the end of its type.
bool isCountedUp(const BasicBlock &Exiting, const Loop &L, ScalarEvolution &Counts) {
    const std::optional<Below> Goes = goesOnBelow(*Exiting.getTerminator(), L);
    if (!Goes || !Goes->IsLess || !Goes->Count->getType()->isIntegerTy())
        return false;
    const auto *Sum = dyn_cast<SCEVAddRecExpr>(Counts.getSCEV(Goes->Count));
    return Sum && Sum->getLoop() == &L && Sum->getStepRecurrence(Counts)->isOne() &&
           isOrdinary(*Goes->Bound, L);
}

class WaitFinder {
  public:
    WaitFinder(Provenance &Sources, Analyses &All) : Sources(Sources), All(All) {
    }

    bool run() {
        return any_of(Sources.functions(), [&](Function *F) { return waits(*F); });
    }

  private:
    Sight sightOf(const Instruction &I) {
        Sight Result;
        if (const Value *Address = getLoadStorePointerOperand(&I)) {
            if (isa<LoadInst>(I) && Sources.areShared(Sources.of(Address)))
                (I.isVolatile() || I.isAtomic() ? Result.Watches : Result.Loads) = true;
        } else if (isa<AtomicRMWInst>(I) || isa<AtomicCmpXchgInst>(I)) {
            Result.Watches = Sources.areShared(Sources.of(I.getOperand(0)));
        } else if (isa<FenceInst>(I)) {
            Result.Fences = true;
        } else if (const auto *Call = dyn_cast<CallBase>(&I)) {
            Result = sightOfCall(*Call);
        }
        return Result;
    }

    Sight sightOfCall(const CallBase &Call) {
        const Function *Callee = Call.getCalledFunction();
        if (Callee && hasKnownBody(*Callee))
            return sightOf(*Callee);
        Sight Result;
        const CalleeEffects &Effects = Sources.effectsOf(Call);
        Result.Fences = Effects.Fences;
        Result.Watches = Effects.Watches;
        Result.Loads = Effects.readsShared();
        return Result;
    }

    Sight sightOf(const Function &F) {
        auto [Entry, IsNew] = Known.try_emplace(&F);
        if (!IsNew)
            return Entry->second;
        Sight Result;
        for (const Instruction &I : instructions(F))
            Result |= sightOf(I);
        Known[&F] = Result;
        return Result;
    }

    /// True if \p F calls itself, directly or not.
    static bool isRecursive(const Function &F) {
        SmallSetVector<const Function *, 8> Called;
        for (const CallBase &Call : callsIn(F))
            if (const Function *Callee = Call.getCalledFunction(); Callee && hasKnownBody(*Callee))
                Called.insert(Callee);
        addCallees(Called, hasKnownBody);
        return Called.contains(&F);
    }

    bool waits(Function &F) {
        if (!sightOf(F).sees())
            return false;
        FunctionAnalysisManager &Analyses = All.functions();
        const LoopInfo &Loops = Analyses.getResult<LoopAnalysis>(F);
        const DominatorTree &Dominance = Analyses.getResult<DominatorTreeAnalysis>(F);
        ReversePostOrderTraversal<const Function *> Order(&F);
        if (isRecursive(F) || containsIrreducibleCFG<const BasicBlock *>(Order, Loops))
            return true;
        return any_of(Loops.getLoopsInPreorder(), [&](Loop *L) {
            Sight Seen;
            for (const BasicBlock *Block : L->blocks())
                for (const Instruction &I : *Block)
                    Seen |= sightOf(I);
            return Seen.sees() && !isOwnAffair(*L, F, Dominance) &&
                   !isLockFree(*L, Loops, Dominance, Sources);
        });
    }

    /// True if some way out is taken, whatever memory has, after a number of passes that is known on entry or
    /// that the type of a count bounds; or if every way out is taken, or not, by what the thread does alone.
    bool isOwnAffair(Loop &L, Function &F, const DominatorTree &Dominance) {
        ScalarEvolution &Counts = All.functions().getResult<ScalarEvolutionAnalysis>(F);
        SmallVector<BasicBlock *, 4> Exiting;
        L.getExitingBlocks(Exiting);
        const BasicBlock *Latch = L.getLoopLatch();
        bool Counted = Latch && any_of(Exiting, [&](BasicBlock *Block) {
                           return Dominance.dominates(Block, Latch) &&
                                  (!isa<SCEVCouldNotCompute>(Counts.getExitCount(&L, Block)) ||
                                   isCountedUp(*Block, L, Counts));
                       });
        return Counted || LoopEnds(L, Dominance, Sources).areOwn();
    }

    Provenance &Sources;
    Analyses &All;
    DenseMap<const Function *, Sight> Known;
};

} // namespace

bool mayWait(Provenance &Sources, Analyses &All) {
    return WaitFinder(Sources, All).run();
}

} // namespace kesco
