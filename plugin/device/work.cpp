#include "plugin/device/work.h"

#include "plugin/device/memory.h"
#include "plugin/device/ranges.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Mem2Reg.h"

#include <cmath>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace kesco {

/// Of a loop that does not say; LLVM's block frequencies assume twice as much (BranchProbabilityInfo). One
/// that goes on by a step that is not known either, mostly the number of threads, is there for launches that
/// are too small; one that halves or doubles is a tree over the threads of a block.
static constexpr double UnknownPasses = 16, StridingPasses = 2, TreePasses = 8;

/// A loop within another goes round less often than that: windows, neighbours, digits.
static constexpr double NestedLess = 4;

/// What an access costs, and a call of a function that is not seen, in instructions: memory answers after
/// some 480 clocks ("Benchmarking and Dissecting the Nvidia Hopper GPU Architecture", Luo et al., arXiv
/// 2402.13499), and a thread of a full device has its turn every 16.
static constexpr double Access = 30, UnseenCall = 20;

/// Of a pass of a loop; more is as good as endless.
static constexpr int64_t Most = INT64_C(1) << 31;

/// Of what is evaluated before each launch.
static constexpr unsigned MostTokens = 48;

namespace {

/// What the blocks of a function have, by the innermost loop that they are in, null for none.
using LoopWork = MapVector<Loop *, double>;

class Estimate {
  public:
    explicit Estimate(Analyses &All) : All(All) {
    }

    LoopWork within(Function &F) {
        FunctionPassManager Promotion;
        Promotion.addPass(PromotePass());
        All.run(Promotion, F);
        LoopInfo &Loops = All.functions().getResult<LoopAnalysis>(F);
        LoopWork Result;
        for (BasicBlock &Block : F)
            Result[Loops.getLoopFor(&Block)] += of(Block);
        return Result;
    }

    /// Of \p F, where one pass of its loops has what \p Within says.
    double of(Function &F, const LoopWork &Within) {
        ScalarEvolution &Counts = All.functions().getResult<ScalarEvolutionAnalysis>(F);
        double Sum = 0;
        for (auto [Innermost, Each] : Within) {
            double Runs = Each;
            for (Loop *L = Innermost; L; L = L->getParentLoop())
                Runs *= passesOf(*L, Counts);
            Sum += Runs;
        }
        return Sum;
    }

    /// The same of \p Kernel, by what a launch gives: loops within fewer than \p Depth others say how often
    /// they go round.
    kesco_polynomial of(Function &Kernel, const LoopWork &Within, Ranges &Bounds, unsigned Depth) {
        kesco_algebra &Terms = Bounds.algebra();
        ScalarEvolution &Counts = All.functions().getResult<ScalarEvolutionAnalysis>(Kernel);
        kesco_polynomial Sum = KESCO_POLYNOMIAL_ZERO;
        for (auto [Innermost, Each] : Within) {
            kesco_polynomial Runs = numberFrom(Terms, Each);
            for (Loop *L = Innermost; L; L = L->getParentLoop()) {
                const bool Tells = L->getLoopDepth() <= Depth && L->getExitingBlock() &&
                                   Counts.getSmallConstantTripCount(L) == 0;
                kesco_polynomial Passes = Tells ? Bounds.shareOf(*L, Counts) : KESCO_POLYNOMIAL_UNKNOWN;
                if (Tells && Passes == KESCO_POLYNOMIAL_UNKNOWN)
                    Passes = Bounds.passesOf(*L);
                if (Passes == KESCO_POLYNOMIAL_UNKNOWN)
                    Passes = numberFrom(Terms, passesOf(*L, Counts));
                Runs = kesco_algebra_multiply(&Terms, Runs, Passes);
            }
            Sum = kesco_algebra_add(&Terms, Sum, Runs);
        }
        return Sum;
    }

