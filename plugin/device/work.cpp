#include "plugin/device/work.h"

#include "plugin/device/callee_effects.h"
#include "plugin/device/memory.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace kesco {

/// Of a loop that does not say; LLVM's block frequencies assume as much (BranchProbabilityInfo). One that goes on
/// by a step that is not known either, mostly the number of threads, is there for launches that are too small.
static constexpr double UnknownPasses = 32, StridingPasses = 2;

/// What an access costs, and a call of a function that is not seen, in instructions: memory answers after
/// some 480 clocks ("Benchmarking and Dissecting the Nvidia Hopper GPU Architecture", Luo et al., arXiv
/// 2402.13499), and a thread of a full device has its turn every 16.
static constexpr double Access = 30, UnseenCall = 20;

namespace {

class Estimate {
  public:
    explicit Estimate(Analyses &All) : All(All) {
    }

    double of(Function &F) {
        auto [Entry, IsNew] = Known.try_emplace(&F, UnseenCall);
        if (!IsNew)
            return Entry->second;
        LoopInfo &Loops = All.functions().getResult<LoopAnalysis>(F);
        ScalarEvolution &Counts = All.functions().getResult<ScalarEvolutionAnalysis>(F);
        double Sum = 0;
        for (BasicBlock &Block : F) {
            double Runs = 1;
            for (Loop *L = Loops.getLoopFor(&Block); L; L = L->getParentLoop())
                Runs *= passesOf(*L, Counts);
            Sum += Runs * of(Block);
        }
        return Known[&F] = Sum;
    }

  private:
    /// True if what the loop counts by grows by a number that is no constant.
    static bool isStriding(const Loop &L) {
        return any_of(L.getHeader()->phis(), [&](const PHINode &Phi) {
            const BasicBlock *Latch = L.getLoopLatch();
            const Value *Next = Latch ? Phi.getIncomingValueForBlock(Latch) : nullptr;
            Value *Step;
            return Next && match(Next, m_c_Add(m_Specific(&Phi), m_Value(Step))) && !isa<Constant>(Step) &&
                   !isa<LoadInst>(Step);
        });
    }

    static double passesOf(Loop &L, ScalarEvolution &Counts) {
        unsigned Passes = Counts.getSmallConstantTripCount(&L);
        return Passes > 0 ? Passes : isStriding(L) ? StridingPasses : UnknownPasses;
    }

    double of(BasicBlock &Block) {
        double Sum = 0;
        for (Instruction &I : Block)
            Sum += of(I);
        return Sum;
    }

    double of(Instruction &I) {
        if (const Value *Address = getLoadStorePointerOperand(&I))
            return isOwnSpace(Address->getType()->getPointerAddressSpace()) ? 1 : Access;
        if (I.isAtomic())
            return Access;
        auto *Call = dyn_cast<CallBase>(&I);
        if (!Call || isa<IntrinsicInst>(I) || Call->isInlineAsm())
            return I.isDebugOrPseudoInst() ? 0 : 1;
        Function *Callee = Call->getCalledFunction();
        return Callee && hasKnownBody(*Callee) ? of(*Callee) : UnseenCall;
    }

    Analyses &All;
    DenseMap<const Function *, double> Known;
};

} // namespace

uint32_t estimateWork(Function &Kernel, Analyses &All) {
    double Work = Estimate(All).of(Kernel);
    return Work < 1 ? 1 : Work > UINT32_MAX ? UINT32_MAX : static_cast<uint32_t>(Work);
}

} // namespace kesco