  private:
    static kesco_polynomial numberFrom(kesco_algebra &Terms, double Count) {
        return kesco_algebra_number(
            &Terms, static_cast<int64_t>(std::min(std::round(Count), static_cast<double>(Most))));
    }

    /// Of a loop whose count is not constant.
    static double guessPasses(const Loop &L) {
        const BasicBlock *Latch = L.getLoopLatch();
        for (const PHINode &Phi : L.getHeader()->phis()) {
            const Value *Next = Latch ? Phi.getIncomingValueForBlock(Latch) : nullptr;
            Value *Step = nullptr;
            if (!Next)
                continue;
            if (match(Next, m_Shift(m_Specific(&Phi), m_Constant())) ||
                match(Next, m_IDiv(m_Specific(&Phi), m_Constant())))
                return TreePasses;
            if (match(Next, m_c_Add(m_Specific(&Phi), m_Value(Step))) && !isa<Constant, LoadInst>(Step))
                return StridingPasses;
        }
        return UnknownPasses;
    }

    static double passesOf(Loop &L, ScalarEvolution &Counts) {
        unsigned Passes = Counts.getSmallConstantTripCount(&L);
        return Passes > 0 ? Passes
                          : std::max(1.0, guessPasses(L) / std::pow(NestedLess, L.getLoopDepth() - 1));
    }

    static bool isNear(const Value &Base) {
        return isa<AllocaInst>(Base) || isOwnSpace(Base.getType()->getPointerAddressSpace());
    }

    double of(BasicBlock &Block) {
        double Sum = 0;
        for (Instruction &I : Block)
            Sum += of(I);
        return Sum;
    }

    double of(Instruction &I) {
        if (const Value *Address = getLoadStorePointerOperand(&I))
            return isNear(*getUnderlyingObject(Address)) ? 1 : Access;
        if (I.isAtomic())
            return Access;
        auto *Call = dyn_cast<CallBase>(&I);
        if (!Call || isa<IntrinsicInst>(I) || Call->isInlineAsm())
            return I.isDebugOrPseudoInst() ? 0 : 1;
        Function *Callee = Call->getCalledFunction();
        return Callee && hasKnownBody(*Callee) ? of(*Callee) : UnseenCall;
    }

    double of(Function &F) {
        auto [Entry, IsNew] = Known.try_emplace(&F, UnseenCall);
        return IsNew ? Known[&F] = of(F, within(F)) : Entry->second;
    }

    Analyses &All;
    DenseMap<const Function *, double> Known;
};

} // namespace

static bool isShort(const std::string &Range) {
    return count_if(Range, [](char C) { return C == ',' || C == ';'; }) < MostTokens;
}

/// What is not short is said of outer loops alone.
static std::string rangeOf(Function &Kernel, Analyses &All, Estimate &Known, const LoopWork &Within) {
    Ranges Bounds(Kernel, All.functions().getResult<DominatorTreeAnalysis>(Kernel),
                  All.functions().getResult<LoopAnalysis>(Kernel), /*OfTypes=*/false);
    for (unsigned Depth : {3, 2, 1}) {
        const kesco_polynomial Work = Known.of(Kernel, Within, Bounds, Depth);
        if (Work == KESCO_POLYNOMIAL_UNKNOWN)
            continue;
        if (Bounds.asNumber(Work))
            return "";
        std::string Range = Bounds.text(Interval(KESCO_POLYNOMIAL_ZERO, Work));
        if (!Range.empty() && isShort(Range))
            return Range;
    }
    return "";
}

KernelWork estimateWork(Function &Kernel, Analyses &All) {
    Estimate Known(All);
    const LoopWork Within = Known.within(Kernel);
    const double Work = Known.of(Kernel, Within);
    return {Work < 1            ? 1
            : Work > UINT32_MAX ? UINT32_MAX
                                : static_cast<uint32_t>(Work),
            rangeOf(Kernel, All, Known, Within)};
}

} // namespace kesco
